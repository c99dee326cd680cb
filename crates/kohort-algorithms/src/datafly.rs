//! Datafly: raises the attribute with the most distinct values until few enough rows are outliers.
//!
//! # Guarantee
//! Every class keeps every promise, with outliers suppressed where the plan allows it. Neither height nor loss
//! is least, and the first node with few enough outliers drops as many rows as it may.
//!
//! # Method
//! 1. Start with the values themselves.
//! 2. While there are more outliers than may be suppressed: raise by one level the attribute with the most
//!    distinct values in the table as it stands; the first among equals; none that is at its top.
//! 3. Suppress the outliers.
//!
//! # Notation
//! | paper | here |
//! |---|---|
//! | freq | the table rolled up to the node |
//! | k outliers allowed | `settings.suppression` |
//!
//! # Cost
//! O(d · levels) groupings, each of the rows that are still distinct.
//!
//! # Deviations
//! Sweeney stops when at most k rows are outliers; here the plan says how many may be suppressed.
//!
//! # References
//! Sweeney, AMIA 1997.

use kohort_core::{Ctx, Spec};

use crate::lattice::{Desk, Lattice, Node, Table};
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

const SPEC: Spec = Spec {
    id: "datafly",
    title: "Datafly",
    paper: "Sweeney 1997",
    promise: "a combination of levels keeps the promises; a quick one, not the best",
    parameters: &[],
};

/// Sweeney's greedy generalization.
pub(crate) struct Datafly;

impl Algorithm for Datafly {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::FULL_DOMAIN
    }

    fn anonymize(&self, _: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let lattice = Lattice::new(problem)?;
        let table = lattice.table();
        let path = climb(&lattice, &table)?;
        Ok(lattice.release(&table, &path[path.len() - 1]))
    }
}

/// The nodes from the bottom to the first that is ok.
fn climb(lattice: &Lattice<'_, '_>, table: &Table) -> Result<Vec<Node>, Failure> {
    let mut desk = Desk::default();
    let top = lattice.top();
    let mut path = vec![lattice.bottom()];
    let mut rolled = lattice.roll_up(table, &path[0]);
    loop {
        let node = &path[path.len() - 1];
        if lattice.evaluate(&rolled, node, &mut desk).is_ok {
            return Ok(path);
        }
        let most = (0..top.len())
            .filter(|&axis| node[axis] < top[axis])
            .rev()
            .max_by_key(|&axis| lattice.n_cells(axis, node[axis]));
        let Some(axis) = most else {
            return Err(Failure::infeasible("the table as one class breaks a promise"));
        };
        let mut raised = node.clone();
        raised[axis] += 1;
        rolled = lattice.roll_up(&rolled, &raised);
        path.push(raised);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::tests::{k_anonymous, table_2};

    // k = 2: (1,0,0), (1,1,0), (2,1,0), (2,2,0), stop.
    #[test]
    fn section_9_path() {
        let data = table_2();
        let problem = k_anonymous(&data, 2);
        let lattice = Lattice::new(&problem).unwrap();
        let path = climb(&lattice, &lattice.table()).unwrap();
        assert_eq!(path, [[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 0], [2, 2, 0]]);
    }
}

//! Samarati's binary search: a full-domain generalization of least height.
//!
//! # Guarantee
//! Every class keeps every promise, with outliers suppressed where the plan allows it, and no node of smaller
//! height is ok. Least height is not least loss: [`crate::optimal`] finds that. The more rows may be suppressed,
//! the further the two lie apart: with all of them, the values themselves are published and the rest is dropped.
//!
//! # Method
//! 1. Keep two heights: no node below `low` is ok, some node of height `high` is. Each attribute alone
//!    rules out its lowest levels.
//! 2. While they differ, test the nodes of the height in the middle: if one is ok, `high` comes down to it;
//!    if none is, `low` goes above it.
//! 3. Of all ok nodes of the height where they meet, take the one of least loss in the metric asked for; the
//!    first in lexicographic order among equals.
//!
//! # Notation
//! | paper | here |
//! |---|---|
//! | DGH, VGH | the taxonomy, its levels |
//! | MaxSup | `settings.suppression` |
//! | height(DV) | the sum of the levels |
//!
//! # Cost
//! O(log height) layers of the lattice, each of their nodes grouped once: O(n) per node. Layers run on all cores.
//!
//! # Deviations
//! - The paper returns any ok node of the height; step 3 is the policy of least loss.
//! - Nodes are tested by grouping, not by the matrix of distance vectors, which is quadratic in rows.
//! - Where being ok is not monotone (sensitive promises with suppression), heights are tried from 0 up.
//!
//! # References
//! Samarati, TKDE 13(6), 2001, §5. specs/03 §2.

use kohort_core::{Ctx, Spec};
use rayon::prelude::*;

use crate::lattice::{Desk, Lattice, Node, Table, height};
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

const SPEC: Spec = Spec {
    id: "samarati",
    title: "Samarati's full-domain generalization",
    paper: "Samarati 2001",
    promise: "no combination of levels of smaller height keeps the promises",
    parameters: &[],
};

/// Lattices of more nodes have layers too large to visit.
const MOST_NODES: u64 = 50_000_000;

/// Samarati's binary search.
pub(crate) struct Samarati;

impl Algorithm for Samarati {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::FULL_DOMAIN
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let lattice = Lattice::new(problem)?;
        let table = lattice.table();
        Ok(lattice.release(&table, &search(ctx, &lattice, &table)?))
    }
}

/// The node of least height, and of least loss among those.
fn search(ctx: &Ctx<'_>, lattice: &Lattice<'_, '_>, table: &Table) -> Result<Node, Failure> {
    lattice.n_nodes(MOST_NODES)?;
    let lowest = lattice.lowest();
    let table = lattice.roll_up(table, &lowest);
    let (mut low, mut high) = (height(&lowest), height(&lattice.top()));
    while low < high {
        ctx.progress("heights left", 0, u64::from(high - low));
        let tried = if lattice.is_monotone() { u32::midpoint(low, high) } else { low };
        if is_some_ok(lattice, &table, &lattice.nodes_at(&lowest, tried)) {
            high = tried;
        } else {
            low = tried + 1;
        }
    }
    let no = || Failure::infeasible("no combination of levels keeps every promise");
    least_loss(lattice, &table, &lattice.nodes_at(&lowest, high)).ok_or_else(no)
}

fn is_some_ok(lattice: &Lattice<'_, '_>, table: &Table, nodes: &[Node]) -> bool {
    let is_ok = |desk: &mut Desk, node: &Node| lattice.evaluate(table, node, desk).is_ok;
    nodes.par_iter().map_init(Desk::default, is_ok).any(|is_ok| is_ok)
}

/// The ok node with the least loss.
fn least_loss(lattice: &Lattice<'_, '_>, table: &Table, nodes: &[Node]) -> Option<Node> {
    let of_node = |desk: &mut Desk, node: &Node| {
        let seen = lattice.evaluate(table, node, desk);
        seen.is_ok.then(|| (seen.loss, node.clone()))
    };
    let best = nodes.par_iter().map_init(Desk::default, of_node).flatten().min();
    best.map(|(_, node)| node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::tests::{k_anonymous, table_2};

    // specs/03 §9: k = 2 → (1,1,1) at height 3; k = 3 → (2,2,1) at height 5.
    #[test]
    fn section_9_least_heights() {
        let data = table_2();
        for (k, expected) in [(2, [1, 1, 1]), (3, [2, 2, 1]), (4, [2, 2, 1])] {
            let problem = k_anonymous(&data, k);
            let lattice = Lattice::new(&problem).unwrap();
            let found = search(&Ctx::quiet(), &lattice, &lattice.table()).unwrap();
            assert_eq!(found, expected, "k = {k}");
        }
    }
}

//! Maximal multi-dimension-capacity first: groups of rows that share no sensitive value, anatomized.
//!
//! # Guarantee
//! Every group keeps every promise as a class. As long as no other promise asks for more, and no row is
//! left over, the l rows of a group agree on no sensitive attribute: l-mdiversity by construction. That
//! somebody is in the table is not hidden: quasi-identifiers are published as they are.
//!
//! # Method
//! 1. Put the rows into a grid with a dimension for each sensitive attribute: rows of one cell have the
//!    same values. The capacity of a value is the number of rows left with it.
//! 2. Take a row from the cell of the largest capacity: the sum of those of its values, ties to the cell
//!    with more rows, then to larger capacities of the first attributes, then to the first values. Block
//!    all cells that share a value with it.
//! 3. Do so until l rows are taken: a group. Where every cell is blocked before that, put the rows back
//!    and stop.
//! 4. Each row that is left joins a group that stays l-diverse on every attribute. Suppress the others.
//! 5. If k is above l, ⌈k/l⌉ groups at a time are one. Join groups that break a promise with their
//!    neighbors, and rows that may not be suppressed.
//!
//! MBF takes from the cell with most rows, MSDCF from that with the largest capacity of one value.
//!
//! # Notation
//! d-dimensional bucket grid → `Grid`, its cells → the last of `levels`, capacity → `left_of_value`.
//!
//! # Cost
//! O(n·v·L) time for v values of an attribute and at most L looks at nodes of the grid for each row;
//! O(c·d) memory for c cells. L is 2²⁶ / n, and at least 128.
//!
//! # Deviations
//! Step 5; and after L looks the best cell that was found is taken, which with several attributes of many
//! values may not be the best of all. The paper suppresses whatever is left after step 4, in which a row
//! is tried in 1024 groups at most.
//!
//! # References
//! Yang, Wang, Wang, Yu, Journal of Computers (China) 31(4), 2008, as described in section 3.5 of Abdalaal 2012.
//! Abdalaal, Privacy Preserving Data Publishing with Multiple Sensitive Attributes, 2012.

mod grid;
#[cfg(test)]
mod tests;

use kohort_core::{Ctx, Spec};

use crate::repair::repair;
use crate::shared_l::l_of_all;
use crate::{Algorithm, Candidate, Facts, Failure, Problem};
use grid::Grid;

/// Maximal multi-dimension capacity first.
pub(crate) const SPEC: Spec = Spec {
    id: "mmdcf",
    title: "maximal multi-dimension capacity first",
    paper: "Yang et al. 2008",
    promise: "rows of a group share no sensitive value, which keeps l-mdiversity; membership in \
              the table is not hidden",
    parameters: &[],
};

/// Maximal bucket first.
pub(crate) const MBF: Spec = Spec { id: "mbf", title: "maximal bucket first", ..SPEC };

/// Maximal single-dimension capacity first.
pub(crate) const MSDCF: Spec =
    Spec { id: "msdcf", title: "maximal single-dimension capacity first", ..SPEC };

/// What makes a cell the next to take a row from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capacity {
    /// The sum of the capacities of its values.
    Sum,
    /// Its own rows.
    Cell,
    /// The largest capacity of its values.
    Largest,
}

/// So many looks are shared out among the rows, but each has a fair number.
const MOST_LOOKS: usize = 1 << 26;
const FAIR_LOOKS: usize = 1 << 7;

/// How many groups a row that is left is tried in.
const TRIES: usize = 1024;

/// Grouping by capacity.
pub(crate) struct Mmdcf(pub(crate) Capacity);

impl Algorithm for Mmdcf {
    fn spec(&self) -> &'static Spec {
        match self.0 {
            Capacity::Sum => &SPEC,
            Capacity::Cell => &MBF,
            Capacity::Largest => &MSDCF,
        }
    }

    fn facts(&self) -> Facts {
        Facts { is_anatomized: true, ..Facts::PLAIN }
    }

    fn anonymize(&self, _: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let l = l_of_all(problem, self.spec().id)?;
        // Rows are in the order of the points, so that the order of the table does not matter.
        let grid = Grid::new(problem, problem.points().all_rows(), self.0);
        let looks = (MOST_LOOKS / problem.n_rows().max(1)).max(FAIR_LOOKS);
        let (mut groups, left) = grid.groups(l, looks);
        let mut left = place(problem, &mut groups, left, l);
        let n_suppressed = usize::try_from(problem.settings().suppression).unwrap_or(usize::MAX);
        left.truncate(left.len().saturating_sub(n_suppressed));
        let at_a_time = problem.smallest().div_ceil(l);
        let mut groups: Vec<Vec<u32>> = groups.chunks(at_a_time).map(<[_]>::concat).collect();
        groups.extend(left.into_iter().map(|row| vec![row]));
        let groups = repair(problem, groups)?;
        Ok(Candidate::of_groups(problem, &groups).anatomized())
    }
}

/// Step 4: the rows that no group can take.
fn place(problem: &Problem<'_>, groups: &mut [Vec<u32>], left: Vec<u32>, l: usize) -> Vec<u32> {
    let fits = |group: &[u32], row: u32| {
        problem.sensitive().iter().all(|attribute| {
            let code = |row: u32| attribute.codes().get(row as usize);
            let count = group.iter().filter(|&&other| code(other) == code(row)).count();
            (count + 1) * l <= group.len() + 1
        })
    };
    let n_groups = groups.len();
    let mut unplaced = Vec::new();
    for (turn, row) in left.into_iter().enumerate() {
        let mut tried = (0..n_groups.min(TRIES)).map(|at| (turn * TRIES + at) % n_groups);
        match tried.find(|&group| fits(&groups[group], row)) {
            Some(group) => groups[group].push(row),
            None => unplaced.push(row),
        }
    }
    unplaced
}

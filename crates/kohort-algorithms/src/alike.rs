//! Joins groups that show the same cells, where that may break a promise.
//!
//! # Guarantee
//! What a reader sees as one class keeps every promise. Who reads a release cannot tell two groups with
//! the same cells apart: they are one class. Where the promises are monotone it holds as each group does;
//! where they are not, two groups that hold may be a class that does not.
//!
//! # Method
//! 1. Join the groups that show the same cells. If every class holds, the release stays as it is.
//! 2. Else join failing classes with their neighbors (`repair.rs`), and look again: there are fewer groups
//!    each time.

use std::collections::BTreeMap;

use kohort_core::Cell;

use crate::candidate::Form;
use crate::check::Check;
use crate::repair::repair;
use crate::{Candidate, Failure, Problem, SUPPRESSED};

/// The release, or one of joined groups where groups that look alike would break a promise together.
pub(crate) fn join_alike(
    problem: &Problem<'_>,
    mut candidate: Candidate,
) -> Result<Candidate, Failure> {
    if problem.promises().is_monotone() || candidate.form != Form::Generalized {
        return Ok(candidate);
    }
    loop {
        let classes = classes(problem, &candidate);
        let mut check = Check::new(problem);
        if classes.iter().all(|rows| check.holds(rows)) {
            return Ok(candidate);
        }
        let joined = Candidate::of_groups(problem, &repair(problem, classes)?);
        let Candidate { lower_bound, notes, .. } = candidate;
        candidate = Candidate { lower_bound, notes, ..joined };
    }
}

/// The rows of each class as a reader sees them, in the order of their cells.
fn classes(problem: &Problem<'_>, candidate: &Candidate) -> Vec<Vec<u32>> {
    let width = problem.quasi().len().max(1);
    let mut rows_of_cells: BTreeMap<&[Cell], Vec<u32>> = BTreeMap::new();
    for (row, &group) in (0..).zip(&candidate.group_of_row) {
        if group != SUPPRESSED {
            let cells = &candidate.cells[group as usize * width..][..width];
            rows_of_cells.entry(cells).or_default().push(row);
        }
    }
    rows_of_cells.into_values().collect()
}

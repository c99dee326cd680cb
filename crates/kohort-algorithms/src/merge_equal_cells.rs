//! Joins groups that show the same cells, where that may break a promise, and looks at suppressed rows.
//!
//! # Guarantee
//! What a reader sees as one class keeps every promise. Who reads a release cannot tell two groups with
//! the same cells apart: they are one class. Where the promises are monotone it holds as each group does;
//! where they are not, two groups that hold may be a class that does not. Suppressed rows that stay show
//! `*` everywhere: they are a class as well. Suppressed rows that are dropped are in no table that a class
//! is compared with.
//!
//! # Method
//! 1. Join the groups that show the same cells. If every class holds, the release stays as it is.
//! 2. Else join failing classes with their neighbors (`repair.rs`), and look again: there are fewer groups
//!    each time. Suppressed rows that stay and do not hold are joined like others, and suppressed no more.

use kohort_core::{Cell, CellColumn};

use crate::candidate::Form;
use crate::check::Check;
use crate::problem::Part;
use crate::repair::repair;
use crate::{Candidate, Failure, Problem, SUPPRESSED};

/// The release, or one of joined groups where what a reader sees would break a promise.
pub(crate) fn join_alike(
    problem: &Problem<'_>,
    candidate: Candidate,
) -> Result<Candidate, Failure> {
    let promises = problem.promises();
    if candidate.form != Form::Generalized {
        return Ok(candidate);
    }
    let has_suppressed = candidate.group_of_row.contains(&SUPPRESSED);
    let keeps_suppressed = problem.settings().keeps_suppressed;
    if has_suppressed && !keeps_suppressed && promises.compares() {
        return join_among_kept(problem, candidate);
    }
    if promises.is_monotone() && !has_suppressed {
        return Ok(candidate);
    }
    join(problem, candidate, promises.is_monotone())
}

/// The same where classes are compared with the rows that are left.
fn join_among_kept(problem: &Problem<'_>, mut candidate: Candidate) -> Result<Candidate, Failure> {
    let is_kept = |row: &u32| candidate.group_of_row[*row as usize] != SUPPRESSED;
    let kept: Vec<u32> = (0..).take(problem.n_rows()).filter(is_kept).collect();
    let part = Part::new(problem, &kept);
    let rest = problem.among(&part, 0);
    candidate.group_of_row.retain(|&group| group != SUPPRESSED);
    let joined = join(&rest, candidate, false)?;
    Ok(joined.among(&kept, problem.n_rows()))
}

/// Joins the classes that fail. Where each group is known to hold, suppressed rows alone are looked at.
fn join(
    problem: &Problem<'_>,
    mut candidate: Candidate,
    is_known: bool,
) -> Result<Candidate, Failure> {
    loop {
        let classes = classes(problem, &candidate);
        let mut check = Check::new(problem);
        let is_suppressed = |row: &u32| candidate.group_of_row[*row as usize] == SUPPRESSED;
        let mut holds =
            |rows: &Vec<u32>| (is_known && !rows.iter().any(is_suppressed)) || check.holds(rows);
        if classes.iter().all(&mut holds) {
            return Ok(candidate);
        }
        let joined = Candidate::of_groups(problem, &repair(problem, classes)?);
        let Candidate { lower_bound, notes, .. } = candidate;
        candidate = Candidate { lower_bound, notes, ..joined };
    }
}

/// The rows of each class as a reader sees them, in the order of their cells.
pub(crate) fn classes(problem: &Problem<'_>, candidate: &Candidate) -> Vec<Vec<u32>> {
    let cells = &candidate.cells;
    // Suppressed rows that stay are a last group, which shows nothing.
    let star = cells.n_classes();
    let shown = |group: usize| {
        let cell =
            move |column: &CellColumn| if group == star { Cell::ANY } else { column.get(group) };
        cells.columns().iter().map(cell)
    };
    let mut order: Vec<usize> = (0..=star).collect();
    order.sort_by(|&a, &b| shown(a).cmp(shown(b)));
    let mut class_of_group = vec![0; star + 1];
    for [before, group] in order.array_windows() {
        let is_other = shown(*before).ne(shown(*group));
        class_of_group[*group] = class_of_group[*before] + usize::from(is_other);
    }
    let mut classes = vec![Vec::new(); star + 1];
    for (row, &group) in (0..).zip(&candidate.group_of_row) {
        if group != SUPPRESSED || problem.settings().keeps_suppressed {
            classes[class_of_group[(group as usize).min(star)]].push(row);
        }
    }
    classes.retain(|rows| !rows.is_empty());
    classes
}

//! Who may be left out of a release: people whose values, taken as a class, keep every promise about values.
//!
//! # Guarantee
//! The rows that a release drops keep, as one class, every promise about sensitive values; and so do those of
//! them that no published box covers. Otherwise who knows the method and sees that somebody is missing
//! learns that person's value: rows of too frequent values would be the ones that are dropped. Promises about
//! the size of a class alone do not bind them.
//!
//! # Method
//! 1. Where the dropped rows break a promise, those of the values of which there are too many are put back,
//!    one by one, until the others keep it; if no model names such a value, all of them are. A row that is
//!    put back is a class of its own, and `repair` joins it with its cheapest neighbors.
//! 2. A method that recodes the whole domain cannot take a row back: its search asks about the rows that each
//!    node drops (`lattice/left_out.rs`).
//! 3. Where neither helps there is no such release, and the caller makes one that drops nothing.
//!
//! If every class and the dropped rows keep a monotone promise, so does the whole table: where it does not,
//! no choice of rows helps, and none is looked for.

#[cfg(test)]
mod tests;

use kohort_core::{Attribute, Cells};
use kohort_models::{Promises, tally};
use rayon::prelude::*;

use crate::candidate::Form;
use crate::check::Check;
use crate::merge_equal_cells::{classes, join_alike};
use crate::problem::Part;
use crate::repair::repair;
use crate::{Candidate, Problem, SUPPRESSED};

/// How often rows are put back before all are.
const ROUNDS: usize = 20;

/// The release with other rows dropped, so that what is dropped says nothing; none where none was found.
/// What keeps the guarantee stays as it is.
pub(crate) fn settled(
    problem: &Problem<'_>,
    candidate: Candidate,
    is_full_domain: bool,
) -> Option<Candidate> {
    let judge = Judge::new(problem);
    let dropped = dropped(&candidate);
    if judge.holds(&dropped) && judge.holds(&judge.seen(&candidate, &dropped)) {
        return Some(candidate);
    }
    // A cell for each row, and people of a public table, are not looked at here.
    if is_full_domain || !candidate.sensitive.is_empty() || problem.membership().is_some() {
        return None;
    }
    let settled = judge.put_back(candidate, dropped)?;
    judge.is_kept(&settled).then_some(settled)
}

fn dropped(candidate: &Candidate) -> Vec<u32> {
    let rows = (0..).zip(&candidate.group_of_row);
    rows.filter(|&(_, &group)| group == SUPPRESSED).map(|(row, _)| row).collect()
}

/// Asks about rows that are left out.
struct Judge<'a, 'p> {
    problem: &'p Problem<'a>,
    // The promises about values alone.
    promises: Promises<'p>,
}

impl<'a, 'p> Judge<'a, 'p> {
    fn new(problem: &'p Problem<'a>) -> Self {
        let promises = problem.promises().only(problem.sensitive(), |model| model.needs_values());
        Self { problem, promises }
    }

    fn cells(&self, rows: &[u32]) -> Vec<Vec<(u32, u64)>> {
        let of = |attribute: &&Attribute| {
            let mut cells = Vec::new();
            let codes = rows.iter().map(|&row| (attribute.codes().get(row as usize), 1));
            tally(codes, attribute.n_codes() as usize, &mut cells);
            cells
        };
        self.problem.sensitive().iter().map(of).collect()
    }

    /// Whether these rows keep every promise about values as a class; nobody breaks none.
    fn holds(&self, rows: &[u32]) -> bool {
        rows.is_empty()
            || self.promises.models().is_empty()
            || self.promises.holds(rows.len() as u64, &self.cells(rows))
    }

    /// Which of the dropped rows no published box covers.
    fn seen(&self, candidate: &Candidate, dropped: &[u32]) -> Vec<u32> {
        let quasi = self.problem.quasi();
        match candidate.form {
            // A mean or a made-up value covers nobody in particular.
            Form::Microaggregated(_) | Form::Perturbed => Vec::new(),
            Form::Anatomized => {
                let point_of_row = self.problem.points().point_of_row();
                let mut is_there = vec![false; self.problem.points().len()];
                for (&point, &group) in point_of_row.iter().zip(&candidate.group_of_row) {
                    is_there[point as usize] |= group != SUPPRESSED;
                }
                let is_seen = |row: &&u32| !is_there[point_of_row[**row as usize] as usize];
                dropped.iter().filter(is_seen).copied().collect()
            }
            Form::Generalized => {
                let boxes: Vec<Vec<(u32, u32)>> = (candidate.cells.classes())
                    .map(|cells| quasi.iter().zip(cells).map(|(a, c)| a.codes_of(c)).collect())
                    .collect();
                let covers = |intervals: &Vec<(u32, u32)>, row: usize| {
                    quasi.iter().zip(intervals).all(|(attribute, &(lo, hi))| {
                        (lo..=hi).contains(&attribute.codes().get(row))
                    })
                };
                let is_seen = |row: &&u32| !boxes.iter().any(|b| covers(b, **row as usize));
                dropped.par_iter().filter(is_seen).copied().collect()
            }
        }
    }

    /// Step 1: the rows to put back so that the others keep every promise.
    fn too_many(&self, rows: &[u32]) -> Vec<u32> {
        let points = self.problem.points();
        let point_of_row = points.point_of_row();
        let mut left = rows.to_vec();
        // By content, so that the order of the table does not matter; the last goes first.
        left.sort_by_key(|&row| point_of_row[row as usize]);
        let (mut back, mut cells) = (Vec::new(), self.cells(&left));
        while !left.is_empty() && !self.promises.holds(left.len() as u64, &cells) {
            let wanted = self.promises.overfull(left.len() as u64, &cells);
            let Some(at) = left.iter().rposition(|&row| self.has_one(&wanted, row)) else {
                back.append(&mut left);
                break;
            };
            let row = left.remove(at);
            for (attribute, cells) in self.problem.sensitive().iter().zip(&mut cells) {
                let code = attribute.codes().get(row as usize);
                cells.iter_mut().filter(|cell| cell.0 == code).for_each(|cell| cell.1 -= 1);
                cells.retain(|cell| cell.1 > 0);
            }
            back.push(row);
        }
        back
    }

    /// Whether a row has one of these values.
    fn has_one(&self, wanted: &[(usize, u32)], row: u32) -> bool {
        let sensitive = self.problem.sensitive();
        let has = |&(attribute, code): &(usize, u32)| {
            sensitive[attribute].codes().get(row as usize) == code
        };
        wanted.iter().any(has)
    }

    fn put_back(&self, mut candidate: Candidate, mut dropped: Vec<u32>) -> Option<Candidate> {
        let Candidate { form, lower_bound, .. } = candidate;
        let notes = std::mem::take(&mut candidate.notes);
        for round in 0.. {
            let mut back = self.too_many(&dropped);
            if back.is_empty() {
                back = self.too_many(&self.seen(&candidate, &dropped));
            }
            if back.is_empty() {
                break;
            }
            if round == ROUNDS {
                back.clone_from(&dropped);
            }
            back.sort_unstable();
            dropped.retain(|row| back.binary_search(row).is_err());
            let mut groups = groups(&candidate);
            groups.extend(back.into_iter().map(|row| vec![row]));
            let made = Candidate::of_groups(self.problem, &repair(self.problem, groups).ok()?);
            candidate = if form == Form::Anatomized {
                Candidate { cells: Cells::default(), ..made.with_form(form) }
            } else {
                made.with_form(form)
            };
        }
        let candidate = join_alike(self.problem, candidate).ok()?;
        Some(Candidate { lower_bound, notes, ..candidate })
    }

    /// Whether every class and the rows that are left out keep every promise, now that others are.
    fn is_kept(&self, candidate: &Candidate) -> bool {
        let dropped = dropped(candidate);
        if !self.holds(&dropped) || !self.holds(&self.seen(candidate, &dropped)) {
            return false;
        }
        let limit = self.problem.settings().suppression;
        let is_kept = |row: &u32| candidate.group_of_row[*row as usize] != SUPPRESSED;
        let kept: Vec<u32> = (0..).take(self.problem.n_rows()).filter(is_kept).collect();
        let mut candidate = candidate.clone();
        candidate.group_of_row.retain(|&group| group != SUPPRESSED);
        let part = Part::new(self.problem, &kept);
        let rest = self.problem.among(&part, 0);
        let classes = match candidate.form {
            Form::Generalized => classes(&rest, &candidate),
            _ => groups(&candidate),
        };
        let mut check = Check::new(&rest);
        dropped.len() as u64 <= limit && classes.iter().all(|rows| check.holds(rows))
    }
}

/// The rows of each group.
fn groups(candidate: &Candidate) -> Vec<Vec<u32>> {
    let n = candidate.group_of_row.iter().filter(|group| **group != SUPPRESSED).max();
    let mut groups = vec![Vec::new(); n.map_or(0, |&last| last as usize + 1)];
    for (row, &group) in (0..).zip(&candidate.group_of_row) {
        if group != SUPPRESSED {
            groups[group as usize].push(row);
        }
    }
    groups
}

//! Drops the rows that stand between a table and its goal, before an algorithm sees the others.
//!
//! # Guarantee
//! No more rows are dropped than may be, and none where the rows as one class keep every promise. For a
//! bound on the shares of the values of one attribute no smaller number of rows would do. Which rows
//! are dropped does not depend on the order of the rows nor on the number of threads.
//!
//! # Method
//! Where every class keeps a monotone promise, so do all published rows as one class. So:
//! 1. Ask each model about the rows that are left, as one class. One that fails names the value of which
//!    there are too many (`ClassModel::overfull`).
//! 2. Drop a row that has as many of the named values as possible; of several the one whose nearest rows
//!    are furthest, since it would cost most in any class. Repeat.
//! 3. With several sensitive attributes other choices are tried, which spare rare values instead
//!    (`Promises::to_drop` is the one by which a goal is told to be within reach). The choice that drops the
//!    fewest rows is taken.
//!
//! Where suppressed rows stay as `*` they are a class with the others, and dropping rows helps nobody: then none
//! is dropped here.
//!
//! # Cost
//! O(values) per dropped row, and one search for the nearest rows of each.
//!
//! # Deviations
//! none
//!
//! # References
//! The leveling of frequent values is the eligibility condition of Xiao and Tao (VLDB 2006) the other
//! way round.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use kohort_models::RowKind;

use crate::Problem;
use crate::check::Check;
use crate::tree::Tree;

/// What is left of a table.
pub(crate) struct Trimmed {
    /// The rows, in their order.
    pub(crate) kept: Vec<u32>,
    /// No release of the whole table has a smaller loss per row than this.
    pub(crate) lower_bound: f64,
}

/// The rows to keep; none when all can be kept, or when too many would have to go.
pub(crate) fn trim(problem: &Problem<'_>) -> Option<Trimmed> {
    let promises = problem.promises();
    let limit = usize::try_from(problem.settings().suppression).unwrap_or(usize::MAX);
    let keeps_suppressed = problem.settings().keeps_suppressed;
    if limit == 0 || keeps_suppressed || problem.n_rows() == 0 || !promises.needs_values() {
        return None;
    }
    let all: Vec<u32> = (0..).take(problem.n_rows()).collect();
    if Check::new(problem).holds(&all) {
        return None;
    }
    let reaches = reaches(problem);
    let by_reach = Run::new(problem, &reaches).dropped(Choice::Furthest, limit);
    let has_several = problem.sensitive().len() > 1;
    let run = || has_several.then(|| Run::new(problem, &reaches));
    let by_count = run().and_then(|run| run.dropped(Choice::MostFrequent, limit));
    let is_short = by_reach.is_none() && by_count.is_none();
    let by_kind = run().filter(|_| is_short).and_then(|run| run.dropped_by_kind(limit));
    let fewer = |a: &Vec<u32>, b: &Vec<u32>| a.len().cmp(&b.len());
    let dropped = by_reach.into_iter().chain(by_count).chain(by_kind).min_by(fewer)?;
    if dropped.is_empty() {
        return None;
    }
    let mut is_dropped = vec![false; problem.n_rows()];
    for row in &dropped {
        is_dropped[*row as usize] = true;
    }
    let kept: Vec<u32> = all.into_iter().filter(|&row| !is_dropped[row as usize]).collect();
    let points = problem.points();
    let of_point = |(point, reach): (usize, &f64)| reach * f64::from(points.weight(point));
    let sum: f64 = reaches.iter().enumerate().map(of_point).sum();
    Some(Trimmed { kept, lower_bound: sum / problem.n_rows() as f64 })
}

/// For each distinct row at most what any class costs it, dropping it included.
fn reaches(problem: &Problem<'_>) -> Vec<f64> {
    let points = problem.points();
    let smallest = u32::try_from(problem.promises().smallest()).unwrap_or(u32::MAX);
    Tree::new(problem.space(), points).reaches(smallest, &vec![1.0; points.len()])
}

/// Which of the rows that bring the rest equally near to the goal is dropped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// The one whose nearest rows are furthest.
    Furthest,
    /// The one whose values are the most frequent.
    MostFrequent,
}

/// Rows with the same sensitive values.
struct Kind {
    values: Vec<u32>,
    // Each with its reach and its place among the sorted rows; the next to drop is the last.
    rows: Vec<(f64, usize)>,
}

/// The rows left while some are dropped.
struct Run<'a, 'p> {
    problem: &'p Problem<'a>,
    kinds: Vec<Kind>,
    n_left: u64,
    // For each sensitive attribute, how many rows are left with each value.
    counts: Vec<Vec<u64>>,
}

impl<'a, 'p> Run<'a, 'p> {
    fn new(problem: &'p Problem<'a>, reaches: &[f64]) -> Self {
        let points = problem.points();
        let codes = |row: u32| problem.sensitive().iter().map(move |a| a.codes().get(row as usize));
        let mut kinds: BTreeMap<Vec<u32>, Vec<(f64, usize)>> = BTreeMap::new();
        let mut place = 0;
        for (point, &reach) in reaches.iter().enumerate() {
            for &row in points.rows(point) {
                kinds.entry(codes(row).collect()).or_default().push((reach, place));
                place += 1;
            }
        }
        let kinds = kinds.into_iter().map(|(values, mut rows)| {
            rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            Kind { values, rows }
        });
        let counts = problem.sensitive().iter();
        let counts = counts.map(|a| a.counts().iter().map(|&count| u64::from(count)).collect());
        let n_left = problem.n_rows() as u64;
        Self { problem, kinds: kinds.collect(), n_left, counts: counts.collect() }
    }

    /// The rows to drop; none when `limit` are too few, or when what is left would break a promise that
    /// no dropping mends.
    fn dropped(mut self, choice: Choice, limit: usize) -> Option<Vec<u32>> {
        let mut dropped = Vec::new();
        loop {
            let wanted = self.overfull()?;
            if wanted.is_empty() {
                return Some(dropped);
            }
            if dropped.len() == limit {
                return None;
            }
            let kind = self.next(&wanted, choice)?;
            let (_, place) = self.kinds[kind].rows.pop()?;
            for (counts, &code) in self.counts.iter_mut().zip(&self.kinds[kind].values) {
                counts[code as usize] -= 1;
            }
            self.n_left -= 1;
            dropped.push(self.problem.points().all_rows()[place]);
        }
    }

    /// The same as a goal is told to be within reach.
    fn dropped_by_kind(self, limit: usize) -> Option<Vec<u32>> {
        let row_kind =
            |kind: &Kind| RowKind { values: kind.values.clone(), n_rows: kind.rows.len() as u64 };
        let kinds: Vec<RowKind> = self.kinds.iter().map(row_kind).collect();
        let mut work = u64::MAX;
        let dropped = self.problem.promises().to_drop(&kinds, limit as u64, &mut work)?;
        let all_rows = self.problem.points().all_rows();
        let of_kind = self.kinds.iter().zip(dropped).flat_map(|(kind, n)| {
            kind.rows.iter().rev().take(usize::try_from(n).unwrap_or(usize::MAX))
        });
        Some(of_kind.map(|&(_, place)| all_rows[place]).collect())
    }

    /// Step 1: the values of which there are too many; none when a promise is out of reach. Promises that
    /// compare with the whole table hold for what is left of it, whatever that is.
    fn overfull(&self) -> Option<Vec<(usize, u32)>> {
        let promises = self.problem.promises();
        if self.n_left < promises.smallest() {
            return None;
        }
        let cells: Vec<Vec<(u32, u64)>> = (self.counts.iter())
            .map(|counts| (0..).zip(counts.iter().copied()).filter(|cell| cell.1 > 0).collect())
            .collect();
        Some(promises.overfull(self.n_left, &cells))
    }

    /// Step 2: the kind of the row to drop.
    fn next(&self, wanted: &[(usize, u32)], choice: Choice) -> Option<usize> {
        let key = |kind: &Kind| {
            let (reach, place) = *kind.rows.last()?;
            let has = |&&(attribute, code): &&(usize, u32)| kind.values[attribute] == code;
            let n_wanted = wanted.iter().filter(has).count();
            let counts = self.counts.iter().zip(&kind.values);
            let frequency = match choice {
                Choice::Furthest => 0,
                Choice::MostFrequent => counts.map(|(c, &code)| c[code as usize]).sum::<u64>(),
            };
            (n_wanted > 0).then_some((n_wanted, frequency, reach, place))
        };
        let all = self.kinds.iter().enumerate();
        let keyed = all.filter_map(|(index, kind)| Some((key(kind)?, index)));
        let best = keyed.max_by(|(a, _), (b, _)| {
            let by_values = (a.0, a.1).cmp(&(b.0, b.1));
            by_values.then(a.2.total_cmp(&b.2)).then(b.3.cmp(&a.3))
        });
        best.map(|(_, index)| index)
    }
}

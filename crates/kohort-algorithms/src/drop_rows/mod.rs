//! Drops the rows that stand between a table and its goal, before an algorithm sees the others.
//!
//! # Guarantee
//! No more rows are dropped than may be, and none where the rows as one class keep every promise. For a
//! bound on the shares of the values of one attribute no smaller number of rows would do. Which rows
//! go hangs neither on the order of the rows nor on the number of threads.
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
//! 4. Where an algorithm finds nothing among the rows that it gets, and these as one class keep every promise,
//!    that class is the release, and a note says so.
//! 5. The algorithm works on the rows left, which are then the whole table: the judge knows no other. Where
//!    suppressed rows stay as `*` they are a class with the others, and dropping rows helps nobody: then none
//!    is dropped here. A method that recodes the whole domain drops rows in its own way, small classes and not
//!    frequent values: it gets the rows left where it finds nothing among all.
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

use kohort_core::Ctx;
use kohort_models::RowKind;

use crate::alike::{classes, join_alike};
use crate::candidate::Form;
use crate::check::Check;
use crate::left_out::settled;
use crate::problem::Part;
use crate::together::kept_together;
use crate::tree::Tree;
use crate::{
    Algorithm, Candidate, Facts, Failure, Problem, SUPPRESSED, can_be_transparent, transparent,
};

/// Makes a release that drops no more rows than may be, and only rows whose values keep the promises as a
/// class (`left_out`), unless the settings say that dropped rows may tell something.
///
/// Where these may, the rows without which the goal can be reached are dropped, where it cannot be reached
/// otherwise, and the algorithm makes a release of the others. Algorithms that drop rows in their own way
/// see all first.
pub fn anonymize(
    algorithm: &dyn Algorithm,
    ctx: &Ctx<'_>,
    problem: &Problem<'_>,
) -> Result<Candidate, Failure> {
    if problem.sizes().is_empty() && problem.population().is_none() {
        return each_class(algorithm, ctx, problem);
    }
    if problem.settings().transparent && problem.promises().needs_values() {
        // The size of classes would be chosen by releases that depend on sensitive values.
        return Err(Failure::infeasible(
            "the transparent mode keeps no promise about all classes together or about a population",
        ));
    }
    kept_together(algorithm, ctx, problem, each_class)
}

/// Makes a release whose every class keeps the promises.
fn each_class(
    algorithm: &dyn Algorithm,
    ctx: &Ctx<'_>,
    problem: &Problem<'_>,
) -> Result<Candidate, Failure> {
    let facts = algorithm.facts();
    let settings = problem.settings();
    if settings.transparent && problem.promises().needs_values() && can_be_transparent(algorithm) {
        return transparent::anonymize(algorithm, ctx, problem);
    }
    if facts.is_anatomized && settings.keeps_suppressed && settings.suppression > 0 {
        // Where quasi-identifiers are published as they are, a row that stays is not suppressed.
        let all: Vec<u32> = (0..).take(problem.n_rows()).collect();
        return each_class(algorithm, ctx, &problem.among(&Part::new(problem, &all), 0));
    }
    let mut candidate = by_dropping(algorithm, ctx, problem)?;
    let drops = candidate.group_of_row.contains(&SUPPRESSED) && !settings.keeps_suppressed;
    if !drops || !facts.is_safe || settings.dropped_may_tell {
        return Ok(candidate);
    }
    let lower_bound = candidate.lower_bound.take();
    let settled = settled(problem, candidate, facts.is_full_domain);
    let candidate = settled.map_or_else(
        || {
            let all: Vec<u32> = (0..).take(problem.n_rows()).collect();
            by_dropping(algorithm, ctx, &problem.among(&Part::new(problem, &all), 0))
        },
        Ok,
    )?;
    Ok(Candidate { lower_bound, ..candidate })
}

/// Makes a release, and drops rows whatever that tells.
fn by_dropping(
    algorithm: &dyn Algorithm,
    ctx: &Ctx<'_>,
    problem: &Problem<'_>,
) -> Result<Candidate, Failure> {
    let facts = algorithm.facts();
    let made = |problem: &Problem<'_>| {
        let made = algorithm.anonymize(ctx, problem);
        if facts.is_full_domain {
            return made;
        }
        let joined =
            |candidate| if facts.is_safe { join_alike(problem, candidate) } else { Ok(candidate) };
        let candidate = made.and_then(joined).or_else(|no| all_as_one(facts, problem, no))?;
        Ok(if problem.n_sets() > 0 { told_of_all(problem, candidate) } else { candidate })
    };
    let of_all = facts.is_full_domain.then(|| made(problem));
    let is_done = matches!(of_all, Some(Ok(_) | Err(Failure::Error(_))));
    // A monotone promise that the whole table breaks is broken by the rows that are dropped as well.
    let may_help = problem.settings().dropped_may_tell || !problem.promises().is_monotone();
    let trimmed = if facts.is_safe && !is_done && may_help { trim(problem) } else { None };
    let Some(Trimmed { kept, lower_bound }) = trimmed else {
        return of_all.unwrap_or_else(|| made(problem));
    };
    // Classes may keep a promise that is not monotone though the whole table does not.
    if of_all.is_none()
        && !problem.promises().is_monotone()
        && let Ok(candidate) = made(problem)
    {
        return Ok(candidate);
    }
    let part = Part::new(problem, &kept);
    let n_dropped = (problem.n_rows() - kept.len()) as u64;
    let rest = problem.among(&part, problem.settings().suppression - n_dropped);
    let mut candidate = made(&rest)?.among(&kept, problem.n_rows());
    candidate.lower_bound = candidate.lower_bound.map(|_| lower_bound);
    candidate.notes.push(match n_dropped {
        1 => "1 row was dropped so that the goal can be reached".into(),
        _ => format!("{n_dropped} rows were dropped so that the goal can be reached"),
    });
    Ok(candidate)
}

/// What a method says that found nothing of its own.
const ALL_AS_ONE: &str = "the method found no classes of its own that keep the goal: all rows are one class; \
                          another method (`auto`) may lose less";

/// The release of all rows as one class, where they keep every promise: then no method says no.
fn all_as_one(facts: Facts, problem: &Problem<'_>, no: Failure) -> Result<Candidate, Failure> {
    let all: Vec<u32> = (0..).take(problem.n_rows()).collect();
    let is_no = matches!(no, Failure::Infeasible { .. });
    if !is_no || all.is_empty() || !Check::new(problem).holds(&all) {
        return Err(no);
    }
    let mut candidate = Candidate::of_groups(problem, &[all]);
    if facts.is_anatomized {
        candidate = candidate.anatomized();
    } else if facts.is_averaged {
        candidate = candidate.with_form(Form::Microaggregated(problem.settings().center));
    }
    candidate.notes.push(ALL_AS_ONE.to_owned());
    Ok(candidate)
}

/// What is kept where LKC-privacy asks for less.
const FOR_ALL_COLUMNS: &str = "`lkc-privacy` is kept against an adversary who knows all \
                               quasi-identifiers, which is more than was asked: a release that \
                               keeps it for L of them may lose less";

/// The release with a note, if each of its classes keeps LKC-privacy for who knows all columns. A bound for
/// such classes is none for those of a few columns.
fn told_of_all(problem: &Problem<'_>, mut candidate: Candidate) -> Candidate {
    candidate.lower_bound = None;
    let mut check = Check::new(problem);
    if !candidate.cells.is_empty() && classes(problem, &candidate).iter().all(|c| check.holds(c)) {
        candidate.notes.push(FOR_ALL_COLUMNS.to_owned());
    }
    candidate
}

/// What is left of a table.
struct Trimmed {
    /// The rows, in their order.
    kept: Vec<u32>,
    /// No release of the whole table has a smaller loss per row than this.
    lower_bound: f64,
}

/// The rows to keep; none when all can be kept, or when too many would have to go.
fn trim(problem: &Problem<'_>) -> Option<Trimmed> {
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

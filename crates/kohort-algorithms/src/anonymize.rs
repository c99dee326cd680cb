//! From a problem to a candidate, by any algorithm: the entry point of this crate.
//!
//! # Method
//! 1. Promises about all classes together are kept by making the classes larger (`together`).
//! 2. In the transparent mode `transparent` makes the release.
//! 3. The algorithm makes a release. Classes that show equal cells are merged (`merge_equal_cells`).
//! 4. Where it finds nothing among the rows that it gets, and these as one class keep every promise, that
//!    class is the release, and a note says so.
//! 5. Where dropped rows may tell something, the rows that stand between the table and its goal are dropped
//!    first (`drop_rows`). The algorithm works on the rows left, which are then the whole table: the judge
//!    knows no other. A method that recodes the whole domain drops rows in its own way, small classes and not
//!    frequent values: it gets the rows left where it finds nothing among all.
//! 6. Else only rows are dropped whose values keep the promises as a class (`left_out`).

use kohort_core::Ctx;

use crate::candidate::Form;
use crate::check::Check;
use crate::drop_rows::{Trimmed, trim};
use crate::left_out::settled;
use crate::merge_equal_cells::{classes, join_alike};
use crate::problem::Part;
use crate::together::kept_together;
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

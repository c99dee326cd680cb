//! Recoding of the whole domain: the level of each column is chosen before anybody's value is looked at.
//!
//! The method is given the quasi-identifiers and the size m of a class, and no sensitive attribute. m is chosen
//! by whether classes of those sizes keep the promises with values drawn from the table's. The classes are then
//! looked at once: they all keep the promises, or there is no release. A coarser level in the place of one that
//! failed would tell that some class failed, and classes of unequal sizes cannot be exchanged for each other.

use std::collections::BTreeMap;

use kohort_core::Ctx;
use kohort_models::KAnonymity;

use super::UNKEPT;
use super::size::by_values;
use crate::check::Check;
use crate::merge_equal_cells::classes;
use crate::problem::Part;
use crate::{Algorithm, Candidate, Draw, Failure, Problem};

/// Tables of drawn values that must all keep the promises.
const TRIALS: usize = 16;

/// One row of so many has the value of the row before it.
const ALIKE: usize = 2;

/// Makes a release in which the levels depend on quasi-identifiers and on how often each value occurs.
pub(super) fn anonymize(
    algorithm: &dyn Algorithm,
    ctx: &Ctx<'_>,
    problem: &Problem<'_>,
) -> Result<Candidate, Failure> {
    let sorted = by_values(problem);
    let mut m = problem.smallest().max(2);
    let mut before = 0;
    // The whole table as one class is the last that is tried.
    while m < problem.n_rows() {
        let (_, classes) = made_blindly(algorithm, ctx, problem, m)?;
        if classes.len() != before && is_likely(problem, &classes, &sorted) {
            break;
        }
        before = classes.len();
        m += m.div_ceil(4);
    }
    in_classes_of(algorithm, ctx, problem, m.min(problem.n_rows()))
}

/// The release in classes of `m` rows or more; none where one of them breaks a promise.
pub(super) fn in_classes_of(
    algorithm: &dyn Algorithm,
    ctx: &Ctx<'_>,
    problem: &Problem<'_>,
    m: usize,
) -> Result<Candidate, Failure> {
    let (candidate, classes) = made_blindly(algorithm, ctx, problem, m)?;
    let mut check = Check::new(problem);
    if !classes.iter().all(|rows| check.holds(rows)) {
        return Err(Failure::infeasible(UNKEPT));
    }
    Ok(Candidate { lower_bound: None, ..candidate })
}

/// The classes of `m` rows or more that the method makes without sensitive attributes.
fn made_blindly(
    algorithm: &dyn Algorithm,
    ctx: &Ctx<'_>,
    problem: &Problem<'_>,
    m: usize,
) -> Result<(Candidate, Vec<Vec<u32>>), Failure> {
    let all: Vec<u32> = (0..).take(problem.n_rows()).collect();
    let part = Part::new(problem, &all);
    let blind = problem.blind(&part, KAnonymity::new(m as u64)?);
    let blind = blind.with_membership(problem.membership().copied());
    let candidate = algorithm.anonymize(ctx, &blind)?;
    let classes = classes(problem, &candidate);
    Ok((candidate, classes))
}

/// Whether classes of these sizes keep the promises with values drawn from the table's.
fn is_likely(problem: &Problem<'_>, classes: &[Vec<u32>], sorted: &[u32]) -> bool {
    let mut n_of_size: BTreeMap<usize, usize> = BTreeMap::new();
    for rows in classes {
        *n_of_size.entry(rows.len()).or_default() += 1;
    }
    // The seed is no secret, and the rows are in the order of their values.
    let mut draw = Draw::new(0);
    let mut check = Check::new(problem);
    let mut rows: Vec<u32> = Vec::new();
    // Small classes first: they are the first to fail.
    n_of_size.into_iter().all(|(size, n)| {
        (0..n * TRIALS).all(|_| {
            rows.clear();
            while rows.len() < size {
                let before = rows.last().copied().filter(|_| draw.below(ALIKE) == 0);
                rows.push(before.unwrap_or_else(|| sorted[draw.below(sorted.len())]));
            }
            check.holds(&rows)
        })
    })
}

//! Metrics that are no sum over cells: the best of what the search and other methods make.
//!
//! Discernibility and the average class size are about the sizes of classes, a divergence is about what they
//! cover together: none of them tells a search which rows are near each other.

use kohort_core::Ctx;

use super::small::METHODS;
use super::whole::{best, loss};
use crate::k_member::KMember;
use crate::mondrian::Mondrian;
use crate::{Algorithm, Candidate, Metric, Problem};

/// Up to this many rows all methods are quick.
const FEW: usize = 10_000;

/// Up to this many rows k-member is quick, whose classes are as small as may be.
const SOME: usize = 100_000;

/// The release of least loss in the metric asked for, where that is no sum over cells.
pub(super) fn of_least_size(ctx: &Ctx<'_>, problem: &Problem<'_>, found: Candidate) -> Candidate {
    if matches!(problem.settings().metric, Metric::Cells(_)) || problem.n_sets() > 0 {
        return found;
    }
    let some: [&dyn Algorithm; 2] = [&Mondrian { is_relaxed: true }, &KMember];
    let methods: &[&dyn Algorithm] = match problem.n_rows() {
        0..=FEW => &METHODS,
        n_rows if n_rows <= SOME => &some,
        _ => &some[..1],
    };
    let others = methods.iter().filter_map(|method| method.anonymize(ctx, problem).ok());
    let others: Vec<Candidate> = others.chain(best(ctx, problem)).collect();
    let all = std::iter::once(found).chain(others).map(|made| (loss(problem, &made), made));
    // Of equal ones the first: what the search found.
    let least = all.reduce(|best, next| if next.0 < best.0 { next } else { best });
    least.expect("there is what the search found").1
}

//! AvRE: how wrong counting queries come out when they are asked of a release.
//!
//! # Formula
//! A query counts the rows that satisfy predicates on λ quasi-identifiers and on one sensitive attribute,
//! or on none. `est` = Σ over groups of (rows of the group with an asked sensitive value) · Π overlap of
//! the group's cells with the predicates; a group published with its exact quasi-identifiers (Anatomy)
//! counts its matching rows times the group's share of asked sensitive values.
//! RE = |act − est| / max(act, s) with the sanity bound s = 0.1 % of the rows; the value is the mean over
//! a seeded workload, the parts are the median and the number of queries.
//!
//! # Range
//! 0 (every count comes out right) upward; lower is better.
//!
//! # Reads as
//! How far off a count of a few percent of the rows is, on average, as a share of the right count.
//!
//! # Undefined when
//! No row is published, or no query of the workload has a row that satisfies it.
//!
//! # References
//! Xiao and Tao, VLDB 2006; LeFevre et al., TODS 33(3), 2008; Abdalaal 2012, §6.

mod estimate;
mod workload;

pub use estimate::{Answer, Overlap, Reading, Suppressed, answers};
pub use workload::{Categories, Predicate, Query, Workload, workload};

use super::view::{NO_ROWS, real};
use super::{Measure, Options, View};
use crate::{Better, Score, Undefined};

pub(super) const MEASURE: Measure = Measure {
    id: "avre",
    title: "average relative error of counting queries",
    paper: "Xiao and Tao 2006",
    reads_as: "the relative error of counts of a few percent of the rows",
    better: Better::Lower,
    measure,
};

/// The sanity bound as a share of the rows.
const SANITY: f64 = 0.001;

fn measure(view: &View<'_>, options: &Options) -> Result<Score, Undefined> {
    if view.published().next().is_none() {
        return Err(NO_ROWS);
    }
    let queries = workload(view.dataset, &options.workload, options.seed);
    if queries.is_empty() {
        return Err(Undefined("found no query that some row satisfies"));
    }
    let answers = answers(view, &queries, options.reading);
    let mut errors: Vec<f64> = answers.iter().map(|answer| answer.relative_error).collect();
    errors.sort_by(f64::total_cmp);
    let value = errors.iter().sum::<f64>() / real(errors.len());
    let (below, above) = (errors[(errors.len() - 1) / 2], errors[errors.len() / 2]);
    let parts = vec![
        ("median".to_owned(), f64::midpoint(below, above)),
        ("queries".to_owned(), real(errors.len())),
    ];
    let n = real(view.dataset.n_rows());
    let least = if options.workload.keep_empty { n * SANITY } else { f64::max(1.0, n * SANITY) };
    Ok(Score { value, bounds: (0.0, n / least), parts })
}

//! Utility: what can still be learned from a release.
//!
//! A measure is a pure function of a release laid over its original, of options and of a seed. One that
//! means nothing for a release says why; none is ever NaN.

mod correlation;
mod distributions;
mod jensen_shannon;
pub mod learn;
mod privacy_percent;
mod propensity;
pub mod queries;
#[cfg(test)]
mod tests;
mod total_variation;
mod view;

pub use privacy_percent::PRIVACY_PERCENT_CAVEAT;
pub use view::View;

use learn::Learning;
use queries::{Reading, Workload};

use crate::{Better, Score, Undefined};

/// What measures need besides a release.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where random draws begin.
    pub seed: u64,
    /// The counting queries that are asked.
    pub workload: Workload,
    /// How their answers are read off a release.
    pub reading: Reading,
    /// What is to be predicted, and how well it is checked.
    pub learning: Learning,
    /// How many times a release is sampled.
    pub n_draws: usize,
    /// Whether suppressed rows are published, with every quasi-identifier at the root.
    pub keeps_suppressed: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            workload: Workload::default(),
            reading: Reading::default(),
            learning: Learning::default(),
            n_draws: 10,
            keeps_suppressed: false,
        }
    }
}

/// What a utility measure is, and how it is measured.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// The kebab-case name used in plans, flags and JSON; it never changes once released.
    pub id: &'static str,
    /// The name a person reads.
    pub title: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it tells a data owner, in one sentence.
    pub reads_as: &'static str,
    /// Which end is good.
    pub better: Better,
    /// Measures a release.
    pub measure: fn(&View<'_>, &Options) -> Result<Score, Undefined>,
}

/// The measures in the box, in the order they are listed.
pub const MEASURES: &[Measure] = &[
    queries::MEASURE,
    learn::MAJORITY,
    learn::STUMP,
    learn::CART,
    learn::NAIVE_BAYES,
    learn::LOGISTIC,
    learn::NORMALIZED,
    propensity::MEASURE,
    correlation::MEASURE,
    total_variation::MEASURE,
    jensen_shannon::MEASURE,
    privacy_percent::MEASURE,
];

/// Every measure of a release, by its id.
pub fn all(view: &View<'_>, options: &Options) -> Vec<(&'static str, Result<Score, Undefined>)> {
    MEASURES.iter().map(|measure| (measure.id, (measure.measure)(view, options))).collect()
}

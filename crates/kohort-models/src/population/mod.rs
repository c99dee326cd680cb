//! What a sample tells about the population it was drawn from: estimates, never proofs.
//!
//! # Notation
//! | symbol | here | meaning |
//! |---|---|---|
//! | n, N | `n_rows`, `n_people` | rows of the sample, people of the population |
//! | π | `fraction` | the sampling fraction n / N |
//! | u, K | `n_classes`, [`Fitted::classes`] | classes of the sample, of the population |
//! | f, F | size | the size of a class in the sample, in the population |
//! | sᵢ, Sᵢ | `of_size(i)` | the number of classes of size i in the sample, in the population |
//!
//! # Assumptions
//! The sample is a simple random one: every set of n people is as likely. The quasi-identifiers of the
//! population are recorded as in the sample. Where either fails, so do the estimates.
//!
//! # What follows without a model
//! F ≥ f for every class. So the journalist's risk, the largest 1/F of a class of the sample, is at most one
//! over the smallest f, and the marketer's, (1/n) Σ f/F over the classes of the sample, at most u/n. Both are
//! reached where nobody else of the population shares a class of the sample: with no more than a sample and
//! its fraction no smaller bound holds.
//!
//! Over all samples E(f) = n F / N, so the expected share of rows that are unique in the population is S₁/N,
//! and the expected marketer's risk is (1/n) Σ E(f)/F = K/N: who estimates K estimates the marketer's risk.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts are far below 2^53, and estimates are shown"
)]

mod dankar;
mod harmonic;
mod pitman;
mod shlosser;
mod slide_negative_binomial;
mod zayatz;

use kohort_core::Ratio;

pub use dankar::{Estimated, Estimates, estimates};

/// The classes of a sample, and the size of the population.
#[derive(Clone, Debug)]
pub struct Sample {
    // Sizes, ascending, with the number of classes of each.
    sizes: Vec<(u64, u64)>,
    n_rows: u64,
    n_classes: u64,
    n_people: u64,
}

impl Sample {
    /// A sample with so many classes of each size, of this fraction of a population; `None` without a row, or
    /// where the fraction is 0 or above 1.
    pub fn new(sizes: impl IntoIterator<Item = (u64, u64)>, fraction: Ratio) -> Option<Self> {
        let mut sizes: Vec<(u64, u64)> =
            sizes.into_iter().filter(|&(size, classes)| size > 0 && classes > 0).collect();
        sizes.sort_unstable();
        let n_rows = sizes.iter().map(|(size, classes)| size * classes).sum::<u64>();
        if n_rows == 0 || fraction.num() == 0 || fraction > Ratio::whole(1) {
            return None;
        }
        let (num, den) = (u128::from(fraction.num()), u128::from(fraction.den()));
        let n_people = (u128::from(n_rows) * den + num / 2) / num;
        Some(Self {
            n_rows,
            n_classes: sizes.iter().map(|(_, classes)| classes).sum(),
            n_people: u64::try_from(n_people).ok()?,
            sizes,
        })
    }

    /// The people of the population: rows over fraction, rounded.
    pub fn n_people(&self) -> u64 {
        self.n_people
    }

    /// The rows that are alone in their class.
    pub fn n_unique(&self) -> u64 {
        self.of_size(1)
    }

    /// Whether it is the whole population.
    fn is_whole(&self) -> bool {
        self.n_people == self.n_rows
    }

    /// The number of classes of a size.
    fn of_size(&self, size: u64) -> u64 {
        self.sizes.iter().find(|&&(found, _)| found == size).map_or(0, |&(_, classes)| classes)
    }

    /// The sampling fraction, n / N.
    fn fraction(&self) -> f64 {
        self.n_rows as f64 / self.n_people as f64
    }

    /// A sum over the classes: of a function of their size.
    fn sum(&self, of: impl Fn(u64) -> f64) -> f64 {
        self.sizes.iter().map(|&(size, classes)| classes as f64 * of(size)).sum()
    }
}

/// What a model says of the population.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitted {
    /// The people who are alone in their class, S₁.
    pub uniques: f64,
    /// The number of classes, K, where the model tells it.
    pub classes: Option<f64>,
}

/// Why a model says nothing, as a clause without a closing stop.
pub type Unfitted = &'static str;

#[cfg(test)]
mod tests;

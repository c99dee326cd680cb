//! How well guesses about people did, one after the other.

use crate::attack::{Known, Rate, wilson};

/// Sums over targets.
#[derive(Clone, Default)]
pub(super) struct Tally {
    targets: u64,
    success: f64,
    baseline: f64,
    max_probability: f64,
    above: [u64; 3],
}

impl Tally {
    /// Adds a target: how likely the guess was said to be, how right it is, and how right a blind one.
    pub(super) fn add(&mut self, probability: f64, success: f64, baseline: f64) {
        // A sum of shares may be a little more than the whole.
        let probability = probability.min(1.0);
        self.targets += 1;
        self.success += success;
        self.baseline += baseline;
        self.max_probability = self.max_probability.max(probability);
        let reached = [probability > 0.5, probability > 0.8, probability >= 1.0 - 1e-9];
        for (count, reached) in self.above.iter_mut().zip(reached) {
            *count += u64::from(reached);
        }
    }

    /// The rate of all targets.
    pub(super) fn rate(self) -> Rate {
        let n = self.targets.max(1) as f64;
        let success = self.success / n;
        Rate {
            targets: self.targets,
            success,
            baseline: self.baseline / n,
            interval: wilson(success, self.targets),
            max_probability: self.max_probability,
            above: self.above,
            known: Known::Measured,
        }
    }
}

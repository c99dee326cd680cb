//! The slide negative binomial model of class sizes.
//!
//! # Definition
//! F − 1 is negative binomial: P(F = j) = Γ(α + j − 1) / (Γ(α) Γ(j)) · β^α (1 − β)^(j − 1), α > 0, 0 < β < 1.
//! The population has K classes and S₁ = K β^α uniques. Rows are drawn with probability π; with
//! d = (1 − π)(1 − β),
//! 1. E(s₁) = K π (β / (1 − d))^α (1 + α d / (1 − d)),
//! 2. E(s₂) = K α β^α π² (1 − β) (2 − (1 − α) d) / (2 (1 − d)^(α + 2)).
//!
//! Parameters are those for which both are what the sample has; K is the modified Shlosser estimate.
//!
//! # Method
//! The quotient of the equations has no K and no power of β: for each β it is a quadratic equation with one
//! positive root α. What is left is equation 1 in β alone. Its sign is looked at over the whole range of β, by
//! equal steps of the log odds, and where it changes the root is bisected. No change, or several: no estimate.
//!
//! # References
//! Chen and Keller-McNulty 1998, "Estimation of identification disclosure risk in microdata", Journal of
//! Official Statistics 14(1). In the form of Dankar et al. 2012, appendix A.

use super::harmonic::turn;
use super::shlosser::shlosser;
use super::{Fitted, Sample, Unfitted};

/// The population uniques by the slide negative binomial model.
pub(super) fn slide_negative_binomial(sample: &Sample) -> Result<Fitted, Unfitted> {
    let classes = shlosser(sample);
    if sample.n_unique() == 0 || sample.is_whole() {
        return Ok(Fitted { uniques: sample.n_unique() as f64, classes: Some(classes) });
    }
    if sample.of_size(2) == 0 {
        return Err("no class has two rows");
    }
    let equations = Equations::new(sample, classes);
    let (alpha, beta) = equations.solve()?;
    Ok(Fitted { uniques: classes * beta.powf(alpha), classes: Some(classes) })
}

/// The two equations for one sample.
pub(super) struct Equations {
    fraction: f64,
    // s₂ / s₁, and ln(s₁ / (K π)).
    twice: f64,
    once: f64,
}

impl Equations {
    pub(super) fn new(sample: &Sample, classes: f64) -> Self {
        let (s1, s2) = (sample.of_size(1) as f64, sample.of_size(2) as f64);
        let fraction = sample.fraction();
        Self { fraction, twice: s2 / s1, once: (s1 / (classes * fraction)).ln() }
    }

    /// α and β.
    fn solve(&self) -> Result<(f64, f64), Unfitted> {
        // In steps of a twentieth of the log odds.
        let at = |step: i32| f64::from(step) / 20.0;
        let is_above = |odds: f64| self.excess(odds) > 0.0;
        let turns: Vec<i32> =
            (-600..600).filter(|&step| is_above(at(step)) != is_above(at(step + 1))).collect();
        match turns[..] {
            [] => Err("the equations of the model have no solution"),
            [step] => {
                let sign = is_above(at(step));
                let odds = turn(at(step), at(step + 1), |odds| is_above(odds) == sign);
                Ok((self.alpha(odds), beta(odds).0))
            }
            _ => Err("the equations of the model have several solutions"),
        }
    }

    /// The positive root of equation 2 over equation 1: d α² + (2 − d − R d) α − R (1 − d) = 0, with
    /// R = 2 (s₂/s₁) (1 − d) / (π (1 − β)).
    pub(super) fn alpha(&self, odds: f64) -> f64 {
        let (_, rest) = beta(odds);
        let d = (1.0 - self.fraction) * rest;
        let r = 2.0 * self.twice * (1.0 - d) / (self.fraction * rest);
        let (b, c) = (2.0 - d - r * d, r * (1.0 - d));
        let root = (b * b + 4.0 * d * c).sqrt();
        if b > 0.0 { 2.0 * c / (b + root) } else { (root - b) / (2.0 * d) }
    }

    /// The logarithm of both sides of equation 1, the left less the right one.
    fn excess(&self, odds: f64) -> f64 {
        let (_, rest) = beta(odds);
        let (alpha, d) = (self.alpha(odds), (1.0 - self.fraction) * rest);
        let power = alpha * ((-rest).ln_1p() - (-d).ln_1p());
        power + (alpha * d / (1.0 - d)).ln_1p() - self.once
    }
}

/// β and 1 − β of the log odds, both exact where they are small.
fn beta(odds: f64) -> (f64, f64) {
    (1.0 / (1.0 + (-odds).exp()), 1.0 / (1.0 + odds.exp()))
}

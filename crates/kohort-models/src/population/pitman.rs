//! Pitman's sampling formula.
//!
//! # Definition
//! The sizes of the classes of a sample have the probability
//! n! ∏_{i<u} (θ + i α) / ∏_{i<n} (θ + i) · ∏ⱼ ((1 − α)(2 − α) … (j − 1 − α) / j!)^sⱼ / sⱼ!, with 0 ≤ α < 1
//! and θ > −α; at α = 0 it is Ewens's. It is the same for a sample and for the population it is drawn from, so
//! that parameters fitted to the sample are those of the population. Theirs are of greatest likelihood:
//! 1. Σ_{i=1}^{u−1} 1 / (θ + i α) = Σ_{i=1}^{n−1} 1 / (θ + i),
//! 2. Σ_{i=1}^{u−1} i / (θ + i α) = Σⱼ sⱼ Σ_{i=1}^{j−1} 1 / (i − α).
//!
//! Then S₁ = N Γ(θ + 1) Γ(θ + α + N − 1) / (Γ(θ + α) Γ(θ + N)), and
//! K = (Γ(θ + 1) Γ(θ + α + N) / (Γ(θ + α) Γ(θ + N)) − θ) / α.
//!
//! # Method
//! For each α equation 1 is bisected for θ; the left side less the right one is positive near −α and negative
//! far out wherever 1 < u < n. Along these θ equation 2 is bisected for α: near 1 the right side is larger. Where
//! it is larger at 0 too, the greatest likelihood is there, by Ewens's formula. So both always end.
//!
//! # Deviations
//! Hoshino gives S₁ as N^α Γ(θ + 1) / Γ(θ + α), which is its limit for large N.
//!
//! # References
//! Pitman 1995, "Exchangeable and partially exchangeable random partitions"; Hoshino 2001, "Applying Pitman's
//! sampling formula to microdata disclosure risk assessment", Journal of Official Statistics 17(4).

use super::harmonic::{harmonic, ln_gamma_ratio, turn};
use super::{Fitted, Sample, Unfitted};

/// The population uniques and classes by Pitman's formula.
pub(super) fn pitman(sample: &Sample) -> Result<Fitted, Unfitted> {
    if sample.n_classes == sample.n_rows {
        return Err("every row is alone in its class: no parameters are likelier than all others");
    }
    if sample.n_classes == 1 {
        return Err("all rows are one class: no parameters are likelier than all others");
    }
    let (alpha, theta) = Likelihood(sample).greatest();
    let all = sample.n_people as f64;
    let uniques = (all / (theta + all - 1.0)).ln()
        + ln_gamma_ratio(theta + all - 1.0, alpha)
        + ln_gamma_ratio(theta + alpha, 1.0 - alpha);
    let classes = if alpha > 0.0 {
        let grown = ln_gamma_ratio(theta + alpha, 1.0 - alpha) + ln_gamma_ratio(theta + all, alpha);
        (grown.exp() - theta) / alpha
    } else {
        theta * harmonic(theta, all)
    };
    Ok(Fitted { uniques: uniques.exp(), classes: Some(classes) })
}

/// An α below this is 0.
const LEAST: f64 = 1e-6;

/// The likelihood of parameters for a sample.
pub(super) struct Likelihood<'a>(pub(super) &'a Sample);

impl Likelihood<'_> {
    /// The α and θ of greatest likelihood.
    pub(super) fn greatest(&self) -> (f64, f64) {
        if self.by_alpha(LEAST) <= 0.0 {
            return (0.0, self.theta(0.0));
        }
        let alpha = turn(LEAST, 1.0, |alpha| self.by_alpha(alpha) > 0.0);
        (alpha, self.theta(alpha))
    }

    /// The θ that solves equation 1.
    fn theta(&self, alpha: f64) -> f64 {
        let ln = turn(-60.0, 80.0, |ln| {
            let theta = ln.exp() - alpha;
            self.reciprocals(alpha, theta) > harmonic(theta + 1.0, self.0.n_rows as f64 - 1.0)
        });
        ln.exp() - alpha
    }

    /// Equation 2 at the θ of equation 1: the left side less the right one.
    fn by_alpha(&self, alpha: f64) -> f64 {
        let theta = self.theta(alpha);
        let others = self.0.n_classes as f64 - 1.0;
        let left = (others - theta * self.reciprocals(alpha, theta)) / alpha;
        left - self.0.sum(|size| harmonic(1.0 - alpha, size as f64 - 1.0))
    }

    /// Σ_{i=1}^{u−1} 1 / (θ + i α).
    fn reciprocals(&self, alpha: f64, theta: f64) -> f64 {
        let others = self.0.n_classes as f64 - 1.0;
        if alpha > 0.0 { harmonic((theta + alpha) / alpha, others) / alpha } else { others / theta }
    }
}

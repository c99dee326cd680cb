//! The modified Shlosser estimator of the number of classes in the population.
//!
//! # Definition
//! K = u + s₁ · (Σ i π² (1 − π²)ⁱ⁻¹ sᵢ / Σ (1 − π)ⁱ ((1 + π)ⁱ − 1) sᵢ) · (Σ (1 − π)ⁱ sᵢ / Σ i π (1 − π)ⁱ⁻¹ sᵢ)²
//!
//! # Assumptions
//! Rows are drawn independently with probability π, and the ratio of classes not drawn to classes drawn once
//! is in the population as in the sample; the first factor corrects that where sizes differ widely.
//!
//! # References
//! Shlosser 1981, "On estimation of the size of the dictionary of a long text on the basis of a sample";
//! Haas and Stokes 1998, "Estimating the number of classes in a finite population", JASA 93(444), the
//! estimator D_Sh3.

use super::Sample;

/// The number of classes in the population.
pub(super) fn shlosser(sample: &Sample) -> f64 {
    let u = sample.n_classes as f64;
    if sample.is_whole() || sample.n_unique() == 0 {
        return u;
    }
    let q = sample.fraction();
    let power = |base: f64, i: u64| base.powf(i as f64);
    let twice = sample.sum(|i| i as f64 * q * q * power(1.0 - q * q, i - 1));
    let never_twice = sample.sum(|i| power(1.0 - q * q, i) - power(1.0 - q, i));
    let never = sample.sum(|i| power(1.0 - q, i));
    let once = sample.sum(|i| i as f64 * q * power(1.0 - q, i - 1));
    u + sample.n_unique() as f64 * (twice / never_twice) * (never / once).powi(2)
}

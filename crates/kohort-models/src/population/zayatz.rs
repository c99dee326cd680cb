//! Zayatz's equivalence class model: sample uniques that are population uniques, by Bayes' rule.
//!
//! # Definition
//! P(F = 1 | f = 1) = p₁ P(f = 1 | F = 1) / Σⱼ pⱼ P(f = 1 | F = j), where pⱼ is the share of population classes
//! of size j, and S₁ = s₁ P(F = 1 | f = 1) / π. The probability that one of j people is drawn is
//! hypergeometric: j (n/N) ∏ (N − n − i) / (N − 1 − i) over i from 0 to j − 2.
//!
//! # Assumptions
//! pⱼ is estimated by the share of sample classes of size j, sⱼ/u. A small sample has smaller classes than its
//! population, so that the model tells too many uniques for small fractions. It tells no number of classes.
//!
//! # References
//! Zayatz 1991, "Estimation of the number of unique population elements using a sample", Proceedings of the
//! Survey Research Methods Section, American Statistical Association. In the form of Dankar et al. 2012,
//! appendix A.

use super::{Fitted, Sample};

/// The population uniques by Zayatz's model.
pub(super) fn zayatz(sample: &Sample) -> Fitted {
    let (n, all) = (sample.n_rows as f64, sample.n_people as f64);
    // Σⱼ sⱼ P(f = 1 | F = j) over π; u cancels.
    let (mut likely, mut others_left_out, mut j) = (0.0, 1.0, 1);
    for &(size, classes) in &sample.sizes {
        while j < size && others_left_out > 0.0 {
            let i = (j - 1) as f64;
            others_left_out *= ((all - n - i) / (all - 1.0 - i)).max(0.0);
            j += 1;
        }
        likely += classes as f64 * size as f64 * others_left_out;
    }
    let unique = sample.n_unique() as f64;
    let uniques = if likely > 0.0 { unique * (unique / likely) * (all / n) } else { 0.0 };
    Fitted { uniques, classes: None }
}

//! Entropy l-diversity: −Σ p ln p ≥ ln l in every class (Machanavajjhala et al. 2007).

use super::{Fraction, counts, share};

pub(crate) fn holds(class: &[&str], l: Fraction) -> bool {
    let shares = counts(class).into_values().map(|count| share(count, class.len()));
    let entropy: f64 = shares.map(|p| -p * p.ln()).sum();
    entropy >= l.value().ln() - 1e-9
}

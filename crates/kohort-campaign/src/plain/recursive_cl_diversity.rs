//! Recursive (c,l)-diversity: r₁ < c · (r_l + … + r_m), counts in descending order (Machanavajjhala et
//! al. 2007).

use super::{Fraction, counts};

pub(crate) fn holds(class: &[&str], c: Fraction, l: usize) -> bool {
    let mut descending: Vec<usize> = counts(class).into_values().collect();
    descending.sort_unstable_by(|a, b| b.cmp(a));
    let rest: usize = descending.iter().skip(l - 1).sum();
    descending[0] * c.den < c.num * rest
}

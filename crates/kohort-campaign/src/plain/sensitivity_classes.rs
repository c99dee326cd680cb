//! Sensitivity classes: the high values fill at most alpha of a class together, each of them at most
//! 1/l, and each low value at most 1/l-low (after Sharma et al.).

use super::{Fraction, counts};

pub(crate) fn holds(
    class: &[&str],
    high: &[String],
    alpha: Fraction,
    l: Option<Fraction>,
    l_low: Option<Fraction>,
) -> bool {
    let is_high = |value: &str| high.iter().any(|other| other == value);
    let n_high = class.iter().filter(|value| is_high(value)).count();
    let within = |count: usize, l: Fraction| count * l.num <= class.len() * l.den;
    n_high * alpha.den <= alpha.num * class.len()
        && counts(class).into_iter().all(|(value, count)| {
            let bound = if is_high(value) { l } else { l_low };
            bound.is_none_or(|l| within(count, l))
        })
}

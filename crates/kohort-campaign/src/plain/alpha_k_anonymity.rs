//! (alpha,k)-anonymity: k rows in every class, and no chosen value in more than a share alpha of them
//! (Wong et al. 2006). Without chosen values every one is.

use super::cells::Missing;
use super::{Fraction, counts};

pub(crate) fn holds(
    class: &[&str],
    alpha: Fraction,
    k: usize,
    chosen: Option<&[String]>,
    missing: Missing,
) -> bool {
    let values = missing.read(class);
    let is_chosen = |value: &str| chosen.is_none_or(|chosen| chosen.iter().any(|v| v == value));
    let within = |count: usize| count * alpha.den <= alpha.num * values.len();
    k <= class.len()
        && counts(&values).into_iter().all(|(value, count)| !is_chosen(value) || within(count))
}

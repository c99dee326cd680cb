//! (k,e)-anonymity: every class has at least k different numbers, from the smallest to the largest of
//! which it is at least e (Zhang et al. 2007). A missing value is no number.

use super::counts;

pub(crate) fn holds(class: &[&str], k: usize, e: f64) -> bool {
    let numbers = counts(class).into_keys().filter_map(|value| value.parse::<f64>().ok());
    let numbers: Vec<f64> = numbers.collect();
    let largest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    k <= numbers.len() && largest - smallest >= e - 1e-9
}

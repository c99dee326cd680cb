//! (epsilon,m)-anonymity: within epsilon of no number of a class lie more than 1/m of its rows; relative, the
//! distance is epsilon times the number (Li, Tao and Xiao 2008). A missing value is near missing ones alone.

use super::HIDING;

pub(crate) fn holds(class: &[&str], epsilon: f64, m: usize, is_relative: bool) -> bool {
    let is_near = |x: &str, y: &str| match (x.parse::<f64>(), y.parse::<f64>()) {
        (Ok(x), Ok(y)) => {
            let most = if is_relative { epsilon * x.abs() } else { epsilon };
            (x - y).abs() <= most + 1e-9
        }
        _ => x == y,
    };
    let values = class.iter().filter(|value| **value != HIDING);
    values.into_iter().all(|x| m * class.iter().filter(|y| is_near(x, y)).count() <= class.len())
}

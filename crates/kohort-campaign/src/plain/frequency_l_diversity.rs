//! Frequency l-diversity: no value fills more than 1/l of a class (Xiao and Tao 2006).

use super::{Fraction, counts};

pub(crate) fn holds(class: &[&str], l: Fraction) -> bool {
    counts(class).values().all(|count| count * l.num <= class.len() * l.den)
}

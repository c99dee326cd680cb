//! The definitions, as plainly as they can be written. Nothing here is shared with the program, and
//! nothing here is quick.

pub(crate) mod alpha_k_anonymity;
pub(crate) mod beta_likeness;
pub(crate) mod cells;
pub(crate) mod classes;
pub(crate) mod delta_disclosure;
pub(crate) mod delta_presence;
pub(crate) mod distinct_l_diversity;
pub(crate) mod entropy_l_diversity;
pub(crate) mod epsilon_m_anonymity;
pub(crate) mod fillings;
pub(crate) mod frequency_l_diversity;
pub(crate) mod k_anonymity;
pub(crate) mod k_map;
pub(crate) mod ke_anonymity;
pub(crate) mod l_mdiversity;
pub(crate) mod left_out;
pub(crate) mod lkc_privacy;
pub(crate) mod matching;
pub(crate) mod personalized_privacy;
pub(crate) mod records;
pub(crate) mod recursive_cl_diversity;
pub(crate) mod releases;
pub(crate) mod sensitivity_classes;
pub(crate) mod t_closeness;
pub(crate) mod truth;

use std::collections::BTreeMap;

/// A missing cell that needs no protection and hides who has a value: one more row, and never a value.
pub(crate) const HIDING: &str = "\u{1}hiding";

/// How often each value occurs.
pub(crate) fn counts<'a>(values: &[&'a str]) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for &value in values.iter().filter(|value| **value != HIDING) {
        *counts.entry(value).or_default() += 1;
    }
    counts
}

/// A share of some rows as a float, for definitions with a logarithm or a distance.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    float(part) / float(whole)
}

/// A number of rows as a float.
pub(crate) fn float(n: usize) -> f64 {
    f64::from(u32::try_from(n).expect("tables of a campaign are small"))
}

/// A level that may have decimals: `num / den`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fraction {
    pub(crate) num: usize,
    pub(crate) den: usize,
}

impl Fraction {
    /// A number of hundredths.
    pub(crate) fn hundredths(num: usize) -> Self {
        Self { num, den: 100 }
    }

    /// A whole number.
    pub(crate) fn whole(num: usize) -> Self {
        Self { num, den: 1 }
    }

    /// The number as a float.
    pub(crate) fn value(self) -> f64 {
        share(self.num, self.den)
    }
}

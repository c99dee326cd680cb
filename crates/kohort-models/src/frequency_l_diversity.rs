//! Frequency l-diversity: no sensitive value fills more than 1/l of a class.
//!
//! # Definition
//! For every class E with most frequent count r₁: r₁ · l ≤ |E|.
//!
//! # Promise
//! Who finds a person's class guesses the value with probability at most 1/l.
//!
//! # What it does not promise
//! Nothing once the adversary can rule values out, and nothing about similar values.
//!
//! # References
//! Also called probabilistic l-diversity or (1/l)-frequency.; errata: ≤, not <.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "frequency-l-diversity",
    title: "frequency l-diversity",
    paper: "Xiao and Tao 2006",
    promise: "whoever finds a person's class guesses the sensitive value with probability at most 1/l",
    parameters: &[Parameter {
        name: "l",
        range: "l > 1, whole or decimal",
        doc: "one over the largest share a value may have in a class",
    }],
};

/// The frequency l-diversity condition on one sensitive attribute.
#[derive(Clone, Copy, Debug)]
pub struct FrequencyLDiversity {
    attribute: usize,
    // Invariant: 1 < l.
    l: Ratio,
}

impl FrequencyLDiversity {
    /// Asks that no value of the sensitive attribute with this index exceeds a share of `1/l`.
    pub fn new(attribute: usize, l: Ratio) -> Result<Self, Error> {
        if l <= Ratio::whole(1) {
            let found = l.to_string();
            return Err(Kind::Parameter { name: "l", found, expected: "above 1" }.into());
        }
        Ok(Self { attribute, l })
    }

    /// The largest l that holds for a class: |E| / r₁.
    ///
    /// # Panics
    /// When no row of the class has a value.
    pub fn level(counts: &Counts<'_>) -> Ratio {
        Ratio::new(counts.size(), counts.largest())
    }
}

impl ClassModel for FrequencyLDiversity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // The largest share of a union is at most the larger of the two (mediant).
    fn is_monotone(&self) -> bool {
        true
    }

    fn smallest(&self) -> u64 {
        self.l.num().div_ceil(self.l.den())
    }

    fn diversity(&self) -> Option<(usize, Ratio)> {
        Some((self.attribute, self.l))
    }

    fn largest_share(&self) -> Option<(usize, Ratio)> {
        Some((self.attribute, Ratio::new(self.l.den(), self.l.num())))
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let counts = &class.sensitive[self.attribute];
        counts.is_silent() || self.l <= Self::level(counts)
    }

    // Of all rows, those of the most frequent value weigh most.
    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        let value = class.sensitive[self.attribute].most_frequent(|_| true)?;
        Some((self.attribute, value))
    }
}

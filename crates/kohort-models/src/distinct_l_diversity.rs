//! Distinct l-diversity: every class has at least l different sensitive values.
//!
//! # Definition
//! For every class E, the number of values v with c_E(v) > 0 is at least l.
//!
//! # Promise
//! Who finds a person's class cannot be certain of the value without ruling out l − 1 others.
//!
//! # What it does not promise
//! No bound on the probability: one value may fill nearly the whole class.
//!
//! # References
//! Machanavajjhala et al., TKDD 1(1), 2007.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "distinct-l-diversity",
    title: "distinct l-diversity",
    paper: "Machanavajjhala et al. 2007",
    promise: "every class has at least l different sensitive values",
    parameters: &[Parameter {
        name: "l",
        range: "l ≥ 2",
        doc: "the smallest number of different values",
    }],
};

/// The distinct l-diversity condition on one sensitive attribute.
#[derive(Clone, Copy, Debug)]
pub struct DistinctLDiversity {
    attribute: usize,
    // Invariant: 2 ≤ l.
    l: u64,
}

impl DistinctLDiversity {
    /// Asks for at least `l` values of the sensitive attribute with this index.
    pub fn new(attribute: usize, l: u64) -> Result<Self, Error> {
        if l < 2 {
            let found = l.to_string();
            return Err(Kind::Parameter { name: "l", found, expected: "at least 2" }.into());
        }
        Ok(Self { attribute, l })
    }

    /// The largest l that holds for a class.
    pub fn level(counts: &Counts<'_>) -> u64 {
        counts.values().len() as u64
    }
}

impl ClassModel for DistinctLDiversity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // A union has every value that either part has.
    fn is_monotone(&self) -> bool {
        true
    }

    fn smallest(&self) -> u64 {
        self.l
    }

    fn diversity(&self) -> Option<(usize, Ratio)> {
        Some((self.attribute, Ratio::whole(self.l)))
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let counts = &class.sensitive[self.attribute];
        counts.is_silent() || self.l <= Self::level(counts)
    }
}

//! delta-disclosure privacy: every value of the table is about as frequent in every class.
//!
//! # Definition
//! For every class E and every value v of the table with share p_v in E and q_v in the table:
//! |log₂(p_v / q_v)| < delta. A value that is absent from a class (p_v = 0) breaks it.
//!
//! # Promise
//! Finding a person's class changes the probability of no value, up or down, by a factor of 2^delta or
//! more; so nobody can be told not to have a value either.
//!
//! # What it does not promise
//! What the whole table tells is public with the release.
//!
//! # Parameters
//! The paper writes a logarithm without its base. Base 2, as for information gain in bits, is the stricter
//! of the two in use: what holds with it holds with the natural one too, where delta allows a factor of
//! e^delta. ARX has base 2 as well, but looks only at the values that are present in a class: what holds
//! here holds there, but not the other way round. That form is not monotone: a union dilutes a value that
//! one of its parts lacks.
//!
//! # Exact
//! 2^delta is a fraction for a whole delta alone. Then shares are compared exactly: a change by just that
//! factor breaks the promise. For any other delta no class meets the bound, and no tolerance is needed.
//!
//! # References
//! Brickell and Shmatikov, KDD 2008.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "delta-disclosure-privacy",
    title: "delta-disclosure privacy",
    paper: "Brickell and Shmatikov 2008",
    promise: "no class changes the probability of a value by a factor of 2^delta or more",
    parameters: &[Parameter {
        name: "delta",
        range: "delta > 0",
        doc: "the bound on the binary logarithm of the change in probability",
    }],
};

/// The delta-disclosure privacy condition on one sensitive attribute.
#[derive(Clone, Copy, Debug)]
pub struct DeltaDisclosurePrivacy {
    attribute: usize,
    // Invariant: 0 < delta.
    delta: Ratio,
}

impl DeltaDisclosurePrivacy {
    /// Asks for shares within a factor of 2^`delta` of the table's, for the sensitive attribute with
    /// this index.
    pub fn new(attribute: usize, delta: Ratio) -> Result<Self, Error> {
        if delta.num() == 0 {
            let found = delta.to_string();
            return Err(Kind::Parameter { name: "delta", found, expected: "above 0" }.into());
        }
        Ok(Self { attribute, delta })
    }

    /// Whether a share that became `change` times as large changed by less than a factor of 2^delta.
    fn allows(&self, change: Ratio) -> bool {
        let (num, den) = (u128::from(change.num()), u128::from(change.den()));
        match u32::try_from(self.delta.num()) {
            // No two counts differ by more than a factor of 2^64.
            Ok(whole) if self.delta.den() == 1 && whole < 64 => {
                num < den << whole && den < num << whole
            }
            _ => change.value().log2().abs() < self.delta.value(),
        }
    }
}

impl ClassModel for DeltaDisclosurePrivacy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // The share in a union lies between the two (mediant), and both bounds are the table's.
    fn is_monotone(&self) -> bool {
        true
    }

    fn compared(&self) -> Option<usize> {
        Some(self.attribute)
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let counts = &class.sensitive[self.attribute];
        let (size, table) = (counts.size(), counts.table);
        let is_near = |&(code, count): &(u32, u64)| {
            self.allows(Ratio::new(count * table.n(), table.count(code) * size))
        };
        let values = counts.values();
        counts.is_silent() || values.len() == table.n_values() && values.iter().all(is_near)
    }
}

//! delta-disclosure privacy: every value of the table is about as frequent in every class.
//!
//! # Definition
//! For every class E and every value v of the table with share p_v in E and q_v in the table:
//! |ln(p_v / q_v)| < delta. A value that is absent from a class (p_v = 0) breaks it.
//!
//! # Promise
//! Finding a person's class changes the probability of no value, up or down, by a factor of e^delta or
//! more; so nobody can be told not to have a value either.
//!
//! # What it does not promise
//! What the whole table tells is public with the release.
//!
//! # Parameters
//! e^delta is no fraction for any delta that can be written, so a class never meets the bound exactly
//! and no tolerance is needed. ARX looks only at the values that are present in a class: what holds here
//! holds there, but not the other way round. That form is not monotone: a union dilutes a value that one
//! of its parts lacks.
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
    promise: "no class changes the probability of a value by a factor of e^delta or more",
    parameters: &[Parameter {
        name: "delta",
        range: "delta > 0",
        doc: "the bound on the logarithm of the change in probability",
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
    /// Asks for shares within a factor of e^`delta` of the table's, for the sensitive attribute with
    /// this index.
    pub fn new(attribute: usize, delta: Ratio) -> Result<Self, Error> {
        if delta.num() == 0 {
            let found = delta.to_string();
            return Err(Kind::Parameter { name: "delta", found, expected: "above 0" }.into());
        }
        Ok(Self { attribute, delta })
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

    fn compares(&self) -> bool {
        true
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let counts = &class.sensitive[self.attribute];
        let (size, table) = (counts.size(), counts.table);
        counts.cells.len() == table.n_values()
            && counts.cells.iter().all(|&(code, count)| {
                let change = Ratio::new(count * table.n(), table.count(code) * size);
                change.value().ln().abs() < self.delta.value()
            })
    }
}

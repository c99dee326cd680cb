//! p-sensitive k-anonymity: every class has k rows and p different values of every sensitive attribute.
//!
//! # Definition
//! For every class E: |E| ≥ k, and every sensitive attribute has at least p values in E.
//!
//! # Promise
//! As k-anonymity, and no sensitive attribute is constant in a class.
//!
//! # What it does not promise
//! No bound on the probability of a value.
//!
//! # References
//! Truta and Vinay, ICDE Workshops 2006.

use kohort_core::{Error, Kind, Parameter, Spec};

use crate::{Class, ClassModel, DistinctLDiversity};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "p-sensitive-k-anonymity",
    title: "p-sensitive k-anonymity",
    paper: "Truta and Vinay 2006",
    promise: "every class has k rows and p different values of every sensitive attribute",
    parameters: &[
        Parameter { name: "p", range: "p ≥ 2", doc: "the smallest number of different values" },
        Parameter { name: "k", range: "k ≥ p", doc: "the smallest class allowed" },
    ],
};

/// The p-sensitive k-anonymity condition on all sensitive attributes.
#[derive(Clone, Copy, Debug)]
pub struct PSensitiveKAnonymity {
    // Invariant: 2 ≤ p ≤ k.
    p: u64,
    k: u64,
}

impl PSensitiveKAnonymity {
    /// Asks for classes of `k` rows with `p` values of every sensitive attribute.
    pub fn new(p: u64, k: u64) -> Result<Self, Error> {
        if p < 2 || k < p {
            let found = p.to_string();
            return Err(Kind::Parameter { name: "p", found, expected: "from 2 to k" }.into());
        }
        Ok(Self { p, k })
    }

    /// The largest p that holds for a class: the fewest values of any sensitive attribute of which a row has
    /// one. `None` without such an attribute.
    pub fn level(class: &Class<'_>) -> Option<u64> {
        let told = class.sensitive.iter().filter(|counts| !counts.is_silent());
        told.map(DistinctLDiversity::level).min()
    }
}

impl ClassModel for PSensitiveKAnonymity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // Sizes and value sets of a union only grow.
    fn is_monotone(&self) -> bool {
        true
    }

    fn smallest(&self) -> u64 {
        self.k.max(self.p)
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.k <= class.size && Self::level(class).is_none_or(|level| self.p <= level)
    }
}

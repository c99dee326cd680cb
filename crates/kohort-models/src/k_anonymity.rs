//! k-anonymity: every row shares its quasi-identifiers with at least k − 1 others.
//!
//! # Definition
//! A table is k-anonymous when every class E has |E| ≥ k.
//!
//! # Promise
//! Who knows a person's quasi-identifiers cannot narrow the person down to fewer than k rows.
//!
//! # What it does not promise
//! Nothing about the sensitive value: a class may agree on it.
//!
//! # References
//! Sweeney, IJUFKS 10(5), 2002.; errata: "at least k", not "exactly k".

use kohort_core::{Error, Kind, Parameter, Spec};

use crate::{Class, ClassModel};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "k-anonymity",
    title: "k-anonymity",
    paper: "Sweeney 2002",
    promise: "nobody can be narrowed down to fewer than k rows by the quasi-identifiers",
    parameters: &[Parameter { name: "k", range: "k ≥ 2", doc: "the smallest class allowed" }],
};

/// The k-anonymity condition.
#[derive(Clone, Copy, Debug)]
pub struct KAnonymity {
    // Invariant: 2 ≤ k.
    k: u64,
}

impl KAnonymity {
    /// Asks for classes of at least `k` rows.
    pub fn new(k: u64) -> Result<Self, Error> {
        if k < 2 {
            let found = k.to_string();
            return Err(Kind::Parameter { name: "k", found, expected: "at least 2" }.into());
        }
        Ok(Self { k })
    }
}

impl ClassModel for KAnonymity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // Merging two classes adds their sizes.
    fn is_monotone(&self) -> bool {
        true
    }

    fn smallest(&self) -> u64 {
        self.k
    }

    fn needs_values(&self) -> bool {
        false
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.k <= class.size
    }
}

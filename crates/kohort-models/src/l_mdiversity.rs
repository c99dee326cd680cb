//! l-mdiversity: the bound on every sensitive value survives non-membership knowledge.
//!
//! # Definition
//! A bit of non-membership knowledge says that a person of the class does not have a value. For every
//! class E, every i from 0 to l − 1 and every consistent set of i bits: no posterior probability of a
//! value of a person of E is above 1/(l − i).
//!
//! # Promise
//! Who finds a person's class and can rule out i values, of this person or of others in the class,
//! guesses no sensitive value with probability above 1/(l − i).
//!
//! # What it does not promise
//! Nothing against who knows a whole row (each such row costs one l), that two people agree, or how the
//! sensitive attributes go together.
//!
//! # Method
//! A class keeps it exactly when it keeps l-pdiversity. Without a bit the two are one. With i bits, let
//! no value occur more than c times, c · l ≤ |E|. Take a world where u has one of the c rows with the
//! value. Exchanging u's row with that of a person whose row lacks the value gives a world without it;
//! there are |E| − c such people, and each bit blocks at most c of the exchanges. Each world without the
//! value is reached at most c times. So the posterior is at most c / (|E| − c · i) ≤ 1/(l − i).
//!
//! # References
//! Definition 5 of Abdalaal 2012.

use kohort_core::{Error, Parameter, Spec};

use crate::{Class, ClassModel, LPdiversity};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "l-mdiversity",
    title: "l-mdiversity",
    paper: "Abdalaal 2012, Definition 5",
    promise: "an adversary who can rule out i sensitive values in a class guesses none with \
              probability above 1/(l − i)",
    parameters: &[Parameter {
        name: "l",
        range: "l ≥ 2",
        doc: "one over the largest probability of a value when nothing is ruled out",
    }],
};

/// The l-mdiversity condition on all sensitive attributes.
#[derive(Clone, Copy, Debug)]
pub struct LMdiversity {
    same: LPdiversity,
}

impl LMdiversity {
    /// Asks for posteriors of at most `1/(l − i)` under i bits.
    pub fn new(l: u64) -> Result<Self, Error> {
        Ok(Self { same: LPdiversity::new(l)? })
    }

    /// The largest l that holds for a class. `None` without a row that has a sensitive value.
    pub fn level(class: &Class<'_>) -> Option<u64> {
        LPdiversity::level(class)
    }
}

impl ClassModel for LMdiversity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn is_monotone(&self) -> bool {
        self.same.is_monotone()
    }

    fn smallest(&self) -> u64 {
        self.same.smallest()
    }

    fn diversity_of_all(&self) -> Option<u64> {
        self.same.diversity_of_all()
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.same.holds(class)
    }

    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        self.same.overfull(class)
    }
}

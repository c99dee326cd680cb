//! LKC-privacy: who knows at most L quasi-identifiers finds K rows and no sensitive value above C.
//!
//! # Definition
//! For every set of at most L quasi-identifiers and every class E of that set: |E| ≥ K, and
//! c_E(v) / |E| ≤ C for every listed sensitive value v.
//!
//! # Promise
//! As k-anonymity and (alpha,k)-anonymity, against an adversary who knows at most L of a person's
//! quasi-identifiers.
//!
//! # What it does not promise
//! Nothing against an adversary who knows more than L of them, and nothing about values not listed.
//!
//! # Parameters
//! As a model of one class it is the condition on the class of all quasi-identifiers, whatever L. Both
//! parts are monotone, so classes that keep it there keep it for every smaller set: it suffices, and is
//! what makers use that recode class by class. Those that recode the whole domain keep the definition
//! itself, and judges decide it (`kohort_verify::lkc`): a release can keep it without the stronger condition.
//!
//! # References
//! Mohammed et al., KDD 2009.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{AlphaKAnonymity, Class, ClassModel};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "lkc-privacy",
    title: "LKC-privacy",
    paper: "Mohammed et al. 2009",
    promise: "an adversary who knows at most l columns finds at least k rows, and no listed \
              value with probability above c",
    parameters: &[
        Parameter { name: "l", range: "l ≥ 1", doc: "the most columns that the adversary knows" },
        Parameter { name: "k", range: "k ≥ 1", doc: "the smallest class allowed" },
        Parameter { name: "c", range: "0 < c ≤ 1", doc: "the largest share allowed" },
        Parameter {
            name: "values",
            range: "values of the attribute; every one when left out",
            doc: "the values to protect",
        },
    ],
};

/// The LKC-privacy condition on chosen values of one sensitive attribute.
#[derive(Clone, Debug)]
pub struct LkcPrivacy {
    // Invariant: 1 ≤ l.
    l: usize,
    bounds: AlphaKAnonymity,
}

impl LkcPrivacy {
    /// Asks for `k` rows, of which each value in `codes` fills at most `c`, whichever `l` columns are
    /// known.
    pub fn new(
        attribute: usize,
        l: usize,
        k: u64,
        c: Ratio,
        codes: Vec<u32>,
    ) -> Result<Self, Error> {
        if l == 0 {
            let found = l.to_string();
            return Err(Kind::Parameter { name: "l", found, expected: "at least 1" }.into());
        }
        if c.num() == 0 || c > Ratio::whole(1) {
            let (found, expected) = (c.to_string(), "above 0 and at most 1");
            return Err(Kind::Parameter { name: "c", found, expected }.into());
        }
        Ok(Self { l, bounds: AlphaKAnonymity::new(attribute, c, k, codes)? })
    }

    /// How many quasi-identifiers the adversary knows.
    pub fn l(&self) -> usize {
        self.l
    }
}

impl ClassModel for LkcPrivacy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // Sizes add up, and the share in a union is at most the larger of the two (mediant).
    fn is_monotone(&self) -> bool {
        true
    }

    fn smallest(&self) -> u64 {
        self.bounds.smallest()
    }

    fn over_subsets(&self) -> Option<&LkcPrivacy> {
        Some(self)
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.bounds.holds(class)
    }

    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        self.bounds.overfull(class)
    }
}

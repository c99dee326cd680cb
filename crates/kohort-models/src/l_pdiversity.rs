//! l-pdiversity: no value of any sensitive attribute fills more than 1/l of a class.
//!
//! # Definition
//! For every class E, every sensitive attribute and its most frequent count r₁ in E: r₁ · l ≤ |E|.
//!
//! # Promise
//! Who finds a person's class guesses none of the person's sensitive values with probability above 1/l.
//!
//! # What it does not promise
//! Nothing about similar values, and nothing about a person whose rows of several releases are joined.
//!
//! # References
//! Definition 3 of Abdalaal 2012.; errata: ≤, not <.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "l-pdiversity",
    title: "l-pdiversity",
    paper: "Abdalaal 2012, Definition 3",
    promise: "whoever finds a person's class guesses each sensitive value with probability at most 1/l",
    parameters: &[Parameter {
        name: "l",
        range: "l ≥ 2",
        doc: "one over the largest share a value of any sensitive attribute may have in a class",
    }],
};

/// The l-pdiversity condition on all sensitive attributes.
#[derive(Clone, Copy, Debug)]
pub struct LPdiversity {
    // Invariant: 2 ≤ l.
    l: u64,
}

impl LPdiversity {
    /// Asks that no value of any sensitive attribute exceeds a share of `1/l`.
    pub fn new(l: u64) -> Result<Self, Error> {
        if l < 2 {
            let found = l.to_string();
            return Err(Kind::Parameter { name: "l", found, expected: "at least 2" }.into());
        }
        Ok(Self { l })
    }

    /// The largest l that holds for a class: |E| / r₁ of the attribute where that is least, rounded
    /// down. `None` without a row that has a sensitive value.
    pub fn level(class: &Class<'_>) -> Option<u64> {
        let of_one = |counts: &Counts<'_>| counts.size().checked_div(counts.largest());
        class.sensitive.iter().filter_map(of_one).min()
    }
}

impl ClassModel for LPdiversity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // The largest share of a union is at most the larger of the two (mediant).
    fn is_monotone(&self) -> bool {
        true
    }

    fn smallest(&self) -> u64 {
        self.l
    }

    fn diversity_of_all(&self) -> Option<u64> {
        Some(self.l)
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        !class.sensitive.is_empty() && Self::level(class).is_none_or(|level| self.l <= level)
    }

    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        let share = |counts: &Counts<'_>| Ratio::new(counts.largest(), counts.size().max(1));
        let most = class.sensitive.iter().map(share).max()?;
        let attribute = class.sensitive.iter().position(|counts| share(counts) == most)?;
        Some((attribute, class.sensitive[attribute].most_frequent(|_| true)?))
    }
}

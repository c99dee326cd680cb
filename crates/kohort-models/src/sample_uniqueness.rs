//! Sample uniqueness: few rows are alone in their class.
//!
//! # Definition
//! The share of rows in classes of one row is at most p.
//!
//! # Promise
//! At most a share p of the released rows can be told from all others by the quasi-identifiers.
//!
//! # What it does not promise
//! Nothing about those who are alone, and nothing about classes of two.
//!
//! # References
//! Bethlehem, Keller and Pannekoek 1990, "Disclosure control of microdata", JASA 85(409).

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::SizeModel;
use crate::size_model::{n_rows, n_unique};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "sample-uniqueness",
    title: "sample uniqueness",
    paper: "Bethlehem, Keller and Pannekoek 1990",
    promise: "at most a share p of the rows are alone in their class",
    parameters: &[Parameter {
        name: "p", range: "0 ≤ p ≤ 1", doc: "the largest share of rows"
    }],
};

/// The condition on rows that are alone.
#[derive(Clone, Copy, Debug)]
pub struct SampleUniqueness {
    // Invariant: p ≤ 1.
    p: Ratio,
}

impl SampleUniqueness {
    /// Asks that at most a share `p` of the rows is alone.
    pub fn new(p: Ratio) -> Result<Self, Error> {
        if p > Ratio::whole(1) {
            let (name, found, expected) = ("p", p.to_string(), "at most 1");
            return Err(Kind::Parameter { name, found, expected }.into());
        }
        Ok(Self { p })
    }
}

impl SizeModel for SampleUniqueness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn enough(&self) -> u64 {
        2
    }

    fn holds(&self, sizes: &[(u64, u64)]) -> bool {
        let (num, den) = (u128::from(self.p.num()), u128::from(self.p.den()));
        u128::from(n_unique(sizes)) * den <= num * u128::from(n_rows(sizes))
    }
}

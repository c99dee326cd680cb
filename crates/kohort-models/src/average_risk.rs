//! Average re-identification risk: a person is linked with the right row with probability p on average.
//!
//! # Definition
//! (1/n) Σ 1/|E(row)| over the n rows, which is the number of classes over the number of rows, is at most p.
//!
//! # Promise
//! Who knows the quasi-identifiers of everybody in the table, and links each with a row of the right class at
//! random, is right for at most a share p of them.
//!
//! # What it does not promise
//! Nothing about any one person: some may be alone in their class.
//!
//! # References
//! Dankar and El Emam 2010, "A method for evaluating marketer re-identification risk", PAIS.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::SizeModel;
use crate::size_model::n_rows;

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "average-risk",
    title: "average re-identification risk",
    paper: "Dankar and El Emam 2010",
    promise: "at most a share p of all people is linked with the right row",
    parameters: &[Parameter { name: "p", range: "0 < p ≤ 1", doc: "the largest average risk" }],
};

/// The condition on the average risk.
#[derive(Clone, Copy, Debug)]
pub struct AverageRisk {
    // Invariant: 0 < p ≤ 1.
    p: Ratio,
}

impl AverageRisk {
    /// Asks for an average risk of at most `p`.
    pub fn new(p: Ratio) -> Result<Self, Error> {
        if p.num() == 0 || p > Ratio::whole(1) {
            let (name, found, expected) = ("p", p.to_string(), "above 0, at most 1");
            return Err(Kind::Parameter { name, found, expected }.into());
        }
        Ok(Self { p })
    }
}

impl SizeModel for AverageRisk {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn enough(&self) -> u64 {
        self.p.den().div_ceil(self.p.num())
    }

    fn holds(&self, sizes: &[(u64, u64)]) -> bool {
        let n_classes: u64 = sizes.iter().map(|(_, classes)| classes).sum();
        let (num, den) = (u128::from(self.p.num()), u128::from(self.p.den()));
        u128::from(n_classes) * den <= num * u128::from(n_rows(sizes))
    }
}

//! (X,Y)-anonymity: in the join of releases, every X-value stands beside at least k different Y-values.
//!
//! # Definition
//! In the join of two releases of the same people, each value on X occurs with at least k different
//! values on Y.
//!
//! # Promise
//! Who looks a person up by X in one release, and goes on to another through what both show, finds at
//! least k values of Y.
//!
//! # What it does not promise
//! One of the k values may be far more frequent than the others: see (X,Y)-linkability. Values of one
//! release alone, without the join, are for the models of a single release.
//!
//! # Parameters
//! `k`, at least 2.
//!
//! # References
//! Wang, Fung: Anonymizing Sequential Releases, KDD 2006. specs/05 §2.

use kohort_core::{Error, Kind, Parameter, Spec};

use super::{Broken, Joined, broken_if};

/// The (X,Y)-anonymity condition.
#[derive(Clone, Copy, Debug)]
pub struct XyAnonymity {
    // Invariant: 2 ≤ k.
    k: u32,
}

impl XyAnonymity {
    /// What the model is.
    pub const SPEC: Spec = Spec {
        id: "xy-anonymity",
        title: "(X,Y)-anonymity",
        paper: "Wang and Fung 2006",
        promise: "in the join of the releases, whoever is looked up has at least k possible values",
        parameters: &[Parameter {
            name: "k",
            range: "k ≥ 2",
            doc: "the fewest values that stand beside one in the join",
        }],
    };

    /// Asks for at least `k` values.
    pub fn new(k: u32) -> Result<Self, Error> {
        if k < 2 {
            let found = k.to_string();
            return Err(Kind::Parameter { name: "k", found, expected: "at least 2" }.into());
        }
        Ok(Self { k })
    }

    /// Whether every X of a join, in the order of X and Y, has as many values of Y.
    pub fn check(&self, joined: &[Joined]) -> Result<(), Broken> {
        let of_x = joined.chunk_by(|a, b| a.x == b.x);
        let n = of_x.filter(|rows| rows.len() < self.k as usize).count();
        let k = self.k;
        broken_if(n, &format!("classes stand beside fewer than {k} values in the join"))
    }
}

//! (X,Y)-linkability: in the join of releases, no Y-value is likely once X is known.
//!
//! # Definition
//! In the join of two releases of the same people, of the rows with one value on X no more than a share
//! c have the same value on Y.
//!
//! # Promise
//! Who looks a person up by X in one release, and goes on to another through what both show, has a
//! confidence of c at most in any value of Y.
//!
//! # What it does not promise
//! The rows of the join are counted as equally likely: who knows more than the two releases may be surer.
//!
//! # Parameters
//! `confidence` (c), above 0 and below 1.
//!
//! # References
//! Wang, Fung: Anonymizing Sequential Releases, KDD 2006. specs/05 §2.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use super::{Broken, Joined, broken_if};

/// The (X,Y)-linkability condition.
#[derive(Clone, Copy, Debug)]
pub struct XyLinkability {
    // Invariant: above 0 and below 1.
    confidence: Ratio,
}

impl XyLinkability {
    /// What the model is.
    pub const SPEC: Spec = Spec {
        id: "xy-linkability",
        title: "(X,Y)-linkability",
        paper: "Wang and Fung 2006",
        promise: "in the join of the releases, nobody's value is found with more than a stated \
                  confidence",
        parameters: &[Parameter {
            name: "confidence",
            range: "0 < confidence < 1",
            doc: "the largest share that a value may have of the rows beside one in the join",
        }],
    };

    /// Asks for no more than this confidence.
    pub fn new(confidence: Ratio) -> Result<Self, Error> {
        if confidence.num() == 0 || confidence >= Ratio::whole(1) {
            let (name, expected) = ("confidence", "above 0 and below 1");
            return Err(Kind::Parameter { name, found: confidence.to_string(), expected }.into());
        }
        Ok(Self { confidence })
    }

    /// Whether no Y has a larger share of any X of a join, in the order of X and Y.
    pub fn check(&self, joined: &[Joined]) -> Result<(), Broken> {
        let is_bad = |rows: &&[Joined]| {
            let total: u64 = rows.iter().map(|row| row.n_rows).sum();
            rows.iter().any(|row| Ratio::new(row.n_rows, total) > self.confidence)
        };
        let n = joined.chunk_by(|a, b| a.x == b.x).filter(is_bad).count();
        let confidence = self.confidence;
        broken_if(
            n,
            &format!("classes stand beside a value with more than {confidence} of the join"),
        )
    }
}

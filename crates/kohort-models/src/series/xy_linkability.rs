//! (X,Y)-linkability: in the join of releases, no Y-value is likely once X is known.
//!
//! # Definition
//! In each release, in the join of each two and in that of all, of the rows with one value on X no more
//! than a share c have the same value on Y. X is the class of a person in each of these releases, Y a
//! sensitive value that all these classes show (see `join`).
//!
//! # Promise
//! Who looks a person up by all columns of all releases has a confidence of c at most in any value of Y.
//!
//! # What it does not promise
//! The rows of the join are counted as equally likely, and people are looked up one by one: what is
//! certain of others may rule out more.
//!
//! # Parameters
//! `confidence` (c), above 0 and below 1.
//!
//! # References
//! Wang, Fung: Anonymizing Sequential Releases, KDD 2006.

use kohort_core::{Error, Kind, Parameter, Ratio, SeriesRelease, Spec};

use super::join::{KINDS, failing, n_failing, share};
use super::{Broken, broken_if};

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
        promise: "in the join of the releases, nobody's value is found with more than the stated \
                  confidence",
        parameters: &[Parameter {
            name: "confidence",
            range: "0 < confidence < 1",
            doc: "the largest share that a value may have among the rows that occur with one in \
                  the join",
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

    /// The largest share that a value may have.
    pub fn confidence(&self) -> Ratio {
        self.confidence
    }

    fn holds(&self, beside: &[(u32, u64)]) -> bool {
        share(beside).is_some_and(|share| share <= self.confidence)
    }

    /// The people beside whom a value has a larger share, in ascending order, in a release and in its joins
    /// with earlier ones that show the same sensitive column.
    pub fn failing(&self, earlier: &[&SeriesRelease], next: &SeriesRelease) -> Vec<u32> {
        failing(earlier, next, |beside| self.holds(beside))
    }

    /// Whether no Y has a larger share of any X, in a release and in its joins with earlier ones that show
    /// the same sensitive column.
    pub fn check(&self, earlier: &[&SeriesRelease], next: &SeriesRelease) -> Result<(), Broken> {
        let confidence = self.confidence;
        let n = n_failing(earlier, next, |beside| self.holds(beside));
        broken_if(n, KINDS, &format!("with a value that has more than {confidence} of the join"))
    }
}

//! (X,Y)-anonymity: in the join of releases, every X-value stands beside at least k different Y-values.
//!
//! # Definition
//! In each release, in the join of each two and in that of all, every value on X occurs with at least k
//! different values on Y. X is the class of a person in each of these releases, Y a sensitive value that
//! all these classes show (see `join`).
//!
//! # Promise
//! Who looks a person up by all columns of all releases finds at least k values of Y. Who knows fewer
//! columns has more rows to look at.
//!
//! # What it does not promise
//! One of the k values may be far more frequent than the others: see (X,Y)-linkability. People are looked
//! up one by one: what is certain of others may rule out more.
//!
//! # Parameters
//! `k`, at least 2.
//!
//! # References
//! Wang, Fung: Anonymizing Sequential Releases, KDD 2006.

use kohort_core::{Error, Kind, Parameter, SeriesRelease, Spec};

use super::join::{KINDS, failing, n_failing};
use super::{Broken, broken_if};

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
            doc: "the smallest number of values that occur with one in the join",
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

    /// The fewest values that stand beside one.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// The people with fewer values, in ascending order, in a release and in its joins with earlier ones that
    /// show the same sensitive column.
    pub fn failing(&self, earlier: &[&SeriesRelease], next: &SeriesRelease) -> Vec<u32> {
        failing(earlier, next, |beside| beside.len() >= self.k as usize)
    }

    /// Whether every X has as many values of Y, in a release and in its joins with earlier ones that show the
    /// same sensitive column.
    pub fn check(&self, earlier: &[&SeriesRelease], next: &SeriesRelease) -> Result<(), Broken> {
        let k = self.k;
        let n = n_failing(earlier, next, |beside| beside.len() >= k as usize);
        broken_if(n, KINDS, &format!("with fewer than {k} values in the join"))
    }
}

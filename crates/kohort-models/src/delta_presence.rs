//! delta-presence: whether a person is in the table at all stays uncertain.
//!
//! # Definition
//! For every class of the public table P ⊇ T: delta_min ≤ |E ∩ T| / |E ∩ P| ≤ delta_max.
//!
//! # Promise
//! Who knows that a person is in the public table cannot tell membership of the released table with
//! probability above delta_max (or absence with probability above 1 − delta_min).
//!
//! # What it does not promise
//! Nothing about a person outside the public table used.
//!
//! # References
//! Nergiz, Atzori and Clifton, SIGMOD 2007.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "delta-presence",
    title: "delta-presence",
    paper: "Nergiz, Atzori and Clifton 2007",
    promise: "membership of the table stays uncertain for everyone in the public table",
    parameters: &[
        Parameter { name: "min", range: "0 ≤ min ≤ max", doc: "the smallest share of members" },
        Parameter { name: "max", range: "min ≤ max ≤ 1", doc: "the largest share of members" },
        Parameter {
            name: "public",
            range: "a table",
            doc: "the people membership is judged among",
        },
    ],
};

/// The delta-presence condition.
#[derive(Clone, Copy, Debug)]
pub struct DeltaPresence {
    // Invariant: min ≤ max ≤ 1.
    min: Ratio,
    max: Ratio,
}

impl DeltaPresence {
    /// Asks that the share of members of every public class lies from `min` to `max`.
    pub fn new(min: Ratio, max: Ratio) -> Result<Self, Error> {
        if max > Ratio::whole(1) || min > max {
            let (name, found) = ("delta", format!("{min} to {max}"));
            return Err(Kind::Parameter { name, found, expected: "a range within 0 to 1" }.into());
        }
        Ok(Self { min, max })
    }

    /// The smallest share of members.
    pub fn min(&self) -> Ratio {
        self.min
    }

    /// The largest share of members.
    pub fn max(&self) -> Ratio {
        self.max
    }

    /// Whether a class of `public` people of whom `members` are in the table keeps the promise.
    ///
    /// # Panics
    /// When the class is empty.
    pub fn holds(&self, members: u64, public: u64) -> bool {
        let share = Ratio::new(members, public);
        self.min <= share && share <= self.max
    }
}

//! What a maker of the next release is given, and what it makes.

use kohort_algorithms::Space;
use kohort_core::{Dataset, History};

/// The table as it stands, and what was published about the same people before.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// A row for each person who is in the table.
    pub data: &'a Dataset,
    /// What boxes of quasi-identifiers cost.
    pub space: &'a Space,
    /// The person of each row, by the number the series gave.
    pub person_of_row: &'a [u32],
    /// The sensitive value of each row, by the number the series gave.
    pub value_of_row: &'a [u32],
    /// What everybody has seen so far.
    pub history: &'a History,
    /// Orders and breaks ties.
    pub seed: u64,
}

/// The next release, before it is judged.
#[derive(Clone, Debug)]
pub struct Next {
    /// The class of each row, or `kohort_core::ABSENT` for a row that is held back.
    pub class_of_row: Vec<u32>,
    /// Rows that belong to nobody.
    pub counterfeits: Vec<Counterfeit>,
    /// What a user should know about how it was made, in sentences without a closing stop.
    pub notes: Vec<String>,
}

/// A row that belongs to nobody: it is shown with the box of its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counterfeit {
    /// The class it is in.
    pub class: u32,
    /// Its sensitive value, by the number the series gave.
    pub value: u32,
}

/// Why there is no release.
#[derive(Debug)]
pub enum Failure {
    /// The answer is no: the promise cannot be kept.
    Infeasible {
        /// Why not, as a sentence without a closing stop.
        reason: String,
    },
}

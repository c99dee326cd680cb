//! What a ledger says of a release, of the people and classes in it, and of how it was used.

use std::fmt;

use kohort_core::{History, ReleasedClass};
use serde::{Deserialize, Serialize};

use crate::Hash;

/// What is recorded of a release, by whoever made it.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// How it was made.
    pub facts: Facts,
    /// Everybody who is in the table, each once, in any order.
    pub members: Vec<Member>,
    /// The classes; members name them by their position.
    pub classes: Vec<Class>,
    /// What the methods remember of the whole series, by names of their own: each replaces the one of
    /// the same name. What is about one person belongs in the person's state: only that can be
    /// forgotten.
    pub states: Vec<(String, Vec<u8>)>,
    /// The files of the release.
    pub files: Vec<StagedFile>,
}

/// How a release was made. Texts and hashes are the caller's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The hash of the columns and their roles.
    pub schema: Hash,
    /// The hash of the taxonomies.
    pub taxonomies: Hash,
    /// The principle: the id of the method or model.
    pub principle: String,
    /// Its parameters.
    pub parameters: String,
    /// The id of the algorithm.
    pub algorithm: String,
    /// The version of the program.
    pub version: String,
    /// What ordered and broke ties. A seed that hides something is not recorded.
    pub seed: Option<u64>,
}

/// A person in a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The person, by number. It stands beside the sealed row.
    #[serde(skip)]
    pub person: u32,
    /// Whether and where the person is in what was published.
    pub standing: Standing,
    /// The true sensitive value, by number.
    pub value: u32,
    /// What the methods remember of the person: a forward message, a signature, sums of probabilities.
    pub state: Vec<u8>,
}

/// Whether and where somebody who is in the table is in what was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// In a class.
    Shown {
        /// Which one.
        class: u32,
    },
    /// Held back to a later release.
    HeldBack,
    /// Suppressed.
    Suppressed,
}

/// What was published of a series so far.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// What everybody has seen.
    pub history: History,
    /// For each person of the series, the last release that shows the person and the row there.
    pub last: Vec<Option<(u32, Member)>>,
    /// How many people were forgotten. Who comes again is somebody new to the books.
    pub n_forgotten: u32,
}

/// A class as it was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// What it shows for each quasi-identifier.
    pub cells: Vec<String>,
    /// The sensitive values it shows.
    pub released: ReleasedClass,
    /// Its rows that belong to nobody.
    pub counterfeits: Vec<Counterfeit>,
}

/// A row that belongs to nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counterfeit {
    /// It keeps its number over releases, as a person does, among counterfeits.
    pub id: u32,
    /// Its sensitive value, by number.
    pub value: u32,
}

/// A class as it is sealed.
#[derive(Serialize, Deserialize)]
pub(crate) struct SealedClass {
    cells: Vec<String>,
    values: Vec<u32>,
    n_counterfeits: u32,
    counterfeits: Vec<Counterfeit>,
}

impl From<&Class> for SealedClass {
    fn from(class: &Class) -> Self {
        Self {
            cells: class.cells.clone(),
            values: class.released.values.clone(),
            n_counterfeits: class.released.n_counterfeits,
            counterfeits: class.counterfeits.clone(),
        }
    }
}

impl From<SealedClass> for Class {
    fn from(sealed: SealedClass) -> Self {
        let SealedClass { cells, values, n_counterfeits, counterfeits } = sealed;
        Self { cells, released: ReleasedClass { values, n_counterfeits }, counterfeits }
    }
}

/// A file of a release: where it is staged, where it goes and what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedFile {
    /// Where it stands until it is put in place: an absolute path.
    pub staged: String,
    /// Where it goes: an absolute path.
    pub target: String,
    /// Its hash.
    pub hash: Hash,
}

/// A release as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// Its number in the series, from 1.
    pub number: u32,
    /// When it was made: seconds since 1970.
    pub time: i64,
    /// How it was made.
    pub facts: Facts,
    /// Its files by their targets, with their hashes.
    pub files: Vec<(String, Hash)>,
    /// The hash of the entry before it, of nothing but zeros for the first.
    pub previous: Hash,
    /// How many people it shows.
    pub n_shown: u32,
    /// How many people were held back.
    pub n_held_back: u32,
    /// How many people were suppressed.
    pub n_suppressed: u32,
    /// How many classes it has.
    pub n_classes: u32,
    /// How many rows belong to nobody.
    pub n_counterfeits: u32,
    /// How many people the series has had up to this release.
    pub n_people: u32,
    /// The sensitive values that appear for the first time, in the order of their numbers.
    pub(crate) values: Vec<String>,
    /// What commits to the rows of people and of classes, and to the named states.
    pub(crate) members: Hash,
    pub(crate) classes: Hash,
    pub(crate) states: Vec<(String, Hash)>,
    /// Binds the people who appear for the first time to this entry and no other.
    pub(crate) salt: [u8; 16],
}

impl Release {
    /// The number of people with a row.
    pub(crate) fn n_members(&self) -> u32 {
        self.n_shown + self.n_held_back + self.n_suppressed
    }
}

/// A series as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// How many releases it has.
    pub n_releases: u32,
    /// How many people it has had, those who were forgotten among them.
    pub n_people: u32,
    /// When the last release was made: seconds since 1970.
    pub time: i64,
    /// The hash of the last entry: it covers all before it.
    pub head: Hash,
}

/// One use of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// When: seconds since 1970.
    pub time: i64,
    /// What was done.
    pub what: What,
    /// With which outcome.
    pub outcome: String,
}

/// What was done with the ledger. The order of the variants is part of the file's format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum What {
    /// It was created.
    Created,
    /// Its schema was taken to a later version.
    Migrated {
        /// From which.
        from: u32,
    },
    /// Something was read.
    Read {
        /// What.
        what: String,
    },
    /// A release was published.
    Published {
        /// The series.
        series: String,
        /// The release.
        release: u32,
        /// The hash of its entry.
        entry: Hash,
    },
    /// A release was begun and given up.
    Abandoned {
        /// The series.
        series: String,
    },
    /// A release that was interrupted before any of its files was in place was undone.
    RolledBack {
        /// The series.
        series: String,
        /// The release.
        release: u32,
    },
    /// The chain was checked.
    Checked {
        /// The series.
        series: String,
    },
    /// A person was forgotten.
    Forgot {
        /// The series.
        series: String,
        /// The releases the person was in.
        releases: Vec<u32>,
    },
    /// The secret was replaced by another.
    Rekeyed,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Created => f.write_str("created the ledger"),
            Self::Migrated { from } => write!(f, "migrated it from schema {from}"),
            Self::Read { what } => write!(f, "read {what}"),
            Self::Published { series, release, .. } => {
                write!(f, "published release {release} of `{series}`")
            }
            Self::Abandoned { series } => write!(f, "gave up a release of `{series}`"),
            Self::RolledBack { series, release } => {
                write!(f, "undid release {release} of `{series}`, which was interrupted")
            }
            Self::Checked { series } => write!(f, "checked `{series}`"),
            Self::Forgot { series, .. } => write!(f, "forgot a person of `{series}`"),
            Self::Rekeyed => f.write_str("replaced the secret"),
        }
    }
}

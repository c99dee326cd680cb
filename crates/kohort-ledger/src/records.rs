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
    /// the same name. What is about one person does not belong here: it could not be forgotten.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The person, by number.
    pub person: u32,
    /// Whether and where the person is in what was published.
    pub standing: Standing,
    /// The true sensitive value, by number. The books keep the one that was published last of a person; that
    /// of somebody who is held back or suppressed is not stored.
    pub value: u32,
}

/// A person in a release as it is sealed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SealedMember {
    pub(crate) person: u32,
    pub(crate) standing: Standing,
}

/// What the books have of a person since a release: it replaces what they had before.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SealedPerson {
    pub(crate) person: u32,
    /// What the person's key becomes: see `Keys::tag`.
    pub(crate) tag: [u8; 16],
    /// The release that wrote the row: the last that shows the person, or the first with the person.
    pub(crate) release: u32,
    /// The true value in that release, where it shows the person.
    pub(crate) value: Option<u32>,
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
    /// For each person of the series, the last release that shows the person and the true value there.
    pub last: Vec<Option<LastShown>>,
    /// How many people were forgotten. Who comes again is somebody new to the books.
    pub n_forgotten: u32,
}

/// What was last published of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastShown {
    /// The last release that shows the person.
    pub release: u32,
    /// The true sensitive value in it, by number.
    pub value: u32,
}

/// A class as it was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// What it shows for each quasi-identifier.
    pub cells: Vec<String>,
    /// The sensitive values it shows.
    pub released: ReleasedClass,
    /// Its rows that belong to nobody: their values are among those that it shows.
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

/// A class as it is sealed. Its length is that of what was published: numbers have a fixed width, and a row
/// that belongs to nobody takes no more room than another.
#[derive(Serialize, Deserialize)]
pub(crate) struct SealedClass {
    cells: Vec<String>,
    /// The value of each row.
    values: Vec<[u8; 4]>,
    /// For each row 0, or the number of the counterfeit and 1.
    counterfeits: Vec<[u8; 4]>,
    n_counterfeits: [u8; 4],
}

impl SealedClass {
    /// The class, unless a counterfeit has a value that it does not show.
    pub(crate) fn new(class: &Class) -> Option<Self> {
        let values = &class.released.values;
        let mut counterfeits = vec![0_u32; values.len()];
        for counterfeit in &class.counterfeits {
            let is_free =
                |row: &usize| values[*row] == counterfeit.value && counterfeits[*row] == 0;
            let row = (0..values.len()).find(is_free)?;
            counterfeits[row] = counterfeit.id + 1;
        }
        let fixed = |numbers: &[u32]| numbers.iter().map(|number| number.to_le_bytes()).collect();
        Some(Self {
            cells: class.cells.clone(),
            values: fixed(values),
            counterfeits: fixed(&counterfeits),
            n_counterfeits: class.released.n_counterfeits.to_le_bytes(),
        })
    }
}

impl From<SealedClass> for Class {
    fn from(sealed: SealedClass) -> Self {
        let values: Vec<u32> = sealed.values.into_iter().map(u32::from_le_bytes).collect();
        let ids = sealed.counterfeits.into_iter().map(u32::from_le_bytes);
        let counterfeits = (values.iter().zip(ids))
            .filter(|&(_, id)| id > 0)
            .map(|(&value, id)| Counterfeit { id: id - 1, value })
            .collect();
        let n_counterfeits = u32::from_le_bytes(sealed.n_counterfeits);
        let released = ReleasedClass { values, n_counterfeits };
        Self { cells: sealed.cells, released, counterfeits }
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
    pub(crate) values: Vec<Value>,
    /// Values that earlier tables had and that this release is the first to show, by number.
    pub(crate) revealed: Vec<(u32, String)>,
    /// What commits to the people in the release, to its classes, and to the named states.
    pub(crate) members: Hash,
    pub(crate) classes: Hash,
    pub(crate) states: Vec<(String, Hash)>,
    /// What commits to the rows of everybody whom the series has had, as they are after this release.
    pub(crate) people: Hash,
}

/// A sensitive value as the books have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Value {
    /// Its text, as it was published.
    Published(String),
    /// What its text becomes while no release shows it: see `Keys::value_tag`.
    Hidden([u8; 16]),
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
    /// Everything was sealed anew, and what the hashes of before were is noted.
    Resealed {
        /// The heads of the ledger, in the order of the uses.
        heads: Vec<Hash>,
        /// The entries of all series.
        entries: Vec<Hash>,
    },
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
            Self::Resealed { .. } => f.write_str("sealed everything again"),
        }
    }
}

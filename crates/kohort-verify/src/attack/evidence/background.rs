//! What an adversary has beside the release: people and their quasi-identifiers, what is known of some of
//! them, how the release was made.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Dataset, Table};
use kohort_models::ClassModel;

/// People with their quasi-identifiers: a public table, or the original where everybody in it is known.
pub struct People<'a> {
    table: &'a Table,
    quasi: Vec<&'a Attribute>,
    are_members: bool,
}

impl<'a> People<'a> {
    /// The people of a table. Its quasi-identifiers are those that the release is compared by;
    /// `are_members` says that everybody in it is known to be in the released table.
    pub fn new(dataset: &'a Dataset, are_members: bool) -> Self {
        Self { table: dataset.table(), quasi: dataset.quasi(), are_members }
    }

    /// The number of people.
    pub fn len(&self) -> usize {
        self.table.n_rows()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The table.
    pub fn table(&self) -> &'a Table {
        self.table
    }

    /// The quasi-identifiers that are known of them.
    pub fn quasi(&self) -> &[&'a Attribute] {
        &self.quasi
    }

    /// Whether everybody is known to be in the released table.
    pub fn are_members(&self) -> bool {
        self.are_members
    }
}

/// What is known of the whole table that a release was made of.
#[derive(Clone, Debug, Default)]
pub struct Whole {
    /// Whether each person is in it; of those beyond the end everybody is.
    pub members: Vec<bool>,
    /// For each sensitive attribute of the release, how often each value occurs in the table. A value that
    /// the release does not show has no code.
    pub values: Vec<Vec<(Option<u32>, u64)>>,
}

impl Whole {
    /// Whether a person is in the table.
    pub fn is_member(&self, person: u32) -> bool {
        self.members.get(person as usize).copied().unwrap_or(true)
    }
}

/// What is known of some people, by their row in the table of people. Codes are those of the release.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    of_person: BTreeMap<u32, Facts>,
    // Whether somebody is in a release, by its place from 0 in a series and the person; people at the end of
    // whom nothing is known are left out.
    presence: Vec<Vec<Option<bool>>>,
    // People who have the same sensitive values.
    same: Vec<(u32, u32)>,
}

/// What is known of one person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whether the person is in the released table.
    pub is_member: Option<bool>,
    /// Values the person has: the index of a sensitive attribute and a code.
    pub has: Vec<(usize, u32)>,
    /// Values the person does not have.
    pub lacks: Vec<(usize, u32)>,
}

impl Knowledge {
    /// What is known of each person.
    pub fn new(of_person: BTreeMap<u32, Facts>) -> Self {
        Self { of_person, ..Self::default() }
    }

    /// Adds whether people are in releases of a series: by the place of a release, from 0, and a person.
    pub fn add_presence(&mut self, presence: impl IntoIterator<Item = ((usize, u32), bool)>) {
        for ((release, person), is_in) in presence {
            let (n_releases, n_people) = (release + 1, person as usize + 1);
            self.presence.resize(self.presence.len().max(n_releases), Vec::new());
            let of_release = &mut self.presence[release];
            of_release.resize(of_release.len().max(n_people), None);
            of_release[person as usize] = Some(is_in);
        }
    }

    /// Adds people who have the same sensitive values.
    pub fn add_same(&mut self, same: impl IntoIterator<Item = (u32, u32)>) {
        self.same.extend(same);
    }

    /// People who have the same sensitive values.
    pub fn same(&self) -> &[(u32, u32)] {
        &self.same
    }

    /// Whether no value is known of anybody, nor who is in the released table.
    pub fn is_empty(&self) -> bool {
        self.of_person.is_empty()
    }

    /// What is known of a person.
    pub fn of(&self, person: u32) -> Option<&Facts> {
        self.of_person.get(&person)
    }

    /// Whether a person is in a release of a series, where that is known.
    pub fn is_in_release(&self, person: u32, release: usize) -> Option<bool> {
        self.presence.get(release)?.get(person as usize).copied().flatten()
    }

    /// Whether it is known of so many people in which of so many releases each is.
    pub fn knows_presence(&self, n_people: u32, n_releases: usize) -> bool {
        let is_known = |release, person| self.is_in_release(person, release).is_some();
        (0..n_releases).all(|release| (0..n_people).all(|person| is_known(release, person)))
    }

    /// Everybody of whom something is known, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Facts)> {
        self.of_person.iter().map(|(&person, facts)| (person, facts))
    }
}

/// How values follow one another, as an adversary lists it: texts, for the series tells their numbers.
#[derive(Clone, Debug, Default)]
pub struct Correlated {
    /// The name of the file, for messages.
    pub source_name: String,
    /// The line of each pair in the file, and its earlier value, later value and probability.
    pub lines: Vec<(u64, [String; 3])>,
}

/// How a release says it was made. An adversary reads it too.
#[derive(Clone, Copy, Default)]
pub struct Declared<'a> {
    /// The algorithm's id.
    pub algorithm: Option<&'a str>,
    /// What was promised; each model names a sensitive attribute by its index.
    pub models: &'a [Box<dyn ClassModel + 'a>],
    /// The largest probability of a value that was promised over a whole series of releases.
    pub series: Option<f64>,
    /// The quasi-identifiers that are columns of texts, whatever their texts look like.
    pub texts: &'a [String],
    /// The values that taxonomies list: a table of one quasi-identifier for each.
    pub taxonomies: &'a [Dataset],
    /// The values that were called highly sensitive: the index of a sensitive attribute and codes of the
    /// release, ascending.
    pub high: Option<(usize, &'a [u32])>,
}

impl Declared<'_> {
    /// The largest probability of one record for a person that the promises allow.
    pub fn record_bound(&self) -> Option<f64> {
        let smallest = self.models.iter().map(|model| model.smallest()).max()?;
        (smallest > 1).then(|| 1.0 / smallest as f64)
    }

    /// The largest probability of one value of a sensitive attribute that the promises allow.
    pub fn value_bound(&self, attribute: usize) -> Option<f64> {
        let of_one = |model: &dyn ClassModel| {
            let (index, share) = model.largest_share()?;
            (index == attribute).then_some(share.value())
        };
        let of_all = |model: &dyn ClassModel| model.diversity_of_all().map(|l| 1.0 / l as f64);
        let models = self.models.iter().map(AsRef::as_ref);
        models.filter_map(|model| of_one(model).or_else(|| of_all(model))).reduce(f64::min)
    }
}

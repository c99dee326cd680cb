//! What everybody has seen of a series of releases: who was in which class, and what the classes showed.
//!
//! It says nothing of which person has which value: an adversary who knows everybody's quasi-identifiers
//! and presence has all of it.

/// The class of a person who is not in a release.
pub const ABSENT: u32 = u32::MAX;

/// The releases of a series so far, in order.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The number of sensitive values that occur anywhere in the series; values are numbered from 0, and
    /// a value keeps its number.
    pub n_values: u32,
    /// The releases, the oldest first.
    pub releases: Vec<SeriesRelease>,
}

/// One release of a series.
#[derive(Clone, Debug, Default)]
pub struct SeriesRelease {
    /// The class of each person of the series, or `ABSENT`. People are numbered from 0 in the order in
    /// which they first appear, and keep their number; whoever appears later is not in the list.
    pub class_of: Vec<u32>,
    /// The classes.
    pub classes: Vec<ReleasedClass>,
}

/// What a class of a release shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleasedClass {
    /// The sensitive values in ascending order, each as often as it is shown, those of counterfeits
    /// among them.
    pub values: Vec<u32>,
    /// How many of them belong to nobody, where that is published.
    pub n_counterfeits: u32,
}

impl SeriesRelease {
    /// The class of a person, if the person is in the release.
    pub fn class_of(&self, person: u32) -> Option<u32> {
        self.class_of.get(person as usize).copied().filter(|&class| class != ABSENT)
    }

    /// The number of people who are in the release.
    pub fn n_people(&self) -> usize {
        self.class_of.iter().filter(|&&class| class != ABSENT).count()
    }
}

impl ReleasedClass {
    /// The different values, in ascending order.
    pub fn signature(&self) -> Vec<u32> {
        let mut values = self.values.clone();
        values.dedup();
        values
    }
}

impl History {
    /// The number of people who appear anywhere.
    pub fn n_people(&self) -> usize {
        self.releases.iter().map(|release| release.class_of.len()).max().unwrap_or(0)
    }

    /// The last release a person is in, and the class there.
    pub fn last_class(&self, person: u32) -> Option<(usize, &ReleasedClass)> {
        let found = self.releases.iter().enumerate().rev();
        found.into_iter().find_map(|(index, release)| {
            Some((index, &release.classes[release.class_of(person)? as usize]))
        })
    }
}

//! Releases of a series judged one after another, as far as it can be derived who is in which class.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, Error, History, ReleasedClass, SeriesRelease};
use kohort_models::series::{ClassBox, Correlations, SeriesModel, few_people, signatures_are_kept};

use super::next::NextRelease;
use super::published::PublishedRelease;
use super::reason::SeriesReason;
use crate::Whereabouts;

/// People who are followed by their keys through the classes they are in for certain.
pub struct FollowedPeople {
    model: SeriesModel,
    number_of: BTreeMap<String, u32>,
    releases: Vec<SeriesRelease>,
    // The sensitive attribute of each release.
    sensitive: Vec<String>,
    // The rows of the original of each release.
    rows: Vec<Vec<FollowedRow>>,
    // Whether each class, and not only what it shows, is known.
    is_exact: bool,
    // The releases, from 1, in which every row is somebody's and everybody has one.
    complete: Vec<usize>,
}

#[derive(Clone, Copy)]
struct FollowedRow {
    person: u32,
    value: u32,
    // Whether it follows in which class the person is.
    is_placed: bool,
}

impl FollowedPeople {
    /// Nobody yet: releases are added, the oldest first.
    pub fn new(model: SeriesModel) -> Self {
        Self {
            model,
            number_of: BTreeMap::new(),
            releases: Vec::new(),
            sensitive: Vec::new(),
            rows: Vec::new(),
            is_exact: false,
            complete: Vec::new(),
        }
    }

    /// One more release, which has its original; `keys` names the person of each row of the original.
    /// `is_matched` says that every row is somebody's and everybody has one.
    pub fn add(
        &mut self,
        one: &PublishedRelease<'_>,
        keys: &[&str],
        is_matched: bool,
    ) -> Result<(), Error> {
        let found = one.whereabouts(self.model, is_matched)?;
        self.complete.extend(is_matched.then_some(self.releases.len() + 1));
        let of = |kinds: &[u32]| {
            let class_of = |found: &Whereabouts| found.class_of(kinds);
            found.as_ref().map(class_of).unwrap_or_default()
        };
        let identity: Vec<u32> = (0..).zip(one.classes()).map(|(class, _)| class).collect();
        let exact = of(&identity);
        let is_exact = !exact.contains(&ABSENT);
        self.is_exact = is_exact && (self.is_exact || self.releases.is_empty());
        let class_of_row = match self.model {
            SeriesModel::Bcf(_) => exact,
            SeriesModel::MInvariance(_) | SeriesModel::EEquivalence(_) => {
                of(&one.kinds(ReleasedClass::signature))
            }
            _ => of(&one.kinds(|class| class.values.clone())),
        };
        let mut class_of = vec![ABSENT; self.number_of.len()];
        let mut rows = Vec::with_capacity(keys.len());
        for ((key, &value), &class) in keys.iter().zip(one.values()).zip(&class_of_row) {
            let next = u32::try_from(self.number_of.len()).expect("people are fewer than rows");
            let person = *self.number_of.entry((*key).to_owned()).or_insert(next);
            class_of.resize(class_of.len().max(person as usize + 1), ABSENT);
            class_of[person as usize] = class;
            rows.push(FollowedRow { person, value, is_placed: class != ABSENT });
        }
        self.rows.push(rows);
        self.sensitive.push(one.sensitive().to_owned());
        self.releases.push(SeriesRelease { class_of, classes: one.classes().to_vec() });
        Ok(())
    }

    /// Everybody of all originals.
    pub fn n_people(&self) -> usize {
        self.number_of.len()
    }

    /// How many people of each original are in a class for certain.
    pub fn n_placed(&self) -> Vec<u64> {
        let placed = |rows: &Vec<FollowedRow>| rows.iter().filter(|row| row.is_placed).count();
        self.rows.iter().map(|rows| placed(rows) as u64).collect()
    }

    /// How many people are in a class that does not follow, in some release.
    pub fn n_open(&self) -> u64 {
        self.is_open().into_iter().filter(|&is_open| is_open).count() as u64
    }

    /// Whether the class of everybody follows in every release.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// The releases, from 1, in which every row is somebody's and everybody has one.
    pub fn complete(&self) -> &[usize] {
        &self.complete
    }

    /// Whether worlds would be gone through if it were known who is in which class.
    pub fn has_few_people(&self) -> bool {
        few_people(&History { n_values: 0, releases: self.releases.clone() }).is_some()
    }

    /// How often somebody's value is another one than in the original before.
    pub fn n_changed(&self) -> u64 {
        let mut last: BTreeMap<(&str, u32), u32> = BTreeMap::new();
        let mut n = 0;
        for (attribute, rows) in self.sensitive.iter().zip(&self.rows) {
            for &FollowedRow { person, value, .. } in rows {
                let before = last.insert((attribute, person), value);
                n += u64::from(before.is_some_and(|before| before != value));
            }
        }
        n
    }

    fn is_open(&self) -> Vec<bool> {
        let mut is_open = vec![false; self.number_of.len()];
        for row in self.rows.iter().flatten() {
            is_open[row.person as usize] |= !row.is_placed;
        }
        is_open
    }

    /// Each release after those before it: the first, from 0, that breaks the promise, and why.
    pub fn judge(
        &self,
        boxes: &[Vec<ClassBox>],
        correlations: Option<&Correlations>,
        n_values: u32,
    ) -> Option<(usize, SeriesReason)> {
        let is_open = self.is_open();
        // Of people whose class is unknown somewhere, less than all that is known may say more, or something
        // else.
        let is_left_out = !matches!(
            self.model,
            SeriesModel::MInvariance(_) | SeriesModel::EEquivalence(_) | SeriesModel::Global(_)
        );
        let mut history = History { n_values, releases: Vec::new() };
        for (at, release) in self.releases.iter().enumerate() {
            let mut release = release.clone();
            for (class, &is_open) in release.class_of.iter_mut().zip(&is_open) {
                if is_open && is_left_out {
                    *class = ABSENT;
                }
            }
            let judged = match self.model {
                SeriesModel::EEquivalence(_) if !self.is_exact => {
                    signatures_are_kept(&history, &release).map_err(Into::into)
                }
                model => {
                    let next = NextRelease {
                        history: &history,
                        release: &release,
                        boxes,
                        sensitive: &self.sensitive,
                        correlations,
                        is_exact: self.is_exact,
                    };
                    next.keeps(model, false).map(|_| ())
                }
            };
            if let Err(reason) = judged {
                return Some((at, SeriesReason::AfterEarlier(Box::new(reason))));
            }
            history.releases.push(release);
        }
        None
    }
}

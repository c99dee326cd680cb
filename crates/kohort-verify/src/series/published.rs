//! Anybody's release of a series: its classes, whether they keep what classes can keep, and whether it is true
//! of its original.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Codes, Dataset, Error, History, ReleasedClass, SeriesRelease, Table, visible};
use kohort_models::series::{ClassBox, Correlations, SeriesModel};

use super::next::{NextRelease, smoothed};
use super::reason::{SeriesReason, Uncounted};
use super::{GROUP, texts};
use crate::attack::{People, Released};
use crate::{Whereabouts, class_boxes, truth};

/// The sensitive values of a series by number.
#[derive(Default)]
pub struct SeriesValues {
    number_of: BTreeMap<String, u32>,
}

impl SeriesValues {
    /// The number of a value. Texts that look the same are one value.
    pub fn number(&mut self, text: &str) -> u32 {
        let next = self.count();
        *self.number_of.entry(visible(text).into_owned()).or_insert(next)
    }

    /// How many values there are.
    pub fn count(&self) -> u32 {
        u32::try_from(self.number_of.len()).expect("values are fewer than rows")
    }
}

/// The files of a release, and what the plan says of them.
#[derive(Clone)]
pub struct ReleaseFiles<'a> {
    /// The rows.
    pub table: &'a Table,
    /// Whether a column of groups says which class a row is in.
    pub has_groups: bool,
    /// How many rows of a group belong to nobody, where that is published.
    pub counterfeits: &'a BTreeMap<String, u32>,
    /// The most counterfeits that a class may have where nobody counts them.
    pub most_counterfeits: u32,
    /// The quasi-identifiers that it shows.
    pub quasi: Vec<String>,
    /// The sensitive attribute that it shows.
    pub sensitive: String,
}

/// A release as it was read, and its original.
pub struct PublishedRelease<'a> {
    files: ReleaseFiles<'a>,
    classes: Vec<ReleasedClass>,
    original: Option<Dataset>,
    // The value of each row of the original.
    values: Vec<u32>,
    // What is wrong with the files.
    problems: Vec<SeriesReason>,
}

/// A release compared with its original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgainstOriginal {
    /// The rows of the original.
    pub rows: u64,
    /// The people of the original who are not in the release.
    pub held_back: u64,
    /// The released rows that cover no row of the original.
    pub uncovered: u64,
}

impl<'a> PublishedRelease<'a> {
    /// Reads the classes of a release.
    pub fn read(files: ReleaseFiles<'a>, values: &mut SeriesValues) -> Result<Self, Error> {
        let mut one = Self {
            files,
            classes: Vec::new(),
            original: None,
            values: Vec::new(),
            problems: Vec::new(),
        };
        let released = one.released()?;
        let n_classes = released.n_classes();
        let mut classes = vec![ReleasedClass { values: Vec::new(), n_counterfeits: 0 }; n_classes];
        let shapes = &released.shapes().ids;
        let sensitive = one.table().column(&one.files.sensitive)?;
        for (&shape, text) in shapes.iter().zip(texts(sensitive)) {
            let class = released.class_of_shape(shape) as usize;
            classes[class].values.push(values.number(text));
        }
        let mut n_shapes = vec![0_u32; n_classes];
        for shape in 0..released.n_shapes() {
            n_shapes[released.class_of_shape(shape) as usize] += 1;
        }
        let mut only_counterfeits = 0;
        for (class, found) in (0..).zip(&mut classes) {
            found.values.sort_unstable();
            let n_rows = released.size_of_class(class);
            // A number above the rows leaves none that is somebody's.
            found.n_counterfeits = n_rows - released.n_people_of_class(class);
            let is_only = found.n_counterfeits > 0 && found.n_counterfeits == n_rows;
            only_counterfeits += u64::from(is_only);
        }
        drop(released);
        let uneven = n_shapes.iter().filter(|&&n| n > 1).count() as u64;
        let unknown = one.unknown_groups()?;
        let problems = [
            (uneven, SeriesReason::UnevenClasses { classes: uneven }),
            (only_counterfeits, SeriesReason::OnlyCounterfeits { classes: only_counterfeits }),
            (unknown, SeriesReason::UnknownGroups { groups: unknown }),
        ];
        let problems = problems.into_iter().filter(|&(n, _)| n > 0);
        one.problems = problems.map(|(_, problem)| problem).collect();
        one.classes = classes;
        Ok(one)
    }

    /// The same with the table that it was made from.
    pub fn with_original(
        mut self,
        original: Dataset,
        values: &mut SeriesValues,
    ) -> Result<Self, Error> {
        let column = original.table().column(&self.files.sensitive)?;
        let numbers: Vec<u32> =
            column.dictionary().iter().map(|text| values.number(text)).collect();
        self.values = column.codes().iter().map(|entry| numbers[entry as usize]).collect();
        self.original = Some(original);
        Ok(self)
    }

    /// The rows.
    pub fn table(&self) -> &Table {
        self.files.table
    }

    /// The sensitive attribute that it shows.
    pub fn sensitive(&self) -> &str {
        &self.files.sensitive
    }

    /// What each class shows.
    pub fn classes(&self) -> &[ReleasedClass] {
        &self.classes
    }

    /// The table that it was made from, where that is given.
    pub fn original(&self) -> Option<&Dataset> {
        self.original.as_ref()
    }

    /// The value of each row of the original.
    pub(super) fn values(&self) -> &[u32] {
        &self.values
    }

    /// The rows that are counted as nobody's.
    pub fn n_counterfeits(&self) -> u64 {
        self.classes.iter().map(|class| u64::from(class.n_counterfeits)).sum()
    }

    /// Why the release is rejected by itself; and how it compares with its original, where that is given.
    pub fn judge(
        &self,
        model: SeriesModel,
        correlations: Option<&Correlations>,
        n_values: u32,
    ) -> Result<(Vec<SeriesReason>, Option<AgainstOriginal>), Error> {
        let mut reasons = self.problems.clone();
        reasons.extend(self.keeps(model, correlations, n_values).err());
        let original = match &self.original {
            None => None,
            Some(original) => Some(self.compare(original, model, &mut reasons)?),
        };
        Ok((reasons, original))
    }

    /// The release as an adversary reads it.
    fn released(&self) -> Result<Released<'_>, Error> {
        let ReleaseFiles { table, has_groups, counterfeits, ref quasi, .. } = self.files;
        let quasi: Vec<&str> = quasi.iter().map(String::as_str).collect();
        if has_groups {
            Released::of_classes(table, &quasi, GROUP, counterfeits, Vec::new())
        } else {
            Released::new(table, &quasi, None, Vec::new())
        }
    }

    /// How many groups counterfeits are counted of that are not in the release.
    fn unknown_groups(&self) -> Result<u64, Error> {
        if self.files.counterfeits.is_empty() {
            return Ok(0);
        }
        let groups: BTreeSet<&str> = self.table().column(GROUP)?.dictionary().iter().collect();
        let counted = self.files.counterfeits.keys();
        Ok(counted.filter(|group| !groups.contains(group.as_str())).count() as u64)
    }

    /// Whether the classes keep the promise as far as a release alone can: for somebody in each of them.
    fn keeps(
        &self,
        model: SeriesModel,
        correlations: Option<&Correlations>,
        n_values: u32,
    ) -> Result<(), SeriesReason> {
        let class_of: Vec<u32> = (0..).zip(&self.classes).map(|(class, _)| class).collect();
        let release = SeriesRelease { class_of, classes: self.classes.clone() };
        if let SeriesModel::RhoDifferent(model) = model {
            let people = release.class_of.clone();
            let all = History { n_values, releases: vec![release] };
            let found = smoothed(model, &all, (correlations, false), &people);
            let classes = found.n_people_above as u64;
            let reason = SeriesReason::BelievedInClasses { classes, rho: model.rho() };
            return if found.holds() { Ok(()) } else { Err(reason) };
        }
        let next = NextRelease {
            history: &History { n_values, releases: Vec::new() },
            release: &release,
            boxes: &[Vec::new()],
            sensitive: std::slice::from_ref(&self.files.sensitive),
            correlations,
            is_exact: false,
        };
        next.keeps(model, false).map(|_| ())
    }

    /// Whether every row is somebody's of the same value, but for those that are counterfeits.
    fn compare(
        &self,
        original: &Dataset,
        model: SeriesModel,
        reasons: &mut Vec<SeriesReason>,
    ) -> Result<AgainstOriginal, Error> {
        let shown = self.table().only(|name| !self.files.has_groups || name != GROUP);
        // The ledger of a series keeps the texts of its values, and not their lexical form.
        let found = truth(&shown.texts_alone(), original, None, None)?;
        let (n_rows, uncovered) = (original.n_rows() as u64, found.uncovered_rows());
        let n_counterfeits = self.n_counterfeits();
        let (allowed, counterfeits) = if model.counts_counterfeits() {
            (n_counterfeits, Uncounted::ByRelease)
        } else {
            let most = self.files.most_counterfeits;
            (u64::from(most) * self.classes.len() as u64, Uncounted::ByPlan { most })
        };
        if uncovered > allowed {
            reasons.push(SeriesReason::Nobodys { rows: uncovered, counterfeits });
        }
        for (column, place) in found.nowhere() {
            let column = column.clone();
            reasons.push(SeriesReason::CoversNobody { column, place: *place });
        }
        let shown = (self.table().n_rows() as u64).saturating_sub(n_counterfeits.max(uncovered));
        let held_back = n_rows.saturating_sub(shown);
        Ok(AgainstOriginal { rows: n_rows, held_back, uncovered })
    }

    /// Where the people of the original are, as far as that can be derived. Where a model does not count
    /// counterfeits and `is_matched`, there are none: every row is somebody's, and everybody's row is there.
    /// Else any class may have as many as the plan allows, and anybody may have been held back.
    pub(super) fn whereabouts(
        &self,
        model: SeriesModel,
        is_matched: bool,
    ) -> Result<Option<Whereabouts>, Error> {
        let Some(original) = &self.original else { return Ok(None) };
        let mut classes = self.classes.clone();
        let mut n_nobody = self.n_counterfeits();
        if !model.counts_counterfeits() {
            let most = if is_matched { 0 } else { self.files.most_counterfeits };
            for class in &mut classes {
                class.n_counterfeits = most;
            }
            // More than there are rows: how many there are is not known.
            n_nobody = if most == 0 { 0 } else { self.table().n_rows() as u64 + 1 };
        }
        let (released, people) = (self.released()?, People::new(original, true));
        Whereabouts::find(&released, &people, (&self.values, &classes), n_nobody).map(Some)
    }

    /// The box of each class over the codes of a table.
    pub fn boxes(&self, dataset: &Dataset) -> Result<Vec<ClassBox>, Error> {
        let released = self.released()?;
        let mut rows = vec![0; released.n_classes()];
        for shape in (0..released.n_shapes()).rev() {
            rows[released.class_of_shape(shape) as usize] = released.row_of_shape(shape);
        }
        let columns = self.table().columns().iter().map(|column| column.select(&rows)).collect();
        let (name, missing) = (self.table().name().to_owned(), self.table().missing().clone());
        class_boxes(&Table::new(name, columns, false, missing), dataset)
    }

    /// A number for each class, the same for classes of one kind.
    pub(super) fn kinds<K: Ord>(&self, kind: impl Fn(&ReleasedClass) -> K) -> Vec<u32> {
        let mut numbers: BTreeMap<K, u32> = BTreeMap::new();
        let mut of_class = Codes::default();
        for class in &self.classes {
            let next = u32::try_from(numbers.len()).expect("classes are fewer than rows");
            of_class.push(*numbers.entry(kind(class)).or_insert(next));
        }
        of_class.iter().collect()
    }
}

//! One release of a series: its classes, and whether they keep what classes can keep; and whether it is true
//! of its original.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Codes, Column, Dataset, History, ReleasedClass, SeriesRelease, Table, visible};
use kohort_models::series::{Broken, ClassBox, Correlations};
use kohort_verify::attack::{People, Released};
use kohort_verify::{Whereabouts, class_boxes, masked_texts, truth};

use super::super::buckets::shown_in_buckets;
use super::super::method::Model;
use super::super::people::texts;
use super::super::promise::{Case, followed};
use super::{Made, OriginalAnswer, ReleaseVerdict};
use crate::attack::{Groups, Publication};
use crate::diagnose::count;
use crate::load::{Quantiles, assign_roles, assign_roles_by, missing_in_series, refused};
use crate::plan::{AttributePlan, Plan, RoleName};
use crate::release::GROUP;
use crate::{Error, Kind};

/// The sensitive values of a series by number.
#[derive(Default)]
pub(super) struct Values {
    number_of: BTreeMap<String, u32>,
}

impl Values {
    /// Texts that look the same are one value.
    pub(super) fn number(&mut self, text: &str) -> u32 {
        let next = self.len();
        *self.number_of.entry(visible(text).into_owned()).or_insert(next)
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.number_of.len()).expect("values are fewer than rows")
    }
}

/// A release as it was read, and its original.
pub(super) struct One<'a> {
    plan: &'a Plan,
    publication: &'a Publication,
    pub(super) sensitive: String,
    quasi: Vec<String>,
    /// What each class shows.
    pub(super) classes: Vec<ReleasedClass>,
    pub(super) original: Option<Dataset>,
    /// The value of each row of the original.
    pub(super) values: Vec<u32>,
    // What is wrong with the files.
    problems: Vec<String>,
}

/// Whether a method says how many rows are nobody's.
pub(super) fn tells(model: Model) -> bool {
    !matches!(model, Model::RhoDifferent(_))
}

/// The columns of a release, but for that of its groups.
pub(super) fn columns(release: &Publication) -> Vec<&str> {
    let names = release.table.columns().iter().map(Column::name);
    names.filter(|&name| release.groups == Groups::None || name != GROUP).collect()
}

impl<'a> One<'a> {
    pub(super) fn read(
        plan: &'a Plan,
        made: &'a Made,
        values: &mut Values,
        notes: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let Made { release: publication, original } = made;
        let (own, sensitive) = own_plan(plan, publication, notes)?;
        let role = |name: &&str| own.attributes.get(*name).map(|attribute| attribute.full().role);
        let quasi: Vec<String> = (columns(publication).into_iter())
            .filter(|name| role(name) == Some(RoleName::Quasi))
            .map(str::to_owned)
            .collect();
        if quasi.is_empty() {
            return Err(Kind::NothingAsked.into());
        }
        let mut one = Self {
            plan,
            publication,
            sensitive,
            quasi,
            classes: Vec::new(),
            original: None,
            values: Vec::new(),
            problems: Vec::new(),
        };
        missing_in_series(one.table(), &one.sensitive, &own)?;
        one.refuse_masked(&own, original.as_ref())?;
        one.check_labels(&own)?;
        one.read_classes(values)?;
        if let Some(original) = original {
            let mut loaded = assign_roles(&own, original.clone())?;
            notes.extend(loaded.notes);
            let shown = match shown_in_buckets(&loaded.value)? {
                Cow::Owned(shown) => Some(shown),
                Cow::Borrowed(_) => None,
            };
            loaded.value = shown.unwrap_or(loaded.value);
            let column = loaded.value.table().column(&one.sensitive)?;
            let numbers: Vec<u32> =
                column.dictionary().iter().map(|text| values.number(text)).collect();
            one.values = column.codes().iter().map(|entry| numbers[entry as usize]).collect();
            one.original = Some(loaded.value);
        }
        Ok(one)
    }

    /// Refuses a release with sensitive cells that do not show one value.
    fn refuse_masked(&self, own: &Plan, original: Option<&Table>) -> Result<(), Error> {
        let full = own.attributes.get(&self.sensitive).map(AttributePlan::full);
        let column = self.table().column(&self.sensitive)?;
        let of_original = original.map(|original| original.column(&self.sensitive)).transpose()?;
        let is_known =
            |text: &str| of_original.is_some_and(|of| of.dictionary().find(text).is_some());
        let has_buckets = full.as_ref().is_some_and(|full| full.buckets.is_some());
        let declared = full.and_then(|full| full.value_type).filter(|_| !has_buckets);
        let is_masked = masked_texts(self.table(), column, declared.map(Into::into), &|text| {
            is_known(text).then_some(true)
        });
        let Some(masked) = (0..).zip(is_masked).find_map(|(entry, is)| is.then_some(entry)) else {
            return Ok(());
        };
        let (table, place) = (self.table().name().to_owned(), self.table().place(column, masked));
        let (column, what) = (self.sensitive.clone(), "a series");
        Err(kohort_core::Error::new(kohort_core::Kind::Masked { table, place, column, what })
            .into())
    }

    /// Refuses a release that shows something else than labels where the plan promises buckets.
    fn check_labels(&self, own: &Plan) -> Result<(), Error> {
        let has_buckets = |attribute: &AttributePlan| attribute.full().buckets.is_some();
        if !own.attributes.get(&self.sensitive).is_some_and(has_buckets) {
            return Ok(());
        }
        let mut only = own.clone();
        only.attributes.retain(|name, _| *name == self.sensitive);
        let table = self.table().only(|name| name == self.sensitive);
        let shown = assign_roles_by(&only, table, Quantiles::Of(None))?.value;
        let rule = shown.sensitive()[0].buckets().cloned();
        let column = shown.table().column(&self.sensitive)?;
        let is_shown = |text: &&str| !shown.table().missing().is(text);
        let is_label = |text: &str| {
            rule.as_ref().is_some_and(|rule| rule.is_label(text, column.date_format()))
        };
        if column.dictionary().iter().filter(is_shown).all(is_label) {
            return Ok(());
        }
        Err(refused(
            format!(
                "{} shows values of `{}`, and the plan promises buckets: over several releases, \
                 single values show whose they are",
                self.table().name(),
                self.sensitive
            ),
            "a series shows buckets instead of values",
        ))
    }

    /// The release as an adversary reads it.
    fn released(&self) -> Result<Released<'_>, Error> {
        let table = &self.publication.table;
        let quasi: Vec<&str> = self.quasi.iter().map(String::as_str).collect();
        let counterfeits = &self.publication.counterfeits;
        Ok(match self.publication.groups {
            Groups::Classes => {
                Released::of_classes(table, &quasi, GROUP, counterfeits, Vec::new())?
            }
            Groups::None | Groups::Anatomized => Released::new(table, &quasi, None, Vec::new())?,
        })
    }

    fn read_classes(&mut self, values: &mut Values) -> Result<(), Error> {
        let released = self.released()?;
        let n_classes = released.n_classes();
        let mut classes = vec![ReleasedClass { values: Vec::new(), n_counterfeits: 0 }; n_classes];
        let shapes = &released.shapes().ids;
        for (&shape, text) in shapes.iter().zip(texts(self.table().column(&self.sensitive)?)) {
            let class = released.class_of_shape(shape) as usize;
            classes[class].values.push(values.number(text));
        }
        let mut n_shapes = vec![0_u32; n_classes];
        for shape in 0..released.n_shapes() {
            n_shapes[released.class_of_shape(shape) as usize] += 1;
        }
        let mut n_over = 0;
        for (class, found) in (0..).zip(&mut classes) {
            found.values.sort_unstable();
            let n_rows = released.size_of_class(class);
            // A number above the rows leaves none that is somebody's.
            found.n_counterfeits = n_rows - released.n_people_of_class(class);
            n_over += u64::from(found.n_counterfeits > 0 && found.n_counterfeits == n_rows);
        }
        drop(released);
        let n_uneven = n_shapes.iter().filter(|&&n| n > 1).count() as u64;
        let mut problems = Vec::new();
        if n_uneven > 0 {
            let classes = count(n_uneven, "class shows", "classes show");
            problems.push(format!("{classes} different cells in different rows"));
        }
        if n_over > 0 {
            let classes = count(n_over, "class has", "classes have");
            problems.push(format!("{classes} no row that is not counted as a counterfeit"));
        }
        if let Some(n) = self.nowhere()? {
            let groups = count(n, "group", "groups");
            problems.push(format!("counterfeits are counted of {groups} that are not there"));
        }
        (self.classes, self.problems) = (classes, problems);
        Ok(())
    }

    /// How many groups counterfeits are counted of, and are not in the release.
    fn nowhere(&self) -> Result<Option<u64>, Error> {
        if self.publication.counterfeits.is_empty() {
            return Ok(None);
        }
        let there: BTreeSet<&str> = self.table().column(GROUP)?.dictionary().iter().collect();
        let told = self.publication.counterfeits.keys();
        let n = told.filter(|group| !there.contains(group.as_str())).count() as u64;
        Ok((n > 0).then_some(n))
    }

    fn table(&self) -> &Table {
        &self.publication.table
    }

    pub(super) fn n_counterfeits(&self) -> u64 {
        self.classes.iter().map(|class| u64::from(class.n_counterfeits)).sum()
    }

    /// What can be judged of the release by itself.
    pub(super) fn judge(
        &self,
        number: usize,
        model: Model,
        correlations: Option<&Correlations>,
        n_values: u32,
    ) -> Result<ReleaseVerdict, Error> {
        let mut reasons = self.problems.clone();
        if let Err(Broken(why)) = self.keeps(model, correlations, n_values) {
            reasons.push(why);
        }
        let original = match &self.original {
            None => None,
            Some(original) => Some(self.compare(original, model, &mut reasons)?),
        };
        let sizes = self.classes.iter().map(|class| class.values.len() as u64);
        Ok(ReleaseVerdict {
            release: number,
            file: self.table().name().to_owned(),
            rows: self.table().n_rows() as u64,
            classes: self.classes.len() as u64,
            k: sizes.min().unwrap_or(0),
            counterfeits: tells(model).then(|| self.n_counterfeits()),
            reasons,
            original,
        })
    }

    /// Whether the classes keep the promise as far as a release alone can: for somebody in each of them.
    fn keeps(
        &self,
        model: Model,
        correlations: Option<&Correlations>,
        n_values: u32,
    ) -> Result<(), Broken> {
        let class_of = (0..).zip(&self.classes).map(|(class, _)| class).collect();
        let next = SeriesRelease { class_of, classes: self.classes.clone() };
        let history = History { n_values, releases: Vec::new() };
        if let Model::RhoDifferent(model) = model {
            let people: Vec<u32> = next.class_of.clone();
            let all = History { n_values, releases: vec![next] };
            let found = followed(model, &all, (correlations, false), &people);
            let n = found.n_people_above as u64;
            let classes = count(n, "class in which", "classes in which");
            let rho = model.rho();
            return if found.holds() {
                Ok(())
            } else {
                Err(Broken(format!("{classes} a value is believed with more than {rho}")))
            };
        }
        let boxes = vec![Vec::new()];
        let sensitive = std::slice::from_ref(&self.sensitive);
        let case = Case {
            history: &history,
            next: &next,
            boxes: &boxes,
            sensitive,
            correlations,
            is_exact: false,
        };
        case.judge(model, false).map(|_| ())
    }

    /// Whether every row is somebody's of the same value, but for those that are counterfeits.
    fn compare(
        &self,
        original: &Dataset,
        model: Model,
        reasons: &mut Vec<String>,
    ) -> Result<OriginalAnswer, Error> {
        let shown =
            self.table().only(|name| self.publication.groups == Groups::None || name != GROUP);
        // The values of a series are texts of its ledger, which does not know how they stood.
        let shown = shown.texts_alone();
        let found = truth(&shown, original, None, None)?;
        let (n_rows, uncovered) = (original.n_rows() as u64, found.uncovered_rows());
        let n_counterfeits = self.n_counterfeits();
        let (allowed, told) = if tells(model) {
            (n_counterfeits, "more than are counted as counterfeits")
        } else {
            let most = u64::from(self.most_counterfeits());
            let told = match most {
                0 => "and the plan allows no counterfeits (`most-counterfeits`)",
                _ => "more than the plan allows counterfeits (`most-counterfeits`)",
            };
            (most * self.classes.len() as u64, told)
        };
        if uncovered > allowed {
            let rows = count(uncovered, "row covers", "rows cover");
            reasons.push(format!("{rows} nobody of the original with that value, {told}"));
        }
        for (column, place) in found.nowhere() {
            reasons.push(format!("{place}, column `{column}`: a cell that covers nobody"));
        }
        let shown = (self.table().n_rows() as u64).saturating_sub(n_counterfeits.max(uncovered));
        let held_back = n_rows.saturating_sub(shown);
        Ok(OriginalAnswer { rows: n_rows, held_back, uncovered, placed: None })
    }

    /// Where the people of the original are, as far as it follows. Where a method does not tell its
    /// counterfeits and `is_matched`, there are none: every row is somebody's, and everybody's row is there.
    /// Else any class may have as many as the plan allows, and anybody may have been held back.
    pub(super) fn whereabouts(
        &self,
        model: Model,
        is_matched: bool,
    ) -> Result<Option<Whereabouts>, Error> {
        let Some(original) = &self.original else { return Ok(None) };
        let mut classes = self.classes.clone();
        let mut n_nobody = self.n_counterfeits();
        if !tells(model) {
            let most = if is_matched { 0 } else { self.most_counterfeits() };
            for class in &mut classes {
                class.n_counterfeits = most;
            }
            // More than there are rows: how many there are is not known.
            n_nobody = if most == 0 { 0 } else { self.table().n_rows() as u64 + 1 };
        }
        let (released, people) = (self.released()?, People::new(original, true));
        let found = Whereabouts::find(&released, &people, (&self.values, &classes), n_nobody)?;
        Ok(Some(found))
    }

    /// The most counterfeits that a class may have where nobody counts them.
    fn most_counterfeits(&self) -> u32 {
        self.plan.series.most_counterfeits.unwrap_or(0)
    }

    /// The box of each class over the codes of a table.
    pub(super) fn boxes(&self, dataset: &Dataset) -> Result<Vec<ClassBox>, Error> {
        let released = self.released()?;
        let mut rows = vec![0; released.n_classes()];
        for shape in (0..released.n_shapes()).rev() {
            rows[released.class_of_shape(shape) as usize] = released.row_of_shape(shape);
        }
        let columns = self.table().columns().iter().map(|column| column.select(&rows)).collect();
        let (name, missing) = (self.table().name().to_owned(), self.table().missing().clone());
        Ok(class_boxes(&Table::new(name, columns, false, missing), dataset)?)
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

/// The plan of one release: with its own columns, those that the plan does not name as quasi-identifiers.
fn own_plan(
    plan: &Plan,
    release: &Publication,
    notes: &mut Vec<String>,
) -> Result<(Plan, String), Error> {
    let mut own = plan.clone();
    let role = |name: &str| plan.attributes.get(name).map(|attribute| attribute.full().role);
    own.attributes.retain(|_, attribute| attribute.full().role != RoleName::Sensitive);
    let mut sensitive = Vec::new();
    for name in columns(release) {
        match role(name) {
            Some(RoleName::Identifier) => {
                return Err(refused(
                    format!("{} shows the identifier `{name}`", release.table.name()),
                    "a release of a series has no identifier: take the column out, or judge it by \
                     another plan",
                ));
            }
            Some(RoleName::Sensitive) => sensitive.push(name),
            Some(RoleName::Quasi) => {}
            Some(RoleName::Insensitive) => notes.push(format!(
                "{} shows `{name}`, which may lead from a row of one release to a row of another",
                release.table.name()
            )),
            None => {
                own.attributes.insert(name.to_owned(), AttributePlan::Full(RoleName::Quasi.into()));
                notes.push(format!(
                    "{} shows `{name}`, of which the plan says nothing: it is taken for a \
                     quasi-identifier",
                    release.table.name()
                ));
            }
        }
    }
    let &[name] = &sensitive[..] else {
        return Err(refused(
            format!(
                "a release of a series shows one sensitive attribute, but {} shows {}",
                release.table.name(),
                sensitive.len()
            ),
            "give every column of all releases its role in the plan, the sensitive one of each included: \
             one plan judges the whole series",
        ));
    };
    let attribute = plan.attributes.get(name).cloned();
    own.attributes.extend(attribute.map(|attribute| (name.to_owned(), attribute)));
    // Columns of the plan that this release does not show are no part of it.
    let shown = columns(release);
    let is_own = |name: &String, attribute: &mut AttributePlan| {
        attribute.full().role == RoleName::Identifier || shown.contains(&name.as_str())
    };
    own.attributes.retain(is_own);
    Ok((own, name.to_owned()))
}

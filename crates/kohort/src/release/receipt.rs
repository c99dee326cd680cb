//! What is said about a release that was made, or judged: figures only, never a cell.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use kohort_algorithms::{Candidate, Form};
use kohort_core::{Cell, Cells, Dataset, Labels, Message, Ratio, Role, group};
use kohort_models::{METRICS, Measured, Undefined};
use kohort_verify::{ClassSizes, Findings, Guessing};
use serde::{Deserialize, Serialize};

use super::elimination::Elimination;
use super::published::PublishedFigures;
use crate::diagnose::{DisclosureAnswer, Fraction, GoalAnswer, ProsecutorAnswer, SizeCount};
use crate::job::{Roles, Terms};
use crate::words::Words;

/// The adversary against whom an opaque release keeps its promises about sensitive values.
pub(crate) const OPAQUE: &str = "an adversary who finds a person's class, not against one who also runs the \
                                 method again and compares what comes out";

/// The adversary against whom a transparent release keeps them.
pub(crate) const TRANSPARENT: &str = "an adversary who knows the program, the plan and everybody's quasi-identifiers and \
                           runs the method again, if all assignments of the sensitive values are equally \
                           likely to him before he sees the release";

/// A release that was made, verified and written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
pub struct Receipt {
    /// The table it was made from.
    pub table: String,
    /// The algorithm that made it.
    #[serde(deserialize_with = "crate::words::read")]
    pub algorithm: Words,
    /// How each promise stands, recomputed from the bytes written.
    pub goal: Vec<GoalAnswer>,
    /// Whether promises about sensitive values hold against an adversary who knows the method; none where
    /// there are no such promises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transparent: Option<bool>,
    /// The rows of the original.
    pub rows_in: u64,
    /// The rows of the release.
    pub rows_out: u64,
    /// The rows in no class: they are not in it, or are kept and show `*` for every quasi-identifier.
    pub suppressed: u64,
    /// The classes of the release.
    pub classes: u64,
    /// The fewest rows that show the same quasi-identifiers.
    pub k: u64,
    /// How many classes there are of each size, ascending.
    pub class_sizes: Vec<SizeCount>,
    /// The risk of being linked to a row, before and after.
    pub risk: RiskChange,
    /// What several sensitive attributes together give away.
    #[serde(flatten)]
    pub disclosure: Option<DisclosureAnswer>,
    /// How likely a value of each sensitive attribute is guessed, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guessing: Vec<GuessingAnswer>,
    /// What became of each column.
    pub columns: Columns,
    /// The share of the rows that might have been dropped.
    pub suppression: f64,
    /// generalized, anatomized, microaggregated or perturbed.
    #[serde(deserialize_with = "crate::words::read")]
    pub form: Words,
    /// The level that each quasi-identifier is published on, where one was chosen for the whole column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelAnswer>,
    /// The loss to keep small.
    pub metric: String,
    /// Whether columns count differently in that loss and its bound; in `metrics` they all count alike.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weighted: bool,
    /// That loss, in the unit of `lower_bound`: what is lost of Prec, which is more the better, is what it
    /// lacks to 1. The columns are weighted as asked for.
    pub loss: Option<f64>,
    /// The same per cell; none where the metric is no sum over cells.
    #[serde(skip)]
    pub loss_per_cell: Option<f64>,
    /// What it costs, by the id of the metric with `_` for `-`.
    pub metrics: BTreeMap<String, f64>,
    /// Metrics that mean nothing for this release, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[serde(deserialize_with = "crate::words::read")]
    pub undefined: BTreeMap<String, Words>,
    /// No release that keeps the same promises has less of the metric asked for.
    pub lower_bound: Option<f64>,
    /// The same per cell, as `loss` is.
    #[serde(skip)]
    pub bound_per_cell: Option<f64>,
    /// Whether the bytes written keep every promise.
    pub verified: bool,
    /// Whether every published cell covers the original one.
    pub truthful: bool,
    /// Why the release is not safe, where the method does not keep the goal for everybody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Those of them that `goal` and `elimination` do not tell.
    #[serde(skip)]
    pub(crate) besides: Vec<String>,
    /// Who is found out by who is not there, where rows with low values are published as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elimination: Option<Elimination>,
    /// The same figures made of published rows alone, where rows were left out: what may be shown around.
    #[serde(skip)]
    pub(crate) published: Option<PublishedFigures>,
    /// Always true: figures are made of the whole table, and tell about people who were left out. The page
    /// is what may be shown around.
    pub confidential: bool,
    /// The seed of everything random that hides nothing.
    pub seed: u64,
    /// The files written.
    pub files: Vec<String>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<Message>,
    /// The seconds of each step, filled in by who has a clock.
    pub seconds: BTreeMap<String, f64>,
}

impl Receipt {
    /// The adversary against whom promises about sensitive values hold, where there are any and they do.
    pub fn against(&self) -> Option<&'static str> {
        let is_transparent = self.transparent.filter(|_| self.verified)?;
        Some(if is_transparent { TRANSPARENT } else { OPAQUE })
    }

    /// Whether quasi-identifiers are published as they are, and a class is a group of rows that share
    /// their sensitive values.
    pub fn is_anatomized(&self) -> bool {
        self.form == "anatomized"
    }

    /// The size of the smallest class: k, or of an anatomized release the rows of its smallest group.
    pub fn smallest_class(&self) -> u64 {
        self.class_sizes.iter().map(|count| count.size).min().unwrap_or(0)
    }

    /// Whether every row shows other values in place of its own: there are no classes.
    pub fn is_perturbed(&self) -> bool {
        self.form == "perturbed"
    }
}

/// The level that a quasi-identifier is published on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LevelAnswer {
    /// The quasi-identifier.
    pub attribute: String,
    /// The level of its taxonomy: 0 for the values themselves.
    pub level: u32,
    /// The highest level, which tells nothing.
    pub highest: u32,
}

impl LevelAnswer {
    pub(super) fn all(dataset: &Dataset, levels: &[u32]) -> Vec<Self> {
        let of_axis = |(attribute, &level): (&&kohort_core::Attribute, &u32)| Self {
            attribute: attribute.name().to_owned(),
            level,
            highest: attribute.taxonomy().n_levels() - 1,
        };
        dataset.quasi().iter().zip(levels).map(of_axis).collect()
    }
}

impl fmt::Display for LevelAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of {}", self.attribute, self.level, self.highest)
    }
}

/// The risk of being linked to a row, for somebody who knows that the target is in the table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RiskChange {
    /// In the original.
    pub original: Option<ProsecutorAnswer>,
    /// In the release; none where no class hides a row: it shows the quasi-identifiers as they are, or
    /// other values in their place.
    pub release: Option<ProsecutorAnswer>,
}

impl RiskChange {
    pub(super) fn new(dataset: &Dataset, form: Form, findings: &Findings) -> Self {
        let quasi = dataset.quasi();
        let classes = group(dataset.n_rows(), quasi.iter().map(|a| (a.codes(), a.n_codes())));
        let sizes: ClassSizes = classes.sizes().into_iter().map(u64::from).collect();
        let has_classes = !matches!(form, Form::Anatomized | Form::Perturbed);
        let release = has_classes.then(|| ProsecutorAnswer::new(findings.sizes()));
        Self { original: ProsecutorAnswer::new(&sizes), release: release.flatten() }
    }
}

/// How likely a value of one sensitive attribute is guessed by who finds somebody's class.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GuessingAnswer {
    /// The sensitive attribute.
    pub attribute: String,
    /// The largest l for which no value exceeds a share of 1/l of a class.
    pub l: u64,
    /// The largest probability that a value is guessed.
    pub max_disclosure: f64,
    /// The same as a fraction.
    pub max_disclosure_exact: Fraction,
    /// The share of rows that is guessed rightly.
    pub mean: f64,
    /// The same by who knows nothing but the whole release.
    pub baseline: f64,
}

impl From<&Guessing> for GuessingAnswer {
    fn from(found: &Guessing) -> Self {
        Self {
            attribute: found.attribute.clone(),
            l: found.max.den() / found.max.num().max(1),
            max_disclosure: found.max.value(),
            max_disclosure_exact: found.max.into(),
            mean: found.mean.value(),
            baseline: found.baseline.value(),
        }
    }
}

/// What became of the columns of the original, by name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Columns {
    /// What an outsider may know.
    pub quasi: Vec<String>,
    /// Those of them with a taxonomy.
    pub taxonomies: Vec<String>,
    /// Those of these whose labels are intervals: a cell loses as much as its interval is wide. With any
    /// other taxonomy it loses as much as it covers leaves.
    pub intervals: Vec<String>,
    /// What nobody should learn of a person.
    pub sensitive: Vec<String>,
    /// PublishedFigures as they are, and protected by nothing.
    pub insensitive: Vec<String>,
    /// Not in the release.
    pub left_out: Vec<String>,
}

impl Columns {
    pub(crate) fn new(roles: &Roles, dataset: &Dataset) -> Self {
        let name = |attribute: &&kohort_core::Attribute| attribute.name().to_owned();
        let (quasi, sensitive) = (dataset.quasi(), dataset.sensitive());
        Self {
            quasi: quasi.iter().map(name).collect(),
            taxonomies: quasi.iter().filter(|a| !a.is_flat()).map(name).collect(),
            intervals: quasi
                .iter()
                .filter(|a| a.taxonomy().labels() == Labels::Intervals)
                .map(name)
                .collect(),
            sensitive: sensitive.iter().map(name).collect(),
            insensitive: roles.names(Role::Insensitive),
            left_out: left_out(roles, dataset),
        }
    }

    /// Those of a release that leaves the insensitive ones out as well.
    pub(crate) fn without_insensitive(mut self) -> Self {
        self.left_out.append(&mut self.insensitive);
        self
    }
}

/// The columns that a release does not have: identifiers, and those that nobody gave a role.
pub(super) fn left_out(roles: &Roles, dataset: &Dataset) -> Vec<String> {
    let is_out = |name: &&str| roles.role(name).is_none_or(|role| role == Role::Identifier);
    let columns = dataset.table().columns().iter().map(kohort_core::Column::name);
    columns.filter(is_out).map(str::to_owned).collect()
}

/// The name of a kind of release.
pub(super) fn form(candidate: &Candidate) -> &'static str {
    match candidate.form {
        Form::Generalized => "generalized",
        Form::Anatomized => "anatomized",
        Form::Microaggregated(_) => "microaggregated",
        Form::Perturbed => "perturbed",
    }
}

/// A release that was judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether it keeps every promise of the plan.
    pub verified: bool,
    /// How each promise stands.
    pub goal: Vec<GoalAnswer>,
    /// The rows of the release.
    pub rows: u64,
    /// The classes of the release.
    pub classes: u64,
    /// The fewest rows that show the same quasi-identifiers.
    pub k: Option<u64>,
    /// The size of the smallest class: k, or of an anatomized release the rows of its smallest group.
    #[serde(skip)]
    pub(super) smallest_class: Option<u64>,
    /// The rows that show `*` for every quasi-identifier.
    pub starred: u64,
    /// The rows that show `*` in every column: they count as suppressed.
    pub blank: u64,
    /// Why it was rejected, in sentences without a closing stop.
    pub reasons: Vec<String>,
    /// Those of them that neither `goal` nor `original` tells.
    #[serde(skip)]
    pub(super) besides: Vec<String>,
    /// The comparison with the original, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<Compared>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<Message>,
}

impl Verdict {
    /// A further reason to reject the release, which neither the promises nor the original tell.
    pub(crate) fn reject(&mut self, reason: String) {
        self.verified = false;
        self.besides.push(reason.clone());
        self.reasons.push(reason);
    }
}

/// A release compared with its original.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Compared {
    /// The rows of the original.
    pub rows: u64,
    /// The rows of the original that are not in the release.
    pub dropped: u64,
    /// Whether every released row covers an original row of its own.
    pub truthful: bool,
    /// The released rows that cover none.
    pub uncovered: u64,
    /// Columns with cells that cannot stem from the original, and how many.
    pub changed: BTreeMap<String, u64>,
    /// What the release costs.
    pub metrics: BTreeMap<String, f64>,
    /// Metrics that mean nothing for this release, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[serde(deserialize_with = "crate::words::read")]
    pub undefined: BTreeMap<String, Words>,
}

/// Every metric of a release, and why some mean nothing for it.
pub(crate) type Figures = (BTreeMap<String, f64>, BTreeMap<String, &'static str>);

/// Measures a release by every metric in the box.
pub(crate) fn figures(measured: &Measured<'_>) -> Figures {
    let (mut values, mut undefined) = (BTreeMap::new(), BTreeMap::new());
    for metric in METRICS {
        let id = metric.id.replace('-', "_");
        match (metric.measure)(measured) {
            Ok(score) => {
                for (part, value) in &score.parts {
                    values.insert(format!("{id}.{part}"), *value);
                }
                values.insert(id, score.value);
            }
            Err(Undefined(reason)) => {
                undefined.insert(id, reason);
            }
        }
    }
    (values, undefined)
}

/// How many rows are suppressed and stay: they show `*` for every quasi-identifier, and are no more than may
/// be suppressed. More of them are a class that was made as coarse as can be; who made the release does not
/// matter, since nobody who reads it can tell.
pub(super) fn starred(terms: &Terms, findings: &Findings) -> u64 {
    let (n_starred, n_rows) = (findings.starred_rows(), findings.n_rows());
    let is_kept = terms.keeps_values();
    let may_be = n_starred < n_rows
        && Ratio::new(n_starred, n_rows.max(1)) <= findings.allowed_suppression();
    if is_kept && may_be { n_starred } else { 0 }
}

/// What classes show, and their sizes, but for the rows that are suppressed and stay: what they cost does not
/// hang on whether they do.
pub(super) fn without_starred<'a>(
    cells: &'a Cells,
    sizes: &'a [u64],
    n_starred: u64,
) -> (Cow<'a, Cells>, Cow<'a, [u64]>) {
    if n_starred == 0 {
        return (Cow::Borrowed(cells), Cow::from(sizes));
    }
    let mut classes = (0..).zip(cells.classes()).zip(sizes);
    // Other texts may cover everything as well.
    let starred = classes.find(|((_, cells), size)| {
        **size == n_starred && cells.clone().all(|cell| cell == Cell::ANY)
    });
    let starred = starred.map(|((class, _), _)| class);
    let shown = (0..).zip(sizes).filter(|&(class, _)| Some(class) != starred);
    let (shown, sizes): (Vec<u32>, Vec<u64>) = shown.unzip();
    (Cow::Owned(cells.select(&shown)), Cow::from(sizes))
}

/// The size of each class that the judge saw: rows that look alike, or groups.
pub(super) fn judged_sizes(findings: &Findings) -> Vec<u64> {
    let sizes = findings.sizes().iter();
    sizes.flat_map(|(size, n)| (0..n).map(move |_| size)).collect()
}

/// Why an anatomized release costs nothing by its cells.
pub(crate) const AS_THEY_WERE: &str = "the quasi-identifiers are as they were, so figures of \
                                       cells (NCP, LM, Prec, KL) see no loss: what is lost is \
                                       which sensitive value belongs to whom, within the groups \
                                       that DM and C_AVG count";

/// The classes of a candidate, as the metrics see them: for releases that cover nothing.
pub(super) fn sizes_of(group_of_row: &[u32], cells: &Cells) -> Vec<u64> {
    let mut sizes = vec![0; cells.n_classes()];
    for &group in group_of_row {
        if let Some(size) = sizes.get_mut(group as usize) {
            *size += 1;
        }
    }
    sizes
}

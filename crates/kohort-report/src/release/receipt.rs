//! The receipt of a release and the verdict on one.

use std::collections::BTreeMap;
use std::fmt;

use kohort_core::Message;
use kohort_verify::Guessing;
use serde::{Deserialize, Serialize};

use super::elimination::Elimination;
use super::shown_around::PublishedFigures;
use crate::diagnose::{DisclosureAnswer, Fraction, GoalAnswer, ProsecutorAnswer, SizeCount};
use crate::words::Words;

/// The adversary against whom an opaque release keeps its promises about sensitive values.
pub const OPAQUE: &str = "an adversary who finds a person's class, not against one who also runs the \
                                 method again and compares what comes out";

/// The adversary against whom a transparent release keeps them.
pub const TRANSPARENT: &str = "an adversary who knows the program, the plan and everybody's quasi-identifiers and \
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
    pub besides: Vec<String>,
    /// Who is found out by who is not there, where rows with low values are published as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elimination: Option<Elimination>,
    /// The same figures made of published rows alone, where rows were left out: what may be shown around.
    #[serde(skip)]
    pub published: Option<PublishedFigures>,
    /// Always true: figures are made of the whole table, and tell about people who were left out. The page
    /// is what may be shown around.
    pub confidential: bool,
    /// The seed of everything random that hides nothing.
    pub seed: u64,
    /// The files written.
    pub files: Vec<String>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<Message>,
    /// The seconds of each step, filled in by a caller that has a clock.
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

/// How likely a value of one sensitive attribute is guessed by anyone who finds somebody's class.
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
    /// The same by anyone who knows nothing but the whole release.
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
    /// Those of a release that leaves the insensitive ones out as well.
    #[must_use]
    pub fn without_insensitive(mut self) -> Self {
        self.left_out.append(&mut self.insensitive);
        self
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
    pub smallest_class: Option<u64>,
    /// The rows that show `*` for every quasi-identifier.
    pub starred: u64,
    /// The rows that show `*` in every column: they count as suppressed.
    pub blank: u64,
    /// Why it was rejected, in sentences without a closing stop.
    pub reasons: Vec<String>,
    /// Those of them that neither `goal` nor `original` tells.
    #[serde(skip)]
    pub besides: Vec<String>,
    /// The comparison with the original, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<Compared>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<Message>,
}

impl Verdict {
    /// A further reason to reject the release, which neither the promises nor the original tell.
    pub fn reject(&mut self, reason: String) {
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

//! What is said about a nested release that was made, or judged: figures only, never a cell.

use std::collections::BTreeMap;

use kohort_core::Message;
use serde::{Deserialize, Serialize};

use super::kept_shares::KeptShares;
use crate::diagnose::{Fraction, SizeCount};
use crate::release::{OPAQUE, TRANSPARENT};
use crate::words::Words;

/// What stands in the released files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Promised {
    /// How each promise of the goal stands.
    pub goal: Vec<PromiseAnswer>,
    /// How each rule stands, in the order of the plan.
    pub rules: Vec<RuleAnswer>,
    /// The people in the release.
    pub records_out: u64,
    /// The objects, elements or rows of the released trees.
    pub vertices_out: u64,
    /// The classes: people with equal trees, or groups.
    pub classes: u64,
    /// How many people show the same quasi-identifiers at least; none without a record.
    pub k: Option<u64>,
    /// The largest l for which no sensitive value is guessed with more than 1/l; none without one.
    pub l: Option<u64>,
    /// The same as a fraction.
    pub l_exact: Option<Fraction>,
    /// The same for each sensitive attribute.
    pub sensitive: Vec<AttributeLevel>,
    /// How many classes there are of each size, ascending.
    pub class_sizes: Vec<SizeCount>,
}

/// How a promise stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PromiseAnswer {
    /// The model's id.
    #[serde(deserialize_with = "crate::words::read")]
    pub model: Words,
    /// Its parameters.
    pub parameters: String,
    /// The sensitive attribute, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// The buckets that are counted instead of values, where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buckets: Option<String>,
    /// Whether it holds.
    pub holds: bool,
    /// The classes, or sets of vertices that nobody can tell apart, in which it does not.
    pub violating: u64,
}

/// How diverse a sensitive attribute is in a release.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AttributeLevel {
    /// Its path.
    pub attribute: String,
    /// The values that are published.
    pub values: u64,
    /// The largest l; none without a value.
    pub l: Option<u64>,
    /// The same as a fraction.
    pub l_exact: Option<Fraction>,
}

/// How a rule stands. Its value is not named: it may be somebody's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RuleAnswer {
    /// Which rule of the plan it is, from 1.
    pub rule: u64,
    /// The sensitive attribute; every one where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// The disclosing number of occurrences.
    pub at_least: u32,
    /// How likely they may be.
    pub probability: f64,
    /// The same as a fraction.
    pub probability_exact: Fraction,
    /// How likely they are at most.
    pub reached: f64,
    /// The same as a fraction.
    pub reached_exact: Fraction,
    /// Whether the rule holds.
    pub holds: bool,
    /// The people for whom it does not.
    pub people: u64,
}

impl PromiseAnswer {
    /// The attribute that it is about, and the buckets of it that it counts.
    pub fn about(&self) -> String {
        let of = self.attribute.as_ref().map_or(String::new(), |path| format!(" of {path}"));
        let buckets = self.buckets.as_ref();
        format!("{of}{}", buckets.map_or(String::new(), |form| format!(" (in {form})")))
    }
}

/// A nested release that was made, verified and written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NestedReceipt {
    /// What it was made from.
    pub table: String,
    /// The algorithm that made it.
    #[serde(deserialize_with = "crate::words::read")]
    pub algorithm: Words,
    /// generalized, tree-anatomy, vertex-anatomy or apart.
    #[serde(deserialize_with = "crate::words::read")]
    pub form: Words,
    /// The people of the original.
    pub records_in: u64,
    /// The objects, elements or rows of the original at the places that are published.
    pub vertices_in: u64,
    /// The people who are not in the release.
    pub suppressed: u64,
    /// The sensitive values of the original at the places that are published; a missing one counts.
    pub values_in: u64,
    /// Those of the release.
    pub values_out: u64,
    /// Those that were cut from objects, elements or rows that are kept.
    pub values_cut: u64,
    /// How much of each value is left, of the sensitive attributes that something is cut of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_shares: Vec<KeptShares>,
    /// What stands in the released files.
    #[serde(flatten)]
    pub promised: Promised,
    /// Whether promises about sensitive values hold against an adversary who knows the method; none where there
    /// are no such promises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transparent: Option<bool>,
    /// The share of the people who might have been left out.
    pub suppression: f64,
    /// What is kept of each place of the schema.
    pub places: Vec<PlaceAnswer>,
    /// What it costs, by the id of the metric with `_` for `-`.
    pub metrics: BTreeMap<String, f64>,
    /// Metrics that mean nothing for this release, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[serde(deserialize_with = "crate::words::read")]
    pub undefined: BTreeMap<String, Words>,
    /// Whether the files written keep every promise.
    pub verified: bool,
    /// Whether every released record covers a record of the original.
    pub truthful: bool,
    /// Why the release is not safe, where the method does not keep the goal for everybody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The seed of everything random that hides nothing.
    pub seed: u64,
    /// The files written.
    pub files: Vec<String>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<Message>,
    /// The seconds of each step, filled in by a caller that has a clock.
    pub seconds: BTreeMap<String, f64>,
}

impl NestedReceipt {
    /// The adversary against whom promises about sensitive values hold, where there are any and they do.
    pub fn against(&self) -> Option<&'static str> {
        let is_transparent = self.transparent.filter(|_| self.verified)?;
        Some(if is_transparent { TRANSPARENT } else { OPAQUE })
    }
}

/// What is kept of a place of the schema.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlaceAnswer {
    /// Its path; empty for the people themselves.
    pub path: String,
    /// The objects, elements or rows of the original.
    pub vertices_in: u64,
    /// Those of the release.
    pub vertices_out: u64,
}

/// A nested release that was judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NestedVerdict {
    /// Whether it keeps every promise of the plan.
    pub verified: bool,
    /// What stands in the released files.
    #[serde(flatten)]
    pub promised: Promised,
    /// Why it was rejected, in sentences without a closing stop.
    pub reasons: Vec<String>,
    /// The comparison with the original, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<Comparison>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<Message>,
}

/// A nested release compared with its original.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The people of the original.
    pub records_in: u64,
    /// The objects, elements or rows of the original at the places that are published.
    pub vertices_in: u64,
    /// The people who are not in the release.
    pub suppressed: u64,
    /// Whether every released record covers a record of the original.
    pub truthful: bool,
    /// The released records that cover none.
    pub uncovered: u64,
    /// What the release costs.
    pub metrics: BTreeMap<String, f64>,
    /// Metrics that mean nothing for this release, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[serde(deserialize_with = "crate::words::read")]
    pub undefined: BTreeMap<String, Words>,
}

//! What a comparison of nested releases found.

use std::collections::BTreeMap;

use kohort_core::Message;
use serde::{Deserialize, Serialize};

use crate::compare::Interval;
use crate::words::Words;

/// Releases against each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NestedComparison {
    /// What they are made from.
    pub table: String,
    /// The people.
    pub records: u64,
    /// Their objects, elements or rows at the places that are published.
    pub vertices: u64,
    /// The rules that every release is to keep.
    pub rules: u64,
    /// How surely people are linked in the raw records by anyone who knows their whole trees.
    pub raw_linked: f64,
    /// The numbers that drew the orders of people; none where they stayed as they are.
    pub seeds: Vec<u64>,
    /// Every release that was tried.
    pub cells: Vec<NestedCell>,
    /// The same over the orders of people.
    pub points: Vec<NestedPoint>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<Message>,
}

/// One algorithm at one level.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NestedCell {
    /// The algorithm's id.
    #[serde(deserialize_with = "crate::words::read")]
    pub algorithm: Words,
    /// The k asked for, where one was.
    pub k: Option<u64>,
    /// The l asked for, where one was.
    pub l: Option<u64>,
    /// The number that drew the order of people, where one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The seconds that the release took to make.
    pub seconds: f64,
    /// What the release is like, where there is one.
    pub release: Option<NestedSummary>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One algorithm at one level, over the orders of people.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NestedPoint {
    /// The algorithm's id.
    #[serde(deserialize_with = "crate::words::read")]
    pub algorithm: Words,
    /// The k asked for, where one was.
    pub k: Option<u64>,
    /// The l asked for, where one was.
    pub l: Option<u64>,
    /// How many of the orders have a release.
    pub releases: usize,
    /// Whether every release keeps every promise.
    pub verified: bool,
    /// The figures, by the id of the metric with `_` for `-`; beside these `vertices_kept`, `records_kept`,
    /// `linked` and `seconds`.
    pub figures: BTreeMap<String, Interval>,
    /// What fails, and why there is no release, each once.
    pub fails: Vec<String>,
    /// Whether promises about sensitive values hold against an adversary who knows the method; none where there
    /// is no release, or no such promise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transparent: Option<bool>,
}

/// What a release is like.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NestedSummary {
    /// Whether it keeps every promise.
    pub verified: bool,
    /// What fails, in sentences without a closing stop.
    pub fails: Vec<String>,
    /// The people in it.
    pub records_out: u64,
    /// The share of the people in it.
    pub records_kept: f64,
    /// Its vertices.
    pub vertices_out: u64,
    /// The share of the vertices in it.
    pub vertices_kept: f64,
    /// Its classes or groups.
    pub classes: u64,
    /// The size of the smallest; none without a record.
    pub smallest_class: Option<u64>,
    /// What it costs, by the id of the metric with `_` for `-`.
    pub metrics: BTreeMap<String, f64>,
    /// Whether promises about sensitive values hold against an adversary who knows the method; none where there
    /// are no such promises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transparent: Option<bool>,
    /// The share of people whom an adversary who knows whole trees links with their values.
    pub linked: f64,
    /// The same for the unluckiest.
    pub linked_max: f64,
}

impl NestedComparison {
    /// The families of counting queries that were asked.
    pub fn n_families(&self) -> u64 {
        let is_family = |name: &&String| name.starts_with("query_accuracy.");
        let of = |point: &NestedPoint| point.figures.keys().filter(is_family).count() as u64;
        self.points.iter().map(of).max().unwrap_or(0)
    }
}

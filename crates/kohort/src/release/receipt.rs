//! What is said about a release that was made, or judged: figures only, never a cell.

use std::collections::BTreeMap;

use kohort_core::Cell;
use kohort_models::{METRICS, Measured, Undefined};
use serde::Serialize;

use super::elimination::Elimination;
use crate::diagnose::GoalAnswer;

/// A release that was made, verified and written.
#[derive(Clone, Debug, Serialize)]
pub struct Receipt {
    /// The algorithm that made it.
    pub algorithm: &'static str,
    /// How each promise stands, recomputed from the bytes written.
    pub goal: Vec<GoalAnswer>,
    /// The rows of the original.
    pub rows_in: u64,
    /// The rows of the release.
    pub rows_out: u64,
    /// The rows that are not in it, or that show `*` for every quasi-identifier.
    pub suppressed: u64,
    /// The classes of the release.
    pub classes: u64,
    /// The size of the smallest class.
    pub k: u64,
    /// The loss to keep small.
    pub metric: String,
    /// What it costs, by the id of the metric with `_` for `-`.
    pub metrics: BTreeMap<String, f64>,
    /// Metrics that mean nothing for this release, with the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub undefined: BTreeMap<String, &'static str>,
    /// No release that keeps the same promises loses less, in the metric asked for.
    pub lower_bound: Option<f64>,
    /// Whether the bytes written keep every promise.
    pub verified: bool,
    /// Whether every published cell covers the original one.
    pub truthful: bool,
    /// Why the release is not safe, where the method does not keep the goal for everybody.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Who is found out by who is not there, where rows with low values are published as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elimination: Option<Elimination>,
    /// The seed of everything random that hides nothing.
    pub seed: u64,
    /// The files written.
    pub files: Vec<String>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<String>,
    /// The seconds of each step, filled in by who has a clock.
    pub seconds: BTreeMap<String, f64>,
}

/// The answer no: nothing was written.
#[derive(Clone, Debug, Serialize)]
pub struct No {
    /// What cannot be had.
    pub problem: String,
    /// Why not.
    pub causes: Vec<String>,
    /// What to try instead.
    pub hint: String,
}

/// A release that was judged.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// Whether it keeps every promise of the plan.
    pub verified: bool,
    /// How each promise stands.
    pub goal: Vec<GoalAnswer>,
    /// The rows of the release.
    pub rows: u64,
    /// The classes of the release.
    pub classes: u64,
    /// The size of the smallest class.
    pub k: Option<u64>,
    /// The rows that show `*` for every quasi-identifier.
    pub starred: u64,
    /// Why it was rejected, in sentences without a closing stop.
    pub reasons: Vec<String>,
    /// The comparison with the original, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<Compared>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<String>,
}

/// A release compared with its original.
#[derive(Clone, Debug, Serialize)]
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
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub undefined: BTreeMap<String, &'static str>,
}

/// Every metric of a release, and why some mean nothing for it.
pub(super) type Figures = (BTreeMap<String, f64>, BTreeMap<String, &'static str>);

/// Measures a release by every metric in the box.
pub(super) fn figures(measured: &Measured<'_>) -> Figures {
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

/// The classes of a candidate, as the metrics see them: for releases that cover nothing.
pub(super) fn sizes_of(group_of_row: &[u32], cells: &[Cell], n_axes: usize) -> Vec<u64> {
    let mut sizes = vec![0; cells.len() / n_axes.max(1)];
    for &group in group_of_row {
        if let Some(size) = sizes.get_mut(group as usize) {
            *size += 1;
        }
    }
    sizes
}

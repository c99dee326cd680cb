//! What is said about a release of a series: figures only, never a cell.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::belief::Counted;
use crate::diagnose::{GoalAnswer, SizeCount, count, grouped, percent};
use crate::release::{Columns, RiskChange};

/// A release that was made, verified against the whole history, written and recorded.
#[derive(Clone, Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the JSON")]
pub struct SeriesReceipt {
    /// The table it was made from.
    pub table: String,
    /// The series.
    pub series: String,
    /// The number of the release, from 1.
    pub release: u32,
    /// The method that made it.
    pub method: &'static str,
    /// Why this method, as a sentence without a closing stop.
    pub why: &'static str,
    /// The same as `method`, under the name that other commands have for it.
    pub algorithm: &'static str,
    /// How the promise stands, recomputed from the bytes written and the whole history.
    pub goal: Vec<GoalAnswer>,
    /// People who are in no earlier table: who was held back is counted once, at first.
    pub inserted: u64,
    /// People of the release before who are not in the table.
    pub deleted: u64,
    /// People of an earlier release, not of the one before.
    pub returned: u64,
    /// People whose sensitive value is not the one of the last release that shows them.
    pub updated: u64,
    /// People who are in the table and not in the release.
    pub held_back: u64,
    /// Rows that belong to nobody.
    pub counterfeits: u64,
    /// The highest belief about anybody's value so far, which never falls: by smoothing where it is known
    /// how values follow one another; to have ever had it where they change independently; otherwise, with
    /// values that do not change, by each release, by what a person's classes of all releases have in
    /// common, and over every world that explains the releases, or a bound of that.
    pub max_posterior: f64,
    /// How `max_posterior` was found: `exact` over every world, a `bound`, or `one-by-one`.
    pub max_posterior_is: Counted,
    /// The highest belief where people are taken one by one: by each release alone, and by what a person's
    /// classes have in common.
    pub max_posterior_one_by_one: f64,
    /// Whether `max_posterior` is by smoothing.
    pub is_smoothed: bool,
    /// Whether the bytes were judged against all earlier releases.
    pub history_checked: bool,
    /// The rows of the original.
    pub rows_in: u64,
    /// The rows of the release, counterfeits among them.
    pub rows_out: u64,
    /// People who are in no class: the same as `held_back`.
    pub suppressed: u64,
    /// The classes of the release.
    pub classes: u64,
    /// The size of the smallest class.
    pub k: u64,
    /// How many classes there are of each size, ascending.
    pub class_sizes: Vec<SizeCount>,
    /// The risk of being linked to a row, before and after.
    pub risk: RiskChange,
    /// What became of each column.
    pub columns: Columns,
    /// What kind of release it is.
    pub form: &'static str,
    /// The loss to keep small.
    pub metric: String,
    /// That loss per cell.
    pub loss: Option<f64>,
    /// What it costs, by the id of the metric with `_` for `-`.
    pub metrics: BTreeMap<String, f64>,
    /// Metrics that mean nothing for this release, with the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub undefined: BTreeMap<String, &'static str>,
    /// Whether the bytes written keep the promise, and all releases before do.
    pub verified: bool,
    /// Whether every row that is somebody's covers the original one.
    pub truthful: bool,
    /// The seed of everything random that hides nothing.
    pub seed: u64,
    /// The ledger.
    pub ledger: String,
    /// The hash of the entry, which covers all entries of the series before it.
    pub entry: String,
    /// The head of the ledger: kept elsewhere, it tells whether an older copy was put in its place.
    pub head: String,
    /// The files written.
    pub files: Vec<String>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<String>,
    /// What is not promised, in sentences without a closing stop.
    pub not_promised: Vec<&'static str>,
    /// The seconds of each step, filled in by who has a clock.
    pub seconds: BTreeMap<String, f64>,
}

/// What a method does not promise.
pub(super) fn not_promised(method: &str) -> Vec<&'static str> {
    let of_method = match method {
        "m-invariance" => {
            "where two classes of equal signatures differ by one person, those two people are seen to \
             have the same value (e-equivalence hides that)"
        }
        "e-equivalence" => "three or more releases together may say more than any two of them",
        "rho-different" => {
            "nothing against somebody who knows more of how values follow one another than the \
             correlations that were given, nor against reasoning about several people at once"
        }
        "bcf-anonymity" => {
            "nothing about the sensitive value: rows that look alike may share it, and reasoning about many \
             people at once may say more of it than the highest belief here; and three or more releases \
             together may leave fewer rows than any two of them"
        }
        "global-guarantee" => {
            "nothing where values follow one another in ways that somebody knows, nor after the planned \
             releases"
        }
        _ => "people are looked up one by one: who reasons about many at once may be surer",
    };
    vec![of_method, "what was published before this series is not on its books"]
}

/// What is believed at most, as a sentence without a closing stop.
fn believed(receipt: &SeriesReceipt) -> String {
    let highest = percent(receipt.max_posterior);
    let one_by_one = percent(receipt.max_posterior_one_by_one);
    match receipt.max_posterior_is {
        Counted::Exact => format!(
            "over everything that explains all releases, nobody's value is believed with more than {highest}"
        ),
        Counted::Bound if receipt.max_posterior < 1.0 => format!(
            "by all releases, nobody's value is believed with more than {highest} (a bound); people taken \
             one by one, with {one_by_one}"
        ),
        Counted::Bound => format!(
            "by each release and what all have in common, people taken one by one, nobody's value is \
             believed with more than {one_by_one}; for who reasons about many at once no bound was found"
        ),
        Counted::OneByOne if receipt.is_smoothed => format!(
            "by all releases and the correlations, people taken one by one, nobody's value is believed \
             with more than {highest}"
        ),
        Counted::OneByOne if receipt.method == "global-guarantee" => format!(
            "where values change independently, nobody is believed to have ever had a value with more \
             than {highest}"
        ),
        Counted::OneByOne => {
            format!("people taken one by one, nobody's value is believed with more than {highest}")
        }
    }
}

/// What was published, for people.
pub fn series_text(receipt: &SeriesReceipt) -> String {
    let mut out = String::new();
    let files = receipt.files.join(" and ");
    let (release, series) = (receipt.release, &receipt.series);
    let verified =
        if receipt.verified { "verified" } else { "WITHOUT ITS PROMISE for earlier releases" };
    let _ =
        writeln!(out, "{files}: release {release} of `{series}`, {verified} and on the books\n");
    let _ = writeln!(
        out,
        "  {} people are new to the series, {} came back, {} left, {} have another value",
        grouped(receipt.inserted),
        grouped(receipt.returned),
        grouped(receipt.deleted),
        grouped(receipt.updated)
    );
    let parameters = receipt.goal.first().map_or("", |goal| goal.parameters.as_str());
    let _ = writeln!(out, "  method: {} ({parameters}), because {}", receipt.method, receipt.why);
    let _ = writeln!(
        out,
        "  {} rows in {}, the smallest of {}; {} held back, {}",
        grouped(receipt.rows_out),
        count(receipt.classes, "class", "classes"),
        grouped(receipt.k),
        grouped(receipt.held_back),
        count(receipt.counterfeits, "counterfeit", "counterfeits"),
    );
    let earlier = match release - 1 {
        0 => "there is no earlier release".to_owned(),
        1 => "checked against the release before it".to_owned(),
        n => format!("checked against all {n} releases before it"),
    };
    let _ = writeln!(out, "  {earlier}: {}", believed(receipt));
    if let Some(loss) = receipt.loss {
        let _ = writeln!(out, "  loss ({}): {} per cell", receipt.metric, percent(loss));
    }
    let _ = writeln!(out, "\n  not promised:");
    for sentence in &receipt.not_promised {
        let _ = writeln!(out, "  - {sentence}");
    }
    let seconds: f64 = receipt.seconds.values().sum();
    let _ = writeln!(out, "\n  head of {}: {}", receipt.ledger, receipt.head);
    let _ = writeln!(out, "  made in {seconds:.2} s");
    out
}

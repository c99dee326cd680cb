//! What is said about a release of a series: figures only, never a cell.

use kohort_core::Message;
use std::collections::BTreeMap;
use std::fmt::Write;

use kohort_verify::series::Counted;
use serde::{Deserialize, Serialize};

use crate::diagnose::{Fraction, GoalAnswer, SizeCount};
use crate::release::{Columns, PublishedFigures, Receipt, RiskChange};
use crate::wording::{count, grouped, percent};
use crate::words::Words;

/// A release that was made, verified against the whole history, written and recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the JSON")]
pub struct SeriesReceipt {
    /// The table it was made from.
    pub table: String,
    /// The series.
    pub series: String,
    /// The number of the release, from 1.
    pub release: u32,
    /// The method that made it.
    #[serde(deserialize_with = "crate::words::read")]
    pub method: Words,
    /// Why this method, as a sentence without a closing stop.
    #[serde(deserialize_with = "crate::words::read")]
    pub why: Words,
    /// The same as `method`, under the name that other commands have for it.
    #[serde(deserialize_with = "crate::words::read")]
    pub algorithm: Words,
    /// How the promise stands, recomputed from the bytes written and the whole history.
    pub goal: Vec<GoalAnswer>,
    /// Where less, or something else, is promised than before: what was promised so far and what holds from
    /// here on, as a sentence without a closing stop. It is one of the notes as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise_changed: Option<String>,
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
    /// The highest belief about anybody's value so far, which never falls: by smoothing, by each release
    /// alone, and in a series of a few people over every world, where it is known how values follow one
    /// another; to have ever had it where they change independently; otherwise, with values that do not change, by each release, by what a person's classes of all releases have in
    /// common, and over every world that explains the releases, or a bound of that.
    pub max_posterior: f64,
    /// The same as a fraction; none where it is no fraction of numbers that were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_posterior_exact: Option<Fraction>,
    /// How `max_posterior` was found: `exact` over every world, a `bound`, or `one-by-one`.
    #[serde(with = "CountedForm")]
    pub max_posterior_is: Counted,
    /// The highest belief where people are taken one by one: by each release alone, and by what a person's
    /// classes have in common.
    pub max_posterior_one_by_one: f64,
    /// Whether `max_posterior` is by smoothing.
    pub is_smoothed: bool,
    /// Of rho-different, the highest belief by the rule of Abdalaal 2012 over the people who are in this release
    /// and in the one before: a figure to compare with, and not what is promised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thesis_rule: Option<f64>,
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
    #[serde(deserialize_with = "crate::words::read")]
    pub form: Words,
    /// The loss to keep small.
    pub metric: String,
    /// That loss per cell.
    pub loss: Option<f64>,
    /// What it costs, by the id of the metric with `_` for `-`.
    pub metrics: BTreeMap<String, f64>,
    /// Metrics that mean nothing for this release, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[serde(deserialize_with = "crate::words::read")]
    pub undefined: BTreeMap<String, Words>,
    /// Whether the bytes written keep the promise, and all releases before do.
    pub verified: bool,
    /// Whether every row is somebody's and covers the original one: false beside counterfeits, which are made
    /// up. The rows that are somebody's cover the original ones in any case: otherwise there is no release.
    pub truthful: bool,
    /// The seed of everything random that hides nothing.
    pub seed: u64,
    /// The ledger.
    pub ledger: String,
    /// The hash of the entry, which covers all entries of the series before it.
    pub entry: String,
    /// The hash of the entry before it, where there is one: who has the receipts of a series sees whether one
    /// is missing between them.
    pub previous_entry: Option<String>,
    /// The head of the ledger: kept elsewhere, it tells whether an older copy was put in its place.
    pub head: String,
    /// The files written.
    pub files: Vec<String>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<Message>,
    /// What is not promised, in sentences without a closing stop.
    #[serde(deserialize_with = "crate::words::read")]
    pub not_promised: Vec<Words>,
    /// The seconds of each step, filled in by a caller that has a clock.
    pub seconds: BTreeMap<String, f64>,
    /// The releases before it, as `series show` tells them.
    #[serde(skip)]
    pub earlier: Vec<EarlierRelease>,
}

/// How a highest belief was found, as answers and the ledger spell it.
#[derive(Deserialize, Serialize)]
#[serde(remote = "Counted", rename_all = "kebab-case")]
pub enum CountedForm {
    /// As it is.
    Exact,
    /// No more than it is.
    Bound,
    /// People taken one by one.
    OneByOne,
}

/// A release beside others of its series.
#[derive(Clone, Debug)]
pub struct EarlierRelease {
    /// Its number, from 1.
    pub release: u32,
    /// The method that made it.
    pub method: String,
    /// Its rows, counterfeits among them.
    pub rows: u64,
    /// People who were held back.
    pub held_back: u64,
    /// Rows that belong to nobody.
    pub counterfeits: u64,
    /// The loss per cell.
    pub loss: Option<f64>,
    /// The highest belief about anybody's value, over all releases up to it.
    pub max_posterior: f64,
}

impl EarlierRelease {
    /// The release of a receipt.
    pub fn of(receipt: &SeriesReceipt) -> Self {
        Self {
            release: receipt.release,
            method: receipt.method.to_owned(),
            rows: receipt.rows_out,
            held_back: receipt.held_back,
            counterfeits: receipt.counterfeits,
            loss: receipt.loss,
            max_posterior: receipt.max_posterior,
        }
    }
}

impl SeriesReceipt {
    /// The release as one of `anonymize`: what is told of both alike is told from this.
    pub fn as_one(&self) -> Receipt {
        Receipt {
            table: self.table.clone(),
            algorithm: self.algorithm,
            goal: self.goal.clone(),
            rows_in: self.rows_in,
            rows_out: self.rows_out,
            suppressed: self.suppressed,
            classes: self.classes,
            k: self.k,
            class_sizes: self.class_sizes.clone(),
            transparent: None,
            risk: self.risk.clone(),
            disclosure: None,
            guessing: Vec::new(),
            columns: self.columns.clone(),
            suppression: 1.0,
            levels: Vec::new(),
            form: self.form,
            metric: self.metric.clone(),
            weighted: false,
            loss: self.loss,
            loss_per_cell: self.loss,
            metrics: self.metrics.clone(),
            undefined: self.undefined.clone(),
            lower_bound: None,
            bound_per_cell: None,
            verified: self.verified,
            truthful: self.truthful,
            warnings: Vec::new(),
            besides: Vec::new(),
            elimination: None,
            // Losses are shares of the whole table: they tell about people who wait.
            published: (self.held_back > 0).then(PublishedFigures::default),
            confidential: true,
            seed: self.seed,
            files: self.files.clone(),
            notes: self.notes.clone(),
            seconds: self.seconds.clone(),
        }
    }
}

/// The figure of Abdalaal 2012, as a sentence without a closing stop.
pub(crate) fn by_the_thesis(receipt: &SeriesReceipt) -> Option<String> {
    let highest = percent(receipt.thesis_rule?);
    Some(format!(
        "by the rule of Abdalaal 2012, which looks at this release and the one before alone, values of people in \
         both are believed with up to {highest}: a figure to compare with, not a promise"
    ))
}

/// What is believed at most, as a sentence without a closing stop.
pub(crate) fn believed(receipt: &SeriesReceipt) -> String {
    let highest = percent(receipt.max_posterior);
    let (at_most, one_by_one) =
        (at_most(receipt.max_posterior), at_most(receipt.max_posterior_one_by_one));
    match receipt.max_posterior_is {
        Counted::Exact | Counted::Bound if receipt.is_smoothed => format!(
            "by all releases and the correlations, whether people are taken one by one or all at \
             once, {at_most}"
        ),
        Counted::Exact => format!("over everything that explains all releases, {at_most}"),
        Counted::Bound if receipt.max_posterior < 1.0 => {
            format!("by all releases, {at_most} (a bound); people taken one by one, {one_by_one}")
        }
        Counted::Bound => format!(
            "by each release and what all have in common, people taken one by one, {one_by_one}; \
             against reasoning about many people at once no bound was found"
        ),
        Counted::OneByOne if receipt.is_smoothed => {
            format!("by all releases and the correlations, people taken one by one, {at_most}")
        }
        Counted::OneByOne if receipt.method == "global-guarantee" => format!(
            "where values change independently, nobody is believed to have ever had a value with more \
             than {highest}"
        ),
        Counted::OneByOne => format!("people taken one by one, {at_most}"),
    }
}

/// That no value is believed with more than this, or that one is certain.
fn at_most(highest: f64) -> String {
    match percent(highest) {
        all if all == percent(1.0) => "at least one person's value is certain".to_owned(),
        share => format!("nobody's value is believed with more than {share}"),
    }
}

/// What was published, for people.
pub fn series_text(receipt: &SeriesReceipt) -> String {
    let mut out = String::new();
    let files = receipt.files.join(" and ");
    let (release, series) = (receipt.release, &receipt.series);
    let verified = match receipt.verified {
        true => "verified",
        false if receipt.notes.iter().any(|note| note.starts_with("not safe: ")) => "NOT SAFE",
        false => "WITHOUT ITS PROMISE for earlier releases",
    };
    let _ = writeln!(
        out,
        "{files}: release {release} of `{series}`, {verified} and recorded in the ledger\n"
    );
    let _ = writeln!(
        out,
        "  {} new to the series, {} came back, {} left, {} another value",
        count(receipt.inserted, "person is", "people are"),
        grouped(receipt.returned),
        grouped(receipt.deleted),
        count(receipt.updated, "has", "have")
    );
    let parameters = receipt.goal.first().map_or("", |goal| goal.parameters.as_str());
    let _ = writeln!(out, "  method: {} ({parameters}), because {}", receipt.method, receipt.why);
    if let Some(changed) = &receipt.promise_changed {
        let _ = writeln!(out, "  NOT AS BEFORE: {changed}");
    }
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
    if let Some(figure) = by_the_thesis(receipt) {
        let _ = writeln!(out, "  {figure}");
    }
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

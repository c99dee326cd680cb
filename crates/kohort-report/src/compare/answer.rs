//! What a comparison found: figures only, never a cell.

use kohort_core::Message;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Dimension;
use crate::diagnose::{DisclosureCount, GoalAnswer};
use crate::wording::{decimal, grouped};
use crate::words::Words;

/// Algorithms and levels against each other on one table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The table.
    pub table: String,
    /// Its rows.
    pub rows: u64,
    /// The quasi-identifiers.
    pub quasi: Vec<String>,
    /// The sensitive attributes.
    pub sensitive: Vec<String>,
    /// What every release promises besides k and l, in words.
    pub promised: Vec<String>,
    /// The largest share of rows that may be dropped.
    pub suppression: f64,
    /// The loss that releases are made for, by the id of its metric.
    pub metric: String,
    /// The column that is predicted, where there is one.
    pub target: Option<String>,
    /// The folds of classification, where each training fold has a release of its own.
    pub folds: Option<usize>,
    /// The seeds; figures are means over them, with the smallest and the largest.
    pub seeds: Vec<u64>,
    /// The utility of the balance, by its id.
    #[serde(deserialize_with = "crate::words::read")]
    pub utility: Words,
    /// The risk of the balance, by its id.
    #[serde(deserialize_with = "crate::words::read")]
    pub risk: Words,
    /// The largest risk that may be.
    pub risk_cap: f64,
    /// Every release that was tried.
    pub cells: Vec<Cell>,
    /// The same over the seeds.
    pub points: Vec<Point>,
    /// The balance of each algorithm.
    pub curves: Vec<Curve>,
    /// The release of most utility under the risk cap.
    pub best: Option<Best>,
    /// What the privacy percentage of Tandon and Jain 2010 is not.
    #[serde(deserialize_with = "crate::words::read")]
    pub privacy_percent_caveat: Words,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<Message>,
}

/// What is asked of a release.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// The k asked for, where one was.
    pub k: Option<u64>,
    /// The l of the grid, where there is one: see `Grid::ls`.
    pub l: Option<f64>,
    /// How many of the sensitive attributes are published, where the grid says so.
    pub attributes: Option<u64>,
}

impl Level {
    /// After a name, such as `, k = 5, l = 2, 3 attributes`; nothing where nothing is asked.
    pub fn words(&self) -> String {
        let k = self.k.map_or(String::new(), |k| format!(", k = {}", grouped(k)));
        let l = self.l.map_or(String::new(), |l| format!(", l = {}", decimal(l)));
        let attributes = self.attributes.map_or(String::new(), |n| match n {
            1 => ", 1 attribute".to_owned(),
            _ => format!(", {n} attributes"),
        });
        format!("{k}{l}{attributes}")
    }
}

/// One release that was tried.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// The algorithm.
    #[serde(deserialize_with = "crate::words::read")]
    pub algorithm: Words,
    /// What is asked of it.
    #[serde(flatten)]
    pub level: Level,
    /// The seed of everything random.
    pub seed: u64,
    /// How long the algorithm took.
    pub seconds: f64,
    /// What came out.
    pub release: Option<Release>,
    /// Why nothing did, as a sentence without a closing stop.
    pub reason: Option<String>,
}

/// A release that was made, judged and measured in memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Release {
    /// Its rows.
    pub rows: u64,
    /// The rows that were suppressed.
    pub suppressed: u64,
    /// Its classes; rows that are suppressed and stay are none.
    pub classes: u64,
    /// The size of the smallest class.
    pub smallest_class: u64,
    /// Whether quasi-identifiers are published as they are, and sensitive values by group.
    pub anatomized: bool,
    /// Whether every promise holds.
    pub verified: bool,
    /// Whether promises about sensitive values hold against an adversary who knows the method; none where
    /// there are no such promises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transparent: Option<bool>,
    /// How each promise stands.
    pub goal: Vec<GoalAnswer>,
    /// What became of sensitive values, where they are not published as they are, in sentences without
    /// a closing stop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
    /// The largest probability that a sensitive value of anybody is guessed.
    pub max_disclosure: Option<f64>,
    /// The largest l of l-pdiversity, and of l-mdiversity, where all sensitive attributes were looked at
    /// together.
    pub m_diversity: Option<u64>,
    /// Rows by the largest probability that a sensitive value of theirs is guessed, ascending.
    pub disclosure: Vec<DisclosureCount>,
    /// The loss that is kept small, with the weights of the plan and in the unit of the bound: less is
    /// better.
    pub loss: Option<f64>,
    /// What it costs, by the id of the metric with `_` for `-`.
    pub metrics: BTreeMap<String, f64>,
    /// Metrics and utilities that mean nothing for it, with the reason.
    pub undefined: BTreeMap<String, String>,
    /// No release that keeps the same promises loses less, in the metric asked for.
    pub lower_bound: Option<f64>,
    /// The risks, by their ids.
    #[serde(deserialize_with = "crate::words::read")]
    pub risk: BTreeMap<Words, f64>,
    /// The risk that each sensitive value is guessed.
    pub guessing: Vec<Guess>,
    /// The utilities from 0 to 1, by their ids.
    #[serde(deserialize_with = "crate::words::read")]
    pub utility: BTreeMap<Words, f64>,
    /// How well each learner predicts the target.
    #[serde(deserialize_with = "crate::words::read")]
    pub learned: BTreeMap<Words, BTreeMap<String, f64>>,
    /// The average relative error of counting queries.
    pub avre: Option<f64>,
    /// The median of their relative errors.
    pub avre_median: Option<f64>,
    /// How many queries were asked.
    pub queries: Option<f64>,
    /// How well distributions are kept, by the id of the measure with `_` for `-`: pMSE, the difference of
    /// correlations, total variation and Jensen-Shannon divergence, and their parts.
    pub preserved: BTreeMap<String, f64>,
    /// The privacy percentage of Tandon and Jain 2010.
    pub privacy_percent: Option<f64>,
}

/// The risk that a sensitive value is guessed by anyone who finds somebody's class.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Guess {
    /// The sensitive attribute.
    pub attribute: String,
    /// The share of right guesses without the classes.
    pub baseline: f64,
    /// The share of right guesses with them.
    pub mean: f64,
    /// The same in the worst class.
    pub max: f64,
    /// (mean − baseline) / (1 − baseline).
    pub mean_advantage: f64,
    /// (max − baseline) / (1 − baseline).
    pub max_advantage: f64,
}

/// A figure over the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

impl Interval {
    /// The interval of these figures; `None` without one.
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut n = 0.0;
        let start = (0.0, f64::INFINITY, f64::NEG_INFINITY);
        let (sum, low, high) = figures.into_iter().fold(start, |(sum, low, high), figure| {
            n += 1.0;
            (sum + figure, low.min(figure), high.max(figure))
        });
        // Rounding must not put the mean outside.
        (n > 0.0).then(|| Self { mean: (sum / n).clamp(low, high), low, high })
    }
}

impl Interval {
    /// The smallest and the largest with this many digits, or one figure where they are the same.
    pub fn spelled(&self, digits: usize, between: &str) -> String {
        let [low, high] = [self.low, self.high].map(|figure| format!("{figure:.digits$}"));
        if low == high { low } else { format!("{low}{between}{high}") }
    }
}

/// An algorithm at a level, over the seeds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// The algorithm.
    #[serde(deserialize_with = "crate::words::read")]
    pub algorithm: Words,
    /// What is asked of it.
    #[serde(flatten)]
    pub level: Level,
    /// How many of the seeds have a release.
    pub releases: usize,
    /// Why there is none, of the first seed without one.
    pub reason: Option<String>,
    /// Whether promises about sensitive values hold against an adversary who knows the method; none where
    /// there are no such promises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transparent: Option<bool>,
    /// Which promises the first release that breaks some does not keep, as a sentence without a subject
    /// and a closing stop.
    pub breaks: Option<String>,
    /// The loss that is kept small: less is better.
    pub loss: Option<Interval>,
    /// The discernibility.
    pub dm: Option<Interval>,
    /// The average class size over the smallest allowed.
    pub c_avg: Option<Interval>,
    /// The classes.
    pub classes: Option<Interval>,
    /// The suppressed rows.
    pub suppressed: Option<Interval>,
    /// The average relative error of counting queries.
    pub avre: Option<Interval>,
    /// The median of their relative errors.
    pub avre_median: Option<Interval>,
    /// pMSE: how surely a simple model tells rows of the release from those of the original.
    pub pmse: Option<Interval>,
    /// The mean difference of the correlations of columns.
    pub correlation_difference: Option<Interval>,
    /// The largest probability that a sensitive value of anybody is guessed.
    pub max_disclosure: Option<Interval>,
    /// The utility of the balance.
    pub utility: Option<Interval>,
    /// The risk of the balance.
    pub risk: Option<Interval>,
    /// No release loses less, where that is known.
    pub lower_bound: Option<f64>,
    /// The seconds of the algorithm.
    pub seconds: Option<Interval>,
    /// The privacy percentage of Tandon and Jain 2010.
    pub privacy_percent: Option<Interval>,
    /// Whether it keeps every promise, and no other that does, of as many attributes, has as much utility
    /// and as little risk, and more or less of one.
    pub on_front: bool,
}

/// The balance of an algorithm over what varies; where that is k and none was asked for, all there is to
/// choose is the cap.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Curve {
    /// The algorithm.
    #[serde(deserialize_with = "crate::words::read")]
    pub algorithm: Words,
    /// What it goes over.
    pub over: Dimension,
    /// What is asked of every release on it.
    #[serde(flatten)]
    pub level: Level,
    /// Where utility and privacy cross.
    pub crossing: Option<Crossing>,
    /// The level whose smaller one of utility and privacy is largest.
    pub maximin: Option<Choice>,
    /// The level with the largest product of utility and privacy.
    pub nash: Option<Choice>,
    /// The level where the front of the algorithm bends most; none where it does not bend outwards.
    pub knee: Option<Choice>,
    /// The level of most utility under the risk cap.
    pub capped: Option<Choice>,
}

/// Where utility and privacy cross, or are nearest.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Crossing {
    /// Whether they cross.
    pub crosses: bool,
    /// Where along what the curve goes over, between two that were tried.
    pub at: f64,
    /// The same, where the curve goes over k.
    pub k: Option<f64>,
    /// The level, or the utility where they are nearest.
    pub level: f64,
    /// How far apart they are where they are nearest.
    pub gap: f64,
}

/// A level that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// What is asked of the release.
    #[serde(flatten)]
    pub level: Level,
    /// The utility there.
    pub utility: f64,
    /// The risk there.
    pub risk: f64,
}

/// The release of most utility under the risk cap, of those with as many sensitive attributes as any.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Best {
    /// Its algorithm.
    #[serde(deserialize_with = "crate::words::read")]
    pub algorithm: Words,
    /// Its level, utility and risk.
    #[serde(flatten)]
    pub choice: Choice,
}

impl Comparison {
    /// What the loss is called: precision is kept large, and what is lost is the rest.
    pub fn loss_name(&self) -> &str {
        if self.metric == "prec" { "1 − prec" } else { &self.metric }
    }
}

impl Cell {
    /// Whether this is one of the releases of a point.
    pub fn is_of(&self, point: &Point) -> bool {
        (self.algorithm, self.level) == (point.algorithm, point.level)
    }
}

impl Curve {
    /// Whether a point is on this curve.
    pub fn has(&self, point: &Point) -> bool {
        (self.algorithm, self.level) == (point.algorithm, self.over.without(point.level))
    }
}

//! The question that an answer is for: what somebody needs to ask it again.

use kohort_core::Ratio;
use serde::{Deserialize, Serialize};

use crate::words::Words;

use super::{Diagnosis, Fraction, GoalAnswer, Reached};
use crate::wording::{count, given_share, grouped, share};

/// The models that are asked of all sensitive attributes at once.
const OF_ALL: [&str; 3] = ["p-sensitive-k-anonymity", "l-pdiversity", "l-mdiversity"];

/// What was asked. The values whose share was asked for are not repeated: they may be cells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AskedFor {
    /// Whether rows are what is counted, whoever they belong to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rows: bool,
    /// Whether all subsets of the quasi-identifiers were asked about.
    pub subsets: bool,
    /// The k asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<u64>,
    /// The share of rows that may be dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppress: Option<Fraction>,
    /// The same as a decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppress_value: Option<f64>,
    /// Whether it was asked how many rows must be dropped.
    pub find_suppression: bool,
    /// Other levels asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub principles: Vec<AskedLevel>,
    /// The largest sets that were asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_size: Option<usize>,
    /// The share of the population that the table is said to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling_fraction: Option<f64>,
    /// The sensitive attributes of which the share of chosen values was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values_of: Vec<String>,
    /// How many of the riskiest rows were asked for.
    pub riskiest: usize,
}

/// A level asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AskedLevel {
    /// The model's id.
    #[serde(deserialize_with = "crate::words::read")]
    pub model: Words,
    /// Its parameters, in words.
    pub parameters: String,
    /// The sensitive attribute; none for every one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

impl AskedFor {
    /// The question in words, part by part.
    pub fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if self.subsets {
            parts.push("asked about all subsets".into());
        }
        parts.extend(self.k.map(|k| format!("asked for k = {}", grouped(k))));
        for level in &self.principles {
            let of = level.attribute.as_ref().map_or(String::new(), |name| format!(" of {name}"));
            parts.push(format!("asked for {}{of} with {}", level.model, level.parameters));
        }
        let share = self.suppress_value.map(given_share);
        parts.extend(share.map(|share| format!("at most {share} of the rows dropped")));
        if self.find_suppression {
            parts.push("asked how many rows must be dropped".into());
        }
        let size = self.max_size.map(|most| count(most as u64, "column", "columns"));
        parts.extend(size.map(|size| format!("sets of up to {size}")));
        let sample = self.sampling_fraction.map(given_share);
        parts.extend(sample.map(|share| format!("a sample of {share} of the population")));
        if !self.values_of.is_empty() {
            parts.push(format!("chosen values of {}", self.values_of.join(", ")));
        }
        parts.push(count(self.riskiest as u64, "riskiest row", "riskiest rows"));
        parts
    }

    /// The rows that may be dropped, of this many.
    fn budget(&self, rows: u64) -> Option<u64> {
        self.suppress.map(|share| Ratio::new(share.num, share.den.max(1)).floor_of(rows))
    }
}

impl Diagnosis {
    /// How the levels asked for stand, and how those of the plan's goal do.
    pub fn promises(&self) -> (&[GoalAnswer], &[GoalAnswer]) {
        let n_asked = match &self.asked {
            None if self.holds.is_some() => self.goal.len(),
            None => 0,
            Some(asked) if asked.subsets || asked.find_suppression => 0,
            Some(asked) if asked.suppress.is_some() => 0,
            Some(asked) => {
                let judged = |level: &AskedLevel| match level.attribute {
                    Some(_) => 1,
                    None if OF_ALL.contains(&level.model) => 1,
                    None => self.sensitive.len(),
                };
                usize::from(asked.k.is_some()) + asked.principles.iter().map(judged).sum::<usize>()
            }
        };
        self.goal.split_at(n_asked.min(self.goal.len()))
    }

    /// The rows in classes of fewer than `k` rows: what reaching k costs.
    fn rows_below(&self, k: u64) -> u64 {
        let small = self.class_sizes.iter().filter(|count| count.size < k);
        small.map(|count| count.size * count.classes).sum()
    }

    /// The question about a k with rows dropped, and its answer.
    pub fn suppression_verdict(&self) -> Option<String> {
        let asked = self.asked.as_ref()?;
        let (k, share, holds) = (asked.k?, asked.suppress_value?, self.holds?);
        let needed = self.rows_below(k);
        let said = match (holds, needed) {
            (true, 0) => "yes, without dropping a row".to_owned(),
            (true, rows) if rows == self.rows => {
                "yes, but only by dropping every row: nothing would be left".into()
            }
            (true, 1) => "yes, 1 row is enough".into(),
            (true, rows) => format!("yes, {} rows are enough", grouped(rows)),
            (false, rows) if rows == self.rows => "no, nothing would be left".into(),
            (false, rows) => format!(
                "no, {} must be dropped, and only {} may be",
                count(rows, "row", "rows"),
                grouped(asked.budget(self.rows)?)
            ),
        };
        let (k, share) = (grouped(k), given_share(share));
        Some(format!("k = {k} with at most {share} of the rows dropped: {said}"))
    }

    /// The answer to a question about one k and dropped rows, which is to be said first.
    pub fn suppression_answer(&self) -> Option<String> {
        let asked = self.asked.as_ref().filter(|asked| !asked.subsets)?;
        if asked.suppress.is_some() {
            return self.suppression_verdict();
        }
        let (k, rows) = (asked.k.filter(|_| asked.find_suppression)?, self.suppression.suppressed?);
        let k = grouped(k);
        Some(match rows {
            0 => format!("No row must be dropped for k = {k}"),
            rows if rows == self.rows => {
                format!("Every row must be dropped for k = {k}: nothing would be left")
            }
            rows => format!(
                "{} of {} ({}) must be dropped for k = {k}",
                grouped(rows),
                count(self.rows, "row", "rows"),
                share(rows, self.rows)
            ),
        })
    }

    /// What dropping rows buys, where that was asked.
    pub fn suppression_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let asked = self.asked.as_ref();
        let k = asked.and_then(|asked| asked.k);
        let dropped = |rows| format!("{} ({})", count(rows, "row", "rows"), share(rows, self.rows));
        let given = asked.and_then(|asked| Some((asked.suppress_value?, asked.budget(self.rows)?)));
        if let (Some((share, rows)), Some(_)) = (given, self.suppression.k_after) {
            let (share, rows) = (given_share(share), count(rows, "row", "rows"));
            lines.push(format!("at most {share} may be dropped: {rows}"));
        }
        let for_k = k.map_or(String::new(), |k| format!(" for k = {}", grouped(k)));
        match (self.suppression.k_after, self.suppression.suppressed) {
            (Some(Reached(None)), _) => {
                lines.push("every row may be dropped: nothing is left".into());
            }
            (Some(Reached(Some(k))), Some(0)) => {
                lines.push(format!("too few to raise k above {}", grouped(k)));
            }
            (Some(Reached(Some(k))), Some(rows)) => {
                lines.push(format!("dropping {} gives k = {}", dropped(rows), grouped(k)));
            }
            (None, Some(0)) => lines.push(format!("no row must be dropped{for_k}")),
            (None, Some(rows)) => {
                let left = if rows == self.rows { ": nothing would be left" } else { "" };
                lines.push(format!("{} must be dropped{for_k}{left}", dropped(rows)));
            }
            (_, None) => {}
        }
        let reached = self.suppression.k_after.and_then(|Reached(reached)| reached);
        if let Some(k) = k.filter(|&k| reached.is_some_and(|reached| reached != k)) {
            lines.push(match self.rows_below(k) {
                0 => format!("k = {} holds without dropping a row", grouped(k)),
                rows if rows == self.rows => {
                    format!("k = {} would leave nothing: no class is that large", grouped(k))
                }
                rows => format!("k = {} takes {}", grouped(k), dropped(rows)),
            });
        }
        lines
    }

    /// Whether the borders are about the table as it is although dropping rows was asked about.
    pub fn borders_ignore_suppression(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| {
            let is_counted = asked.subsets && asked.k.is_some() && asked.suppress.is_some();
            (asked.suppress.is_some() || asked.find_suppression) && !is_counted
        })
    }
}

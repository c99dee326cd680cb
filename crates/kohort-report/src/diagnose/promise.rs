//! How the promises of a goal stand.

use std::collections::BTreeMap;

use kohort_core::Ratio;
use serde::{Deserialize, Serialize};

use super::{EvidenceAnswer, Fraction};
use crate::words::Words;

/// A level asked for: a whole number, or a decimal with the fraction that decides.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LevelAsked {
    /// A whole number.
    Whole(u64),
    /// Any other.
    Share {
        /// As a decimal.
        value: f64,
        /// As it decides.
        #[serde(flatten)]
        exact: Fraction,
    },
}

impl From<Ratio> for LevelAsked {
    fn from(level: Ratio) -> Self {
        match level.den() {
            1 => Self::Whole(level.num()),
            _ => Self::Share { value: level.value(), exact: level.into() },
        }
    }
}

/// How one promise stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GoalAnswer {
    /// The model's id.
    pub model: String,
    /// Its parameters, in words.
    pub parameters: String,
    /// Its parameters that are numbers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[serde(deserialize_with = "crate::words::read")]
    pub levels: BTreeMap<Words, LevelAsked>,
    /// Whether it names values of which none occurs: then it holds because nothing is asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vacuous: bool,
    /// The sensitive attribute, where the model has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// The buckets that are counted instead of values, where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buckets: Option<String>,
    /// How far apart two values are, for t-closeness.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default, deserialize_with = "crate::words::read")]
    pub distance: Option<Words>,
    /// Whether it holds.
    pub holds: bool,
    /// For l-mdiversity of a release, the classes by how their posteriors are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceAnswer>,
    /// The classes that break it.
    pub violating_classes: u64,
    /// The rows in those classes.
    pub violating_rows: u64,
    /// Those of the classes that have masked sensitive cells: they could be filled so that it fails.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub masked_classes: u64,
    /// The people who are not in a release and who break it, taken as a class; none where they keep it,
    /// nobody was left out, or the original is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<u64>,
    /// How likely the people of the public table are members, for delta-presence of a release. Its
    /// violating rows are people, and a class those who are alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<MembersAnswer>,
}

impl GoalAnswer {
    /// How the answer is known: by looking at every class, or by what a sample tells of its population.
    pub fn known(&self) -> &'static str {
        if self.levels.contains_key("sampling-fraction") { "estimated" } else { "decided" }
    }

    /// The buckets in brackets, to stand behind the attribute; nothing where values are counted.
    pub fn in_buckets(&self) -> String {
        self.buckets.as_ref().map_or(String::new(), |buckets| format!(" (in {buckets})"))
    }
}

/// How likely the people of a public table are to be in a release.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MembersAnswer {
    /// The people.
    pub people: u64,
    /// The smallest probability.
    pub lowest: f64,
    /// The largest probability; who lies in several classes has the sum of their shares.
    pub highest: f64,
    /// Those below the range.
    pub below: u64,
    /// Those above it.
    pub above: u64,
    /// The released rows that may be nobody of the public table.
    pub rows_not_covered: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over by reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

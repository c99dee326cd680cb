//! The series of a plan: the same people again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the releases of a series are made, each against those before it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SeriesPlan {
    /// The name of the series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The ledger, relative to the plan file; `kohort.ledger` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    /// The column that names people: an identifier, the same for the same person in every release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The method's id; `auto` when left out, which looks at what changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The fewest values among which anybody's is hidden (m-invariance, e-equivalence).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2))]
    pub m: Option<u32>,
    /// The fewest people who may be shown to have the values of as many others (e-equivalence).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2))]
    pub e: Option<u32>,
    /// The fewest rows (bcf-anonymity) or values (xy-anonymity) that comparing releases leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2))]
    pub k: Option<u32>,
    /// 1/l is the largest probability of ever having had a value (global-guarantee).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2))]
    pub l: Option<u32>,
    /// How many releases there will be (global-guarantee; rho-different reckons with ten when it is left
    /// out, and makes smaller classes for fewer).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub horizon: Option<u32>,
    /// The highest belief that is allowed (rho-different).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub rho: Option<f64>,
    /// The largest share that a value may have in a join (xy-linkability).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub confidence: Option<f64>,
    /// How values follow one another, relative to the plan file: a CSV file with the columns `from`,
    /// `to` and `probability`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlations: Option<String>,
    /// What becomes of people with a value that is too frequent among those who come; they are held back
    /// when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surplus: Option<SurplusName>,
    /// Of rho, the share that rho-different aims at, so that later releases have room; one sixth when left
    /// out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub slack: Option<f64>,
    /// The most counterfeits that rho-different puts into a class; none when left out. Where the originals
    /// are given, `verify` rejects a row that is nobody's unless this allows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_counterfeits: Option<u32>,
}

/// What becomes of people with a value that is too frequent among those who come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SurplusName {
    /// They wait for a later release.
    HoldBack,
    /// They are published beside counterfeits with other values.
    Counterfeits,
}

//! The series of a plan: the same people again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the releases of a series are made, each against the earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SeriesPlan {
    /// The name of the series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The ledger, relative to the plan file; `kohort.ledger` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    /// The column that identifies people, the same for a person in every release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The method's id; by default `auto`, which looks at what changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The smallest number of values among which anybody's value is hidden (m-invariance, e-equivalence).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2))]
    pub m: Option<u32>,
    /// The smallest number of people who may be shown to have the same values as equally many others
    /// (e-equivalence).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2))]
    pub e: Option<u32>,
    /// The smallest number of rows (bcf-anonymity) or values (xy-anonymity) that comparing releases leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2))]
    pub k: Option<u32>,
    /// 1/l is the largest probability of ever having had a value (global-guarantee).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2))]
    pub l: Option<u32>,
    /// The planned number of releases (global-guarantee; rho-different assumes ten by default, and makes
    /// smaller classes for fewer).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub horizon: Option<u32>,
    /// The highest belief allowed (rho-different).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub rho: Option<f64>,
    /// The largest share that a value may have in a join (xy-linkability).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub confidence: Option<f64>,
    /// How values follow one another: a CSV file with the columns `from`, `to` and `probability`, relative to
    /// the plan file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlations: Option<String>,
    /// What happens to people with a value that is too frequent among the new ones; by default they are held
    /// back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surplus: Option<SurplusName>,
    /// The share of rho that rho-different aims at, so that later releases have room; one sixth by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub slack: Option<f64>,
    /// The most counterfeits that rho-different puts into a class; none by default. With the originals,
    /// `verify` rejects rows that belong to nobody unless this allows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_counterfeits: Option<u32>,
}

/// What happens to people with a value that is too frequent among the new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SurplusName {
    /// They wait for a later release.
    HoldBack,
    /// They are published together with counterfeits that have other values.
    Counterfeits,
}

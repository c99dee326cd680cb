//! The goals of a plan that take several parameters.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An alpha and k for chosen values of one sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `alpha`, `k` and `attribute`")]
pub struct AlphaK {
    /// The largest share of a chosen value in a class.
    #[serde(deserialize_with = "super::numbers::alpha", serialize_with = "super::numbers::write")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub alpha: f64,
    /// The smallest class allowed.
    #[serde(deserialize_with = "super::numbers::rows")]
    #[schemars(range(min = 1))]
    pub k: u64,
    /// The values to protect; all by default.
    #[serde(
        default,
        deserialize_with = "super::numbers::values",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(length(min = 1))]
    pub values: Option<Vec<String>>,
    /// The sensitive attribute.
    pub attribute: String,
}

/// A p and k for every sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `p` and `k`")]
pub struct PSensitiveK {
    /// The smallest number of different values.
    #[serde(deserialize_with = "super::numbers::whole_p")]
    #[schemars(range(min = 2))]
    pub p: u64,
    /// The smallest class allowed, at least p.
    #[serde(deserialize_with = "super::numbers::whole_k")]
    #[schemars(range(min = 2))]
    pub k: u64,
}

/// An L, K and C for chosen values of one sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `l`, `k`, `c` and `attribute`")]
pub struct Lkc {
    /// The most columns that the adversary knows.
    #[serde(deserialize_with = "super::numbers::columns")]
    #[schemars(range(min = 1))]
    pub l: u64,
    /// The smallest class allowed.
    #[serde(deserialize_with = "super::numbers::rows")]
    #[schemars(range(min = 1))]
    pub k: u64,
    /// The largest share of a chosen value in a class.
    #[serde(
        deserialize_with = "super::numbers::confidence",
        serialize_with = "super::numbers::write"
    )]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub c: f64,
    /// The values to protect; all by default.
    #[serde(
        default,
        deserialize_with = "super::numbers::values",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(length(min = 1))]
    pub values: Option<Vec<String>>,
    /// The sensitive attribute.
    pub attribute: String,
}

/// Highly sensitive values of one sensitive attribute, and their bounds.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `attribute`, `high` and `alpha`"
)]
pub struct HighAndLow {
    /// The sensitive attribute.
    pub attribute: String,
    /// The highly sensitive values.
    #[serde(deserialize_with = "super::numbers::high")]
    #[schemars(length(min = 1))]
    pub high: Vec<String>,
    /// The values that are not highly sensitive. Where they are named, every other value counts as high;
    /// where they are left out, every value that is not high is low.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Vec<String>>,
    /// The largest share of high values together.
    #[serde(deserialize_with = "super::numbers::alpha", serialize_with = "super::numbers::write")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub alpha: f64,
    /// One over the largest share of one high value.
    #[serde(
        default,
        deserialize_with = "super::numbers::optional_l",
        serialize_with = "super::numbers::write_optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(extend("exclusiveMinimum" = 1))]
    pub l: Option<f64>,
    /// One over the largest share of one low value.
    #[serde(
        default,
        deserialize_with = "super::numbers::optional_l_low",
        serialize_with = "super::numbers::write_optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(extend("exclusiveMinimum" = 1))]
    pub l_low: Option<f64>,
}

/// A p and guarding nodes, per value or per row, for one sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `p`, `attribute` and `guards` or `guard-column`"
)]
pub struct Personalized {
    /// The largest share of a class that may lie under a guarding node.
    #[serde(deserialize_with = "super::numbers::p", serialize_with = "super::numbers::write")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub p: f64,
    /// The sensitive attribute.
    pub attribute: String,
    /// For each value to protect, the node of the taxonomy that must not be guessed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub guards: BTreeMap<String, String>,
    /// Instead, the sensitive column that has the node for each row, empty for none. A level without
    /// an attribute is asked of this column too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard_column: Option<String>,
}

/// A k and e for one numeric sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `k`, `e` and `attribute`")]
pub struct Ke {
    /// The fewest different numbers allowed.
    #[serde(deserialize_with = "super::numbers::whole_k")]
    #[schemars(range(min = 2))]
    pub k: u64,
    /// The smallest range allowed.
    #[serde(deserialize_with = "super::numbers::e", serialize_with = "super::numbers::write")]
    #[schemars(range(min = 0))]
    pub e: f64,
    /// The sensitive attribute.
    pub attribute: String,
}

/// An epsilon and m for one numeric sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `epsilon`, `m` and `attribute`")]
pub struct EpsilonM {
    /// How far apart numbers are that count as the same.
    #[serde(
        deserialize_with = "super::numbers::epsilon",
        serialize_with = "super::numbers::write"
    )]
    #[schemars(range(min = 0))]
    pub epsilon: f64,
    /// One over the largest share of such numbers in a class.
    #[serde(deserialize_with = "super::numbers::whole_m")]
    #[schemars(range(min = 2))]
    pub m: u64,
    /// Whether `epsilon` is a share of the number itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relative: bool,
    /// The sensitive attribute.
    pub attribute: String,
}

/// A beta for one sensitive attribute or for every one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `beta`")]
pub struct Likeness {
    /// The largest relative gain in probability allowed.
    #[serde(deserialize_with = "super::numbers::beta", serialize_with = "super::numbers::write")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub beta: f64,
    /// The sensitive attribute; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

/// A delta for one sensitive attribute or for every one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `delta`")]
pub struct Disclosure {
    /// The bound on the logarithm of the change in probability.
    #[serde(deserialize_with = "super::numbers::delta", serialize_with = "super::numbers::write")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub delta: f64,
    /// The sensitive attribute; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

/// The share of members in every class of a public table.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `min`, `max` and `public`")]
pub struct Presence {
    /// The smallest share of members.
    #[serde(deserialize_with = "super::numbers::min", serialize_with = "super::numbers::write")]
    #[schemars(range(min = 0, max = 1))]
    pub min: f64,
    /// The largest share of members.
    #[serde(deserialize_with = "super::numbers::max", serialize_with = "super::numbers::write")]
    #[schemars(range(min = 0, max = 1))]
    pub max: f64,
    /// The public table, relative to the plan file.
    pub public: String,
}

/// A k over a population: a table, or one that the table is a random sample of.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `k` and `public` or `sampling-fraction`"
)]
pub struct KMapPlan {
    /// The fewest people of the population that a row is like.
    #[serde(deserialize_with = "super::numbers::whole_k")]
    #[schemars(range(min = 2))]
    pub k: u64,
    /// The table of the population, relative to the plan file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<String>,
    /// Instead, the share of the population that is in the table.
    #[serde(
        default,
        deserialize_with = "super::numbers::optional_fraction",
        serialize_with = "super::numbers::write_optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub sampling_fraction: Option<f64>,
    /// How likely a class of fewer than k people of the population may pass; 0.05 by default.
    #[serde(
        default,
        deserialize_with = "super::numbers::optional_significance",
        serialize_with = "super::numbers::write_optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub significance: Option<f64>,
}

/// A p over the population that the table is a random sample of.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `p` and `sampling-fraction`"
)]
pub struct PopulationUniquenessPlan {
    /// The largest estimated share of people who are alone in their class.
    #[serde(
        deserialize_with = "super::numbers::share_p",
        serialize_with = "super::numbers::write"
    )]
    #[schemars(range(min = 0, max = 1))]
    pub p: f64,
    /// The share of the population that is in the table.
    #[serde(
        deserialize_with = "super::numbers::fraction",
        serialize_with = "super::numbers::write"
    )]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub sampling_fraction: f64,
}

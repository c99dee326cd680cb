//! What a plan says about records inside records: related tables, and rules about values that occur often.

use kohort_core::Ratio;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Input;
use crate::goal::spelled::Scalar;

/// A table whose rows belong to the rows of another.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `foreign-key` and `input`"
)]
pub struct TablePlan {
    /// The table, relative to the plan file: CSV (also .gz and .zst), Parquet, JSON Lines or Arrow, or
    /// rows of a database. By default the rows of the plan's own `input`: rows with the same key belong to one person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// The column that names the parent row.
    pub foreign_key: String,
    /// The column by which other tables name its rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The table with the parent rows; the people of `input` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

/// A value that nobody may be known to have often.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `value`, `at-least` and `probability`"
)]
pub struct RulePlan {
    /// The value of a sensitive attribute.
    pub value: String,
    /// The number of occurrences in one person's records that discloses something.
    #[serde(deserialize_with = "super::numbers::occurrences")]
    #[schemars(range(min = 1))]
    pub at_least: u64,
    /// The largest probability with which somebody may be known to have that many: a number, or a fraction
    /// such as "1/2".
    pub probability: Probability,
    /// The sensitive attribute; every one that has the value by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

/// An exact share above 0, at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probability(Ratio);

impl Probability {
    /// The share.
    pub fn ratio(self) -> Ratio {
        self.0
    }
}

impl<'de> Deserialize<'de> for Probability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Scalar::deserialize(deserializer)?;
        let ratio = match &found {
            Scalar::Whole(number) => number.to_string().parse().ok(),
            Scalar::Number(number) => super::exact("probability", *number).ok(),
            Scalar::Text(text) => text.parse().ok(),
            _ => None,
        };
        let ratio = ratio.filter(|ratio| ratio.num() > 0 && *ratio <= Ratio::whole(1));
        ratio.map(Self).ok_or_else(|| {
            D::Error::custom(format!(
                "`probability` must be a share above 0, at most 1, such as 0.25 or \"1/3\", but is {found}"
            ))
        })
    }
}

impl Serialize for Probability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string())
    }
}

impl JsonSchema for Probability {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Probability".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A share above 0, at most 1: a number, or a fraction such as \"1/3\".",
            "anyOf": [
                { "type": "number", "exclusiveMinimum": 0, "maximum": 1 },
                { "type": "string", "pattern": "^[0-9]+(/[0-9]+|\\.[0-9]+)?$" }
            ]
        })
    }
}

//! delta-presence: whether somebody is in the table stays uncertain. About the whole release, not one class.

use kohort_core::Ratio;
use kohort_models::DeltaPresence as Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number};
use crate::goal::models::Binding;
use crate::goal::numbers::{number, write};

/// The share of members in every class of a public table.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `min`, `max` and `public`")]
#[schemars(rename = "Presence")]
pub struct DeltaPresence {
    /// The smallest share of members.
    #[serde(deserialize_with = "min::read", serialize_with = "write")]
    #[schemars(schema_with = "min::schema")]
    pub min: Ratio,
    /// The largest share of members.
    #[serde(deserialize_with = "max::read", serialize_with = "write")]
    #[schemars(schema_with = "max::schema")]
    pub max: Ratio,
    /// The public table, relative to the plan file.
    pub public: String,
}

number!(min, "min", SHARE);
number!(max, "max", SHARE);

impl InPlan for DeltaPresence {
    const DECLARATION: Declaration = Declaration {
        id: "delta-presence",
        sentence: "Membership in the table uncertain for everybody in a public table.",
        not_promised: "Delta-presence says nothing about a person outside the public table used.",
        flag: Flag::AsInPlan {
            value: "TOML",
            help: "Such as '{ min = 0.1, max = 0.5, public = \"people.csv\" }'",
        },
    };

    type Level = Self;

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        Model::new(level.min, level.max)?;
        Ok(vec![level.clone()])
    }

    fn level(self) -> Self::Level {
        self
    }
}

impl Meaning for DeltaPresence {
    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![
            Number::exact("min", &mut self.min, Less::None),
            Number::exact("max", &mut self.max, Less::None),
        ]
    }

    fn in_words(&self, numbers: String) -> String {
        format!("{numbers}, public {}", self.public)
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_members(Model::new(self.min, self.max)?);
        Ok(())
    }
}

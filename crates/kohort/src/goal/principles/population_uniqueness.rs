//! The estimated share of people of the population who are alone in their class: about the whole release.

use kohort_core::Ratio;
use kohort_models::PopulationUniqueness as Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number};
use crate::goal::models::Binding;
use crate::goal::numbers::{number, write};

/// A p over the population that the table is a random sample of.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `p` and `sampling-fraction`"
)]
#[schemars(rename = "PopulationUniquenessPlan")]
pub struct PopulationUniqueness {
    /// The largest estimated share of people who are alone in their class.
    #[serde(deserialize_with = "p::read", serialize_with = "write")]
    #[schemars(schema_with = "p::schema")]
    pub p: Ratio,
    /// The share of the population that is in the table.
    #[serde(deserialize_with = "fraction::read", serialize_with = "write")]
    #[schemars(schema_with = "fraction::schema")]
    pub sampling_fraction: Ratio,
}

number!(p, "p", SHARE);
number!(fraction, "sampling-fraction", POSITIVE_SHARE);

impl InPlan for PopulationUniqueness {
    const DECLARATION: Declaration = Declaration {
        id: "population-uniqueness",
        sentence: "The largest estimated share of the population that may be alone in its class.",
        not_promised: "Population uniqueness is an estimate, good as far as the rows are a random sample.",
        flag: Flag::AsInPlan {
            value: "TOML",
            help: "Such as '{ p = 0.01, sampling-fraction = 0.1 }'",
        },
    };

    type Level = Self;

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        Ok(vec![level.clone()])
    }

    fn level(self) -> Self::Level {
        self
    }
}

impl Meaning for PopulationUniqueness {
    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![
            Number::exact("p", &mut self.p, Less::None),
            Number::exact("sampling-fraction", &mut self.sampling_fraction, Less::None),
        ]
    }

    fn in_words(&self, _numbers: String) -> String {
        format!("p = {}, sampling fraction {}", self.p.value(), self.sampling_fraction.value())
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_sizes(Model::new(self.p, self.sampling_fraction)?);
        Ok(())
    }

    fn is_of_all_classes(&self) -> bool {
        true
    }
}

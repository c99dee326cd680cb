//! (epsilon,m)-anonymity: at most one in m of the numbers of a class are near one of them.

use kohort_core::Ratio;
use kohort_models::EpsilonMAnonymity as Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::named::is_numeric;
use crate::goal::numbers::{number, whole_number, write};
use crate::goal::spelled::OneOrMore;

/// An epsilon and m for one numeric sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `epsilon`, `m` and `attribute`")]
#[schemars(rename = "EpsilonM")]
pub struct EpsilonMAnonymity {
    /// How far apart numbers are that count as the same.
    #[serde(deserialize_with = "epsilon::read", serialize_with = "write")]
    #[schemars(schema_with = "epsilon::schema")]
    pub epsilon: Ratio,
    /// One over the largest share of such numbers in a class.
    #[serde(deserialize_with = "m::read")]
    #[schemars(schema_with = "m::schema")]
    pub m: u64,
    /// Whether `epsilon` is a share of the number itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relative: bool,
    /// The sensitive attribute.
    pub attribute: String,
}

number!(epsilon, "epsilon", NOT_NEGATIVE);
whole_number!(m, "m", 2);

impl InPlan for EpsilonMAnonymity {
    const DECLARATION: Declaration = Declaration {
        id: "epsilon-m-anonymity",
        sentence: "At most one in m of the numbers of a class within epsilon of one of them.",
        not_promised: "(epsilon,m)-anonymity promises nothing about ranges wider than epsilon, and nothing once \
                       somebody can rule values out.",
        flag: Flag::AsInPlan {
            value: "TOML",
            help: "Such as '{ epsilon = 1000, m = 5, attribute = \"income\" }', or with `relative = true` and a share",
        },
    };

    type Level = OneOrMore<Self>;

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        Ok(level.iter().cloned().collect())
    }

    fn level(self) -> Self::Level {
        OneOrMore::One(self)
    }
}

impl Meaning for EpsilonMAnonymity {
    fn attribute(&self) -> Option<&str> {
        Some(&self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![
            Number::exact("epsilon", &mut self.epsilon, Less::OneDigit),
            Number::whole("m", &mut self.m, Less::DownTo(2)),
        ]
    }

    fn in_words(&self, numbers: String) -> String {
        if self.relative {
            return format!("epsilon = {} of the number, m = {}", self.epsilon.value(), self.m);
        }
        numbers
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| {
            is_numeric(of.attribute, Self::DECLARATION.id)?;
            let model = Model::new(of.index, self.epsilon, self.m)?;
            Ok(if self.relative { model.relative() } else { model })
        })
    }

    // A number is near itself, and that no number fills more than 1/m is monotone.
    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        table.spread(Ratio::whole(self.m), &table.counts(), "one value")
    }
}

//! Basic beta-likeness: no value becomes much more likely in a class.

use kohort_core::Ratio;
use kohort_models::BasicBetaLikeness as Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number};
use crate::goal::models::Binding;
use crate::goal::numbers::{number, write};
use crate::goal::spelled::OneOrMore;

/// No value becomes much more likely in a class.
#[derive(Clone, Debug, PartialEq)]
pub struct BasicBetaLikeness {
    /// The largest relative gain in probability.
    pub beta: Ratio,
    /// The sensitive attribute; every one where it is left out.
    pub attribute: Option<String>,
}

/// A beta for one sensitive attribute or for every one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `beta`")]
pub struct Likeness {
    /// The largest relative gain in probability allowed.
    #[serde(deserialize_with = "beta::read", serialize_with = "write")]
    #[schemars(schema_with = "beta::schema")]
    pub beta: Ratio,
    /// The sensitive attribute; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

number!(beta, "beta", POSITIVE);

impl InPlan for BasicBetaLikeness {
    const DECLARATION: Declaration = Declaration {
        id: "basic-beta-likeness",
        sentence: "No value more likely in a class than in the table by a factor above 1 + beta.",
        not_promised: "Basic beta-likeness says nothing about values that become less likely, and sets no bound \
                       for a frequent value.",
        flag: Flag::AsInPlan { value: "TOML", help: "Such as '{ beta = 2 }'" },
    };

    type Level = OneOrMore<Likeness>;

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        let one = |Likeness { beta, attribute }| Self { beta, attribute };
        Ok(level.iter().cloned().map(one).collect())
    }

    fn level(self) -> Self::Level {
        OneOrMore::One(Likeness { beta: self.beta, attribute: self.attribute })
    }
}

impl Meaning for BasicBetaLikeness {
    fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    fn attribute_or_every(&mut self) -> Option<&mut Option<String>> {
        Some(&mut self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![Number::exact("beta", &mut self.beta, Less::Up)]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| Ok(Model::new(of.index, self.beta)?))
    }

    fn needs_values_alone(&self) -> bool {
        true
    }
}

//! delta-disclosure privacy: no probability changes much.

use kohort_core::Ratio;
use kohort_models::DeltaDisclosurePrivacy as Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number};
use crate::goal::models::Binding;
use crate::goal::numbers::{number, write};
use crate::goal::spelled::OneOrMore;

/// A delta for one sensitive attribute or for every one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `delta`")]
#[schemars(rename = "Disclosure")]
pub struct DeltaDisclosurePrivacy {
    /// The bound on the logarithm of the change in probability.
    #[serde(deserialize_with = "delta::read", serialize_with = "write")]
    #[schemars(schema_with = "delta::schema")]
    pub delta: Ratio,
    /// The sensitive attribute; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

number!(delta, "delta", POSITIVE);

impl InPlan for DeltaDisclosurePrivacy {
    const DECLARATION: Declaration = Declaration {
        id: "delta-disclosure-privacy",
        sentence: "No probability changed by a factor of 2^delta or more.",
        not_promised: "Delta-disclosure privacy compares with the whole table, and what that says is public \
                       with the release.",
        flag: Flag::AsInPlan { value: "TOML", help: "Such as '{ delta = 1.5 }'" },
    };

    type Level = OneOrMore<Self>;

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        Ok(level.iter().cloned().collect())
    }

    fn level(self) -> Self::Level {
        OneOrMore::One(self)
    }
}

impl Meaning for DeltaDisclosurePrivacy {
    fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    fn attribute_or_every(&mut self) -> Option<&mut Option<String>> {
        Some(&mut self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![Number::exact("delta", &mut self.delta, Less::Up)]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| Ok(Model::new(of.index, self.delta)?))
    }

    fn needs_values_alone(&self) -> bool {
        true
    }
}

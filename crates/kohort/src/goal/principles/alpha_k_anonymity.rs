//! (alpha,k)-anonymity: chosen values in at most a share alpha of every class of k rows.

use kohort_core::Ratio;
use kohort_models::AlphaKAnonymity as Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number, chosen, values};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::named::codes;
use crate::goal::numbers::{number, whole_number, write};
use crate::goal::spelled::OneOrMore;

/// An alpha and k for chosen values of one sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `alpha`, `k` and `attribute`")]
#[schemars(rename = "AlphaK")]
pub struct AlphaKAnonymity {
    /// The largest share of a chosen value in a class.
    #[serde(deserialize_with = "alpha::read", serialize_with = "write")]
    #[schemars(schema_with = "alpha::schema")]
    pub alpha: Ratio,
    /// The smallest class allowed.
    #[serde(deserialize_with = "k::read")]
    #[schemars(schema_with = "k::schema")]
    pub k: u64,
    /// The values to protect; all by default.
    #[serde(default, deserialize_with = "values", skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub values: Option<Vec<String>>,
    /// The sensitive attribute.
    pub attribute: String,
}

number!(alpha, "alpha", POSITIVE_SHARE);
whole_number!(k, "k", 1);

impl InPlan for AlphaKAnonymity {
    const DECLARATION: Declaration = Declaration {
        id: "alpha-k-anonymity",
        sentence: "Chosen values in at most a share alpha of every class of k rows.",
        not_promised: "(alpha,k)-anonymity says nothing about values that were not chosen.",
        flag: Flag::AsInPlan {
            value: "TOML",
            help: "Such as '{ alpha = 0.3, k = 5, values = [\"HIV\"], attribute = \"disease\" }'",
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

impl Meaning for AlphaKAnonymity {
    fn attribute(&self) -> Option<&str> {
        Some(&self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![
            Number::exact("alpha", &mut self.alpha, Less::UpToOne),
            Number::whole("k", &mut self.k, Less::DownTo(2)),
        ]
    }

    fn in_words(&self, numbers: String) -> String {
        format!("{numbers}, {}", chosen(self.values.as_deref()))
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| {
            let codes = codes(of.attribute, self.values.as_deref(), of.notes);
            Ok(Model::new(of.index, self.alpha, self.k, codes)?)
        })
    }

    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        table.rows(self.k)?;
        table.share(self.alpha, &table.chosen(self.values.as_deref()), "one chosen value")
    }

    fn hides_rows(&self) -> bool {
        true
    }

    fn counts_values(&self) -> bool {
        self.values.is_none()
    }

    fn named_values(&self) -> Option<Vec<&str>> {
        Some(self.values.as_ref()?.iter().map(String::as_str).collect())
    }
}

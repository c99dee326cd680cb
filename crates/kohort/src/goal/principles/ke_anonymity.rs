//! (k,e)-anonymity: k different numbers in every class, over a range of e.

use kohort_core::Ratio;
use kohort_models::{Counts, Distribution, KeAnonymity as Model};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::named::is_numeric;
use crate::goal::numbers::{number, whole_number, write};
use crate::goal::spelled::OneOrMore;

/// A k and e for one numeric sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `k`, `e` and `attribute`")]
#[schemars(rename = "Ke")]
pub struct KeAnonymity {
    /// The fewest different numbers allowed.
    #[serde(deserialize_with = "k::read")]
    #[schemars(schema_with = "k::schema")]
    pub k: u64,
    /// The smallest range allowed.
    #[serde(deserialize_with = "e::read", serialize_with = "write")]
    #[schemars(schema_with = "e::schema")]
    pub e: Ratio,
    /// The sensitive attribute.
    pub attribute: String,
}

whole_number!(k, "k", 2);
number!(e, "e", NOT_NEGATIVE);

impl InPlan for KeAnonymity {
    const DECLARATION: Declaration = Declaration {
        id: "ke-anonymity",
        sentence: "At least k different numbers in every class, over a range of at least e.",
        not_promised: "(k,e)-anonymity bounds no probability, and most of a class may share a narrow range: one \
                       value far away is enough for e.",
        flag: Flag::AsInPlan {
            value: "TOML",
            help: "Such as '{ k = 3, e = 1000, attribute = \"income\" }'",
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

impl Meaning for KeAnonymity {
    fn attribute(&self) -> Option<&str> {
        Some(&self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![
            Number::whole("k", &mut self.k, Less::DownTo(2)),
            Number::exact("e", &mut self.e, Less::OneDigit),
        ]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| {
            is_numeric(of.attribute, Self::DECLARATION.id)?;
            Ok(Model::new(of.index, self.k, self.e)?)
        })
    }

    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        let Some(attribute) = table.attribute else { return Ok(()) };
        let distribution = Distribution::new(attribute);
        let all = attribute.counts().iter().map(|&count| u64::from(count));
        let cells: Vec<(u32, u64)> = (0..).zip(all).collect();
        let counts = Counts { table: &distribution, cells: &cells };
        if counts.is_silent() {
            return Ok(());
        }
        let numbers = usize::try_from(Model::n_numbers(&counts)).unwrap_or(usize::MAX);
        table.distinct(self.k, numbers)?;
        if Model::spreads(&counts, self.e) {
            return Ok(());
        }
        Err(table.no("the values of the table do not range that far"))
    }

    fn needs_values_alone(&self) -> bool {
        true
    }
}

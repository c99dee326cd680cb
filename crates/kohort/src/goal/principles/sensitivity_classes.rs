//! Bounds on highly sensitive values.

use kohort_core::{Attribute, Message, Ratio, message};
use kohort_models::SensitivityClasses as Model;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::Error;
use crate::error::refused;
use crate::goal::declared::{
    Declaration, Flag, InPlan, Less, Meaning, Number, counted, some_values,
};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::named::codes;
use crate::goal::numbers::{number, write, write_optional};
use crate::goal::spelled::OneOrMore;

/// Highly sensitive values of one sensitive attribute, and their bounds.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `attribute`, `high` and `alpha`"
)]
#[schemars(rename = "HighAndLow")]
pub struct SensitivityClasses {
    /// The sensitive attribute.
    pub attribute: String,
    /// The highly sensitive values.
    #[serde(deserialize_with = "high_values")]
    #[schemars(length(min = 1))]
    pub high: Vec<String>,
    /// The values that are not highly sensitive. Where they are named, every other value counts as high;
    /// where they are left out, every value that is not high is low.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Vec<String>>,
    /// The largest share of high values together.
    #[serde(deserialize_with = "alpha::read", serialize_with = "write")]
    #[schemars(schema_with = "alpha::schema")]
    pub alpha: Ratio,
    /// One over the largest share of one high value.
    #[serde(
        default,
        deserialize_with = "l::read",
        serialize_with = "write_optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(schema_with = "l::schema")]
    pub l: Option<Ratio>,
    /// One over the largest share of one low value.
    #[serde(
        default,
        deserialize_with = "l_low::read",
        serialize_with = "write_optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(schema_with = "l_low::schema")]
    pub l_low: Option<Ratio>,
}

number!(alpha, "alpha", POSITIVE_SHARE);
number!(optional l, "l", ABOVE_1);
number!(optional l_low, "l-low", ABOVE_1);

fn high_values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    some_values(deserializer, "high")
}

impl InPlan for SensitivityClasses {
    const DECLARATION: Declaration = Declaration {
        id: "sensitivity-classes",
        sentence: "Highly sensitive values in at most a share alpha of every class.",
        not_promised: "Sensitivity classes promise nothing about values that are not called high, unless l-low is \
                       asked for.",
        flag: Flag::AsInPlan {
            value: "TOML",
            help: "Such as '{ attribute = \"disease\", high = [\"HIV\"], alpha = 0.5 }'",
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

impl SensitivityClasses {
    /// The codes of the highly sensitive values: those that are named, and where the low ones are named as well,
    /// all that are not among these.
    pub(crate) fn codes(
        &self,
        attribute: &Attribute,
        notes: &mut Vec<Message>,
    ) -> Result<Vec<u32>, Error> {
        let named = codes(attribute, Some(&self.high), notes);
        let Some(low) = &self.low else { return Ok(named) };
        if let Some(both) = self.high.iter().find(|value| low.contains(value)) {
            return Err(refused(
                format!("`sensitivity-classes` calls `{both}` both high and low"),
                "leave it in one of the two lists",
            ));
        }
        let low = codes(attribute, Some(low), notes);
        let all: Vec<u32> =
            (0..attribute.n_codes()).filter(|code| low.binary_search(code).is_err()).collect();
        let n_more = all.iter().filter(|code| named.binary_search(code).is_err()).count();
        if n_more > 0 {
            let name = attribute.name();
            notes.push(message!(
                "values of column `{name}` that are called neither high nor low, and count as high: {n_more}"
            ));
        }
        Ok(all)
    }
}

impl Meaning for SensitivityClasses {
    fn attribute(&self) -> Option<&str> {
        Some(&self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        let mut numbers = vec![Number::exact("alpha", &mut self.alpha, Less::UpToOne)];
        for (name, level) in [("l", &mut self.l), ("l-low", &mut self.l_low)] {
            let level = level.as_mut();
            numbers.extend(level.map(|level| Number::exact(name, level, Less::TenthsAboveOne)));
        }
        numbers
    }

    fn in_words(&self, numbers: String) -> String {
        format!("{numbers}, {} high", counted(self.high.len()))
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| {
            let high = self.codes(of.attribute, of.notes)?;
            let mut model = Model::new(of.index, high, self.alpha)?;
            if let Some(l) = self.l {
                model = model.with_l(l)?;
            }
            if let Some(l_low) = self.l_low {
                model = model.with_l_low(l_low)?;
            }
            Ok(model)
        })
    }

    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        let Some(attribute) = table.attribute else { return Ok(()) };
        // Values in both lists were refused before.
        let high = self.codes(attribute, &mut Vec::new()).unwrap_or_default();
        let values: Vec<u64> = high.iter().map(|&code| table.count(code)).collect();
        let together = [values.iter().sum()];
        table.share(self.alpha, &together, "the high values together")?;
        if let Some(l) = self.l {
            table.spread(l, &values, "one high value")?;
        }
        let Some(l_low) = self.l_low else { return Ok(()) };
        let others = (0..).zip(table.counts());
        let others = others.filter(|(code, _)| high.binary_search(code).is_err());
        let others: Vec<u64> = others.map(|(_, count)| count).collect();
        table.spread(l_low, &others, "one low value")
    }

    fn named_values(&self) -> Option<Vec<&str>> {
        let named = self.high.iter().chain(self.low.iter().flatten());
        Some(named.map(String::as_str).collect())
    }

    fn fears_unnamed(&self) -> bool {
        self.low.is_some()
    }
}

//! LKC-privacy: k rows and a bounded share of values, for an adversary who knows at most l columns.

use kohort_core::Ratio;
use kohort_models::LkcPrivacy as Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number, chosen, values};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::named::codes;
use crate::goal::numbers::{number, whole_number, write};
use crate::goal::spelled::OneOrMore;

/// An L, K and C for chosen values of one sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `l`, `k`, `c` and `attribute`")]
#[schemars(rename = "Lkc")]
pub struct LkcPrivacy {
    /// The most columns that the adversary knows.
    #[serde(deserialize_with = "l::read")]
    #[schemars(schema_with = "l::schema")]
    pub l: u64,
    /// The smallest class allowed.
    #[serde(deserialize_with = "k::read")]
    #[schemars(schema_with = "k::schema")]
    pub k: u64,
    /// The largest share of a chosen value in a class.
    #[serde(deserialize_with = "c::read", serialize_with = "write")]
    #[schemars(schema_with = "c::schema")]
    pub c: Ratio,
    /// The values to protect; all by default.
    #[serde(default, deserialize_with = "values", skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub values: Option<Vec<String>>,
    /// The sensitive attribute.
    pub attribute: String,
}

whole_number!(l, "l", 1);
whole_number!(k, "k", 1);
number!(c, "c", POSITIVE_SHARE);

impl InPlan for LkcPrivacy {
    const DECLARATION: Declaration = Declaration {
        id: "lkc-privacy",
        sentence: "At least k rows, and no chosen value with probability above c, for an adversary who knows at most l \
                   columns.",
        not_promised: "LKC-privacy promises nothing against an outsider who knows more than l columns, and \
                       nothing about values that are not listed.",
        flag: Flag::AsInPlan {
            value: "TOML",
            help: "Such as '{ l = 2, k = 5, c = 0.5, attribute = \"disease\" }'",
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

impl Meaning for LkcPrivacy {
    fn attribute(&self) -> Option<&str> {
        Some(&self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![
            Number::whole("l", &mut self.l, Less::None),
            Number::whole("k", &mut self.k, Less::DownTo(2)),
            Number::exact("c", &mut self.c, Less::UpToOne),
        ]
    }

    fn in_words(&self, numbers: String) -> String {
        format!("{numbers}, {}", chosen(self.values.as_deref()))
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| {
            let codes = codes(of.attribute, self.values.as_deref(), of.notes);
            let l = usize::try_from(self.l).unwrap_or(usize::MAX);
            Ok(Model::new(of.index, l, self.k, self.c, codes)?)
        })
    }

    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        table.rows(self.k)?;
        table.share(self.c, &table.chosen(self.values.as_deref()), "one chosen value")
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

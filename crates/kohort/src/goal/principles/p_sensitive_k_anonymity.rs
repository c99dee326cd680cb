//! p-sensitive k-anonymity: classes of k rows with p values of every sensitive attribute.

use kohort_models::PSensitiveKAnonymity as Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number};
use crate::goal::feasible::{Table, counts_of};
use crate::goal::models::Binding;
use crate::goal::numbers::whole_number;

/// A p and k for every sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `p` and `k`")]
#[schemars(rename = "PSensitiveK")]
pub struct PSensitiveKAnonymity {
    /// The smallest number of different values.
    #[serde(deserialize_with = "p::read")]
    #[schemars(schema_with = "p::schema")]
    pub p: u64,
    /// The smallest class allowed, at least p.
    #[serde(deserialize_with = "k::read")]
    #[schemars(schema_with = "k::schema")]
    pub k: u64,
}

whole_number!(p, "p", 2);
whole_number!(k, "k", 2);

impl InPlan for PSensitiveKAnonymity {
    const DECLARATION: Declaration = Declaration {
        id: "p-sensitive-k-anonymity",
        sentence: "Classes of k rows with p values of every sensitive attribute.",
        not_promised: "p-sensitive k-anonymity bounds no probability of a value.",
        flag: Flag::AsInPlan { value: "TOML", help: "Such as '{ p = 2, k = 5 }'" },
    };

    type Level = Self;

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        Ok(vec![level.clone()])
    }

    fn level(self) -> Self::Level {
        self
    }
}

impl Meaning for PSensitiveKAnonymity {
    fn numbers(&mut self) -> Vec<Number<'_>> {
        let fewest = self.p;
        vec![
            Number::whole("p", &mut self.p, Less::DownTo(2)),
            Number::whole("k", &mut self.k, Less::DownTo(fewest)),
        ]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_all(Model::new(self.p, self.k))
    }

    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        table.rows(self.k)?;
        let n_values = table.sensitive.iter().map(|attribute| counts_of(attribute).len());
        table.distinct(self.p, n_values.filter(|&n| n > 0).min().unwrap_or(0))
    }

    fn hides_rows(&self) -> bool {
        true
    }

    fn needs_values_alone(&self) -> bool {
        true
    }

    fn counts_values(&self) -> bool {
        true
    }
}

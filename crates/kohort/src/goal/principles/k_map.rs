//! k-map: every released row is like at least k people of a population.

use kohort_core::Ratio;
use kohort_models::{EstimatedKMap, KMap as Model};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::error::refused;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number};
use crate::goal::models::Binding;
use crate::goal::numbers::{number, whole_number, write_optional};

/// A k over a population: a table, or one that the table is a random sample of.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `k` and `public` or `sampling-fraction`"
)]
#[schemars(rename = "KMapPlan")]
pub struct KMap {
    /// The fewest people of the population that a row is like.
    #[serde(deserialize_with = "k::read")]
    #[schemars(schema_with = "k::schema")]
    pub k: u64,
    /// The table of the population, relative to the plan file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<String>,
    /// Instead, the share of the population that is in the table.
    #[serde(
        default,
        deserialize_with = "fraction::read",
        serialize_with = "write_optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(schema_with = "fraction::schema")]
    pub sampling_fraction: Option<Ratio>,
    /// How likely a class of fewer than k people of the population may pass; 0.05 by default.
    #[serde(
        default,
        deserialize_with = "significance::read",
        serialize_with = "write_optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(schema_with = "significance::schema")]
    pub significance: Option<Ratio>,
}

whole_number!(k, "k", 2);
number!(optional fraction, "sampling-fraction", POSITIVE_SHARE);
number!(optional significance, "significance", PROPER_SHARE);

impl InPlan for KMap {
    const DECLARATION: Declaration = Declaration {
        id: "k-map",
        sentence: "Every released row like at least k people of a population.",
        not_promised: "k-map says nothing against somebody who knows that a person is in the table: a class may have a \
                       single row.",
        flag: Flag::AsInPlan {
            value: "TOML",
            help: "Such as '{ k = 5, public = \"people.csv\" }', or '{ k = 5, sampling-fraction = 0.1 }'",
        },
    };

    type Level = Self;

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        level.population().map(|one| vec![one])
    }

    fn level(self) -> Self::Level {
        self
    }
}

impl KMap {
    /// Over a table of the population, relative to the plan file.
    pub fn over(k: u64, public: impl Into<String>) -> Self {
        Self { k, public: Some(public.into()), sampling_fraction: None, significance: None }
    }

    /// The share of the population in the table, and how likely a class of too few people may pass: where
    /// the table is a random sample.
    pub fn sample(&self) -> Option<(Ratio, Ratio)> {
        let significance = self.significance.unwrap_or(Ratio::new(5, 100));
        self.sampling_fraction.map(|fraction| (fraction, significance))
    }

    /// The same with every number that its population has.
    fn population(&self) -> Result<Self, Error> {
        match (&self.public, self.sample()) {
            (Some(_), None) if self.significance.is_none() => Ok(self.clone()),
            (None, Some((_, significance))) => {
                Ok(Self { significance: Some(significance), ..self.clone() })
            }
            _ => Err(refused(
                "`k-map` must have `public`, or `sampling-fraction` with or without `significance`",
                "`public` names the table of the population; a random sample needs its \
                 `sampling-fraction` alone",
            )),
        }
    }
}

impl Meaning for KMap {
    fn numbers(&mut self) -> Vec<Number<'_>> {
        let mut numbers = vec![Number::whole("k", &mut self.k, Less::None)];
        let sampled = [
            ("sampling-fraction", &mut self.sampling_fraction),
            ("significance", &mut self.significance),
        ];
        for (name, share) in sampled {
            numbers.extend(share.as_mut().map(|share| Number::exact(name, share, Less::None)));
        }
        numbers
    }

    fn in_words(&self, _numbers: String) -> String {
        let k = self.k;
        match (&self.public, self.sample()) {
            (_, Some((fraction, significance))) => format!(
                "k = {k}, sampling fraction {}, significance {}",
                fraction.value(),
                significance.value()
            ),
            (public, None) => format!("k = {k}, public {}", public.as_deref().unwrap_or_default()),
        }
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        match self.sample() {
            Some((fraction, significance)) => {
                binding.of_rows(EstimatedKMap::new(self.k, fraction, significance)?);
            }
            None => binding.of_population(Model::new(self.k)?),
        }
        Ok(())
    }

    fn is_of_all_classes(&self) -> bool {
        true
    }
}

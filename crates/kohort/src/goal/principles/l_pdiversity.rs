//! l-pdiversity: no value of any sensitive attribute in more than 1/l of a class.

use kohort_models::LPdiversity as Model;
use schemars::Schema;
use serde::Deserializer;

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Level, Meaning, Number};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::numbers::at_least;

/// l-pdiversity, of all sensitive attributes.
#[derive(Clone, Debug, PartialEq)]
pub struct LPdiversity {
    /// One over the largest share of a value.
    pub l: u64,
}

impl InPlan for LPdiversity {
    const DECLARATION: Declaration = Declaration {
        id: "l-pdiversity",
        sentence: "No value of any sensitive attribute in more than 1/l of a class.",
        not_promised: "l-pdiversity says nothing about similar values.",
        flag: Flag::Level {
            name: "l-pdiversity",
            alias: None,
            value: "L",
            help: "l-pdiversity: no value of any sensitive attribute in more than 1/l of a class",
            level: Level::Whole(|l| Self { l }.into()),
        },
    };

    type Level = u64;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        at_least(deserializer, Self::DECLARATION.id, 2).map(Some)
    }

    fn add_bounds(schema: &mut Schema) {
        schema.insert("minimum".into(), 2.into());
    }

    fn asked(level: &u64) -> Result<Vec<Self>, Error> {
        Ok(vec![Self { l: *level }])
    }

    fn level(self) -> u64 {
        self.l
    }
}

impl Meaning for LPdiversity {
    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![Number::whole("l", &mut self.l, Less::DownTo(2))]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_all(Model::new(self.l))
    }

    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        table.spread_all(self.l)
    }

    fn counts_values(&self) -> bool {
        true
    }
}

//! l-mdiversity: l-pdiversity that holds as well after values were ruled out.

use kohort_models::LMdiversity as Model;
use schemars::Schema;
use serde::Deserializer;

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Level, Meaning, Number};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::numbers::at_least;

/// l-mdiversity, of all sensitive attributes.
#[derive(Clone, Debug, PartialEq)]
pub struct LMdiversity {
    /// One over the largest probability of a value.
    pub l: u64,
}

impl InPlan for LMdiversity {
    const DECLARATION: Declaration = Declaration {
        id: "l-mdiversity",
        sentence: "No value of any sensitive attribute is guessed with probability above 1/(l − i) after ruling out i \
                   values.",
        not_promised: "l-mdiversity loses one l per row that somebody knows whole.",
        flag: Flag::Level {
            name: "l-mdiversity",
            alias: Some("l"),
            value: "L",
            help: "l-mdiversity: the same, and at most 1/(l − i) after ruling out i values",
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

impl Meaning for LMdiversity {
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

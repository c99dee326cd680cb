//! k-anonymity: everybody looks like at least k − 1 others.

use kohort_models::KAnonymity as Model;
use schemars::Schema;
use serde::Deserializer;

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Level, Meaning, Number};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::numbers::at_least;
use crate::goal::statement::{Broken, ClassTable, Dialect, Sql};

/// Classes of at least k rows.
#[derive(Clone, Debug, PartialEq)]
pub struct KAnonymity {
    /// The smallest class.
    pub k: u64,
}

impl InPlan for KAnonymity {
    const DECLARATION: Declaration = Declaration {
        id: "k-anonymity",
        sentence: "The smallest class allowed.",
        not_promised: "k-anonymity says nothing about the sensitive value: everybody in a class may share it.",
        flag: Flag::Level {
            name: "k",
            alias: None,
            value: "K",
            help: "k-anonymity: everybody looks like at least k − 1 others",
            level: Level::Whole(|k| Self { k }.into()),
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
        Ok(vec![Self { k: *level }])
    }

    fn level(self) -> u64 {
        self.k
    }
}

impl Meaning for KAnonymity {
    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![Number::whole("k", &mut self.k, Less::DownTo(2))]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_rows(Model::new(self.k)?);
        Ok(())
    }

    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        table.rows(self.k)
    }

    fn hides_rows(&self) -> bool {
        true
    }

    fn sql(&self, _: Dialect) -> Result<Sql<'_>, Error> {
        Model::new(self.k)?;
        Ok(Sql::OfRows(Broken {
            figure: format!("{}-anonymity", self.k),
            classes: ClassTable::Sizes,
            breaks: format!("n < {}", self.k),
        }))
    }
}

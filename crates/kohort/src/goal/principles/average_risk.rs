//! The average re-identification risk: about the whole release.

use kohort_core::Ratio;
use kohort_models::AverageRisk as Model;
use schemars::Schema;
use serde::Deserializer;

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::numbers::{Range, exact, within};

/// A bound on the average re-identification risk.
#[derive(Clone, Debug, PartialEq)]
pub struct AverageRisk {
    /// The largest share.
    pub p: Ratio,
}

impl InPlan for AverageRisk {
    const DECLARATION: Declaration = Declaration {
        id: "average-risk",
        sentence: "The largest share of people who may be linked with the right row.",
        not_promised: "An average risk is no bound for any one person: some may be alone.",
        flag: Flag::AsInPlan {
            value: "P",
            help: "The largest share of people who may be linked with the right row: 0.2",
        },
    };

    type Level = f64;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        within(deserializer, Self::DECLARATION.id, Range::POSITIVE_SHARE).map(Some)
    }

    fn add_bounds(schema: &mut Schema) {
        Range::POSITIVE_SHARE.bounds(schema);
    }

    fn asked(level: &f64) -> Result<Vec<Self>, Error> {
        Ok(vec![Self { p: exact(Self::DECLARATION.id, *level)? }])
    }

    fn level(self) -> f64 {
        self.p.value()
    }
}

impl Meaning for AverageRisk {
    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![Number::exact("p", &mut self.p, Less::None)]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_sizes(Model::new(self.p)?);
        Ok(())
    }

    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        table.rows(self.p.den().div_ceil(self.p.num()))
    }

    fn is_of_all_classes(&self) -> bool {
        true
    }
}

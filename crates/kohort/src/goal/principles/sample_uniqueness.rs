//! The share of rows that are alone in their class: about the whole release.

use kohort_core::Ratio;
use kohort_models::SampleUniqueness as Model;
use schemars::Schema;
use serde::Deserializer;

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number};
use crate::goal::models::Binding;
use crate::goal::numbers::{Range, exact, within};

/// A bound on the share of rows that are alone.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleUniqueness {
    /// The largest share.
    pub p: Ratio,
}

impl InPlan for SampleUniqueness {
    const DECLARATION: Declaration = Declaration {
        id: "sample-uniqueness",
        sentence: "The largest share of rows that may be alone in their class.",
        not_promised: "Rows that are alone are not protected, and a class of two hides little.",
        flag: Flag::AsInPlan {
            value: "P",
            help: "The largest share of rows that may be alone in their class: 0.05",
        },
    };

    type Level = f64;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        within(deserializer, Self::DECLARATION.id, Range::SHARE).map(Some)
    }

    fn add_bounds(schema: &mut Schema) {
        Range::SHARE.bounds(schema);
    }

    fn asked(level: &f64) -> Result<Vec<Self>, Error> {
        Ok(vec![Self { p: exact(Self::DECLARATION.id, *level)? }])
    }

    fn level(self) -> f64 {
        self.p.value()
    }
}

impl Meaning for SampleUniqueness {
    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![Number::exact("p", &mut self.p, Less::None)]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_sizes(Model::new(self.p)?);
        Ok(())
    }

    fn is_of_all_classes(&self) -> bool {
        true
    }
}

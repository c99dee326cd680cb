//! Enhanced beta-likeness: basic beta-likeness, and no value becomes certain.

use kohort_core::Ratio;
use kohort_models::EnhancedBetaLikeness as Model;

use super::Likeness;
use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number};
use crate::goal::models::Binding;
use crate::goal::spelled::OneOrMore;

/// Basic beta-likeness, and no value becomes certain.
#[derive(Clone, Debug, PartialEq)]
pub struct EnhancedBetaLikeness {
    /// The largest relative gain in probability.
    pub beta: Ratio,
    /// The sensitive attribute; every one where it is left out.
    pub attribute: Option<String>,
}

impl InPlan for EnhancedBetaLikeness {
    const DECLARATION: Declaration = Declaration {
        id: "enhanced-beta-likeness",
        sentence: "The same, and no value certain.",
        not_promised: "Enhanced beta-likeness says nothing about values that become less likely.",
        flag: Flag::AsInPlan { value: "TOML", help: "Such as '{ beta = 2 }'" },
    };

    type Level = OneOrMore<Likeness>;

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        let one = |Likeness { beta, attribute }| Self { beta, attribute };
        Ok(level.iter().cloned().map(one).collect())
    }

    fn level(self) -> Self::Level {
        OneOrMore::One(Likeness { beta: self.beta, attribute: self.attribute })
    }
}

impl Meaning for EnhancedBetaLikeness {
    fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    fn attribute_or_every(&mut self) -> Option<&mut Option<String>> {
        Some(&mut self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![Number::exact("beta", &mut self.beta, Less::Up)]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| Ok(Model::new(of.index, self.beta)?))
    }

    fn needs_values_alone(&self) -> bool {
        true
    }
}

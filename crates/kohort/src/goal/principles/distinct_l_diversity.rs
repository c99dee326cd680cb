//! Distinct l-diversity: at least l different sensitive values in every class.

use kohort_core::{Kind, Ratio};
use kohort_models::DistinctLDiversity as Model;
use serde::{Deserialize, Deserializer};

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Level, Meaning, Number};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::numbers::refused;
use crate::goal::spelled::{Diversity, OneOrMore};
use crate::goal::statement::{Broken, ClassTable, Dialect, Sql};

/// At least l different values.
#[derive(Clone, Debug, PartialEq)]
pub struct DistinctLDiversity {
    /// The level.
    pub l: u64,
    /// The sensitive attribute; every one where it is left out.
    pub attribute: Option<String>,
}

impl InPlan for DistinctLDiversity {
    const DECLARATION: Declaration = Declaration {
        id: "distinct-l-diversity",
        sentence: "At least l different values in every class.",
        not_promised: "Distinct l-diversity bounds no probability: one value may fill nearly the whole class.",
        flag: Flag::Level {
            name: "distinct-l",
            alias: None,
            value: "L",
            help: "Distinct l-diversity: at least l different sensitive values in every class",
            level: Level::Whole(|l| Self { l, attribute: None }.into()),
        },
    };

    type Level = OneOrMore<Diversity>;

    /// Distinct values are counted, so that their l is whole.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self::Level>, D::Error> {
        let levels = OneOrMore::<Diversity>::deserialize(deserializer)?;
        let broken = levels.iter().map(|level| level.parts().0).find(|l| l.den() != 1);
        match broken {
            Some(l) => Err(refused("l", &"a whole number of at least 2", &l.value())),
            None => Ok(Some(levels)),
        }
    }

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        level.iter().map(Self::of).collect()
    }

    fn level(self) -> Self::Level {
        OneOrMore::One(Diversity::of(Ratio::whole(self.l), self.attribute))
    }
}

impl DistinctLDiversity {
    fn of(level: &Diversity) -> Result<Self, Error> {
        let (l, attribute) = level.parts();
        if l.den() != 1 {
            let (name, found, expected) = ("l", l.value().to_string(), "a whole number");
            return Err(kohort_core::Error::new(Kind::Parameter { name, found, expected }).into());
        }
        Ok(Self { l: l.num(), attribute: attribute.map(str::to_owned) })
    }
}

impl Meaning for DistinctLDiversity {
    fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    fn attribute_or_every(&mut self) -> Option<&mut Option<String>> {
        Some(&mut self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![Number::whole("l", &mut self.l, Less::DownTo(2))]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| Ok(Model::new(of.index, self.l)?))
    }

    fn counts_values(&self) -> bool {
        true
    }

    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        table.distinct(self.l, table.counts().len())
    }

    fn needs_values_alone(&self) -> bool {
        true
    }

    fn sql(&self, _: Dialect) -> Result<Sql<'_>, Error> {
        Ok(Sql::of_every_column(move || {
            Model::new(0, self.l)?;
            Ok(Broken {
                figure: format!("distinct {}-diversity", self.l),
                classes: ClassTable::Diversity,
                breaks: format!("d < {}", self.l),
            })
        }))
    }
}

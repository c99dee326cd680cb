//! Entropy l-diversity: values as uncertain as l equally likely ones.

use kohort_core::Ratio;
use kohort_models::EntropyLDiversity as Model;

use crate::Error;
use crate::goal::caps::most_entropy;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Level, Meaning, Number};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::spelled::{Diversity, OneOrMore};
use crate::goal::statement::{Broken, ClassTable, Dialect, Sql, TOLERANCE};

/// Values as uncertain as l equally likely ones.
#[derive(Clone, Debug, PartialEq)]
pub struct EntropyLDiversity {
    /// The level.
    pub l: Ratio,
    /// The sensitive attribute; every one where it is left out.
    pub attribute: Option<String>,
}

impl InPlan for EntropyLDiversity {
    const DECLARATION: Declaration = Declaration {
        id: "entropy-l-diversity",
        sentence: "Values as uncertain as l equally likely ones.",
        not_promised: "Entropy l-diversity is about an average: one value may still be likely.",
        flag: Flag::Level {
            name: "entropy-l",
            alias: None,
            value: "L",
            help: "Entropy l-diversity: values as uncertain as l equally likely ones",
            level: Level::Exact(|l| Self { l, attribute: None }.into()),
        },
    };

    type Level = OneOrMore<Diversity>;

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        let one = |level: &Diversity| {
            let (l, attribute) = level.parts();
            Self { l, attribute: attribute.map(str::to_owned) }
        };
        Ok(level.iter().map(one).collect())
    }

    fn level(self) -> Self::Level {
        OneOrMore::One(Diversity::of(self.l, self.attribute))
    }
}

impl Meaning for EntropyLDiversity {
    fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    fn attribute_or_every(&mut self) -> Option<&mut Option<String>> {
        Some(&mut self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![Number::exact("l", &mut self.l, Less::TenthsAboveOne)]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| Ok(Model::new(of.index, self.l)?))
    }

    fn counts_values(&self) -> bool {
        true
    }

    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        const TOLERANCE: f64 = 1e-9;
        let most = most_entropy(table.counts(), table.droppable);
        if self.l.value().ln() <= most + TOLERANCE || table.counts().is_empty() {
            return Ok(());
        }
        let why = format!("the whole table does not have that much entropy{}", table.dropping());
        Err(table.no(&why))
    }

    fn needs_values_alone(&self) -> bool {
        true
    }

    fn sql(&self, dialect: Dialect) -> Result<Sql<'_>, Error> {
        Ok(Sql::of_every_column(move || {
            Model::new(0, self.l)?;
            Ok(Broken {
                figure: format!("entropy {}-diversity", self.l),
                classes: ClassTable::Diversity,
                breaks: format!(
                    "LN({}) > {} + {TOLERANCE}",
                    dialect.fraction(self.l),
                    dialect.entropy()
                ),
            })
        }))
    }
}

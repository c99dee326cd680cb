//! Frequency l-diversity: no sensitive value in more than 1/l of a class.

use kohort_core::Ratio;
use kohort_models::FrequencyLDiversity as Model;

use crate::Error;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Level, Meaning, Number};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::spelled::{Diversity, OneOrMore};
use crate::goal::statement::{Broken, ClassTable, Dialect, Sql, times};

/// No value in more than 1/l of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct FrequencyLDiversity {
    /// The level.
    pub l: Ratio,
    /// The sensitive attribute; every one where it is left out.
    pub attribute: Option<String>,
}

impl InPlan for FrequencyLDiversity {
    const DECLARATION: Declaration = Declaration {
        id: "frequency-l-diversity",
        sentence: "No value in more than 1/l of a class.",
        not_promised: "Frequency l-diversity promises nothing once an outsider can rule values out, and nothing \
                       about similar values.",
        flag: Flag::Level {
            name: "frequency-l",
            alias: None,
            value: "L",
            help: "Frequency l-diversity: no sensitive value in more than 1/l of a class",
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

impl Meaning for FrequencyLDiversity {
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
        table.spread(self.l, &table.counts(), "one value")
    }

    fn sql(&self, dialect: Dialect) -> Result<Sql<'_>, Error> {
        let l = self.l;
        Ok(Sql::of_every_column_exactly(dialect, l, move || {
            Model::new(0, l)?;
            let (largest, size) = (times("r1", l.num()), times("n", l.den()));
            Ok(Broken {
                figure: format!("frequency {l}-diversity"),
                classes: ClassTable::Diversity,
                breaks: format!("{largest} > {size}"),
            })
        }))
    }
}

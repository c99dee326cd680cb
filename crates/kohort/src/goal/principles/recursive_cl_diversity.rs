//! Recursive (c,l)-diversity: the most frequent value does not dominate the rest.

use kohort_core::Ratio;
use kohort_models::RecursiveClDiversity as Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::goal::caps::lowest_cap;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Level, Meaning, Number};
use crate::goal::feasible::Table;
use crate::goal::models::Binding;
use crate::goal::numbers::{number, whole_number, write};
use crate::goal::spelled::OneOrMore;
use crate::goal::statement::{Broken, ClassTable, Dialect, Sql, times};

/// A (c,l) for one sensitive attribute or for every one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `c` and `l`")]
#[schemars(rename = "Recursive")]
pub struct RecursiveClDiversity {
    /// How much the most frequent value may dominate the rest.
    #[serde(deserialize_with = "c::read", serialize_with = "write")]
    #[schemars(schema_with = "c::schema")]
    pub c: Ratio,
    /// The rank of the value from which the rest is counted.
    #[serde(deserialize_with = "l::read")]
    #[schemars(schema_with = "l::schema")]
    pub l: u64,
    /// The sensitive attribute; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

number!(c, "c", POSITIVE);
whole_number!(l, "l", 2);

impl InPlan for RecursiveClDiversity {
    const DECLARATION: Declaration = Declaration {
        id: "recursive-cl-diversity",
        sentence: "The most frequent value occurs less than c times as often as the l-th and all rarer ones together.",
        not_promised: "Recursive (c,l)-diversity says nothing about similar values, or about values the table \
                       itself makes likely.",
        flag: Flag::Level {
            name: "recursive",
            alias: None,
            value: "C,L",
            help: "Recursive (c,l)-diversity: the most frequent value occurs less than c times as often as the \
                   l-th and all rarer ones together",
            level: Level::Pair(|c, l| Self { c, l, attribute: None }.into()),
        },
    };

    type Level = OneOrMore<Self>;

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        Ok(level.iter().cloned().collect())
    }

    fn level(self) -> Self::Level {
        OneOrMore::One(self)
    }
}

impl RecursiveClDiversity {
    fn rank(&self) -> usize {
        usize::try_from(self.l).unwrap_or(usize::MAX)
    }
}

impl Meaning for RecursiveClDiversity {
    fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    fn attribute_or_every(&mut self) -> Option<&mut Option<String>> {
        Some(&mut self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![
            Number::exact("c", &mut self.c, Less::Up),
            Number::whole("l", &mut self.l, Less::DownTo(2)),
        ]
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| Ok(Model::new(of.index, self.c, self.rank())?))
    }

    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        let mut counts = table.counts();
        if counts.is_empty() {
            return table.distinct(self.l, 0);
        }
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let cap = lowest_cap(&counts, table.droppable);
        let skipped = usize::try_from(self.l - 1).unwrap_or(usize::MAX);
        let tail: u64 = counts.iter().skip(skipped).map(|&count| count.min(cap)).sum();
        if tail == 0 {
            return table.distinct(self.l, counts.len());
        }
        if Ratio::new(cap, tail) < self.c {
            return Ok(());
        }
        Err(table.no(&table.fills(&counts, "one value")))
    }

    fn needs_values_alone(&self) -> bool {
        true
    }

    fn counts_values(&self) -> bool {
        true
    }

    fn sql(&self, dialect: Dialect) -> Result<Sql<'_>, Error> {
        let (c, l) = (self.c, self.l);
        Ok(Sql::of_every_column_exactly(dialect, c, move || {
            Model::new(0, c, self.rank())?;
            let (largest, rest) = (times("r1", c.den()), times("tail", c.num()));
            Ok(Broken {
                figure: format!("recursive ({c},{l})-diversity"),
                classes: ClassTable::Tail(l),
                breaks: format!("{largest} >= {rest}"),
            })
        }))
    }
}

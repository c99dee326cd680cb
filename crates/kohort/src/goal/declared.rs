//! What a principle says about itself. Everything that is made of principles asks for this and nothing else: a
//! plan's TOML and its JSON Schema, flags, lists, checks, suggestions, statements for databases and reports.

use std::fmt::Debug;

use kohort_core::Ratio;
use kohort_models::Distance;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use super::feasible::Table;
use super::models::Binding;
use super::principles::Principle;
use super::statement::{Dialect, Sql};
use crate::Error;

/// What is the same wherever a principle is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The id of its model: the name in plans, and where it has no shorter one, on the command line.
    pub id: &'static str,
    /// What a plan can ask for, in one sentence.
    pub sentence: &'static str,
    /// What it does not promise, in one sentence.
    pub not_promised: &'static str,
    /// How it is asked for on a command line.
    pub flag: Flag,
}

/// How a principle is asked for on a command line.
#[derive(Clone, Copy, Debug)]
pub enum Flag {
    /// By a level alone. A diagnosis has the same flag.
    Level {
        /// The name.
        name: &'static str,
        /// Another name.
        alias: Option<&'static str>,
        /// What help shows in the place of the level.
        value: &'static str,
        /// What it asks for.
        help: &'static str,
        /// The principle of a level.
        level: Level,
    },
    /// As in a plan; its name is the id.
    AsInPlan {
        /// What help shows in the place of the value.
        value: &'static str,
        /// An example, or what it asks for.
        help: &'static str,
    },
}

/// What a level is made of.
#[derive(Clone, Copy, Debug)]
pub enum Level {
    /// A whole number.
    Whole(fn(u64) -> Principle),
    /// A number.
    Exact(fn(Ratio) -> Principle),
    /// A number and a whole number, with a comma between.
    Pair(fn(Ratio, u64) -> Principle),
}

/// A principle as a plan's goal has it.
pub trait InPlan: Sized {
    /// What is the same wherever it is asked for.
    const DECLARATION: Declaration;

    /// What stands in a plan.
    type Level: Clone + Debug + PartialEq + Serialize + DeserializeOwned + JsonSchema;

    /// Reads it from a plan.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self::Level>, D::Error> {
        Option::deserialize(deserializer)
    }

    /// Adds the bounds of a bare number to its JSON Schema.
    fn add_bounds(_schema: &mut Schema) {}

    /// What a plan asks for.
    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error>;

    /// What a plan that asks for this has.
    fn level(self) -> Self::Level;
}

/// What a principle means for a table.
pub(super) trait Meaning {
    /// The sensitive attribute it is asked of; none where it is asked of every one.
    fn attribute(&self) -> Option<&str> {
        None
    }

    /// The attribute, where it may be left out.
    fn attribute_or_every(&mut self) -> Option<&mut Option<String>> {
        None
    }

    /// The parameters that are numbers.
    fn numbers(&mut self) -> Vec<Number<'_>>;

    /// The parameters in words, given those that are numbers. Chosen values are counted, not named: they may be
    /// cells.
    fn in_words(&self, numbers: String) -> String {
        numbers
    }

    /// Hands over its models for the sensitive attributes of a table.
    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error>;

    /// Why no release of a table can keep it, where that can be seen.
    fn necessary(&self, _table: &Table<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Whether it asks that rows look alike: no release that shows quasi-identifiers as they are can promise
    /// it.
    fn hides_rows(&self) -> bool {
        false
    }

    /// Whether it is about all classes of rows that look alike together, or about the population behind each of
    /// them: an anatomized release, whose rows do not look alike, cannot promise it either.
    fn is_of_all_classes(&self) -> bool {
        false
    }

    /// Whether it is about how values are spread and bounds no share of a class: rows without a value hide
    /// nothing from it.
    fn needs_values_alone(&self) -> bool {
        false
    }

    /// Whether it counts single values of an attribute, whichever they are.
    fn counts_values(&self) -> bool {
        false
    }

    /// The values of its attribute that it is about; none where it is about every one.
    fn named_values(&self) -> Option<Vec<&str>> {
        None
    }

    /// Whether it calls every value high that it does not name: also one that nobody sees.
    fn fears_unnamed(&self) -> bool {
        false
    }

    /// How far apart two values are, where it compares distributions.
    fn distance(&self) -> Option<Distance> {
        None
    }

    /// The statement that judges it in a database.
    fn sql(&self, _: Dialect) -> Result<Sql<'_>, Error> {
        Ok(Sql::None)
    }
}

/// A parameter that is a number.
pub(super) struct Number<'a> {
    pub(super) name: &'static str,
    value: Value<'a>,
    pub(super) less: Less,
}

enum Value<'a> {
    Whole(&'a mut u64),
    Exact(&'a mut Ratio),
}

/// The values of a number that ask for less.
#[derive(Clone, Copy)]
pub(super) enum Less {
    /// None is suggested.
    None,
    /// Whole numbers below, to this one.
    DownTo(u64),
    /// Tenths below, to 1.1.
    TenthsAboveOne,
    /// Hundredths above, to 1.
    UpToOne,
    /// Hundredths above, to more than the table has rows.
    Up,
    /// Numbers of one digit below.
    OneDigit,
}

impl<'a> Number<'a> {
    /// A count.
    pub(super) fn whole(name: &'static str, value: &'a mut u64, less: Less) -> Self {
        Self { name, value: Value::Whole(value), less }
    }

    /// Any other number.
    pub(super) fn exact(name: &'static str, value: &'a mut Ratio, less: Less) -> Self {
        Self { name, value: Value::Exact(value), less }
    }

    /// The number.
    pub(super) fn value(&self) -> Ratio {
        match &self.value {
            Value::Whole(whole) => Ratio::whole(**whole),
            Value::Exact(exact) => **exact,
        }
    }

    /// Sets it. A count takes the whole part.
    pub(super) fn set(&mut self, value: Ratio) {
        match &mut self.value {
            Value::Whole(whole) => **whole = value.floor_of(1),
            Value::Exact(exact) => **exact = value,
        }
    }

    /// The number with its name, as a person writes it.
    pub(super) fn in_words(&self) -> String {
        match &self.value {
            Value::Whole(whole) => format!("{} = {whole}", self.name),
            Value::Exact(exact) => format!("{} = {}", self.name, exact.value()),
        }
    }
}

/// How many values are chosen.
pub(super) fn chosen(values: Option<&[String]>) -> String {
    values.map_or("every value".into(), |values| counted(values.len()))
}

/// A number of values.
pub(super) fn counted(n: usize) -> String {
    if n == 1 { "1 value".into() } else { format!("{n} values") }
}

/// Refuses an empty list of values to protect: it would protect nothing without saying so.
pub(super) fn some_values<'de, D: Deserializer<'de>>(
    deserializer: D,
    name: &str,
) -> Result<Vec<String>, D::Error> {
    let values = Vec::<String>::deserialize(deserializer)?;
    if values.is_empty() {
        return Err(super::numbers::refused(name, &"at least one value", &"an empty list"));
    }
    Ok(values)
}

/// Reads the values that a level is about, where they are chosen.
pub(super) fn values<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<String>>, D::Error> {
    some_values(deserializer, "values").map(Some)
}

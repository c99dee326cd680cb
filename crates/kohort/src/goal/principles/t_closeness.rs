//! t-closeness: every class is distributed like the whole table, up to a distance of t.

use kohort_core::{Attribute, MissingAs, Ratio, Setting, ValueType, message};
use kohort_models::{Distance, TCloseness as Model};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::error::refused;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Level, Meaning, Number};
use crate::goal::models::Binding;
use crate::goal::numbers::{number, write};
use crate::goal::spelled::{OneOrMore, words};
use crate::goal::statement::{Broken, ClassTable, Column, Dialect, Sql, Statement, TOLERANCE};

/// A t for one sensitive attribute or for every one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `t`")]
#[schemars(rename = "Closeness")]
pub struct TCloseness {
    /// The largest distance allowed.
    #[serde(deserialize_with = "t::read", serialize_with = "write")]
    #[schemars(schema_with = "t::schema")]
    pub t: Ratio,
    /// How far apart two values are.
    #[serde(default)]
    pub distance: DistanceName,
    /// The sensitive attribute; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

number!(t, "t", FROM_0_TO_1);

/// How far apart two sensitive values are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DistanceName {
    /// Any two values are 1 apart.
    #[default]
    Equal,
    /// By difference of rank.
    Ordered,
    /// By the lowest common ancestor in the taxonomy.
    Hierarchical,
}

words!(
    DistanceName,
    "`distance`",
    [("equal", Equal), ("ordered", Ordered), ("hierarchical", Hierarchical)]
);

impl From<DistanceName> for Distance {
    fn from(name: DistanceName) -> Self {
        match name {
            DistanceName::Equal => Self::Equal,
            DistanceName::Ordered => Self::Ordered,
            DistanceName::Hierarchical => Self::Hierarchical,
        }
    }
}

impl InPlan for TCloseness {
    const DECLARATION: Declaration = Declaration {
        id: "t-closeness",
        sentence: "Every class distributed like the whole table, up to a distance of t.",
        not_promised: "t-closeness compares with the whole table, and what that says is public with the \
                       release.",
        flag: Flag::Level {
            name: "t",
            alias: None,
            value: "T",
            help: "t-closeness: every class is distributed like the whole table, up to a distance of t",
            level: Level::Exact(|t| {
                Self { t, distance: DistanceName::Equal, attribute: None }.into()
            }),
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

/// That the values of a column have no order.
fn no_order(name: &str, found: ValueType) -> Error {
    refused(
        format!("column `{name}` is {}: its values have no order", found.article()),
        "use the distance `equal`, or `hierarchical` with a taxonomy",
    )
}

/// Refuses a distance that the attribute does not have.
fn can_measure(distance: Distance, attribute: &Attribute) -> Result<(), Error> {
    let name = attribute.name();
    match distance {
        Distance::Ordered if !attribute.exact().value_type().is_ordered() => {
            Err(no_order(name, attribute.value_type()))
        }
        Distance::Hierarchical if attribute.is_flat() => Err(refused(
            format!("the hierarchical distance needs a taxonomy, and column `{name}` has none"),
            message!(
                "give it one with {}, or use the distance `equal`",
                Setting::Taxonomy.to(format!("{name}=FILE"))
            ),
        )),
        _ => Ok(()),
    }
}

impl Meaning for TCloseness {
    fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    fn attribute_or_every(&mut self) -> Option<&mut Option<String>> {
        Some(&mut self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![Number::exact("t", &mut self.t, Less::UpToOne)]
    }

    fn in_words(&self, numbers: String) -> String {
        format!("{numbers}, distance {}", Distance::from(self.distance).id())
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        let distance = self.distance.into();
        binding.of_each(|of| {
            can_measure(distance, of.attribute)?;
            Ok(Model::new(of.index, self.t, distance)?)
        })
    }

    fn needs_values_alone(&self) -> bool {
        true
    }

    fn distance(&self) -> Option<Distance> {
        Some(self.distance.into())
    }

    fn sql(&self, dialect: Dialect) -> Result<Sql<'_>, Error> {
        let distance = Distance::from(self.distance);
        Ok(Sql::OfColumn(Box::new(move |column: &Column<'_>| {
            Model::new(0, self.t, distance)?;
            let is_ordered = column.value_type.is_ordered();
            let classes = match distance {
                Distance::Equal => ClassTable::Equal,
                Distance::Ordered if !is_ordered => {
                    return Err(no_order(column.name, column.value_type));
                }
                Distance::Ordered if column.missing_as == MissingAs::Value => {
                    return Ok(Statement::NoRankOfMissing);
                }
                Distance::Ordered => ClassTable::Ordered,
                Distance::Hierarchical => return Ok(Statement::NoTaxonomy),
            };
            let figure = format!("t-closeness with t = {}, distance {}", self.t, distance.id());
            let breaks = format!("e > {} + {TOLERANCE}", dialect.fraction(self.t));
            Ok(Statement::Broken(Broken { figure, classes, breaks }))
        })))
    }
}

//! The plan file: what a person has decided about a table, in TOML.
//!
//! ```
//! use kohort::plan::Plan;
//!
//! let text = r#"
//! input = "patients.csv"
//! goal = { k-anonymity = 5 }
//!
//! [attributes]
//! name = "identifier"
//! zip = { role = "quasi", taxonomy = "mask" }
//! disease = "sensitive"
//! "#;
//! let plan = Plan::parse("plan.toml", text)?;
//! assert_eq!(plan.attributes.len(), 3);
//! // The same plan from code, and back to TOML.
//! assert!(Plan::new().quasi(["zip"]).to_toml().contains("zip"));
//! # Ok::<(), kohort::Error>(())
//! ```

mod input;
mod method;
mod nested;
mod numbers;
mod series;
mod spelled;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kohort_core::{MissingAs, Role, ValueType, nearest};
use schemars::JsonSchema;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};

pub(crate) use crate::goal::exact;
pub use crate::goal::{DistanceName, Diversity, Goal, OneOrMore};
pub use input::Input;
pub use method::{
    AnatomyName, BoundsName, CenterName, FormName, Method, NumericName, Output, PolicyName,
    SuppressedName, duration,
};
pub use nested::{Probability, RulePlan, TablePlan};
pub use series::{SeriesPlan, SurplusName};

use crate::error::suggestion;
use crate::taxonomy::{BucketsPlan, Source};
use crate::{Error, Kind};

/// What a person has decided about a table: roles, goal, method and output.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// The table, relative to the plan file: CSV (also .gz and .zst), Parquet, JSON Lines or Arrow. Or nested
    /// records: JSON, XML, or a folder of such files. Or rows of a database: `{ url = "postgres://…", query =
    /// "…" }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// The column of `input` that identifies people, also in the tables of `tables`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What a regulation requires of values before anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<PresetName>,
    /// What the promises about a table count: people, each with one row, or rows. A table in which people
    /// have several rows is refused unless this is `row`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<UnitName>,
    /// How to read a text file; what is left out is detected.
    #[serde(default, skip_serializing_if = "is_default")]
    pub read: Reading,
    /// The tables whose rows belong to the people of `input`, by name.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tables: BTreeMap<String, TablePlan>,
    /// The role of each column; columns without one are ignored and not published. In nested records a column
    /// is a path, such as `visits[].diagnosis`.
    #[serde(default)]
    pub attributes: BTreeMap<String, AttributePlan>,
    /// What a release must promise; all of it must hold.
    #[serde(default, skip_serializing_if = "is_default")]
    pub goal: Goal,
    /// Values that nobody may be known to have often, in nested records.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rules: Vec<RulePlan>,
    /// How a release is made.
    #[serde(default, skip_serializing_if = "is_default")]
    pub method: Method,
    /// A series: releases about the same people, each made against the earlier ones.
    #[serde(default, skip_serializing_if = "is_default")]
    pub series: SeriesPlan,
    /// The folder that paths are relative to: that of the plan file, or where the program runs.
    #[serde(skip)]
    pub folder: PathBuf,
    /// Where a release and its report go, relative to the plan file.
    #[serde(default, skip_serializing_if = "is_default")]
    pub output: Output,
}

/// How to read a text file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Reading {
    /// The character between two cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<char>,
    /// The character around a quoted cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<char>,
    /// Whether the first line names the columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The number of lines before the header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_lines: Option<u64>,
    /// The most MiB that a packed file may unpack to; 512 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpacked_limit: Option<u64>,
    /// The texts that mean a missing value, in addition to the empty one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<String>>,
    /// The XML element, or the JSON member, that holds one record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
}

impl Reading {
    /// This, and where it says nothing the other.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        Self {
            separator: self.separator.or(other.separator),
            quote: self.quote.or(other.quote),
            header: self.header.or(other.header),
            encoding: self.encoding.or_else(|| other.encoding.clone()),
            skip_lines: self.skip_lines.or(other.skip_lines),
            unpacked_limit: self.unpacked_limit.or(other.unpacked_limit),
            missing: self.missing.or_else(|| other.missing.clone()),
            records: self.records.or_else(|| other.records.clone()),
        }
    }
}

/// Whether nothing was said.
fn is_default<T: Default + PartialEq>(item: &T) -> bool {
    *item == T::default()
}

/// The role of a column, alone or with its type and taxonomy.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AttributePlan {
    /// The role alone.
    Role(RoleName),
    /// The role with more.
    Full(FullAttribute),
}

/// The role of a column with its type and taxonomy.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FullAttribute {
    /// The role.
    pub role: RoleName,
    /// The type, if the detected one is wrong.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<TypeName>,
    /// The tree of values above the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taxonomy: Option<Source>,
    /// The buckets that promises about this sensitive attribute count, instead of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buckets: Option<BucketsPlan>,
    /// The weight of losses in this quasi-identifier; the others have 1.
    #[serde(
        default,
        deserialize_with = "numbers::weight",
        serialize_with = "numbers::write_weight",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub weight: Option<f64>,
    /// How to read a missing cell of this sensitive column; ignored by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<MissingName>,
}

impl From<RoleName> for FullAttribute {
    fn from(role: RoleName) -> Self {
        Self { role, value_type: None, taxonomy: None, buckets: None, weight: None, missing: None }
    }
}

impl AttributePlan {
    /// The role, type and taxonomy.
    pub fn full(&self) -> FullAttribute {
        match self {
            Self::Role(role) => FullAttribute::from(*role),
            Self::Full(full) => full.clone(),
        }
    }
}

/// What a column is to the people in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoleName {
    /// Names the person; dropped from every release.
    Identifier,
    /// May be known to an outsider and linked.
    Quasi,
    /// Must not be learned about a person.
    Sensitive,
    /// Neither; published as it is.
    Insensitive,
}

/// What the promises about a table count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnitName {
    /// People: every row is a different person.
    Person,
    /// Rows, whoever they belong to.
    Row,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Identifier => Self::Identifier,
            RoleName::Quasi => Self::Quasi,
            RoleName::Sensitive => Self::Sensitive,
            RoleName::Insensitive => Self::Insensitive,
        }
    }
}

/// What a regulation requires of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PresetName {
    /// Dates become years, and ages above 89 one category (HIPAA's Safe Harbor).
    Hipaa,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TypeName {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Decimal,
    /// Days, with or without a time.
    Date,
    /// Yes and no.
    Boolean,
    /// Anything else.
    Text,
}

impl From<TypeName> for ValueType {
    fn from(name: TypeName) -> Self {
        match name {
            TypeName::Integer => Self::Integer,
            TypeName::Decimal => Self::Decimal,
            TypeName::Date => Self::Date,
            TypeName::Boolean => Self::Boolean,
            TypeName::Text => Self::Text,
        }
    }
}

impl From<ValueType> for TypeName {
    fn from(value_type: ValueType) -> Self {
        match value_type {
            ValueType::Integer => Self::Integer,
            ValueType::Decimal => Self::Decimal,
            ValueType::Date => Self::Date,
            ValueType::Boolean => Self::Boolean,
            ValueType::Text => Self::Text,
        }
    }
}

/// What a missing cell of a sensitive column says about a person.
///
/// It is ignored unless a plan says otherwise. An unknown value hurts nobody, so it needs no protection; and
/// it protects nobody, because an adversary often knows who was asked, so it must not make a class diverse.
/// Of the readings that take missing for what it is, this is the strictest. In records inside records and in
/// series a missing cell is a value, whatever a plan leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissingName {
    /// It is a value like any other: it counts in every class, and is protected. For columns where a missing
    /// cell discloses something, such as a test that somebody refused.
    Value,
    /// It says nothing: promises are about the rows of a class that have a value, and attacks guess no other.
    Ignored,
    /// It needs no protection, and hides others: it counts in the size of a class, and never as a value. For
    /// columns where nobody can know who was asked.
    Unprotected,
}

impl From<MissingName> for MissingAs {
    fn from(name: MissingName) -> Self {
        match name {
            MissingName::Value => Self::Value,
            MissingName::Ignored => Self::Ignored,
            MissingName::Unprotected => Self::Unprotected,
        }
    }
}

impl Plan {
    /// Reads a plan from its file.
    pub fn open(file: &Path) -> Result<Self, Error> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let plan = Self::parse(&name, &kohort_io::read_text(file)?)?;
        Ok(plan.in_folder(file.parent().unwrap_or(Path::new(""))))
    }

    /// A plan that says nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same plan, with these columns as quasi-identifiers: an outsider may know them.
    #[must_use]
    pub fn quasi<Name: Into<String>>(self, columns: impl IntoIterator<Item = Name>) -> Self {
        self.with_role(columns, RoleName::Quasi)
    }

    /// The same plan, with these columns as sensitive ones: nobody may learn a person's value.
    #[must_use]
    pub fn sensitive<Name: Into<String>>(self, columns: impl IntoIterator<Item = Name>) -> Self {
        self.with_role(columns, RoleName::Sensitive)
    }

    /// The same plan, with these columns as identifiers: no release has them.
    #[must_use]
    pub fn identifiers<Name: Into<String>>(self, columns: impl IntoIterator<Item = Name>) -> Self {
        self.with_role(columns, RoleName::Identifier)
    }

    /// The same plan, with these columns published as they are.
    #[must_use]
    pub fn insensitive<Name: Into<String>>(self, columns: impl IntoIterator<Item = Name>) -> Self {
        self.with_role(columns, RoleName::Insensitive)
    }

    fn with_role<Name: Into<String>>(
        mut self,
        columns: impl IntoIterator<Item = Name>,
        role: RoleName,
    ) -> Self {
        let columns: Vec<String> = columns.into_iter().map(Into::into).collect();
        set_role(&mut self, &columns, role);
        self
    }

    /// The same plan, with a taxonomy of a column that has a role.
    #[must_use]
    pub fn taxonomy(mut self, column: &str, source: Source) -> Self {
        let before = self.attributes.get(column).map(AttributePlan::full);
        let full = before.unwrap_or(RoleName::Quasi.into());
        let full = FullAttribute { taxonomy: Some(source), ..full };
        self.attributes.insert(column.to_owned(), AttributePlan::Full(full));
        self
    }

    /// The same plan with this goal.
    #[must_use]
    pub fn goal(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }

    /// The same plan with this method.
    #[must_use]
    pub fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// The same plan with paths relative to this folder.
    #[must_use]
    pub fn in_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..self }
    }

    /// A file that the plan names: paths are relative to its folder.
    pub fn path(&self, file: impl AsRef<Path>) -> PathBuf {
        self.folder.join(file)
    }

    /// Reads a plan; `name` is the file's, for messages.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = &text[..start.min(text.len())];
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            Error::new(Kind::Plan {
                file: name.to_owned(),
                line: before.matches('\n').count() + 1,
                column: before[line_start..].chars().count() + 1,
                problem: problem(&error),
                nearest: unknown_name(error.message()),
            })
        })
    }

    /// The plan as TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a plan is made of tables, texts and numbers")
    }
}

/// Gives columns a role in a plan, keeping what the plan says about their type and taxonomy.
pub fn set_role(plan: &mut Plan, columns: &[String], role: RoleName) {
    for name in columns {
        let before = plan.attributes.get(name).map(AttributePlan::full);
        let full = before.unwrap_or(role.into());
        let buckets = full.buckets.clone().filter(|_| role == RoleName::Sensitive);
        let missing = full.missing.filter(|_| role == RoleName::Sensitive);
        let full = FullAttribute { buckets, missing, ..full };
        plan.attributes.insert(name.clone(), AttributePlan::Full(FullAttribute { role, ..full }));
    }
}

/// The JSON Schema of a plan file.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Plan).to_value()
}

/// A taxonomy as it stands in a plan: TOML in braces or brackets, or else a name or path without its
/// quotes. The error says what is wrong with it.
pub fn taxonomy(text: &str) -> Result<Source, String> {
    if !text.starts_with(['{', '[']) {
        let word: serde::de::value::StrDeserializer<'_, serde::de::value::Error> =
            text.into_deserializer();
        return Source::deserialize(word).map_err(|error| error.to_string());
    }
    let value = toml::de::ValueDeserializer::parse(text);
    value.and_then(Source::deserialize).map_err(|error| {
        let likely = unknown_name(error.message());
        problem(&error) + &suggestion(likely.as_deref())
    })
}

/// The buckets of a sensitive attribute as they stand in a plan. The error says what is wrong with them.
pub fn buckets(text: &str) -> Result<BucketsPlan, String> {
    let value = toml::de::ValueDeserializer::parse(text);
    value.and_then(BucketsPlan::deserialize).map_err(|error| {
        let likely = unknown_name(error.message());
        problem(&error) + &suggestion(likely.as_deref())
    })
}

/// What is wrong, on one line.
fn problem(error: &toml::de::Error) -> String {
    error.message().trim().replace('\n', ", ")
}

/// The known name most like the unknown one that a message names.
fn unknown_name(message: &str) -> Option<String> {
    let starts = ["unknown field `", "unknown variant `"];
    let rest = starts.iter().find_map(|start| message.strip_prefix(start))?;
    let (unknown, known) = rest.split_once('`')?;
    let known = known.split('`').skip(1).step_by(2);
    nearest(unknown, known).map(str::to_owned)
}

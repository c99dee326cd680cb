//! From a plan to a dataset: the table is read, and the columns get the roles a person gave them.

use std::path::Path;

use kohort_core::{Attribute, Dataset, Missing, Role, Table, ValueType};
use kohort_io::{Encoding, Options, read_table, read_text};

use crate::plan::{AttributePlan, FullAttribute, NumericName, Plan, Reading, RoleName};
use crate::taxonomy::{self, Built, FileText, Source};
use crate::{Error, Kind};

/// A table and what a person may want to know about how it was read.
pub struct Loaded<T> {
    /// What was read.
    pub value: T,
    /// What was decided by looking, or is odd.
    pub notes: Vec<String>,
}

/// Reads the table of a plan. Paths are relative to `base`, the plan's folder.
pub fn load_table(
    plan: &Plan,
    base: &Path,
    progress: &dyn Fn(u64, u64),
) -> Result<Loaded<Table>, Error> {
    let input = plan.input.as_deref().ok_or_else(|| {
        refused(
            "no table is named",
            "set `input` in the plan, or name the table on the command line",
        )
    })?;
    let source = if input == "-" { input.to_owned() } else { path_text(&base.join(input)) };
    let read = read_table(&source, &options(&plan.read)?, progress)?;
    Ok(Loaded { value: read.table, notes: read.notes })
}

/// Reads the table of a plan and gives its columns their roles.
pub fn load(
    plan: &Plan,
    base: &Path,
    progress: &dyn Fn(u64, u64),
) -> Result<Loaded<Dataset>, Error> {
    let Loaded { value: table, notes } = load_table(plan, base, progress)?;
    let mut loaded = assign_roles(plan, base, table)?;
    loaded.notes.splice(0..0, notes);
    Ok(loaded)
}

/// Gives the columns of a table the roles of a plan. Quasi-identifiers come in the order of their
/// names, so that the order of columns changes nothing.
pub fn assign_roles(plan: &Plan, base: &Path, table: Table) -> Result<Loaded<Dataset>, Error> {
    let mut notes = Vec::new();
    let mut attributes = Vec::new();
    for (name, attribute) in &plan.attributes {
        let full = attribute.full();
        let column = table.column(name)?;
        let role = Role::from(full.role);
        if !matches!(role, Role::Quasi | Role::Sensitive) {
            continue;
        }
        let value_type: Option<ValueType> = full.value_type.map(Into::into);
        let (built, place) = build(plan, base, &full, (&table, column), value_type)?;
        notes.extend(built.warnings.iter().map(|warning| format!("{place}{warning}")));
        attributes.push(Attribute::new(&table, name, role, built.domain, built.taxonomy)?);
    }
    Ok(Loaded { value: Dataset::new(table, attributes)?, notes })
}

/// Builds the taxonomy that a plan gives a column, and says where it comes from.
pub(crate) fn build(
    plan: &Plan,
    base: &Path,
    full: &FullAttribute,
    (table, column): (&Table, &kohort_core::Column),
    value_type: Option<ValueType>,
) -> Result<(Built, String), Error> {
    let is_exact = plan.method.numeric == Some(NumericName::Exact)
        && Role::from(full.role) == Role::Quasi
        && value_type.unwrap_or(column.value_type()).is_ordered();
    let source = full.taxonomy.clone().filter(|_| !is_exact).unwrap_or(Source::Flat);
    let text = match source.file() {
        Some(file) => Some((file.path.clone(), read_text(&base.join(&file.path))?)),
        None => None,
    };
    let file = text.as_ref().map(|(name, text)| FileText { name, text });
    let built = taxonomy::build(&source, file, table, column, value_type)?;
    let place = match &text {
        Some((file, _)) => format!("{file}, "),
        None => format!("taxonomy of column `{}`: ", column.name()),
    };
    Ok((built, place))
}

/// The values that the taxonomy of a column lists, where it does.
pub(crate) fn listed_values(
    base: &Path,
    full: &FullAttribute,
) -> Result<Option<Vec<String>>, Error> {
    let Some(source) = &full.taxonomy else { return Ok(None) };
    let text = source.file().map(|file| read_text(&base.join(&file.path))).transpose()?;
    let file = source.file().zip(text.as_deref());
    let file = file.map(|(file, text)| FileText { name: &file.path, text });
    taxonomy::listed_values(source, file)
}

/// A note about the columns that a plan gives no role, if there are any, and what becomes of them.
pub fn without_role(plan: &Plan, table: &Table, fate: &str) -> Option<String> {
    const SHOWN: usize = 10;
    let has_none = |name: &&str| !plan.attributes.contains_key(*name);
    let names: Vec<&str> =
        table.columns().iter().map(kohort_core::Column::name).filter(has_none).collect();
    let shown = &names[..names.len().min(SHOWN)];
    let more = match names.len() - shown.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let listed = shown.join("`, `");
    let note = format!("columns without a role are {fate}: `{listed}`{more}");
    (!names.is_empty()).then_some(note)
}

/// Gives columns a role in a plan, keeping what the plan says about their type and taxonomy.
pub fn set_role(plan: &mut Plan, columns: &[String], role: RoleName) {
    for name in columns {
        let before = plan.attributes.get(name).map(AttributePlan::full);
        let full = before.unwrap_or(role.into());
        plan.attributes.insert(name.clone(), AttributePlan::Full(FullAttribute { role, ..full }));
    }
}

/// How the reader is told what a plan says about reading.
pub fn options(reading: &Reading) -> Result<Options, Error> {
    let byte = |name: &'static str, found: Option<char>| match found.map(|c| (c, u8::try_from(c))) {
        None => Ok(None),
        Some((_, Ok(byte))) if byte.is_ascii() => Ok(Some(byte)),
        Some((c, _)) => {
            let (found, expected) = (format!("`{c}`"), "one ASCII character");
            Err(kohort_core::Error::new(kohort_core::Kind::Parameter { name, found, expected }))
        }
    };
    let encoding = match reading.encoding.as_deref() {
        None => None,
        Some(id) => Some(Encoding::from_id(id).ok_or_else(|| {
            kohort_core::Error::new(kohort_core::Kind::Parameter {
                name: "encoding",
                found: format!("`{id}`"),
                expected: "utf-8, utf-16le, utf-16be or windows-1252",
            })
        })?),
    };
    Ok(Options {
        separator: byte("separator", reading.separator)?,
        quote: byte("quote", reading.quote)?,
        header: reading.header,
        encoding,
        skip_lines: reading.skip_lines.unwrap_or(0),
        missing: reading.missing.clone().map_or_else(Missing::default, Missing::new),
    })
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

pub(crate) fn refused(reason: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::new(Kind::Refused { reason: reason.into(), hint: hint.into() })
}

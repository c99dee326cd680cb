//! Where nested records come from: a file, a folder, or related tables.

use std::path::{Path, PathBuf};

use kohort_core::{Codes, Column, Dictionary, Nested, Table};
use kohort_io::{NestedOptions, looks_nested, read_nested};

use super::load::paths;
use crate::Error;
use crate::load::{Loaded, options, refused};
use crate::plan::Plan;

/// Whether what a plan reads is records inside records: related tables, or a file that looks like that.
/// A table whose plan has rules about records inside records is refused.
pub fn is_nested(plan: &Plan, base: &Path) -> Result<bool, Error> {
    let is_nested = !plan.tables.is_empty() || match plan.input.as_deref() {
        None | Some("-") => false,
        Some(input) => looks_nested(&base.join(input).to_string_lossy())?,
    };
    let only_nested = [
        ("rules", !plan.rules.is_empty()),
        ("key", plan.key.is_some()),
        ("records", plan.read.records.is_some()),
    ];
    match only_nested.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) if !is_nested => Err(refused(
            format!("`{name}` is about records inside records, and the input is one table"),
            format!("leave `{name}` out, or name the tables that belong to it in `[tables]`"),
        )),
        _ => Ok(is_nested),
    }
}

/// Reads the records of a plan. Paths are relative to `base`, the plan's folder.
pub fn read(
    plan: &Plan,
    base: &Path,
    progress: &dyn Fn(u64, u64),
) -> Result<Loaded<Nested>, Error> {
    let input = plan.input.as_deref().ok_or_else(|| {
        refused("no input is named", "set `input` in the plan, or name it on the command line")
    })?;
    let table_options = options(&plan.read)?;
    let asked = NestedOptions {
        missing: table_options.missing,
        encoding: table_options.encoding,
        records: plan.read.records.clone(),
    };
    let read = read_nested(&base.join(input).to_string_lossy(), &asked, progress)?;
    Ok(Loaded { value: read.nested, notes: read.notes })
}

/// A table without rows whose columns are the paths of records: what flags may name.
pub fn catalog(nested: &Nested) -> Table {
    let missing = nested.branches()[0].table().missing();
    let column = |path: &str| {
        Column::new(path.to_owned(), Dictionary::default(), Codes::default(), missing)
    };
    let columns = paths(nested).map(column).collect();
    Table::new(nested.name().to_owned(), columns, false, missing.clone())
}

/// The files that a plan reads beside its input and taxonomies.
pub fn inputs(plan: &Plan, base: &Path) -> Vec<PathBuf> {
    plan.tables.values().map(|table| base.join(&table.input)).collect()
}

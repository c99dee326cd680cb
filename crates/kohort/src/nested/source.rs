//! Where nested records come from: a file, a folder, or related tables.

use std::path::PathBuf;

use kohort_core::{Branch, Codes, Column, Dictionary, Nested, Scalar, Table};
use kohort_io::{NestedOptions, Related, looks_nested, read_nested, relate};

use super::by_key;
use super::load::paths;
use super::schema::Schema;
use crate::Error;
use crate::error::refused;
use crate::load::{Loaded, options, read_input};
use crate::plan::{Input, Plan, TablePlan, TypeName};

/// Whether what a plan reads is records inside records: related tables, or a file that looks like that.
/// A table whose plan has rules about records inside records is refused.
pub fn is_nested(plan: &Plan) -> Result<bool, Error> {
    let is_nested = !plan.tables.is_empty()
        || match plan.input.as_ref() {
            None => false,
            Some(input) if &**input == "-" || input.is_database() => false,
            Some(input) => looks_nested(&plan.path(&**input).to_string_lossy())?,
        };
    let only_nested = [
        ("rules", !plan.rules.is_empty()),
        ("records", plan.read.records.is_some()),
        ("partitions", plan.method.partitions.is_some()),
    ];
    match only_nested.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) if !is_nested => Err(refused(
            format!("`{name}` is about nested records, and the input is one table"),
            format!("leave `{name}` out, or name the tables that belong to it in `[tables]`"),
        )),
        _ => Ok(is_nested),
    }
}

/// Reads the records of a plan. Paths are relative to its folder.
pub fn read(plan: &Plan, progress: &dyn Fn(u64, u64)) -> Result<Loaded<Nested>, Error> {
    let input = plan.input.as_ref().ok_or_else(|| {
        refused("no input is named", "set `input` in the plan, or name it on the command line")
    })?;
    if !plan.tables.is_empty() {
        return related(plan, input, progress);
    }
    let table_options = options(&plan.read)?;
    let asked = NestedOptions {
        missing: table_options.missing,
        encoding: table_options.encoding,
        unpacked_limit: table_options.unpacked_limit,
        records: plan.read.records.clone(),
        paths: Schema::new(plan).known_paths(),
    };
    let read = read_nested(&plan.path(&**input).to_string_lossy(), &asked, progress)?;
    Ok(Loaded { value: read.nested, notes: read.notes })
}

/// A table without rows whose columns are the paths of records: what flags may name.
pub fn catalog(nested: &Nested) -> Table {
    let missing = nested.branches()[0].table().missing();
    let column =
        |path: &str| Column::new(path.to_owned(), Dictionary::default(), Codes::default(), missing);
    let columns = paths(nested).map(column).collect();
    Table::new(nested.name().to_owned(), columns, false, missing.clone())
}

/// The files that a plan reads beside its input and taxonomies.
pub fn inputs(plan: &Plan) -> Vec<PathBuf> {
    plan.tables.values().filter_map(|table| Some(plan.path(&**table.input.as_ref()?))).collect()
}

/// Reads the tables of a plan and joins them.
fn related(
    plan: &Plan,
    input: &Input,
    progress: &dyn Fn(u64, u64),
) -> Result<Loaded<Nested>, Error> {
    let mut notes = Vec::new();
    let mut read = |input: &Input| {
        let read = read_input(plan, input, progress)?;
        notes.extend(read.notes);
        Ok::<Table, Error>(read.value)
    };
    let (schema, own) = (&Schema::new(plan), read(input)?);
    let mut people = None;
    let mut tables = Vec::new();
    for (name, planned) in &plan.tables {
        let path = schema.place(name)?;
        let table = if let Some(input) = &planned.input {
            read(input)?
        } else {
            check_rows_of_input(plan, name, planned)?;
            people = Some(by_key::people(schema, &own, &path)?);
            by_key::rows(schema, &own, &path)?
        };
        let (key, foreign_key) = schema.keys_at(&path);
        tables.push(Related { path, table, key, foreign_key });
    }
    let (key, foreign_key) = schema.keys_at("");
    let table = people.unwrap_or(own);
    tables.insert(0, Related { path: String::new(), table, key, foreign_key });
    // A file of texts does not say whether what looks like a number is one; a plan may.
    let is_text = |path: &str| {
        schema.roles.get(path).and_then(|full| full.value_type) == Some(TypeName::Text)
    };
    let value = with_scalars(&relate(tables)?, |path, scalar| match scalar {
        Scalar::Bare if is_text(path) => Scalar::Text,
        other => other,
    });
    Ok(Loaded { value, notes })
}

/// Refuses a table without `input` that is not the rows of the plan's people.
fn check_rows_of_input(plan: &Plan, name: &str, planned: &TablePlan) -> Result<(), Error> {
    let others = plan.tables.iter().filter(|(other, _)| *other != name);
    let is_second = others.into_iter().any(|(_, other)| other.input.is_none());
    let is_key = plan.key.as_ref().is_none_or(|key| *key == planned.foreign_key);
    if !is_second && planned.within.is_none() && is_key {
        return Ok(());
    }
    Err(refused(
        format!("table `{name}` has no `input`, and is not the rows of the plan's own `input`"),
        "name its file with `input`; one table without it has the rows of the plan's `input`, where its \
         `foreign-key` is the plan's `key`",
    ))
}

/// The same records, where cells are something else beside their text.
fn with_scalars(nested: &Nested, of: impl Fn(&str, Scalar) -> Scalar) -> Nested {
    let branches = nested.branches().iter().map(|branch| {
        let columns = branch.table().columns().iter().enumerate();
        let scalars = columns.map(|(index, column)| {
            branch.scalars(index).iter().map(|&scalar| of(column.name(), scalar)).collect()
        });
        Branch::new(
            branch.path().to_owned(),
            branch.inside().cloned(),
            branch.n_rows(),
            branch.table().clone(),
            scalars.collect(),
        )
    });
    let layout = nested.layout().clone();
    Nested::new(nested.name().to_owned(), branches.collect()).with_layout(layout)
}

//! One table in which people have several rows, as two: people, and the rows that belong to them.
//!
//! # Method
//! Rows with the same key are one person. The columns to which the plan gives a role of their own are the
//! person's: they must be the same in all of the person's rows. The others stay with the rows. While the plan
//! gives no roles at all, the person's columns are those that never differ between the rows of a person.

use kohort_core::{Column, Table};

use super::schema::Schema;
use crate::Error;
use crate::error::refused;

/// The people of a table: a row for each key, the first that has it.
pub(super) fn people(schema: &Schema, table: &Table, path: &str) -> Result<Table, Error> {
    let key = key(schema, table)?;
    let first = first_rows(key);
    let mut columns = vec![key.select(&first)];
    for column in table.columns().iter().filter(|column| column.name() != key.name()) {
        if !is_persons(schema, table, column.name())? {
            continue;
        }
        if let Some((one, other)) = differing(key, column) {
            return Err(differs(key, column.name(), path, (one, other), table));
        }
        columns.push(column.select(&first));
    }
    Ok(Table::new(table.name().to_owned(), columns, true, table.missing().clone()))
}

/// The rows of people, without what is the person's.
pub(super) fn rows(schema: &Schema, table: &Table, path: &str) -> Result<Table, Error> {
    let key = key(schema, table)?;
    let mut wanted = Vec::new();
    for column in table.columns() {
        let name = column.name();
        let has_role = schema.roles.has(&format!("{path}.{name}"));
        if name == key.name() || has_role || !is_persons(schema, table, name)? {
            wanted.push(name);
        }
    }
    Ok(table.only(|name| wanted.contains(&name)))
}

/// Whether a column is about the person and not about one of the rows.
fn is_persons(schema: &Schema, table: &Table, name: &str) -> Result<bool, Error> {
    if schema.roles.iter().next().is_none() {
        return Ok(differing(key(schema, table)?, table.column(name)?).is_none());
    }
    Ok(schema.roles.has(name))
}

fn key<'t>(schema: &Schema, table: &'t Table) -> Result<&'t Column, Error> {
    let key = schema.roles.key.as_deref().ok_or_else(|| {
        refused(
            "a table of `[tables]` has no `input`, and no `key` says which rows belong to one \
             person",
            "name the column that identifies people: `key = \"id\"`, at the top of the plan",
        )
    })?;
    Ok(table.column(key)?)
}

/// The first row with each key, in the order of the rows.
fn first_rows(key: &Column) -> Vec<u32> {
    let mut is_known = vec![false; key.dictionary().len() as usize];
    let is_new = |(entry, _): &(u32, u32)| !std::mem::replace(&mut is_known[*entry as usize], true);
    key.codes().iter().zip(0..).filter(is_new).map(|(_, row)| row).collect()
}

/// Two rows with the same key that differ in a column, if there are any.
fn differing(key: &Column, column: &Column) -> Option<(u32, u32)> {
    let mut first: Vec<Option<u32>> = vec![None; key.dictionary().len() as usize];
    for (row, entry) in (0..).zip(key.codes().iter()) {
        let one = *first[entry as usize].get_or_insert(row);
        if column.codes().get(one as usize) != column.codes().get(row as usize) {
            return Some((one, row));
        }
    }
    None
}

fn differs(key: &Column, name: &str, path: &str, (one, other): (u32, u32), table: &Table) -> Error {
    let (file, key) = (table.name(), key.name());
    refused(
        format!(
            "{file}: column `{name}` differs between rows {} and {}, which have the same `{key}`: it is not \
             about the person",
            one + 1,
            other + 1
        ),
        format!("give its role to `\"{path}.{name}\"`"),
    )
}

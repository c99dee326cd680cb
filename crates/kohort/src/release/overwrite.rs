//! What stands already where a release is to go.

use std::path::Path;

use kohort_core::{Column, Role, Table, group};
use kohort_io::{Format, Options, read_table};

use super::render::{COUNT, GROUP};
use crate::job::Roles;
use crate::plan::Plan;

/// Whether a file, or a folder of parts, can be an earlier release of a table, which the next one may replace: its columns are
/// the table's without the identifiers, and no row stands alone by the quasi-identifiers, or rows are in
/// groups. A table that was never anonymized is next to never like that.
pub fn is_release(file: &Path, plan: &Plan, original: &Table) -> bool {
    let format = if file.is_dir() { Ok(Format::Parquet) } else { Format::of(file) };
    let Ok(format) = format else { return false };
    let options = Options::as_written(format);
    let Ok(read) = read_table(&file.to_string_lossy(), &options, &|_, _| {}) else { return false };
    is_release_table(&read.table, plan, original)
}

/// The same for a table.
pub fn is_release_table(table: &Table, plan: &Plan, original: &Table) -> bool {
    let roles = Roles::new(plan);
    let identifiers = roles.names(Role::Identifier);
    let is_own = |name: &str| original.column(name).is_err() && [GROUP, COUNT].contains(&name);
    let is_released =
        |name: &str| original.column(name).is_ok() && !identifiers.iter().any(|one| one == name);
    let mut columns = table.columns().iter().map(Column::name);
    if !columns.all(|name| is_own(name) || is_released(name)) {
        return false;
    }
    is_own(GROUP) && table.column(GROUP).is_ok() || is_crowded(table, &roles)
}

/// Whether every row has another that agrees with it on the quasi-identifiers.
fn is_crowded(table: &Table, roles: &Roles) -> bool {
    let quasi = roles.names(Role::Quasi);
    let quasi: Vec<&Column> = quasi.iter().filter_map(|name| table.column(name).ok()).collect();
    let columns = quasi.iter().map(|column| (column.codes(), column.dictionary().len()));
    let classes = group(table.n_rows(), columns);
    // One row that is suppressed and stays shows nothing.
    let is_starred = |row: u32| {
        quasi.iter().all(|column| column.dictionary().get(column.codes().get(row as usize)) == "*")
    };
    let mut sizes = classes.first_rows().into_iter().zip(classes.sizes());
    !quasi.is_empty() && sizes.all(|(row, size)| size > 1 || is_starred(row))
}

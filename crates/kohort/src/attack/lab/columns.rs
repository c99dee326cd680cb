//! Which columns of the releases are used.

use kohort_core::{Column, Message, Table, message, nearest};

use super::super::Publication;
use crate::Error;
use crate::job::Roles;
use crate::release::GROUP;

/// Releases may show different columns of the same people, and one of them must have each.
pub(super) fn require(
    columns: &[String],
    release: &Table,
    others: &[Publication],
) -> Result<(), Error> {
    let is_elsewhere = |name: &&String| others.iter().any(|other| other.table.column(name).is_ok());
    for name in columns.iter().filter(|name| !is_elsewhere(name)) {
        if others.is_empty() {
            release.column(name)?;
        } else if release.column(name).is_err() {
            let tables = others.iter().map(|other| &other.table).chain([release]);
            let names = tables.flat_map(Table::columns).map(Column::name);
            return Err(kohort_core::Error::new(kohort_core::Kind::UnknownColumn {
                name: name.clone(),
                table: "any of the releases".into(),
                nearest: nearest(name, names).map(str::to_owned),
            })
            .into());
        }
    }
    Ok(())
}

/// Says which columns that the release under attack does not have are not used in others: nobody said what
/// they are.
pub(super) fn without_role(roles: &Roles, release: &Table, others: &[Publication]) -> Vec<Message> {
    let is_open = |name: &&str| {
        let is_named = roles.has(name) || *name == GROUP;
        !is_named && release.column(name).is_err()
    };
    let about = |other: &Publication| {
        let names = other.table.columns().iter().map(Column::name);
        let open: Vec<&str> = names.filter(is_open).collect();
        (!open.is_empty()).then(|| {
            let file = other.table.name();
            let unused =
                if open.len() == 1 { "has no role and is" } else { "have no role and are" };
            message!("`{}` of {file} {unused} not used", open.join("`, `"))
        })
    };
    others.iter().filter_map(about).collect()
}

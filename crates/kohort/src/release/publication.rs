//! A release that was read, whoever made it: its rows, and what its groups say.

use std::collections::BTreeMap;

use kohort_core::{Message, Table, message};

use super::{COUNT, GROUP, joined, without_blank_rows};
use crate::Error;
use crate::error::refused;
use crate::job::Terms;
use crate::load::Loaded;
use crate::plan::Plan;
use crate::wording::count;

/// A release that was read.
#[derive(Clone, Debug)]
pub struct Publication {
    /// Its rows; of two files, those of the first with the values of their groups.
    pub table: Table,
    /// What its column of groups says.
    pub groups: Groups,
    /// How many rows of a group belong to nobody, where that is published.
    pub counterfeits: BTreeMap<String, u32>,
    /// The names of what its files say beside their tables.
    pub metadata: Vec<String>,
}

/// What a column of groups says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// There is none.
    None,
    /// Sensitive values are published by group, beside quasi-identifiers as they are.
    Anatomized,
    /// The class of each row, beside what the class shows.
    Classes,
}

impl Publication {
    /// A release of a single table in memory; of an anatomized one, `values` has the sensitive values by group.
    pub fn of_tables(
        plan: &Plan,
        table: &Table,
        values: Option<&Table>,
    ) -> Result<Loaded<Self>, Error> {
        let table = values.map_or_else(|| Ok(table.clone()), |values| joined(table, values))?;
        let terms = Terms::new(plan)?;
        let groups = if terms.is_anatomized || values.is_some() {
            table.column(GROUP)?;
            Groups::Anatomized
        } else {
            Groups::None
        };
        let mut notes = Vec::new();
        let table = match without_blank_rows(&terms, &table).filter(|_| groups == Groups::None) {
            Some(rows) => shown_alone(&table, &rows, &mut notes),
            None => table,
        };
        let (counterfeits, metadata) = (BTreeMap::new(), Vec::new());
        Ok(Loaded { value: Self { table, groups, counterfeits, metadata }, notes })
    }

    /// A release of a series in memory, whose column of groups names classes; `counterfeits` has how many rows
    /// of each belong to nobody, where that is published.
    pub fn of_series(
        plan: &Plan,
        table: &Table,
        counterfeits: Option<&Table>,
    ) -> Result<Loaded<Self>, Error> {
        let has_groups = table.column(GROUP).is_ok() && !plan.attributes.contains_key(GROUP);
        if !has_groups {
            return Self::of_tables(plan, table, None);
        }
        let (groups, table, metadata) = (Groups::Classes, table.clone(), Vec::new());
        let counterfeits = counterfeits.map(counted).transpose()?.unwrap_or_default();
        let value = Self { table, groups, counterfeits, metadata };
        Ok(Loaded { value, notes: Vec::new() })
    }
}

/// The rows that show something, and a note about the others.
pub(crate) fn shown_alone(table: &Table, rows: &[u32], notes: &mut Vec<Message>) -> Table {
    let n_blank = (table.n_rows() - rows.len()) as u64;
    let rows_show = count(n_blank, "row shows", "rows show");
    notes.push(message!("{rows_show} `*` in every column, and are ignored by the attacks"));
    table.among(rows)
}

/// How many rows of each group belong to nobody.
pub(crate) fn counted(table: &Table) -> Result<BTreeMap<String, u32>, Error> {
    let (groups, counts) = (table.column(GROUP)?, table.column(COUNT)?);
    let texts = groups.codes().iter().zip(counts.codes().iter()).enumerate();
    let each = texts.map(|(row, (group, count))| {
        let count = counts.dictionary().get(count).trim().parse().map_err(|_| {
            let place = format!("{}, row {}, column `{COUNT}`", table.name(), row + 1);
            refused(format!("{place}: not a number of rows"), "counterfeits are counted by group")
        });
        Ok((groups.dictionary().get(group).to_owned(), count?))
    });
    each.collect()
}

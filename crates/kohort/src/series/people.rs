//! Who the rows are about, and what changed about them since the last release.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, Column, Dataset, Role, Setting, Table, message};
use kohort_ledger::{Past, Publishing};
use kohort_models::series::Correlations;
use kohort_series::{Changed, series_method};

use super::figures::Figures;
use crate::Error;
use crate::error::refused;
use crate::job::Terms;
use crate::wording::count;

/// The people of the rows, by the numbers of the series.
pub(super) struct People {
    /// The person of each row.
    pub(super) person_of_row: Vec<u32>,
    /// The sensitive value of each row.
    pub(super) value_of_row: Vec<u32>,
}

impl People {
    /// Gives the people and values of a table their numbers. Values that appear for the first time are
    /// numbered in the order of their texts.
    pub(super) fn number(
        publishing: &mut Publishing<'_>,
        key: &Column,
        sensitive: &Column,
    ) -> Self {
        let person_of_row = publishing.people(&texts(key).collect::<Vec<_>>());
        let mut values: Vec<&str> = texts(sensitive).collect();
        values.sort_unstable();
        values.dedup();
        publishing.values(&values);
        let value_of_row = publishing.values(&texts(sensitive).collect::<Vec<_>>());
        Self { person_of_row, value_of_row }
    }

    /// What changed between the last release and the table. A value is compared with the one of the last
    /// release that shows the person: what was held back nobody has seen.
    pub(super) fn changed(
        &self,
        (past, n_before): (&Past, u32),
        figures: &[Figures],
        (columns, has_correlations): (&[String], bool),
        method_so_far: Option<&str>,
    ) -> Changed {
        // Who is new gets a number that no earlier table has reached: who was held back is not new again.
        let inserted = self.person_of_row.iter().filter(|&&person| person >= n_before).count();
        let mut changed =
            Changed { inserted: inserted as u64, has_correlations, ..Changed::default() };
        let Some(last) = past.history.releases.last() else { return changed };
        let n_people = self.person_of_row.iter().map(|&person| person as usize + 1).max();
        let mut is_here = vec![false; n_people.unwrap_or(0).max(last.class_of.len())];
        for &person in &self.person_of_row {
            is_here[person as usize] = true;
        }
        // Whether a release showed the same sensitive column.
        let sensitive = |columns: &[String]| columns.last().cloned();
        let is_alike: Vec<bool> =
            figures.iter().map(|it| sensitive(&it.columns) == sensitive(columns)).collect();
        for (&person, &value) in self.person_of_row.iter().zip(&self.value_of_row) {
            let Some(Some(shown)) = past.last.get(person as usize) else { continue };
            changed.returned += u64::from(last.class_of(person).is_none());
            let is_other = is_alike[shown.release as usize - 1] && shown.value != value;
            changed.updated += u64::from(is_other);
        }
        let gone =
            last.class_of.iter().zip(&is_here).filter(|&(&class, &is)| class != ABSENT && !is);
        changed.deleted = gone.count() as u64;
        changed.has_other_columns = figures.iter().any(|earlier| earlier.columns != columns);
        changed.method_so_far = method_so_far.and_then(series_method).map(|spec| spec.id);
        changed
    }

    /// How many people's values changed as the correlations say that none does, where some did.
    pub(super) fn ruled_out(
        &self,
        correlations: &Correlations,
        past: &Past,
        release: u32,
    ) -> Option<String> {
        let n_values = self.value_of_row.iter().map(|value| value + 1).max().unwrap_or(0);
        let n_values = n_values.max(past.history.n_values);
        // People with the same values are alike.
        let mut found: BTreeMap<(u32, u32, u32), bool> = BTreeMap::new();
        let mut n = 0;
        for (&person, &value) in self.person_of_row.iter().zip(&self.value_of_row) {
            let Some(Some(shown)) = past.last.get(person as usize) else { continue };
            let n_steps = release.saturating_sub(shown.release).max(1);
            let is_ruled_out = found
                .entry((shown.value, value, n_steps))
                .or_insert_with(|| correlations.rules_out(shown.value, value, n_steps, n_values));
            n += u64::from(*is_ruled_out);
        }
        let people = count(n, "person has", "people have");
        (n > 0).then(|| {
            format!(
                "{people} a value that the correlations rule out after the one that was last \
                 published of them: an adversary who believes the correlations is misled, and \
                 the promise is only as good as they are"
            )
        })
    }
}

/// The same dataset with its rows in the order of their keys: the order of a file changes nothing.
pub(super) fn in_order_of_keys(dataset: &Dataset, key: &Column) -> Result<Dataset, Error> {
    let mut keys: Vec<(&str, u32)> = texts(key).zip(0..).collect();
    keys.sort_unstable();
    let rows: Vec<u32> = keys.into_iter().map(|(_, row)| row).collect();
    let table = dataset.table();
    let columns = table.columns().iter().map(|column| column.select(&rows)).collect();
    let (name, missing) = (table.name().to_owned(), table.missing().clone());
    let (quasi, sensitive) = (dataset.quasi(), dataset.sensitive());
    let attributes = quasi.iter().chain(&sensitive).map(|attribute| attribute.select(&rows));
    Ok(Dataset::new(Table::new(name, columns, true, missing), attributes.collect())?)
}

/// The texts of the rows of a column.
pub(super) fn texts(column: &Column) -> impl Iterator<Item = &str> {
    column.codes().iter().map(|code| column.dictionary().get(code))
}

/// The column that names people, without a missing or repeated cell: an identifier, also where it has no role.
pub(super) fn key<'d>(terms: &Terms, dataset: &'d Dataset) -> Result<&'d Column, Error> {
    let hint = message!("name it with {}", Setting::SeriesKey.to("patient").or_in_plan());
    let name =
        terms.series.key.as_deref().or(terms.roles.key.as_deref()).ok_or_else(|| {
            refused("no column is named that identifies people in a series", hint)
        })?;
    let table = dataset.table();
    let column = table.column(name)?;
    if terms.roles.role(name).is_some_and(|role| role != Role::Identifier) {
        return Err(refused(
            format!("`key` must be an identifier, but column `{name}` is not one"),
            message!("say {}", Setting::Identifier.to(name).or_in_plan()),
        ));
    }
    let is_missing = |_, text: &str| table.missing().is(text) || text.trim().is_empty();
    let every = "everybody needs a key, the same in every release";
    refuse(table, column, is_missing, ("the key is missing", every))?;
    let same =
        "write every key as in the releases before: with another spelling a person is somebody new";
    let has_spaces = |_, text: &str| text.trim() != text;
    refuse(table, column, has_spaces, ("the key begins or ends with a space", same))?;
    let (counts, one) = (column.counts(), "a table of a series has one row for each person");
    let is_repeated = |entry: u32, _: &str| counts[entry as usize] > 1;
    refuse(table, column, is_repeated, ("the key is that of another row as well", one))?;
    Ok(column)
}

/// Refuses a key at its place, where an entry of the column is not as it must be.
fn refuse(
    table: &Table,
    column: &Column,
    is_wrong: impl Fn(u32, &str) -> bool,
    (problem, hint): (&str, &str),
) -> Result<(), Error> {
    let mut entries = (0..).zip(column.dictionary().iter());
    let Some((entry, _)) = entries.find(|&(entry, text)| is_wrong(entry, text)) else {
        return Ok(());
    };
    let (file, place, name) = (table.name(), table.place(column, entry), column.name());
    Err(refused(format!("{file}, {place}, column `{name}`: {problem}"), hint))
}

/// That people were forgotten, where some were.
pub(super) fn forgotten(past: &Past) -> Option<String> {
    let people = count(u64::from(past.n_forgotten), "person was", "people were");
    (past.n_forgotten > 0).then(|| {
        format!(
            "{people} forgotten: those of them who are in the table are new to the ledger, and \
             nothing is promised about what earlier releases say about them"
        )
    })
}

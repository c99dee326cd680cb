//! How values follow one another, from a CSV file with the columns `from`, `to` and `probability`.

use std::collections::BTreeMap;

use kohort_core::{Column, Table};
use kohort_io::{Options, read_table};
use kohort_ledger::Publishing;
use kohort_models::series::Correlations;

use super::people::texts;
use crate::Error;
use crate::job::Terms;
use crate::wording::count;

/// The correlations that a plan names. Values that the series has not seen get a number: they may appear
/// later. Gives notes about them.
pub(super) fn correlations(
    terms: &Terms,
    publishing: &mut Publishing<'_>,
    column: &str,
) -> Result<Option<(Correlations, Vec<String>)>, Error> {
    let Some((file, table)) = table(terms)? else { return Ok(None) };
    let n_before = publishing.domain().len();
    let [from, to, _] = columns(&table)?;
    for values in [from, to] {
        let mut values: Vec<&str> = texts(values).collect();
        values.sort_unstable();
        values.dedup();
        publishing.values(&values);
    }
    let domain = publishing.domain();
    let number_of: BTreeMap<&str, u32> = domain.iter().map(String::as_str).zip(0..).collect();
    let read = numbered(file, column, &table, |text| number_of.get(text).copied())?;
    let n_unseen = domain.len() - n_before;
    let n_unseen = n_unseen as u64;
    let values = count(n_unseen, "value that has", "values that have");
    let note = format!("{file} names {values} not occurred in column `{column}`");
    Ok(Some((read, if n_unseen > 0 { vec![note] } else { Vec::new() })))
}

/// The correlations that a plan names, for anyone who has no ledger: `number` gives every value its number.
pub(super) fn follow(
    terms: &Terms,
    column: &str,
    mut number: impl FnMut(&str) -> u32,
) -> Result<Option<Correlations>, Error> {
    let Some((file, table)) = table(terms)? else { return Ok(None) };
    let [from, to, _] = columns(&table)?;
    let mut number_of = BTreeMap::new();
    for text in texts(from).chain(texts(to)) {
        number_of.insert(text, number(text));
    }
    numbered(file, column, &table, |text| number_of.get(text).copied()).map(Some)
}

/// The file that a plan names, and what it has.
fn table(terms: &Terms) -> Result<Option<(&str, Table)>, Error> {
    let Some(file) = &terms.series.correlations else { return Ok(None) };
    let path = terms.roles.path(file);
    let table = read_table(&path.to_string_lossy(), &Options::default(), &|_, _| {})?.table;
    Ok(Some((file, table)))
}

fn columns(table: &Table) -> Result<[&Column; 3], Error> {
    let [from, to, probability] = ["from", "to", "probability"].map(|name| table.column(name));
    Ok([from?, to?, probability?])
}

fn numbered(
    file: &str,
    column: &str,
    table: &Table,
    number_of: impl Fn(&str) -> Option<u32>,
) -> Result<Correlations, Error> {
    let [from, to, probability] = columns(table)?;
    let lines = (2..).zip(texts(from).zip(texts(to)).zip(texts(probability)));
    let lines = lines.map(|(line, ((from, to), probability))| (line, [from, to, probability]));
    Ok(Correlations::read(file, column, lines, number_of)?)
}

//! How values follow one another, from a CSV file with the columns `from`, `to` and `probability`.

use std::path::Path;

use kohort_core::Column;
use kohort_io::{Options, read_table};
use kohort_ledger::Publishing;
use kohort_models::series::Correlations;

use super::people::texts;
use crate::Error;
use crate::plan::Plan;

/// The correlations that a plan names. Values that the series has not seen get a number: they may appear
/// later. Gives notes about them.
pub(super) fn correlations(
    plan: &Plan,
    base: &Path,
    publishing: &mut Publishing<'_>,
    column: &str,
) -> Result<Option<(Correlations, Vec<String>)>, Error> {
    let Some(file) = &plan.series.correlations else { return Ok(None) };
    let path = base.join(file);
    let table = read_table(&path.to_string_lossy(), &Options::default(), &|_, _| {})?.table;
    let columns: Vec<&Column> = ["from", "to", "probability"]
        .into_iter()
        .map(|name| table.column(name))
        .collect::<Result<_, _>>()?;
    let n_before = publishing.domain().len();
    for values in &columns[..2] {
        let mut values: Vec<&str> = texts(values).collect();
        values.sort_unstable();
        values.dedup();
        publishing.values(&values);
    }
    let domain = publishing.domain().to_vec();
    let number_of = |text: &str| {
        let at = domain.iter().position(|value| value == text)?;
        u32::try_from(at).ok()
    };
    let lines = (2..).zip(texts(columns[0]).zip(texts(columns[1])).zip(texts(columns[2])));
    let lines = lines.map(|(line, ((from, to), probability))| (line, [from, to, probability]));
    let read = Correlations::read(file, column, lines, number_of)?;
    let n_unseen = domain.len() - n_before;
    let note =
        format!("{file} names {n_unseen} values that have not occurred in column `{column}`");
    Ok(Some((read, if n_unseen > 0 { vec![note] } else { Vec::new() })))
}

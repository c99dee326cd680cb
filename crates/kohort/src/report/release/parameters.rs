//! How the release was made.

use super::super::list;
use super::super::markup::{Table, escape, name, section};
use crate::release::Receipt;
use crate::wording::percent;
use kohort_core::Message;

/// The parameters, and what became of each column.
pub(super) fn parameters(receipt: &Receipt) -> String {
    let columns = &receipt.columns;
    let algorithm = kohort_algorithms::algorithm(receipt.algorithm);
    let promise = algorithm.map_or("", |algorithm| algorithm.spec().promise);
    let algorithm = format!(
        "{} <span class=\"aside\">{}; {}</span>",
        escape(receipt.algorithm),
        escape(promise),
        escape(receipt.form)
    );
    let levels: Vec<String> =
        receipt.levels.iter().map(|level| escape(&level.to_string())).collect();
    let mut rows = vec![
        ("algorithm", algorithm),
        ("metric kept small", escape(&receipt.metric)),
        ("suppression allowed", percent(receipt.suppression)),
        ("seed", receipt.seed.to_string()),
        ("quasi-identifiers", names(&columns.quasi)),
        ("with a taxonomy", names(&columns.taxonomies)),
        ("with intervals as labels", names(&columns.intervals)),
        ("sensitive", names(&columns.sensitive)),
        ("published as they are", names(&columns.insensitive)),
        ("left out", names(&columns.left_out)),
    ];
    if !levels.is_empty() {
        rows.insert(1, ("levels", levels.join(", ")));
    }
    listed(&rows, &receipt.notes)
}

/// A section with these parameters, and the notes below them.
pub(in crate::report) fn listed(rows: &[(&str, String)], notes: &[Message]) -> String {
    let mut table = Table::new("Parameters", "parameters", &["Parameter", "Value"]);
    for (title, value) in rows {
        table.row([*title, &**value]);
    }
    let mut body = table.finish();
    if !notes.is_empty() {
        body.push_str("<h3>Notes</h3>\n");
        let notes: Vec<String> = notes.iter().map(Message::to_string).collect();
        body.push_str(&list(notes.iter().map(String::as_str)));
    }
    section("parameters", "Parameters", &body)
}

/// Columns by name; none in words.
pub(in crate::report) fn names(columns: &[String]) -> String {
    if columns.is_empty() {
        return "<span class=\"soft\">none</span>".into();
    }
    columns.iter().map(|column| name(column)).collect::<Vec<_>>().join(" ")
}

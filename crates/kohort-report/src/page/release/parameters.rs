//! How the release was made.

use kohort_core::Message;
use maud::{Markup, Render, html};

use super::super::markup::{Table, list, named, section, text};
use crate::release::Receipt;
use crate::wording::percent;

/// The parameters, and what became of each column.
pub(super) fn parameters(receipt: &Receipt) -> Markup {
    let columns = &receipt.columns;
    let algorithm = kohort_algorithms::algorithm(receipt.algorithm);
    let promise = algorithm.map_or("", |algorithm| algorithm.spec().promise);
    let algorithm = html! {
        (text(receipt.algorithm)) " "
        span class="aside" { (text(promise)) "; " (text(receipt.form)) }
    };
    let levels: Vec<String> = receipt.levels.iter().map(ToString::to_string).collect();
    let mut rows = vec![
        ("algorithm", algorithm),
        ("metric kept small", text(&receipt.metric).render()),
        ("suppression allowed", percent(receipt.suppression).render()),
        ("seed", receipt.seed.render()),
        ("quasi-identifiers", names(&columns.quasi)),
        ("with a taxonomy", names(&columns.taxonomies)),
        ("with intervals as labels", names(&columns.intervals)),
        ("sensitive", names(&columns.sensitive)),
        ("published as they are", names(&columns.insensitive)),
        ("left out", names(&columns.left_out)),
    ];
    if !levels.is_empty() {
        rows.insert(1, ("levels", text(&levels.join(", ")).render()));
    }
    listed(&rows, &receipt.notes)
}

/// A section with these parameters, and the notes below them.
pub(in crate::page) fn listed(rows: &[(&str, Markup)], notes: &[Message]) -> Markup {
    let mut table = Table::new("Parameters", "parameters", &["Parameter", "Value"]);
    for (title, value) in rows {
        table.row(&[title, value]);
    }
    let body = html! {
        (table.finish())
        @if !notes.is_empty() {
            h3 { "Notes" }
            (list(notes.iter().map(Message::to_string)))
        }
    };
    section("parameters", "Parameters", &body)
}

/// Columns by name; none in words.
pub(in crate::page) fn names(columns: &[String]) -> Markup {
    if columns.is_empty() {
        return html! { span class="soft" { "none" } };
    }
    named(columns, " ")
}

//! The reports of a diagnosis, of releases and of attacks: one HTML page each that opens without a network.
//!
//! A page has counts, levels, row numbers and the names of columns, and no cell of the table: it is made
//! from the answer, which holds none. Drawings are SVG inside the page; there is no script. The
//! same answer gives the same bytes.

mod asked;
mod attack;
mod borders;
mod classes;
mod columns;
pub mod comparison;
mod figures;
mod headline;
mod lattice;
mod levels;
mod markup;
mod nested;
mod release;
mod risk;
mod series;
mod subsets;
mod suppression;
mod svg;

use std::fmt::Write;

use crate::wording::count;
pub use attack::attack_html;
use markup::{escape, name, section};
pub use nested::nested_html;
pub use release::release_html;
pub use series::series_html;

use crate::diagnose::{AskedFor, Diagnosis, NOT_PROMISED};
use crate::release::PROGRAM;
pub use crate::release::is_report;

const STYLE: &str = include_str!("style.css");

/// The diagnosis as one HTML page.
pub fn html(answer: &Diagnosis) -> String {
    let mut sizes: Vec<(u64, u64)> =
        answer.class_sizes.iter().map(|count| (count.size, count.classes)).collect();
    sizes.sort_unstable();
    let parts = [
        asked::asked(answer),
        asked::goal(answer),
        levels::levels(answer),
        class_sizes(answer, &sizes),
        risk::risk(answer),
        columns::columns(answer),
        borders::borders(answer),
        subsets::subsets(answer),
        left_out(answer),
        not_promised(),
    ];
    page(
        &format!("Diagnosis of {}", escape(&answer.table)),
        &headline::headline(answer, &sizes),
        &TITLES.iter().zip(&parts).collect::<Vec<_>>(),
        &footer(answer),
    )
}

/// The parts of a diagnosis.
const TITLES: [(&str, &str); 10] = [
    ("asked", "Asked for"),
    ("goal", "Goal"),
    ("levels", "Levels"),
    ("sizes", "Class sizes"),
    ("risk", "Risk"),
    ("columns", "Columns"),
    ("borders", "Borders"),
    ("subsets", "Subsets"),
    ("left-out", "Left out"),
    ("not-promised", "Not promised"),
];

/// A page of named parts, those without text left out. It opens without a network.
fn page(
    title: &str,
    header: &str,
    parts: &[(&(&'static str, &'static str), &String)],
    footer: &str,
) -> String {
    let main: String = parts.iter().map(|(_, part)| part.as_str()).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{header}{}<main>\n{main}\
         </main>\n<footer>\n<p>{PROGRAM}{}. {footer}</footer>\n</body>\n</html>\n",
        contents(parts),
        env!("CARGO_PKG_VERSION"),
    )
}

/// Links to the parts that are there.
fn contents(parts: &[(&(&'static str, &'static str), &String)]) -> String {
    let mut out = String::from("<nav aria-label=\"Contents\">\n");
    for ((id, title), part) in parts {
        if !part.is_empty() {
            let _ = writeln!(out, "<a href=\"#{id}\">{title}</a>");
        }
    }
    out.push_str("</nav>\n");
    out
}

fn class_sizes(answer: &Diagnosis, sizes: &[(u64, u64)]) -> String {
    let body = format!(
        "<div class=\"pair\">\n{}{}</div>\n",
        classes::histogram(sizes, classes::ROWS),
        suppression::curve(answer, sizes)
    );
    section("sizes", "How many people are like each person", &body)
}

fn list<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::from("<ul class=\"plain\">\n");
    for item in items {
        let _ = writeln!(out, "<li>{}</li>", escape(item));
    }
    out.push_str("</ul>\n");
    out
}

fn left_out(answer: &Diagnosis) -> String {
    if answer.left_out.is_empty() {
        return String::new();
    }
    section("left-out", "What was left out", &list(answer.left_out.iter().map(String::as_str)))
}

fn not_promised() -> String {
    section("not-promised", "What is not promised", &list(NOT_PROMISED.iter().copied()))
}

/// The version and what was examined, and no date: the same answer gives the same page.
fn footer(answer: &Diagnosis) -> String {
    let mut parameters = vec![
        format!("table <bdi>{}</bdi>", escape(&answer.table)),
        count(answer.rows, "row", "rows"),
        count(answer.quasi.len() as u64, "quasi-identifier", "quasi-identifiers"),
    ];
    if !answer.sensitive.is_empty() {
        let names: Vec<String> = answer.sensitive.iter().map(|one| name(&one.attribute)).collect();
        parameters.push(format!("sensitive {}", names.join(", ")));
    }
    let asked = answer.asked.iter().flat_map(AskedFor::parts);
    parameters.extend(asked.map(|part| escape(&part)));
    for item in answer.promises().1 {
        let of = item.attribute.as_ref().map_or(String::new(), |one| format!(" of {}", name(one)));
        let (model, with) = (escape(&item.model), escape(&item.parameters));
        parameters.push(format!("goal {model}{of} {with}"));
    }
    format!(
        "Parameters: {}.</p>\n<p>This page shows column names, counts, levels and row numbers; no cell \
         of the table is in it, and it loads nothing.</p>\n",
        parameters.join("; ")
    )
}

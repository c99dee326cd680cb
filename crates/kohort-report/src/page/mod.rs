//! The reports of a diagnosis, of releases and of attacks: one HTML page each that opens without a network.
//!
//! A page has counts, levels, row numbers and the names of columns, and no cell of the table: it is made
//! from the answer, which holds none. Drawings are SVG inside the page; there is no script. The
//! same answer gives the same bytes.

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
mod promises;
mod release;
mod risk;
mod series;
mod subsets;
mod suppression;
mod svg;

use maud::{Markup, PreEscaped, Render, html as template};

use crate::diagnose::{AskedFor, Diagnosis, NOT_PROMISED};
use crate::wording::{count, visible_text};
use markup::{list, name, of, section, text};

pub use attack::attack_html;
pub use nested::nested_html;
pub use release::{OfModel, release_html};
pub use series::series_html;

const STYLE: &str = include_str!("style.css");

/// The diagnosis as one HTML page.
pub fn html(answer: &Diagnosis) -> String {
    let mut sizes: Vec<(u64, u64)> =
        answer.class_sizes.iter().map(|count| (count.size, count.classes)).collect();
    sizes.sort_unstable();
    Page {
        title: format!("Diagnosis of {}", answer.table),
        style: "",
        header: headline::headline(answer, &sizes),
        parts: &[
            ("asked", "Asked for", promises::asked(answer)),
            ("goal", "Goal", promises::goal(answer)),
            ("levels", "Levels", levels::levels(answer)),
            ("sizes", "Class sizes", class_sizes(answer, &sizes)),
            ("risk", "Risk", risk::risk(answer)),
            ("columns", "Columns", columns::columns(answer)),
            ("borders", "Borders", borders::borders(answer)),
            ("subsets", "Subsets", subsets::subsets(answer)),
            ("left-out", "Left out", left_out(answer)),
            ("not-promised", "Not promised", not_promised()),
        ],
        parameters: Some(parameters(answer)),
        shows: "This page shows column names, counts, levels and row numbers; no cell of the table is in it, \
                and it loads nothing.",
    }
    .finish()
}

/// What every footer of a report begins with.
const PROGRAM: &str = "kohort ";

/// Whether a text is a page of this program.
pub fn is_report(text: &str) -> bool {
    text.starts_with("<!doctype html>") && text.contains(&format!("<footer>\n<p>{PROGRAM}"))
}

/// A part of a page: its id, what the link to it says, and its section; one without a section is left out.
type Part = (&'static str, &'static str, Markup);

/// A page of named parts that opens without a network. It has no date: the same answer gives the same page.
struct Page<'a> {
    title: String,
    /// What it has beyond the style of every page.
    style: &'static str,
    header: Markup,
    parts: &'a [Part],
    /// How the answer came about: the parameters, separated.
    parameters: Option<Markup>,
    /// What the page shows, and what it does not.
    shows: &'static str,
}

impl Page<'_> {
    fn finish(self) -> String {
        let Self { title, style, header, parts, parameters, shows } = self;
        let parts = || parts.iter().filter(|(_, _, part)| !part.0.is_empty());
        let page = template! {
            (PreEscaped("<!doctype html>\n"))
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (text(&title)) }
                    style { "\n" (PreEscaped(STYLE)) (PreEscaped(style)) }
                }
                body {
                    (header)
                    nav aria-label="Contents" {
                        @for (id, title, _) in parts() { a href={ "#" (id) } { (title) } "\n" }
                    }
                    main { "\n" @for (_, _, part) in parts() { (part) } }
                    // A report is told from other pages by these bytes.
                    footer {
                        "\n"
                        p {
                            (PROGRAM) (env!("CARGO_PKG_VERSION")) "."
                            @if let Some(parameters) = parameters { " Parameters: " (parameters) "." }
                        }
                        p { (shows) }
                    }
                }
            }
            "\n"
        };
        // Whatever a name has in it and wherever it got here: nothing on the page is hidden.
        visible_text(&page.into_string())
    }
}

fn class_sizes(answer: &Diagnosis, sizes: &[(u64, u64)]) -> Markup {
    let body = template! {
        div class="pair" {
            (classes::histogram(sizes, classes::ROWS))
            (suppression::curve(answer, sizes))
        }
    };
    section("sizes", "How many people are like each person", &body)
}

fn left_out(answer: &Diagnosis) -> Markup {
    if answer.left_out.is_empty() {
        return Markup::default();
    }
    section("left-out", "What was left out", &list(&answer.left_out))
}

fn not_promised() -> Markup {
    section("not-promised", "What is not promised", &list(NOT_PROMISED))
}

/// What was examined.
fn parameters(answer: &Diagnosis) -> Markup {
    let mut parameters = vec![
        template! { "table " bdi { (text(&answer.table)) } },
        count(answer.rows, "row", "rows").render(),
        count(answer.quasi.len() as u64, "quasi-identifier", "quasi-identifiers").render(),
    ];
    if !answer.sensitive.is_empty() {
        let names = answer.sensitive.iter().map(|one| name(&one.attribute));
        parameters.push(template! { "sensitive " (markup::joined(names, ", ")) });
    }
    let asked = answer.asked.iter().flat_map(AskedFor::parts);
    parameters.extend(asked.map(|part| text(&part).render()));
    for item in answer.promises().1 {
        parameters.push(template! {
            "goal " (text(&item.model)) (of(item.attribute.as_ref())) " " (text(&item.parameters))
        });
    }
    markup::joined(parameters, "; ")
}

//! The borders between column sets that keep the promise asked for and sets that break it.

use std::fmt::Write;

use super::figures::{count, grouped};
use super::lattice::{LARGEST, borders_lattice};
use super::markup::{chips, escape, paragraph, section};
use crate::diagnose::Diagnosis;

/// How many sets of a border are listed.
const MOST: usize = 60;

/// Both borders as lists, and the lattice where it is small.
pub(super) fn borders(answer: &Diagnosis) -> String {
    let Some(found) = &answer.borders else { return String::new() };
    let mut body = paragraph(&format!(
        "An outsider may know some of the columns only. A set of columns is called <dfn>safe</dfn> \
         here when {} holds for it, and no more is meant by the word. Whatever is inside a safe set \
         is safe in this sense; whatever contains an unsafe set is not.",
        escape(&found.promise)
    ));
    body.push_str("<div class=\"pair\">\n");
    body.push_str(&list(
        "holds",
        "Largest safe sets",
        &found.positive_border,
        "None: the promise fails for the table as a whole.",
    ));
    body.push_str(&list(
        "fails",
        "Smallest unsafe sets",
        &found.negative_border,
        "None was found: no set of these columns breaks the promise.",
    ));
    body.push_str("</div>\n");
    if answer.quasi.len() <= LARGEST {
        body.push_str(&borders_lattice(answer, found));
    }
    let complete = if found.complete {
        "all sets are decided".to_owned()
    } else {
        format!(
            "sets of up to {} are decided",
            count(found.complete_to as u64, "column", "columns")
        )
    };
    let _ = writeln!(
        body,
        "<p class=\"note\">{} tested ({} search); {complete}.</p>",
        count(found.evaluated, "set", "sets"),
        escape(found.search)
    );
    section("borders", "Which sets of columns keep the promise", &body)
}

fn list(class: &str, title: &str, sets: &[Vec<String>], none: &str) -> String {
    let mut out = format!(
        "<div>\n<h3><span class=\"{class}\">{title}</span> <span class=\"aside\">{}</span></h3>\n",
        grouped(sets.len() as u64)
    );
    if sets.is_empty() {
        out.push_str(&paragraph(none));
    } else {
        let _ = writeln!(out, "<ul class=\"sets many\" tabindex=\"0\" aria-label=\"{title}\">");
        for set in sets.iter().take(MOST) {
            let _ = writeln!(out, "<li>{}</li>", chips(set));
        }
        out.push_str("</ul>\n");
        if sets.len() > MOST {
            let left = grouped((sets.len() - MOST) as u64);
            let _ = writeln!(out, "<p class=\"note\">{left} more are not listed here.</p>");
        }
    }
    out.push_str("</div>\n");
    out
}

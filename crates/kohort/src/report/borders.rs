//! The borders between column sets that keep the promise asked for and sets that break it.

use std::fmt::Write;

use super::lattice::{LARGEST, borders_lattice};
use super::markup::{chips, escape, notice, paragraph, scrolling, section};
use crate::diagnose::Diagnosis;
use crate::wording::{count, grouped};

/// How many sets of a border are listed.
const MOST: usize = 60;

/// Both borders as lists, and the lattice where it is small.
pub(super) fn borders(answer: &Diagnosis) -> String {
    let Some(found) = &answer.borders else { return String::new() };
    let mut body = found.unfinished().map_or(String::new(), |said| notice(&said));
    if answer.borders_ignore_suppression() {
        body.push_str(&notice("Judged on the table as it is: dropping rows is not counted here"));
    }
    body.push_str(&paragraph(&format!(
        "An outsider may know some of the columns only. A set of columns is called <dfn>safe</dfn> \
         here when {} holds for it, and no more is meant by the word. Whatever is inside a safe set \
         is safe in this sense; whatever contains an unsafe set is not.",
        escape(&found.promise)
    )));
    body.push_str("<div class=\"pair\">\n");
    let both = [("holds", &found.positive_border), ("fails", &found.negative_border)];
    for ((class, sets), (title, none)) in both.into_iter().zip(found.titles()) {
        body.push_str(&list(class, title, sets, &none));
    }
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
        "<p class=\"note\">{} tested ({}); {complete}.</p>",
        count(found.evaluated, "set", "sets"),
        escape(found.searched())
    );
    let title = format!("Which sets of columns keep {}", escape(&found.promise));
    section("borders", &title, &body)
}

fn list(class: &str, title: &str, sets: &[Vec<String>], none: &str) -> String {
    let mut out = format!(
        "<div>\n<h3><span class=\"{class}\">{title}</span> <span class=\"aside\">{}</span></h3>\n",
        grouped(sets.len() as u64)
    );
    if sets.is_empty() {
        out.push_str(&paragraph(&escape(&format!("{none}."))));
    } else {
        let (class, hint) = scrolling(sets.len());
        let _ = writeln!(out, "<ul class=\"sets {class}\" tabindex=\"0\" aria-label=\"{title}\">");
        for set in sets.iter().take(MOST) {
            let _ = writeln!(out, "<li>{}</li>", chips(set));
        }
        out.push_str("</ul>\n");
        out.push_str(hint);
        if sets.len() > MOST {
            let left = grouped((sets.len() - MOST) as u64);
            let _ = writeln!(out, "<p class=\"note\">{left} more are in the JSON answer only.</p>");
        }
    }
    out.push_str("</div>\n");
    out
}

//! The levels with a plain sentence each.

use maud::{Markup, html};

use super::markup::{Table, name, paragraph, section, text};
use crate::diagnose::{Diagnosis, Line, Sensitive, level_lines, sensitive_lines};

/// The levels of the quasi-identifiers, then those of each sensitive attribute.
pub(super) fn levels(answer: &Diagnosis) -> Markup {
    let body = html! {
        p {
            "A " dfn { "class" } " is a group of rows that are alike in all columns examined. A level is the \
             strongest that holds for every class, so the weakest class decides it."
        }
        @if let Some(people) = &answer.people {
            (table("Levels that count people", &people.lines()))
            (paragraph(text(&people.caveat())))
        }
        (table("Levels of the whole table", &level_lines(answer)))
        @for sensitive in &answer.sensitive { (block(answer, sensitive)) }
    };
    section("levels", "Levels, and what they mean for a person", &body)
}

fn block(answer: &Diagnosis, sensitive: &Sensitive) -> Markup {
    let caption = format!("Levels of {}", sensitive.attribute);
    html! {
        h3 {
            "Sensitive: " (name(&sensitive.attribute)) " "
            span class="aside" { (text(&sensitive.n_values())) " in the table" } " "
            @if sensitive.rows_disclosed > 0 { span class="fails" { "value given away" } }
        }
        (table(&caption, &sensitive_lines(answer, sensitive)))
    }
}

fn table(caption: &str, lines: &[Line]) -> Markup {
    let mut table = Table::new(caption, "levels", &["Level", "Value", "In plain words"]);
    for line in lines {
        let value = html! { strong { (text(&line.value)) } };
        table.row(&[&text(&line.name), &value, &text(&line.meaning)]);
    }
    table.finish()
}

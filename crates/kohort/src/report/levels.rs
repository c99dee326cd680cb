//! The levels with a plain sentence each.

use super::markup::{Table, escape, name, paragraph, section};
use crate::diagnose::{Diagnosis, Line, Sensitive, level_lines, sensitive_lines};

/// The levels of the quasi-identifiers, then those of each sensitive attribute.
pub(super) fn levels(answer: &Diagnosis) -> String {
    let mut body = paragraph(
        "A <dfn>class</dfn> is a group of rows that are alike in all columns examined. A level is the \
         strongest that holds for every class, so the weakest class decides it.",
    );
    if let Some(people) = &answer.people {
        body.push_str(&table("Levels that count people", &people.lines()));
        body.push_str(&paragraph(&escape(&people.caveat())));
    }
    body.push_str(&table("Levels of the whole table", &level_lines(answer)));
    for sensitive in &answer.sensitive {
        body.push_str(&block(answer, sensitive));
    }
    section("levels", "Levels, and what they mean for a person", &body)
}

fn block(answer: &Diagnosis, sensitive: &Sensitive) -> String {
    let attribute = name(&sensitive.attribute);
    let mark = if sensitive.rows_disclosed > 0 {
        "<span class=\"fails\">value given away</span>"
    } else {
        ""
    };
    format!(
        "<h3>Sensitive: {attribute} <span class=\"aside\">{} in the table</span> {mark}</h3>\n{}",
        escape(&sensitive.n_values()),
        table(
            &format!("Levels of {}", escape(&sensitive.attribute)),
            &sensitive_lines(answer, sensitive)
        )
    )
}

fn table(caption: &str, lines: &[Line]) -> String {
    let mut table = Table::new(caption, "levels", &["Level", "Value", "In plain words"]);
    for line in lines {
        let (level, value) = (escape(&line.name), escape(&line.value));
        let value = format!("<strong>{value}</strong>");
        table.row([&*level, &*value, &*escape(&line.meaning)]);
    }
    table.finish()
}

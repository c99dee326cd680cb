//! The verdict in plain words, the worst thing first, and the key figures.

use std::fmt::Write;

use super::figures::{real, rows_below};
use super::markup::{escape, name, scrolling};
use super::svg::Svg;
use crate::diagnose::{Diagnosis, Sensitive};
use crate::wording::{count, decimal, grouped, percent, share};

/// The top of the page.
pub(super) fn headline(answer: &Diagnosis, sizes: &[(u64, u64)]) -> String {
    let mut found = answer.findings(&name).into_iter();
    let verdict = found.next().unwrap_or_default();
    let mut lead = String::new();
    for finding in found {
        let _ = writeln!(lead, "<li>{finding}</li>");
    }
    if !lead.is_empty() {
        lead = format!("<ul class=\"findings\">\n{lead}</ul>\n");
    }
    format!(
        "<header>\n<p class=\"kicker\">Diagnosis of <bdi>{}</bdi></p>\n<div \
         class=\"top\">\n<div>\n<h1>{verdict}</h1>\n<p \
         class=\"warning\"><strong>Confidential.</strong> This page shows who is at risk, by row \
         number. Store it like the table itself, and do not publish it.</p>\n{lead}<p \
         class=\"care\">These figures are decided for this table and these columns, and for \
         nothing else. Where they show no danger, protection is <em>not refuted</em>, which is \
         less than proved: see <a href=\"#not-promised\">what is not \
         promised</a>.</p>\n</div>\n{}</div>\n{}{}</header>\n",
        escape(&answer.table),
        people("people", answer.rows, rows_below(sizes, 2), rows_below(sizes, 5)),
        key_figures(answer),
        examined(answer),
    )
}

/// What the raw table need not keep, so missing it is nothing bad.
const GOAL: &str = "promises of the plan kept by the table as it is";

struct KeyFigure {
    name: &'static str,
    value: String,
    meaning: String,
    bad: bool,
}

fn key_figures(answer: &Diagnosis) -> String {
    let prosecutor = &answer.risk.prosecutor;
    let mut figures = vec![
        KeyFigure {
            name: "k",
            value: grouped(answer.k),
            meaning: format!("{} in the smallest class", count(answer.k, "row", "rows")),
            bad: answer.k == 1,
        },
        KeyFigure {
            name: "Stand alone",
            value: share(prosecutor.unique, answer.rows),
            meaning: format!(
                "{} of {}",
                grouped(prosecutor.unique),
                count(answer.rows, "row", "rows")
            ),
            bad: prosecutor.unique > 0,
        },
        KeyFigure {
            name: "Highest linking risk",
            value: percent(prosecutor.max_value),
            meaning: format!("mean {}", percent(prosecutor.mean_value)),
            bad: prosecutor.max.num >= prosecutor.max.den,
        },
    ];
    let by_level =
        |a: &&Sensitive, b: &&Sensitive| a.frequency_l_value.total_cmp(&b.frequency_l_value);
    if let Some(worst) = answer.sensitive.iter().min_by(by_level) {
        figures.push(KeyFigure {
            name: "Worst frequency l",
            value: decimal(worst.frequency_l_value),
            meaning: format!(
                "{} guessed with {}",
                name(&worst.attribute),
                percent(1.0 / worst.frequency_l_value)
            ),
            bad: worst.frequency_l.num <= worst.frequency_l.den,
        });
    }
    let (asked, goal) = answer.promises();
    let both = [("Promises that hold", asked, "of those asked for"), ("Goal", goal, GOAL)];
    for (name, items, meaning) in both.into_iter().filter(|(_, items, _)| !items.is_empty()) {
        let held = items.iter().filter(|item| item.holds).count();
        figures.push(KeyFigure {
            name,
            value: format!("{held} of {}", items.len()),
            meaning: meaning.into(),
            bad: held < items.len() && meaning != GOAL,
        });
    }
    let mut out = String::from("<dl class=\"key\">\n");
    for KeyFigure { name, value, meaning, bad } in figures {
        let class = if bad { " class=\"bad\"" } else { "" };
        let _ = writeln!(
            out,
            "<div{class}><dt>{name}</dt><dd class=\"value\">{value}</dd><dd>{meaning}</dd></div>"
        );
    }
    out.push_str("</dl>\n");
    out
}

/// The columns that were examined.
fn examined(answer: &Diagnosis) -> String {
    let names = |columns: &mut dyn Iterator<Item = &String>| {
        columns.map(|column| name(column)).collect::<Vec<_>>().join(" ")
    };
    let (class, hint) = scrolling(answer.quasi.len());
    // Short names fit into the box.
    let letters: usize = answer.quasi.iter().map(|column| column.chars().count()).sum();
    let hint = if letters > 600 { hint } else { "" };
    let mut out = format!(
        "<div class=\"examined\">\n<p>{}, {} examined together as what an outsider may know \
         (quasi-identifiers):</p>\n<div class=\"columns {class}\" role=\"region\" aria-label=\"Columns \
         examined\" tabindex=\"0\">{}</div>\n{hint}",
        count(answer.rows, "row", "rows"),
        count(answer.quasi.len() as u64, "column", "columns"),
        names(&mut answer.quasi.iter())
    );
    if !answer.sensitive.is_empty() {
        let _ = writeln!(
            out,
            "<p>Sensitive: {}</p>",
            names(&mut answer.sensitive.iter().map(|one| &one.attribute))
        );
    }
    out.push_str("</div>\n");
    out
}

/// A hundred dots, or one for each row of a small table: who stands alone, who is in a class of fewer
/// than five. `id` is unique on the page.
pub(super) fn people(id: &str, total: u64, alone: u64, below_five: u64) -> String {
    let few = below_five - alone;
    let rows = total.max(1);
    let dots = rows.min(100);
    // Rounded up, against ourselves.
    let dots_for = |count: u64| {
        u64::try_from((u128::from(count) * u128::from(dots)).div_ceil(u128::from(rows)))
            .unwrap_or(dots)
    };
    let red = dots_for(alone);
    let amber = dots_for(alone + few).max(red) - red;
    let mut svg = Svg::new(200.0, "dots");
    let per_line = if dots > 10 { 10 } else { dots };
    for dot in 0..dots {
        let (column, line) = (dot % per_line, dot / per_line);
        let center = (10.0 + 20.0 * real(column), 10.0 + 20.0 * real(line));
        if dot < red {
            svg.dot(center, 7.5, "alone", "");
        } else if dot < red + amber {
            svg.dot(center, 7.5, "few", "");
            svg.dot(center, 3.0, "hole", "");
        } else {
            svg.dot(center, 6.5, "more", "");
        }
    }
    let of = if dots < 100 { "each dot is one row" } else { "each dot is one row in a hundred" };
    let others = total.saturating_sub(alone + few);
    let drawing = svg.finish(
        20.0 * real(dots.div_ceil(per_line)),
        id,
        "Who is unique",
        &format!(
            "{} of {} rows are unique, {} share the columns with one to three others, {} with \
             more",
            grouped(alone),
            grouped(total),
            grouped(few),
            grouped(others)
        ),
    );
    format!(
        "<figure class=\"people\">\n{drawing}\n<ul class=\"legend\">\n\
         <li><span class=\"mark alone\"></span>alone: {}</li>\n\
         <li><span class=\"mark few\"></span>among 2 to 4: {}</li>\n\
         <li><span class=\"mark more\"></span>among 5 or more: {}</li>\n</ul>\n\
         <figcaption>{of}</figcaption>\n</figure>\n",
        grouped(alone),
        grouped(few),
        grouped(others)
    )
}

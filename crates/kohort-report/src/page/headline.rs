//! The verdict in plain words, the worst thing first, and the key figures.

use maud::{Markup, html};

use super::figures::{real, rows_below};
use super::markup::{KeyFigure, joined, key, legend, name, named, scrolling, text};
use super::svg::Svg;
use crate::diagnose::{Diagnosis, Sensitive};
use crate::wording::{Part, Sentence, count, decimal, grouped, percent, share};

/// The top of the page.
pub(super) fn headline(answer: &Diagnosis, sizes: &[(u64, u64)]) -> Markup {
    let found = answer.findings();
    let (verdict, others) = found.split_first().map_or((None, &[][..]), |(a, b)| (Some(a), b));
    html! {
        header {
            p class="kicker" { "Diagnosis of " bdi { (text(&answer.table)) } }
            div class="top" {
                div {
                    h1 { @if let Some(verdict) = verdict { (sentence(verdict)) } }
                    p class="warning" {
                        strong { "Confidential." }
                        " This page shows who is at risk, by row number. Store it like the table itself, \
                         and do not publish it."
                    }
                    @if !others.is_empty() {
                        ul class="findings" { @for finding in others { li { (sentence(finding)) } } }
                    }
                    p class="care" {
                        "These figures are decided for this table and these columns, and for nothing \
                         else. Where they show no danger, protection is " em { "not refuted" } ", which \
                         is less than proved: see " a href="#not-promised" { "what is not promised" } "."
                    }
                }
                (people("people", answer.rows, rows_below(sizes, 2), rows_below(sizes, 5)))
            }
            (key_figures(answer))
            (examined(answer))
        }
    }
}

/// A sentence with the names of columns marked.
fn sentence(sentence: &Sentence) -> Markup {
    let part = |part: &Part| match part {
        Part::Words(words) => html! { (words) },
        Part::Name(column) => name(column),
    };
    joined(sentence.parts().iter().map(part), "")
}

/// What the raw table need not keep, so missing it is nothing bad.
const GOAL: &str = "promises of the plan kept by the table as it is";

fn key_figures(answer: &Diagnosis) -> Markup {
    let prosecutor = &answer.risk.prosecutor;
    let rows = count(answer.rows, "row", "rows");
    let smallest = format!("{} in the smallest class", count(answer.k, "row", "rows"));
    let mut figures = vec![
        KeyFigure::new("k", grouped(answer.k), smallest, answer.k == 1),
        KeyFigure::new(
            "Unique rows",
            share(prosecutor.unique, answer.rows),
            format!("{} of {rows}", grouped(prosecutor.unique)),
            prosecutor.unique > 0,
        ),
        KeyFigure::new(
            "Highest linking risk",
            percent(prosecutor.max_value),
            format!("mean {}", percent(prosecutor.mean_value)),
            prosecutor.max.num >= prosecutor.max.den,
        ),
    ];
    let by_level =
        |a: &&Sensitive, b: &&Sensitive| a.frequency_l_value.total_cmp(&b.frequency_l_value);
    if let Some(worst) = answer.sensitive.iter().min_by(by_level) {
        let guessed = percent(1.0 / worst.frequency_l_value);
        figures.push(KeyFigure::new(
            "Worst frequency l",
            decimal(worst.frequency_l_value),
            html! { (name(&worst.attribute)) " guessed with " (guessed) },
            worst.frequency_l.num <= worst.frequency_l.den,
        ));
    }
    let (asked, goal) = answer.promises();
    let both = [("Promises that hold", asked, "of those asked for"), ("Goal", goal, GOAL)];
    for (title, items, meaning) in both.into_iter().filter(|(_, items, _)| !items.is_empty()) {
        let held = items.iter().filter(|item| item.holds).count();
        let is_bad = held < items.len() && meaning != GOAL;
        figures.push(KeyFigure::new(title, format!("{held} of {}", items.len()), meaning, is_bad));
    }
    key(&figures)
}

/// The columns that were examined.
fn examined(answer: &Diagnosis) -> Markup {
    let (class, hint) = scrolling(answer.quasi.len());
    // Short names fit into the box.
    let letters: usize = answer.quasi.iter().map(|column| column.chars().count()).sum();
    html! {
        div class="examined" {
            p {
                (count(answer.rows, "row", "rows")) ", "
                (count(answer.quasi.len() as u64, "column", "columns"))
                " examined together as what an outsider may know (quasi-identifiers):"
            }
            div class={ "columns " (class) } role="region" aria-label="Columns examined" tabindex="0" {
                (named(&answer.quasi, " "))
            }
            @if letters > 600 { (hint) }
            @if !answer.sensitive.is_empty() {
                p {
                    "Sensitive: "
                    (joined(answer.sensitive.iter().map(|one| name(&one.attribute)), " "))
                }
            }
        }
    }
}

/// A hundred dots, or one for each row of a small table: who stands alone, who is in a class of fewer
/// than five. `id` is unique on the page.
pub(super) fn people(id: &str, total: u64, alone: u64, below_five: u64) -> Markup {
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
    let marks = [
        ("alone", format!("alone: {}", grouped(alone))),
        ("few", format!("among 2 to 4: {}", grouped(few))),
        ("more", format!("among 5 or more: {}", grouped(others))),
    ];
    html! {
        figure class="people" {
            (drawing)
            (legend(&marks.each_ref().map(|(class, words)| (*class, words.as_str()))))
            figcaption { (of) }
        }
    }
}

//! The risk of being linked to a row.

use maud::{Markup, html};

use super::markup::{Table, figure, note, paragraph, section};
use super::svg::{Bar, Svg};
use crate::diagnose::{Above, Diagnosis, ProsecutorAnswer, RiskFigure};
use crate::wording::{count, grouped, percent, percents};

/// The three adversaries, and the rows above the usual thresholds.
pub(super) fn risk(answer: &Diagnosis) -> Markup {
    let presence = answer.presence.as_ref().filter(|found| found.rows_not_covered > 0);
    let body = html! {
        div class="pair" {
            div {
                (adversaries(answer))
                @if let Some(population) = &answer.risk.population {
                    (paragraph(format!(
                        "{}; they hold for a simple random sample.",
                        population.of_models()
                    )))
                }
                @if answer.risk.journalist.is_none() {
                    (note(
                        "Journalist and marketer are not measured: they need a public table or a \
                         sampling fraction."
                    ))
                }
                @if let Some(presence) = presence {
                    (paragraph(format!(
                        "The public table lists fewer people than this one for {}: it does not cover \
                         them.",
                        count(presence.rows_not_covered, "row", "rows")
                    )))
                }
            }
            (above(&answer.risk.prosecutor))
        }
    };
    section("risk", "Risk of being linked", &body)
}

/// The risk by each adversary.
fn adversaries(answer: &Diagnosis) -> Markup {
    let prosecutor = &answer.risk.prosecutor;
    let mut table = Table::new("Risk by adversary", "risk", &["Adversary", "#Risk", "Meaning"]);
    let mut rows: Vec<(&str, f64, String)> = vec![
        (
            "prosecutor, highest",
            prosecutor.max_value,
            "the most exposed person, against somebody who knows that they are in the table".into(),
        ),
        ("prosecutor, mean", prosecutor.mean_value, "the same, on average over all rows".into()),
    ];
    let others: [(&str, Option<RiskFigure>, &str); 2] = [
        (
            "journalist, highest",
            answer.risk.journalist,
            "the most exposed person, against somebody who knows only that they are in the population",
        ),
        (
            "marketer",
            answer.risk.marketer,
            "the share of right links, when everybody is linked at random within their class",
        ),
    ];
    for (adversary, figure, meaning) in others {
        if let Some(figure) = figure {
            rows.push((adversary, figure.value, format!("{meaning}{}", figure.caveat())));
        }
    }
    let population = answer.risk.population.as_ref();
    rows.extend(population.iter().flat_map(|found| found.figures()));
    let values = percents(&rows.iter().map(|(_, value, _)| *value).collect::<Vec<_>>());
    for ((adversary, _, meaning), value) in rows.iter().zip(values) {
        table.row(&[adversary, &html! { strong { (value) } }, meaning]);
    }
    table.finish()
}

/// The rows above each threshold, as bars.
fn above(prosecutor: &ProsecutorAnswer) -> Markup {
    let mut svg = Svg::new(Bar::WIDTH, "chart");
    let mut said = Vec::new();
    let mut y = 0.0;
    let drawn: Vec<&Above> = prosecutor.above.iter().filter(|above| above.rows > 0).collect();
    let shares = percents(&drawn.iter().map(|above| above.share).collect::<Vec<_>>());
    for (above, share) in drawn.into_iter().zip(shares) {
        let hint = format!(
            "{} with a risk above 1 in {} ({})",
            count(above.rows, "row", "rows"),
            above.one_in,
            percent(above.share)
        );
        let text = format!("{} · {}", grouped(above.rows), share);
        let bar = Bar { label: &format!("above 1/{}", above.one_in), text: &text, hint: &hint };
        bar.draw(&mut svg, y, above.share, "few");
        said.push(hint);
        y += Bar::LINE;
    }
    let drawing = svg.finish(y, "above", "Rows above a risk", &said.join("; "));
    let drawing = if said.is_empty() { Markup::default() } else { drawing };
    // The thresholds rise, so those without a row come first.
    let none = match prosecutor.above.iter().rfind(|above| above.rows == 0) {
        Some(above) => format!(" No row has a risk above 1/{}.", above.one_in),
        None => String::new(),
    };
    let below = note(format!("A risk above 1/5 means a class of fewer than 5 rows.{none}"));
    figure("Rows with a prosecutor's risk above a threshold", &drawing, &below)
}

//! The risk of being linked to a row.

use super::figures::{count, grouped, percent};
use super::markup::{Table, figure, paragraph, section};
use super::svg::{Bar, Svg};
use crate::diagnose::{Diagnosis, ProsecutorAnswer, RiskFigure};

/// The three adversaries, and the rows above the usual thresholds.
pub(super) fn risk(answer: &Diagnosis) -> String {
    let prosecutor = &answer.risk.prosecutor;
    let mut table = Table::new("Risk by adversary", "risk", &["Adversary", "#Risk", "Meaning"]);
    let mut row = |adversary: &str, value: f64, meaning: &str| {
        table.row([adversary, &*format!("<strong>{}</strong>", percent(value)), meaning]);
    };
    row(
        "prosecutor, highest",
        prosecutor.max_value,
        "the most exposed person, against somebody who knows that they are in the table",
    );
    row("prosecutor, mean", prosecutor.mean_value, "the same, over all rows");
    let others: [(&str, Option<RiskFigure>, &str); 2] = [
        (
            "journalist, highest",
            answer.risk.journalist,
            "the most exposed person, against somebody who knows only the population",
        ),
        (
            "marketer",
            answer.risk.marketer,
            "the share of right links, when everybody is linked at random within their class",
        ),
    ];
    let mut missing = Vec::new();
    for (adversary, figure, meaning) in others {
        match figure {
            Some(RiskFigure { value, estimate: true }) => {
                row(adversary, value, &format!("{meaning} (an estimate)"));
            }
            Some(RiskFigure { value, .. }) => row(adversary, value, meaning),
            None => missing.push(adversary),
        }
    }
    let mut body = String::from("<div class=\"pair\">\n<div>\n");
    body.push_str(&table.finish());
    if !missing.is_empty() {
        body.push_str(
            "<p class=\"note\">Journalist and marketer are not measured: that takes a public table or \
             a sampling fraction.</p>\n",
        );
    }
    if let Some(presence) = answer.presence.as_ref().filter(|found| found.rows_not_covered > 0) {
        body.push_str(&paragraph(&format!(
            "The public table lists fewer people than this one for {}: it does not cover them.",
            count(presence.rows_not_covered, "row", "rows")
        )));
    }
    body.push_str("</div>\n");
    body.push_str(&above(prosecutor));
    body.push_str("</div>\n");
    section("risk", "Risk of being linked", &body)
}

/// The rows above each threshold, as bars.
fn above(prosecutor: &ProsecutorAnswer) -> String {
    let mut svg = Svg::new(Bar::WIDTH, "chart");
    let mut said = Vec::new();
    let mut y = 0.0;
    for above in &prosecutor.above {
        let hint = format!(
            "{} with a risk above 1 in {} ({})",
            count(above.rows, "row", "rows"),
            above.one_in,
            percent(above.share)
        );
        let text = format!("{} · {}", grouped(above.rows), percent(above.share));
        let bar = Bar {
            label: &format!("above 1/{}", above.one_in),
            text: &text,
            hint: &hint,
            of_whole: true,
        };
        bar.draw(&mut svg, y, if above.rows > 0 { above.share } else { 0.0 }, "few");
        said.push(hint);
        y += Bar::LINE;
    }
    let drawing = svg.finish(y, "above", "Rows above a risk", &said.join("; "));
    let note = "<p class=\"note\">A risk above 1/5 means a class of fewer than 5 rows.</p>\n";
    figure("Rows with a prosecutor's risk above a threshold", &drawing, note)
}

//! How likely somebody's sensitive values are guessed, where there are several.

use maud::{Markup, html};

use super::super::figures::part;
use super::super::markup::{Table, figure, name, paragraph, section};
use super::super::svg::Svg;
use crate::diagnose::{DisclosureAnswer, DisclosureCount};
use crate::release::Receipt;
use crate::wording::{count, grouped, percent, percents};

/// The largest probability of each bar, as one in this many, and its label.
pub(in crate::page) const BINS: [(u64, &str); 9] = [
    (20, "up to 1/20"),
    (10, "up to 1/10"),
    (8, "up to 1/8"),
    (6, "up to 1/6"),
    (5, "up to 1/5"),
    (4, "up to 1/4"),
    (3, "up to 1/3"),
    (2, "up to 1/2"),
    (1, "above 1/2"),
];

/// What is guessed, and by whom.
pub(in crate::page) const GUESSED: &str = "An adversary who finds a person's class guesses the value that is most frequent there. Each row counts \
     with the sensitive attribute for which that guess is most likely right.";

/// What several sensitive attributes together give away, or nothing where there is one.
pub(super) fn disclosure(receipt: &Receipt) -> Markup {
    let Some(found) = &receipt.disclosure else { return Markup::default() };
    let not_released = receipt.rows_in.saturating_sub(receipt.rows_out);
    let body = html! {
        (paragraph(GUESSED))
        div class="pair" {
            (histogram(&found.disclosure, not_released))
            div { (attributes(receipt)) (ruled_out(found)) }
        }
    };
    section("disclosure", "How likely a sensitive value is guessed", &body)
}

/// The rows in each bar that has some, with its label.
pub(in crate::page) fn bins(disclosure: &[DisclosureCount]) -> Vec<(&'static str, u64)> {
    let bin_of = |one: &DisclosureCount| {
        let fits = |one_in: u64| one.probability.num * one_in <= one.probability.den;
        BINS.iter().position(|&(one_in, _)| fits(one_in)).unwrap_or(BINS.len() - 1)
    };
    let mut rows = [0; BINS.len()];
    for one in disclosure {
        rows[bin_of(one)] += one.rows;
    }
    let labels = BINS.iter().map(|&(_, label)| label);
    labels.zip(rows).filter(|&(_, rows)| rows > 0).collect()
}

/// Rows by the largest probability that a sensitive value of theirs is guessed.
fn histogram(disclosure: &[DisclosureCount], not_released: u64) -> Markup {
    const LINE: f64 = 34.0;
    const LEFT: f64 = 96.0;
    const LONGEST: f64 = 210.0;
    let mut bars = bins(disclosure);
    bars.extend((not_released > 0).then_some(("suppressed", not_released)));
    let total: u64 = bars.iter().map(|(_, rows)| rows).sum();
    let shares: Vec<f64> = bars.iter().map(|&(_, rows)| part(rows, total)).collect();
    let mut svg = Svg::new(480.0, "chart");
    svg.text((0.0, 16.0), "soft", "probability, then rows and their share of the original");
    let (mut said, mut y) = (Vec::new(), 28.0);
    for ((label, rows), share) in bars.into_iter().zip(percents(&shares)) {
        let hint = format!("{label}: {}", count(rows, "row", "rows"));
        let shown = (LONGEST * part(rows, total)).max(2.0);
        let class = match label {
            "above 1/2" => "alone",
            "up to 1/2" => "few",
            "suppressed" => "track",
            _ => "bar",
        };
        svg.text((LEFT - 10.0, y + 18.0), "end", label);
        svg.rect((LEFT, y + 2.0), (shown, LINE - 10.0), class, &hint);
        svg.text((LEFT + shown + 8.0, y + 18.0), "", &format!("{} · {share}", grouped(rows)));
        said.push(hint);
        y += LINE;
    }
    svg.line((LEFT, 26.0), (LEFT, y), "axis");
    let title = "Rows by the probability that a sensitive value is guessed";
    let drawing = svg.finish(y + 6.0, "guessed", title, &said.join("; "));
    figure(title, &drawing, &Markup::default())
}

fn attributes(receipt: &Receipt) -> Markup {
    let head = ["Sensitive attribute", "#l", "#most likely", "#on average", "#without the classes"];
    let mut table = Table::new("Each sensitive attribute", "guessing", &head);
    for one in &receipt.guessing {
        table.row(&[
            &name(&one.attribute),
            &grouped(one.l),
            &percent(one.max_disclosure),
            &percent(one.mean),
            &percent(one.baseline),
        ]);
    }
    table.finish()
}

fn ruled_out(found: &DisclosureAnswer) -> Markup {
    let head = ["Values that can be ruled out", "#most likely", "Known"];
    let mut table = Table::new("After ruling values out", "ruled-out", &head);
    for posterior in &found.m_diversity.posterior {
        table.row(&[&posterior.bits, &posterior.words(), &posterior.evidence]);
    }
    let levels = format!(
        "The release is l-pdiverse and l-mdiverse with l = {}.",
        grouped(found.m_diversity.l)
    );
    html! { (table.finish()) (paragraph(levels)) }
}

//! What a release cost: how far from the least possible, by column, and by every metric.

use kohort_models::{Better, METRICS, Metric};
use maud::{Markup, html};

use super::super::markup::{Table, figure, note, paragraph, section, shortened, text};
use super::super::svg::{Bar, Svg};
use crate::release::Receipt;
use crate::wording::visible;
use crate::wording::{decimal, grouped, percent, percents};

/// The cost of a release.
pub(in crate::page) fn cost(receipt: &Receipt) -> Markup {
    let title = "What it cost";
    if receipt.is_perturbed() {
        let told = "Values were drawn at random or swapped. The metrics measure how coarse a \
                    cell is, so none of them has a meaning here.";
        return section("cost", title, &paragraph(told));
    }
    let words = if receipt.is_anatomized() {
        "The quasi-identifiers are as they were. What readers lose is which sensitive value \
         belongs to which row, within each group: the figures of cells are 0 for that reason, and DM, \
         C_AVG and the sizes count groups."
    } else {
        "Cells were generalized, or rows suppressed, until the promises held. This is what readers of \
         the release lose."
    };
    let body = html! {
        (paragraph(words))
        div class="pair" { (by_column(receipt)) (least(receipt)) }
        (metrics(receipt))
    };
    section("cost", title, &body)
}

/// How far a loss can be from the least possible, at most.
pub(super) fn distance(loss: f64, bound: f64) -> String {
    if loss <= bound * (1.0 + 1e-9) {
        return "No release that keeps these promises loses less: this one is optimal".into();
    }
    if bound <= 0.0 {
        return "How little a release with these promises must lose is not known".into();
    }
    format!(
        "It loses at most {} times what any release with these promises must lose",
        // Rounded up: it must not sound better than it is.
        decimal((loss / bound * 100.0).ceil() / 100.0)
    )
}

/// The loss of each quasi-identifier.
fn by_column(receipt: &Receipt) -> Markup {
    let loss = |(id, value): (&String, &f64)| Some((id.strip_prefix("ncp.")?.to_owned(), *value));
    let mut columns: Vec<(String, f64)> = receipt.metrics.iter().filter_map(loss).collect();
    columns.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut svg = Svg::new(Bar::WIDTH, "chart");
    let mut said = Vec::new();
    let mut y = 0.0;
    let shares = percents(&columns.iter().map(|column| column.1).collect::<Vec<_>>());
    for ((column, loss), text) in columns.iter().zip(&shares) {
        let column = visible(column);
        let hint = format!("{column}: {text} lost");
        let bar = Bar { label: &shortened(&column, 40), text, hint: &hint };
        bar.draw(&mut svg, y, *loss, "bar");
        said.push(hint);
        y += Bar::LINE;
    }
    let drawing = svg.finish(y, "by-column", "Loss by column", &said.join("; "));
    let below = note(
        "How much of the column a published cell leaves open, on average (NCP): 0 % is the value itself, \
         100 % says nothing.",
    );
    figure("Loss by column, largest first", &drawing, &below)
}

/// The loss beside the least that is possible.
fn least(receipt: &Receipt) -> Markup {
    let Some(loss) = receipt.loss_per_cell else { return Markup::default() };
    let mut bars = vec![("this release", loss, "bar")];
    bars.extend(
        receipt.bound_per_cell.map(|bound| ("no release can lose less than", bound, "bar-soft")),
    );
    let mut svg = Svg::new(Bar::WIDTH, "chart");
    let mut said = Vec::new();
    let mut y = 0.0;
    for (label, value, class) in bars {
        let text = percent(value);
        let hint = format!("{label}: {text}");
        Bar { label, text: &text, hint: &hint }.draw(&mut svg, y, value, class);
        said.push(hint);
        y += Bar::LINE;
    }
    let drawing = svg.finish(y, "least", "Loss and the least possible", &said.join("; "));
    let told = match receipt.bound_per_cell {
        Some(bound) => format!("{}.", distance(loss, bound)),
        None => format!(
            "{} gives no bound: how far this is from the least possible is not known.",
            receipt.algorithm
        ),
    };
    let title = format!("Loss by {}, and the least possible", receipt.metric);
    figure(&title, &drawing, &note(text(&told)))
}

/// Every metric with its sentence.
fn metrics(receipt: &Receipt) -> Markup {
    let head = ["Metric", "#Value", "What it means"];
    let mut table = Table::new("Every metric of the release", "metrics", &head);
    for metric in METRICS {
        let id = metric.id.replace('-', "_");
        let title = html! {
            (metric.title) " " span class="aside" { (metric.id) }
            @if metric.id == receipt.metric { " " span class="aside" { "kept small" } }
        };
        let (value, told) = match (receipt.metrics.get(&id), receipt.undefined.get(&id)) {
            (Some(&value), _) => (shown(metric, value), told(metric)),
            (None, Some(reason)) => ("–".into(), (*reason).to_owned()),
            (None, None) => continue,
        };
        table.row(&[&title, &html! { strong { (value) } }, &text(&told)]);
    }
    html! { h3 { "In numbers that can be compared" } (table.finish()) }
}

fn shown(metric: &Metric, value: f64) -> String {
    match metric.id {
        "ncp" | "lm" | "prec" | "suppressed" => percent(value),
        "dm" | "byun-il" | "whd" | "whd-beta" => whole(value),
        _ => decimal((value * 1000.0).round() / 1000.0),
    }
}

/// A sum, in whole numbers.
fn whole(value: f64) -> String {
    format!("{value:.0}").parse().map_or_else(|_| format!("{value:.0}"), grouped)
}

fn told(metric: &Metric) -> String {
    let better = match metric.better {
        Better::Lower => "; less is better",
        Better::Higher => "; more is better",
        Better::Neither => "",
    };
    format!("{}{better}", metric.reads_as)
}

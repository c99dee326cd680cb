//! How many rows are in small classes.

use maud::Markup;

use super::figures::part;
use super::markup::{figure, note};
use super::svg::Svg;
use crate::wording::{count, grouped, percents};

/// The smallest and largest class size of each bar.
const BINS: [(u64, u64); 8] =
    [(1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, u64::MAX)];

/// A bar: the class sizes it stands for, and what is in them.
struct Bin {
    low: u64,
    high: u64,
    rows: u64,
    classes: u64,
}

/// The bins with rows in them.
fn bins(sizes: &[(u64, u64)]) -> Vec<Bin> {
    let bin = |(low, high): (u64, u64)| {
        let inside = sizes.iter().filter(|(size, _)| (low..=high).contains(size));
        let (rows, classes) = inside.fold((0, 0), |(rows, classes), &(size, number)| {
            (rows + size * number, classes + number)
        });
        Bin { low, high, rows, classes }
    };
    BINS.into_iter().map(bin).filter(|bin| bin.rows > 0).collect()
}

/// What one of those in the classes is called, several, and several at the beginning of a sentence.
pub(super) type Unit = (&'static str, &'static str, &'static str);

/// Rows of a table.
pub(super) const ROWS: Unit = ("row", "rows", "Rows");

/// Rows by the size of their class.
pub(super) fn histogram(sizes: &[(u64, u64)], (one, many, title): Unit) -> Markup {
    const LINE: f64 = 34.0;
    const LEFT: f64 = 66.0;
    const LONGEST: f64 = 230.0;
    let total: u64 = sizes.iter().map(|(size, classes)| size * classes).sum();
    let n_classes: u64 = sizes.iter().map(|(_, classes)| classes).sum();
    let mut svg = Svg::new(480.0, "chart");
    svg.text((0.0, 16.0), "soft", &format!("class size, then {many} and their share of all"));
    let mut said = Vec::new();
    let mut y = 28.0;
    let bins = bins(sizes);
    let shares: Vec<f64> = bins.iter().map(|bin| part(bin.rows, total)).collect();
    for (Bin { low, high, rows, classes }, share) in bins.into_iter().zip(percents(&shares)) {
        let label = match (low, high) {
            (low, high) if low == high => low.to_string(),
            (low, u64::MAX) => format!("{low}+"),
            (low, high) => format!("{low}–{high}"),
        };
        let text = format!("{} · {}", grouped(rows), share);
        let classes = count(classes, "class", "classes");
        let hint = format!("class size {label}: {} in {classes}", count(rows, one, many));
        let length = LONGEST * part(rows, total);
        let shown = length.max(2.0);
        let class = match low {
            1 => "alone",
            2..5 => "few",
            _ => "bar",
        };
        svg.text((LEFT - 10.0, y + 18.0), "end", &label);
        svg.rect((LEFT, y + 2.0), (shown, LINE - 10.0), class, &hint);
        svg.text((LEFT + shown + 8.0, y + 18.0), "", &text);
        said.push(hint);
        y += LINE;
    }
    svg.line((LEFT, 26.0), (LEFT, y), "axis");
    let drawing = svg.finish(y + 6.0, "sizes", &format!("{title} by class size"), &said.join("; "));
    let others = if said.len() < BINS.len() {
        format!(" No {many} in the other sizes.")
    } else {
        String::new()
    };
    let below = note(format!(
        "{} in all; the largest has {}.{others}",
        count(n_classes, "class", "classes"),
        count(sizes.last().map_or(0, |(size, _)| *size), one, many)
    ));
    figure(&format!("{title} by the size of their class"), &drawing, &below)
}

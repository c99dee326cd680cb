//! How likely sensitive values are guessed, the algorithms side by side.
//!
//! # References
//! Abdalaal 2012, figures 24 and 25.

use maud::{Markup, html};

use super::curves::{broken, colors, legend};
use crate::compare::{Cell, Comparison, Level, Release};
use crate::page::figures::part;
use crate::page::markup::{figure, paragraph, section};
use crate::page::release::{BINS, GUESSED, bins};
use crate::page::svg::Svg;
use crate::wording::{count, percent};

/// What is drawn of a release: its color, its name and its rows by bar.
type Bars = (String, String, Vec<(&'static str, u64)>);

/// The rows of the releases at one level by the largest probability that a sensitive value is guessed.
pub(super) fn disclosure(comparison: &Comparison) -> Markup {
    let Some(level) = chosen(comparison) else { return Markup::default() };
    let mut releases: Vec<Bars> = Vec::new();
    for (algorithm, color) in colors(comparison) {
        let is_of = |cell: &&Cell| cell.algorithm == algorithm && cell.level == level;
        if let Some(found) = comparison.cells.iter().filter(is_of).find_map(known) {
            let mut rows = bins(&found.disclosure);
            rows.extend((found.suppressed > 0).then_some(("suppressed", found.suppressed)));
            releases.push((color, format!("{algorithm}{}", broken(!found.verified)), rows));
        }
    }
    let at = level.words();
    let at = at.trim_start_matches(", ");
    let at = if at.is_empty() { String::new() } else { format!(" ({at})") };
    let title = format!("Rows by the probability that a sensitive value is guessed{at}");
    let entries = releases.iter().map(|(color, name, _)| (name.as_str(), color.as_str()));
    let drawing = histogram(comparison.rows, &releases, &title);
    let body = html! {
        (paragraph(GUESSED))
        div class="map" { (figure(&title, &drawing, &legend(entries))) }
    };
    section("disclosure", "How likely a sensitive value is guessed", &body)
}

/// The release of a cell, where it is known how likely values are guessed.
fn known(cell: &Cell) -> Option<&Release> {
    cell.release.as_ref().filter(|release| !release.disclosure.is_empty())
}

/// The level with most algorithms that have a release; of those the last: the largest l.
fn chosen(comparison: &Comparison) -> Option<Level> {
    let seed = *comparison.seeds.first()?;
    let cells = || comparison.cells.iter().filter(|cell| cell.seed == seed);
    let n_known =
        |level: Level| cells().filter(|cell| cell.level == level && known(cell).is_some()).count();
    cells().filter(|cell| known(cell).is_some()).map(|cell| cell.level).max_by_key(|&l| n_known(l))
}

/// A group of bars for each range of probabilities, one bar for each release.
fn histogram(n_rows: u64, releases: &[Bars], title: &str) -> Markup {
    const BAR: f64 = 16.0;
    const LEFT: f64 = 96.0;
    const LONGEST: f64 = 280.0;
    let mut svg = Svg::new(480.0, "chart");
    svg.text((0.0, 16.0), "soft", "probability, then the share of the original rows");
    let (mut said, mut y) = (Vec::new(), 30.0);
    for label in BINS.map(|(_, label)| label).into_iter().chain(["suppressed"]) {
        let rows_of = |bars: &Bars| {
            bars.2.iter().find(|(other, _)| *other == label).map_or(0, |(_, rows)| *rows)
        };
        if releases.iter().all(|bars| rows_of(bars) == 0) {
            continue;
        }
        let lines = u32::try_from(releases.len()).unwrap_or(1);
        let height = BAR * f64::from(lines);
        svg.text((LEFT - 10.0, y + height / 2.0 + 5.0), "end", label);
        for (line, bars) in (0_u32..).zip(releases) {
            let (rows, y) = (rows_of(bars), y + BAR * f64::from(line));
            if rows == 0 {
                continue;
            }
            let share = part(rows, n_rows);
            let shown = (LONGEST * share).max(2.0);
            let hint = format!("{}, {label}: {}", bars.1, count(rows, "row", "rows"));
            svg.rect((LEFT, y), (shown, BAR - 3.0), &format!("own {}", bars.0), &hint);
            svg.text((LEFT + shown + 6.0, y + 11.0), "small", &percent(share));
            said.push(hint);
        }
        y += height + 12.0;
    }
    svg.line((LEFT, 26.0), (LEFT, y - 8.0), "axis");
    svg.finish(y, "guessed", title, &said.join("; "))
}

//! Loss, query error and time against each level that varies: k, l and the number of sensitive attributes.
//!
//! # References
//! Abdalaal 2012, figures 14 to 23.

use maud::{Markup, html};

use super::plot::{Axis, Plot};
use crate::compare::{Comparison, Dimension, Interval, Level, Point};
use crate::page::markup::{figure, note, paragraph, section, text};
use crate::wording::decimal;

/// More lines than this for one algorithm, and only those of the least and the most are drawn.
const MOST_LINES: usize = 4;

/// The axis of a dimension. The values of k often grow by factors; those of l and of attributes do not.
pub(super) fn axis(along: Dimension, comparison: &Comparison, is_logarithmic: bool) -> Axis {
    Axis::at(along.names().1, &along.values(&comparison.points), is_logarithmic)
}

/// Each algorithm with its color.
pub(super) fn colors(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let mut found: Vec<(&'static str, String)> = Vec::new();
    for point in &comparison.points {
        if !found.iter().any(|(algorithm, _)| *algorithm == point.algorithm) {
            found.push((point.algorithm, format!("s{}", found.len() % 8)));
        }
    }
    found
}

/// An algorithm at the levels besides one: what it is called, how it is drawn, and its points with a release.
pub(super) struct Series<'a> {
    pub(super) label: String,
    pub(super) class: String,
    pub(super) points: Vec<&'a Point>,
}

/// The lines along a dimension: one color for each algorithm, one dash for each of the other levels.
pub(super) fn series(comparison: &Comparison, along: Dimension) -> Vec<Series<'_>> {
    let released = || comparison.points.iter().filter(|point| point.releases > 0);
    let others = others(comparison, along);
    let mut all = Vec::new();
    for (algorithm, color) in colors(comparison) {
        for (dash, other) in others.iter().enumerate() {
            let is_of = |p: &&Point| p.algorithm == algorithm && along.without(p.level) == *other;
            let mut points: Vec<&Point> = released().filter(is_of).collect();
            points.sort_by(|a, b| {
                along
                    .of(&a.level)
                    .partial_cmp(&along.of(&b.level))
                    .unwrap_or(std::cmp::Ordering::Equal)
            });
            if !points.is_empty() {
                let is_broken = points.iter().any(|point| point.breaks.is_some());
                let label = format!("{algorithm}{}{}", other.words(), broken(is_broken));
                let class = format!("{color} d{}", dash % MOST_LINES);
                all.push(Series { label, class, points });
            }
        }
    }
    all
}

/// The mark of what does not keep its promises.
pub(super) fn broken(is_broken: bool) -> &'static str {
    if is_broken { " †" } else { "" }
}

/// The other levels: all of them where they are few, else the least and the most of each.
fn others(comparison: &Comparison, along: Dimension) -> Vec<Level> {
    let mut others: Vec<Level> = Vec::new();
    for point in &comparison.points {
        let other = along.without(point.level);
        if !others.contains(&other) {
            others.push(other);
        }
    }
    if others.len() > MOST_LINES {
        for dimension in Dimension::ALL.into_iter().filter(|other| *other != along) {
            let values = dimension.values(&comparison.points);
            let ends = [values.first().copied(), values.last().copied()];
            others.retain(|level| ends.contains(&dimension.of(level)));
        }
    }
    others
}

/// Which color and dash is whose.
pub(super) fn legend<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> Markup {
    html! {
        ul class="legend" {
            @for (label, class) in entries {
                li {
                    svg class="swatch" viewBox="0 0 28 10" aria-hidden="true" {
                        line x1="0" y1="5" x2="28" y2="5" class={ "line " (class) } {}
                    }
                    (text(label))
                }
            }
        }
    }
}

/// The plots of every level that varies; of the first one there is, where none does.
pub(super) fn curves(comparison: &Comparison) -> Markup {
    if comparison.points.iter().all(|point| point.releases == 0) {
        return Markup::default();
    }
    let n_values = |along: &Dimension| along.values(&comparison.points).len();
    let mut varied: Vec<Dimension> =
        Dimension::ALL.into_iter().filter(|along| n_values(along) > 1).collect();
    if varied.is_empty() {
        varied.extend(Dimension::ALL.into_iter().find(|along| n_values(along) > 0));
    }
    let n_seeds = comparison.seeds.len();
    let body = html! {
        @if n_seeds != 1 {
            (paragraph(format!(
                "Lines go through the means over {n_seeds} seeds; vertical bars show their range."
            )))
        }
        @for along in varied { (of_dimension(comparison, along)) }
    };
    section("curves", "What it costs, and how long it takes", &body)
}

/// Loss, discernibility, query error and time against one dimension.
fn of_dimension(comparison: &Comparison, along: Dimension) -> Markup {
    let all = series(comparison, along);
    let (name, loss) = (along.names().1, comparison.loss_name());
    let figures: [(&str, String, &str, Get); 4] = [
        ("loss", format!("Loss ({loss})"), loss, |p| p.loss),
        ("dm", "Discernibility".into(), "DM", |p| p.dm),
        ("avre", "Query error".into(), "AvRE", |p| p.avre),
        ("time", "Seconds".into(), "seconds", |p| p.seconds),
    ];
    // The loss asked for may be the discernibility itself.
    let figures = figures.iter().filter(|(id, ..)| *id != "dm" || comparison.metric != "dm");
    let entries = all.iter().map(|series| (series.label.as_str(), series.class.as_str()));
    html! {
        div class="pair" {
            @for (id, title, what, get) in figures {
                (plot(comparison, (along, &all), *get, (id, &format!("{title} by {name}"), what)))
            }
        }
        (legend(entries))
        @if is_thinned(comparison, along) {
            (note("Of the other levels the least and the most are drawn; the table has all."))
        }
    }
}

/// Whether some of the other levels are not drawn.
fn is_thinned(comparison: &Comparison, along: Dimension) -> bool {
    let drawn = others(comparison, along);
    comparison.points.iter().any(|point| !drawn.contains(&along.without(point.level)))
}

/// A figure of a point.
type Get = fn(&Point) -> Option<Interval>;

/// A figure of every algorithm along a dimension. `words` has the id, the title and what the figure is.
fn plot(
    comparison: &Comparison,
    (along, all): (Dimension, &[Series<'_>]),
    get: Get,
    (id, title, what): (&str, &str, &str),
) -> Markup {
    let found = || all.iter().flat_map(|series| &series.points).filter_map(|point| get(point));
    if found().next().is_none() {
        let words = note("means nothing for these releases");
        return figure(title, &Markup::default(), &words);
    }
    let y = if id == "time" || id == "dm" {
        Axis::spanning(what, &found().flat_map(|f| [f.low, f.high]).collect::<Vec<_>>())
    } else {
        Axis::linear(what, found().map(|figure| figure.high), true)
    };
    let mut plot = Plot::new(axis(along, comparison, along == Dimension::K), y);
    let mut said = Vec::new();
    for Series { label, class, points } in all {
        let place = |point: &&Point| Some((along.of(&point.level)?, get(point)?));
        let places: Vec<(f64, Interval)> = points.iter().filter_map(place).collect();
        let line: Vec<(f64, f64)> = places.iter().map(|(x, figure)| (*x, figure.mean)).collect();
        plot.line(&line, &format!("line {class}"));
        for (x, figure) in places {
            plot.span(x, (figure.low, figure.high), &format!("line {class}"));
            let hint =
                format!("{label}, {} = {}: {}", along.names().1, decimal(x), decimal(figure.mean));
            plot.dot((x, figure.mean), 4.0, &format!("dot {class}"), &hint);
            said.push(hint);
        }
    }
    let id = format!("{id}-{}", along.names().0);
    figure(title, &plot.finish(&id, title, &said.join("; ")), &Markup::default())
}

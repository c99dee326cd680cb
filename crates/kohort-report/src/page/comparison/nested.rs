//! The report of a comparison of nested releases: what is kept and lost against each level that varies, every
//! figure, and what fails.

use maud::{Markup, Render, html};

use super::curves::{broken, legend};
use super::figures::spanned;
use super::plot::{Axis, Plot};
use super::{Page, STYLE};
use crate::compare::Interval;
use crate::nested::{NestedComparison, NestedPoint};
use crate::page::figures::real;
use crate::page::markup::{Table, figure, joined, list, note, paragraph, section, text};
use crate::wording::{count, decimal, percent};

/// What no comparison says.
const NOT_PROMISED: [&str; 3] = [
    "Every release was judged in memory; none was written. The one you choose is judged again by \
     the bytes that are written.",
    "Choosing a release by its figures is a choice made after looking at the data: what was \
     promised holds for the release, but the choice itself discloses a little.",
    "Times are of one run on one machine, and compare algorithms with each other only.",
];

/// The figures that are drawn and told: id, title, and how many digits they have.
const FIGURES: [(&str, &str, usize); 8] = [
    ("lm", "LM", 4),
    ("suppression_accuracy", "Suppression accuracy, %", 1),
    ("query_accuracy", "Query accuracy, %", 1),
    ("kl", "KL of sensitive values", 4),
    ("vertices_kept", "Vertices kept", 4),
    ("records_kept", "Records kept", 4),
    ("linked", "People linked", 4),
    ("seconds", "Seconds", 2),
];

/// The comparison as one HTML page.
pub fn nested_html(comparison: &NestedComparison) -> String {
    Page {
        title: format!("Comparison on {}", comparison.table),
        style: STYLE,
        header: header(comparison),
        parts: &[
            ("curves", "Loss and time", curves(comparison)),
            ("figures", "Figures", figures(comparison)),
            ("fails", "What fails", fails(comparison)),
            ("not-promised", "Not promised", not_promised(comparison)),
        ],
        parameters: Some(parameters(comparison)),
        shows: "This page shows figures; no value of the records is in it, and it loads nothing.",
    }
    .finish()
}

fn not_promised(comparison: &NestedComparison) -> Markup {
    let families = match comparison.n_families() {
        1 => "one family".to_owned(),
        n => format!("{n} families"),
    };
    let queries = format!(
        "Query accuracy is measured for {families} of counting queries. Another task can rank the algorithms \
         another way."
    );
    let all = list(NOT_PROMISED.into_iter().chain([&*queries]));
    section("not-promised", "What is not promised", &all)
}

fn header(comparison: &NestedComparison) -> Markup {
    let lm = |point: &&NestedPoint| point.figures.get("lm").map(|figure| figure.mean);
    let kept = |point: &&NestedPoint| point.releases > 0 && point.verified;
    let released = comparison.points.iter().filter(kept);
    let least =
        released.min_by(|a, b| lm(a).partial_cmp(&lm(b)).unwrap_or(std::cmp::Ordering::Equal));
    let verdict = least.map_or("No release here keeps its promises".to_owned(), |point| {
        let lost = lm(&point).map_or(String::new(), |lost| format!(" (LM {lost:.3})"));
        format!("{}{} loses least{lost}", point.algorithm, point.words())
    });
    let tried = comparison.cells.len() as u64;
    let made = comparison.cells.iter().filter(|cell| cell.release.is_some()).count() as u64;
    html! {
        header {
            p class="kicker" { "Comparison on " bdi { (text(&comparison.table)) } }
            h1 { (text(&verdict)) }
            ul class="findings" {
                li {
                    (count(tried, "release", "releases")) " tried on "
                    (count(comparison.records, "record", "records")) " with "
                    (count(comparison.vertices, "vertex", "vertices")) ": "
                    (count(made, "one was", "were")) " made and judged"
                }
                @if comparison.rules > 0 {
                    li {
                        "every release is to keep " (count(comparison.rules, "rule", "rules"))
                        " about occurrences"
                    }
                }
            }
        }
    }
}

/// What a plot goes along: l where it varies, else k where it does, else whichever there is.
fn along(comparison: &NestedComparison) -> (&'static str, fn(&NestedPoint) -> Option<u64>) {
    let l: fn(&NestedPoint) -> Option<u64> = |point| point.l;
    let k: fn(&NestedPoint) -> Option<u64> = |point| point.k;
    let n = |get: fn(&NestedPoint) -> Option<u64>| values(comparison, get).len();
    if n(l) > 1 || n(k) < 2 && n(l) > 0 { ("l", l) } else { ("k", k) }
}

fn values(comparison: &NestedComparison, get: fn(&NestedPoint) -> Option<u64>) -> Vec<f64> {
    let mut found: Vec<u64> = comparison.points.iter().filter_map(get).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(real).collect()
}

/// A line of a plot: what it is called, how it is drawn, and where it goes.
struct Line<'a> {
    label: String,
    class: String,
    points: Vec<(f64, &'a NestedPoint)>,
}

/// One line for each algorithm and each of the other levels.
fn lines(comparison: &NestedComparison) -> Vec<Line<'_>> {
    let (name, get) = along(comparison);
    let other = |point: &NestedPoint| if name == "l" { point.k } else { point.l };
    let mut algorithms: Vec<&str> = Vec::new();
    let mut lines: Vec<Line<'_>> = Vec::new();
    for point in comparison.points.iter().filter(|point| point.releases > 0) {
        let Some(x) = get(point) else { continue };
        if !algorithms.contains(&point.algorithm) {
            algorithms.push(point.algorithm);
        }
        let color = algorithms.iter().position(|one| *one == point.algorithm).unwrap_or(0) % 8;
        let is_it = |line: &&mut Line<'_>| {
            let (_, first) = line.points[0];
            (first.algorithm, other(first)) == (point.algorithm, other(point))
        };
        if let Some(line) = lines.iter_mut().find(is_it) {
            line.points.push((real(x), point));
            continue;
        }
        let is_same = |line: &&Line<'_>| line.points[0].1.algorithm == point.algorithm;
        let dash = lines.iter().filter(is_same).count() % 4;
        let level = other(point).map_or(String::new(), |level| {
            format!(", {} = {level}", if name == "l" { "k" } else { "l" })
        });
        let label = format!("{}{level}{}", point.algorithm, broken(!point.verified));
        lines.push(Line {
            label,
            class: format!("s{color} d{dash}"),
            points: vec![(real(x), point)],
        });
    }
    lines
}

fn curves(comparison: &NestedComparison) -> Markup {
    let all = lines(comparison);
    if all.is_empty() {
        return Markup::default();
    }
    let n_seeds = comparison.seeds.len();
    let entries = all.iter().map(|line| (line.label.as_str(), line.class.as_str()));
    let body = html! {
        @if n_seeds > 1 {
            (paragraph(format!(
                "Lines go through the means over {n_seeds} orders of the people; upright strokes span what \
                 these gave."
            )))
        }
        div class="pair" { @for figure in &FIGURES { (plot(comparison, &all, figure)) } }
        (legend(entries))
    };
    section("curves", "What it costs, and how long it takes", &body)
}

/// A figure of every algorithm along a level.
fn plot(
    comparison: &NestedComparison,
    all: &[Line<'_>],
    &(id, title, digits): &(&str, &str, usize),
) -> Markup {
    let of = |point: &NestedPoint| point.figures.get(id).copied();
    let found: Vec<Interval> =
        all.iter().flat_map(|line| &line.points).filter_map(|(_, point)| of(point)).collect();
    if found.is_empty() {
        return Markup::default();
    }
    let (name, get) = along(comparison);
    let y = if id == "seconds" {
        Axis::spanning(id, &found.iter().flat_map(|f| [f.low, f.high]).collect::<Vec<_>>())
    } else {
        Axis::linear(title, found.iter().map(|figure| figure.high), true)
    };
    let mut plot = Plot::new(Axis::at(name, &values(comparison, get), false), y);
    let mut said = Vec::new();
    for Line { label, class, points } in all {
        let places: Vec<(f64, Interval)> =
            points.iter().filter_map(|&(x, point)| Some((x, of(point)?))).collect();
        let line: Vec<(f64, f64)> = places.iter().map(|(x, figure)| (*x, figure.mean)).collect();
        plot.line(&line, &format!("line {class}"));
        for (x, figure) in places {
            plot.span(x, (figure.low, figure.high), &format!("line {class}"));
            let hint = format!("{label}, {name} = {}: {:.digits$}", decimal(x), figure.mean);
            plot.dot((x, figure.mean), 4.0, &format!("dot {class}"), &hint);
            said.push(hint);
        }
    }
    let title = format!("{title} by {name}");
    let drawing = plot.finish(&format!("{id}-{name}"), &title, &said.join("; "));
    figure(&title, &drawing, &Markup::default())
}

/// The table of all figures.
fn figures(comparison: &NestedComparison) -> Markup {
    let shown: Vec<&NestedPoint> = comparison.points.iter().filter(|p| p.releases > 0).collect();
    if shown.is_empty() {
        return Markup::default();
    }
    let titles: Vec<String> = FIGURES.iter().map(|(_, title, _)| format!("#{title}")).collect();
    let head: Vec<&str> =
        ["Algorithm", "#k", "#l"].into_iter().chain(titles.iter().map(String::as_str)).collect();
    let mut table = Table::new("Every algorithm and level", "grid", &head);
    for point in shown {
        let level = |level: Option<u64>| level.map_or_else(|| "–".render(), |level| level.render());
        let name = html! { (point.algorithm) (broken(!point.verified)) };
        let told = FIGURES.iter().map(|&(id, _, n)| spanned(point.figures.get(id).copied(), n));
        let level = [name, level(point.k), level(point.l)];
        table.row_of(&level.into_iter().chain(told).collect::<Vec<_>>());
    }
    let linked = percent(comparison.raw_linked);
    let body = html! {
        (table.finish())
        (note(format!(
            "† does not keep what was asked for. Suppression accuracy: vertices kept, mean over records. \
             People linked: whose values an adversary learns from their whole trees; {linked} in the raw \
             records. A second line spans what the orders of the people gave."
        )))
    };
    section("figures", "Figures", &body)
}

/// What fails, and why there is no release.
fn fails(comparison: &NestedComparison) -> Markup {
    let told: Vec<String> = (comparison.points.iter())
        .flat_map(|point| {
            let name = format!("{}{}", point.algorithm, point.words());
            point.fails.iter().map(move |text| format!("{name}: {text}"))
        })
        .collect();
    if told.is_empty() {
        return Markup::default();
    }
    section("fails", "What fails", &list(told))
}

/// What was compared.
fn parameters(comparison: &NestedComparison) -> Markup {
    let seeds: Vec<String> = comparison.seeds.iter().map(u64::to_string).collect();
    let orders = if seeds.is_empty() {
        "people in the order of the input".to_owned()
    } else {
        format!("orders of the people drawn by {}", seeds.join(", "))
    };
    let records = count(comparison.records, "record", "records");
    joined([text(&comparison.table).render(), records.render(), orders.render()], "; ")
}

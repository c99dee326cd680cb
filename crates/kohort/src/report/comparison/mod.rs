//! The report of a comparison: one HTML page that opens without a network.
//!
//! Loss and time by k, utility by risk with what nothing beats, and where utility and privacy balance. The
//! figures of every plot stand in the page's tables and, release by release, in the sheet.

mod balance;
mod figures;
mod plot;

use std::fmt::Write;

use self::plot::{Axis, Plot};
use super::figures::{count, decimal, real};
use super::markup::{escape, figure, name, notice, paragraph, section};
use crate::compare::{Comparison, Interval, Point, RISKS, UTILITIES, same};
use crate::diagnose::given_share;

const STYLE: &str = include_str!("style.css");

/// What no comparison says.
const NOT_PROMISED: [&str; 5] = [
    "Every release was judged in memory; none was written. `kohort anonymize` makes the one you choose, and \
     judges the bytes it writes.",
    "Choosing a release by its figures is a choice made after looking at the data: what was promised holds \
     for the release, and the choice itself tells a little.",
    "Risk is what somebody achieves who knows the quasi-identifiers and finds the class. Who knows more, \
     achieves more.",
    "Utility is measured for the tasks named here. Another task can rank the algorithms another way.",
    "Times are of one run on one machine, and compare algorithms with each other only.",
];

/// The comparison as one HTML page.
pub fn html(comparison: &Comparison) -> String {
    let parts = [
        curves(comparison),
        map(comparison),
        balance::balance(comparison),
        figures::figures(comparison),
        figures::predicted(comparison),
        figures::without_release(comparison),
        section("not-promised", "What is not promised", &super::list(NOT_PROMISED)),
    ];
    let titles = [
        ("curves", "Loss and time"),
        ("map", "Utility and risk"),
        ("balance", "Balance"),
        ("figures", "Figures"),
        ("without", "Without a release"),
        ("not-promised", "Not promised"),
    ];
    let links = titles.iter().zip(&parts).filter(|(_, part)| !part.is_empty());
    let links: Vec<String> =
        links.map(|((id, title), _)| format!("<a href=\"#{id}\">{title}</a>\n")).collect();
    let links = links.concat();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>Comparison on {}</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n{}\
         <nav aria-label=\"Contents\">\n{links}</nav>\n<main>\n{}</main>\n{}</body>\n</html>\n",
        escape(&comparison.table),
        super::STYLE,
        headline(comparison),
        parts.concat(),
        footer(comparison)
    )
}

/// What a utility or risk tells.
fn title(known: &[(&'static str, &'static str)], id: &str) -> &'static str {
    known.iter().find(|(other, _)| *other == id).map_or("", |(_, title)| *title)
}

fn headline(comparison: &Comparison) -> String {
    let cap = given_share(comparison.risk_cap);
    let verdict = match &comparison.best {
        Some(best) => format!(
            "{} at k = {:.0}{} keeps most with a risk of at most {cap}",
            escape(best.algorithm),
            best.choice.k,
            best.l.map_or(String::new(), |l| format!(" and l = {}", decimal(l)))
        ),
        None => format!("No release here has a risk of at most {cap}"),
    };
    let mut lead = String::new();
    if let Some(best) = &comparison.best {
        let (utility, risk) = (best.choice.utility, best.choice.risk);
        let _ = writeln!(
            lead,
            "<li>utility {utility:.3}: {}</li>",
            title(&UTILITIES, comparison.utility)
        );
        let _ = writeln!(lead, "<li>risk {risk:.3}: {}</li>", title(&RISKS, comparison.risk));
    }
    let tried = comparison.cells.len() as u64;
    let made = comparison.cells.iter().filter(|cell| cell.release.is_some()).count() as u64;
    let notes: String = comparison.notes.iter().map(|note| notice(&escape(note))).collect();
    format!(
        "<header>\n<p class=\"kicker\">Comparison on <bdi>{}</bdi></p>\n<h1>{verdict}</h1>\n\
         <ul class=\"findings\">\n{lead}<li>{} tried on {}: {} made and judged</li>\n</ul>\n{notes}\
         </header>\n",
        escape(&comparison.table),
        count(tried, "release", "releases"),
        count(comparison.rows, "row", "rows"),
        count(made, "one was", "were"),
    )
}

/// An algorithm at an l: what it is called, how it is drawn, and its points with a release.
struct Series<'a> {
    label: String,
    class: String,
    points: Vec<&'a Point>,
}

/// One color for each algorithm, one dash for each l.
fn series(comparison: &Comparison) -> Vec<Series<'_>> {
    let position = |list: &mut Vec<String>, item: String| {
        list.iter().position(|other| *other == item).unwrap_or_else(|| {
            list.push(item);
            list.len() - 1
        })
    };
    let (mut algorithms, mut ls) = (Vec::new(), Vec::new());
    let of_curve = |curve: &crate::compare::Curve| {
        let l = curve.l.map(decimal);
        let color = position(&mut algorithms, curve.algorithm.to_owned()) % 8;
        let dash = position(&mut ls, l.clone().unwrap_or_default()) % 4;
        let is_of = |p: &&Point| p.algorithm == curve.algorithm && same(p.l, curve.l);
        let points = comparison.points.iter().filter(is_of).filter(|p| p.releases > 0);
        let mut points: Vec<&Point> = points.collect();
        points.sort_by_key(|point| point.k);
        Series {
            label: l.map_or(curve.algorithm.into(), |l| format!("{}, l = {l}", curve.algorithm)),
            class: format!("s{color} d{dash}"),
            points,
        }
    };
    comparison.curves.iter().map(of_curve).filter(|series| !series.points.is_empty()).collect()
}

/// Which color and dash is whose.
fn legend(series: &[Series<'_>]) -> String {
    let mut out = String::from("<ul class=\"legend\">\n");
    for Series { label, class, .. } in series {
        let _ = writeln!(
            out,
            "<li><svg class=\"swatch\" viewBox=\"0 0 28 10\" aria-hidden=\"true\">\
             <line x1=\"0\" y1=\"5\" x2=\"28\" y2=\"5\" class=\"line {class}\"/></svg>{}</li>",
            escape(label)
        );
    }
    out.push_str("</ul>\n");
    out
}

fn ks(comparison: &Comparison) -> Vec<u64> {
    let mut ks: Vec<u64> = comparison.points.iter().map(|point| point.k).collect();
    ks.sort_unstable();
    ks.dedup();
    ks
}

/// Loss and time against k.
fn curves(comparison: &Comparison) -> String {
    let all = series(comparison);
    if all.is_empty() {
        return String::new();
    }
    let metric = escape(&comparison.metric);
    let loss = |point: &Point| point.loss;
    let seconds = |point: &Point| point.seconds;
    let pair = format!(
        "<div class=\"pair\">\n{}{}</div>\n{}",
        by_k(
            comparison,
            &all,
            &loss,
            ("loss", &format!("Loss ({metric}) by k"), &comparison.metric)
        ),
        by_k(comparison, &all, &seconds, ("time", "Seconds by k", "seconds")),
        legend(&all)
    );
    let seeds = match comparison.seeds.len() {
        1 => String::new(),
        n => paragraph(&format!(
            "Lines go through the means over {n} seeds; upright strokes span what the seeds gave."
        )),
    };
    section("curves", "What it costs, and how long it takes", &format!("{seeds}{pair}"))
}

/// A figure of every algorithm against k. `words` has the id, the title and what the figure is.
fn by_k(
    comparison: &Comparison,
    all: &[Series<'_>],
    get: &dyn Fn(&Point) -> Option<Interval>,
    (id, title, what): (&str, &str, &str),
) -> String {
    let found = || all.iter().flat_map(|series| &series.points).filter_map(|point| get(point));
    if found().next().is_none() {
        return figure(title, "", "<p class=\"note\">means nothing for these releases</p>\n");
    }
    let y = if id == "time" {
        Axis::spanning(what, &found().flat_map(|f| [f.low, f.high]).collect::<Vec<_>>())
    } else {
        Axis::linear(what, found().map(|figure| figure.high), true)
    };
    let mut plot = Plot::new(Axis::at("k", &ks(comparison), true), y);
    let mut said = Vec::new();
    for Series { label, class, points } in all {
        let points: Vec<(&&Point, Interval)> =
            points.iter().filter_map(|point| Some((point, get(point)?))).collect();
        let line: Vec<(f64, f64)> = points.iter().map(|(p, f)| (real(p.k), f.mean)).collect();
        plot.line(&line, &format!("line {class}"));
        for (point, figure) in points {
            plot.span(real(point.k), (figure.low, figure.high), &format!("line {class}"));
            let hint = format!("{label}, k = {}: {}", point.k, decimal(figure.mean));
            plot.dot((real(point.k), figure.mean), 4.0, &format!("dot {class}"), &hint);
            said.push(hint);
        }
    }
    figure(title, &plot.finish(id, title, &said.join("; ")), "")
}

/// Utility against risk, with the points that nothing beats.
fn map(comparison: &Comparison) -> String {
    let all = series(comparison);
    let place = |point: &Point| Some((point.risk?.mean, point.utility?.mean));
    let found = || all.iter().flat_map(|series| &series.points).filter_map(|point| place(point));
    if found().next().is_none() {
        return String::new();
    }
    let risks = found().map(|place| place.0).chain([comparison.risk_cap]);
    let x = Axis::linear(&format!("risk ({})", comparison.risk), risks, true);
    let utilities = found().map(|place| place.1);
    let y = Axis::linear(&format!("utility ({})", comparison.utility), utilities, false);
    let mut plot = Plot::new(x, y);
    plot.upright(comparison.risk_cap, "cap");
    let mut front: Vec<&Point> = comparison.points.iter().filter(|point| point.on_front).collect();
    front.sort_by(|a, b| place(a).partial_cmp(&place(b)).unwrap_or(std::cmp::Ordering::Equal));
    let line: Vec<(f64, f64)> = front.iter().filter_map(|point| place(point)).collect();
    plot.line(&line, "front");
    let mut said = Vec::new();
    for Series { label, class, points } in &all {
        for (point, at) in points.iter().filter_map(|point| Some((point, place(point)?))) {
            let hint = format!("{label}, k = {}: risk {:.4}, utility {:.4}", point.k, at.0, at.1);
            let radius = if point.on_front { 6.5 } else { 4.0 };
            plot.dot(at, radius, &format!("dot {class}"), &hint);
            said.push(hint);
        }
    }
    for point in &front {
        if let Some(at) = place(point) {
            plot.label(at, &format!("k = {}", point.k));
        }
    }
    let drawing = plot.finish("ru", "Utility by risk", &said.join("; "));
    let below = format!(
        "{}<p class=\"note\">Large dots on the thin line are the Pareto front: no other release here has more \
         utility and less risk. The dashed line is the risk cap, {}.</p>\n",
        legend(&all),
        given_share(comparison.risk_cap)
    );
    let words = format!(
        "<p>Utility is {}. Risk is {}.</p>\n",
        escape(title(&UTILITIES, comparison.utility)),
        escape(title(&RISKS, comparison.risk))
    );
    let body = format!("{words}{}", figure("Utility by risk, all releases", &drawing, &below));
    section(
        "map",
        "What is kept, and who is at risk",
        &format!("<div class=\"map\">\n{body}</div>\n"),
    )
}

/// The version and the parameters, and no date.
fn footer(comparison: &Comparison) -> String {
    let list = |names: &[String]| names.iter().map(|one| name(one)).collect::<Vec<_>>().join(", ");
    let mut parameters = vec![
        format!("table <bdi>{}</bdi>", escape(&comparison.table)),
        count(comparison.rows, "row", "rows"),
        format!("quasi-identifiers {}", list(&comparison.quasi)),
        format!("loss {}", escape(&comparison.metric)),
        format!("suppression up to {}", given_share(comparison.suppression)),
    ];
    if !comparison.sensitive.is_empty() {
        parameters.push(format!("sensitive {}", list(&comparison.sensitive)));
    }
    parameters.extend(comparison.promised.iter().map(|one| format!("goal {}", escape(one))));
    parameters.extend(comparison.target.iter().map(|one| format!("target {}", name(one))));
    parameters.extend(comparison.folds.map(|folds| format!("{folds} folds")));
    let seeds: Vec<String> = comparison.seeds.iter().map(u64::to_string).collect();
    parameters.push(format!("seeds {}", seeds.join(", ")));
    format!(
        "<footer>\n<p>kohort {}. Parameters: {}.</p>\n<p>This page shows column names and figures; no cell \
         of the table is in it, and it loads nothing.</p>\n</footer>\n",
        env!("CARGO_PKG_VERSION"),
        parameters.join("; ")
    )
}

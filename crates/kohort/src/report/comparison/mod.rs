//! The report of a comparison: one HTML page that opens without a network.
//!
//! Loss, query error and time by each level that varies, utility by risk with what nothing beats, and where utility and privacy balance. The
//! figures of every plot stand in the page's tables and, release by release, in the sheet.

mod balance;
mod curves;
mod disclosure;
mod figures;
mod nested;
mod plot;

use std::fmt::Write;

use self::curves::legend;
pub use self::nested::nested_html;
use self::plot::{Axis, Plot};
use super::markup::{escape, figure, name, notice, section};
use crate::compare::{Comparison, Level, Point, RISKS, UTILITIES};
use crate::wording::count;
use crate::wording::given_share;

const STYLE: &str = include_str!("style.css");

/// What no comparison says.
const NOT_PROMISED: [&str; 5] = [
    "Every release was judged in memory; none was written. The one you choose is judged again by \
     the bytes that are written.",
    "Choosing a release by its figures is a choice made after looking at the data: what was \
     promised holds for the release, but the choice itself discloses a little.",
    "Risk is what an adversary achieves who knows the quasi-identifiers and finds the class. An \
     adversary who knows more achieves more.",
    "Utility is measured for the tasks named here. Another task can rank the algorithms another way.",
    "Times are of one run on one machine, and compare algorithms with each other only.",
];

/// The comparison as one HTML page.
pub fn html(comparison: &Comparison) -> String {
    let parts = [
        curves::curves(comparison),
        disclosure::disclosure(comparison),
        map(comparison),
        balance::balance(comparison),
        figures::figures(comparison),
        figures::predicted(comparison),
        figures::without_release(comparison),
        figures::without_goal(comparison),
        section("not-promised", "What is not promised", &super::list(NOT_PROMISED)),
    ];
    let titles = [
        ("curves", "Loss and time"),
        ("disclosure", "Disclosure"),
        ("map", "Utility and risk"),
        ("balance", "Balance"),
        ("figures", "Figures"),
        ("predicted", "What can be learned"),
        ("without", "Without a release"),
        ("broken", "Without the goal"),
        ("not-promised", "Not promised"),
    ];
    page(&comparison.table, &headline(comparison), &titles, &parts, &footer(comparison))
}

/// A page about the comparison on some data, with its parts and where they are found.
fn page(
    table: &str,
    header: &str,
    titles: &[(&str, &str)],
    parts: &[String],
    footer: &str,
) -> String {
    let links = titles.iter().zip(parts).filter(|(_, part)| !part.is_empty());
    let links: Vec<String> =
        links.map(|((id, title), _)| format!("<a href=\"#{id}\">{title}</a>\n")).collect();
    let links = links.concat();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>Comparison on {}</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n{header}\
         <nav aria-label=\"Contents\">\n{links}</nav>\n<main>\n{}</main>\n{footer}</body>\n</html>\n",
        escape(table),
        super::STYLE,
        parts.concat(),
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
            "{}{} keeps most with a risk of at most {cap}",
            escape(best.algorithm),
            best.choice.level.words().replacen(',', " at", 1)
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
    let notes: String =
        comparison.notes.iter().map(|note| notice(&escape(&note.to_string()))).collect();
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

/// Utility against risk, with the points that nothing beats.
fn map(comparison: &Comparison) -> String {
    let all = curves::colors(comparison);
    let place = |point: &Point| Some((point.risk?.mean, point.utility?.mean));
    let found = || comparison.points.iter().filter_map(place);
    if found().next().is_none() {
        return String::new();
    }
    let risks = found().map(|place| place.0).chain([comparison.risk_cap]);
    let x = Axis::linear(&format!("risk ({})", comparison.risk), risks, true);
    let utilities = found().map(|place| place.1);
    let y = Axis::linear(&format!("utility ({})", comparison.utility), utilities, false);
    let mut plot = Plot::new(x, y);
    plot.upright(comparison.risk_cap, "cap");
    // Those of most attributes: who publishes fewer has it easier.
    let most = comparison.points.iter().map(|point| point.level.attributes).max().flatten();
    let is_front = |point: &&Point| point.on_front && point.level.attributes == most;
    let mut front: Vec<&Point> = comparison.points.iter().filter(is_front).collect();
    front.sort_by(|a, b| place(a).partial_cmp(&place(b)).unwrap_or(std::cmp::Ordering::Equal));
    let line: Vec<(f64, f64)> = front.iter().filter_map(|point| place(point)).collect();
    plot.line(&line, "front");
    let mut said = Vec::new();
    for point in &comparison.points {
        let Some(at) = place(point) else { continue };
        let name = format!("{}{}", point.algorithm, point.level.words());
        let hint = format!("{name}: risk {:.4}, utility {:.4}", at.0, at.1);
        let radius = if is_front(&point) { 6.5 } else { 4.0 };
        let color = all.iter().find(|(algorithm, _)| *algorithm == point.algorithm);
        let color = color.map_or("", |(_, class)| class);
        plot.dot(at, radius, &format!("dot {color}"), &hint);
        said.push(hint);
    }
    for point in &front {
        if let Some(at) = place(point) {
            let level = Level { attributes: None, ..point.level };
            plot.label(at, level.words().trim_start_matches(", "));
        }
    }
    let drawing = plot.finish("ru", "Utility by risk", &said.join("; "));
    let of =
        most.map_or(String::new(), |n| format!(" with {}", count(n, "attribute", "attributes")));
    let below = format!(
        "{}<p class=\"note\">Large dots on the thin line are the Pareto front: no other release here{of} that \
         keeps its promises has more utility and less risk. The dashed line is the risk cap, {}.</p>\n",
        legend(all.iter().map(|(algorithm, class)| (*algorithm, class.as_str()))),
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
        format!("loss {}", escape(comparison.loss_name())),
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

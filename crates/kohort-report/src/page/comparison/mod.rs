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

use maud::{Markup, Render, html as template};

use self::curves::legend;
use self::plot::{Axis, Plot};
use super::Page;
use super::markup::{figure, joined, list, name, named, notice, section, text};
use crate::compare::{Comparison, Level, Point, RISKS, UTILITIES};
use crate::wording::count;
use crate::wording::given_share;

pub use self::nested::nested_html;

/// What a page with plots of several lines has beyond the style of every page.
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
    let not_promised = section("not-promised", "What is not promised", &list(NOT_PROMISED));
    Page {
        title: format!("Comparison on {}", comparison.table),
        style: STYLE,
        header: headline(comparison),
        parts: &[
            ("curves", "Loss and time", curves::curves(comparison)),
            ("disclosure", "Disclosure", disclosure::disclosure(comparison)),
            ("map", "Utility and risk", map(comparison)),
            ("balance", "Balance", balance::balance(comparison)),
            ("figures", "Figures", figures::figures(comparison)),
            ("predicted", "What can be learned", figures::predicted(comparison)),
            ("without", "Without a release", figures::without_release(comparison)),
            ("broken", "Without the goal", figures::without_goal(comparison)),
            ("not-promised", "Not promised", not_promised),
        ],
        parameters: Some(parameters(comparison)),
        shows: "This page shows column names and figures; no cell of the table is in it, and it loads nothing.",
    }
    .finish()
}

/// What a utility or risk tells.
fn title(known: &[(&'static str, &'static str)], id: &str) -> &'static str {
    known.iter().find(|(other, _)| *other == id).map_or("", |(_, title)| *title)
}

fn headline(comparison: &Comparison) -> Markup {
    let cap = given_share(comparison.risk_cap);
    let tried = comparison.cells.len() as u64;
    let made = comparison.cells.iter().filter(|cell| cell.release.is_some()).count() as u64;
    template! {
        header {
            p class="kicker" { "Comparison on " bdi { (text(&comparison.table)) } }
            h1 {
                @if let Some(best) = &comparison.best {
                    (best.algorithm) (best.choice.level.words().replacen(',', " at", 1))
                    " keeps most with a risk of at most " (cap)
                } @else {
                    "No release here has a risk of at most " (cap)
                }
            }
            ul class="findings" {
                @if let Some(best) = &comparison.best {
                    li {
                        "utility " (format!("{:.3}", best.choice.utility)) ": "
                        (title(&UTILITIES, comparison.utility))
                    }
                    li {
                        "risk " (format!("{:.3}", best.choice.risk)) ": "
                        (title(&RISKS, comparison.risk))
                    }
                }
                li {
                    (count(tried, "release", "releases")) " tried on "
                    (count(comparison.rows, "row", "rows")) ": " (count(made, "one was", "were"))
                    " made and judged"
                }
            }
            @for note in &comparison.notes { (notice(&note.to_string())) }
        }
    }
}

/// Utility against risk, with the points that nothing beats.
fn map(comparison: &Comparison) -> Markup {
    let all = curves::colors(comparison);
    let place = |point: &Point| Some((point.risk?.mean, point.utility?.mean));
    let found = || comparison.points.iter().filter_map(place);
    if found().next().is_none() {
        return Markup::default();
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
    let below = template! {
        (legend(all.iter().map(|(algorithm, class)| (*algorithm, class.as_str()))))
        p class="note" {
            "Large dots on the thin line are the Pareto front: no other release here" (of) " that keeps its \
             promises has more utility and less risk. The dashed line is the risk cap, "
            (given_share(comparison.risk_cap)) "."
        }
    };
    let body = template! {
        div class="map" {
            p {
                "Utility is " (title(&UTILITIES, comparison.utility)) ". Risk is "
                (title(&RISKS, comparison.risk)) "."
            }
            (figure("Utility by risk, all releases", &drawing, &below))
        }
    };
    section("map", "What is kept, and who is at risk", &body)
}

/// What was compared.
fn parameters(comparison: &Comparison) -> Markup {
    let mut parameters = vec![
        template! { "table " bdi { (text(&comparison.table)) } },
        count(comparison.rows, "row", "rows").render(),
        template! { "quasi-identifiers " (named(&comparison.quasi, ", ")) },
        template! { "loss " (text(comparison.loss_name())) },
        template! { "suppression up to " (given_share(comparison.suppression)) },
    ];
    if !comparison.sensitive.is_empty() {
        parameters.push(template! { "sensitive " (named(&comparison.sensitive, ", ")) });
    }
    parameters.extend(comparison.promised.iter().map(|one| template! { "goal " (text(one)) }));
    parameters.extend(comparison.target.iter().map(|one| template! { "target " (name(one)) }));
    parameters.extend(comparison.folds.map(|folds| template! { (folds) " folds" }));
    let seeds: Vec<String> = comparison.seeds.iter().map(u64::to_string).collect();
    parameters.push(template! { "seeds " (seeds.join(", ")) });
    joined(parameters, "; ")
}

//! The balance between utility and privacy: where the curves of each algorithm cross, and other choices.

use maud::{Markup, html};

use super::curves::{Series, axis, series};
use super::plot::{Axis, Plot};
use crate::compare::{Choice, Comparison, Curve, Dimension, Interval, Point};
use crate::page::markup::{Table, figure, legend, notice, paragraph, section, text};
use crate::wording::decimal;
use crate::wording::given_share;

/// What a line shows of a point.
type Side<'a> = &'a dyn Fn(&Point) -> Option<Interval>;

/// What the rules are.
const RULES: &str = "Privacy is 1 − risk. The crossing is where Tandon and Jain 2010 puts the balance; maximin is the level \
     whose smaller side is largest; Nash's bargain has the largest product; the knee is where the curve of \
     utility by risk bends most, if it does. A cap on the risk is the one to recommend: privacy is a \
     constraint, and utility is what is left to choose.";

/// The choices in a table, and a plot for each algorithm.
pub(super) fn balance(comparison: &Comparison) -> Markup {
    let known = comparison.curves.iter().find(|curve| curve.maximin.is_some());
    let Some(over) = known.map(|curve| curve.over) else { return Markup::default() };
    let all = series(comparison, over);
    let curve_of = |series: &Series<'_>| {
        comparison.curves.iter().find(|curve: &&Curve| curve.has(series.points[0]))
    };
    let body = html! {
        (paragraph(RULES))
        (choices(comparison, over))
        div class="pair" {
            @for (index, series) in all.iter().enumerate() {
                @if let Some(curve) = curve_of(series) {
                    (crossing_plot(comparison, series, curve, index))
                }
            }
        }
        (legend(&[("utility", "utility"), ("privacy", "privacy")]))
        (privacy_percent(comparison))
    };
    section("balance", "Where utility and privacy balance", &body)
}

fn choices(comparison: &Comparison, over: Dimension) -> Markup {
    let capped = format!("risk up to {}", given_share(comparison.risk_cap));
    let head = ["Algorithm", "crossing", "maximin", "Nash", "knee", &capped];
    let title = match over {
        Dimension::Attributes => "The number of sensitive attributes that each rule chooses".into(),
        _ => format!("The {} that each rule chooses", over.names().1),
    };
    let mut table = Table::new(&format!("{title}, with utility / risk"), "choices", &head);
    for curve in comparison.curves.iter().filter(|curve| curve.maximin.is_some()) {
        let label = format!("{}{}", curve.algorithm, curve.level.words());
        let crossing = crossing(curve);
        let [maximin, nash, knee, capped] = [curve.maximin, curve.nash, curve.knee, curve.capped]
            .map(|chosen| choice(over, chosen));
        table.row(&[&text(&label), &crossing, &maximin, &nash, &knee, &capped]);
    }
    table.finish()
}

fn crossing(curve: &Curve) -> String {
    let name = curve.over.names().0;
    match curve.crossing {
        None => "–".into(),
        Some(at) if at.crosses => format!("{name} = {:.2} at {:.3}", at.at, at.level),
        Some(at) => format!("no crossing; nearest at {}", curve.over.spelled(at.at)),
    }
}

fn choice(over: Dimension, choice: Option<Choice>) -> Markup {
    let Some(Choice { level, utility, risk }) = choice else { return html! { "–" } };
    html! {
        @if let Some(at) = over.of(&level) { (over.spelled(at)) " " }
        span class="soft" { "(" (format!("{utility:.3} / {risk:.3}")) ")" }
    }
}

/// Utility and privacy of one algorithm against what its curve goes over.
fn crossing_plot(
    comparison: &Comparison,
    series: &Series<'_>,
    curve: &Curve,
    index: usize,
) -> Markup {
    // Even steps: between two levels the lines of the crossing are straight.
    let over = curve.over;
    let x = axis(over, comparison, false);
    let y = Axis::linear("utility and privacy", [0.0, 1.0].into_iter(), true);
    let mut plot = Plot::new(x, y);
    let privacy = |point: &Point| {
        let Interval { mean, low, high } = point.risk?;
        Some(Interval { mean: 1.0 - mean, low: 1.0 - high, high: 1.0 - low })
    };
    let sides: [(&str, Side<'_>); 2] = [("utility", &|point| point.utility), ("privacy", &privacy)];
    let mut said = Vec::new();
    for (class, get) in sides {
        let place = |point: &&Point| Some((over.of(&point.level)?, get(point)?));
        let points: Vec<(f64, Interval)> = series.points.iter().filter_map(place).collect();
        let line: Vec<(f64, f64)> = points.iter().map(|(at, f)| (*at, f.mean)).collect();
        plot.line(&line, &format!("line {class}"));
        for (at, figure) in points {
            plot.span(at, (figure.low, figure.high), &format!("line {class}"));
            let name = over.names().0;
            let hint = format!("{class} {:.3} at {name} = {}", figure.mean, decimal(at));
            plot.dot((at, figure.mean), 3.5, &format!("dot {class}"), &hint);
            said.push(hint);
        }
    }
    plot.level(1.0 - comparison.risk_cap, "cap");
    if let Some(at) = curve.crossing.filter(|at| at.crosses) {
        plot.dot((at.at, at.level), 6.5, "mark", &crossing(curve));
    }
    let drawing = plot.finish(&format!("balance-{index}"), &series.label, &said.join("; "));
    figure(&series.label, &drawing, &Markup::default())
}

/// The figure of Tandon and Jain 2010, with what it is not.
fn privacy_percent(comparison: &Comparison) -> Markup {
    let found = comparison.points.iter().filter_map(|point| point.privacy_percent);
    let Some(range) = Interval::of(found.flat_map(|range| [range.low, range.high])) else {
        return Markup::default();
    };
    notice(&format!(
        "The privacy % of Tandon and Jain 2010 is {} here; {}",
        range.spelled(1, " to "),
        comparison.privacy_percent_caveat
    ))
}

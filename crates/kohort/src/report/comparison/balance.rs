//! The balance between utility and privacy: where the curves of each algorithm cross, and other choices.

use super::curves::{Dimension, Series, series};
use super::plot::{Axis, Plot};
use crate::compare::{Choice, Comparison, Crossing, Curve, Interval, Point, of_curve};
use crate::diagnose::given_share;
use crate::report::figures::real;
use crate::report::markup::{Table, escape, figure, notice, section};

/// What a line shows of a point.
type Side<'a> = &'a dyn Fn(&Point) -> Option<Interval>;

/// The choices in a table, and a plot for each algorithm.
pub(super) fn balance(comparison: &Comparison) -> String {
    if comparison.curves.iter().all(|curve| curve.maximin.is_none()) {
        return String::new();
    }
    let all = series(comparison, Dimension::K);
    let mut plots = String::new();
    for (index, series) in all.iter().enumerate() {
        let is_of = |curve: &&Curve| curve.has(series.points[0]);
        if let Some(curve) = comparison.curves.iter().find(is_of) {
            plots += &crossing_plot(comparison, series, curve, index);
        }
    }
    let words = "<p>Privacy is 1 − risk. The crossing is where document 004 puts the balance; maximin is the \
                 k whose smaller side is largest; Nash's bargain has the largest product; the knee is \
                 where the curve of utility by risk bends most, if it does. A cap on the risk is the one to \
                 recommend: privacy is a constraint, and utility is what is left to choose.</p>\n";
    let legend = "<ul class=\"legend\">\n<li><span class=\"mark utility\"></span>utility</li>\n\
                  <li><span class=\"mark privacy\"></span>privacy</li>\n</ul>\n";
    let body = format!(
        "{words}{}<div class=\"pair\">\n{plots}</div>\n{legend}{}",
        choices(comparison),
        privacy_percent(comparison)
    );
    section("balance", "Where utility and privacy balance", &body)
}

fn choices(comparison: &Comparison) -> String {
    let capped = format!("risk up to {}", given_share(comparison.risk_cap));
    let head = ["Algorithm", "crossing", "maximin", "Nash", "knee", &capped];
    let mut table =
        Table::new("The k that each rule chooses, with utility / risk", "choices", &head);
    for curve in comparison.curves.iter().filter(|curve| curve.maximin.is_some()) {
        let label = format!("{}{}", curve.algorithm, of_curve(curve.l, curve.attributes));
        let crossing = curve.crossing.map_or("–".into(), crossing);
        let [maximin, nash, knee, capped] =
            [curve.maximin, curve.nash, curve.knee, curve.capped].map(choice);
        table.row([&*escape(&label), &*crossing, &*maximin, &*nash, &*knee, &*capped]);
    }
    table.finish()
}

fn crossing(at: Crossing) -> String {
    if at.crosses {
        format!("k = {:.2} at {:.3}", at.k, at.level)
    } else {
        format!("no crossing; nearest at k = {:.0}", at.k)
    }
}

fn choice(choice: Option<Choice>) -> String {
    choice.map_or("–".into(), |at| {
        let (utility, risk) = (at.utility, at.risk);
        let k = at.k.map_or(String::new(), |k| format!("k = {k:.0} "));
        format!("{k}<span class=\"soft\">({utility:.3} / {risk:.3})</span>")
    })
}

/// Utility and privacy of one algorithm against k.
fn crossing_plot(
    comparison: &Comparison,
    series: &Series<'_>,
    curve: &Curve,
    index: usize,
) -> String {
    // Even steps: between two k the lines of the crossing are straight.
    let x = Dimension::K.axis(comparison, false);
    let y = Axis::linear("utility and privacy", [0.0, 1.0].into_iter(), true);
    let mut plot = Plot::new(x, y);
    let privacy = |point: &Point| {
        let Interval { mean, low, high } = point.risk?;
        Some(Interval { mean: 1.0 - mean, low: 1.0 - high, high: 1.0 - low })
    };
    let sides: [(&str, Side<'_>); 2] = [("utility", &|point| point.utility), ("privacy", &privacy)];
    let mut said = Vec::new();
    for (class, get) in sides {
        let points: Vec<(u64, Interval)> =
            series.points.iter().filter_map(|point| Some((point.level.k?, get(point)?))).collect();
        let line: Vec<(f64, f64)> = points.iter().map(|(k, f)| (real(*k), f.mean)).collect();
        plot.line(&line, &format!("line {class}"));
        for (k, figure) in points {
            plot.span(real(k), (figure.low, figure.high), &format!("line {class}"));
            let hint = format!("{class} {:.3} at k = {k}", figure.mean);
            plot.dot((real(k), figure.mean), 3.5, &format!("dot {class}"), &hint);
            said.push(hint);
        }
    }
    plot.level(1.0 - comparison.risk_cap, "cap");
    if let Some(at) = curve.crossing.filter(|at| at.crosses) {
        plot.dot((at.k, at.level), 6.5, "mark", &crossing(at));
    }
    let title = escape(&series.label);
    let drawing = plot.finish(&format!("balance-{index}"), &series.label, &said.join("; "));
    figure(&title, &drawing, "")
}

/// The figure of 004, with what it is not.
fn privacy_percent(comparison: &Comparison) -> String {
    let found = comparison.points.iter().filter_map(|point| point.privacy_percent);
    let Some(range) = Interval::of(found.flat_map(|range| [range.low, range.high])) else {
        return String::new();
    };
    notice(&format!(
        "The privacy % of document 004 is {} here; {}",
        range.spelled(1, " to "),
        escape(comparison.privacy_percent_caveat)
    ))
}

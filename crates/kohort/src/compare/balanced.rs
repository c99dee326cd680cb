//! Means over the seeds, and the balance between utility and privacy.
//!
//! # References
//! Tandon and Jain, Balancing between Data Utility and Privacy Preservation in Data Mining, 2010.

use kohort_algorithms::algorithm;

use super::{Best, Cell, Choice, Comparison, Crossing, Curve, Dimension, Interval, Point, Release};
use crate::balance::{self, Meeting, crossing, knee, maximin, nash, pareto_front, under_risk_cap};
use crate::diagnose::GoalAnswer;
use crate::wording::count;

/// Fills in the points, their front, and the balance of each algorithm.
pub(super) fn weigh(comparison: &mut Comparison) {
    let mut points: Vec<Point> = Vec::new();
    for cell in &comparison.cells {
        if !points.iter().any(|point| cell.is_of(point)) {
            points.push(point(comparison, cell));
        }
    }
    on_front(&mut points);
    let (over, cap) = (Dimension::of_balance(&points), comparison.risk_cap);
    let mut curves: Vec<Curve> = Vec::new();
    for point in &points {
        if !curves.iter().any(|curve| curve.has(point)) {
            curves.push(curve(&points, point, over, cap));
        }
    }
    // What does not keep the goal for everybody is there to compare with, not to choose; and who publishes
    // fewer attributes has it easier.
    let is_safe = |id: &str| algorithm(id).is_some_and(|algorithm| algorithm.facts().is_safe);
    let most = points.iter().map(|point| point.level.attributes).max().flatten();
    let best = |curve: &Curve| {
        let points = points.iter().filter(|p| curve.has(p) && p.level.attributes == most);
        let seen = Seen::new(points, over);
        let capped = under_risk_cap(&seen.points, cap).filter(|_| is_safe(curve.algorithm));
        Some(Best { algorithm: curve.algorithm, choice: seen.choice(capped?) })
    };
    // The first of equals.
    comparison.best = curves.iter().filter_map(best).reduce(|best, other| {
        if other.choice.utility > best.choice.utility { other } else { best }
    });
    comparison.points = points;
    comparison.curves = curves;
}

/// Marks what nothing beats among the points of as many attributes.
fn on_front(points: &mut [Point]) {
    // Equal points stand on the front together, whatever their k.
    let alike = |point: &Point| Some(balance::Point { parameter: 0.0, ..of(point, Dimension::K)? });
    let all: Vec<_> = points.iter().map(|p| (p.level.attributes, alike(p))).collect();
    for point in points {
        let like = all.iter().filter(|(attributes, _)| *attributes == point.level.attributes);
        let front = pareto_front(&like.filter_map(|(_, point)| *point).collect::<Vec<_>>());
        point.on_front = alike(point).is_some_and(|point| front.contains(&point));
    }
}

/// The cells of all seeds that are like this one.
fn point(comparison: &Comparison, cell: &Cell) -> Point {
    let is_like = |c: &&Cell| (c.algorithm, c.level) == (cell.algorithm, cell.level);
    let cells: Vec<&Cell> = comparison.cells.iter().filter(is_like).collect();
    let releases: Vec<&Release> = cells.iter().filter_map(|cell| cell.release.as_ref()).collect();
    let over = |figure: &dyn Fn(&Release) -> Option<f64>| {
        Interval::of(releases.iter().filter_map(|release| figure(release)))
    };
    let metric = |id: &str| {
        let id = id.replace('-', "_");
        over(&|release| release.metrics.get(&id).copied())
    };
    let preserved = |id: &str| over(&|release| release.preserved.get(id).copied());
    Point {
        algorithm: cell.algorithm,
        level: cell.level,
        releases: releases.len(),
        reason: cells.iter().find_map(|cell| cell.reason.clone()),
        breaks: releases.iter().find_map(|release| breaks(release)),
        loss: over(&|release| release.loss),
        dm: metric("dm"),
        c_avg: metric("c-avg"),
        classes: over(&|release| Some(real(release.classes))),
        suppressed: over(&|release| Some(real(release.suppressed))),
        avre: over(&|release| release.avre),
        avre_median: over(&|release| release.avre_median),
        pmse: preserved("pmse"),
        correlation_difference: preserved("correlation_difference"),
        max_disclosure: over(&|release| release.max_disclosure),
        utility: over(&|release| release.utility.get(comparison.utility).copied()),
        risk: over(&|release| release.risk.get(comparison.risk).copied()),
        lower_bound: over(&|release| release.lower_bound).map(|bounds| bounds.high),
        seconds: Interval::of(
            cells.iter().filter(|cell| cell.release.is_some()).map(|cell| cell.seconds),
        ),
        privacy_percent: over(&|release| release.privacy_percent),
        on_front: false,
    }
}

/// The promises that a release does not keep, after its name.
fn breaks(release: &Release) -> Option<String> {
    let one = |broken: &GoalAnswer| {
        let classes = count(broken.violating_classes, "class", "classes");
        format!("`{}` in {classes}", broken.model)
    };
    let broken = release.goal.iter().filter(|promise| !promise.holds);
    let broken: Vec<String> = broken.map(one).collect();
    (!release.verified).then(|| match &broken[..] {
        [] => "shows made-up values: nothing follows for the true ones".into(),
        broken => format!("breaks {}", broken.join(" and ")),
    })
}

fn real(count: u64) -> f64 {
    kohort_core::Ratio::whole(count).value()
}

/// A point as the balance sees it, where it has both sides and keeps its promises.
fn of(point: &Point, over: Dimension) -> Option<balance::Point> {
    let (utility, risk) = (point.utility?.mean, point.risk?.mean);
    let parameter = over.of(&point.level).unwrap_or(0.0);
    let seen = balance::Point { parameter, utility, privacy: 1.0 - risk };
    point.breaks.is_none().then_some(seen)
}

/// Points of one curve as the balance sees them, and what they were.
struct Seen {
    points: Vec<balance::Point>,
    choices: Vec<Choice>,
}

impl Seen {
    fn new<'a>(points: impl Iterator<Item = &'a Point>, over: Dimension) -> Self {
        let seen = points.filter_map(|point| {
            let (level, risk) = (point.level, point.risk?.mean);
            let seen = of(point, over)?;
            Some((seen, Choice { level, utility: seen.utility, risk }))
        });
        let (points, choices) = seen.unzip();
        Self { points, choices }
    }

    /// What one of the points was.
    fn choice(&self, point: balance::Point) -> Choice {
        let at = self.points.iter().position(|other| *other == point);
        self.choices[at.expect("a rule chooses among the points it is given")]
    }
}

/// The balance of the algorithm of a point, with its levels besides what the curve goes over.
fn curve(points: &[Point], like: &Point, over: Dimension, risk_cap: f64) -> Curve {
    let mut curve = Curve {
        algorithm: like.algorithm,
        over,
        level: over.without(like.level),
        crossing: None,
        maximin: None,
        nash: None,
        knee: None,
        capped: None,
    };
    let seen = Seen::new(points.iter().filter(|point| curve.has(point)), over);
    let choice = |point| seen.choice(point);
    curve.capped = under_risk_cap(&seen.points, risk_cap).map(choice);
    if over.of(&like.level).is_some() {
        curve.crossing = crossing(&seen.points).map(|meeting| met(meeting, over));
        curve.maximin = maximin(&seen.points).map(choice);
        curve.nash = nash(&seen.points).map(choice);
        curve.knee = knee(&seen.points).map(choice);
    }
    curve
}

fn met(meeting: Meeting, over: Dimension) -> Crossing {
    let (crosses, at, level, gap) = match meeting {
        Meeting::Crossing { parameter, level } => (true, parameter, level, 0.0),
        Meeting::Nearest { point, gap } => (false, point.parameter, point.utility, gap),
    };
    let k = (over == Dimension::K).then_some(at);
    Crossing { crosses, at, k, level, gap }
}

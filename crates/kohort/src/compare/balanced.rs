//! Means over the seeds, and the balance between utility and privacy.
//!
//! # References
//! specs/08 §3.

use kohort_algorithms::algorithm;

use super::{Best, Cell, Choice, Comparison, Crossing, Curve, Interval, Point, Release, same};
use crate::balance::{self, Meeting, crossing, knee, maximin, nash, pareto_front, under_risk_cap};

/// Fills in the points, their front, and the balance of each algorithm.
pub(super) fn weigh(comparison: &mut Comparison) {
    let mut points: Vec<Point> = Vec::new();
    for cell in &comparison.cells {
        if !points.iter().any(|point| cell.is_of(point)) {
            points.push(point(comparison, cell));
        }
    }
    // Equal points stand on the front together, whatever their k.
    let alike = |point: &Point| Some(balance::Point { parameter: 0.0, ..of(point)? });
    let front = pareto_front(&points.iter().filter_map(alike).collect::<Vec<_>>());
    for point in &mut points {
        point.on_front = alike(point).is_some_and(|point| front.contains(&point));
    }
    let mut curves: Vec<Curve> = Vec::new();
    for point in &points {
        let is_of = |c: &Curve| c.algorithm == point.algorithm && same(c.l, point.l);
        if !curves.iter().any(is_of) {
            curves.push(curve(&points, point, comparison.risk_cap));
        }
    }
    // What does not keep the goal for everybody is there to compare with, not to choose.
    let is_safe = |id: &str| algorithm(id).is_some_and(|algorithm| algorithm.facts().is_safe);
    let best = |curve: &Curve| {
        let curve = Some(curve).filter(|curve| is_safe(curve.algorithm))?;
        Some(Best { algorithm: curve.algorithm, l: curve.l, choice: curve.capped? })
    };
    // The first of equals.
    comparison.best = curves.iter().filter_map(best).reduce(|best, other| {
        if other.choice.utility > best.choice.utility { other } else { best }
    });
    comparison.points = points;
    comparison.curves = curves;
}

/// The cells of all seeds that are like this one.
fn point(comparison: &Comparison, cell: &Cell) -> Point {
    let is_like = |c: &&Cell| (c.algorithm, c.k) == (cell.algorithm, cell.k) && same(c.l, cell.l);
    let cells: Vec<&Cell> = comparison.cells.iter().filter(is_like).collect();
    let releases: Vec<&Release> = cells.iter().filter_map(|cell| cell.release.as_ref()).collect();
    let over = |figure: &dyn Fn(&Release) -> Option<f64>| {
        Interval::of(releases.iter().filter_map(|release| figure(release)))
    };
    let metric = |id: &str| {
        let id = id.replace('-', "_");
        over(&|release| release.metrics.get(&id).copied())
    };
    Point {
        algorithm: cell.algorithm,
        k: cell.k,
        l: cell.l,
        releases: releases.len(),
        reason: cells.iter().find_map(|cell| cell.reason.clone()),
        loss: metric(&comparison.metric),
        dm: metric("dm"),
        c_avg: metric("c-avg"),
        classes: over(&|release| Some(real(release.classes))),
        suppressed: over(&|release| Some(real(release.suppressed))),
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

fn real(count: u64) -> f64 {
    kohort_core::Ratio::whole(count).value()
}

/// A point as the balance sees it, where it has both sides.
fn of(point: &Point) -> Option<balance::Point> {
    let (utility, risk) = (point.utility?.mean, point.risk?.mean);
    Some(balance::Point { parameter: real(point.k), utility, privacy: 1.0 - risk })
}

/// The balance of the algorithm and l of a point.
fn curve(points: &[Point], like: &Point, risk_cap: f64) -> Curve {
    let is_of = |p: &&Point| p.algorithm == like.algorithm && same(p.l, like.l);
    let points: Vec<balance::Point> = points.iter().filter(is_of).filter_map(of).collect();
    let choice = |point: balance::Point| Choice {
        k: point.parameter,
        utility: point.utility,
        risk: 1.0 - point.privacy,
    };
    let met = |meeting: Meeting| match meeting {
        Meeting::Crossing { parameter, level } => {
            Crossing { crosses: true, k: parameter, level, gap: 0.0 }
        }
        Meeting::Nearest { point, gap } => {
            Crossing { crosses: false, k: point.parameter, level: point.utility, gap }
        }
    };
    Curve {
        algorithm: like.algorithm,
        l: like.l,
        crossing: crossing(&points).map(met),
        maximin: maximin(&points).map(choice),
        nash: nash(&points).map(choice),
        knee: knee(&points).map(choice),
        capped: under_risk_cap(&points, risk_cap).map(choice),
    }
}

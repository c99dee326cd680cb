//! The balance between utility and privacy over releases that were tried.
//!
//! Tandon and Jain 2010 takes the k where the curves of utility and privacy cross; the other choices ask for no
//! common scale, or put privacy first. A hard cap on the risk is the one to recommend: privacy is a
//! constraint, not a good to be traded.
//!
//! ```
//! use kohort::balance::{Point, under_risk_cap};
//!
//! let tried = [(2.0, 0.9, 0.5), (5.0, 0.8, 0.8), (10.0, 0.5, 0.9)]
//!     .map(|(parameter, utility, privacy)| Point { parameter, utility, privacy });
//! // The most utility with a risk of at most 0.2: k = 5.
//! assert_eq!(under_risk_cap(&tried, 0.2).map(|point| point.parameter), Some(5.0));
//! ```
//!
//! # References
//! Tandon and Jain 2010, §4.6; Nash, Econometrica 18(2), 1950; Duncan, Keller-McNulty and Stokes, NISS TR 121,
//! 2001 (R-U maps).

/// A release that was tried: its parameter, and utility and privacy on a scale from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The parameter that was varied, such as k.
    pub parameter: f64,
    /// The utility; more is better.
    pub utility: f64,
    /// The privacy, which is 1 minus the risk; more is better.
    pub privacy: f64,
}

/// Where two curves meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meeting {
    /// They cross at this parameter and level.
    Crossing {
        /// The parameter, between two that were tried.
        parameter: f64,
        /// The utility and the privacy there.
        level: f64,
    },
    /// They do not cross; they are nearest at this point.
    Nearest {
        /// The point among those tried.
        point: Point,
        /// How far apart utility and privacy are there.
        gap: f64,
    },
}

/// Where utility and privacy cross, both taken as straight between the parameters tried: the first of
/// several crossings, or the nearest approach when there is none. Nothing when nothing was tried. Points
/// may come in any order.
pub fn crossing(points: &[Point]) -> Option<Meeting> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.parameter.total_cmp(&b.parameter));
    let gap = |point: &Point| point.utility - point.privacy;
    if let Some(pair) = points.windows(2).find(|pair| gap(&pair[0]) * gap(&pair[1]) <= 0.0) {
        let [a, b] = [pair[0], pair[1]];
        // Equal on both ends: they meet at the first already.
        let difference = gap(&a) - gap(&b);
        let share = if difference == 0.0 { 0.0 } else { gap(&a) / difference };
        let between = |from: f64, to: f64| from + share * (to - from);
        let parameter = between(a.parameter, b.parameter);
        return Some(Meeting::Crossing { parameter, level: between(a.utility, b.utility) });
    }
    let point = best(&points, |point| -gap(point).abs())?;
    let gap = gap(&point).abs();
    // A single point may meet by itself.
    Some(if gap == 0.0 {
        Meeting::Crossing { parameter: point.parameter, level: point.utility }
    } else {
        Meeting::Nearest { point, gap }
    })
}

/// The point whose smaller one of utility and privacy is largest.
pub fn maximin(points: &[Point]) -> Option<Point> {
    best(points, |point| point.utility.min(point.privacy))
}

/// The point with the largest product of utility and privacy: Nash's bargain with nothing to fall back on.
pub fn nash(points: &[Point]) -> Option<Point> {
    best(points, |point| point.utility.max(0.0) * point.privacy.max(0.0))
}

/// The point of most utility among those whose risk, 1 minus privacy, is at most `cap`; the more private
/// one of equals.
pub fn under_risk_cap(points: &[Point], cap: f64) -> Option<Point> {
    // 1 − 0.9 is a little less than 0.1 when computed: that is no reason to choose otherwise.
    let kept = points.iter().filter(|point| 1.0 - point.privacy <= cap + 1e-12).copied();
    kept.reduce(|best, point| {
        let is_better = point.utility > best.utility
            || (point.utility >= best.utility && point.privacy > best.privacy);
        if is_better { point } else { best }
    })
}

/// The knee: of the points on the Pareto front, the one farthest beyond the straight line from its most
/// private to its most useful point. Nothing when the front has fewer than three points or nowhere
/// bulges out.
pub fn knee(points: &[Point]) -> Option<Point> {
    let front = pareto_front(points);
    let (first, last) = (*front.first()?, *front.last()?);
    // Twice the area over the chord, positive on the side of more utility and more privacy.
    let beyond = |point: &Point| {
        (last.utility - first.utility) * (point.privacy - first.privacy)
            - (last.privacy - first.privacy) * (point.utility - first.utility)
    };
    best(&front, beyond).filter(|point| beyond(point) > 1e-12)
}

/// The points that no other beats: none has at least the same utility and privacy, and more of one.
/// From the most private to the most useful; one of several equal ones, the first.
pub fn pareto_front(points: &[Point]) -> Vec<Point> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| {
        b.privacy.total_cmp(&a.privacy).then_with(|| b.utility.total_cmp(&a.utility))
    });
    let mut front: Vec<Point> = Vec::new();
    for point in points {
        if front.last().is_none_or(|last| point.utility > last.utility) {
            front.push(point);
        }
    }
    front
}

/// The point with the largest value; the first of equals.
fn best(points: &[Point], value: impl Fn(&Point) -> f64) -> Option<Point> {
    points
        .iter()
        .copied()
        .reduce(|best, point| if value(&point) > value(&best) { point } else { best })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn points(rows: &[(f64, f64, f64)]) -> Vec<Point> {
        let point = |&(parameter, utility, privacy)| Point { parameter, utility, privacy };
        rows.iter().map(point).collect()
    }

    fn spec() -> Vec<Point> {
        points(&[
            (2.0, 0.92, 0.10),
            (3.0, 0.85, 0.30),
            (5.0, 0.74, 0.50),
            (8.0, 0.60, 0.62),
            (10.0, 0.52, 0.70),
        ])
    }

    fn crosses_at(points: &[Point], expected: (f64, f64)) {
        let found = crossing(points).unwrap();
        let Meeting::Crossing { parameter, level } = found else { panic!("{found:?}") };
        let (k, height) = expected;
        assert!((parameter - k).abs() < 5e-4 && (level - height).abs() < 5e-5, "{found:?}");
    }

    #[test]
    fn spec_08_3_the_curves_cross_at_7_769() {
        crosses_at(&spec(), (7.769, 0.6108));
        let mut shuffled = spec();
        shuffled.reverse();
        crosses_at(&shuffled, (7.769, 0.6108));
    }

    #[test]
    fn spec_08_3_maximin_and_nash_choose_8() {
        let chosen = maximin(&spec()).unwrap();
        assert!((chosen.parameter - 8.0).abs() < 1e-12 && (chosen.utility - 0.60).abs() < 1e-12);
        let chosen = nash(&spec()).unwrap();
        assert!((chosen.parameter - 8.0).abs() < 1e-12);
        assert!((chosen.utility * chosen.privacy - 0.372).abs() < 1e-12);
    }

    #[test]
    fn the_first_of_several_crossings_counts() {
        let wave = points(&[(1.0, 1.0, 0.0), (2.0, 0.0, 1.0), (3.0, 1.0, 0.0)]);
        crosses_at(&wave, (1.5, 0.5));
        crosses_at(&points(&[(4.0, 0.3, 0.3), (5.0, 0.2, 0.2)]), (4.0, 0.3));
        crosses_at(&points(&[(4.0, 0.3, 0.3)]), (4.0, 0.3));
    }

    #[test]
    fn without_a_crossing_the_nearest_approach_is_said() {
        let apart = points(&[(1.0, 0.9, 0.1), (2.0, 0.8, 0.5), (3.0, 0.7, 0.3)]);
        let Some(Meeting::Nearest { point, gap }) = crossing(&apart) else { panic!() };
        assert_eq!(point, apart[1]);
        assert!((gap - 0.3).abs() < 1e-12);
        assert_eq!(crossing(&[]), None);
    }

    #[test]
    fn a_risk_cap_comes_before_utility() {
        let cap = |cap: f64| under_risk_cap(&spec(), cap).map(|point| point.parameter);
        assert_eq!(cap(0.5), Some(5.0));
        assert_eq!(cap(0.38), Some(8.0));
        assert_eq!(cap(0.1), None);
        let equal = points(&[(1.0, 0.5, 0.6), (2.0, 0.5, 0.8), (3.0, 0.4, 0.9)]);
        assert_eq!(under_risk_cap(&equal, 0.5), Some(equal[1]));
    }

    #[test]
    fn the_knee_is_farthest_beyond_the_chord() {
        let bent = points(&[(1.0, 1.0, 0.0), (2.0, 0.9, 0.7), (3.0, 0.6, 0.85), (4.0, 0.0, 1.0)]);
        assert_eq!(knee(&bent), Some(bent[1]));
        let straight = points(&[(1.0, 1.0, 0.0), (2.0, 0.5, 0.5), (3.0, 0.0, 1.0)]);
        assert_eq!(knee(&straight), None);
        assert_eq!(knee(&bent[..1]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_front_is_what_nothing_beats(rows in prop::collection::vec((0..8_u8, 0..8_u8), 0..20)) {
            let rows: Vec<_> = rows.iter().map(|&(u, p)| (0.0, f64::from(u), f64::from(p))).collect();
            let all = points(&rows);
            let beats = |a: &Point, b: &Point| {
                a.utility >= b.utility && a.privacy >= b.privacy
                    && (a.utility > b.utility || a.privacy > b.privacy)
            };
            let front = pareto_front(&all);
            for point in &all {
                let is_beaten = all.iter().any(|other| beats(other, point));
                prop_assert_eq!(front.contains(point), !is_beaten);
            }
            prop_assert!(front.is_sorted_by(|a, b| a.utility < b.utility && a.privacy > b.privacy));
            let largest = |chosen: Option<Point>, worth: &dyn Fn(&Point) -> f64| {
                chosen.is_none_or(|chosen| all.iter().all(|p| worth(p) <= worth(&chosen)))
            };
            prop_assert!(largest(maximin(&all), &|p| p.utility.min(p.privacy)));
            prop_assert!(largest(nash(&all), &|p| p.utility * p.privacy));
        }
    }
}

//! The highest belief about anybody's value, by what a model takes for known.

use std::collections::BTreeMap;

use kohort_core::{History, Ratio, SeriesRelease};
use kohort_models::series::{RhoDifferent, RhoDifferentFinding, SeriesModel, largest_share};

use super::next::{NextRelease, everybody, smoothed};
use super::reason::SeriesReason;
use crate::attack::highest_by_worlds;

/// How a highest belief was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// Over every world that explains the releases: no belief is higher, and one is as high.
    Exact,
    /// No belief is higher; whether one is as high is not known.
    Bound,
    /// People are taken one by one: reasoning about many at once may disclose more.
    #[default]
    OneByOne,
}

/// The highest belief about anybody's value.
#[derive(Clone, Copy, Debug)]
pub struct Belief {
    /// The belief: a probability.
    pub highest: f64,
    /// The same as a fraction, where it is one.
    pub fraction: Option<Ratio>,
    /// How it was found.
    pub counted: Counted,
    /// The highest where people are taken one by one.
    pub one_by_one: f64,
}

impl Belief {
    /// Where people are taken one by one.
    fn one_by_one(highest: f64) -> Self {
        Self { highest, fraction: None, counted: Counted::OneByOne, one_by_one: highest }
    }

    /// What the model finds where it is known how values follow one another.
    pub(super) fn of_smoothing(found: RhoDifferentFinding) -> Self {
        let counted = match found.by_worlds {
            None => Counted::OneByOne,
            Some(highest) if highest >= found.one_by_one => Counted::Exact,
            Some(_) => Counted::Bound,
        };
        let one_by_one = found.one_by_one;
        Self { highest: found.max_posterior, fraction: None, counted, one_by_one }
    }

    /// The same with people held back, of whom one value fills this share: anybody who knows that somebody
    /// waits believes the value with that probability.
    pub(super) fn with_held_back(self, share: Ratio) -> Self {
        if share.value() <= self.highest {
            return self;
        }
        let one_by_one = self.one_by_one.max(share.value());
        Self { highest: share.value(), fraction: Some(share), one_by_one, ..self }
    }

    /// What was believed once is not taken back. Where people are taken one by one it covers no more than
    /// that, even if it was higher before.
    pub(super) fn after(self, before: &Self) -> Self {
        let one_by_one = self.one_by_one.max(before.one_by_one);
        let (highest, fraction) = (before.highest, before.fraction);
        let counted = match self.counted {
            Counted::OneByOne => Counted::OneByOne,
            Counted::Exact | Counted::Bound => before.counted,
        };
        let is_lower = self.highest < highest;
        let found = if is_lower { Self { highest, fraction, counted, ..self } } else { self };
        Self { one_by_one, ..found }
    }
}

/// The highest belief about anybody's value:
/// - where it is known how values follow one another, at any release, by smoothing, by the classes of each
///   release alone, and in a series of a few people over every world that explains all releases;
/// - where they change independently, to have ever had it;
/// - where they do not change, by the release alone, by what it and all before it have in common for a
///   person, and over every world that explains all releases, or a bound of that.
///
/// Values that do not change must not be believed with more than the model promises, unless the history
/// does not keep the promise.
pub(super) fn max_posterior(
    next: &NextRelease<'_>,
    model: SeriesModel,
    is_broken: bool,
) -> Result<Belief, SeriesReason> {
    if next.correlations.is_some() {
        let (all, half) = (next.all(), Ratio::new(1, 2));
        // The highest belief is the same whatever rho.
        let any = RhoDifferent::new(half).expect("one half is between 0 and 1");
        let found = smoothed(any, &all, (next.correlations, next.is_exact), &everybody(&all));
        return Ok(Belief::of_smoothing(found));
    }
    if matches!(model, SeriesModel::Global(_)) {
        return Ok(ever_had(&next.all()));
    }
    let earlier = next.with_same_column();
    let releases: Vec<SeriesRelease> =
        earlier.iter().copied().chain([next.release]).cloned().collect();
    let by_worlds = highest_by_worlds(&History { n_values: next.history.n_values, releases });
    let one_by_one = largest_share(&earlier, next.release);
    let is_higher = by_worlds.belief > one_by_one.value() + 1e-12;
    let is_exact = by_worlds.is_exact && one_by_one.value() <= by_worlds.belief + 1e-12;
    let belief = Belief {
        highest: if is_higher { by_worlds.belief } else { one_by_one.value() },
        fraction: if is_higher { by_worlds.fraction } else { Some(one_by_one) },
        counted: if is_exact { Counted::Exact } else { Counted::Bound },
        one_by_one: one_by_one.value(),
    };
    match model.m().filter(|&m| !is_broken && belief.highest > 1.0 / f64::from(m) + 1e-9) {
        Some(m) => Err(SeriesReason::BelievedTogether { m }),
        None => Ok(belief),
    }
}

/// The highest probability that somebody ever had a value, where values change independently.
fn ever_had(all: &History) -> Belief {
    let mut least = Never::default();
    for person in everybody(all) {
        let mut never: BTreeMap<u32, Never> = BTreeMap::new();
        for release in &all.releases {
            let Some(class) = release.class_of(person) else { continue };
            let values = &release.classes[class as usize].values;
            for run in values.chunk_by(|a, b| a == b) {
                let others = Ratio::new((values.len() - run.len()) as u64, values.len() as u64);
                never.entry(run[0]).or_default().times(others);
            }
        }
        let less = |least: Never, next: Never| if next.value < least.value { next } else { least };
        least = never.into_values().fold(least, less);
    }
    let fraction = least.fraction.map(|never| Ratio::new(never.den() - never.num(), never.den()));
    // Rounded up where it is no fraction of numbers that fit.
    let highest = fraction.map_or(((1.0 - least.value) * 1e12).ceil() / 1e12, Ratio::value);
    Belief { fraction, ..Belief::one_by_one(highest) }
}

/// The probability that somebody never had a value.
#[derive(Clone, Copy)]
struct Never {
    value: f64,
    // None where its numbers are too large.
    fraction: Option<Ratio>,
}

impl Default for Never {
    fn default() -> Self {
        Self { value: 1.0, fraction: Some(Ratio::whole(1)) }
    }
}

impl Never {
    fn times(&mut self, share: Ratio) {
        self.value *= share.value();
        self.fraction = self.fraction.and_then(|so_far| {
            // In lowest terms crosswise, the product is in lowest terms.
            let (a, b) =
                (Ratio::new(so_far.num(), share.den()), Ratio::new(share.num(), so_far.den()));
            Some(Ratio::new(a.num().checked_mul(b.num())?, a.den().checked_mul(b.den())?))
        });
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::ReleasedClass;

    use super::*;

    #[test]
    fn what_was_exact_covers_no_later_release_that_is_taken_one_by_one() {
        let of = |highest, counted| Belief { counted, ..Belief::one_by_one(highest) };
        let found = Belief::one_by_one(0.4).after(&of(0.5, Counted::Exact));
        assert_eq!((found.highest.to_string().as_str(), found.counted), ("0.5", Counted::OneByOne));
        let found = Belief { counted: Counted::Exact, ..found }.after(&of(0.6, Counted::Bound));
        assert_eq!((found.highest.to_string().as_str(), found.counted), ("0.6", Counted::Bound));
    }

    // 1 − (4/5)² = 9/25, which floats make 0.3599999999999999; and fractions that grow out of all bounds.
    #[test]
    fn what_somebody_ever_had_is_a_fraction_while_it_fits() {
        let releases = |n: usize, n_values: u32| {
            let class = ReleasedClass { values: (0..n_values).collect(), n_counterfeits: 0 };
            let release = SeriesRelease { class_of: vec![0], classes: vec![class] };
            ever_had(&History { n_values, releases: vec![release; n] })
        };
        let found = releases(2, 5);
        assert_eq!(
            (found.highest.to_string().as_str(), found.counted),
            ("0.36", Counted::OneByOne)
        );
        assert_eq!(found.fraction, Some(Ratio::new(9, 25)));
        let found = releases(60, 7);
        let (expected, digits) = (1.0 - (6.0_f64 / 7.0).powi(60), found.highest.to_string().len());
        assert!((found.highest - expected).abs() < 1e-9 && digits <= 14, "{}", found.highest);
        assert_eq!(found.fraction, None);
    }
}

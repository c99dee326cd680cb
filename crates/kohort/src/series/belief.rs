//! What is believed at most of anybody's value, by what a method takes for known.

use std::collections::BTreeMap;

use kohort_core::{History, Ratio, SeriesRelease};
use kohort_models::series::{Broken, RhoDifferent, largest_share};
use kohort_verify::attack::highest_by_worlds;
use serde::{Deserialize, Serialize};

use super::figures::Figures;
use super::method::Model;
use super::promise::{Case, everybody, followed};

/// How a highest belief was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Over every world that explains the releases: no belief is higher, and one is as high.
    Exact,
    /// No belief is higher; whether one is as high is not known.
    Bound,
    /// People are taken one by one: who reasons about many at once may be surer.
    #[default]
    OneByOne,
}

/// What is believed at most of anybody's value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Belief {
    pub(super) highest: f64,
    pub(super) counted: Counted,
    /// The highest where people are taken one by one.
    pub(super) one_by_one: f64,
}

impl Belief {
    /// Where people are taken one by one.
    pub(super) fn one_by_one(highest: f64) -> Self {
        Self { highest, counted: Counted::OneByOne, one_by_one: highest }
    }

    /// What was believed once is not taken back.
    pub(super) fn after(self, before: &Figures) -> Self {
        let one_by_one = self.one_by_one.max(before.max_posterior_one_by_one);
        let (highest, counted) = (before.max_posterior, before.max_posterior_is);
        let is_lower = self.highest < highest;
        let found = if is_lower { Self { highest, counted, ..self } } else { self };
        Self { one_by_one, ..found }
    }
}

/// The highest belief about anybody's value:
/// - where it is known how values follow one another, at any release, by smoothing;
/// - where they change independently, to have ever had it;
/// - where they do not change, by the release alone, by what it and all before it have in common for a
///   person, and over every world that explains all releases, or a bound of that.
///
/// Values that do not change must not be believed with more than the model promises, unless the history
/// does not keep the promise.
pub(super) fn max_posterior(
    case: &Case<'_>,
    model: Model,
    is_weak: bool,
) -> Result<Belief, Broken> {
    if case.correlations.is_some() {
        let (all, half) = (case.all(), Ratio::new(1, 2));
        // The highest belief is the same whatever rho.
        let any = RhoDifferent::new(half).expect("one half is between 0 and 1");
        let found = followed(any, &all, case.correlations, &everybody(&all));
        return Ok(Belief::one_by_one(found.max_posterior));
    }
    let m = match model {
        Model::Global(_) => return Ok(Belief::one_by_one(ever_had(&case.all()))),
        Model::MInvariance(model) => Some(model.m()),
        Model::EEquivalence(model) => Some(model.m()),
        _ => None,
    };
    let earlier = case.alike();
    let releases: Vec<SeriesRelease> =
        earlier.iter().copied().chain([case.next]).cloned().collect();
    let by_worlds = highest_by_worlds(&History { n_values: case.history.n_values, releases });
    let one_by_one = largest_share(&earlier, case.next).value();
    let is_exact = by_worlds.is_exact && one_by_one <= by_worlds.belief + 1e-12;
    let counted = if is_exact { Counted::Exact } else { Counted::Bound };
    let belief = Belief { highest: by_worlds.belief.max(one_by_one), counted, one_by_one };
    match m.filter(|&m| !is_weak && belief.highest > 1.0 / f64::from(m) + 1e-9) {
        Some(m) => Err(Broken(format!(
            "who compares all releases may believe a value of somebody with more than 1/{m}"
        ))),
        None => Ok(belief),
    }
}

/// The highest probability that somebody ever had a value, where values change independently.
fn ever_had(all: &History) -> f64 {
    let mut worst: f64 = 0.0;
    for person in everybody(all) {
        let mut never: BTreeMap<u32, f64> = BTreeMap::new();
        for release in &all.releases {
            let Some(class) = release.class_of(person) else { continue };
            let values = &release.classes[class as usize].values;
            for run in values.chunk_by(|a, b| a == b) {
                #[expect(clippy::cast_precision_loss, reason = "numbers of rows")]
                let share = run.len() as f64 / values.len() as f64;
                *never.entry(run[0]).or_insert(1.0) *= 1.0 - share;
            }
        }
        worst = never.values().fold(worst, |worst, never| worst.max(1.0 - never));
    }
    worst
}

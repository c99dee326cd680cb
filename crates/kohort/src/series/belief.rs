//! What is believed at most of anybody's value, by what a method takes for known.

use std::collections::BTreeMap;

use kohort_core::{History, Ratio, SeriesRelease};
use kohort_models::series::{Broken, RhoDifferent, largest_share};
use kohort_verify::attack::highest_by_worlds;

use super::method::Model;
use super::promise::{Case, everybody, followed};

/// The highest belief about anybody's value:
/// - where it is known how values follow one another, at any release, by smoothing;
/// - where they change independently, to have ever had it;
/// - where they do not change, by the release alone, by what it and all before it have in common for a
///   person, and by every world for people who share classes with few others.
///
/// Values that do not change must not be believed with more than the model promises, unless the history
/// does not keep the promise.
pub(super) fn max_posterior(case: &Case<'_>, model: Model, is_weak: bool) -> Result<f64, Broken> {
    if case.correlations.is_some() {
        let (all, half) = (case.all(), Ratio::new(1, 2));
        // The highest belief is the same whatever rho.
        let any = RhoDifferent::new(half).expect("one half is between 0 and 1");
        return Ok(followed(any, &all, case.correlations, &everybody(&all)).max_posterior);
    }
    let m = match model {
        Model::Global(_) => return Ok(ever_had(&case.all())),
        Model::MInvariance(model) => Some(model.m()),
        Model::EEquivalence(model) => Some(model.m()),
        _ => None,
    };
    let earlier = case.alike();
    let releases: Vec<SeriesRelease> =
        earlier.iter().copied().chain([case.next]).cloned().collect();
    let by_worlds = highest_by_worlds(&History { n_values: case.history.n_values, releases });
    let belief = largest_share(&earlier, case.next).value().max(by_worlds);
    match m.filter(|&m| !is_weak && belief > 1.0 / f64::from(m) + 1e-9) {
        Some(m) => Err(Broken(format!(
            "who compares all releases believes a value of somebody with more than 1/{m}"
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

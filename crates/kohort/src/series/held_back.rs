//! People who are in the table and in no class of a release: they wait for a later one.
//!
//! Who knows that somebody is in the table and is covered by nothing sees that they wait. If those who wait
//! were the ones with a value that is too frequent, that would tell it. So they are a class of their own: their
//! values keep what is promised of a class of the release.

use std::collections::BTreeMap;

use kohort_core::Ratio;

use super::judge::Released;
use super::method::Model;
use super::people::People;
use crate::diagnose::{count, percent};
use crate::release::No;

/// How often each value occurs among those who wait.
fn values(released: &Released, people: &People) -> BTreeMap<u32, u64> {
    let mut values = BTreeMap::new();
    for (&person, &value) in people.person_of_row.iter().zip(&people.value_of_row) {
        if released.release.class_of(person).is_none() {
            *values.entry(value).or_default() += 1;
        }
    }
    values
}

/// The largest share of a value among those who wait; none where nobody does.
pub(super) fn held_back_share(released: &Released, people: &People) -> Option<Ratio> {
    let values = values(released, people);
    let most = values.values().copied().max()?;
    Some(Ratio::new(most, values.values().sum()))
}

/// Why those who wait do not keep the promise as a class, if so.
pub(super) fn held_back(model: Model, released: &Released, people: &People) -> Option<String> {
    let share = held_back_share(released, people)?;
    let values = values(released, people);
    let is_within = |allowed: Ratio| share <= allowed;
    let is_kept = match model {
        Model::MInvariance(model) => is_within(Ratio::new(1, u64::from(model.m()))),
        Model::EEquivalence(model) => is_within(Ratio::new(1, u64::from(model.m()))),
        Model::Global(model) => model.allows_share(share),
        Model::XyLinkability(model) => is_within(model.confidence()),
        Model::RhoDifferent(_) | Model::Bcf(_) | Model::XyAnonymity(_) => true,
    };
    let people = count(values.values().sum(), "person who is", "people who are");
    (!is_kept).then(|| {
        format!(
            "one value fills {} of the {people} held back: anybody who sees that somebody waits \
             learns more than was promised",
            percent(share.value())
        )
    })
}

/// Whether a method can publish people with too frequent values beside counterfeits.
pub(super) fn takes_counterfeits(method: &str) -> bool {
    matches!(method, "m-invariance" | "e-equivalence" | "global-guarantee" | "xy-linkability")
}

/// What to know where counterfeits were made though nobody asked for them.
pub(super) const COUNTERFEITS_INSTEAD: &str = "people with a value that is too frequent are \
                                               published with counterfeits: holding them back \
                                               would disclose their value (`--surplus hold-back` \
                                               with `--allow-unsafe` does)";

/// The answer where holding people back would tell their values.
pub(super) fn no_held_back(broken: String) -> No {
    No {
        problem: "the release that was made does not keep its promise, and nothing was written"
            .into(),
        causes: vec![broken],
        hint: "publish people with too frequent values together with counterfeits (`--surplus \
               counterfeits`), or say `allow-unsafe = true` in the plan's `[method]` if that is \
               what you want"
            .into(),
        ..No::default()
    }
}

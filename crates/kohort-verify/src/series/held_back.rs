//! People who are in the table and in no class of a release: they wait for a later one.
//!
//! Anybody who knows that somebody is in the table and finds no class that covers the person sees that the
//! person waits. If those who wait were the ones with a value that is too frequent, that would disclose it. So
//! they are a class of their own: their values keep what is promised of a class of the release.

use std::collections::BTreeMap;

use kohort_core::{Ratio, SeriesRelease};
use kohort_models::series::SeriesModel;

use super::reason::SeriesReason;

/// The largest share of one value among the people held back, and how many they are; none where nobody is.
pub(super) fn held_back(
    release: &SeriesRelease,
    person_of_row: &[u32],
    value_of_row: &[u32],
) -> Option<(Ratio, u64)> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for (&person, &value) in person_of_row.iter().zip(value_of_row) {
        if release.class_of(person).is_none() {
            *counts.entry(value).or_default() += 1;
        }
    }
    let most = counts.values().copied().max()?;
    let people = counts.values().sum();
    Some((Ratio::new(most, people), people))
}

/// Whether the people whom a release holds back do not keep the promise as a class.
pub fn held_back_break(
    model: SeriesModel,
    release: &SeriesRelease,
    (person_of_row, value_of_row): (&[u32], &[u32]),
) -> bool {
    let found = held_back(release, person_of_row, value_of_row);
    found.and_then(|found| broken(model, found)).is_some()
}

/// Why the people held back do not keep the promise as a class, if so.
pub(super) fn broken(model: SeriesModel, (share, people): (Ratio, u64)) -> Option<SeriesReason> {
    (!model.allows_share(share)).then_some(SeriesReason::HeldBack { share, people })
}

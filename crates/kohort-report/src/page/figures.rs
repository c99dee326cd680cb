//! Counts, shares and lengths as text and as numbers to draw with.

use kohort_core::Ratio;

use crate::wording::exact;

/// A count as a share of another.
pub(super) fn part(part: u64, whole: u64) -> f64 {
    Ratio::new(part, whole.max(1)).value()
}

/// Whether no more of them are missing than a plan allows.
pub(super) fn is_within(missing: u64, all: u64, allowed: f64) -> bool {
    let share = Ratio::new(missing, all.max(1));
    exact(allowed).is_some_and(|allowed| share <= allowed)
}

/// A count to draw with.
pub(super) fn real(count: u64) -> f64 {
    Ratio::whole(count).value()
}

/// The number of rows in classes of fewer than `k` rows: what reaching k costs.
pub(super) fn rows_below(sizes: &[(u64, u64)], k: u64) -> u64 {
    sizes.iter().filter(|(size, _)| *size < k).map(|(size, classes)| size * classes).sum()
}

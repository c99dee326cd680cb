//! Releases of a series with the boxes of their classes, all over the codes of one table.

use std::collections::BTreeMap;

use kohort_core::SeriesRelease;

/// The codes that a class covers, from the lowest to the highest of each quasi-identifier. One that a
/// release does not show is covered as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassBox {
    /// The lowest codes.
    pub lo: Vec<u32>,
    /// The highest codes.
    pub hi: Vec<u32>,
}

impl ClassBox {
    /// Whether somebody's quasi-identifiers could lie in both boxes.
    pub fn meets(&self, other: &Self) -> bool {
        let edges = self.lo.iter().zip(&self.hi).zip(other.lo.iter().zip(&other.hi));
        edges.into_iter().all(|((lo, hi), (other_lo, other_hi))| lo <= other_hi && other_lo <= hi)
    }
}

/// A release and the box of each of its classes.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The release.
    pub release: &'a SeriesRelease,
    /// The box of each class.
    pub boxes: &'a [ClassBox],
}

/// How often two values stand in the same row of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// What an adversary looks for, by a number.
    pub x: u32,
    /// What an adversary finds, by a number.
    pub y: u32,
    /// The number of rows.
    pub n_rows: u64,
}

/// The rows of the join of two releases over what both show: each row of one with each row of the other
/// that may be about the same person. X is a class of the first release, Y a sensitive value of the
/// second. In the order of X and Y.
pub fn join(first: Shown<'_>, second: Shown<'_>) -> Vec<Joined> {
    let mut joined = Vec::new();
    for ((x, class), own) in (0..).zip(&first.release.classes).zip(first.boxes) {
        let mut n_rows: BTreeMap<u32, u64> = BTreeMap::new();
        let others = second.release.classes.iter().zip(second.boxes);
        for (other, _) in others.filter(|(_, other)| own.meets(other)) {
            for &y in &other.values {
                *n_rows.entry(y).or_default() += class.values.len() as u64;
            }
        }
        joined.extend(n_rows.into_iter().map(|(y, n_rows)| Joined { x, y, n_rows }));
    }
    joined
}

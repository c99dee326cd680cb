//! Releases of a series with the boxes of their classes, all over the codes of one table.

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

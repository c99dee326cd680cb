//! Models about all classes of a release together, which no class keeps or breaks alone.

use kohort_core::Spec;

/// A model that judges a release by the sizes of its classes.
pub trait SizeModel: Sync {
    /// What the model is.
    fn spec(&self) -> &'static Spec;

    /// Where every class has at least so many rows, the promise is kept.
    fn enough(&self) -> u64;

    /// Whether a release keeps the promise that has so many classes of each size.
    fn holds(&self, sizes: &[(u64, u64)]) -> bool;

    /// The classes that stand in the way, and their rows: none where the promise is kept.
    fn in_the_way(&self, sizes: &[(u64, u64)]) -> (u64, u64) {
        if self.holds(sizes) {
            return (0, 0);
        }
        let small = sizes.iter().filter(|&&(size, _)| size < self.enough());
        small.fold((0, 0), |(n, rows), &(size, classes)| (n + classes, rows + size * classes))
    }
}

/// The number of rows in so many classes of each size.
pub(crate) fn n_rows(sizes: &[(u64, u64)]) -> u64 {
    sizes.iter().map(|(size, classes)| size * classes).sum()
}

/// The number of classes of one row.
pub(crate) fn n_unique(sizes: &[(u64, u64)]) -> u64 {
    sizes.iter().filter(|(size, _)| *size == 1).map(|(_, classes)| classes).sum()
}

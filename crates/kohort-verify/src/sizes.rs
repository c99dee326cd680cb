//! How many classes there are of each size, and what follows from it: k, and what suppression buys.

use std::collections::BTreeMap;

use kohort_core::Ratio;

/// The number of classes of each size. Everything about k and suppression follows from it: to reach k
/// it is optimal, and forced, to drop exactly the classes smaller than k.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSizes {
    // Sizes below `SMALL`, by index, and the others.
    small: [u32; SMALL],
    large: BTreeMap<u64, u32>,
}

const SMALL: usize = 128;

impl Default for ClassSizes {
    fn default() -> Self {
        Self { small: [0; SMALL], large: BTreeMap::new() }
    }
}

impl ClassSizes {
    /// Counts one more class.
    #[inline]
    pub fn add(&mut self, size: u64) {
        self.add_many(size, 1);
    }

    /// Counts several more classes of one size.
    #[inline]
    pub fn add_many(&mut self, size: u64, times: u32) {
        match usize::try_from(size).ok().and_then(|index| self.small.get_mut(index)) {
            Some(count) => *count += times,
            None => *self.large.entry(size).or_default() += times,
        }
    }

    /// Sizes that occur with the number of classes of that size, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let small = (0..).zip(&self.small).filter(|&(_, &count)| count > 0);
        let large = self.large.iter().map(|(&size, count)| (size, count));
        small.chain(large).map(|(size, &count)| (size, u64::from(count)))
    }

    /// The number of classes.
    pub fn n_classes(&self) -> u64 {
        self.iter().map(|(_, count)| count).sum()
    }

    /// The number of rows.
    pub fn n_rows(&self) -> u64 {
        self.iter().map(|(size, count)| size * count).sum()
    }

    /// The largest k that holds: the smallest class. `None` without a class.
    pub fn k(&self) -> Option<u64> {
        self.iter().next().map(|(size, _)| size)
    }

    /// The number of rows in classes smaller than `k`: what must be dropped to reach it.
    pub fn suppressed_for(&self, k: u64) -> u64 {
        self.iter().take_while(|&(size, _)| size < k).map(|(size, count)| size * count).sum()
    }

    /// The largest k that dropping at most `budget` rows reaches, with the rows it takes: never a part
    /// of a class, which costs rows and does not raise k. `None` when every row may be dropped.
    pub fn k_with_budget(&self, budget: u64) -> Option<(u64, u64)> {
        let mut dropped = 0;
        for (size, count) in self.iter() {
            if dropped + size * count > budget {
                return Some((size, dropped));
            }
            dropped += size * count;
        }
        None
    }

    /// Every k that can be reached with rows left, with the number of rows to drop.
    pub fn curve(&self) -> Vec<(u64, u64)> {
        let mut dropped = 0;
        let step = |(size, count)| {
            let point = (size, dropped);
            dropped += size * count;
            point
        };
        self.iter().map(step).collect()
    }

    /// Classes per row: 1 when every row is alone.
    pub fn distinct_ratio(&self) -> Ratio {
        Ratio::new(self.n_classes(), self.n_rows().max(1))
    }

    /// The share of pairs of rows that differ. `None` with fewer than two rows.
    #[expect(clippy::cast_precision_loss, reason = "a share for display")]
    pub fn separation_ratio(&self) -> Option<f64> {
        let n = u128::from(self.n_rows());
        let pairs = n * n.saturating_sub(1);
        let equal: u128 = self
            .iter()
            .map(|(size, count)| u128::from(size) * u128::from(size - 1) * u128::from(count))
            .sum();
        (pairs > 0).then(|| (pairs - equal) as f64 / pairs as f64)
    }
}

impl FromIterator<u64> for ClassSizes {
    fn from_iter<I: IntoIterator<Item = u64>>(sizes: I) -> Self {
        let mut counted = Self::default();
        for size in sizes {
            counted.add(size);
        }
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Q = VWX: class sizes 1, 1, 2, 2, 3, 3.
    #[test]
    fn spec_8_2_suppression_of_vwx() {
        let sizes: ClassSizes = [1, 1, 2, 2, 3, 3].into_iter().collect();
        assert_eq!([2, 3, 4].map(|k| sizes.suppressed_for(k)), [2, 6, 12]);
        let reached = |delta: &str| {
            sizes.k_with_budget(delta.parse::<Ratio>().unwrap().floor_of(sizes.n_rows()))
        };
        assert_eq!(reached("0.1"), Some((1, 0)));
        assert_eq!(reached("0.2"), Some((2, 2)));
        assert_eq!(reached("0.4"), Some((2, 2)));
        assert_eq!(reached("0.5"), Some((3, 6)));
        assert_eq!(reached("0.75"), Some((3, 6)));
        assert_eq!(reached("1"), None);
        assert_eq!(sizes.curve(), [(1, 0), (2, 2), (3, 6)]);
    }

    #[test]
    fn sizes_beyond_the_small_ones_keep_their_order() {
        let sizes: ClassSizes = [1000, 127, 128, 3, 1000].into_iter().collect();
        assert_eq!(sizes.iter().collect::<Vec<_>>(), [(3, 1), (127, 1), (128, 1), (1000, 2)]);
        assert_eq!(sizes.n_rows(), 2258);
    }
}

//! Cells as the learners read them.
//!
//! A column of numbers is the middle of its range (0 to 1 over the column) and whether the value is missing.
//! How wide the range is is no feature: it tells of the release and not of a person, and is 0 for everybody
//! who is predicted. Any other column is one feature per value, 1 / leaves for every value
//! that a node covers. A column of more than 64 values has 64 buckets of neighboring codes instead: codes
//! follow the taxonomy, so that siblings share a bucket. A value of the original is the range or the node
//! that covers it alone.

use kohort_core::Attribute;

use crate::utility::view::Numbers;

/// Buckets that a column has at most.
const MAX_BUCKETS: u32 = 64;

/// What a row shows on each axis: first and last code.
pub(in crate::utility) type Bounds = [(u32, u32)];

/// How the columns of a table become features.
pub(in crate::utility) struct Encoder {
    pub(super) axes: Vec<Axis>,
    n_features: usize,
}

/// One column.
pub(super) struct Axis {
    pub(super) numbers: Option<Numbers>,
    pub(super) missing: Option<u32>,
    n_codes: u32,
    n_buckets: u32,
    first_feature: usize,
}

impl Encoder {
    /// The features of these columns.
    pub(in crate::utility) fn new(quasi: &[&Attribute]) -> Self {
        let mut n_features = 0;
        let axes = quasi.iter().map(|attribute| {
            let axis = Axis {
                numbers: Numbers::new(attribute),
                missing: attribute.missing(),
                n_codes: attribute.n_codes(),
                n_buckets: attribute.n_codes().min(MAX_BUCKETS),
                first_feature: n_features,
            };
            n_features += if axis.numbers.is_some() { 2 } else { axis.n_buckets as usize };
            axis
        });
        let axes = axes.collect();
        Self { axes, n_features }
    }

    /// The number of features.
    pub(in crate::utility) fn n_features(&self) -> usize {
        self.n_features
    }

    /// The parameters of a model with an intercept that is linear in what single values show: redundant
    /// features, such as one of the values of a column, are not counted.
    pub(in crate::utility) fn n_parameters(&self) -> usize {
        let of_axis = |axis: &Axis| match &axis.numbers {
            Some(numbers) => {
                usize::from(numbers.max > numbers.min) + usize::from(axis.missing.is_some())
            }
            None => axis.n_buckets as usize - 1,
        };
        1 + self.axes.iter().map(of_axis).sum::<usize>()
    }

    /// The features of a row that are not 0.
    pub(in crate::utility) fn features(&self, row: &Bounds, mut each: impl FnMut(usize, f64)) {
        for (axis, &bounds) in self.axes.iter().zip(row) {
            match &axis.numbers {
                Some(numbers) => match numbers.middle(bounds) {
                    Some((middle, _)) => each(axis.first_feature, middle),
                    None => each(axis.first_feature + 1, 1.0),
                },
                None => axis.spread(bounds, |bucket, share| {
                    each(axis.first_feature + bucket, share);
                }),
            }
        }
    }
}

impl Axis {
    pub(super) fn n_buckets(&self) -> usize {
        self.n_buckets as usize
    }

    /// What a cell may stand for, with the share of each: buckets, or of a column of numbers 0 for a missing
    /// value and 1 for a number.
    pub(super) fn spread_kinds(&self, bounds: (u32, u32), mut each: impl FnMut(usize, f64)) {
        match &self.numbers {
            Some(numbers) => each(usize::from(numbers.middle(bounds).is_some()), 1.0),
            None => self.spread(bounds, each),
        }
    }

    /// The buckets that codes fall into, with the share of the codes that each holds.
    pub(super) fn spread(&self, (lo, hi): (u32, u32), mut each: impl FnMut(usize, f64)) {
        let n_codes = f64::from(hi - lo) + 1.0;
        for bucket in self.bucket(lo)..=self.bucket(hi) {
            let first = self.first_code(bucket).max(lo);
            let last = (self.first_code(bucket + 1) - 1).min(hi);
            each(bucket as usize, (f64::from(last - first) + 1.0) / n_codes);
        }
    }

    /// The bucket of a code.
    pub(super) fn bucket(&self, code: u32) -> u32 {
        let bucket = u64::from(code) * u64::from(self.n_buckets) / u64::from(self.n_codes);
        u32::try_from(bucket).expect("it is below the number of buckets")
    }

    fn first_code(&self, bucket: u32) -> u32 {
        let first = (u64::from(bucket) * u64::from(self.n_codes)).div_ceil(self.n_buckets.into());
        u32::try_from(first).expect("it is at most the number of codes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_every_code_once() {
        for n_codes in [1, 5, 64, 65, 100, 1000] {
            let n_buckets = n_codes.min(MAX_BUCKETS);
            let (numbers, missing, first_feature) = (None, None, 0);
            let axis = Axis { numbers, missing, n_codes, n_buckets, first_feature };
            for code in 0..n_codes {
                let bucket = axis.bucket(code);
                assert!(axis.first_code(bucket) <= code && code < axis.first_code(bucket + 1));
            }
            let mut sum = 0.0;
            axis.spread((0, n_codes - 1), |_, share| sum += share);
            assert!((sum - 1.0).abs() < 1e-12);
        }
    }
}

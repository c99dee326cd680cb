//! Naive Bayes with fractional counts.
//!
//! # Method
//! 1. Every cell counts for each value it covers with its share: n(v, c).
//! 2. P(v | c) = (n(v, c) + 1) / (n(c) + values); P(c) with one more row of each class.
//! 3. A row's classes are P(c) Π P(v | c); for a cell P is the mean over the values it covers.
//!
//! # References
//! Zhang, Kang, Silvescu and Honavar, KAIS 9(2), 2006 (partially specified values).

use super::Model;
use super::encode::{Bounds, Encoder};
use super::sample::{Sample, smoothed};

pub(super) struct NaiveBayes<'a> {
    encoder: &'a Encoder,
    // ln P(c).
    prior: Vec<f64>,
    // P(v | c), by axis, bucket and class.
    given: Vec<Vec<Vec<f64>>>,
}

pub(super) fn fit<'a>(encoder: &'a Encoder, sample: &Sample) -> NaiveBayes<'a> {
    let totals = sample.totals();
    let given = encoder.axes.iter().enumerate().map(|(axis, column)| {
        let mut counts = vec![vec![0.0; sample.n_classes]; column.n_buckets()];
        for entry in 0..sample.len() {
            column.spread(sample.bounds(entry)[axis], |bucket, share| {
                for &(class, n) in sample.classes(entry) {
                    counts[bucket][class] += share * n;
                }
            });
        }
        let n_values = super::real(counts.len());
        for count in &mut counts {
            count.iter_mut().zip(&totals).for_each(|(n, all)| *n = (*n + 1.0) / (all + n_values));
        }
        counts
    });
    let given = given.collect();
    NaiveBayes { encoder, prior: smoothed(&totals).iter().map(|p| p.ln()).collect(), given }
}

impl Model for NaiveBayes<'_> {
    fn predict(&self, row: &Bounds) -> Vec<f64> {
        let mut logs = self.prior.clone();
        for ((column, given), &bounds) in self.encoder.axes.iter().zip(&self.given).zip(row) {
            let mut mean = vec![0.0; logs.len()];
            column.spread(bounds, |bucket, share| {
                mean.iter_mut().zip(&given[bucket]).for_each(|(sum, p)| *sum += share * p);
            });
            logs.iter_mut().zip(mean).for_each(|(log, p)| *log += p.ln());
        }
        super::shares(logs)
    }
}

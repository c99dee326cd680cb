//! Logistic regression, for two classes or more, with a ridge.
//!
//! # Method
//! 1. P(c) ∝ exp(w_c · x) with an intercept among the features x; the log likelihood minus
//!    ridge / 2 · Σ w² (the intercept left out) is made greatest.
//! 2. Its second derivative is nowhere steeper than ½ XᵀX + ridge, which is factored once.
//! 3. Each step adds (½ XᵀX + ridge)⁻¹ · gradient, which never lowers the likelihood: no step size is
//!    searched for. Steps start ahead of where the last ended, by Nesterov's momentum, which begins anew
//!    when it has carried too far.
//! 4. It ends when no weight moves by more than 1e-6, or after 200 steps.
//!
//! # Cost
//! Entries times the square of the features that are not 0, once; entries times those features times
//! classes for each step.
//!
//! # References
//! Böhning, Annals of the Institute of Statistical Mathematics 44(1), 1992; Beck and Teboulle,
//! SIAM Journal on Imaging Sciences 2(1), 2009 (momentum); O'Donoghue and Candès, Foundations of
//! Computational Mathematics 15, 2015 (restart).

use super::Model;
use super::encode::{Bounds, Encoder};
use super::sample::Sample;

const MAX_STEPS: usize = 200;
const TOLERANCE: f64 = 1e-6;

pub(in crate::utility) struct Logistic<'a> {
    encoder: &'a Encoder,
    // By class: the weight of each feature, that of the intercept last.
    weights: Vec<Vec<f64>>,
}

pub(in crate::utility) fn fit<'a>(
    encoder: &'a Encoder,
    sample: &Sample,
    ridge: f64,
) -> Logistic<'a> {
    let rows = Rows::new(encoder, sample);
    let n = encoder.n_features() + 1;
    let factor = Cholesky::new(rows.curvature(n, ridge), n);
    let mut weights = vec![vec![0.0; n]; sample.n_classes];
    let mut ahead = weights.clone();
    let mut momentum = 0.0_f64;
    for _ in 0..MAX_STEPS {
        let gradient = rows.gradient(sample, &ahead, ridge);
        let mut next = gradient.clone();
        let (mut largest, mut uphill) = (0.0_f64, 0.0);
        for class in 0..next.len() {
            factor.solve(&mut next[class]);
            for at in 0..n {
                next[class][at] += ahead[class][at];
                let step = next[class][at] - weights[class][at];
                largest = largest.max(step.abs());
                uphill += gradient[class][at] * step;
            }
        }
        // eq. (4.2) of FISTA; a run that has begun to fall starts again.
        let following = f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt());
        let share = if uphill < 0.0 { 0.0 } else { (momentum - 1.0).max(0.0) / following };
        momentum = if uphill < 0.0 { 0.0 } else { following };
        for class in 0..next.len() {
            for at in 0..n {
                ahead[class][at] = next[class][at] + share * (next[class][at] - weights[class][at]);
            }
        }
        weights = next;
        if largest < TOLERANCE {
            break;
        }
    }
    Logistic { encoder, weights }
}

/// The features of each entry that are not 0, the intercept among them.
struct Rows {
    starts: Vec<usize>,
    features: Vec<(usize, f64)>,
    weights: Vec<f64>,
}

impl Rows {
    fn new(encoder: &Encoder, sample: &Sample) -> Self {
        let mut rows = Self { starts: vec![0], features: Vec::new(), weights: Vec::new() };
        for entry in 0..sample.len() {
            encoder.features(sample.bounds(entry), |feature, value| {
                rows.features.push((feature, value));
            });
            rows.features.push((encoder.n_features(), 1.0));
            rows.starts.push(rows.features.len());
            rows.weights.push(sample.classes(entry).iter().map(|class| class.1).sum());
        }
        rows
    }

    fn iter(&self) -> impl Iterator<Item = (&[(usize, f64)], f64)> {
        let features = self.starts.windows(2).map(|ends| &self.features[ends[0]..ends[1]]);
        features.zip(self.weights.iter().copied())
    }

    /// ½ XᵀX + ridge: its lower half, by rows.
    fn curvature(&self, n: usize, ridge: f64) -> Vec<f64> {
        let mut matrix = vec![0.0; n * n];
        for (features, n_rows) in self.iter() {
            for (index, &(feature, value)) in features.iter().enumerate() {
                let half = n_rows * value / 2.0;
                for &(other, value) in &features[..=index] {
                    matrix[feature * n + other] += half * value;
                }
            }
        }
        // A feature that never occurs has no curvature, and nothing but the ridge must not be 0.
        (0..n)
            .for_each(|at| matrix[at * n + at] += if at + 1 == n { 1e-9 } else { ridge.max(1e-9) });
        matrix
    }

    fn gradient(&self, sample: &Sample, weights: &[Vec<f64>], ridge: f64) -> Vec<Vec<f64>> {
        let with_ridge = |weights: &Vec<f64>| {
            let mut of_class: Vec<f64> = weights.iter().map(|weight| -ridge * weight).collect();
            *of_class.last_mut().expect("the intercept") = 0.0;
            of_class
        };
        let mut gradient: Vec<Vec<f64>> = weights.iter().map(with_ridge).collect();
        let mut excess = vec![0.0; weights.len()];
        for (entry, (features, n_rows)) in self.iter().enumerate() {
            for (log, weights) in excess.iter_mut().zip(weights) {
                *log = dot(weights, features);
            }
            super::to_shares(&mut excess);
            for share in &mut excess {
                *share *= -n_rows;
            }
            sample.classes(entry).iter().for_each(|&(class, n)| excess[class] += n);
            for (gradient, excess) in gradient.iter_mut().zip(&excess) {
                for &(feature, value) in features {
                    gradient[feature] += excess * value;
                }
            }
        }
        gradient
    }
}

fn dot(weights: &[f64], features: &[(usize, f64)]) -> f64 {
    features.iter().map(|&(feature, value)| weights[feature] * value).sum()
}

/// A positive definite matrix as L Lᵀ.
struct Cholesky {
    lower: Vec<f64>,
    n: usize,
}

impl Cholesky {
    /// Factors a matrix given by its lower half.
    fn new(mut lower: Vec<f64>, n: usize) -> Self {
        for row in 0..n {
            for column in 0..=row {
                let (a, b) = (&lower[row * n..][..column], &lower[column * n..][..column]);
                let sum: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                let rest = lower[row * n + column] - sum;
                lower[row * n + column] = if row == column {
                    // Rounding may leave a redundant feature a little less than its ridge.
                    rest.max(1e-12).sqrt()
                } else {
                    rest / lower[column * n + column]
                };
            }
        }
        Self { lower, n }
    }

    /// Replaces b by the solution of L Lᵀ x = b.
    fn solve(&self, b: &mut [f64]) {
        let at = |row: usize, column: usize| self.lower[row * self.n + column];
        for row in 0..self.n {
            let known: f64 = (0..row).map(|column| at(row, column) * b[column]).sum();
            b[row] = (b[row] - known) / at(row, row);
        }
        for row in (0..self.n).rev() {
            b[row] /= at(row, row);
            let value = b[row];
            for (column, b) in b.iter_mut().enumerate().take(row) {
                *b -= at(row, column) * value;
            }
        }
    }
}

impl Model for Logistic<'_> {
    fn predict(&self, row: &Bounds) -> Vec<f64> {
        let mut features = vec![(self.encoder.n_features(), 1.0)];
        self.encoder.features(row, |feature, value| features.push((feature, value)));
        super::shares(self.weights.iter().map(|weights| dot(weights, &features)).collect())
    }
}

//! A decision stump: one question about one column.
//!
//! # Method
//! 1. A column of numbers is asked whether it lies below a threshold between two neighboring middles of
//!    ranges, any other whether it is one value; missing is a third branch.
//! 2. A node that covers several values counts for each with its share.
//! 3. The question that leaves least class entropy, Σ over branches of rows · entropy, is taken; the first
//!    column and the lowest value win ties.
//! 4. A branch predicts the classes of its rows; one without rows those of all rows.
//!
//! # References
//! Iba and Langley, ICML 1992; WEKA's `DecisionStump`.

use super::Model;
use super::encode::{Axis, Bounds, Encoder};
use super::sample::{Sample, smoothed};

pub(super) struct Stump<'a> {
    // Without a question that tells anything, everything is in the third branch.
    question: Option<(&'a Axis, usize, Question)>,
    branches: [Vec<f64>; 3],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Question {
    /// Whether the middle is below this.
    Below(f64),
    /// Whether the value is in this bucket.
    Is(usize),
}

/// A question about a column, the rows of each class in each branch, and the entropy they leave.
pub(super) struct Split {
    pub(super) axis: usize,
    pub(super) question: Question,
    pub(super) branches: [Vec<f64>; 3],
    pub(super) entropy: f64,
}

pub(super) fn fit<'a>(encoder: &'a Encoder, sample: &Sample) -> Stump<'a> {
    let totals = sample.totals();
    let best = best(encoder, sample);
    let branches = best.as_ref().map_or([const { Vec::new() }; 3], |best| best.branches.clone());
    let predict = |counts: Vec<f64>| {
        smoothed(if counts.iter().sum::<f64>() > 1e-9 { &counts } else { &totals })
    };
    let question = best.map(|best| (&encoder.axes[best.axis], best.axis, best.question));
    Stump { question, branches: branches.map(predict) }
}

/// The split that leaves least entropy, if there is one with rows on both sides.
pub(super) fn best(encoder: &Encoder, sample: &Sample) -> Option<Split> {
    let mut best: Option<Split> = None;
    for axis in 0..encoder.axes.len() {
        let mut consider = |question, first: &[f64], rest: &[f64], missing: &[f64]| {
            let branches = [first, rest, missing];
            if [first, rest].iter().any(|branch| branch.iter().sum::<f64>() <= 1e-9) {
                return;
            }
            let entropy = branches.iter().map(|branch| entropy(branch)).sum();
            // Sums in another order differ in the last digits: those are ties.
            if best.as_ref().is_none_or(|best| entropy < best.entropy - 1e-9 * best.entropy) {
                let branches = branches.map(<[f64]>::to_vec);
                best = Some(Split { axis, question, branches, entropy });
            }
        };
        if encoder.axes[axis].numbers.is_some() {
            thresholds(encoder, axis, sample, &mut consider);
        } else {
            values(encoder, axis, sample, &mut consider);
        }
    }
    best
}

type Consider<'a> = &'a mut dyn FnMut(Question, &[f64], &[f64], &[f64]);

fn thresholds(encoder: &Encoder, axis: usize, sample: &Sample, consider: Consider<'_>) {
    let numbers = encoder.axes[axis].numbers.as_ref().expect("a column of numbers");
    let mut middles: Vec<(f64, usize)> = Vec::new();
    let mut missing = vec![0.0; sample.n_classes];
    for entry in 0..sample.len() {
        match numbers.middle(sample.bounds(entry)[axis]) {
            Some((middle, _)) => middles.push((middle, entry)),
            None => add(&mut missing, sample.classes(entry), 1.0),
        }
    }
    middles.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut below = vec![0.0; sample.n_classes];
    let mut above = sample.totals();
    above.iter_mut().zip(&missing).for_each(|(above, missing)| *above -= missing);
    for (index, &(middle, entry)) in middles.iter().enumerate() {
        add(&mut below, sample.classes(entry), 1.0);
        add(&mut above, sample.classes(entry), -1.0);
        if let Some(&(next, _)) = middles.get(index + 1).filter(|next| next.0 > middle) {
            consider(Question::Below(f64::midpoint(middle, next)), &below, &above, &missing);
        }
    }
}

fn values(encoder: &Encoder, axis: usize, sample: &Sample, consider: Consider<'_>) {
    let column = &encoder.axes[axis];
    let mut counts = vec![vec![0.0; sample.n_classes]; column.n_buckets()];
    for entry in 0..sample.len() {
        column.spread(sample.bounds(entry)[axis], |bucket, share| {
            add(&mut counts[bucket], sample.classes(entry), share);
        });
    }
    let missing = match column.missing {
        Some(code) => std::mem::replace(
            &mut counts[column.bucket(code) as usize],
            vec![0.0; sample.n_classes],
        ),
        None => vec![0.0; sample.n_classes],
    };
    let totals = sample.totals();
    for (bucket, is) in counts.iter().enumerate() {
        let rest = (0..sample.n_classes).map(|c| (totals[c] - missing[c] - is[c]).max(0.0));
        consider(Question::Is(bucket), is, &rest.collect::<Vec<_>>(), &missing);
    }
}

fn add(counts: &mut [f64], classes: &[(usize, f64)], times: f64) {
    for &(class, n) in classes {
        counts[class] += n * times;
    }
}

/// Rows times the entropy of their classes, in bits.
fn entropy(counts: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    let of_class = |&count: &f64| if count > 0.0 { count * (total / count).log2() } else { 0.0 };
    counts.iter().map(of_class).sum()
}

impl Model for Stump<'_> {
    fn predict(&self, row: &Bounds) -> Vec<f64> {
        let [first, rest, missing] = &self.branches;
        let Some((column, axis, question)) = self.question else { return missing.clone() };
        match question {
            Question::Below(threshold) => {
                let middle = column.numbers.as_ref().and_then(|n| n.middle(row[axis]));
                match middle {
                    Some((middle, _)) if middle < threshold => first.clone(),
                    Some(_) => rest.clone(),
                    None => missing.clone(),
                }
            }
            Question::Is(asked) => {
                let mut shares = vec![0.0; first.len()];
                let missing_bucket = column.missing.map(|code| column.bucket(code) as usize);
                column.spread(row[axis], |bucket, share| {
                    let branch = match bucket {
                        _ if Some(bucket) == missing_bucket => missing,
                        _ if bucket == asked => first,
                        _ => rest,
                    };
                    shares.iter_mut().zip(branch).for_each(|(sum, p)| *sum += share * p);
                });
                shares
            }
        }
    }
}

//! CART: a tree of thresholds on single features, down to a stated depth.
//!
//! # Method
//! 1. Each feature has at most 32 thresholds: between its distinct values, or between as many of them at
//!    even ranks.
//! 2. A node takes the threshold that leaves least Gini impurity; the first feature and the lowest
//!    threshold win ties. It stays a leaf at the depth limit, when nothing is gained, or when a side would
//!    have fewer than 5 rows.
//! 3. A leaf predicts the classes of its rows, one more row of each counted. The tree is not pruned.
//!
//! # Cost
//! Entries times features for each level.
//!
//! # References
//! Breiman, Friedman, Olshen and Stone, 1984. specs/08 §2.

use super::Model;
use super::encode::{Bounds, Encoder};
use super::sample::{Sample, smoothed};

/// Thresholds that a feature has at most.
const MAX_CUTS: usize = 32;
/// Rows that a side of a split has at least.
const MIN_ROWS: f64 = 5.0;

pub(super) struct Cart<'a> {
    encoder: &'a Encoder,
    // Root first.
    nodes: Vec<Node>,
}

enum Node {
    Leaf(Vec<f64>),
    Split { feature: usize, threshold: f64, low: usize, high: usize },
}

pub(super) fn fit<'a>(encoder: &'a Encoder, sample: &Sample, depth: u32) -> Cart<'a> {
    let run = Run::new(encoder, sample);
    let mut nodes = Vec::new();
    run.grow((0..sample.len()).collect(), depth, &mut nodes);
    Cart { encoder, nodes }
}

struct Run<'a> {
    sample: &'a Sample,
    cuts: Vec<Vec<f64>>,
    // The number of thresholds below each feature of each entry: entry-major.
    bins: Vec<u8>,
}

impl<'a> Run<'a> {
    fn new(encoder: &Encoder, sample: &'a Sample) -> Self {
        let n_features = encoder.n_features();
        let mut values = vec![vec![0.0]; n_features];
        let each = |entry, add: &mut dyn FnMut(usize, f64)| {
            encoder.features(sample.bounds(entry), add);
        };
        for entry in 0..sample.len() {
            each(entry, &mut |feature, value| values[feature].push(value));
        }
        let cuts: Vec<Vec<f64>> = values.into_iter().map(cuts).collect();
        let mut bins = vec![0; sample.len() * n_features];
        let bin = |feature: usize, value: f64| {
            let bin = cuts[feature].partition_point(|&cut| cut < value);
            u8::try_from(bin).expect("there are at most 32 cuts")
        };
        let of_zero: Vec<u8> = (0..n_features).map(|feature| bin(feature, 0.0)).collect();
        for (entry, bins) in bins.chunks_mut(n_features.max(1)).enumerate() {
            bins.copy_from_slice(&of_zero);
            each(entry, &mut |feature, value| bins[feature] = bin(feature, value));
        }
        Self { sample, cuts, bins }
    }

    /// Grows the tree below a node and gives its position.
    fn grow(&self, entries: Vec<usize>, depth: u32, nodes: &mut Vec<Node>) -> usize {
        let mut totals = vec![0.0; self.sample.n_classes];
        for &(class, n) in entries.iter().flat_map(|&entry| self.sample.classes(entry)) {
            totals[class] += n;
        }
        let position = nodes.len();
        nodes.push(Node::Leaf(smoothed(&totals)));
        let Some((feature, cut)) = (depth > 0).then(|| self.best(&entries, &totals)).flatten()
        else {
            return position;
        };
        let bin = |entry: usize| usize::from(self.bins[entry * self.cuts.len() + feature]);
        let (low, high) = entries.into_iter().partition(|&entry| bin(entry) <= cut);
        let low = self.grow(low, depth - 1, nodes);
        let high = self.grow(high, depth - 1, nodes);
        nodes[position] = Node::Split { feature, threshold: self.cuts[feature][cut], low, high };
        position
    }

    /// The feature and the threshold that leave least impurity.
    fn best(&self, entries: &[usize], totals: &[f64]) -> Option<(usize, usize)> {
        let (n_features, n_classes) = (self.cuts.len(), self.sample.n_classes);
        let bin_of =
            |feature: usize, bin: u8| (feature * (MAX_CUTS + 1) + usize::from(bin)) * n_classes;
        let mut counts = vec![0.0; n_features * (MAX_CUTS + 1) * n_classes];
        for &entry in entries {
            let bins = &self.bins[entry * n_features..][..n_features];
            for &(class, n) in self.sample.classes(entry) {
                for (feature, &bin) in bins.iter().enumerate() {
                    counts[bin_of(feature, bin) + class] += n;
                }
            }
        }
        // Purity Σ over sides of Σ n_c² / n is to be greatest: impurity is rows minus that.
        let mut greatest = purity(totals) * (1.0 + 1e-9);
        let mut best = None;
        for feature in 0..n_features {
            let mut low = vec![0.0; n_classes];
            let mut high = totals.to_vec();
            for cut in 0..self.cuts[feature].len() {
                let at = (feature * (MAX_CUTS + 1) + cut) * n_classes;
                for (class, n) in counts[at..at + n_classes].iter().enumerate() {
                    low[class] += n;
                    high[class] -= n;
                }
                if [&low, &high].iter().any(|side| side.iter().sum::<f64>() < MIN_ROWS - 1e-9) {
                    continue;
                }
                let found = purity(&low) + purity(&high);
                if found > greatest {
                    greatest = found * (1.0 + 1e-12);
                    best = Some((feature, cut));
                }
            }
        }
        best
    }
}

fn purity(counts: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    if total > 0.0 { counts.iter().map(|n| n * n).sum::<f64>() / total } else { 0.0 }
}

/// The thresholds of a feature with these values.
fn cuts(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values.dedup();
    let between: Vec<f64> = values.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    if between.len() <= MAX_CUTS {
        return between;
    }
    (0..MAX_CUTS).map(|cut| between[cut * between.len() / MAX_CUTS]).collect()
}

impl Model for Cart<'_> {
    fn predict(&self, row: &Bounds) -> Vec<f64> {
        let mut values = vec![0.0; self.encoder.n_features()];
        self.encoder.features(row, |feature, value| values[feature] = value);
        let mut at = 0;
        loop {
            match &self.nodes[at] {
                Node::Leaf(shares) => return shares.clone(),
                Node::Split { feature, threshold, low, high } => {
                    at = if values[*feature] <= *threshold { *low } else { *high };
                }
            }
        }
    }
}

//! CART: a tree of questions about single columns, down to a stated depth.
//!
//! # Method
//! 1. A column of numbers is asked whether the middle of its range is above a threshold: at most 32 of them,
//!    between its distinct values, or between as many of them at even ranks. Any other column is asked
//!    whether it is one value, and every column whether it is missing.
//! 2. A node that covers several values goes both ways, with the share of the values on each side that no
//!    question further up ruled out; so does a missing number, which counts as 0 for thresholds, go one way.
//! 3. A node of the tree takes the question that leaves least Gini impurity; the first column and the lowest
//!    threshold or value win ties. It stays a leaf at the depth limit, when nothing is gained, or when a side
//!    would have fewer than 5 rows.
//! 4. A leaf predicts the classes of its rows, one more row of each counted. The tree is not pruned.
//!
//! Whoever is tested shows single values. So no question is about how much a cell covers: its answer would
//! be the same for everybody tested, and send them where few rows of the release went.
//!
//! # Cost
//! Entries times the values that their cells cover, for each level.
//!
//! # References
//! Breiman, Friedman, Olshen and Stone, 1984; Quinlan, C4.5, 1993 (rows that go both ways).

use super::Model;
use super::encode::{Bounds, Encoder};
use super::sample::{Sample, smoothed};

/// Thresholds that a column has at most.
const MAX_CUTS: usize = 32;
/// Rows that a side of a split has at least.
const MIN_ROWS: f64 = 5.0;
/// Shares below are rounding.
const LEAST: f64 = 1e-9;

pub(super) struct Cart<'a> {
    encoder: &'a Encoder,
    // Root first.
    nodes: Vec<Node>,
}

enum Node {
    Leaf(Vec<f64>),
    Above { axis: usize, threshold: f64, yes: usize, no: usize },
    Is { axis: usize, kind: usize, yes: usize, no: usize },
}

/// A question about a column: an index into its thresholds, or a kind of value.
#[derive(Clone, Copy)]
enum Question {
    Above { axis: usize, cut: usize },
    Is { axis: usize, kind: usize },
}

/// What the questions further up tell of every row of a node.
#[derive(Clone, Default)]
struct Known {
    // The columns whose kind of value is settled.
    settled: Vec<usize>,
    ruled_out: Vec<(usize, usize)>,
}

impl Known {
    fn answered(&self, question: Question, is_yes: bool) -> Self {
        let mut known = self.clone();
        match (question, is_yes) {
            (Question::Is { axis, .. }, true) => known.settled.push(axis),
            (Question::Is { axis, kind }, false) => known.ruled_out.push((axis, kind)),
            (Question::Above { .. }, _) => {}
        }
        known
    }

    /// The kinds of value that are left of a cell, with their shares.
    fn spread(
        &self,
        encoder: &Encoder,
        axis: usize,
        bounds: (u32, u32),
        mut each: impl FnMut(usize, f64),
    ) {
        let column = &encoder.axes[axis];
        let is_left = |kind: usize| !self.ruled_out.contains(&(axis, kind));
        let mut left = 0.0;
        column.spread_kinds(bounds, |kind, share| left += if is_left(kind) { share } else { 0.0 });
        if left > LEAST {
            column.spread_kinds(bounds, |kind, share| {
                if is_left(kind) {
                    each(kind, share / left);
                }
            });
        }
    }

    /// The share of one kind of value in what is left of a cell.
    fn share(&self, encoder: &Encoder, axis: usize, kind: usize, bounds: (u32, u32)) -> f64 {
        let mut share = 0.0;
        self.spread(encoder, axis, bounds, |other, of_other| {
            share += if other == kind { of_other } else { 0.0 };
        });
        share
    }
}

pub(super) fn fit<'a>(encoder: &'a Encoder, sample: &Sample, depth: u32) -> Cart<'a> {
    let run = Run::new(encoder, sample);
    let mut nodes = Vec::new();
    let all = (0..sample.len()).map(|entry| (entry, 1.0)).collect();
    run.grow(all, &Known::default(), depth, &mut nodes);
    Cart { encoder, nodes }
}

/// The middle of what a row shows of a column of numbers.
fn middle(encoder: &Encoder, axis: usize, bounds: (u32, u32)) -> Option<f64> {
    let numbers = encoder.axes[axis].numbers.as_ref()?;
    Some(numbers.middle(bounds).map_or(0.0, |(middle, _)| middle))
}

struct Run<'a> {
    encoder: &'a Encoder,
    sample: &'a Sample,
    // By column; none for one that is not of numbers.
    cuts: Vec<Vec<f64>>,
    // The number of thresholds below each middle of each entry: entry-major.
    bins: Vec<u8>,
    // By column, the first of its kinds among those of all.
    first_kind: Vec<usize>,
    n_kinds: usize,
}

impl<'a> Run<'a> {
    fn new(encoder: &'a Encoder, sample: &'a Sample) -> Self {
        let n_axes = encoder.axes.len();
        let middle = |entry: usize, axis: usize| middle(encoder, axis, sample.bounds(entry)[axis]);
        let of_axis = |axis| cuts((0..sample.len()).filter_map(|e| middle(e, axis)).collect());
        let cuts: Vec<Vec<f64>> = (0..n_axes).map(of_axis).collect();
        let mut bins = vec![0; sample.len() * n_axes];
        for (entry, bins) in bins.chunks_mut(n_axes.max(1)).enumerate() {
            for (axis, bin) in bins.iter_mut().enumerate() {
                let below = |middle| cuts[axis].partition_point(|&cut| cut < middle);
                let found = middle(entry, axis).map_or(0, below);
                *bin = u8::try_from(found).expect("there are at most 32 cuts");
            }
        }
        let mut n_kinds = 0;
        let first_kind = encoder.axes.iter().map(|axis| {
            let first = n_kinds;
            n_kinds += if axis.numbers.is_some() { 2 } else { axis.n_buckets() };
            first
        });
        let first_kind = first_kind.collect();
        Self { encoder, sample, cuts, bins, first_kind, n_kinds }
    }

    /// Grows the tree below a node and gives its position.
    fn grow(
        &self,
        entries: Vec<(usize, f64)>,
        known: &Known,
        depth: u32,
        nodes: &mut Vec<Node>,
    ) -> usize {
        let mut totals = vec![0.0; self.sample.n_classes];
        for &(entry, weight) in &entries {
            self.sample.classes(entry).iter().for_each(|&(class, n)| totals[class] += weight * n);
        }
        let position = nodes.len();
        nodes.push(Node::Leaf(smoothed(&totals)));
        let best = (depth > 0).then(|| self.best(&entries, known, &totals)).flatten();
        let Some(question) = best else { return position };
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for (entry, weight) in entries {
            let share = match question {
                Question::Above { axis, cut } => f64::from(u8::from(self.bin(entry, axis) > cut)),
                Question::Is { axis, kind } => {
                    known.share(self.encoder, axis, kind, self.sample.bounds(entry)[axis])
                }
            };
            yes.extend((share > LEAST).then_some((entry, weight * share)));
            no.extend((share < 1.0 - LEAST).then_some((entry, weight * (1.0 - share))));
        }
        let yes = self.grow(yes, &known.answered(question, true), depth - 1, nodes);
        let no = self.grow(no, &known.answered(question, false), depth - 1, nodes);
        nodes[position] = match question {
            Question::Above { axis, cut } => {
                Node::Above { axis, threshold: self.cuts[axis][cut], yes, no }
            }
            Question::Is { axis, kind } => Node::Is { axis, kind, yes, no },
        };
        position
    }

    fn bin(&self, entry: usize, axis: usize) -> usize {
        usize::from(self.bins[entry * self.cuts.len() + axis])
    }

    /// The question that leaves least impurity.
    fn best(&self, entries: &[(usize, f64)], known: &Known, totals: &[f64]) -> Option<Question> {
        let (n_axes, n_classes) = (self.cuts.len(), self.sample.n_classes);
        let mut of_bin = vec![0.0; n_axes * (MAX_CUTS + 1) * n_classes];
        let mut of_kind = vec![0.0; self.n_kinds * n_classes];
        for &(entry, weight) in entries {
            let (classes, bounds) = (self.sample.classes(entry), self.sample.bounds(entry));
            let add = |counts: &mut [f64], at: usize, share: f64| {
                for &(class, n) in classes {
                    counts[at * n_classes + class] += share * n;
                }
            };
            for (axis, &bounds) in bounds.iter().enumerate() {
                if !self.cuts[axis].is_empty() {
                    add(&mut of_bin, axis * (MAX_CUTS + 1) + self.bin(entry, axis), weight);
                }
                known.spread(self.encoder, axis, bounds, |kind, share| {
                    add(&mut of_kind, self.first_kind[axis] + kind, weight * share);
                });
            }
        }
        // Purity Σ over sides of Σ n_c² / n is to be greatest: impurity is rows minus that.
        let mut greatest = purity(totals) * (1.0 + 1e-9);
        let mut best = None;
        let mut consider = |question, side: &[f64]| {
            let rest: Vec<f64> =
                totals.iter().zip(side).map(|(all, n)| (all - n).max(0.0)).collect();
            let is_small = |side: &[f64]| side.iter().sum::<f64>() < MIN_ROWS - LEAST;
            let found = purity(side) + purity(&rest);
            if found > greatest && !is_small(side) && !is_small(&rest) {
                greatest = found * (1.0 + 1e-12);
                best = Some(question);
            }
        };
        for axis in 0..n_axes {
            let mut low = vec![0.0; n_classes];
            for cut in 0..self.cuts[axis].len() {
                let at = (axis * (MAX_CUTS + 1) + cut) * n_classes;
                low.iter_mut().zip(&of_bin[at..]).for_each(|(low, n)| *low += n);
                consider(Question::Above { axis, cut }, &low);
            }
            if known.settled.contains(&axis) {
                continue;
            }
            let column = &self.encoder.axes[axis];
            let n_kinds = if column.numbers.is_some() { 1 } else { column.n_buckets() };
            for kind in 0..n_kinds {
                let at = (self.first_kind[axis] + kind) * n_classes;
                consider(Question::Is { axis, kind }, &of_kind[at..at + n_classes]);
            }
        }
        best
    }
}

fn purity(counts: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    if total > 0.0 { counts.iter().map(|n| n * n).sum::<f64>() / total } else { 0.0 }
}

/// The thresholds of a column with these values.
fn cuts(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values.dedup();
    let between: Vec<f64> = values.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    if between.len() <= MAX_CUTS {
        return between;
    }
    (0..MAX_CUTS).map(|cut| between[cut * between.len() / MAX_CUTS]).collect()
}

impl Cart<'_> {
    /// Adds to `shares` what the leaves say that a row with some weight comes to.
    fn add(&self, at: usize, weight: f64, row: &Bounds, known: &Known, shares: &mut [f64]) {
        match self.nodes[at] {
            Node::Leaf(ref leaf) => {
                shares.iter_mut().zip(leaf).for_each(|(sum, share)| *sum += weight * share);
            }
            Node::Above { axis, threshold, yes, no } => {
                let value = middle(self.encoder, axis, row[axis]).unwrap_or(0.0);
                let at = if value > threshold { yes } else { no };
                self.add(at, weight, row, known, shares);
            }
            Node::Is { axis, kind, yes, no } => {
                let share = known.share(self.encoder, axis, kind, row[axis]);
                let question = Question::Is { axis, kind };
                for (at, share, is_yes) in [(yes, share, true), (no, 1.0 - share, false)] {
                    if share > LEAST {
                        let known = known.answered(question, is_yes);
                        self.add(at, weight * share, row, &known, shares);
                    }
                }
            }
        }
    }
}

impl Model for Cart<'_> {
    fn predict(&self, row: &Bounds) -> Vec<f64> {
        let n_classes = self.nodes.iter().find_map(|node| match node {
            Node::Leaf(shares) => Some(shares.len()),
            _ => None,
        });
        let mut shares = vec![0.0; n_classes.unwrap_or(0)];
        self.add(0, 1.0, row, &Known::default(), &mut shares);
        shares
    }
}

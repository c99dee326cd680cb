//! Centroids by axis, and the distance of one row from all of them.

use std::ops::Range;

use kohort_core::Codes;

use crate::ranked::rounded;
use crate::scan::{CostsFrom, sum_up};
use crate::{Axis, Space};

/// The centroids of clusters.
pub(super) struct Centroids<'s> {
    columns: Vec<Column<'s>>,
}

/// The centroids on one axis.
enum Column<'s> {
    Numbers(Numbers<'s>),
    Tree(Tree<'s>),
}

/// Means of numbers.
struct Numbers<'s> {
    axis: &'s Axis,
    // The row at hand; none when its value is missing.
    place: Option<f64>,
    sums: Vec<f64>,
    counts: Vec<f64>,
    means: Vec<f64>,
    // The distance from a number that a missing member makes, and from a missing value that a number
    // makes: the weight of the axis, or 0 where there is none.
    if_number: Vec<f64>,
    if_missing: Vec<f64>,
}

/// Lowest common ancestors.
///
/// The ancestors of x and the first member, and of all members, stand above the same leaf. So one is above
/// the other, and that one is the ancestor of x and all members: its cost is the larger of the two.
struct Tree<'s> {
    axis: &'s Axis,
    costs: CostsFrom<'s>,
    first_members: Codes,
    lo: Vec<u32>,
    hi: Vec<u32>,
    of_members: Vec<f64>,
}

impl<'s> Centroids<'s> {
    /// The centroids of clusters of one row each.
    pub(super) fn new(space: &'s Space, seeds: &[&[u32]]) -> Self {
        let column = |(index, axis): (usize, &'s Axis)| {
            let codes: Vec<u32> = seeds.iter().map(|seed| seed[index]).collect();
            if (0..axis.n_codes()).any(|code| axis.place(code).is_some()) {
                Column::Numbers(Numbers::new(axis, &codes))
            } else {
                Column::Tree(Tree::new(axis, codes))
            }
        };
        Self { columns: space.axes().iter().enumerate().map(column).collect() }
    }

    /// Prepares for about `n` distances of a row.
    pub(super) fn start(&mut self, codes: &[u32], n: usize) {
        for (column, &code) in self.columns.iter_mut().zip(codes) {
            match column {
                Column::Numbers(numbers) => numbers.place = numbers.axis.place(code),
                Column::Tree(tree) => tree.costs.start(code, n),
            }
        }
    }

    /// The distance of the row from each centroid.
    pub(super) fn distances(&self, distances: &mut [f64]) {
        sum_up(distances, |range, sums| self.add(&range, sums));
    }

    /// The distance of the row from one centroid.
    pub(super) fn distance(&self, cluster: usize) -> f64 {
        let mut sum = [0.0];
        self.add(&(cluster..cluster + 1), &mut sum);
        rounded(sum[0])
    }

    fn add(&self, range: &Range<usize>, sums: &mut [f64]) {
        for column in &self.columns {
            match column {
                Column::Numbers(numbers) => numbers.add(range, sums),
                Column::Tree(tree) => tree.add(range, sums),
            }
        }
    }

    /// Moves the centroid of a cluster that a row joins.
    pub(super) fn take_in(&mut self, cluster: usize, codes: &[u32]) {
        for (column, &code) in self.columns.iter_mut().zip(codes) {
            match column {
                Column::Numbers(numbers) => numbers.take_in(cluster, code),
                Column::Tree(tree) => tree.take_in(cluster, code),
            }
        }
    }
}

impl<'s> Numbers<'s> {
    fn new(axis: &'s Axis, seeds: &[u32]) -> Self {
        let zeros = || vec![0.0; seeds.len()];
        let mut numbers = Self {
            axis,
            place: None,
            sums: zeros(),
            counts: zeros(),
            means: zeros(),
            if_number: zeros(),
            if_missing: zeros(),
        };
        for (cluster, &code) in seeds.iter().enumerate() {
            numbers.take_in(cluster, code);
        }
        numbers
    }

    fn add(&self, range: &Range<usize>, sums: &mut [f64]) {
        let Some(place) = self.place else {
            for (sum, distance) in sums.iter_mut().zip(&self.if_missing[range.clone()]) {
                *sum += distance;
            }
            return;
        };
        let centroids = self.means[range.clone()].iter().zip(&self.if_number[range.clone()]);
        for (sum, (mean, at_least)) in sums.iter_mut().zip(centroids) {
            *sum += (place - mean).abs().max(*at_least);
        }
    }

    fn take_in(&mut self, cluster: usize, code: u32) {
        if let Some(place) = self.axis.place(code) {
            self.if_missing[cluster] = self.axis.weight();
            self.sums[cluster] += place;
            self.counts[cluster] += 1.0;
            self.means[cluster] = self.sums[cluster] / self.counts[cluster];
        } else {
            self.if_number[cluster] = self.axis.weight();
        }
    }
}

impl<'s> Tree<'s> {
    fn new(axis: &'s Axis, seeds: Vec<u32>) -> Self {
        let mut first_members = Codes::default();
        for &code in &seeds {
            first_members.push(code);
        }
        let of_members = vec![0.0; seeds.len()];
        let costs = CostsFrom::new(axis);
        Self { axis, costs, first_members, lo: seeds.clone(), hi: seeds, of_members }
    }

    fn add(&self, range: &Range<usize>, sums: &mut [f64]) {
        let of_members = &self.of_members[range.clone()];
        let larger =
            |at: usize, cost: f64| if cost < of_members[at] { of_members[at] } else { cost };
        self.costs.add(&self.first_members, range.clone(), sums, larger);
    }

    fn take_in(&mut self, cluster: usize, code: u32) {
        self.lo[cluster] = code.min(self.lo[cluster]);
        self.hi[cluster] = code.max(self.hi[cluster]);
        self.of_members[cluster] = self.axis.cost(self.lo[cluster], self.hi[cluster]);
    }
}

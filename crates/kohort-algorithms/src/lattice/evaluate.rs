//! What a node is worth: its outliers, its loss, and a bound on the loss of every node below it.
//!
//! # Bounds
//! Let v ≤ w. Rows in classes of w that are too small for any promise are in such classes at v too:
//! they are suppressed at both. Every other row costs at v at least what its cells cost at v, because
//! suppression costs 1 and no cells cost more. So, with S the small rows of w,
//!
//! | metric | no node v from u up to w has a smaller loss than |
//! |---|---|
//! | cells | Σ over axes of the cost of the rows outside of S at level uᵢ, plus |S| |
//! | discernibility | Σ over rows outside of S of max(entry, smallest), plus n·|S|; entry = its class at u or less |
//! | average class size | n / Σ over classes of w outside of S of min(entries, ⌊size / smallest⌋) |
//! | divergence | see `divergence.rs` |
//!
//! The first needs no grouping at u: one histogram of S for each axis tells it for every u.

use super::classes::{Desk, at};
use super::divergence::TICKS;
use super::{Lattice, ONE, TICK, Table};
use crate::Metric;

/// What a node is worth.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Whether the outliers are few enough.
    pub(crate) is_ok: bool,
    /// The rows in classes that break a promise; of a node that is not ok at least so many.
    pub(crate) outliers: u64,
    /// The loss, with the outliers suppressed; only of a node that is ok.
    pub(crate) loss: u128,
    /// No node from the table's up to this one is ok.
    pub(crate) is_hopeless: bool,
    below: Below,
}

/// What the loss of a node below is at least.
#[derive(Clone, Debug)]
pub(super) enum Below {
    /// A sum over axes of what is lost at its level, in units, and what is lost anyway.
    Sums(Vec<Vec<u128>>, u128),
    /// The same for all nodes from the table's on.
    Constant(u128),
}

impl Outcome {
    /// What a node is worth when no node up to it is ok.
    const HOPELESS: Self = Self {
        is_ok: false,
        outliers: 1,
        loss: u128::MAX,
        is_hopeless: true,
        below: Below::Constant(u128::MAX),
    };
}

impl Lattice<'_, '_> {
    /// Groups a table, which is at or below the node, by the node.
    pub(crate) fn evaluate(&self, table: &Table, node: &[u32], desk: &mut Desk) -> Outcome {
        kohort_core::alive();
        if self.is_ruled_out(table, node, desk) {
            return Outcome::HOPELESS;
        }
        let smallest = self.promises.smallest();
        let span = self.classes(table, node, desk);
        let small = desk.n_rows(span, |desk, key| self.is_small(desk, key));
        let outliers = desk.n_rows(span, |desk, key| desk.fails(key, smallest));
        let is_ok = outliers <= self.allowed
            && self.is_present(desk, outliers)
            && self.are_outliers_kept(table, outliers, desk);
        let is_hopeless =
            small.max(self.surplus(desk)) > self.allowed || (!is_ok && self.is_monotone());
        let (mut loss, mut below) = (u128::MAX, Below::Constant(u128::MAX));
        if !is_hopeless {
            (loss, below) = match self.problem.settings().metric {
                Metric::Cells(_) => self.of_cells(table, node, desk, small, outliers),
                Metric::Discernibility => self.discernibility(table, desk),
                Metric::AverageClassSize => self.average_class_size(desk),
                Metric::Divergence => self.divergence(table, node, desk, small, outliers),
                Metric::MeanDivergence => self.mean_divergence(table, node, desk, outliers),
            };
        }
        desk.sizes[..span].fill(0);
        Outcome { is_ok, outliers, loss, is_hopeless, below }
    }

    /// What a node is worth that is known to be ok, where no row may be an outlier and the loss is one of
    /// cells: it needs no grouping.
    pub(crate) fn known(&self, node: &[u32]) -> Option<Outcome> {
        let is_plain = matches!(self.problem.settings().metric, Metric::Cells(_));
        if !is_plain || self.allowed > 0 || !self.is_monotone() {
            return None;
        }
        let sums = self.totals(node);
        let loss = self.rank(at_node(&sums, node));
        let below = Below::Sums(sums, 0);
        Some(Outcome { is_ok: true, outliers: 0, loss, is_hopeless: false, below })
    }

    /// No node between `low`, which is at or above the evaluated table, and the node has a smaller loss.
    pub(crate) fn bound(&self, outcome: &Outcome, low: &[u32]) -> u128 {
        match &outcome.below {
            Below::Sums(sums, anyway) => {
                let lost = sums.iter().zip(low).map(|(sums, &level)| sums[level as usize]);
                let bound = self.rank(lost.sum::<u128>() + anyway);
                bound.saturating_sub(u128::from(self.problem.settings().metric.is_divergence()))
            }
            Below::Constant(bound) => *bound,
        }
    }

    /// A loss in units, as the mean over rows in ticks.
    pub(super) fn rank(&self, units: u128) -> u128 {
        let is_coarse = self.problem.settings().metric.is_divergence();
        let tick = self.problem.n_rows() as u128 * TICK * if is_coarse { TICKS } else { 1 };
        (units + tick / 2) / tick
    }

    fn of_cells(
        &self,
        table: &Table,
        node: &[u32],
        desk: &Desk,
        small: u64,
        outliers: u64,
    ) -> (u128, Below) {
        let smallest = self.promises.smallest();
        let is_small = |key: u64| self.is_small(desk, key);
        let sums = self.without(table, desk, node, small, is_small);
        let kept = if small == outliers {
            at_node(&sums, node)
        } else {
            let fails = |key: u64| desk.fails(key, smallest);
            at_node(&self.without(table, desk, node, outliers, fails), node)
        };
        let loss = self.rank(kept + u128::from(outliers) * ONE);
        (loss, Below::Sums(sums, u128::from(small) * ONE))
    }

    /// For each axis and level up to the node's, what all rows cost.
    pub(super) fn totals(&self, node: &[u32]) -> Vec<Vec<u128>> {
        let up_to =
            |(ladder, &level): (&super::Ladder, &u32)| ladder.totals[..=level as usize].to_vec();
        self.ladders.iter().zip(node).map(up_to).collect()
    }

    /// For each axis and level up to the node's, what the rows without those of some classes cost.
    pub(super) fn without(
        &self,
        table: &Table,
        desk: &Desk,
        node: &[u32],
        n_left_out: u64,
        is_left_out: impl Fn(u64) -> bool,
    ) -> Vec<Vec<u128>> {
        let mut sums = self.totals(node);
        if n_left_out == 0 {
            return sums;
        }
        let counts = self.left_out(table, desk, is_left_out);
        for ((ladder, sums), counts) in self.ladders.iter().zip(&mut sums).zip(counts) {
            for (sum, costs) in sums.iter_mut().zip(&ladder.costs).skip(1) {
                let cost = |(&count, &cost): (&u32, &u64)| u128::from(count) * u128::from(cost);
                // Below the table's level the codes of an entry say nothing about its other rows: what
                // stands there is never asked for.
                *sum = sum.saturating_sub(counts.iter().zip(costs).map(cost).sum());
            }
        }
        sums
    }

    /// For each axis and code, how many rows of some classes there are.
    pub(super) fn left_out(
        &self,
        table: &Table,
        desk: &Desk,
        is_left_out: impl Fn(u64) -> bool,
    ) -> Vec<Vec<u32>> {
        let left_out: Vec<(usize, u32)> = (desk.keys.iter().zip(&table.weights).enumerate())
            .filter(|(_, (key, _))| is_left_out(**key))
            .map(|(entry, (_, &weight))| (entry, weight))
            .collect();
        let empty = |ladder: &super::Ladder| vec![0_u32; ladder.cells[0].len()];
        let mut found: Vec<Vec<u32>> = self.ladders.iter().map(empty).collect();
        for (pack, codes) in self.packs.iter().zip(&table.packed) {
            let mut packed = vec![0_u32; pack.n_codes()];
            for &(entry, weight) in &left_out {
                packed[codes.get(entry) as usize] += weight;
            }
            for (axis, unpack) in pack.axes(&self.ladders) {
                for (code, count) in (0..).zip(&packed) {
                    found[axis][unpack.code(code) as usize] += count;
                }
            }
        }
        found
    }

    fn discernibility(&self, table: &Table, desk: &Desk) -> (u128, Below) {
        let (n, smallest) = (self.problem.n_rows() as u64, self.promises.smallest());
        let (mut loss, mut bound) = (0, 0);
        for (&key, &weight) in desk.keys.iter().zip(&table.weights) {
            let (size, weight) = (u64::from(desk.sizes[at(key)]), u64::from(weight));
            let each = if desk.fails(key, smallest) { n } else { size };
            loss += u128::from(weight) * u128::from(each);
            let least = if self.is_small(desk, key) { n } else { weight.max(smallest) };
            bound += u128::from(weight) * u128::from(least);
        }
        (loss, Below::Constant(bound))
    }

    fn average_class_size(&self, desk: &Desk) -> (u128, Below) {
        let smallest = self.promises.smallest();
        let mut entries = vec![0_u64; desk.sizes.len()];
        for &key in &desk.keys {
            entries[at(key)] += 1;
        }
        let (mut kept, mut most) = (0, 0);
        for (key, &entries) in (0..).zip(&entries).filter(|(_, entries)| **entries > 0) {
            kept += u128::from(!desk.fails(key, smallest));
            if !self.is_small(desk, key) {
                most += u128::from(entries.min(u64::from(desk.sizes[at(key)]) / smallest));
            }
        }
        let mean = |classes: u128| {
            let rows = self.problem.n_rows() as u128 * ONE;
            rows.checked_div(classes).unwrap_or(u128::MAX)
        };
        (mean(kept), Below::Constant(mean(most)))
    }
}

/// The sum over axes of what is lost at the level of a node.
pub(super) fn at_node(sums: &[Vec<u128>], node: &[u32]) -> u128 {
    sums.iter().zip(node).map(|(sums, &level)| sums[level as usize]).sum()
}

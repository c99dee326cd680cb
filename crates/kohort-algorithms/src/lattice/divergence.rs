//! Kullback-Leibler divergence as the loss of a node.
//!
//! # Formula
//! Σ p1 ln(p1 / p2) (Kifer and Gehrke 2006), without Σ p1 ln p1, which is the same for all nodes. A row whose
//! class has `size` rows in a box of `volume` combinations, beside s suppressed rows, costs
//! −ln(size / (n · volume) + s / (n · all)); a suppressed one −ln(s / (n · all)). Of one attribute alone the
//! classes are its cells.
//!
//! # Bounds
//! Let u ≤ v ≤ w, and S be the rows in classes of w that are too small for any promise: they are suppressed at
//! v. Those outside of S have at v the same p2 throughout a box of u, and of all distributions of which that
//! is true none fits them better than their own: a row in a box of `size` costs at least
//! −ln(size / ((n − |S|) · volume)), and no box of u has more rows than that of w around it. A row in S costs at
//! least −ln(s / (n · all)) with as many suppressed rows as may be. One attribute alone costs at least what it
//! costs at u where nothing is suppressed, by the same argument.
//!
//! Costs are logarithms, which round: they are compared in coarser units than other losses, and a bound is
//! one of them lower.

use kohort_core::{Attribute, Cell};

use super::classes::{Desk, at};
use super::evaluate::{Below, at_node};
use super::{Lattice, ONE, Table};
use crate::Metric;

/// Losses that differ by less than this many ticks are equal.
pub(super) const TICKS: u128 = 1 << 10;

/// What costs are divided by, so that a row without classes costs at most 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    n_rows: f64,
    // The logarithm of the number of combinations.
    all: f64,
    pub(super) whole: f64,
}

impl Scale {
    pub(super) fn new(metric: Metric, quasi: &[&Attribute], n_rows: usize) -> Self {
        let n_rows = n_rows as f64;
        let all = quasi.iter().map(|attribute| f64::from(attribute.n_codes()).ln()).sum::<f64>();
        let whole = match metric {
            Metric::MeanDivergence => all + quasi.len() as f64 * n_rows.ln(),
            _ => all,
        };
        Self { n_rows, all, whole: if whole > 0.0 { whole } else { 1.0 } }
    }

    /// What each code costs where these cells are shown.
    pub(super) fn costs(self, metric: Metric, attribute: &Attribute, shown: &[Cell]) -> Vec<f64> {
        let volume = |&cell: &Cell| {
            let (lo, hi) = attribute.codes_of(cell);
            f64::from(hi - lo) + 1.0
        };
        let counts = attribute.counts();
        let cost = |cell: &Cell| match metric {
            Metric::MeanDivergence => {
                let (lo, hi) = attribute.codes_of(*cell);
                let n_rows: u32 = counts[lo as usize..=hi as usize].iter().sum();
                (self.n_rows * volume(cell) / f64::from(n_rows.max(1))).ln()
            }
            _ => volume(cell).ln(),
        };
        shown.iter().map(|cell| cost(cell) / self.whole).collect()
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "no cost is below 0"
    )]
    fn in_units(self, cost: f64) -> u128 {
        (cost.max(0.0) / self.whole * ONE as f64).round() as u128
    }
}

impl Lattice<'_, '_> {
    /// The divergence of whole rows.
    pub(super) fn divergence(
        &self,
        table: &Table,
        node: &[u32],
        desk: &Desk,
        small: u64,
        outliers: u64,
    ) -> (u128, Below) {
        let smallest = self.promises.smallest();
        let Scale { n_rows, all, whole } = self.scale;
        let (n_small, n_out) = (small as f64, outliers as f64);
        let (mut kept, mut open) = (0.0, 0.0);
        let volumes = self.volumes(table, node);
        for ((&key, &weight), volume) in desk.keys.iter().zip(&table.weights).zip(volumes) {
            let (size, weight) = (f64::from(desk.sizes[at(key)]), f64::from(weight));
            let volume = volume as f64 / ONE as f64 * whole;
            if !desk.fails(key, smallest) {
                let shown = size + n_out * (volume - all).exp();
                kept += weight * (volume + (n_rows / shown).ln());
            }
            if !self.is_small(desk, key) {
                open += weight * ((n_rows - n_small) / size).ln();
            }
        }
        let dropped =
            |rows: f64, of: f64| if rows > 0.0 { rows * (all + (n_rows / of).ln()) } else { 0.0 };
        let loss = self.scale.in_units(kept + dropped(n_out, n_out));
        let sums = self.without(table, desk, node, small, |key| self.is_small(desk, key));
        let anyway = self.scale.in_units(open + dropped(n_small, self.allowed as f64));
        (self.rank(loss), Below::Sums(sums, anyway))
    }

    /// For each entry the logarithm of its box at a node, in units.
    fn volumes(&self, table: &Table, node: &[u32]) -> Vec<u64> {
        let mut volumes = vec![0; table.len()];
        for (pack, codes) in self.packs.iter().zip(&table.packed) {
            let axes: Vec<_> = pack.axes(&self.ladders).collect();
            let of_code = |packed: u32| -> u64 {
                // People of a public table have codes of their own, and no rows.
                let cost = |&(axis, unpack): &(usize, super::table::Unpack)| {
                    let costs = &self.ladders[axis].costs[node[axis] as usize];
                    costs.get(unpack.code(packed) as usize).copied().unwrap_or(0)
                };
                axes.iter().map(cost).sum()
            };
            let of_code: Vec<u64> = (0..).take(pack.n_codes()).map(of_code).collect();
            let mut volumes = volumes.iter_mut();
            codes.for_each(|code| {
                if let Some(volume) = volumes.next() {
                    *volume += of_code[code as usize];
                }
            });
        }
        volumes
    }

    /// The mean of the divergences of each attribute alone.
    pub(super) fn mean_divergence(
        &self,
        table: &Table,
        node: &[u32],
        desk: &Desk,
        outliers: u64,
    ) -> (u128, Below) {
        let sums = self.totals(node);
        if outliers == 0 {
            return (self.rank(at_node(&sums, node)), Below::Sums(sums, 0));
        }
        let smallest = self.promises.smallest();
        let left_out = self.left_out(table, desk, |key| desk.fails(key, smallest));
        let n_out = outliers as f64;
        let mut loss = 0.0;
        let axes = self.ladders.iter().zip(self.problem.quasi()).zip(node).zip(left_out);
        for (((ladder, attribute), &level), left_out) in axes {
            let n_cells = ladder.spans[level as usize] as usize;
            let (mut rows, mut out, mut volumes) =
                (vec![0_u32; n_cells], vec![0_u32; n_cells], vec![0.0; n_cells]);
            let cells = &ladder.cells[level as usize];
            for (&cell, &count) in cells.iter().zip(&left_out) {
                out[cell as usize] += count;
            }
            for (code, (&cell, &count)) in (0..).zip(cells.iter().zip(attribute.counts())) {
                rows[cell as usize] += count;
                let (lo, hi) = attribute.codes_of(super::cell_at(attribute, code, level));
                volumes[cell as usize] = f64::from(hi - lo) + 1.0;
            }
            let everywhere = n_out / f64::from(attribute.n_codes());
            for ((&rows, &out), volume) in rows.iter().zip(&out).zip(volumes) {
                if rows > 0 {
                    let shown = f64::from(rows - out) / volume + everywhere;
                    loss += f64::from(rows) * (self.scale.n_rows / shown).ln();
                }
            }
        }
        (self.rank(self.scale.in_units(loss)), Below::Sums(sums, 0))
    }
}

//! Which columns are near each other, by quasi-identifiers alone.

use super::blocks::Ground;
use super::refine::{Column, Order};
use crate::extent::Extent;

/// More columns than this are cut in two before every pair of them is looked at.
const MOST: usize = 512;

impl Order for Ground<'_, '_> {
    /// Pairs near columns, then near pairs, and so on.
    fn arrange(&self, node: &mut [Column]) {
        if node.len() > MOST {
            self.sort(node);
            let (left, right) = node.split_at_mut(node.len() / 2);
            self.arrange(left);
            self.arrange(right);
            return;
        }
        let around = |column: &Column| self.around(&column.rows);
        let mut trees: Vec<(Extent, Vec<usize>)> =
            node.iter().enumerate().map(|(at, column)| (around(column), vec![at])).collect();
        while trees.len() > 1 {
            let mut pairs = Vec::with_capacity(trees.len() * trees.len() / 2);
            for (a, (one, _)) in trees.iter().enumerate() {
                for (b, (other, _)) in trees.iter().enumerate().skip(a + 1) {
                    pairs.push((self.cost(one, other), a, b));
                }
            }
            trees = matched(pairs, trees.len())
                .into_iter()
                .map(|(a, b)| {
                    let (mut around, mut columns) = trees[a].clone();
                    around.join(self.problem.space(), &trees[b].0.lo, &trees[b].0.hi);
                    columns.extend(&trees[b].1);
                    (around, columns)
                })
                .collect();
        }
        let order = trees.into_iter().flat_map(|(_, columns)| columns);
        let arranged: Vec<Column> = order.map(|at| node[at].clone()).collect();
        node.clone_from_slice(&arranged);
    }

    fn align(&self, left: &mut [Column], right: &mut [Column]) {
        let n = left.len();
        if n > MOST {
            let at = self.widest(&[&*left, &*right].concat());
            for side in [&mut *left, &mut *right] {
                sort_along(side, at);
            }
            let (left, right) = (left.split_at_mut(n / 2), right.split_at_mut(n / 2));
            self.align(left.0, right.0);
            self.align(left.1, right.1);
            return;
        }
        let around = |column: &Column| self.around(&column.rows);
        let ours: Vec<Extent> = left.iter().map(around).collect();
        let theirs: Vec<Extent> = right.iter().map(around).collect();
        let mut pairs = Vec::with_capacity(n * n);
        for (a, one) in ours.iter().enumerate() {
            for (b, other) in theirs.iter().enumerate() {
                pairs.push((self.cost(one, other), a, n + b));
            }
        }
        let matched = matched(pairs, 2 * n);
        let ours: Vec<Column> = matched.iter().map(|&(a, _)| left[a].clone()).collect();
        let theirs: Vec<Column> = matched.iter().map(|&(_, b)| right[b - n].clone()).collect();
        left.clone_from_slice(&ours);
        right.clone_from_slice(&theirs);
    }

    /// In the direction in which columns differ most.
    fn sort(&self, node: &mut [Column]) {
        let at = self.widest(node);
        sort_along(node, at);
    }

    fn column(&self, rows: Vec<u32>) -> Column {
        let n = rows.len() as u64;
        let center = (0..self.problem.space().n_axes()).map(|at| {
            let sum: u64 = rows.iter().map(|&row| u64::from(self.codes(row)[at])).sum();
            u32::try_from((sum + n / 2) / n).unwrap_or(u32::MAX)
        });
        Column { center: center.collect(), rows }
    }
}

impl Ground<'_, '_> {
    /// What a row costs more in the box around both.
    fn cost(&self, one: &Extent, other: &Extent) -> f64 {
        one.cost_with(self.problem.space(), &other.lo, &other.hi)
            - f64::midpoint(one.cost, other.cost)
    }

    /// The axis along which columns differ most.
    fn widest(&self, columns: &[Column]) -> usize {
        let mut widest = (f64::NEG_INFINITY, 0);
        for (at, axis) in self.problem.space().axes().iter().enumerate() {
            let mut centers: Vec<u32> = columns.iter().map(|column| column.center[at]).collect();
            let middle = centers.len() / 2;
            let (_, &mut median, _) = centers.select_nth_unstable(middle);
            let off = |&center: &u32| axis.cost(center.min(median), center.max(median));
            let spread = centers.iter().map(off).sum::<f64>();
            if spread > widest.0 {
                widest = (spread, at);
            }
        }
        widest.1
    }
}

fn sort_along(columns: &mut [Column], at: usize) {
    columns.sort_by_cached_key(|column: &Column| (column.center[at], column.center.clone()));
}

/// Pairs of `n` items, the cheapest first, so that each is in one pair.
fn matched(mut pairs: Vec<(f64, usize, usize)>, n: usize) -> Vec<(usize, usize)> {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut is_free = vec![true; n];
    let mut found = Vec::with_capacity(n / 2);
    for (_, a, b) in pairs {
        if is_free[a] && is_free[b] {
            (is_free[a], is_free[b]) = (false, false);
            found.push((a, b));
        }
    }
    found
}

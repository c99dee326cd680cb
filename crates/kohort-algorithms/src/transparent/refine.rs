//! Top-down refinement in which a failure tells nothing about anybody in particular.

use super::blocks::Ground;
use crate::Draw;
use crate::Problem;
use crate::check::Check;

/// Rows that stay together from here on.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) rows: Vec<u32>,
    // The mean code on each axis.
    center: Vec<u32>,
}

impl Column {
    /// A column of these rows, of which nothing else is known.
    pub(super) fn anywhere(rows: Vec<u32>) -> Self {
        Self { rows, center: Vec::new() }
    }

    /// Two columns as one.
    fn joined(mut self, other: Self) -> Self {
        let (n, m) = (self.rows.len() as u64, other.rows.len() as u64);
        for (mine, theirs) in self.center.iter_mut().zip(other.center) {
            let sum = u64::from(*mine) * n + u64::from(theirs) * m;
            *mine = u32::try_from(sum / (n + m)).unwrap_or(u32::MAX);
        }
        self.rows.extend(other.rows);
        self
    }
}

/// How columns are cut, without a look at sensitive values.
pub(super) trait Order {
    /// Puts the columns of each part in order, so that its first half is apart from its second. All parts are
    /// cut in the same direction.
    fn sort(&self, parts: &mut [&mut [Column]]);

    /// Some rows as a column.
    fn column(&self, rows: Vec<u32>) -> Column;
}

/// The classes of rows in blocks of equal size.
pub(super) fn refine(
    problem: &Problem<'_>,
    order: &dyn Order,
    blocks: Vec<Vec<u32>>,
    draw: &mut Draw,
) -> Vec<Vec<u32>> {
    let mut node: Vec<Column> = blocks.into_iter().map(|rows| order.column(rows)).collect();
    let mut run = Run { check: Check::new(problem), problem, order, classes: Vec::new() };
    // Random blocks go into a tree of their own until as many are left as a power of two.
    while !node.len().is_power_of_two() {
        draw.shuffle(&mut node);
        let rest = node.split_off(1 << node.len().ilog2());
        if !run.holds(&[&node, &rest]) {
            run.classes.push(rows_of(&[node, rest].concat()));
            return run.classes;
        }
        run.refine(node, true);
        node = rest;
    }
    run.refine(node, true);
    run.classes
}

struct Run<'a, 'p, 'd> {
    check: Check<'a, 'p>,
    problem: &'p Problem<'a>,
    order: &'d dyn Order,
    classes: Vec<Vec<u32>>,
}

fn rows_of(columns: &[Column]) -> Vec<u32> {
    columns.iter().flat_map(|column| &column.rows).copied().collect()
}

impl Run<'_, '_, '_> {
    /// Cuts a node of 2^j columns, which keeps the promises, while both halves do. Where they do not, each
    /// column of one half joins one of the other, and the node is cut in another direction. `are_blocks` is
    /// whether no column was joined yet.
    fn refine(&mut self, mut node: Vec<Column>, mut are_blocks: bool) {
        while node.len() > 1 {
            self.order.sort(&mut [&mut node]);
            let mut right = node.split_off(node.len() / 2);
            let mut left = node;
            let is_too_small = rows_of(&left).len() < self.problem.smallest();
            if !is_too_small && self.holds(&[&left, &right]) {
                self.refine(left, are_blocks);
                node = right;
                continue;
            }
            if left.len() == 1 && are_blocks {
                (left, right) = (self.narrower(&left[0]), self.narrower(&right[0]));
            }
            are_blocks = false;
            align(self.order, &mut left, &mut right);
            node = left.into_iter().zip(right).map(|(a, b)| a.joined(b)).collect();
        }
        self.classes.extend(node.into_iter().map(|column| column.rows));
    }

    /// Whether the rows of each part, as a class, keep the promises.
    fn holds(&mut self, parts: &[&[Column]]) -> bool {
        parts.iter().all(|part| self.check.holds(&rows_of(part)))
    }

    /// A column as 2^j columns of as many rows each, as many as there can be.
    fn narrower(&self, column: &Column) -> Vec<Column> {
        let mut parts = vec![column.rows.iter().map(|&row| self.order.column(vec![row])).collect()];
        loop {
            let of_one: &Vec<Column> = &parts[0];
            if !of_one.len().is_multiple_of(2) {
                break;
            }
            for part in &mut parts {
                self.order.sort(&mut [part]);
            }
            let half = parts[0].len() / 2;
            parts = parts
                .iter()
                .flat_map(|part| [part[..half].to_vec(), part[half..].to_vec()])
                .collect();
        }
        parts.iter().map(|part| self.order.column(rows_of(part))).collect()
    }
}

/// Puts the columns of both sides in an order in which those at the same place are near each other.
fn align(order: &dyn Order, left: &mut [Column], right: &mut [Column]) {
    if left.len() < 2 {
        return;
    }
    order.sort(&mut [left, right]);
    let half = left.len() / 2;
    let (left, right) = (left.split_at_mut(half), right.split_at_mut(half));
    align(order, left.0, right.0);
    align(order, left.1, right.1);
}

impl Order for Ground<'_, '_> {
    /// In the direction in which columns differ most.
    fn sort(&self, parts: &mut [&mut [Column]]) {
        let axes = self.problem.space().axes();
        let mut widest = (f64::NEG_INFINITY, 0);
        for (at, axis) in axes.iter().enumerate() {
            let mut spread = 0.0;
            for part in parts.iter() {
                let mut centers: Vec<u32> = part.iter().map(|column| column.center[at]).collect();
                let middle = centers.len() / 2;
                let (_, &mut median, _) = centers.select_nth_unstable(middle);
                let off = |&center: &u32| axis.cost(center.min(median), center.max(median));
                spread += centers.iter().map(off).sum::<f64>();
            }
            if spread > widest.0 {
                widest = (spread, at);
            }
        }
        let (_, at) = widest;
        let key = |column: &Column| (column.center[at], column.center.clone());
        for part in parts {
            part.sort_by_cached_key(key);
        }
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

//! Blocks of equal size from the classes of an algorithm, by quasi-identifiers alone.

use crate::extent::Extent;
use crate::problem::Part;
use crate::{Failure, Problem, SUPPRESSED};

/// Rows as points of the space of quasi-identifiers.
pub(super) struct Ground<'a, 'p> {
    pub(super) problem: &'p Problem<'a>,
    point_of_row: Vec<u32>,
}

impl<'a, 'p> Ground<'a, 'p> {
    pub(super) fn new(problem: &'p Problem<'a>) -> Self {
        Self { problem, point_of_row: problem.points().point_of_row() }
    }

    /// The codes of a row.
    pub(super) fn codes(&self, row: u32) -> &[u32] {
        self.problem.points().codes(self.point_of_row[row as usize] as usize)
    }

    /// The smallest box around some rows; there is at least one.
    pub(super) fn around(&self, rows: &[u32]) -> Extent {
        Extent::around(self.problem.space(), rows.iter().map(|&row| self.codes(row)))
    }

    /// Sorts rows along the axis on which their box costs most.
    fn sort(&self, rows: &mut [u32]) {
        let around = self.around(rows);
        let axes = self.problem.space().axes().iter().enumerate();
        let cost = axes.map(|(at, axis)| (axis.cost(around.lo[at], around.hi[at]), at));
        let widest = cost.reduce(|a, b| if b.0 > a.0 { b } else { a });
        if let Some((_, at)) = widest {
            rows.sort_by_key(|&row| self.codes(row)[at]);
        }
    }
}

/// Cuts rows, a multiple of `b`, into blocks of `b`. `classes` says which rows of a part belong together.
pub(super) fn blocks(
    ground: &Ground<'_, '_>,
    mut rows: Vec<u32>,
    b: usize,
    classes: impl Fn(&Part) -> Result<Vec<u32>, Failure>,
) -> Result<Vec<Vec<u32>>, Failure> {
    let mut blocks = Vec::with_capacity(rows.len() / b);
    // Rows with equal quasi-identifiers stay in the order that was drawn.
    let mut place_of_row = vec![0; ground.problem.n_rows()];
    for (place, &row) in rows.iter().enumerate() {
        place_of_row[row as usize] = place;
    }
    while rows.len() > b {
        let group_of_row = classes(&Part::new(ground.problem, &rows))?;
        let n_groups = group_of_row.iter().filter(|group| **group != SUPPRESSED).max();
        let mut groups = vec![Vec::new(); n_groups.map_or(0, |last| *last as usize + 1)];
        let mut left = Vec::new();
        for (&row, &group) in rows.iter().zip(&group_of_row) {
            groups.get_mut(group as usize).unwrap_or(&mut left).push(row);
        }
        let n_before = blocks.len();
        for group in groups {
            cut(ground, group, b, &mut blocks, &mut left);
        }
        if blocks.len() == n_before {
            cut(ground, std::mem::take(&mut rows), b, &mut blocks, &mut left);
        }
        left.sort_unstable_by_key(|&row| place_of_row[row as usize]);
        rows = left;
    }
    blocks.extend(Some(rows).filter(|rows| !rows.is_empty()));
    Ok(blocks)
}

/// Cuts a class into blocks; fewer than `b` rows are left over, those without which the last block is
/// smallest.
fn cut(
    ground: &Ground<'_, '_>,
    mut rows: Vec<u32>,
    b: usize,
    blocks: &mut Vec<Vec<u32>>,
    left: &mut Vec<u32>,
) {
    if rows.len() < b {
        left.extend(rows);
        return;
    }
    if rows.len() >= 2 * b {
        ground.sort(&mut rows);
        let half = (rows.len() / b).div_ceil(2) * b;
        let rest = rows.split_off(half);
        cut(ground, rows, b, blocks, left);
        cut(ground, rest, b, blocks, left);
        return;
    }
    while rows.len() > b {
        let without = |at: usize| {
            let others = rows.iter().enumerate().filter(|&(other, _)| other != at);
            let codes = others.map(|(_, &row)| ground.codes(row));
            Extent::around(ground.problem.space(), codes).cost
        };
        let costs = (0..rows.len()).map(|at| (without(at), at));
        let least = costs.reduce(|a, b| if b.0 < a.0 { b } else { a });
        left.push(rows.remove(least.map_or(0, |(_, at)| at)));
    }
    blocks.push(rows);
}

//! Blocks of equal size from the classes of an algorithm, by quasi-identifiers alone.

use std::collections::BTreeMap;

use crate::Draw;
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

/// Blocks by their size, and the rows in no block.
pub(super) type Kept = (BTreeMap<usize, Vec<Vec<u32>>>, Vec<u32>);

/// Rows that are left over are at least as many as in so many blocks.
const SPARE: usize = 32;

/// Cuts classes into blocks of `b` to 2`b` - 1 rows, and keeps those of sizes that `many` blocks have. The rows of
/// the others are left, and so are those of a few random blocks of `b`.
pub(super) fn kept_whole(
    ground: &Ground<'_, '_>,
    rows: &[u32],
    (b, many): (usize, usize),
    draw: &mut Draw,
    classes: impl Fn(&Part) -> Result<Vec<u32>, Failure>,
) -> Result<Kept, Failure> {
    let mut of_size: BTreeMap<usize, Vec<Vec<u32>>> = BTreeMap::new();
    if rows.len() < 2 * many * b {
        return Ok((of_size, rows.to_vec()));
    }
    let (groups, mut left) = grouped(rows, &classes(&Part::new(ground.problem, rows))?);
    for group in groups {
        cut_whole(ground, group, b, &mut of_size);
    }
    for (_, blocks) in of_size.extract_if(.., |_, blocks| blocks.len() < many) {
        left.extend(blocks.into_iter().flatten());
    }
    if let Some(blocks) = of_size.get_mut(&b) {
        while left.len() < SPARE * b && blocks.len() > many {
            left.extend(blocks.swap_remove(draw.below(blocks.len())));
        }
    }
    let place_of_row = places(ground, rows);
    left.sort_unstable_by_key(|&row| place_of_row[row as usize]);
    Ok((of_size, left))
}

/// Cuts a class into blocks, all of `b` rows but the last.
fn cut_whole(
    ground: &Ground<'_, '_>,
    mut rows: Vec<u32>,
    b: usize,
    of_size: &mut BTreeMap<usize, Vec<Vec<u32>>>,
) {
    if rows.len() < 2 * b {
        of_size.entry(rows.len()).or_default().push(rows);
        return;
    }
    ground.sort(&mut rows);
    let rest = rows.split_off((rows.len() / b).div_ceil(2) * b);
    cut_whole(ground, rows, b, of_size);
    cut_whole(ground, rest, b, of_size);
}

/// The place of each row in an order.
fn places(ground: &Ground<'_, '_>, rows: &[u32]) -> Vec<usize> {
    let mut place_of_row = vec![0; ground.problem.n_rows()];
    for (place, &row) in rows.iter().enumerate() {
        place_of_row[row as usize] = place;
    }
    place_of_row
}

/// The rows of each class, and those in none.
fn grouped(rows: &[u32], group_of_row: &[u32]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let n_groups = group_of_row.iter().filter(|group| **group != SUPPRESSED).max();
    let mut groups = vec![Vec::new(); n_groups.map_or(0, |last| *last as usize + 1)];
    let mut left = Vec::new();
    for (&row, &group) in rows.iter().zip(group_of_row) {
        groups.get_mut(group as usize).unwrap_or(&mut left).push(row);
    }
    (groups, left)
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
    let place_of_row = places(ground, &rows);
    while rows.len() > b {
        let (groups, mut left) = grouped(&rows, &classes(&Part::new(ground.problem, &rows))?);
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

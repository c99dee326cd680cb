//! How large blocks are: by what refinement makes of values drawn from the table's.
//!
//! Near people often have the same value. How often is not looked at, as it would tell something about them:
//! a row of a trial has the value of the row before it with a fixed probability.

use super::refine::{Column, Order, refine};
use crate::Draw;
use crate::Problem;

/// How the loss of a row grows with the size of its class, about: from k = 2 to 50 on census tables.
const GROWTH: f64 = 0.6;

/// Sizes that are tried, in tenths of the smallest class.
const TENTHS: &[usize] =
    &[10, 11, 12, 14, 16, 20, 24, 28, 32, 40, 50, 64, 80, 100, 130, 160, 200, 260, 320];

/// Blocks of a trial, and how many there are in all trials of a size at least.
const IN_A_TRIAL: usize = 64;
const IN_ALL: usize = 256;

/// One row of so many has the value of the row before it.
const ALIKE: usize = 3;

/// Trials of a size at most.
const MOST_TRIALS: usize = 6;

/// The size of a block. It depends on how often each sensitive value occurs in the table, and on nothing else
/// about sensitive values.
pub(super) fn block_size(problem: &Problem<'_>) -> usize {
    let (n, smallest) = (problem.n_rows(), problem.smallest().max(2));
    let rows = by_values(problem);
    let mut sizes: Vec<usize> = TENTHS.iter().map(|tenths| smallest * tenths / 10).collect();
    sizes.extend([smallest + 1, smallest + 2, smallest + 3, n]);
    sizes.sort_unstable();
    sizes.dedup();
    let mut best: Option<(f64, usize)> = None;
    for b in sizes.into_iter().filter(|&b| b <= n) {
        let loss = expected_loss(problem, &rows, b);
        if best.is_none_or(|(least, _)| loss < least) {
            best = Some((loss, b));
        }
        // Larger blocks lose at least so much.
        if best.is_some_and(|(least, _)| (b as f64).powf(GROWTH) > least) {
            break;
        }
    }
    best.map_or(n, |(_, b)| b)
}

/// The rows in the order of their sensitive values: a draw from them tells nothing of who has which.
pub(super) fn by_values(problem: &Problem<'_>) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..).take(problem.n_rows()).collect();
    rows.sort_by_cached_key(|&row| {
        let codes = problem.sensitive().iter().map(|a| a.codes().get(row as usize));
        codes.collect::<Vec<u32>>()
    });
    rows
}

/// Nothing is known of these blocks.
struct AsTheyAre;

impl Order for AsTheyAre {
    fn arrange(&self, _: &mut [Column]) {}

    fn align(&self, _: &mut [Column], _: &mut [Column]) {}

    fn sort(&self, _: &mut [Column]) {}

    fn column(&self, rows: Vec<u32>) -> Column {
        Column::anywhere(rows)
    }
}

/// About what a row loses in the trials.
fn expected_loss(problem: &Problem<'_>, sorted: &[u32], b: usize) -> f64 {
    let n = sorted.len();
    let n_apart = if n.is_multiple_of(b) { 0 } else { b + n % b };
    let n_blocks = (n.saturating_sub(n_apart) / b).min(IN_A_TRIAL);
    let of_all = (n as f64).powf(GROWTH);
    if n_blocks == 0 {
        return of_all;
    }
    // The seed is no secret, and the rows are in the order of their values.
    let mut draw = Draw::new(0);
    let mut rows: Vec<u32> = Vec::with_capacity(n_blocks * b);
    let (mut sum, mut n_rows) = (0.0, 0);
    for _ in 0..IN_ALL.div_ceil(n_blocks).min(MOST_TRIALS) {
        rows.clear();
        while rows.len() < n_blocks * b {
            let before = rows.last().copied().filter(|_| draw.below(ALIKE) == 0);
            rows.push(before.unwrap_or_else(|| sorted[draw.below(n)]));
        }
        let blocks = rows.chunks(b).map(<[u32]>::to_vec).collect();
        // What cannot be refined is one class.
        let classes = refine(problem, &AsTheyAre, blocks, &mut draw);
        for class in classes.unwrap_or_else(|| vec![rows.clone()]) {
            sum += class.len() as f64 * (class.len() as f64).powf(GROWTH);
            n_rows += class.len();
        }
    }
    let share = n_apart as f64 / n as f64;
    (1.0 - share) * sum / n_rows as f64 + share * of_all
}

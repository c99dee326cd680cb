//! Exchanges between the classes of a bucket: two classes give each other their rows of one value where
//! that costs less.
//!
//! # Method
//! 1. The classes stand on a line as the cuts left them, so that neighbors are near; blocks of the line
//!    are looked at for themselves.
//! 2. In a block, every two classes exchange their rows of a value if the loss of both falls, value after
//!    value; repeat while anything was gained, `ROUNDS` times at most.
//! 3. The next pass has the line in another order, or the blocks begin elsewhere.
//!
//! Every class keeps one row of each value: its signature does not change.

use kohort_algorithms::Space;

use crate::buckets::NOBODY;
use crate::rows::Rows;

/// The classes in a block.
const BLOCK: usize = 48;

/// How often a block is gone through.
const ROUNDS: usize = 4;

/// What a gain must exceed to be one.
const GAIN: f64 = 1e-9;

/// Improves classes, each of one row per value, in the order of the line.
pub(crate) fn exchange(space: &Space, rows: &Rows, classes: &mut [Vec<u32>]) {
    let run = Run { space, rows };
    let n_axes = space.n_axes();
    for pass in 0..std::env::var("PASSES").map_or(4, |t| t.parse().unwrap()) {
        if pass > 0 {
            let axis = pass % n_axes;
            let _ = axis;
        }
        let offset = if pass % 2 == 0 { 0 } else { BLOCK / 2 };
        let (first, rest) = classes.split_at_mut(offset.min(classes.len()));
        run.improve(first);
        for block in rest.chunks_mut(BLOCK) {
            run.improve(block);
        }
    }
}

struct Run<'a> {
    space: &'a Space,
    rows: &'a Rows,
}

impl Run<'_> {
    /// Step 2.
    fn improve(&self, block: &mut [Vec<u32>]) {
        let mut losses: Vec<f64> = block.iter().map(|class| self.loss(class)).collect();
        for _ in 0..ROUNDS {
            let mut is_better = false;
            for a in 0..block.len() {
                for b in a + 1..block.len() {
                    is_better |= self.exchange(block, &mut losses, (a, b));
                }
            }
            if !is_better {
                break;
            }
        }
    }

    fn exchange(&self, block: &mut [Vec<u32>], losses: &mut [f64], (a, b): (usize, usize)) -> bool {
        if losses[a] + losses[b] <= GAIN {
            return false;
        }
        let (head, tail) = block.split_at_mut(b);
        let (one, other) = (&mut head[a], &mut tail[0]);
        let mut is_better = false;
        for slot in 0..one.len() {
            std::mem::swap(&mut one[slot], &mut other[slot]);
            let first = self.loss(one);
            let gains = first < losses[a] + losses[b] - GAIN && {
                let second = self.loss(other);
                let gains = first + second < losses[a] + losses[b] - GAIN;
                if gains {
                    (losses[a], losses[b]) = (first, second);
                }
                gains
            };
            is_better |= gains;
            if !gains {
                std::mem::swap(&mut one[slot], &mut other[slot]);
            }
        }
        is_better
    }

    /// The loss of a class; a class of counterfeits alone has no box.
    fn loss(&self, class: &[u32]) -> f64 {
        let mut n_rows = 0.0;
        let mut cost = 0.0;
        for (at, axis) in self.space.axes().iter().enumerate() {
            let (mut lo, mut hi) = (u32::MAX, 0);
            n_rows = 0.0;
            for &row in class.iter().filter(|&&row| row != NOBODY) {
                let code = self.rows.codes(row)[at];
                (lo, hi) = (lo.min(code), hi.max(code));
                n_rows += 1.0;
            }
            if lo > hi {
                return f64::INFINITY;
            }
            cost += axis.cost(lo, hi);
        }
        n_rows * cost
    }
}

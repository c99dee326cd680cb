//! Exchanges between the classes of a bucket: two classes give each other their rows of one value where
//! that costs less.
//!
//! # Method
//! 1. The classes stand on a line as the cuts left them, so that neighbors are near. Blocks of the line are
//!    looked at for themselves.
//! 2. In a block, every two classes exchange their rows of a value if the loss of both together falls,
//!    value after value; repeat while anything was gained, `ROUNDS` times at most.
//! 3. In every other pass the blocks begin half a block later.
//!
//! Every class keeps one row of each value: its signature does not change.

use kohort_algorithms::Space;

use crate::buckets::NOBODY;
use crate::rows::Rows;

/// How often the line is gone through.
const PASSES: usize = 4;

/// The classes in a block.
const BLOCK: usize = 48;

/// How often a block is gone through.
const ROUNDS: usize = 4;

/// What a gain must exceed to be one.
const GAIN: f64 = 1e-9;

/// Improves classes, each of one row per value, in the order of the line.
pub(crate) fn exchange(space: &Space, rows: &Rows, classes: &mut [Vec<u32>]) {
    let run = Run { space, rows };
    for pass in 0..PASSES {
        let offset = if pass % 2 == 0 { 0 } else { BLOCK / 2 };
        let (first, rest) = classes.split_at_mut(offset.min(classes.len()));
        run.improve(first);
        rest.chunks_mut(BLOCK).for_each(|block| run.improve(block));
    }
}

/// The loss of all rows of some classes; those of counterfeits alone have no box.
pub(crate) fn loss(space: &Space, rows: &Rows, classes: &[Vec<u32>]) -> f64 {
    classes.iter().map(|class| Run { space, rows }.loss(class)).sum()
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

    /// Exchanges the rows of two classes, value after value; true if anything was gained.
    fn exchange(&self, block: &mut [Vec<u32>], losses: &mut [f64], (a, b): (usize, usize)) -> bool {
        let (head, tail) = block.split_at_mut(b);
        let (one, other) = (&mut head[a], &mut tail[0]);
        let mut is_better = false;
        for slot in 0..one.len() {
            let most = losses[a] + losses[b] - GAIN;
            if most <= 0.0 {
                break;
            }
            std::mem::swap(&mut one[slot], &mut other[slot]);
            let first = self.loss(one);
            // The second need not be known where the first alone is too much.
            let second = if first < most { self.loss(other) } else { f64::INFINITY };
            if first + second < most {
                (losses[a], losses[b]) = (first, second);
                is_better = true;
            } else {
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

#[cfg(test)]
mod tests {
    use kohort_core::History;
    use proptest::prelude::*;

    use super::*;
    use crate::tests::people::{histories, with_turn};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn classes_keep_their_values_and_lose_no_more((people, _) in histories(6..60, 3)) {
            let present: Vec<u32> = (0..u32::try_from(people.len()).unwrap()).collect();
            with_turn(&people, &present, &History::default(), |turn| {
                let rows = Rows::new(turn);
                // Any rows stand for those of three values.
                let mut classes: Vec<Vec<u32>> =
                    present.chunks_exact(3).map(<[u32]>::to_vec).collect();
                classes[0][1] = NOBODY;
                let run = Run { space: turn.space, rows: &rows };
                let loss = |classes: &[Vec<u32>]| -> f64 {
                    classes.iter().map(|class| run.loss(class)).sum()
                };
                let slot = |classes: &[Vec<u32>], at: usize| {
                    let mut rows: Vec<u32> = classes.iter().map(|class| class[at]).collect();
                    rows.sort_unstable();
                    rows
                };
                let before = classes.clone();
                exchange(turn.space, &rows, &mut classes);
                assert!(loss(&classes) <= loss(&before) + 1e-9);
                for at in 0..3 {
                    assert_eq!(slot(&classes, at), slot(&before, at));
                }
            });
        }
    }
}

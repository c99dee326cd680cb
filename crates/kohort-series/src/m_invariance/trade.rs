//! Classes that are near exchange rows, whoever has which signature kept in mind.
//!
//! # Method
//! 1. The classes are sorted by their corners, the axes in drawn order, and the line is cut into blocks.
//! 2. In a block every two classes exchange the rows whose exchange gains most, while any does. Rows of one value
//!    may change places where both are of people who come, or counterfeits, or the signatures are the same. Two
//!    classes of people who come may exchange rows of different values, if neither has a value twice then.
//! 3. Repeat with the axes in other orders.

use std::cmp::Ordering;

use kohort_algorithms::{Draw, Space};
use kohort_core::Ctx;
use rayon::prelude::*;

use super::Class;
use crate::buckets::NOBODY;
use crate::rows::Rows;

/// How often the classes are sorted.
const PASSES: u64 = 8;

/// The classes in a block.
const BLOCK: usize = 64;

/// What a gain must exceed to be one.
const GAIN: f64 = 1e-9;

/// Improves classes; `is_new` says for each row whether nothing was published for the person before.
pub(super) fn trade(
    ctx: &Ctx<'_>,
    (space, rows): (&Space, &Rows),
    classes: Vec<Class>,
    is_new: &[bool],
    draw: &mut Draw,
) -> Vec<Class> {
    let market = Market { space, rows, is_new };
    let mut line: Vec<Boxed> = classes.into_iter().map(|class| market.boxed(class)).collect();
    let mut axes: Vec<usize> = (0..space.n_axes()).collect();
    for pass in 0..PASSES {
        ctx.progress("exchanging rows", pass, PASSES);
        draw.shuffle(&mut axes);
        // In every other pass classes of one signature stand beside each other: they may exchange any rows.
        let by_signature = pass % 2 == 1;
        line.sort_by(|a, b| {
            let corner = |it: &Boxed, axis: usize| (it.lo[axis], it.hi[axis]);
            let corners = || {
                let order = axes.iter().map(|&axis| corner(a, axis).cmp(&corner(b, axis)));
                order.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            };
            let signatures = a.class.signature.cmp(&b.class.signature);
            if by_signature { signatures.then_with(corners) } else { corners() }
        });
        line.par_chunks_mut(BLOCK).for_each(|block| market.improve(block));
    }
    line.into_iter().map(|boxed| boxed.class).collect()
}

/// A class with its box.
struct Boxed {
    class: Class,
    // Nobody of it was published before.
    is_open: bool,
    n_rows: usize,
    lo: Vec<u32>,
    hi: Vec<u32>,
    loss: f64,
    // Without each of its rows.
    rests: Vec<Rest>,
}

/// The box of the other rows.
struct Rest {
    lo: Vec<u32>,
    hi: Vec<u32>,
}

struct Market<'a> {
    space: &'a Space,
    rows: &'a Rows,
    is_new: &'a [bool],
}

impl Market<'_> {
    fn boxed(&self, class: Class) -> Boxed {
        let is_open = class.rows.iter().all(|&row| self.is_free(row));
        let n_rows = class.rows.iter().filter(|&&row| row != NOBODY).count();
        let Rest { lo, hi } = self.around(&class, usize::MAX);
        let loss = n_rows as f64 * self.space.cost(&lo, &hi);
        let rests = (0..class.rows.len()).map(|at| self.around(&class, at)).collect();
        Boxed { class, is_open, n_rows, lo, hi, loss, rests }
    }

    /// The box of the rows of a class without the one at a place.
    fn around(&self, class: &Class, without: usize) -> Rest {
        let (mut lo, mut hi) = (vec![u32::MAX; self.space.n_axes()], vec![0; self.space.n_axes()]);
        for (at, &row) in class.rows.iter().enumerate() {
            if at != without && row != NOBODY {
                for ((lo, hi), &code) in lo.iter_mut().zip(&mut hi).zip(self.rows.codes(row)) {
                    (*lo, *hi) = ((*lo).min(code), (*hi).max(code));
                }
            }
        }
        Rest { lo, hi }
    }

    /// Whether a row may be in a class of any signature with its value.
    fn is_free(&self, row: u32) -> bool {
        row == NOBODY || self.is_new[row as usize]
    }

    /// Step 2.
    fn improve(&self, block: &mut [Boxed]) {
        for a in 0..block.len() {
            for b in a + 1..block.len() {
                while let Some((i, j)) = self.best(&block[a], &block[b]) {
                    let (head, tail) = block.split_at_mut(b);
                    self.exchange((&mut head[a], i), (&mut tail[0], j));
                }
            }
        }
    }

    /// The rows whose exchange gains most.
    fn best(&self, one: &Boxed, two: &Boxed) -> Option<(usize, usize)> {
        let before = one.loss + two.loss;
        if before <= GAIN {
            return None;
        }
        let is_same = one.class.signature == two.class.signature;
        let mut best = None;
        let mut limit = before - GAIN;
        for (i, &row) in one.class.rows.iter().enumerate() {
            let value = one.class.signature[i];
            for (j, &other) in two.class.rows.iter().enumerate() {
                let may = if value == two.class.signature[j] {
                    is_same || (self.is_free(row) && self.is_free(other))
                } else {
                    one.is_open
                        && two.is_open
                        && !one.class.signature.contains(&two.class.signature[j])
                        && !two.class.signature.contains(&value)
                };
                if !may || (row == NOBODY && other == NOBODY) {
                    continue;
                }
                let first = self.with(one, i, other);
                if first < limit {
                    let after = first + self.with(two, j, row);
                    if after < limit {
                        (limit, best) = (after, Some((i, j)));
                    }
                }
            }
        }
        best
    }

    /// The loss of a class with another row in place of one.
    fn with(&self, boxed: &Boxed, at: usize, row: u32) -> f64 {
        let n_rest = boxed.n_rows - usize::from(boxed.class.rows[at] != NOBODY);
        let Rest { lo, hi } = &boxed.rests[at];
        if row == NOBODY {
            // A class of counterfeits alone has no box.
            return if n_rest == 0 {
                f64::INFINITY
            } else {
                n_rest as f64 * self.space.cost(lo, hi)
            };
        }
        let ends = lo.iter().zip(hi).zip(self.rows.codes(row));
        let axes = self.space.axes().iter().zip(ends);
        let cost: f64 =
            axes.map(|(axis, ((&lo, &hi), &code))| axis.cost(lo.min(code), hi.max(code))).sum();
        (n_rest + 1) as f64 * cost
    }

    fn exchange(&self, (one, i): (&mut Boxed, usize), (two, j): (&mut Boxed, usize)) {
        std::mem::swap(&mut one.class.rows[i], &mut two.class.rows[j]);
        std::mem::swap(&mut one.class.signature[i], &mut two.class.signature[j]);
        for boxed in [one, two] {
            let mut class = std::mem::take(&mut boxed.class);
            class.sort();
            *boxed = self.boxed(class);
        }
    }
}

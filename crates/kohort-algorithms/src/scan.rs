//! Adds up the costs of many codes, one axis after another: the inner loop of quadratic clusterings.

use std::ops::Range;

use kohort_core::Codes;

use rayon::prelude::*;

use crate::Axis;
use crate::ranked::rounded;

/// Sums that one thread makes at a time. Tests have small tables, and take the same way.
const SHARE: usize = if cfg!(test) { 100 } else { 1 << 15 };

/// Makes sums that start from zero and are rounded in the end: `add` is given ranges of them.
pub(crate) fn sum_up(sums: &mut [f64], add: impl Fn(Range<usize>, &mut [f64]) + Sync) {
    let share = |(index, sums): (usize, &mut [f64])| {
        sums.fill(0.0);
        add(index * SHARE..index * SHARE + sums.len(), sums);
        for sum in sums {
            *sum = rounded(*sum);
        }
    };
    if sums.len() <= SHARE {
        share((0, sums));
    } else {
        sums.par_chunks_mut(SHARE).enumerate().for_each(share);
    }
}

/// What the smallest cell around one code and any other costs, on one axis.
pub(crate) struct CostsFrom<'s> {
    axis: &'s Axis,
    from: u32,
    // Empty where there are far more codes than costs to look up.
    table: Vec<f64>,
}

impl<'s> CostsFrom<'s> {
    pub(crate) fn new(axis: &'s Axis) -> Self {
        Self { axis, from: 0, table: Vec::new() }
    }

    /// Prepares for about `n` costs from this code.
    pub(crate) fn start(&mut self, from: u32, n: usize) {
        self.from = from;
        self.table.clear();
        // A table is quick to fill, and quicker to look up than a tree.
        if self.axis.n_codes() as usize <= 32 * n {
            self.axis.costs_from(from, &mut self.table);
        }
    }

    /// Adds to each of `sums` what `change` makes of the cost of its code in `codes[range]`; `change`
    /// is also told the position within the range.
    #[inline]
    pub(crate) fn add(
        &self,
        codes: &Codes,
        range: Range<usize>,
        sums: &mut [f64],
        change: impl Fn(usize, f64) -> f64,
    ) {
        let (axis, from) = (self.axis, self.from);
        if self.table.is_empty() {
            let cost = |code: u32| axis.cost(from.min(code), from.max(code));
            add(codes, range, sums, |at, code| change(at, cost(code)));
        } else {
            let table = &self.table;
            add(codes, range, sums, |at, code| change(at, table[code as usize]));
        }
    }
}

#[inline]
fn add(codes: &Codes, range: Range<usize>, sums: &mut [f64], cost: impl Fn(usize, u32) -> f64) {
    fn each<T: Copy + Into<u32>>(codes: &[T], sums: &mut [f64], cost: impl Fn(usize, u32) -> f64) {
        for (at, (sum, &code)) in sums.iter_mut().zip(codes).enumerate() {
            *sum += cost(at, code.into());
        }
    }
    match codes {
        Codes::U8(codes) => each(&codes[range], sums, cost),
        Codes::U16(codes) => each(&codes[range], sums, cost),
        Codes::U32(codes) => each(&codes[range], sums, cost),
    }
}

/// The least of some numbers, none of which is NaN; infinity where there is none.
pub(crate) fn least(numbers: &[f64]) -> f64 {
    fn lower(a: f64, b: f64) -> f64 {
        if b < a { b } else { a }
    }
    // Eight at a time: a processor compares several numbers at once, but only if told that their order
    // does not matter.
    let chunks = numbers.chunks_exact(8);
    let rest = chunks.remainder().iter().copied().fold(f64::INFINITY, lower);
    let lanes = chunks.fold([f64::INFINITY; 8], |mut lanes, chunk| {
        for (lane, &number) in lanes.iter_mut().zip(chunk) {
            *lane = lower(*lane, number);
        }
        lanes
    });
    lanes.into_iter().fold(rest, lower)
}

/// The first position of the least number; there is at least one.
pub(crate) fn first_least(numbers: &[f64]) -> usize {
    let least = least(numbers);
    numbers.iter().position(|&number| number <= least).expect("the least is one of them")
}

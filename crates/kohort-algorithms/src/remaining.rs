//! The rows that no cluster has taken yet, and which of them is the cheapest to take next.
//!
//! # Method
//! 1. Rows with equal codes are one slot with several ranks. Slots lie by column, and those that are
//!    used up are cleared away once they are an eighth.
//! 2. `measure` finds what the box of the seed and each slot costs, in one pass over the columns.
//! 3. Boxes only grow, and so do their costs: a cost found for a smaller box is a bound for a larger one.
//!    `cheapest` looks at the slot with the least bound, replaces the bound by the cost, and is done when
//!    the two agree. Blocks of slots remember their least bound.

use kohort_core::Codes;

use crate::extent::Extent;
use crate::ranked::{Ranked, rounded};
use crate::scan::{CostsFrom, first_least, least, sum_up};

/// Slots per block.
const BLOCK: usize = 256;

/// Rows to choose from.
pub(crate) struct Remaining<'r> {
    ranked: &'r Ranked<'r>,
    // Ascending; those of slot s that are left are ranks[next[s]..end[s]].
    ranks: Vec<u32>,
    next: Vec<u32>,
    end: Vec<u32>,
    n_left: usize,
    // The codes of the slots on each axis.
    columns: Vec<Codes>,
    // The distance of each slot from the seed with the sign turned, and a bound of the cost of taking it;
    // infinity for a slot that is used up.
    nearness: Vec<f64>,
    bounds: Vec<f64>,
    // The least bound of each block.
    leasts: Vec<f64>,
    used_up: Vec<usize>,
    costs: Vec<CostsFrom<'r>>,
}

impl<'r> Remaining<'r> {
    /// These ranks, which ascend.
    pub(crate) fn new(ranked: &'r Ranked<'r>, ranks: Vec<u32>) -> Self {
        let (mut next, mut end) = (Vec::new(), Vec::new());
        let mut columns = vec![Codes::default(); ranked.space.n_axes()];
        for slot in ranks.chunk_by(|&a, &b| ranked.point(a) == ranked.point(b)) {
            let start = end.last().copied().unwrap_or(0);
            next.push(start);
            end.push(start + u32::try_from(slot.len()).expect("rows are counted in u32"));
            for (column, &code) in columns.iter_mut().zip(ranked.codes(slot[0])) {
                column.push(code);
            }
        }
        Self {
            n_left: ranks.len(),
            nearness: vec![0.0; next.len()],
            bounds: Vec::new(),
            leasts: Vec::new(),
            used_up: Vec::new(),
            costs: ranked.space.axes().iter().map(CostsFrom::new).collect(),
            ranked,
            ranks,
            next,
            end,
            columns,
        }
    }

    /// How many rows are left.
    pub(crate) fn n_left(&self) -> usize {
        self.n_left
    }

    /// The ranks that are left, ascending.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        let slots = self.next.iter().zip(&self.end);
        slots.flat_map(|(&next, &end)| &self.ranks[next as usize..end as usize]).copied().collect()
    }

    /// Starts over with the box of this seed: finds the distance of every slot.
    pub(crate) fn measure(&mut self, seed: &[u32]) {
        if self.used_up.len() * 8 > self.next.len() {
            self.clear_away();
        }
        let n = self.next.len();
        for (costs, &code) in self.costs.iter_mut().zip(seed) {
            costs.start(code, n);
        }
        let (columns, costs) = (&self.columns, &self.costs);
        self.bounds.resize(n, 0.0);
        sum_up(&mut self.bounds, |range, sums| {
            for (column, costs) in columns.iter().zip(costs) {
                costs.add(column, range.clone(), sums, |_, cost| cost);
            }
        });
        self.nearness.clear();
        self.nearness.extend(self.bounds.iter().map(|&cost| -cost));
        for &slot in &self.used_up {
            self.nearness[slot] = f64::INFINITY;
            self.bounds[slot] = f64::INFINITY;
        }
        self.leasts.clear();
        self.leasts.extend(self.bounds.chunks(BLOCK).map(least));
    }

    /// Drops the slots that are used up.
    fn clear_away(&mut self) {
        let kept: Vec<u32> = (0..)
            .zip(self.next.iter().zip(&self.end))
            .filter_map(|(slot, (next, end))| (next < end).then_some(slot))
            .collect();
        for column in &mut self.columns {
            *column = column.select(&kept);
        }
        for places in [&mut self.next, &mut self.end] {
            *places = kept.iter().map(|&slot| places[slot as usize]).collect();
        }
        self.used_up.clear();
    }

    /// The slot furthest from the seed; there is one left.
    pub(crate) fn furthest(&self) -> usize {
        first_least(&self.nearness)
    }

    /// The slot that makes the cheapest box with a cluster that holds the seed, and the cost of that box;
    /// there is one left.
    pub(crate) fn cheapest(&mut self, edges: &Extent) -> (usize, f64) {
        loop {
            let block = first_least(&self.leasts);
            let slots = block * BLOCK..((block + 1) * BLOCK).min(self.bounds.len());
            let slot = slots.start + first_least(&self.bounds[slots.clone()]);
            let codes = self.ranked.codes(self.ranks[self.next[slot] as usize]);
            let cost = rounded(edges.cost_with(self.ranked.space, codes, codes));
            if cost <= self.bounds[slot] {
                return (slot, cost);
            }
            self.bounds[slot] = cost;
            self.leasts[block] = least(&self.bounds[slots]);
        }
    }

    /// Takes the first rank of a slot.
    pub(crate) fn take(&mut self, slot: usize) -> u32 {
        let rank = self.ranks[self.next[slot] as usize];
        self.next[slot] += 1;
        self.n_left -= 1;
        if self.next[slot] == self.end[slot] {
            self.used_up.push(slot);
            self.nearness[slot] = f64::INFINITY;
            self.bounds[slot] = f64::INFINITY;
            let block = slot / BLOCK;
            let slots = block * BLOCK..((block + 1) * BLOCK).min(self.bounds.len());
            self.leasts[block] = least(&self.bounds[slots]);
        }
        rank
    }
}

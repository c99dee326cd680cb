//! One position of a class, on which vertices are laid.

use kohort_core::{Forest, NO_VALUE};

use crate::Representative;
use crate::costs::{CellCosts, Cost, TreeCosts, count};

/// A position of a class.
pub(crate) struct Position<'a> {
    forest: &'a Forest,
    cells: &'a [CellCosts<'a>],
    boxes: &'a [(u32, u32)],
    // The sensitive codes, where one of them can be too frequent.
    values: &'a [u32],
    at_most: usize,
    n: Cost,
    // What the members pay already.
    paid: Cost,
}

impl<'a> Position<'a> {
    /// A position of a class where at most so many members may have one value.
    #[inline]
    pub(crate) fn new(
        costs: &'a TreeCosts<'a>,
        class: &'a Representative,
        x: u32,
        at_most: usize,
    ) -> Self {
        let n = class.n_members();
        Self {
            forest: costs.forest(),
            cells: costs.cells(class.kind(x)),
            boxes: class.boxes(x),
            values: if at_most <= n { class.values(x) } else { &[] },
            at_most,
            n: count(n),
            paid: count(n) * class.loss(x),
        }
    }

    /// What laying a vertex here adds, without what is below; none where its value is too frequent.
    #[inline]
    pub(crate) fn own(&self, y: u32) -> Option<Cost> {
        let value = self.forest.sensitive(y);
        if value != NO_VALUE
            && self.at_most <= self.values.iter().filter(|&&other| other == value).count()
        {
            return None;
        }
        let mut loss = 0;
        let labels = self.forest.labels(y).iter();
        for (&code, (&(lo, hi), cells)) in labels.zip(self.boxes.iter().zip(self.cells)) {
            loss += cells.of(lo.min(code), hi.max(code));
        }
        Some((self.n + 1) * loss - self.paid)
    }
}

//! One position of a class, on which vertices are laid.

use std::ops::Range;

use kohort_core::{Forest, NO_VALUE};

use crate::Representative;
use crate::costs::{CellCosts, Cost, TreeCosts, count};

/// What laying a vertex costs where it cannot be laid.
pub(crate) const NEVER: Cost = Cost::MAX;

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
        if self.is_full(self.forest.sensitive(y)) {
            return None;
        }
        let mut loss = 0;
        let labels = self.forest.labels(y).iter();
        for (&code, (&(lo, hi), cells)) in labels.zip(self.boxes.iter().zip(self.cells)) {
            loss += cells.of(lo.min(code), hi.max(code));
        }
        Some((self.n + 1) * loss - self.paid)
    }

    /// The same for vertices side by side; `NEVER` where a value is too frequent.
    #[inline]
    pub(crate) fn own_of_all(&self, ys: Range<u32>, into: &mut Vec<Cost>) {
        self.own_of_labels(self.forest.labels_of_all(ys.clone()), ys.len(), into);
        if !self.values.is_empty() {
            for (cost, &value) in into.iter_mut().zip(self.forest.sensitive_of_all(ys)) {
                if self.is_full(value) {
                    *cost = NEVER;
                }
            }
        }
    }

    /// What laying so many vertices here adds whose labels are these, whatever their values.
    #[inline]
    pub(crate) fn own_of_labels(&self, labels: &[u32], n: usize, into: &mut Vec<Cost>) {
        into.clear();
        into.resize(n, -self.paid);
        let cells = self.boxes.iter().zip(self.cells);
        if let ([edges], [cells]) = (self.boxes, self.cells) {
            return cells.add(*edges, labels.iter().copied(), self.n + 1, into);
        }
        for (quasi, (&edges, cells)) in cells.enumerate() {
            let codes = labels.chunks_exact(self.boxes.len()).map(|labels| labels[quasi]);
            cells.add(edges, codes, self.n + 1, into);
        }
    }

    /// Whether a value cannot stand here once more.
    #[inline]
    fn is_full(&self, value: u32) -> bool {
        match self.at_most {
            1 => value != NO_VALUE && self.values.contains(&value),
            _ => value != NO_VALUE && self.at_most <= self.n_with(value),
        }
    }

    fn n_with(&self, value: u32) -> usize {
        self.values.iter().filter(|&&other| other == value).count()
    }

    /// The values that cannot stand here once more; some of them twice.
    pub(crate) fn full_values(&self) -> impl Iterator<Item = u32> {
        self.values.iter().copied().filter(|&value| self.is_full(value))
    }
}

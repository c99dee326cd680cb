//! Whether some rows of a table keep a goal as one class: what makes a goal feasible for certain.

use std::cell::Cell;
use std::collections::BTreeMap;

use kohort_core::Attribute;
use kohort_models::{Class, Counts, Distribution, RowKind};

use super::feasible::refuted;
use super::{About, Asked, Principle};

/// How much may be looked at for one answer; about a second.
const WORK: u64 = 200_000_000;

/// A table of which some rows may be dropped.
pub(super) struct Reach<'a> {
    sensitive: &'a [&'a Attribute],
    pub(super) n_rows: u64,
    pub(super) droppable: u64,
    kinds: Vec<RowKind>,
    work: Cell<u64>,
}

impl<'a> Reach<'a> {
    /// The table with these sensitive attributes.
    pub(super) fn new(sensitive: &'a [&'a Attribute], n_rows: u64, droppable: u64) -> Self {
        let mut kinds: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        if sensitive.is_empty() {
            kinds.insert(Vec::new(), n_rows);
        }
        for row in 0..sensitive.first().map_or(0, |attribute| attribute.codes().len()) {
            let values = sensitive.iter().map(|attribute| attribute.codes().get(row)).collect();
            *kinds.entry(values).or_default() += 1;
        }
        let kinds = kinds.into_iter().map(|(values, n_rows)| RowKind { values, n_rows });
        Self { sensitive, n_rows, droppable, kinds: kinds.collect(), work: Cell::new(WORK) }
    }

    /// Whether rows were found that can be dropped so that the others keep the goal as one class. What is
    /// asked about a public table is not looked at.
    pub(super) fn keeps(&self, goal: &[Principle]) -> bool {
        self.keeps_without(goal, self.droppable)
    }

    /// The same when this many rows may be dropped.
    pub(super) fn keeps_without(&self, goal: &[Principle], droppable: u64) -> bool {
        let Ok(asked) = Asked::new(goal, self.sensitive) else { return false };
        if refuted(&asked, self.sensitive, self.n_rows, droppable).is_some() {
            return false;
        }
        let mut work = self.work.get();
        let promises = asked.into_promises(self.sensitive);
        let found = promises.to_drop(&self.kinds, droppable, &mut work);
        self.work.set(work);
        found.is_some()
    }

    /// What the table as one class does not keep.
    pub(super) fn failing<'b>(&self, asked: &'b Asked) -> Vec<&'b About> {
        let tables: Vec<Distribution<'_>> =
            self.sensitive.iter().map(|attribute| Distribution::new(attribute)).collect();
        let cells = |attribute: &&Attribute| {
            let all = (0..).zip(attribute.counts()).filter(|(_, count)| **count > 0);
            all.map(|(code, &count)| (code, u64::from(count))).collect()
        };
        let cells: Vec<Vec<(u32, u64)>> = self.sensitive.iter().map(cells).collect();
        let counts = tables.iter().zip(&cells).map(|(table, cells)| Counts { table, cells });
        let counts: Vec<Counts<'_>> = counts.collect();
        let class = Class { size: self.n_rows, sensitive: &counts };
        let judged = asked.models().iter().zip(asked.about());
        judged.filter(|(model, _)| !model.holds(&class)).map(|(_, about)| about).collect()
    }
}

//! A class while it is searched: how many rows of which units, and the box around them.

use kohort_models::tally;
use smallvec::SmallVec;

use super::units::Units;
use crate::extent::Extent;
use crate::tree::telling_axes;
use crate::{Problem, Space};

/// Rows of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) unit: u32,
    pub(super) n_rows: u32,
}

/// The rows of a class; those of a few units need no memory of their own.
pub(super) type Entries = SmallVec<[Entry; 6]>;

/// A class with its box. Its loss is the number of its rows times the cost of its box.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    pub(super) entries: Entries,
    pub(super) n_rows: u32,
    pub(super) extent: Extent,
    /// How often it was tried in vain to divide it anew since it last changed.
    pub(super) n_tries: u32,
}

/// What the search needs to know about a table, shared by all classes.
pub(super) struct Ground<'a, 'p> {
    pub(super) problem: &'p Problem<'a>,
    pub(super) units: Units<'p>,
    /// The space, its costs summed up in the order that tells boxes apart soonest.
    pub(super) space: Space,
    /// The smallest class.
    pub(super) k: u32,
    /// Whether sensitive values matter.
    pub(super) needs_values: bool,
    /// The l with which the values of all sensitive attributes must be spread.
    pub(super) l: Option<u64>,
    // Whether nothing else is promised about them.
    is_all: bool,
}

impl Class {
    /// The class of these entries; there is at least one.
    pub(super) fn new(ground: &Ground<'_, '_>, entries: impl IntoIterator<Item = Entry>) -> Self {
        let entries: Entries = entries.into_iter().collect();
        let codes = entries.iter().map(|entry| ground.units.codes(entry.unit));
        let extent = Extent::around(&ground.space, codes);
        Self { n_rows: entries.iter().map(|entry| entry.n_rows).sum(), entries, extent, n_tries: 0 }
    }

    pub(super) fn loss(&self) -> f64 {
        f64::from(self.n_rows) * self.extent.cost
    }

    /// What so many rows more add to its loss at least: a box that grows never costs less.
    #[inline]
    pub(super) fn adds_at_least(&self, n_rows: u32) -> f64 {
        f64::from(n_rows) * self.extent.cost
    }

    /// Adds rows of a unit.
    pub(super) fn add(&mut self, ground: &Ground<'_, '_>, added: Entry) {
        self.n_rows += added.n_rows;
        self.n_tries = 0;
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.unit == added.unit) {
            entry.n_rows += added.n_rows;
        } else {
            self.extent.grow(&ground.space, ground.units.codes(added.unit));
            self.entries.push(added);
        }
    }

    /// Takes away `n_rows` rows of the entry at `index`, which has as many; the class keeps a row.
    pub(super) fn remove(&mut self, ground: &Ground<'_, '_>, index: usize, n_rows: u32) {
        self.n_rows -= n_rows;
        self.n_tries = 0;
        self.entries[index].n_rows -= n_rows;
        if self.entries[index].n_rows == 0 {
            self.entries.swap_remove(index);
            let codes = self.entries.iter().map(|entry| ground.units.codes(entry.unit));
            self.extent = Extent::around(&ground.space, codes);
        }
    }

    /// The cost per row with a unit taken in where that is below `limit`, and else anything that is not.
    pub(super) fn cost_below(&self, ground: &Ground<'_, '_>, unit: u32, limit: f64) -> f64 {
        self.extent.cost_with_point(&ground.space, ground.units.codes(unit), limit)
    }

    /// Whether it has one of the sensitive values of a unit.
    pub(super) fn has_values(&self, ground: &Ground<'_, '_>, unit: u32) -> bool {
        let values = ground.units.sensitive(unit);
        let has = |entry: &Entry| {
            ground.units.sensitive(entry.unit).iter().zip(values).any(|(a, b)| a == b)
        };
        self.entries.iter().any(has)
    }

    /// The box without the entry at `index`; there is another.
    pub(super) fn without(&self, ground: &Ground<'_, '_>, index: usize) -> Extent {
        let codes = ground.units.codes(self.entries[index].unit);
        let mut edges = self.extent.lo.iter().zip(&self.extent.hi).zip(codes);
        if edges.all(|((lo, hi), code)| (lo < code && code < hi) || lo == hi) {
            return self.extent.clone();
        }
        let others = self.entries.iter().enumerate().filter(|(other, _)| *other != index);
        let codes = others.map(|(_, entry)| ground.units.codes(entry.unit));
        Extent::around(&ground.space, codes)
    }

    /// The box without each of the entries; there are at least two.
    pub(super) fn rests(&self, ground: &Ground<'_, '_>) -> Vec<Extent> {
        let codes = |index: usize| ground.units.codes(self.entries[index].unit);
        // The boxes of all entries from each one on.
        let last = self.entries.len() - 1;
        let mut after = vec![Extent::of(codes(last))];
        for index in (1..last).rev() {
            let mut next = after[after.len() - 1].clone();
            next.widen(codes(index), codes(index));
            after.push(next);
        }
        let mut before: Option<Extent> = None;
        let mut rests = Vec::with_capacity(self.entries.len());
        for index in 0..=last {
            let mut rest = match (&before, after.pop()) {
                (Some(before), Some(after)) => {
                    let mut both = after;
                    both.widen(&before.lo, &before.hi);
                    both
                }
                (Some(before), None) => before.clone(),
                (None, after) => after.expect("there is a second entry"),
            };
            rest.cost = ground.space.cost(&rest.lo, &rest.hi);
            rests.push(rest);
            match &mut before {
                Some(before) => before.widen(codes(index), codes(index)),
                None => before = Some(Extent::of(codes(index))),
            }
        }
        rests
    }
}

/// The same entries with one for each unit, in the order of units.
pub(super) fn merge(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_unstable_by_key(|entry| entry.unit);
    entries.dedup_by(|next, kept| {
        let same = next.unit == kept.unit;
        if same {
            kept.n_rows += next.n_rows;
        }
        same
    });
    entries
}

impl<'a, 'p> Ground<'a, 'p> {
    pub(super) fn new(problem: &'p Problem<'a>) -> Self {
        let axes = telling_axes(problem.space(), problem.points(), problem.settings().seed);
        let models = problem.promises().models();
        // Where rows without a value do not count, shares are not of all rows.
        let counts_all = problem.sensitive().iter().all(|a| a.silent().is_none());
        Self {
            l: models.iter().filter_map(|m| m.diversity_of_all()).max().filter(|_| counts_all),
            is_all: models.iter().all(|m| m.diversity_of_all().is_some() || !m.needs_values()),
            problem,
            units: Units::new(problem),
            space: problem.space().summed_in(axes),
            k: u32::try_from(problem.promises().smallest()).unwrap_or(u32::MAX),
            needs_values: problem.promises().needs_values(),
        }
    }

    /// Whether a class keeps every promise with these rows too.
    pub(super) fn holds_with(&self, class: &Class, added: Entry) -> bool {
        if !self.needs_values {
            return true;
        }
        if let Some(holds) = self.holds_at_once(class, None, added) {
            return holds;
        }
        let mut entries = class.entries.clone();
        entries.push(added);
        self.holds(&entries)
    }

    /// Whether a class keeps every promise with other rows in place of the entry at `index`.
    pub(super) fn holds_exchanged(&self, class: &Class, index: usize, added: Entry) -> bool {
        if !self.needs_values {
            return true;
        }
        if let Some(holds) = self.holds_at_once(class, Some(index), added) {
            return holds;
        }
        let mut entries = class.entries.clone();
        entries[index] = added;
        self.holds(&entries)
    }

    /// The same where the values of all attributes must be spread and the values that are added tell: not
    /// when they become too frequent, and yes when no others do because the class does not shrink.
    fn holds_at_once(&self, class: &Class, index: Option<usize>, added: Entry) -> Option<bool> {
        let l = self.l?;
        let gone = index.map_or(0, |index| class.entries[index].n_rows);
        let n_rows = u64::from(class.n_rows - gone + added.n_rows);
        for (at, &value) in self.units.sensitive(added.unit).iter().enumerate() {
            let stay = class.entries.iter().enumerate().filter(|(other, _)| Some(*other) != index);
            let same = stay.filter(|(_, entry)| self.units.sensitive(entry.unit)[at] == value);
            let count: u32 = same.map(|(_, entry)| entry.n_rows).sum();
            if u64::from(count + added.n_rows) * l > n_rows {
                return Some(false);
            }
        }
        (self.is_all && gone <= added.n_rows && n_rows >= u64::from(self.k)).then_some(true)
    }

    /// Whether a class keeps every promise without some rows of the entry at `index`.
    pub(super) fn holds_without(&self, class: &Class, index: usize, n_rows: u32) -> bool {
        if !self.needs_values {
            return class.n_rows - n_rows >= self.k;
        }
        let mut entries = class.entries.clone();
        entries[index].n_rows -= n_rows;
        entries.retain(|entry| entry.n_rows > 0);
        self.holds(&entries)
    }
}

impl Ground<'_, '_> {
    /// Whether rows of these units keep every promise as a class.
    pub(super) fn holds(&self, entries: &[Entry]) -> bool {
        let promises = self.problem.promises();
        let size: u64 = entries.iter().map(|entry| u64::from(entry.n_rows)).sum();
        if size < promises.smallest() || !promises.needs_values() {
            return promises.holds(size, &[]);
        }
        let cells = self.problem.sensitive().iter().enumerate().map(|(at, attribute)| {
            let value =
                |entry: &Entry| (self.units.sensitive(entry.unit)[at], u64::from(entry.n_rows));
            let mut cells = Vec::new();
            tally(entries.iter().map(value), attribute.n_codes() as usize, &mut cells);
            cells
        });
        promises.holds(size, &cells.collect::<Vec<_>>())
    }
}

//! The classes of a node: rows that are equal at its levels, and which of them break a promise.

use kohort_models::{Distribution, tally};

use super::{Lattice, Table};

/// Working memory of evaluations: one after another uses it again.
#[derive(Default)]
pub(crate) struct Desk {
    pub(super) keys: Vec<u64>,
    // By key: zero between evaluations.
    pub(super) sizes: Vec<u32>,
    // By key: whether a class breaks a promise that is not about its size.
    pub(super) broken: Vec<bool>,
    // By key: the people of a public table.
    pub(super) people: Vec<u64>,
    // By key: whether a class is too small for who knows a few columns; empty where nobody asks.
    pub(super) thin: Vec<bool>,
    pub(super) order: Vec<u32>,
    pub(super) cells: Vec<Vec<(u32, u64)>>,
    // For classes of a few columns beside those of all.
    pub(super) other: Option<Box<Desk>>,
    // The table rolled up to the node, and the key of each entry's class; where it was asked for.
    pub(super) rolled: Option<(Table, Vec<u64>)>,
}

impl Lattice<'_, '_> {
    /// Fills the desk: a key for each entry, the sizes of the classes, and which of them are broken.
    /// Gives a bound above the keys.
    pub(super) fn classes(&self, table: &Table, node: &[u32], desk: &mut Desk) -> usize {
        let span = self.group(table, node, &table.weights, desk);
        if self.needs_values() || self.people.is_some() {
            desk.broken.clear();
            desk.broken.resize(span, false);
        }
        self.mark_thin(table, node, span, desk);
        self.count_people(table, desk, span);
        if self.needs_values() {
            self.judge(table, node, desk, span);
            self.drop_more(table, node, span, desk);
        }
        span
    }

    /// A key for each entry and the sizes of the classes, where each entry has so many rows.
    pub(super) fn group(
        &self,
        table: &Table,
        node: &[u32],
        weights: &[u32],
        desk: &mut Desk,
    ) -> usize {
        let span = self.keys(table, node, &mut desk.keys);
        let direct = if self.needs_values() { 2 } else { 16 } * table.len() as u64;
        let span = if span <= direct.max(1 << 12) {
            span
        } else {
            kohort_core::number(&mut desk.keys, span)
        };
        if desk.sizes.len() < at(span) {
            desk.sizes.resize(at(span), 0);
        }
        for (key, &weight) in desk.keys.iter().zip(weights) {
            desk.sizes[at(*key)] += weight;
        }
        at(span)
    }

    /// Whether the sensitive values of rows matter.
    fn needs_values(&self) -> bool {
        self.problem.promises().needs_values()
    }

    /// Whether a class has too few rows for any promise: it has in every node below.
    pub(super) fn is_small(&self, desk: &Desk, key: u64) -> bool {
        u64::from(desk.sizes[at(key)]) < self.promises.smallest()
            || desk.thin.get(at(key)) == Some(&true)
    }

    /// Asks the promises about each class that is large enough. Where they compare it with the whole
    /// table, what is published of that counts too: the classes left are asked again when some are dropped.
    pub(super) fn judge(&self, table: &Table, node: &[u32], desk: &mut Desk, span: usize) {
        let promises = &self.promises;
        let drops = self.allowed > 0 && !self.keeps_suppressed();
        let starts = desk.sort(span);
        let mut left = self.allowed;
        loop {
            let published = (drops && promises.compares()).then(|| self.published(table, desk));
            let mut n_broken = 0;
            if promises.needs_values() {
                n_broken += self.ask(table, desk, &starts, published.as_deref());
            }
            n_broken += self.break_few(table, node, span, desk);
            if published.is_none() || n_broken == 0 || n_broken > left {
                return;
            }
            left -= n_broken;
        }
    }

    /// The distribution of each sensitive attribute over the classes that do not fail.
    fn published(&self, table: &Table, desk: &Desk) -> Vec<Distribution<'_>> {
        let smallest = self.promises.smallest();
        let mut published = Vec::with_capacity(table.sensitive.len());
        for (codes, attribute) in table.sensitive.iter().zip(self.problem.sensitive()) {
            let mut counts = vec![0; attribute.n_codes() as usize];
            for (entry, (&key, &weight)) in desk.keys.iter().zip(&table.weights).enumerate() {
                if !desk.fails(key, smallest) {
                    counts[codes.get(entry) as usize] += weight;
                }
            }
            published.push(Distribution::of(attribute, &counts));
        }
        published
    }

    /// Breaks the classes that do not keep the promises, in the whole table and in what is published of it
    /// where that has these distributions, and gives the number of their rows.
    fn ask(
        &self,
        table: &Table,
        desk: &mut Desk,
        starts: &[u32],
        among: Option<&[Distribution<'_>]>,
    ) -> u64 {
        let (promises, mut n_rows) = (&self.promises, 0);
        let Desk { sizes, broken, thin, order, cells, .. } = desk;
        for (key, ends) in starts.windows(2).enumerate() {
            let size = u64::from(sizes[key]);
            if size < promises.smallest() || broken[key] || thin.get(key) == Some(&true) {
                continue;
            }
            let entries = &order[ends[0] as usize..ends[1] as usize];
            self.count(table, &table.weights, entries, cells);
            let holds = promises.holds(size, cells)
                && among.is_none_or(|among| promises.holds_among(among, size, cells));
            if !holds {
                broken[key] = true;
                n_rows += size;
            }
        }
        n_rows
    }

    /// Counts the sensitive values of some entries, where each has so many rows.
    pub(super) fn count(
        &self,
        table: &Table,
        weights: &[u32],
        entries: &[u32],
        cells: &mut Vec<Vec<(u32, u64)>>,
    ) {
        cells.resize(table.sensitive.len(), Vec::new());
        let attributes = table.sensitive.iter().zip(self.problem.sensitive());
        for ((codes, attribute), cells) in attributes.zip(cells) {
            let of_entry =
                |&entry: &u32| (codes.get(entry as usize), u64::from(weights[entry as usize]));
            tally(entries.iter().map(of_entry), attribute.n_codes() as usize, cells);
            // People of a public table have no value.
            cells.retain(|&(_, count)| count > 0);
        }
    }
}

impl Desk {
    /// Puts the entries in the order of their keys; where those of each key begin, and an end.
    pub(super) fn sort(&mut self, span: usize) -> Vec<u32> {
        let mut starts = vec![0_u32; span + 1];
        for &key in &self.keys {
            starts[at(key) + 1] += 1;
        }
        for key in 0..span {
            starts[key + 1] += starts[key];
        }
        self.order.clear();
        self.order.resize(self.keys.len(), 0);
        let mut next = starts.clone();
        for (entry, &key) in (0..).zip(&self.keys) {
            self.order[next[at(key)] as usize] = entry;
            next[at(key)] += 1;
        }
        starts
    }

    /// The number of rows in some of the classes.
    pub(super) fn n_rows(&self, span: usize, is_asked: impl Fn(&Self, u64) -> bool) -> u64 {
        let sizes = (0..).zip(&self.sizes[..span]).filter(|&(key, _)| is_asked(self, key));
        sizes.map(|(_, &size)| u64::from(size)).sum()
    }

    /// Whether the class with this key breaks a promise.
    pub(super) fn fails(&self, key: u64, smallest: u64) -> bool {
        u64::from(self.sizes[at(key)]) < smallest
            || self.broken.get(at(key)) == Some(&true)
            || self.thin.get(at(key)) == Some(&true)
    }
}

/// A key as an index: keys are below a span that has a place in memory.
pub(super) fn at(key: u64) -> usize {
    usize::try_from(key).expect("keys are below a number of entries")
}

//! The outliers of a node as a class: rows that are dropped, and suppressed rows that stay and show `*`.
//!
//! # Guarantee
//! Rows that stay are a class of `*`: they keep every promise. Rows that are dropped keep every promise about
//! values (`crate::left_out` says why; that no box of the node covers them follows, since boxes of one level
//! do not overlap). A node whose outliers do not is not ok, and a search goes on to the next.
//!
//! # Method
//! Where dropped rows break a promise, whole classes with the smallest share of the values of which there are
//! too many are dropped as well, while that is allowed. Classes that are compared with what is published, or
//! that others see by a few columns, are asked again after that. For rows that stay none is tried: they are
//! compared with the whole table, all of which is published.

use super::classes::at;
use super::{Desk, Lattice, Table};

/// How often the values of which there are too many may change.
const ROUNDS: usize = 20;

impl Lattice<'_, '_> {
    /// Whether rows that are suppressed stay.
    pub(super) fn keeps_suppressed(&self) -> bool {
        self.allowed > 0 && self.problem.settings().keeps_suppressed
    }

    /// Whether rows that are dropped must keep promises about values.
    fn minds_dropped(&self) -> bool {
        let settings = self.problem.settings();
        self.allowed > 0
            && !settings.keeps_suppressed
            && !settings.dropped_may_tell
            && self.about_values.needs_values()
    }

    /// Whether the rows of the classes that fail keep as one class what they must.
    pub(super) fn are_outliers_kept(&self, table: &Table, outliers: u64, desk: &mut Desk) -> bool {
        let promises = if self.keeps_suppressed() {
            self.problem.promises()
        } else if self.minds_dropped() {
            &self.about_values
        } else {
            return true;
        };
        if outliers == 0 {
            return true;
        }
        let smallest = self.promises.smallest();
        let fails = |entry: &u32| desk.fails(desk.keys[*entry as usize], smallest);
        let n_entries = u32::try_from(table.len()).expect("entries are fewer than rows");
        let entries: Vec<u32> = (0..n_entries).filter(fails).collect();
        self.count(table, &table.weights, &entries, &mut desk.cells);
        promises.holds(outliers, &desk.cells)
    }

    /// Breaks further classes where the rows that are dropped do not keep what they must: step 2 of `left_out`.
    pub(super) fn drop_more(&self, table: &Table, node: &[u32], span: usize, desk: &mut Desk) {
        // People of a public table would have to be asked again.
        if !self.minds_dropped() || self.people.is_some() {
            return;
        }
        let asks_again = self.promises.compares() || !self.few.is_empty();
        while self.drop_until_kept(table, span, desk) && asks_again {
            self.judge(table, node, desk, span);
        }
    }

    /// Drops classes until the rows that are dropped keep what they must; whether it dropped any.
    fn drop_until_kept(&self, table: &Table, span: usize, desk: &mut Desk) -> bool {
        let starts = desk.sort(span);
        let mut out = Out::new(self, table, span, desk);
        let mut has_dropped = false;
        for _ in 0..ROUNDS {
            if out.n_rows == 0 || out.n_rows > self.allowed || out.holds() {
                break;
            }
            let wanted = out.overfull();
            let mut is_done = true;
            for key in self.by_share(table, &wanted, span, desk) {
                let size = u64::from(desk.sizes[key]);
                if out.n_rows + size > self.allowed {
                    continue;
                }
                desk.broken[key] = true;
                out.add(&desk.order[starts[key] as usize..starts[key + 1] as usize]);
                (has_dropped, is_done) = (true, out.holds());
                if is_done || out.overfull() != wanted {
                    break;
                }
            }
            if is_done {
                break;
            }
        }
        has_dropped
    }

    /// The classes that do not fail, those with the smallest share of rows with one of these values first.
    fn by_share(
        &self,
        table: &Table,
        wanted: &[(usize, u32)],
        span: usize,
        desk: &Desk,
    ) -> Vec<usize> {
        // How many rows of each class have one, and its first entry: the order of the keys is not that of the
        // entries, which is the same for every table below.
        let mut seen = vec![(0_u64, usize::MAX); span];
        for (entry, (&key, &weight)) in desk.keys.iter().zip(&table.weights).enumerate() {
            let has =
                |&(attribute, code): &(usize, u32)| table.sensitive[attribute].get(entry) == code;
            let (n_wanted, first) = &mut seen[at(key)];
            *n_wanted += if wanted.iter().any(has) { u64::from(weight) } else { 0 };
            *first = entry.min(*first);
        }
        let smallest = self.promises.smallest();
        let is_there = |key: &usize| desk.sizes[*key] > 0 && !desk.fails(*key as u64, smallest);
        let mut keys: Vec<usize> = (0..span).filter(is_there).collect();
        keys.sort_unstable_by(|&a, &b| {
            let (of_a, of_b) = (u64::from(desk.sizes[a]), u64::from(desk.sizes[b]));
            let by_share = (seen[a].0 * of_b).cmp(&(seen[b].0 * of_a));
            by_share.then(of_a.cmp(&of_b)).then(seen[a].1.cmp(&seen[b].1))
        });
        keys
    }
}

/// The rows of the classes that fail, and how many of them have each value.
struct Out<'l, 'p, 'a> {
    lattice: &'l Lattice<'p, 'a>,
    table: &'l Table,
    counts: Vec<Vec<u64>>,
    n_rows: u64,
}

impl<'l, 'p, 'a> Out<'l, 'p, 'a> {
    fn new(lattice: &'l Lattice<'p, 'a>, table: &'l Table, span: usize, desk: &Desk) -> Self {
        let n_codes = lattice.problem.sensitive().iter().map(|a| a.n_codes() as usize);
        let counts = n_codes.map(|n| vec![0; n]).collect();
        let mut out = Self { lattice, table, counts, n_rows: 0 };
        let smallest = lattice.promises.smallest();
        let fails: Vec<bool> = (0..span as u64).map(|key| desk.fails(key, smallest)).collect();
        let is_out = |entry: &u32| fails[at(desk.keys[*entry as usize])];
        let entries: Vec<u32> = desk.order.iter().copied().filter(is_out).collect();
        out.add(&entries);
        out
    }

    fn add(&mut self, entries: &[u32]) {
        for &entry in entries {
            let weight = u64::from(self.table.weights[entry as usize]);
            self.n_rows += weight;
            for (codes, counts) in self.table.sensitive.iter().zip(&mut self.counts) {
                counts[codes.get(entry as usize) as usize] += weight;
            }
        }
    }

    fn cells(&self) -> Vec<Vec<(u32, u64)>> {
        let of = |counts: &Vec<u64>| {
            (0..).zip(counts.iter().copied()).filter(|cell| cell.1 > 0).collect()
        };
        self.counts.iter().map(of).collect()
    }

    fn holds(&self) -> bool {
        self.lattice.about_values.holds(self.n_rows, &self.cells())
    }

    fn overfull(&self) -> Vec<(usize, u32)> {
        self.lattice.about_values.overfull(self.n_rows, &self.cells())
    }
}

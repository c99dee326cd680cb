//! Suppressed rows that stay in a release: they show `*` for every column, and are a class.
//!
//! A node is ok where that class keeps every promise, too. Suppressing more rows than fail might help a
//! class of `*` that does not; none is tried. Classes are compared with the whole table, all of which is
//! published.

use super::{Desk, Lattice, Table};

impl Lattice<'_, '_> {
    /// Whether rows that are suppressed stay.
    pub(super) fn keeps_suppressed(&self) -> bool {
        self.allowed > 0 && self.problem.settings().keeps_suppressed
    }

    /// Whether the rows of the classes that fail keep every promise as one class, if they stay.
    pub(super) fn is_starred_kept(&self, table: &Table, outliers: u64, desk: &mut Desk) -> bool {
        if outliers == 0 || !self.keeps_suppressed() {
            return true;
        }
        let smallest = self.promises.smallest();
        let fails = |entry: &u32| desk.fails(desk.keys[*entry as usize], smallest);
        let n_entries = u32::try_from(table.len()).expect("entries are fewer than rows");
        let entries: Vec<u32> = (0..n_entries).filter(fails).collect();
        self.count(table, &table.weights, &entries, &mut desk.cells);
        self.problem.promises().holds(outliers, &desk.cells)
    }
}

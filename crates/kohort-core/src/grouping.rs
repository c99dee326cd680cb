//! The grouping kernel: which rows are equal on a set of columns.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::Codes;

/// The classes of rows that agree on some columns, numbered in the order they first appear.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// The class of each row.
    pub ids: Vec<u32>,
    /// The number of classes.
    pub n_classes: u32,
}

impl Grouping {
    /// All rows in one class; none when there is no row.
    pub fn trivial(n_rows: usize) -> Self {
        Self { ids: vec![0; n_rows], n_classes: u32::from(n_rows > 0) }
    }

    /// The number of rows in each class.
    pub fn sizes(&self) -> Vec<u32> {
        crate::alive();
        let mut sizes = vec![0; self.n_classes as usize];
        for &id in &self.ids {
            sizes[id as usize] += 1;
        }
        sizes
    }

    /// For each class, its first row.
    pub fn first_rows(&self) -> Vec<u32> {
        crate::alive();
        let mut first = Vec::with_capacity(self.n_classes as usize);
        for (row, &id) in (0..).zip(&self.ids) {
            if id as usize == first.len() {
                first.push(row);
            }
        }
        first
    }

    /// The rows sorted by class (in row order within a class), and where each class ends.
    pub fn members(&self) -> (Vec<u32>, Vec<u32>) {
        let mut ends = self.sizes();
        let mut total = 0;
        for end in &mut ends {
            let size = *end;
            *end = total;
            total += size;
        }
        let mut rows = vec![0; self.ids.len()];
        for (row, &id) in (0..).zip(&self.ids) {
            let slot = &mut ends[id as usize];
            rows[*slot as usize] = row;
            *slot += 1;
        }
        (rows, ends)
    }

    /// The classes of rows that also agree on `column`, whose codes are below `n_codes`.
    #[must_use]
    pub fn refine(self, column: &Codes, n_codes: u32) -> Self {
        crate::alive();
        if n_codes <= 1 {
            return self;
        }
        let cells = u64::from(self.n_classes) * u64::from(n_codes);
        // A direct table is worth its memory while it is not much larger than the table of rows.
        if cells <= (self.ids.len() as u64 * 4).max(1 << 16) {
            self.refine_direct(column, n_codes)
        } else {
            self.refine_hashed(column)
        }
    }

    fn refine_direct(mut self, column: &Codes, n_codes: u32) -> Self {
        const NONE: u32 = u32::MAX;
        let mut id_of_cell = vec![NONE; self.n_classes as usize * n_codes as usize];
        let mut n_classes = 0;
        let mut ids = self.ids.iter_mut();
        column.for_each(|code| {
            let Some(id) = ids.next() else { return };
            let slot = &mut id_of_cell[*id as usize * n_codes as usize + code as usize];
            if *slot == NONE {
                *slot = n_classes;
                n_classes += 1;
            }
            *id = *slot;
        });
        self.n_classes = n_classes;
        self
    }

    fn refine_hashed(mut self, column: &Codes) -> Self {
        let hasher = FixedState::default();
        let mut id_of_cell: HashTable<(u64, u32)> = HashTable::new();
        let mut n_classes = 0;
        let mut ids = self.ids.iter_mut();
        column.for_each(|code| {
            let Some(id) = ids.next() else { return };
            let cell = u64::from(*id) << 32 | u64::from(code);
            let entry = id_of_cell.entry(
                hasher.hash_one(cell),
                |other| other.0 == cell,
                |other| hasher.hash_one(other.0),
            );
            *id = entry
                .or_insert_with(|| {
                    n_classes += 1;
                    (cell, n_classes - 1)
                })
                .get()
                .1;
        });
        self.n_classes = n_classes;
        self
    }
}

/// Replaces keys, which are below `span`, by numbers from 0 in the order the keys first appear, and gives
/// how many there are.
pub fn number(keys: &mut [u64], span: u64) -> u64 {
    crate::alive();
    // A direct table is worth its memory while it is not much larger than the keys.
    match usize::try_from(span) {
        Ok(span) if span <= (keys.len() * 4).max(1 << 12) => number_direct(keys, span),
        _ => number_hashed(keys),
    }
}

fn number_direct(keys: &mut [u64], span: usize) -> u64 {
    const NONE: u32 = u32::MAX;
    let mut number_of_key = vec![NONE; span];
    let mut n = 0;
    for key in keys {
        let slot = &mut number_of_key[usize::try_from(*key).expect("keys are below the span")];
        if *slot == NONE {
            *slot = n;
            n += 1;
        }
        *key = u64::from(*slot);
    }
    u64::from(n)
}

fn number_hashed(keys: &mut [u64]) -> u64 {
    let hasher = FixedState::default();
    let mut numbers: HashTable<(u64, u32)> = HashTable::with_capacity(keys.len());
    let mut n = 0;
    for key in keys {
        let entry = numbers.entry(
            hasher.hash_one(*key),
            |found| found.0 == *key,
            |found| hasher.hash_one(found.0),
        );
        let number = entry.or_insert_with(|| {
            n += 1;
            (*key, n - 1)
        });
        *key = u64::from(number.get().1);
    }
    u64::from(n)
}

/// Groups `n_rows` rows by columns given with the number of codes of each.
pub fn group<'a>(n_rows: usize, columns: impl IntoIterator<Item = (&'a Codes, u32)>) -> Grouping {
    columns.into_iter().fold(Grouping::trivial(n_rows), |grouping, (codes, n_codes)| {
        grouping.refine(codes, n_codes)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_are_numbered_in_the_order_they_appear() {
        let mut keys = [7, u64::MAX - 1, 7, 0, u64::MAX - 1];
        assert_eq!(number(&mut keys, u64::MAX), 3);
        assert_eq!(keys, [0, 1, 0, 2, 1]);
        let mut keys = [7, 9, 7, 0, 9];
        assert_eq!(number(&mut keys, 10), 3);
        assert_eq!(keys, [0, 1, 0, 2, 1]);
        assert_eq!(number(&mut [], 1), 0);
    }

    proptest! {
        #[test]
        fn grouping_equals_a_map_of_rows(
            rows in prop::collection::vec((0u32..3, 0u32..400, 0u32..2), 0..60),
            hashed in any::<bool>(),
        ) {
            let mut columns = [Codes::default(), Codes::default(), Codes::default()];
            for &(a, b, c) in &rows {
                columns[0].push(a);
                columns[1].push(b);
                columns[2].push(c);
            }
            let grouping = if hashed {
                columns.iter().fold(Grouping::trivial(rows.len()), Grouping::refine_hashed)
            } else {
                group(rows.len(), columns.iter().zip([3, 400, 2]))
            };
            let mut plain: BTreeMap<_, Vec<u32>> = BTreeMap::new();
            for (row, key) in (0..).zip(&rows) {
                plain.entry(key).or_default().push(row);
            }
            prop_assert_eq!(grouping.n_classes as usize, plain.len());
            let (members, ends) = grouping.members();
            let mut start = 0;
            for (class, &end) in ends.iter().enumerate() {
                let class_rows = &members[start..end as usize];
                prop_assert_eq!(class_rows, &plain[&rows[class_rows[0] as usize]][..]);
                prop_assert_eq!(grouping.first_rows()[class], class_rows[0]);
                start = end as usize;
            }
        }
    }
}

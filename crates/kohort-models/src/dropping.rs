//! Which rows to drop so that the others keep promises as one class.
//!
//! # Guarantee
//! What is left keeps every promise, and no more rows are dropped than may be. That no way is found
//! proves nothing where there are several promises.
//!
//! # Method
//! 1. Models that do not hold name the value of which there are too many (`ClassModel::overfull`).
//! 2. Drop a row that has as many of the named values as possible; of several one whose values are the
//!    most frequent, and of these the first. Repeat.
//! 3. While dropping twice as many rows alike changes nothing about what is named, do so at once.

use crate::Promises;

/// Rows that agree on every sensitive attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowKind {
    /// The code of each sensitive attribute.
    pub values: Vec<u32>,
    /// How many there are.
    pub n_rows: u64,
}

impl Promises<'_> {
    /// How many rows of each kind to drop, at most `limit` in all, so that the others keep every promise
    /// as one class. None when no way is found, or when `work` is used up: it is counted down by
    /// what is looked at.
    pub fn to_drop(&self, kinds: &[RowKind], limit: u64, work: &mut u64) -> Option<Vec<u64>> {
        let mut left = Left::new(self, kinds);
        let mut dropped = vec![0; kinds.len()];
        let mut n_dropped = 0;
        let mut wanted = left.overfull(self, work)?;
        loop {
            if left.holds(self) {
                return Some(dropped);
            }
            *work = work.checked_sub(kinds.len() as u64)?;
            let kind = left.next(kinds, &dropped, &wanted)?;
            let there = kinds[kind].n_rows - dropped[kind];
            let most = there.min(limit - n_dropped).min(left.size - self.smallest());
            if most == 0 {
                return None;
            }
            let mut step = 1;
            left.drop(&kinds[kind], 1);
            let mut next = left.overfull(self, work)?;
            while next == wanted && step * 2 <= most {
                left.drop(&kinds[kind], step);
                let further = left.overfull(self, work)?;
                if further != wanted || left.holds(self) {
                    left.put_back(&kinds[kind], step);
                    break;
                }
                (step, next) = (step * 2, further);
            }
            dropped[kind] += step;
            n_dropped += step;
            wanted = next;
        }
    }
}

/// The rows that are left.
struct Left {
    size: u64,
    // For each sensitive attribute, how many have each value.
    counts: Vec<Vec<u64>>,
}

impl Left {
    fn new(promises: &Promises<'_>, kinds: &[RowKind]) -> Self {
        let tables = promises.distributions().iter();
        let counts = tables.map(|table| vec![0; table.attribute().n_codes() as usize]).collect();
        let mut left = Self { size: 0, counts };
        for kind in kinds {
            left.put_back(kind, kind.n_rows);
        }
        left
    }

    fn put_back(&mut self, kind: &RowKind, n_rows: u64) {
        self.size += n_rows;
        for (counts, &code) in self.counts.iter_mut().zip(&kind.values) {
            counts[code as usize] += n_rows;
        }
    }

    fn drop(&mut self, kind: &RowKind, n_rows: u64) {
        self.size -= n_rows;
        for (counts, &code) in self.counts.iter_mut().zip(&kind.values) {
            counts[code as usize] -= n_rows;
        }
    }

    fn cells(&self) -> Vec<Vec<(u32, u64)>> {
        let present = |counts: &Vec<u64>| {
            (0..).zip(counts.iter().copied()).filter(|cell| cell.1 > 0).collect()
        };
        self.counts.iter().map(present).collect()
    }

    fn holds(&self, promises: &Promises<'_>) -> bool {
        self.size > 0 && promises.holds(self.size, &self.cells())
    }

    /// Step 1: none when too few rows are left, or when nothing more may be looked at.
    fn overfull(&self, promises: &Promises<'_>, work: &mut u64) -> Option<Vec<(usize, u32)>> {
        let n_counts: usize = self.counts.iter().map(Vec::len).sum();
        *work = work.checked_sub(n_counts as u64 + 1)?;
        if self.size < promises.smallest() {
            return None;
        }
        Some(promises.overfull(self.size, &self.cells()))
    }

    /// Step 2: the kind of the row to drop.
    fn next(&self, kinds: &[RowKind], dropped: &[u64], wanted: &[(usize, u32)]) -> Option<usize> {
        let key = |index: usize| {
            let values = &kinds[index].values;
            let n_wanted = wanted.iter().filter(|&&(of, code)| values[of] == code).count();
            let counts = self.counts.iter().zip(values);
            (n_wanted, counts.map(|(counts, &code)| counts[code as usize]).sum::<u64>())
        };
        let left = (0..kinds.len()).filter(|&index| dropped[index] < kinds[index].n_rows);
        let best = left.map(|index| (key(index), index)).filter(|((n_wanted, _), _)| *n_wanted > 0);
        best.rev().max_by_key(|&(key, _)| key).map(|(_, index)| index)
    }
}

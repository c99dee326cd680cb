//! Every way to deal the rows of one class to blocks of people with equal values.

use std::collections::BTreeMap;

/// The most values that are tried.
const MOST_STEPS: u32 = 2_000;

/// Every way to deal the rows of a class to its blocks.
pub(in crate::attack) struct Deal {
    n: Vec<u32>,
    candidates: Vec<Vec<u32>>,
    rows: BTreeMap<u32, u32>,
    value: Vec<u32>,
    n_steps: u32,
    /// The values that each block has, as often as it has them.
    pub(in crate::attack) found: Vec<Vec<u32>>,
    /// Whether two blocks have different values in some way, row-major.
    pub(in crate::attack) differ: Vec<bool>,
}

impl Deal {
    /// Tries all ways for blocks of `n` people of the class each; none where there are too many, or there is
    /// no way.
    pub(in crate::attack) fn new(
        n: Vec<u32>,
        candidates: Vec<Vec<u32>>,
        rows: BTreeMap<u32, u32>,
    ) -> Option<Self> {
        let n_blocks = n.len();
        let mut deal = Self {
            n,
            candidates,
            rows,
            value: vec![0; n_blocks],
            n_steps: 0,
            found: vec![Vec::new(); n_blocks],
            differ: vec![false; n_blocks * n_blocks],
        };
        deal.visit(0)?;
        deal.found.first().is_some_and(|found| !found.is_empty()).then_some(deal)
    }

    /// Tries the blocks from `at` on; none where there is too much to try.
    fn visit(&mut self, at: usize) -> Option<()> {
        let n_blocks = self.n.len();
        if at == n_blocks {
            for a in 0..n_blocks {
                self.found[a].push(self.value[a]);
                for b in a + 1..n_blocks {
                    self.differ[a * n_blocks + b] |= self.value[a] != self.value[b];
                }
            }
            return Some(());
        }
        for index in 0..self.candidates[at].len() {
            self.n_steps += 1;
            if self.n_steps > MOST_STEPS {
                return None;
            }
            let value = self.candidates[at][index];
            let rows = self.rows.get(&value).copied().unwrap_or(0);
            let Some(left) = rows.checked_sub(self.n[at]) else { continue };
            self.rows.insert(value, left);
            self.value[at] = value;
            let found = self.visit(at + 1);
            self.rows.insert(value, rows);
            found?;
        }
        Some(())
    }
}

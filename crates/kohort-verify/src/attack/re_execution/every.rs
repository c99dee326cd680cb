//! Every assignment of values that a release admits, where there are not too many.

use std::collections::BTreeMap;

use super::rows::Rows;

/// The most assignments that are tried one by one.
pub(super) const MOST: usize = 5_000;

/// The most steps to find them.
pub(super) const MOST_STEPS: usize = 500_000;

/// The kinds of values of each person, in every way that people can have the rows of a release; none where
/// there are too many ways. Some of them may put more people into a class than it has rows.
pub(super) fn every_assignment(rows: &Rows) -> Option<Vec<Vec<u32>>> {
    let (pool_of_person, pools) = rows.pools();
    let counted = pools.iter().map(|pool| {
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for &row in pool {
            *counts.entry(rows.kinds[row as usize]).or_default() += 1;
        }
        counts
    });
    let left = counted.collect();
    let allowed = (0..rows.n_people()).map(|person| rows.kinds_of_person(person)).collect();
    let mut search =
        Search { pool_of_person, allowed, left, given: Vec::new(), all: Vec::new(), n_steps: 0 };
    search.extend().then_some(search.all)
}

struct Search {
    pool_of_person: Vec<usize>,
    allowed: Vec<Vec<u32>>,
    // How often each kind is left in a pool.
    left: Vec<BTreeMap<u32, u32>>,
    given: Vec<u32>,
    all: Vec<Vec<u32>>,
    n_steps: usize,
}

impl Search {
    /// Adds every way to go on; false where there are too many.
    fn extend(&mut self) -> bool {
        let person = self.given.len();
        if person == self.allowed.len() {
            self.all.push(self.given.clone());
            return self.all.len() <= MOST;
        }
        self.n_steps += 1;
        if self.n_steps > MOST_STEPS {
            return false;
        }
        let pool = self.pool_of_person[person];
        for at in 0..self.allowed[person].len() {
            let kind = self.allowed[person][at];
            let n_left = self.left[pool].get(&kind).copied().unwrap_or(0);
            if n_left == 0 {
                continue;
            }
            self.left[pool].insert(kind, n_left - 1);
            self.given.push(kind);
            let goes_on = self.extend();
            self.given.pop();
            self.left[pool].insert(kind, n_left);
            if !goes_on {
                return false;
            }
        }
        true
    }
}

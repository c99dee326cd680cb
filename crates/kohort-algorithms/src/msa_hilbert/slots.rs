//! Rows that wait for a class, and which l of them make one: no two agree on a value.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Run;

/// How many choices are tried before a search gives up.
const PATIENCE: usize = 500;

/// The rows that wait, each in a slot; sets of slots have 64 to a word.
pub(super) struct Slots<'r> {
    run: &'r Run<'r>,
    n_words: usize,
    // The place of each slot on the line; slots are used again.
    places: Vec<u32>,
    waiting: Vec<u64>,
    // For each slot the waiting slots that agree with it on a value, and for each value its slots.
    conflicts: Vec<u64>,
    holders: Vec<u64>,
}

fn each(slots: &[u64]) -> impl Iterator<Item = usize> + '_ {
    slots.iter().enumerate().flat_map(|(at, &word)| {
        let rest = |&word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
        std::iter::successors(Some(word).filter(|&word| word != 0), rest)
            .map(move |word| at * 64 + word.trailing_zeros() as usize)
    })
}

fn count(slots: impl Iterator<Item = u64>) -> usize {
    slots.map(|word| word.count_ones() as usize).sum()
}

fn has(slots: &[u64], slot: usize) -> bool {
    slots[slot / 64] >> (slot % 64) & 1 == 1
}

impl<'r> Slots<'r> {
    /// Room for at least as many rows.
    pub(super) fn new(run: &'r Run<'r>, n_slots: usize) -> Self {
        let n_words = n_slots.div_ceil(64);
        Self {
            run,
            n_words,
            places: vec![0; n_words * 64],
            waiting: vec![0; n_words],
            conflicts: vec![0; n_words * 64 * n_words],
            holders: vec![0; run.n_values * n_words],
        }
    }

    pub(super) fn len(&self) -> usize {
        count(self.waiting.iter().copied())
    }

    pub(super) fn is_full(&self) -> bool {
        self.len() == self.places.len()
    }

    /// The slots in the order of the line.
    pub(super) fn in_order(&self) -> Vec<usize> {
        let mut slots: Vec<usize> = each(&self.waiting).collect();
        slots.sort_unstable_by_key(|&slot| self.places[slot]);
        slots
    }

    pub(super) fn place(&self, slot: usize) -> u32 {
        self.places[slot]
    }

    /// Whether a row with this value waits.
    pub(super) fn has_value(&self, value: u32) -> bool {
        self.holders[value as usize * self.n_words..][..self.n_words].iter().any(|&word| word != 0)
    }

    /// The earliest row; there is one.
    pub(super) fn oldest(&self) -> usize {
        each(&self.waiting).min_by_key(|&slot| self.places[slot]).expect("a row waits")
    }

    fn values(&self, slot: usize) -> &'r [u32] {
        self.run.values(self.places[slot])
    }

    fn conflicts(&self, slot: usize) -> &[u64] {
        &self.conflicts[slot * self.n_words..][..self.n_words]
    }

    /// Lets a row wait; a slot is free.
    pub(super) fn push(&mut self, place: u32) {
        let word = self.waiting.iter().position(|&word| word != u64::MAX).expect("a slot is free");
        let slot = word * 64 + self.waiting[word].trailing_ones() as usize;
        let n_words = self.n_words;
        let from = slot * n_words;
        self.conflicts[from..][..n_words].fill(0);
        for &value in self.run.values(place) {
            let holders = &mut self.holders[value as usize * n_words..][..n_words];
            let conflicts = &mut self.conflicts[from..][..n_words];
            conflicts.iter_mut().zip(&*holders).for_each(|(agree, holders)| *agree |= holders);
            holders[word] |= 1 << (slot % 64);
        }
        self.places[slot] = place;
        self.waiting[word] |= 1 << (slot % 64);
        self.mark(slot, |word, bit| *word |= bit);
    }

    /// Ends the wait of a row; gives its place.
    pub(super) fn remove(&mut self, slot: usize) -> u32 {
        let (word, bit) = (slot / 64, 1 << (slot % 64));
        for &value in self.values(slot) {
            self.holders[value as usize * self.n_words + word] &= !bit;
        }
        self.waiting[word] &= !bit;
        self.mark(slot, |word, bit| *word &= !bit);
        self.places[slot]
    }

    /// Tells the slots that agree with a slot.
    fn mark(&mut self, slot: usize, mark: impl Fn(&mut u64, u64)) {
        for at in 0..self.n_words {
            for other in each(&[self.conflicts[slot * self.n_words + at]]) {
                let word = (at * 64 + other) * self.n_words + slot / 64;
                mark(&mut self.conflicts[word], 1 << (slot % 64));
            }
        }
    }

    /// Leaves a row and all that agree with it out of a set.
    fn strike(&self, slots: &mut [u64], slot: usize) {
        slots.iter_mut().zip(self.conflicts(slot)).for_each(|(free, agree)| *free &= !agree);
        slots[slot / 64] &= !(1 << (slot % 64));
    }

    /// l rows of which no two agree: one after another the row that is most critical, then the one that
    /// agrees with fewest others, then the earliest.
    pub(super) fn pick(&self, n_critical: impl Fn(u32) -> usize) -> Option<Vec<usize>> {
        let l = self.run.l;
        if self.len() < l {
            return None;
        }
        let keyed = each(&self.waiting).map(|slot| (n_critical(self.places[slot]), slot));
        let keyed: Vec<_> = keyed.collect();
        let mut free = self.waiting.clone();
        let mut class = Vec::with_capacity(l);
        while class.len() < l {
            let key = |&&(critical, slot): &&(usize, usize)| {
                let agree = self.conflicts(slot).iter().zip(&free).map(|(a, b)| a & b);
                (Reverse(critical), count(agree), self.places[slot])
            };
            let &(_, slot) = keyed.iter().filter(|(_, slot)| has(&free, *slot)).min_by_key(key)?;
            class.push(slot);
            self.strike(&mut free, slot);
        }
        Some(class)
    }

    /// l rows of which no two agree, the oldest among them, by an exact search while patience lasts.
    pub(super) fn search(&self) -> Option<Vec<usize>> {
        let oldest = self.oldest();
        let mut free = self.waiting.clone();
        self.strike(&mut free, oldest);
        let mut rest = self.in_order();
        rest.retain(|&slot| has(&free, slot));
        let mut class = vec![oldest];
        if self.values(oldest).len() == 2 {
            class.extend(self.matching(&rest)?);
        } else if !self.complete(&mut class, &free, &rest, &mut { PATIENCE }) {
            return None;
        }
        Some(class)
    }

    /// Adds rows to a class until it has l; false when there is no way.
    fn complete(
        &self,
        class: &mut Vec<usize>,
        free: &[u64],
        rest: &[usize],
        patience: &mut usize,
    ) -> bool {
        let lacking = self.run.l - class.len();
        if lacking == 0 {
            return true;
        }
        let mut free = free.to_vec();
        for (at, &slot) in rest.iter().enumerate() {
            if *patience == 0 || count(free.iter().copied()) < lacking {
                return false;
            }
            if has(&free, slot) {
                *patience -= 1;
                let mut freer = free.clone();
                self.strike(&mut freer, slot);
                class.push(slot);
                if self.complete(class, &freer, &rest[at + 1..], patience) {
                    return true;
                }
                class.pop();
                free[slot / 64] &= !(1 << (slot % 64));
            }
        }
        false
    }

    /// l − 1 rows of which no two agree on either of two attributes: a row is an edge between its two
    /// values, and such rows are a matching.
    fn matching(&self, rest: &[usize]) -> Option<Vec<usize>> {
        let mut row_of_second: BTreeMap<u32, usize> = BTreeMap::new();
        let mut tried = Vec::new();
        for &slot in rest {
            let first = self.values(slot)[0];
            if row_of_second.len() + 1 < self.run.l && !tried.contains(&first) {
                tried.push(first);
                self.augment(first, rest, &mut row_of_second, &mut Vec::new());
            }
        }
        let is_enough = row_of_second.len() + 1 == self.run.l;
        is_enough.then(|| row_of_second.into_values().collect())
    }

    /// Matches a value of the first attribute, moving others to other values where it must.
    fn augment(
        &self,
        first: u32,
        rest: &[usize],
        row_of_second: &mut BTreeMap<u32, usize>,
        seen: &mut Vec<u32>,
    ) -> bool {
        for &slot in rest.iter().filter(|&&slot| self.values(slot)[0] == first) {
            let second = self.values(slot)[1];
            if seen.contains(&second) {
                continue;
            }
            seen.push(second);
            let other = row_of_second.get(&second).map(|&other| self.values(other)[0]);
            if other.is_none_or(|other| self.augment(other, rest, row_of_second, seen)) {
                row_of_second.insert(second, slot);
                return true;
            }
        }
        false
    }
}

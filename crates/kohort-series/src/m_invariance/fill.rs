//! Gaps in the classes of those who were published before are filled with people who come.
//!
//! # Method
//! 1. A gap of a value may be filled by anybody who comes with it. Of all pairs of a gap and somebody, the one
//!    that adds least to the loss of the class is next; none that adds more than the gap is worth, and for whom
//!    would be held back otherwise no more than a row loses that is left out.
//! 2. More gaps than one for every `MOST_GAPS` people are filled whatever that adds, as long as somebody is there
//!    who may.
//! 3. Those who still come stay m-eligible: no value is had by more than one in m of them, but for those who
//!    would be held back anyway.
//!
//! Gaps that stay are counterfeits.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use kohort_algorithms::Space;

use super::Class;
use crate::buckets::{NOBODY, spare};
use crate::exchange::loss;
use crate::rows::Rows;

/// What a row loses that is left out.
const HELD_BACK: f64 = 1.0;

/// So many people for each gap that may stay where filling it costs much.
const MOST_GAPS: usize = 6;

/// What a filled gap is worth: whoever fills it may cost the m − 1 others of the class half of all that their rows
/// tell. A counterfeit loses nothing, but is not true.
pub(super) fn worth_of_gap(m: usize) -> f64 {
    m.saturating_sub(1) as f64 / 2.0
}

/// Where there are many gaps of a value, each is compared with so many people who are near in the order of
/// codes.
const NEAR: usize = 64;

/// Up to so many pairs of a gap and somebody with its value, all are compared.
const FEW: usize = 100_000;

/// Fills gaps with people who wait, by value; whoever fills one waits no more.
pub(super) fn fill(
    (space, rows): (&Space, &Rows),
    classes: &mut [Class],
    waiting: &mut [Vec<u32>],
    (m, n_people): (usize, usize),
) {
    let mut pairs = pairs(space, rows, classes, waiting);
    let mut crowd = Crowd::new(waiting, m);
    let mut taken: BTreeSet<u32> = BTreeSet::new();
    // Who must wait for the others to be fewer.
    let mut later = Vec::new();
    let n_gaps = classes.iter().flat_map(|class| &class.rows).filter(|&&row| row == NOBODY).count();
    let mut n_excess = n_gaps.saturating_sub(n_people / MOST_GAPS);
    while let Some(Reverse(pair)) = pairs.pop() {
        let Pair { class, slot, row, added: Added(added) } = pair;
        if classes[class].rows[slot] != NOBODY || taken.contains(&row) {
            continue;
        }
        let value = classes[class].signature[slot] as usize;
        if n_excess == 0 && added >= crowd.worth(value) {
            continue;
        }
        let again = grown(space, rows, &classes[class], row);
        if again > added + 1e-12 {
            pairs.push(Reverse(Pair { added: Added(again), ..pair }));
            continue;
        }
        if !crowd.lets(value) {
            later.push(Reverse(pair));
            continue;
        }
        classes[class].rows[slot] = row;
        n_excess = n_excess.saturating_sub(1);
        taken.insert(row);
        pairs.extend(later.drain(..));
    }
    for waiting in waiting {
        waiting.retain(|row| !taken.contains(row));
    }
}

/// What a pair adds to the loss.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Added(f64);

impl Eq for Added {}

impl PartialOrd for Added {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Added {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A gap and somebody who may fill it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    added: Added,
    class: usize,
    slot: usize,
    row: u32,
}

/// Every gap with those who may fill it.
fn pairs(
    space: &Space,
    rows: &Rows,
    classes: &[Class],
    waiting: &[Vec<u32>],
) -> BinaryHeap<Reverse<Pair>> {
    let mut gaps: Vec<Vec<(usize, usize)>> = vec![Vec::new(); waiting.len()];
    for (at, class) in classes.iter().enumerate() {
        for (slot, (&row, &value)) in class.rows.iter().zip(&class.signature).enumerate() {
            if row == NOBODY {
                gaps[value as usize].push((at, slot));
            }
        }
    }
    let mut pairs = Vec::new();
    for (mut gaps, waiting) in gaps.into_iter().zip(waiting) {
        let mut people = waiting.clone();
        let are_many = gaps.len().saturating_mul(people.len()) > FEW;
        if are_many {
            people.sort_by_key(|&row| rows.codes(row));
            gaps.sort_by_key(|&(class, _)| first(rows, &classes[class]));
        }
        let n_gaps = gaps.len();
        for (place, (class, slot)) in gaps.into_iter().enumerate() {
            let middle = place * people.len() / n_gaps;
            let near = if are_many {
                let from = middle.saturating_sub(NEAR / 2);
                from..(from + NEAR).min(people.len())
            } else {
                0..people.len()
            };
            for &row in &people[near] {
                let added = Added(grown(space, rows, &classes[class], row));
                pairs.push(Reverse(Pair { added, class, slot, row }));
            }
        }
    }
    BinaryHeap::from(pairs)
}

/// The codes of the first of a class.
fn first<'r>(rows: &'r Rows, class: &Class) -> Option<&'r [u32]> {
    class.rows.iter().find(|&&row| row != NOBODY).map(|&row| rows.codes(row))
}

/// What a class loses more with one more row.
fn grown(space: &Space, rows: &Rows, class: &Class, row: u32) -> f64 {
    let with: Vec<u32> = class.rows.iter().copied().chain([row]).collect();
    loss(space, rows, &[with]) - loss(space, rows, std::slice::from_ref(&class.rows))
}

/// How many of those who wait have each value, without those who would be held back.
struct Crowd {
    m: usize,
    counts: Vec<usize>,
    spare: Vec<usize>,
    // How many values have each count.
    n_of_count: BTreeMap<usize, usize>,
    total: usize,
}

impl Crowd {
    fn new(waiting: &[Vec<u32>], m: usize) -> Self {
        let spare = spare(waiting, m);
        let counts: Vec<usize> = waiting.iter().zip(&spare).map(|(w, s)| w.len() - s).collect();
        let mut n_of_count = BTreeMap::new();
        for &count in &counts {
            *n_of_count.entry(count).or_default() += 1;
        }
        Self { m, total: counts.iter().sum(), counts, spare, n_of_count }
    }

    /// What it is worth to have somebody with a value in a gap.
    fn worth(&self, value: usize) -> f64 {
        let held_back = if self.spare[value] > 0 { HELD_BACK } else { 0.0 };
        worth_of_gap(self.m) + held_back
    }

    /// Takes somebody with a value, if the others stay m-eligible.
    fn lets(&mut self, value: usize) -> bool {
        if self.spare[value] > 0 {
            self.spare[value] -= 1;
            return true;
        }
        let count = self.counts[value];
        let is_alone = self.n_of_count[&count] == 1;
        let largest = self.n_of_count.keys().next_back().copied().unwrap_or(0);
        let largest = if count == largest && is_alone { count - 1 } else { largest };
        // The next largest is no larger than the largest without this one.
        let others = self.n_of_count.range(..count).next_back().map_or(0, |(&count, _)| count);
        let largest = largest.max(others);
        if largest * self.m > self.total - 1 {
            return false;
        }
        self.total -= 1;
        self.counts[value] -= 1;
        if let Some(n) = self.n_of_count.get_mut(&count) {
            *n -= 1;
            if *n == 0 {
                self.n_of_count.remove(&count);
            }
        }
        *self.n_of_count.entry(count - 1).or_default() += 1;
        true
    }
}

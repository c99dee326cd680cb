//! People who are known to have the same value: a union-find.

use std::collections::BTreeMap;

/// Blocks of people with the same value.
#[derive(Clone, Debug)]
pub(in crate::attack) struct Blocks {
    above: Vec<u32>,
}

impl Blocks {
    /// Each of `n` people is only known to have the own value.
    pub(in crate::attack) fn new(n: u32) -> Self {
        Self { above: (0..n).collect() }
    }

    /// The lowest of the people with the same value.
    pub(in crate::attack) fn first(&mut self, mut person: u32) -> u32 {
        while self.above[person as usize] != person {
            let above = self.above[person as usize];
            self.above[person as usize] = self.above[above as usize];
            person = above;
        }
        person
    }

    /// The lowest of the people with the same value, without shortening the way to it.
    pub(in crate::attack) fn root(&self, mut person: u32) -> u32 {
        while self.above[person as usize] != person {
            person = self.above[person as usize];
        }
        person
    }

    /// Two people have the same value; whether that was not known.
    pub(in crate::attack) fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.first(a), self.first(b));
        self.above[a.max(b) as usize] = a.min(b);
        a != b
    }

    /// The blocks of two or more, the lowest person first.
    pub(in crate::attack) fn of_many(&mut self) -> Vec<Vec<u32>> {
        let mut blocks: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for person in (0..).take(self.above.len()) {
            let first = self.first(person);
            if first != person {
                blocks.entry(first).or_insert_with(|| vec![first]).push(person);
            }
        }
        blocks.into_values().collect()
    }
}

/// What blocks amount to, as a sentence without a closing stop.
pub(in crate::attack) fn about(blocks: &[Vec<u32>]) -> String {
    let sizes = || blocks.iter().map(Vec::len);
    let (n_in_blocks, largest) = (sizes().sum::<usize>(), sizes().max().unwrap_or(1));
    format!(
        "{} blocks of people must have equal values, of {n_in_blocks} people; the largest has {largest}",
        blocks.len()
    )
}

/// How likely two of `n_people` are of one block, as a sentence without a closing stop.
pub(in crate::attack) fn about_two(blocks: &[Vec<u32>], n_people: u64) -> String {
    let pairs: u64 = blocks.iter().map(|block| block.len() as u64).map(|n| n * (n - 1)).sum();
    let all = n_people * n_people.saturating_sub(1);
    let share = pairs as f64 / all.max(1) as f64;
    format!("two people drawn at random must have equal values with probability {share:.6}")
}

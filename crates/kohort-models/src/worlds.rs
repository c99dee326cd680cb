//! What is known of a person when the members of a class and its rows are known, but not whose is whose.
//!
//! # Definition
//! A class has g people and g rows of d sensitive values; every bijection is a world, and all are equally
//! likely. A bit (u, i, o) says that u does not have value o on attribute i, and removes the worlds that
//! give u such a row. The worst posterior under b bits is the largest probability that some person has
//! some value, over all sets of b bits that leave a world.
//!
//! # Method
//! 1. A class in which no two rows agree on any attribute: 1/(g − b), by Theorem 2, and no
//!    less.
//! 2. A small class: every set of bits is tried. People without a bit are alike, so that bits differ only
//!    in which of them are about one person. Pr(u→r) is a ratio of permanents, and all of them come from
//!    one pass over subsets of rows forwards and one backwards: O(2^g · g).
//! 3. Any other class: c / (g − c · b) with c the most often repeated value, at most 1.
//!
//! # References
//! Abdalaal, Privacy Preserving Data Publishing with Multiple Sensitive Attributes, 2012.

use kohort_core::Ratio;

/// The largest class that is decided by trying every set of bits.
const LARGEST: usize = 10;

/// The most bits that are tried.
const MOST_BITS: usize = 3;

/// The most steps that trying may take for one class, where nothing else is said.
const MOST_STEPS: u64 = 50_000_000;

/// How a posterior is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// No two rows of the class agree on a sensitive attribute: Theorem 2 gives it, exactly.
    ByConstruction,
    /// Every set of bits was tried.
    Decided,
    /// No posterior is larger, but none may be as large.
    Bounded,
}

impl Evidence {
    /// The name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::ByConstruction => "by-construction",
            Self::Decided => "decided",
            Self::Bounded => "bounded",
        }
    }
}

/// The largest probability that somebody has some value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posterior {
    /// The probability.
    pub probability: Ratio,
    /// How it is known.
    pub evidence: Evidence,
}

/// The worst posterior of a class under so many bits of non-membership knowledge. `rows` has the codes
/// of the sensitive values of its rows, row-major, `n_attributes` for each.
///
/// # Panics
/// When the class is empty or there is no attribute.
pub fn worst_posterior(rows: &[u32], n_attributes: usize, bits: usize) -> Posterior {
    worst_posterior_within(rows, n_attributes, bits, MOST_STEPS)
}

/// The same, but sets of bits are tried only where that takes at most so many steps.
///
/// # Panics
/// When the class is empty or there is no attribute.
pub fn worst_posterior_within(
    rows: &[u32],
    n_attributes: usize,
    bits: usize,
    most_steps: u64,
) -> Posterior {
    let class = Class::new(rows, n_attributes);
    let bound = posterior_bound(class.n as u64, class.most, bits);
    let can_try = class.n <= LARGEST && bits <= MOST_BITS && class.steps(bits) <= most_steps;
    let (probability, evidence) = match class.most {
        1 => (bound, Evidence::ByConstruction),
        _ if bits == 0 => (bound, Evidence::Decided),
        _ if can_try => (class.tried(bits), Evidence::Decided),
        _ => (bound, Evidence::Bounded),
    };
    Posterior { probability, evidence }
}

/// What no posterior under so many bits exceeds, in a class of `size` rows whose most frequent value
/// occurs `most` times: c / (g − c · b), at most 1. Under no bit it is exact, and for `most` = 1 as well.
pub fn posterior_bound(size: u64, most: u64, bits: usize) -> Ratio {
    let blocked = most.saturating_mul(bits as u64);
    Ratio::new(most, size.saturating_sub(blocked).max(most))
}

/// A class, with the rows that have each value as a set of bits.
struct Class {
    n: usize,
    // For each value of each attribute, its rows. Values with the same rows are one.
    sets: Vec<u32>,
    // The number of rows of the most frequent value.
    most: u64,
}

impl Class {
    fn new(rows: &[u32], n_attributes: usize) -> Self {
        assert!(n_attributes > 0 && !rows.is_empty(), "a class has a row and an attribute");
        let n = rows.len() / n_attributes;
        let (mut sets, mut most) = (Vec::new(), 0);
        for attribute in 0..n_attributes {
            let mut values: Vec<(u32, usize)> =
                (0..n).map(|row| (rows[row * n_attributes + attribute], row)).collect();
            values.sort_unstable();
            for same in values.chunk_by(|a, b| a.0 == b.0) {
                most = most.max(same.len() as u64);
                if n <= LARGEST {
                    sets.push(same.iter().fold(0, |set, &(_, row)| set | 1 << row));
                }
            }
        }
        sets.sort_unstable();
        sets.dedup();
        Self { n, sets, most }
    }

    /// About how many steps it takes to try every set of bits.
    fn steps(&self, bits: usize) -> u64 {
        let one = (self.n as u64) << self.n;
        let choices = (self.sets.len() * bits) as u64;
        (0..bits).fold(one, |steps, _| steps.saturating_mul(choices))
    }

    fn tried(&self, bits: usize) -> Ratio {
        let everything = (1_u32 << self.n) - 1;
        let mut tried =
            Tried { class: self, allowed: vec![everything; self.n], worst: Ratio::whole(0) };
        tried.add(bits, 0, 0);
        tried.worst
    }
}

/// The sets of bits that were tried.
struct Tried<'a> {
    class: &'a Class,
    // For each person, the rows that no bit forbids.
    allowed: Vec<u32>,
    worst: Ratio,
}

impl Tried<'_> {
    /// Adds every choice of `bits` more bits, about the first `known` people or one more. Bits are
    /// unordered: the values of one person's bits ascend from `from`.
    fn add(&mut self, bits: usize, known: usize, from: usize) {
        // A bit that says nothing is a bit: fewer bits are among the choices.
        self.ask();
        if bits == 0 {
            return;
        }
        for person in known.saturating_sub(1)..(known + 1).min(self.class.n) {
            let start = if person < known { from } else { 0 };
            for value in start..self.class.sets.len() {
                let before = self.allowed[person];
                self.allowed[person] &= !self.class.sets[value];
                if self.allowed[person] != 0 && self.allowed[person] != before {
                    self.add(bits - 1, person + 1, value + 1);
                }
                self.allowed[person] = before;
            }
        }
    }

    /// The largest probability that somebody has some value, with what is allowed.
    fn ask(&mut self) {
        let Some((worlds, with_row)) = worlds_with_rows(&self.allowed) else { return };
        let n = self.class.n;
        for of_person in with_row.chunks(n) {
            for &rows in &self.class.sets {
                let of =
                    (0..n).filter(|row| rows & (1 << row) != 0).map(|row| of_person[row]).sum();
                self.worst = self.worst.max(Ratio::new(of, worlds));
            }
        }
    }
}

/// The probability that each person of a class has each of its rows, row-major, when `allowed` has the rows
/// that each may have as a set of bits. `None` when no world is left, or there are too many people to count
/// the worlds.
#[expect(clippy::cast_precision_loss, reason = "the worlds of a few people")]
pub fn row_probabilities(allowed: &[u32]) -> Option<Vec<f64>> {
    if allowed.len() > LARGEST {
        return None;
    }
    let (worlds, with_row) = worlds_with_rows(allowed)?;
    Some(with_row.into_iter().map(|with| with as f64 / worlds as f64).collect())
}

/// The number of worlds, and of those in which each person has each row, row-major; `None` without a world.
fn worlds_with_rows(allowed: &[u32]) -> Option<(u64, Vec<u64>)> {
    let n = allowed.len();
    let forward = ways(allowed);
    let reversed: Vec<u32> = allowed.iter().rev().copied().collect();
    let backward = ways(&reversed);
    let everything = (1_usize << n) - 1;
    let worlds = forward[everything];
    if worlds == 0 {
        return None;
    }
    let mut with_row = vec![0_u64; n * n];
    for (set, &before) in forward.iter().enumerate().filter(|(_, before)| **before > 0) {
        let person = set.count_ones() as usize;
        if person == n {
            continue;
        }
        for row in 0..n {
            let taken = set | 1 << row;
            if taken != set && allowed[person] & (1 << row) != 0 {
                with_row[person * n + row] += before * backward[everything & !taken];
            }
        }
    }
    Some((worlds, with_row))
}

/// For each set of rows, in how many ways the first people, as many as it has rows, can have them.
fn ways(allowed: &[u32]) -> Vec<u64> {
    let mut ways = vec![0_u64; 1 << allowed.len()];
    ways[0] = 1;
    for set in 1..ways.len() {
        let person = set.count_ones() as usize - 1;
        let rows =
            (0..allowed.len()).filter(|row| set & allowed[person] as usize & (1 << row) != 0);
        ways[set] = rows.map(|row| ways[set & !(1 << row)]).sum();
    }
    ways
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn no_posterior_is_above_the_bound(
            rows in prop::collection::vec(0_u32..6, 2..=16),
            n_attributes in 1_usize..=2,
            bits in 0_usize..=2,
        ) {
            let n = rows.len() / n_attributes;
            let class = Class::new(&rows[..n.min(8) * n_attributes], n_attributes);
            let bound = posterior_bound(class.n as u64, class.most, bits);
            prop_assert!(class.tried(bits) <= bound);
        }
    }

    #[test]
    fn the_bound_of_a_class_too_large_to_try_is_said_to_be_one() {
        // Each of ten values four times among forty rows.
        let rows: Vec<u32> = (0..40).map(|row| row / 4).collect();
        let found = [0, 1, 2, 9, 10, 11].map(|bits| worst_posterior(&rows, 1, bits));
        let bounded =
            |den| Posterior { probability: Ratio::new(1, den), evidence: Evidence::Bounded };
        let decided = Posterior { probability: Ratio::new(1, 10), evidence: Evidence::Decided };
        assert_eq!(found[0], decided);
        assert_eq!(found[1..], [9, 8, 1, 1, 1].map(bounded));
    }
}

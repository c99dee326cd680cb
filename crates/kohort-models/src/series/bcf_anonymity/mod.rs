//! BCF-anonymity: what records of one release correspond to in another leaves k of them for everybody.
//!
//! # Definition
//! Everybody in a release is in all later ones. For releases R1 and R2 and a class g, n_g(s) is how often
//! g shows s. Classes are comparable when their boxes meet.
//! - F (forward: somebody in R1 is looked for in R1): of g1 Σ_s max(0, n_g1(s) − n_g2(s)) rows cannot be
//!   the person's, who is in g2 as well.
//! - C (cross: looked for in R2): of g2 Σ_s max(0, n_g2(s) − n_g1(s)) rows.
//! - B (backward: somebody who is not in R1 is looked for in R2): G1(s) rows with s are in the classes of
//!   R1 comparable to g2, and G2(s) in the classes of R2 comparable to any of those; so at least
//!   Σ_s max(0, G1(s) − (G2(s) − n_g2(s))) rows of g2 were in R1.
//!
//! What is left of the class is at least k, for every person and every two releases. (F and C leave as
//! many: Σ_s min(n_g1(s), n_g2(s)).)
//!
//! # Promise
//! For every two releases and every person, the F, C and B counts above leave at least k rows of the
//! person's class. It is a promise about these counts, as in the paper.
//!
//! # What it does not promise
//! Nothing about the sensitive value: the k rows may agree on it. Nothing where people leave or values
//! change. The boxes of a release must not overlap: a person's class is the one that covers the person.
//! The counts exclude rows class by class: an attacker who follows all correspondences of all classes at
//! once may exclude more, and be left with fewer than k.
//!
//! # Parameters
//! `k`, at least 2.
//!
//! # References
//! Fung, Wang, Fu, Pei: Anonymity for Continuous Data Publishing, EDBT 2008.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Error, Kind, Parameter, Spec};

use super::{Broken, CLASSES, Shown, broken_if};

/// The BCF-anonymity condition.
#[derive(Clone, Copy, Debug)]
pub struct BcfAnonymity {
    // Invariant: 2 ≤ k.
    k: u64,
}

/// How many rows each attack leaves for the person it leaves the fewest; none where there is nobody to
/// attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BcfLevels {
    /// Forward.
    pub f: Option<u64>,
    /// Cross.
    pub c: Option<u64>,
    /// Backward.
    pub b: Option<u64>,
}

impl BcfAnonymity {
    /// What the model is.
    pub const SPEC: Spec = Spec {
        id: "bcf-anonymity",
        title: "BCF-anonymity",
        paper: "Fung et al. 2008",
        promise: "where people only join, the forward, cross and backward counts of any two releases, \
                  class by class, leave at least k rows for everybody",
        parameters: &[Parameter {
            name: "k",
            range: "k ≥ 2",
            doc: "the smallest number of rows that any correspondence leaves",
        }],
    };

    /// Asks for at least `k` rows.
    pub fn new(k: u64) -> Result<Self, Error> {
        if k < 2 {
            let found = k.to_string();
            return Err(Kind::Parameter { name: "k", found, expected: "at least 2" }.into());
        }
        Ok(Self { k })
    }

    /// Whether a series that keeps the promise still does with one more release.
    pub fn check(&self, earlier: &[Shown<'_>], next: Shown<'_>) -> Result<(), Broken> {
        let k = self.k;
        let classes = next.release.classes.iter();
        let n = classes.filter(|class| (class.values.len() as u64) < k).count();
        broken_if(n, CLASSES, &format!("of fewer than {k} rows"))?;
        for earlier in earlier {
            let people = (0..).zip(&earlier.release.class_of);
            let has_left = |person: u32| {
                earlier.release.class_of(person).is_some()
                    && next.release.class_of(person).is_none()
            };
            let n = people.filter(|&(person, _)| has_left(person)).count();
            broken_if(n, ["person is", "people are"], "in an earlier release and not in this one")?;
        }
        let is_low = |level: Option<u64>| level.is_some_and(|level| level < k);
        let is_bad = |earlier: &&Shown<'_>| {
            let levels = BcfLevels::of(**earlier, next);
            is_low(levels.f) || is_low(levels.c) || is_low(levels.b)
        };
        let n = earlier.iter().filter(is_bad).count();
        let releases = ["earlier release leaves", "earlier releases leave"];
        broken_if(n, releases, &format!("fewer than {k} rows for somebody"))
    }
}

impl BcfLevels {
    /// What the attacks leave in a release and a later one.
    pub fn of(earlier: Shown<'_>, later: Shown<'_>) -> Self {
        let mut pairs = BTreeSet::new();
        let mut with_new = BTreeSet::new();
        for (person, _) in (0..).zip(&later.release.class_of) {
            if let Some(g2) = later.release.class_of(person) {
                match earlier.release.class_of(person) {
                    Some(g1) => _ = pairs.insert((g1 as usize, g2 as usize)),
                    None => _ = with_new.insert(g2 as usize),
                }
            }
        }
        let counts = |shown: Shown<'_>| -> Vec<BTreeMap<u32, u64>> {
            let classes = shown.release.classes.iter();
            classes.map(|class| count(&class.values)).collect()
        };
        let (first, second) = (counts(earlier), counts(later));
        let remaining = |of: &BTreeMap<u32, u64>, with: &BTreeMap<u32, u64>| -> u64 {
            let excess =
                |(s, &n): (&u32, &u64)| n.saturating_sub(with.get(s).copied().unwrap_or(0));
            of.values().sum::<u64>() - of.iter().map(excess).sum::<u64>()
        };
        let f = pairs.iter().map(|&(g1, g2)| remaining(&first[g1], &second[g2])).min();
        let c = pairs.iter().map(|&(g1, g2)| remaining(&second[g2], &first[g1])).min();
        let comparable: Vec<Vec<usize>> = (later.boxes.iter())
            .map(|g2| (0..first.len()).filter(|&g1| earlier.boxes[g1].meets(g2)).collect())
            .collect();
        let backward = |&g2: &usize| -> u64 {
            let of_earlier = &comparable[g2];
            let is_near =
                |other: &Vec<usize>| other.iter().any(|g1| of_earlier.binary_search(g1).is_ok());
            let near: Vec<usize> = (0..second.len()).filter(|&o| is_near(&comparable[o])).collect();
            let sum = |classes: &[usize], counts: &[BTreeMap<u32, u64>], s: u32| -> u64 {
                classes.iter().filter_map(|&class| counts[class].get(&s)).sum()
            };
            // A value that g2 does not show has no row in it.
            let cracked = second[g2].iter().map(|(&s, &n)| {
                // Where no earlier class is near, g2 is not near itself.
                let outside = sum(&near, &second, s).saturating_sub(n);
                // Who moved is in no class that the boxes lead to: no more rows than there are.
                sum(of_earlier, &first, s).saturating_sub(outside).min(n)
            });
            second[g2].values().sum::<u64>() - cracked.sum::<u64>()
        };
        Self { f, c, b: with_new.iter().map(backward).min() }
    }
}

/// How often each value occurs.
fn count(values: &[u32]) -> BTreeMap<u32, u64> {
    let mut counts = BTreeMap::new();
    for &value in values {
        *counts.entry(value).or_default() += 1;
    }
    counts
}

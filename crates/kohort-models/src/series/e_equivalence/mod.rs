//! e-equivalence: what changes between two releases never shows that few people have the same value.
//!
//! # Definition
//! Classes show each of their m or more values equally often, and people keep their signatures. Let U
//! be classes of one release and W classes of another, all with one signature, with as many rows in U
//! as in W: they show the same values, so that the rows D that are in U alone have the same values as
//! the rows D' that are in W alone. A series keeps e-equivalence when no such D has from 1 to e − 1 rows.
//!
//! It is decided by a stricter test: take a graph of the classes of both releases and a vertex "out" for
//! each signature, with an edge for every row, between its two classes or to "out" where it is in one
//! release only (as every counterfeit is). The rows in D and D' are the edges that cut U ∪ W off. No set
//! of vertices may be cut off by fewer than 2e edges, unless by none. A class alone is cut off by its
//! rows: it needs at least 2e.
//!
//! # Promise
//! As m-invariance; and whoever compares any two releases learns of no e − 1 or fewer people that they
//! together have the values of as many others.
//!
//! # What it does not promise
//! - Three or more releases together may say more than any two of them.
//! - Who knows from elsewhere that two people have the same value may learn of more (tuple equivalence).
//! - Who knows how counterfeits are chosen, or that there were no more than needed, may leave them out
//!   of D.
//! - Nothing where values change.
//!
//! # Parameters
//! `m`, at least 2; `e`, at least 2.
//!
//! # References
//! He, Barman, Naughton: Preventing Equivalence Attacks in Updated, Anonymized Data, ICDE 2011
//! (reconstructed).

mod equivalences;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use kohort_core::{Error, History, Kind, Parameter, SeriesRelease, Spec};

use super::m_invariance::signatures_are_kept;
use super::min_cut::Graph;
use super::{Broken, CLASSES, broken_if};
pub use equivalences::Equivalences;

/// The e-equivalence condition.
#[derive(Clone, Copy, Debug)]
pub struct EEquivalence {
    // Invariant: 2 ≤ m, 2 ≤ e.
    m: u32,
    e: u32,
}

impl EEquivalence {
    /// What the model is.
    pub const SPEC: Spec = Spec {
        id: "e-equivalence",
        title: "e-equivalence on top of m-invariance",
        paper: "He et al. 2011",
        promise: "over all releases, nobody's value is guessed with a probability above 1/m, and no \
                  two releases show that fewer than e people have the values of as many others",
        parameters: &[
            Parameter {
                name: "m",
                range: "m ≥ 2",
                doc: "the smallest number of values among which anybody's value is hidden",
            },
            Parameter {
                name: "e",
                range: "e ≥ 2",
                doc: "the smallest number of people who may be shown to have the same values as \
                      equally many others",
            },
        ],
    };

    /// Asks for signatures of at least `m` values, and that no fewer than `e` people are told apart.
    pub fn new(m: u32, e: u32) -> Result<Self, Error> {
        for (name, found) in [("m", m), ("e", e)] {
            if found < 2 {
                let found = found.to_string();
                return Err(Kind::Parameter { name, found, expected: "at least 2" }.into());
            }
        }
        Ok(Self { m, e })
    }

    /// The fewest values among which anybody's is hidden.
    pub fn m(&self) -> u32 {
        self.m
    }

    /// The fewest people who may be shown to have the values of as many others.
    pub fn e(&self) -> u32 {
        self.e
    }

    /// Whether a series that keeps the promise still does with one more release.
    pub fn check(&self, history: &History, next: &SeriesRelease) -> Result<(), Broken> {
        self.is_balanced(next)?;
        signatures_are_kept(history, next)?;
        let least = 2 * u64::from(self.e);
        let is_cut = |earlier: &&SeriesRelease| {
            let pair = Pair::new(earlier, next);
            let edges = pair.rows.iter().map(|row| (row.ends[0], row.ends[1], 1));
            !Graph::new(pair.n_vertices, edges).all_joined_by(least)
        };
        let n = history.releases.iter().filter(is_cut).count();
        let releases = ["earlier release shows", "earlier releases show"];
        broken_if(n, releases, "compared with this one, that few people agree")
    }

    /// Whether every class shows m or more values, each as often, and has at least 2e rows.
    fn is_balanced(self, release: &SeriesRelease) -> Result<(), Broken> {
        let is_bad = |values: &[u32]| {
            let runs = || values.chunk_by(|a, b| a == b);
            let n_values = runs().count();
            n_values < self.m as usize
                || runs().any(|run| run.len() * n_values != values.len())
                || values.len() < 2 * self.e as usize
        };
        let n = release.classes.iter().filter(|class| is_bad(&class.values)).count();
        let (m, least) = (self.m, 2 * self.e);
        broken_if(
            n,
            CLASSES,
            &format!("without {least} or more rows that show {m} or more values equally often"),
        )
    }
}

/// A row of two releases: an edge between what it is in.
#[derive(Clone, Copy)]
struct Row {
    // Classes of the earlier release come first, then those of the later one, then "out" of each
    // signature.
    ends: [u32; 2],
    // The person, or nobody for the counterfeit with this number in its class of its release.
    who: Who,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Person(u32),
    Counterfeit { is_later: bool, class: u32, number: u32 },
}

/// Two releases as a graph.
struct Pair {
    n_earlier: u32,
    n_classes: u32,
    n_vertices: u32,
    rows: Vec<Row>,
}

impl Pair {
    fn new(earlier: &SeriesRelease, later: &SeriesRelease) -> Self {
        let count = |n: usize| u32::try_from(n).expect("classes are counted in u32");
        let n_earlier = count(earlier.classes.len());
        let n_classes = n_earlier + count(later.classes.len());
        let mut signatures: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        let classes = || earlier.classes.iter().chain(&later.classes);
        let out: Vec<u32> = classes()
            .map(|class| {
                let next = n_classes + count(signatures.len());
                *signatures.entry(class.signature()).or_insert(next)
            })
            .collect();
        let mut rows = Vec::new();
        for person in 0..count(earlier.class_of.len().max(later.class_of.len())) {
            let before = earlier.class_of(person);
            let after = later.class_of(person).map(|class| class + n_earlier);
            let ends = match (before, after) {
                (Some(before), Some(after)) => [before, after],
                (Some(class), None) | (None, Some(class)) => [class, out[class as usize]],
                (None, None) => continue,
            };
            rows.push(Row { ends, who: Who::Person(person) });
        }
        for (vertex, class) in (0..).zip(classes()) {
            let is_later = vertex >= n_earlier;
            let own = if is_later { vertex - n_earlier } else { vertex };
            rows.extend((0..class.n_counterfeits).map(|number| Row {
                ends: [vertex, out[vertex as usize]],
                who: Who::Counterfeit { is_later, class: own, number },
            }));
        }
        Self { n_earlier, n_classes, n_vertices: n_classes + count(signatures.len()), rows }
    }
}

//! m-invariance: over all releases, a person's sensitive value is one of the same m or more values.
//!
//! # Definition
//! The signature of a class is the set of its sensitive values. A release is m-unique when every class
//! has at least m rows and no two with the same value. A series is m-invariant when every release is
//! m-unique and every person has the same signature in all releases the person is in.
//!
//! # Promise
//! Values that do not change are guessed with probability 1/m at most by whoever knows everybody's
//! quasi-identifiers and presence and has all releases: exchanging two values of a signature for
//! everybody who has it leads to another world that explains the same releases.
//!
//! # What it does not promise
//! Nothing where a value changes (see rho-different). Nothing about whether two people have the same
//! value (see e-equivalence). Nothing to whoever is told which rows are counterfeits and what they show.
//!
//! # Parameters
//! `m`, at least 2.
//!
//! # References
//! Xiao, Tao: m-Invariance, SIGMOD 2007.

use kohort_core::{Error, History, Kind, Parameter, SeriesRelease, Spec};

use super::{Broken, CLASSES, PEOPLE, broken_if};

/// The m-invariance condition.
#[derive(Clone, Copy, Debug)]
pub struct MInvariance {
    // Invariant: 2 ≤ m.
    m: u32,
}

impl MInvariance {
    /// What the model is.
    pub const SPEC: Spec = Spec {
        id: "m-invariance",
        title: "m-invariance",
        paper: "Xiao and Tao 2007",
        promise: "over all releases, nobody's value is guessed with a probability above 1/m",
        parameters: &[Parameter {
            name: "m",
            range: "m ≥ 2",
            doc: "the smallest number of values among which anybody's value is hidden",
        }],
    };

    /// Asks for signatures of at least `m` values.
    pub fn new(m: u32) -> Result<Self, Error> {
        if m < 2 {
            let found = m.to_string();
            return Err(Kind::Parameter { name: "m", found, expected: "at least 2" }.into());
        }
        Ok(Self { m })
    }

    /// The fewest values among which anybody's is hidden.
    pub fn m(&self) -> u32 {
        self.m
    }

    /// Whether every class of a release has at least m rows, and no two with the same value.
    pub fn is_m_unique(&self, release: &SeriesRelease) -> Result<(), Broken> {
        let is_bad = |values: &[u32]| {
            values.len() < self.m as usize || values.windows(2).any(|pair| pair[0] == pair[1])
        };
        let n = release.classes.iter().filter(|class| is_bad(&class.values)).count();
        let m = self.m;
        broken_if(n, CLASSES, &format!("without {m} or more rows, all with different values"))
    }

    /// Whether a series that is m-invariant stays so with one more release: it is m-unique, and whoever
    /// was in a release keeps the signature of the last one.
    pub fn check(&self, history: &History, next: &SeriesRelease) -> Result<(), Broken> {
        self.is_m_unique(next)?;
        signatures_are_kept(history, next)
    }
}

/// Whether whoever was in a release keeps the signature of the last one.
pub fn signatures_are_kept(history: &History, next: &SeriesRelease) -> Result<(), Broken> {
    let people = (0..).zip(&next.class_of);
    let is_changed = |person: u32| {
        let class = next.class_of(person).map(|class| &next.classes[class as usize]);
        class.zip(history.last_class(person)).is_some_and(|(class, (_, last))| {
            class.values != last.values && class.signature() != last.signature()
        })
    };
    let n = people.filter(|&(person, _)| is_changed(person)).count();
    broken_if(n, PEOPLE, "whose signature is not that of their last release")
}

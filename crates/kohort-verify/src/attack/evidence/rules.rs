//! Rules in a public table: what one column says about another.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kohort_core::{Attribute, Column};

/// The share of people who must follow a rule.
const CONFIDENCE: f64 = 0.95;

/// The number of people a rule must be about.
const SUPPORT: usize = 5;

/// What people with one value have in another column: the fewest values that 95 % of them have.
pub(in crate::attack) struct Rule<T> {
    /// The value it is about, or the values of several columns.
    pub(in crate::attack) given: T,
    /// What they have, ascending.
    pub(in crate::attack) allowed: Vec<u32>,
    /// How many of them do.
    pub(in crate::attack) followers: usize,
    /// How many there are.
    pub(in crate::attack) support: usize,
}

impl<T> Rule<T> {
    /// The share of people who follow it.
    pub(in crate::attack) fn confidence(&self) -> f64 {
        self.followers as f64 / self.support as f64
    }
}

/// The rules that pairs of values show, by the value they are about.
pub(in crate::attack) fn learn<T: Copy + Ord>(mut pairs: Vec<(T, u32)>) -> Vec<Rule<T>> {
    pairs.sort_unstable();
    let about = pairs.chunk_by(|a, b| a.0 == b.0).filter(|pairs| SUPPORT <= pairs.len());
    let rule = |pairs: &[(T, u32)]| {
        let same = pairs.chunk_by(|a, b| a.1 == b.1);
        let mut counts: Vec<(usize, u32)> = same.map(|same| (same.len(), same[0].1)).collect();
        counts.sort_by_key(|&(count, code)| (Reverse(count), code));
        let (mut allowed, mut followers) = (Vec::new(), 0);
        for (count, code) in counts {
            if (followers as f64) < CONFIDENCE * pairs.len() as f64 {
                allowed.push(code);
                followers += count;
            }
        }
        allowed.sort_unstable();
        Rule { given: pairs[0].0, allowed, followers, support: pairs.len() }
    };
    about.map(rule).collect()
}

/// What a published column says about quasi-identifiers.
pub(in crate::attack) struct Evidence {
    /// For each dictionary entry of the published column, which of the sayings it has.
    pub(in crate::attack) saying_of_entry: Vec<u32>,
    /// The sayings: for each quasi-identifier the codes that are allowed, where there is a rule.
    pub(in crate::attack) sayings: Vec<Vec<Option<Vec<u32>>>>,
    /// For each quasi-identifier, the share of people who follow the rules.
    pub(in crate::attack) confidence: Vec<f64>,
}

impl Evidence {
    /// Learns from a public column what the published one says.
    pub(in crate::attack) fn learn(
        published: &Column,
        public: &Column,
        quasi: &[&Attribute],
    ) -> Self {
        let n_entries = public.dictionary().len() as usize;
        let mut of_public: Vec<Vec<Option<Vec<u32>>>> = vec![vec![None; quasi.len()]; n_entries];
        let mut confidence = Vec::with_capacity(quasi.len());
        for (at, attribute) in quasi.iter().enumerate() {
            let rules = learn(public.codes().iter().zip(attribute.codes().iter()).collect());
            let sum =
                |count: fn(&Rule<u32>) -> usize| rules.iter().map(count).sum::<usize>() as f64;
            confidence.push(sum(|rule| rule.followers) / sum(|rule| rule.support).max(1.0));
            for rule in rules {
                of_public[rule.given as usize][at] = Some(rule.allowed);
            }
        }
        let mut sayings: Vec<Vec<Option<Vec<u32>>>> = Vec::new();
        let mut number_of_saying = BTreeMap::new();
        let nothing = vec![None; quasi.len()];
        let saying = |text: &str| {
            let entry = public.dictionary().find(text);
            let said = entry.map_or(&nothing, |entry| &of_public[entry as usize]);
            *number_of_saying.entry(said.clone()).or_insert_with(|| {
                sayings.push(said.clone());
                u32::try_from(sayings.len() - 1).expect("no more sayings than texts")
            })
        };
        let saying_of_entry = published.dictionary().iter().map(saying).collect();
        Self { saying_of_entry, sayings, confidence }
    }
}

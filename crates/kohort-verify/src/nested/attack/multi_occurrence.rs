//! Multi-occurrence: how likely it is that a value occurs often in a person's tree.
//!
//! # Adversary
//! Knows a person's quasi-identifiers and structure, and so the person's class, group or lists; in a
//! variant also one of the person's sensitive values, and where it stands.
//!
//! # Method
//! 1. Where trees are published whole, the person's values are those of some member of the class: the
//!    probability is the share of members with the disclosing number of occurrences. The same holds of the
//!    trees of sensitive values of a group (t-t).
//! 2. Lists are drawn from independently: Poisson-binomial (v-v).
//! 3. Who knows one value of the person at a place leaves only the group's trees that have it there (t-t).
//!
//! # Success
//! The share of people for whom "it does" or "it does not", whichever is likelier, is right; the baseline
//! is to say of everybody what is so of most.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §3.

use kohort_core::Spec;
use kohort_models::nested::{OccurrenceRule, ReleasedValues};

use super::super::shape::small;
use super::scene::{NestedScene, TruePeople};
use super::tally::Tally;
use crate::attack::Rate;

/// What it is; its promise says what it shows when it wins.
pub const MULTI_OCCURRENCE: Spec = Spec {
    id: "multi-occurrence",
    title: "Values that occur more than once",
    paper: "Özalp et al. 2016",
    promise: "a person is linked with several occurrences of a value",
    parameters: &[],
};

/// What an adversary knows besides quasi-identifiers and structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownValue {
    /// Nothing.
    Nothing,
    /// One sensitive value of the person that the rule is not about: the one that tells most.
    One,
}

/// How likely the disclosing number of occurrences is.
#[derive(Clone, Debug)]
pub struct OccurrenceGuesses {
    /// For the person of each released tree.
    pub probabilities: Vec<f64>,
}

/// Guesses from what an adversary has.
pub fn multi_occurrence(
    scene: &NestedScene<'_>,
    rule: &OccurrenceRule,
    known: KnownValue,
) -> OccurrenceGuesses {
    let is_many = |n: usize| small(n) >= rule.at_least();
    let n_trees = scene.trees.n_records();
    let mut probabilities = vec![0.0; n_trees];
    match scene.values {
        ReleasedValues::Own(values) => {
            let has_many = |&tree: &u32| {
                let vertices = scene.trees.subtree(scene.trees.roots()[tree as usize]);
                let is = |v: u32| rule.is_occurrence(scene.trees.kind(v), values[v as usize]);
                is_many(vertices.filter(|&vertex| is(vertex)).count())
            };
            for class in scene.alike() {
                let share = class.iter().filter(|tree| has_many(tree)).count() as f64;
                for &tree in &class {
                    probabilities[tree as usize] = share / class.len() as f64;
                }
            }
        }
        ReleasedValues::Trees { group, sensitive, .. } => {
            let of_group: Vec<f64> =
                sensitive.iter().map(|trees| of_trees(trees, rule, known)).collect();
            let of_tree = group.iter().map(|&group| of_group[group as usize]);
            probabilities = of_tree.collect();
        }
        ReleasedValues::Lists { list, lists } => {
            let counts = |(kind, codes): &(u16, Vec<u32>)| {
                let is = |code: &&u32| rule.is_occurrence(*kind as usize, **code);
                (codes.iter().filter(is).count() as u64, codes.len() as u64)
            };
            let counts: Vec<(u64, u64)> = lists.iter().map(counts).collect();
            for (probability, &root) in probabilities.iter_mut().zip(scene.trees.roots()) {
                let vertices = scene.trees.subtree(root);
                let drawn = vertices.filter_map(|v| counts.get(list[v as usize] as usize));
                let drawn = drawn.copied().filter(|&(_, size)| size > 0);
                *probability = rule.vertex_probability(drawn).value();
            }
        }
    }
    OccurrenceGuesses { probabilities }
}

/// The share of trees of sensitive values with many occurrences; of those with some value at its place,
/// where one is known.
fn of_trees(trees: &[Vec<(u64, u16, u32)>], rule: &OccurrenceRule, known: KnownValue) -> f64 {
    let is = |&&(_, kind, code): &&(u64, u16, u32)| rule.is_occurrence(kind as usize, code);
    let has_many =
        |tree: &[(u64, u16, u32)]| small(tree.iter().filter(is).count()) >= rule.at_least();
    let share = |known: Option<&(u64, u16, u32)>| {
        let left = || trees.iter().filter(|tree| known.is_none_or(|one| tree.contains(one)));
        left().filter(|tree| has_many(tree)).count() as f64 / left().count().max(1) as f64
    };
    match known {
        KnownValue::Nothing => share(None),
        KnownValue::One => {
            let others = trees.iter().flatten().filter(|value| !is(value));
            others.map(|value| share(Some(value))).fold(share(None), f64::max)
        }
    }
}

/// Scores guesses by what is true.
pub fn score_occurrences(
    guesses: &OccurrenceGuesses,
    rule: &OccurrenceRule,
    truth: &TruePeople<'_>,
) -> Rate {
    let is_so = |person| {
        truth.occurrences(person, |kind, code| rule.is_occurrence(kind, code)) >= rule.at_least()
    };
    let all: Vec<(bool, f64)> = (truth.members())
        .map(|(person, tree)| (is_so(person), guesses.probabilities[tree as usize]))
        .collect();
    let n_many = all.iter().filter(|(is_so, _)| *is_so).count();
    let is_most = 2 * n_many > all.len();
    let mut tally = Tally::default();
    for (is_so, probability) in all {
        let is_right = |said: bool| f64::from(u8::from(said == is_so));
        // What is wrong is certain of nobody: the value that tells most was another member's.
        let is_of_other = !is_so && probability >= 1.0 - 1e-9;
        let own = if is_of_other { 0.0 } else { probability };
        tally.add(own, is_right(probability > 0.5), is_right(is_most));
    }
    tally.rate()
}

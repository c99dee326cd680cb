//! Structural: links a person with a released tree by what is known of the person's tree, and reads
//! sensitive values off.
//!
//! # Adversary
//! Knows that the target is in the release, and of the target's tree how many children of each kind every
//! vertex has, or the labels of a few vertices, or all of it; no sensitive value.
//!
//! # Method
//! 1. The candidates are the released trees in which everything known is found, each vertex below the
//!    right one and each label covered. Who knows the structure leaves out trees with more than it has;
//!    where none is left, parts of the target's tree were pruned, and every tree that shows nothing else
//!    is a candidate. Who knows labels only, and finds none, has all trees.
//! 2. Every candidate is as likely as any other. Where sensitive values are apart from trees, they are
//!    those of any member of the candidate's group.
//! 3. For each sensitive attribute the adversary asks for the vertex whose value is surest: the values of
//!    all released vertices of candidates that may show it, counted together.
//!
//! # Success
//! The expected share of targets who are linked with their values, against a draw from all; for each
//! attribute the share of vertices that were guessed right, against the most frequent value.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §1.6 and §1.7.

use std::collections::BTreeMap;

use kohort_core::{Forest, NO_VALUE, Spec, number};
use rayon::prelude::*;

use super::super::shape::{narrow, pair, small};
use super::pattern::Pattern;
use super::scene::{NestedScene, TruePeople};
use super::tally::Tally;
use crate::attack::Rate;

/// What it is; its promise says what it shows when it wins.
pub const STRUCTURAL: Spec = Spec {
    id: "structural",
    title: "Structure and labels of trees",
    paper: "Özalp et al. 2016",
    promise: "a person's tree is picked out by its structure or labels",
    parameters: &[],
};

/// What an adversary knows of the trees of targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKnowledge {
    /// How many children of each kind every vertex has.
    Degrees,
    /// The labels of so many vertices, the rarest, and what stands above them.
    Labels(u32),
    /// Structure and all labels.
    Whole,
}

/// The most people who are targets; more are thinned out evenly. Fewer where there are many trees to
/// compare each with.
const TARGETS: usize = 200;
const COMPARED: usize = 500_000;

/// What an adversary says of one person.
#[derive(Clone, Debug)]
pub struct NestedGuess {
    /// The person, as a record of the people.
    pub person: u32,
    /// The released trees that may be the person's, ascending.
    pub candidates: Vec<u32>,
    /// How likely the person's values are linked with the person, where the person's tree is a candidate.
    pub linked: f64,
    /// For each sensitive attribute the surest statement.
    pub values: Vec<Option<ValueGuess>>,
}

/// What an adversary says of one sensitive value.
#[derive(Clone, Copy, Debug)]
pub struct ValueGuess {
    /// The vertex of the person.
    pub vertex: u32,
    /// The code.
    pub code: u32,
    /// How sure that is.
    pub probability: f64,
}

/// What an adversary says of people.
#[derive(Clone, Debug)]
pub struct NestedGuesses {
    /// One for each target.
    pub guesses: Vec<NestedGuess>,
    /// How likely a blind draw links somebody.
    pub blind: f64,
    /// The sensitive attributes, each with its most frequent code in the release.
    pub attributes: Vec<(String, u32)>,
}

/// Guesses from what an adversary has.
pub fn structural(scene: &NestedScene<'_>, knowledge: TreeKnowledge) -> NestedGuesses {
    let people = scene.people.0;
    let rarity = rarity(people);
    let forms = with_counts(scene, scene.alike());
    let n_targets = (COMPARED / forms.len().max(1)).clamp(20, TARGETS);
    let step = people.n_records().div_ceil(n_targets).max(1);
    let targets: Vec<u32> = (0..small(people.n_records())).step_by(step).collect();
    let of = |&person: &u32| {
        let pattern = Pattern::new(people, person, knowledge, &rarity);
        let candidates = candidates(scene, &forms, &pattern, people.root(person as usize));
        let n = candidates.len().max(1) as f64;
        let of_values = candidates.iter().map(|&tree| scene.values_of_tree(tree as usize));
        let linked = of_values.fold(0.0, f64::max) / n;
        let values = values(scene, &pattern, person, &candidates);
        NestedGuess { person, candidates, linked, values }
    };
    NestedGuesses {
        guesses: targets.par_iter().map(of).collect(),
        blind: 1.0 / scene.trees.n_records().max(1) as f64,
        attributes: attributes(scene),
    }
}

/// The sensitive attributes and their most frequent codes, ties to the lowest.
fn attributes(scene: &NestedScene<'_>) -> Vec<(String, u32)> {
    let kinds = scene.people.0.kinds();
    let mut weights: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); kinds.len()];
    for (tree, &root) in scene.trees.roots().iter().enumerate() {
        for vertex in scene.trees.subtree(root) {
            let weights = &mut weights[scene.trees.kind(vertex)];
            scene.pool(tree, vertex, &mut |code, share| *weights.entry(code).or_default() += share);
        }
    }
    let of = |(kind, weights): (&kohort_core::VertexKind, &BTreeMap<u32, f64>)| {
        let name = kind.sensitive.as_ref()?.name().to_owned();
        Some((name, likeliest(weights).map_or(NO_VALUE, |best| best.0)))
    };
    kinds.iter().zip(&weights).filter_map(of).collect()
}

/// The code of most weight, ties to the lowest, and the weight of all.
fn likeliest(weights: &BTreeMap<u32, f64>) -> Option<(u32, f64)> {
    let known = weights.iter().filter(|(code, _)| **code != NO_VALUE);
    let larger =
        |best: (u32, f64), next: (u32, f64)| if next.1 > best.1 + 1e-12 { next } else { best };
    known.map(|(&code, &weight)| (code, weight)).reduce(larger)
}

/// How many vertices of all people have the labels of each vertex, kinds apart.
fn rarity(people: &Forest) -> Vec<u32> {
    let all = || (0..people.n_records()).flat_map(|record| people.vertices(record));
    let mut keys: Vec<u64> = all().map(|vertex| people.kind(vertex) as u64).collect();
    let longest = people.kinds().iter().map(|kind| kind.quasi.len()).max().unwrap_or(0);
    for at in 0..longest {
        for (key, vertex) in keys.iter_mut().zip(all()) {
            let label = people.labels(vertex).get(at).map_or(NO_VALUE, |&label| label);
            *key = pair(narrow(*key), label);
        }
        number(&mut keys, u64::MAX);
    }
    let mut counts = vec![0; keys.len().max(people.kinds().len())];
    for &key in &keys {
        counts[narrow(key) as usize] += 1;
    }
    keys.iter().map(|&key| counts[narrow(key) as usize]).collect()
}

/// The trees that may be a person's.
fn candidates(
    scene: &NestedScene<'_>,
    forms: &[(Vec<u32>, Vec<u32>)],
    pattern: &Pattern<'_>,
    root: u32,
) -> Vec<u32> {
    let known = pattern.counts();
    let is_least = |few: &[u32], many: &[u32]| few.iter().zip(many).all(|(few, many)| few <= many);
    let all = |fits: &dyn Fn(u32, &[u32]) -> bool| {
        let first = |trees: &[u32]| scene.trees.roots()[trees[0] as usize];
        let fitting = forms.iter().filter(|(trees, counts)| fits(first(trees), counts));
        let mut found: Vec<u32> = fitting.flat_map(|(trees, _)| trees).copied().collect();
        found.sort_unstable();
        found
    };
    // How many vertices there are of each kind is quickly compared.
    let has = |released, counts: &[u32]| {
        is_least(counts, &known) && pattern.has(scene.trees, released, root)
    };
    let is_in = |released, counts: &[u32]| {
        is_least(&known, counts) && pattern.is_in(scene.trees, released, root)
    };
    if !pattern.is_whole {
        let found = all(&is_in);
        return if found.is_empty() { all(&|_, _| true) } else { found };
    }
    let exact = all(&|released, counts| known == counts && is_in(released, counts));
    if exact.is_empty() { all(&has) } else { exact }
}

/// How many vertices of each kind the trees of each form have.
fn with_counts(scene: &NestedScene<'_>, forms: Vec<Vec<u32>>) -> Vec<(Vec<u32>, Vec<u32>)> {
    let counted = |trees: Vec<u32>| {
        let mut counts = vec![0; scene.people.0.kinds().len()];
        for vertex in scene.trees.subtree(scene.trees.roots()[trees[0] as usize]) {
            counts[scene.trees.kind(vertex)] += 1;
        }
        (trees, counts)
    };
    forms.into_iter().map(counted).collect()
}

/// For each sensitive attribute the surest statement about a vertex of a person.
fn values(
    scene: &NestedScene<'_>,
    pattern: &Pattern<'_>,
    person: u32,
    candidates: &[u32],
) -> Vec<Option<ValueGuess>> {
    let people = scene.people.0;
    let root = people.root(person as usize);
    let mut pools: BTreeMap<u32, (f64, BTreeMap<u32, f64>)> = BTreeMap::new();
    for &tree in candidates {
        let released = scene.trees.roots()[tree as usize];
        pattern.pairs(scene.trees, released, root, &mut |vertex, released| {
            if people.kinds()[people.kind(vertex)].sensitive.is_some() {
                let (all, weights) = pools.entry(vertex).or_default();
                scene.pool(tree as usize, released, &mut |code, share| {
                    *all += share;
                    *weights.entry(code).or_default() += share;
                });
            }
        });
    }
    let mut surest: Vec<Option<ValueGuess>> = vec![None; people.kinds().len()];
    for (vertex, (all, weights)) in pools {
        let Some((code, weight)) = likeliest(&weights) else { continue };
        let guess = ValueGuess { vertex, code, probability: weight / all };
        let best = &mut surest[people.kind(vertex)];
        if best.is_none_or(|best| guess.probability > best.probability + 1e-12) {
            *best = Some(guess);
        }
    }
    let is_sensitive = |kind: &usize| people.kinds()[*kind].sensitive.is_some();
    (0..people.kinds().len()).filter(is_sensitive).map(|kind| surest[kind]).collect()
}

/// How well the structural attack did.
#[derive(Clone, Debug)]
pub struct NestedRate {
    /// Targets who are linked with their values, as expected from a draw.
    pub link: Rate,
    /// Values that were guessed right, by sensitive attribute, in the order of the guesses' attributes.
    pub values: Vec<Rate>,
}

/// Scores guesses by what is true.
pub fn score(guesses: &NestedGuesses, truth: &TruePeople<'_>) -> NestedRate {
    let mut link = Tally::default();
    let mut values = vec![Tally::default(); guesses.attributes.len()];
    for guess in &guesses.guesses {
        let Some(tree) = truth.tree(guess.person) else { continue };
        let is_candidate = guess.candidates.binary_search(&tree).is_ok();
        let linked = if is_candidate { guess.linked } else { 0.0 };
        link.add(linked, linked, guesses.blind);
        for ((of, guess), &(_, blind)) in
            values.iter_mut().zip(&guess.values).zip(&guesses.attributes)
        {
            let Some(ValueGuess { vertex, code, probability }) = *guess else { continue };
            let is_right = |code| f64::from(u8::from(truth.value(vertex) == Some(code)));
            of.add(probability, is_right(code), is_right(blind));
        }
    }
    NestedRate { link: link.rate(), values: values.into_iter().map(Tally::rate).collect() }
}

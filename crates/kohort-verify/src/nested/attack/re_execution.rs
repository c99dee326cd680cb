//! Re-execution: runs the method again for every assignment of the sensitive values, and keeps those that lead
//! to the same release.
//!
//! # Adversary
//! Knows the program, the plan, everybody's tree without its sensitive values, and how often each value occurs
//! in the original. He does not know the secret from which random choices are drawn. Before he sees the release, every way
//! to give the values of a kind to its vertices is equally likely to him.
//!
//! # Method
//! Where there are at most 5,000 assignments, each is tried, and the posterior of a value is its share among those that
//! lead to the release. A method that draws from a secret is run several times for each; what is said is then the lower
//! end of an interval of four standard errors. Where there are more assignments nothing is tried: that an attack was
//! not made says nothing about the release.
//!
//! # Success
//! The share of vertices whose value was guessed; the blind guess is the most frequent value of the kind.
//!
//! # References
//! Wong, Fu, Wang and Pei, VLDB 2007; Xiao, Tao and Koudas, Transparent Anonymization, TODS 35(2), 2010.

use std::collections::BTreeMap;

use kohort_core::{Ctx, Error, Forest, NO_VALUE, Spec};

use super::scene::{NestedPeople, TruePeople};
use super::structural::ValueGuess;
use super::tally::Tally;
use crate::attack::Rate;

/// What it is.
pub const RE_EXECUTION: Spec = Spec {
    id: "re-execution",
    title: "Re-execution",
    paper: "Wong et al. 2007, Xiao et al. 2010",
    promise: "running the method again tells which values lead to this release",
    parameters: &[],
};

/// The most assignments that are tried.
pub const MOST_ASSIGNMENTS: usize = 5_000;

/// Runs of a method that draws, over all assignments.
const DRAWN_RUNS: usize = 2_000;

/// Fewer releases than this tell nothing where each is drawn.
const FEWEST_DRAWN: u32 = 25;

/// The method that made a release, as somebody runs it who knows it.
pub trait NestedMethod {
    /// Runs the method on the people with these values, one for each vertex, and says whether the same release
    /// comes out. `draw` numbers the secrets from which it may draw.
    fn run(&self, values: &[u32], draw: u32) -> Result<bool, Error>;

    /// Whether what comes out depends on the secret.
    fn draws(&self) -> bool;
}

/// How often each value occurs at each kind, and not whose it is.
pub struct ValuesOfKinds(Vec<BTreeMap<u32, usize>>);

impl ValuesOfKinds {
    /// The values of these people.
    pub fn new(forest: &Forest) -> Self {
        let mut counts = vec![BTreeMap::new(); forest.kinds().len()];
        for vertex in (0..forest.n_records()).flat_map(|record| forest.vertices(record)) {
            *counts[forest.kind(vertex)].entry(forest.sensitive(vertex)).or_default() += 1;
        }
        Self(counts)
    }

    /// The most frequent value of a kind, ties to the lowest.
    fn top(&self, kind: usize) -> u32 {
        let told = self.0[kind].iter().filter(|entry| *entry.0 != NO_VALUE);
        let top = told.max_by_key(|&(&code, &n)| (n, std::cmp::Reverse(code)));
        top.map_or(NO_VALUE, |(&code, _)| code)
    }
}

/// What the adversary believes of each vertex.
pub struct ReExecutionGuesses {
    /// For each sensitive attribute, in the order of the kinds; with the most frequent value.
    of_attribute: Vec<(Vec<ValueGuess>, u32)>,
    /// What was done, as a sentence without a closing stop.
    pub told: String,
}

/// Guesses by running the method again; none where there are too many assignments, or no run leads to the release.
pub fn re_execution(
    ctx: &Ctx<'_>,
    people: NestedPeople<'_>,
    values: &ValuesOfKinds,
    method: &dyn NestedMethod,
) -> Result<Option<ReExecutionGuesses>, Error> {
    let forest = people.0;
    let Some(all) = assignments(forest, values) else { return Ok(None) };
    let n_draws = if method.draws() { (DRAWN_RUNS / all.len().max(1)).clamp(1, 200) } else { 1 };
    let n_runs = all.len() * n_draws;
    let mut counts: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); forest.n_vertices()];
    let (mut n, mut draw) = (0_u32, 0);
    for (done, values) in (0..).zip(&all) {
        ctx.progress(RE_EXECUTION.id, done, all.len() as u64);
        for _ in 0..n_draws {
            draw += 1;
            if method.run(values, draw)? {
                n += 1;
                for (counts, &code) in counts.iter_mut().zip(values) {
                    *counts.entry(code).or_default() += 1;
                }
            }
        }
    }
    if n < if method.draws() { FEWEST_DRAWN } else { 1 } {
        return Ok(None);
    }
    // What is drawn is not taken for more than is sure: no share has a larger error than one half.
    let error = if method.draws() { 0.5 / f64::from(n).sqrt() } else { 0.0 };
    let guess = |vertex: u32| {
        let told = counts[vertex as usize].iter().filter(|entry| *entry.0 != NO_VALUE);
        let top = told.max_by_key(|&(&code, &times)| (times, std::cmp::Reverse(code)));
        let (&code, &times) = top?;
        let found = f64::from(times) / f64::from(n);
        Some(ValueGuess { vertex, code, probability: (found - 4.0 * error).max(0.0) })
    };
    let of_kind = |kind: usize| {
        let vertices =
            (0..).take(forest.n_vertices()).filter(|&vertex| forest.kind(vertex) == kind);
        (vertices.filter_map(guess).collect(), values.top(kind))
    };
    let is_sensitive = |kind: &usize| forest.kinds()[*kind].sensitive.is_some();
    let of = if method.draws() { "runs, each with another secret," } else { "assignments" };
    Ok(Some(ReExecutionGuesses {
        of_attribute: (0..forest.kinds().len()).filter(is_sensitive).map(of_kind).collect(),
        told: format!("of {n_runs} {of} {n} lead to the release"),
    }))
}

/// How well it did on the values of each sensitive attribute, in the order of the kinds.
pub fn score_re_execution(guesses: &ReExecutionGuesses, truth: &TruePeople<'_>) -> Vec<Rate> {
    let rate = |(guesses, blind): &(Vec<ValueGuess>, u32)| {
        let mut tally = Tally::default();
        for guess in guesses {
            let is_right = |code| f64::from(u8::from(truth.value(guess.vertex) == Some(code)));
            tally.add(guess.probability, is_right(guess.code), is_right(*blind));
        }
        tally.rate()
    };
    guesses.of_attribute.iter().map(rate).collect()
}

/// Every way to give the values of each kind to its vertices; none where there are too many.
fn assignments(forest: &Forest, values: &ValuesOfKinds) -> Option<Vec<Vec<u32>>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for vertex in (0..).take(forest.n_vertices()) {
        let kind = forest.kind(vertex);
        let mut more = Vec::with_capacity(all.len());
        for given in all {
            for (&code, &n) in &values.0[kind] {
                let is_used =
                    |&(at, &other): &(u32, &u32)| other == code && forest.kind(at) == kind;
                if (0..).zip(&given).filter(is_used).count() < n {
                    let mut next = given.clone();
                    next.push(code);
                    more.push(next);
                }
            }
        }
        // Each of them can be completed.
        if more.len() > MOST_ASSIGNMENTS {
            return None;
        }
        all = more;
    }
    Some(all)
}

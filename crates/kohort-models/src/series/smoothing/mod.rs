//! What whoever follows a person through all releases believes of the person's value at each of them.
//!
//! # Definition
//! A hidden Markov model for each person: the states are the sensitive values; the first state has the
//! share of its value in the first release the person is in; each step has the chance the completed
//! correlations give it; the class that shows the person in release j has chance
//! e_j(y) = count(y) / N_j(y), the share of the holders of y that are in the class. A release without the
//! person tells nothing, but time passes. Forward-backward gives Pr(y at release j | R(1..n)).
//!
//! # What it does not say
//! People are followed one by one: that two people of a class cannot both have the value it shows once is
//! left out ([`worlds_posterior`](super::worlds_posterior) has it, for a few people). Correlations that
//! the adversary knows and the publisher does not are out of scope.
//!
//! # Cost
//! For each different path through classes O(releases · candidates²); a release without the person
//! costs O(values · candidates). Paths are worked on in parallel.
//!
//! # References
//! Rabiner: A Tutorial on Hidden Markov Models, 1989.

mod past;
#[cfg(test)]
mod tests;

use kohort_core::{History, ReleasedClass, SeriesRelease};
use rayon::prelude::*;

use super::{Correlations, Transition};
pub use past::Past;

/// How the adversary reads a class and completes the correlations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What a class says of its values.
    pub emission: Emission,
    /// Where unlisted mass goes, and what is believed of somebody who appears.
    pub completion: Completion,
}

impl Reading {
    /// What is promised against.
    pub const PROMISED: Self =
        Self { emission: Emission::Share, completion: Completion::Population };
}

/// What a class says of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emission {
    /// The share of the holders of each value that are in the class.
    Share,
    /// Whether the value is in the class.
    Indicator,
}

/// What is believed where nothing is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The share of each value in the release.
    Population,
    /// The same for each value of the series.
    Uniform,
}

/// One release as a step of the model.
#[derive(Clone, Debug)]
pub struct Stage<'a> {
    /// The chances of the step into it.
    pub transition: Transition<'a>,
    // What is believed of somebody who appears.
    shares: Vec<f64>,
    // How often each value is shown.
    totals: Vec<u32>,
    // The values of each class with what the class says of them; empty where classes are to be found.
    classes: Vec<Vec<(u32, f64)>>,
}

impl<'a> Stage<'a> {
    /// The step into a release that shows each value this often, its classes aside.
    pub fn of_totals(
        correlations: &'a Correlations,
        completion: Completion,
        totals: Vec<u32>,
    ) -> Self {
        let n: f64 = totals.iter().copied().map(f64::from).sum();
        let shares: Vec<f64> = match completion {
            Completion::Population => {
                totals.iter().map(|&total| f64::from(total) / n.max(1.0)).collect()
            }
            Completion::Uniform => vec![1.0 / f64::from(n_values(&totals)); totals.len()],
        };
        let transition = correlations.complete(shares.clone());
        Self { transition, shares, totals, classes: Vec::new() }
    }

    fn new(
        correlations: &'a Correlations,
        reading: Reading,
        n_values: u32,
        classes: &[ReleasedClass],
    ) -> Self {
        let mut totals = vec![0; n_values as usize];
        classes.iter().flat_map(|class| &class.values).for_each(|&v| totals[v as usize] += 1);
        let mut stage = Self::of_totals(correlations, reading.completion, totals);
        let candidates = |class: &ReleasedClass| {
            let runs = class.values.chunk_by(|a, b| a == b);
            let says = |run: &[u32]| match reading.emission {
                Emission::Share => count(run) * stage.said_by_one(run[0]),
                Emission::Indicator => 1.0,
            };
            runs.map(|run| (run[0], says(run))).collect()
        };
        stage.classes = classes.iter().map(candidates).collect();
        stage
    }

    /// What a class says of a value that it shows once.
    #[inline]
    pub fn said_by_one(&self, value: u32) -> f64 {
        1.0 / f64::from(self.totals[value as usize].max(1))
    }

    /// What is believed of somebody who appears.
    #[inline]
    pub fn share(&self, value: u32) -> f64 {
        self.shares[value as usize]
    }

    fn candidates(&self, class: u32) -> &[(u32, f64)] {
        &self.classes[class as usize]
    }
}

/// The number of rows.
#[expect(clippy::cast_precision_loss, reason = "the rows of a class are far below 2^53")]
pub(super) fn count(rows: &[u32]) -> f64 {
    rows.len() as f64
}

/// The number of values, 0 taken for 1.
fn n_values(totals: &[u32]) -> u32 {
    u32::try_from(totals.len().max(1)).expect("values are numbered in u32")
}

/// A belief about one person: the candidates for the value at one release, and their probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// The release.
    pub release: u32,
    /// The candidates in ascending order; probabilities sum to 1.
    pub of_value: Vec<(u32, f64)>,
}

/// How many paths are worked on by one thread after one another.
const RUN: usize = 256;

/// The model of a history.
pub struct Smoothing<'a> {
    history: &'a History,
    // The values of the series and of the correlations.
    n_values: u32,
    stages: Vec<Stage<'a>>,
}

impl<'a> Smoothing<'a> {
    /// The model of these releases.
    pub fn new(history: &'a History, correlations: &'a Correlations, reading: Reading) -> Self {
        let n_values = history.n_values.max(correlations.n_values());
        let stage =
            |release: &SeriesRelease| Stage::new(correlations, reading, n_values, &release.classes);
        Self { history, n_values, stages: history.releases.par_iter().map(stage).collect() }
    }

    /// The releases.
    pub(super) fn history(&self) -> &'a History {
        self.history
    }

    /// The releases as steps of the model.
    pub fn stages(&self) -> &[Stage<'a>] {
        &self.stages
    }

    /// A class of a release.
    pub fn class(&self, release: u32, class: u32) -> &'a ReleasedClass {
        &self.history.releases[release as usize].classes[class as usize]
    }

    /// The releases that a person is in, with the class in each.
    pub fn path(&self, person: u32) -> Vec<(u32, u32)> {
        let releases = (0..).zip(&self.history.releases);
        releases.filter_map(|(at, release)| Some((at, release.class_of(person)?))).collect()
    }

    /// What is computed of each different path of these people, and which of the results each has.
    pub fn of_paths<R: Send>(
        &self,
        people: &[u32],
        compute: impl Fn(&[(u32, u32)]) -> R + Sync,
    ) -> (Vec<R>, Vec<u32>) {
        self.of_runs(people, |paths| paths.iter().map(|path| compute(path)).collect())
    }

    /// The state of each of these people after all releases, ready for the next: that of each different
    /// path, and which of them each person has.
    pub fn pasts(&self, people: &[u32], rho: f64) -> (Vec<Option<Past>>, Vec<u32>) {
        self.of_runs(people, |paths| Past::of_each(self, paths, rho))
    }

    /// What is computed of runs of different paths, in their order, and which of the results each person
    /// has.
    fn of_runs<R: Send>(
        &self,
        people: &[u32],
        compute: impl Fn(&[&[(u32, u32)]]) -> Vec<R> + Sync,
    ) -> (Vec<R>, Vec<u32>) {
        let paths: Vec<Vec<(u32, u32)>> = people.par_iter().map(|&p| self.path(p)).collect();
        let mut order: Vec<usize> = (0..people.len()).collect();
        order.par_sort_unstable_by(|&a, &b| paths[a].cmp(&paths[b]).then(a.cmp(&b)));
        let mut different: Vec<&[(u32, u32)]> = Vec::new();
        let mut result_of = vec![0; people.len()];
        for same in order.chunk_by(|&a, &b| paths[a] == paths[b]) {
            let result = u32::try_from(different.len()).expect("people are numbered in u32");
            for &at in same {
                result_of[at] = result;
            }
            different.push(&paths[same[0]]);
        }
        let results = different.par_chunks(RUN).flat_map_iter(&compute).collect();
        (results, result_of)
    }

    /// What is believed of whoever takes a path, at each of its releases; `None` where the correlations
    /// rule the path out.
    pub fn posteriors(&self, path: &[(u32, u32)]) -> Option<Vec<Posterior>> {
        let forward = self.forward(path, None)?;
        let mut backward: Vec<(u32, f64)> = Vec::new();
        let mut posteriors = Vec::with_capacity(path.len());
        for (at, &(release, class)) in path.iter().enumerate().rev() {
            let candidates = self.stages[release as usize].candidates(class);
            backward = match path.get(at + 1) {
                None => candidates.iter().map(|&(value, _)| (value, 1.0)).collect(),
                Some(&(later, later_class)) => {
                    let says = self.stages[later as usize].candidates(later_class);
                    let joined = says.iter().zip(&backward);
                    let mut message: Vec<(u32, f64)> = joined
                        .map(|(&(value, says), &(_, weight))| (value, says * weight))
                        .collect();
                    for absent in (release + 2..=later).rev() {
                        let every = 0..self.n_values;
                        let step = &self.stages[absent as usize].transition;
                        message = step.pull(&message, every).collect();
                    }
                    let step = &self.stages[release as usize + 1].transition;
                    step.pull(&message, candidates.iter().map(|&(value, _)| value)).collect()
                }
            };
            normalize(&mut backward)?;
            let joined = forward[at].iter().zip(&backward);
            let mut of_value: Vec<(u32, f64)> =
                joined.map(|(&(value, before), &(_, after))| (value, before * after)).collect();
            normalize(&mut of_value)?;
            posteriors.push(Posterior { release, of_value });
        }
        posteriors.reverse();
        Some(posteriors)
    }

    /// The probability that whoever takes a path had the value at one of its releases at least; `None`
    /// where the correlations rule the path out.
    pub fn ever_had(&self, path: &[(u32, u32)], value: u32) -> Option<f64> {
        let weigh = |without| {
            let mut logarithm = 0.0;
            let mut message = Vec::new();
            for at in 0..path.len() {
                message = self.step(path, at, &message, without);
                let Some(weight) = normalize(&mut message) else { return f64::NEG_INFINITY };
                logarithm += weight.ln();
            }
            logarithm
        };
        let (all, never) = (weigh(None), weigh(Some(value)));
        (all > f64::NEG_INFINITY).then(|| (1.0 - (never - all).exp()).max(0.0))
    }

    /// For each of these values the highest probability that one of these people had it at a release at
    /// least, with the person; `None` where nobody is in a release. Where the correlations rule a path
    /// out, everything is possible: 1.
    pub fn most_ever_had(&self, people: &[u32], values: &[u32]) -> Vec<Option<(u32, f64)>> {
        let of_path = |path: &[(u32, u32)]| -> Vec<f64> {
            let ever = |&value| self.ever_had(path, value).unwrap_or(1.0);
            if path.is_empty() { Vec::new() } else { values.iter().map(ever).collect() }
        };
        let (of_paths, path_of) = self.of_paths(people, of_path);
        let highest = |value: usize| {
            let found = people.iter().zip(&path_of).filter_map(|(&person, &path)| {
                Some((person, *of_paths[path as usize].get(value)?))
            });
            found.reduce(|best, next| if next.1 > best.1 { next } else { best })
        };
        (0..values.len()).map(highest).collect()
    }

    /// The belief at each release of the path from the releases up to it.
    fn forward(&self, path: &[(u32, u32)], without: Option<u32>) -> Option<Vec<Vec<(u32, f64)>>> {
        let mut messages: Vec<Vec<(u32, f64)>> = Vec::with_capacity(path.len());
        for at in 0..path.len() {
            let before = messages.last().map_or(&[][..], Vec::as_slice);
            let mut message = self.step(path, at, before, without);
            normalize(&mut message)?;
            messages.push(message);
        }
        Some(messages)
    }

    /// The weights of the candidates at a place of the path, given those at the place before.
    fn step(
        &self,
        path: &[(u32, u32)],
        at: usize,
        before: &[(u32, f64)],
        without: Option<u32>,
    ) -> Vec<(u32, f64)> {
        let (release, class) = path[at];
        let stage = &self.stages[release as usize];
        let candidates = stage.candidates(class);
        let says = |value: u32, says: f64| if without == Some(value) { 0.0 } else { says };
        let Some(&(earlier, _)) = at.checked_sub(1).and_then(|at| path.get(at)) else {
            let start =
                |&(value, said): &(u32, f64)| (value, stage.share(value) * says(value, said));
            return candidates.iter().map(start).collect();
        };
        let arrived = |before: &[(u32, f64)]| -> Vec<(u32, f64)> {
            let values = candidates.iter().map(|&(value, _)| value);
            let arrived = stage.transition.push(before, values).zip(candidates);
            arrived
                .map(|((value, weight), &(_, said))| (value, weight * says(value, said)))
                .collect()
        };
        if earlier + 1 == release {
            return arrived(before);
        }
        let mut message = before.to_vec();
        for absent in earlier + 1..release {
            let step = &self.stages[absent as usize].transition;
            message = step.push(&message, 0..self.n_values).collect();
        }
        arrived(&message)
    }
}

/// Scales weights to a sum of 1 and returns the sum; `None` when all are 0.
fn normalize(weights: &mut [(u32, f64)]) -> Option<f64> {
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    if sum <= 0.0 {
        return None;
    }
    for (_, weight) in weights {
        *weight /= sum;
    }
    Some(sum)
}

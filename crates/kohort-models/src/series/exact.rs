//! Beliefs about a few people from every world: every way to deal the values of each class to its rows.
//!
//! # Definition
//! A world gives each row of each class a value, so that the class shows what it shows. Its weight is the
//! product of the share of the first value of each person, of the chance of each later step of each
//! person, and of the share of the value of each row of nobody (a counterfeit, or somebody who is not
//! followed). The belief is the weight of the worlds in which a person has a value at a release.
//!
//! # Cost
//! Forward-backward over the joint values of the people, release by release: the worlds of one class are
//! all that are ever looked at together, but these grow like a factorial. It gives up where there are
//! more steps than it is allowed.
//!
//! # References
//! specs/05 §6.2, last figures; specs/07, attack 15.

use std::collections::BTreeMap;

use kohort_core::{History, SeriesRelease};

use super::{Posterior, Smoothing, Stage};

/// The value of each person at the last release the person was in.
type State = Vec<Option<u32>>;

/// The values of each class that nobody has yet.
type Rows = Vec<(u32, Vec<u32>)>;

/// The beliefs about each of these people at each release the person is in, in the order of people, then
/// releases; `None` where there are more than `n_steps` steps between worlds, or no world.
pub fn worlds_posterior(
    history: &History,
    smoothing: &Smoothing<'_>,
    people: &[u32],
    n_steps: usize,
) -> Option<Vec<Vec<Posterior>>> {
    let worlds = Worlds { history, stages: smoothing.stages(), people };
    let mut left = n_steps;
    let mut layers: Vec<BTreeMap<State, f64>> =
        vec![BTreeMap::from([(vec![None; people.len()], 1.0)])];
    let mut edges: Vec<Vec<(State, State, f64)>> = Vec::new();
    for release in 0..history.releases.len() {
        let mut steps = Vec::new();
        for state in layers.last()?.keys() {
            worlds.steps(release, state, &mut steps, left)?;
            left = left.checked_sub(steps.len())?;
        }
        let mut next: BTreeMap<State, f64> = BTreeMap::new();
        for (from, to, weight) in &steps {
            *next.entry(to.clone()).or_default() += layers.last()?[from] * weight;
        }
        edges.push(steps);
        layers.push(next);
    }
    let mut found: Vec<Vec<Posterior>> = vec![Vec::new(); people.len()];
    let mut after: BTreeMap<State, f64> = layers.last()?.keys().map(|s| (s.clone(), 1.0)).collect();
    for (release, steps) in edges.iter().enumerate().rev() {
        // A state from which no world goes on has no weight.
        let onward = |state: &State| after.get(state).copied().unwrap_or(0.0);
        let weight = |state: &State| layers[release + 1][state] * onward(state);
        let all: f64 = layers[release + 1].keys().map(weight).sum();
        if all <= 0.0 {
            return None;
        }
        let at = u32::try_from(release).expect("few releases");
        for (index, &person) in people.iter().enumerate() {
            if history.releases[release].class_of(person).is_none() {
                continue;
            }
            let mut beliefs: BTreeMap<u32, f64> = BTreeMap::new();
            for state in layers[release + 1].keys() {
                let value = state[index].expect("whoever is in a release has a value");
                *beliefs.entry(value).or_default() += weight(state) / all;
            }
            let of_value = beliefs.into_iter().collect();
            found[index].push(Posterior { release: at, of_value });
        }
        let mut before: BTreeMap<State, f64> = BTreeMap::new();
        for (from, to, weight) in steps {
            *before.entry(from.clone()).or_default() += weight * onward(to);
        }
        after = before;
    }
    for beliefs in &mut found {
        beliefs.reverse();
    }
    Some(found)
}

struct Worlds<'a, 's> {
    history: &'a History,
    stages: &'a [Stage<'s>],
    people: &'a [u32],
}

impl Worlds<'_, '_> {
    /// Every step from a state into a release; `None` where there are more than `most`.
    fn steps(
        &self,
        release: usize,
        from: &State,
        steps: &mut Vec<(State, State, f64)>,
        most: usize,
    ) -> Option<()> {
        let shown: &SeriesRelease = &self.history.releases[release];
        let mut reached: BTreeMap<(State, Rows), f64> = BTreeMap::new();
        reached.insert((from.clone(), Vec::new()), 1.0);
        for (index, &person) in self.people.iter().enumerate() {
            let Some(class) = shown.class_of(person) else { continue };
            let mut next = BTreeMap::new();
            for ((state, used), weight) in &reached {
                let mut tried = None;
                let place = used.iter().position(|(of, _)| *of == class);
                let left = place.map_or(&shown.classes[class as usize].values, |at| &used[at].1);
                for (row, &value) in left.iter().enumerate() {
                    if tried.replace(value) == Some(value) {
                        continue;
                    }
                    let ways: f64 = left.iter().filter(|&&other| other == value).map(|_| 1.0).sum();
                    let chance = ways * self.chance(release, person, state[index], value);
                    if chance == 0.0 {
                        continue;
                    }
                    let (mut state, mut used, mut left) =
                        (state.clone(), used.clone(), left.clone());
                    left.remove(row);
                    state[index] = Some(value);
                    match place {
                        Some(at) => used[at].1 = left,
                        None => used.push((class, left)),
                    }
                    *next.entry((state, used)).or_insert(0.0) += weight * chance;
                }
            }
            reached = next;
            if reached.len() > most {
                return None;
            }
        }
        for ((state, used), weight) in reached {
            let rest = used.iter().flat_map(|(_, left)| left);
            let nobody: f64 = rest.map(|&value| self.stages[release].share(value)).product();
            steps.push((from.clone(), state, weight * nobody));
        }
        Some(())
    }

    /// The chance that a person has the value at a release, given the last one known.
    fn chance(&self, release: usize, person: u32, before: Option<u32>, value: u32) -> f64 {
        let Some(before) = before else { return self.stages[release].share(value) };
        let is_in = |&at: &usize| self.history.releases[at].class_of(person).is_some();
        let last = (0..release).rev().find(is_in).expect("a value is known from a release");
        let mut message = vec![(before, 1.0)];
        for stage in &self.stages[last + 1..release] {
            message = stage.transition.push(&message, 0..stage.transition.n_values()).collect();
        }
        let step = &self.stages[release].transition;
        message.iter().map(|&(earlier, weight)| weight * step.probability(earlier, value)).sum()
    }
}

//! Beliefs about a few people from every world: every way to deal the values of each class to its rows.
//!
//! # Definition
//! A world gives each row of each class a value, so that the class shows what it shows. Its weight is the
//! product of the share of the first value of each person, of the chance of each later step of each
//! person, and of the share of the value of each row of nobody (a counterfeit, or somebody who is not
//! followed). The belief is the weight of the worlds in which a person has a value at a release.
//!
//! # Method
//! People are dealt with one after the other, class by class and release by release. After each, worlds are
//! alike in which everybody who is shown again has the same last value and the class has the same rows left:
//! forward-backward over these.
//!
//! # Cost
//! With n people of v values who stay together there are up to vⁿ states after each person. It gives up
//! where there are more steps between states than it is allowed.
//!
//! # References
//! specs/05 §6.2, last figures; specs/07, attack 15.

use std::collections::BTreeMap;

use kohort_core::History;

use super::{Posterior, Smoothing, Stage};

/// Why there are no beliefs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBeliefs {
    /// There are more steps between states than are allowed.
    TooManySteps,
    /// No world explains the releases: together they are what the correlations rule out.
    NoWorld,
}

/// The beliefs about each of these people at each release the person is in, in the order of people, then
/// releases.
pub fn worlds_posterior(
    history: &History,
    smoothing: &Smoothing<'_>,
    people: &[u32],
    n_steps: usize,
) -> Result<Vec<Vec<Posterior>>, NoBeliefs> {
    let deals = Deal::all(history, people);
    let mut states = vec![State { last: vec![None; people.len()], left: Vec::new() }];
    let mut forward = vec![vec![1.0]];
    let mut steps_of: Vec<Vec<Step>> = Vec::new();
    let mut n_left = n_steps;
    for deal in &deals {
        let (next, steps) = deal.steps(smoothing.stages(), &states, n_left)?;
        n_left -= steps.len();
        let mut weights = vec![0.0; next.len()];
        let before = forward.last().map_or(&[][..], Vec::as_slice);
        steps.iter().for_each(|step| weights[step.to] += before[step.from] * step.weight);
        normalize(&mut weights)?;
        forward.push(weights);
        steps_of.push(steps);
        states = next;
    }
    let mut found: Vec<Vec<Posterior>> = vec![Vec::new(); people.len()];
    let mut after = vec![1.0; states.len()];
    for ((deal, steps), before) in deals.iter().zip(&steps_of).zip(&forward).rev() {
        let mut beliefs: BTreeMap<u32, f64> = BTreeMap::new();
        let mut weights = vec![0.0; before.len()];
        for &Step { from, to, value, weight } in steps {
            *beliefs.entry(value).or_default() += before[from] * weight * after[to];
            weights[from] += weight * after[to];
        }
        let (values, mut shares): (Vec<u32>, Vec<f64>) = beliefs.into_iter().unzip();
        normalize(&mut shares)?;
        let of_value = values.into_iter().zip(shares).collect();
        let release = u32::try_from(deal.release).expect("few releases");
        found[deal.index].push(Posterior { release, of_value });
        normalize(&mut weights)?;
        after = weights;
    }
    for beliefs in &mut found {
        beliefs.reverse();
    }
    Ok(found)
}

/// Scales weights to a sum of 1.
fn normalize(weights: &mut [f64]) -> Result<(), NoBeliefs> {
    let sum: f64 = weights.iter().sum();
    if sum.is_nan() || sum <= 0.0 {
        return Err(NoBeliefs::NoWorld);
    }
    weights.iter_mut().for_each(|weight| *weight /= sum);
    Ok(())
}

/// What worlds have in common that go on alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// The last value of each person, of those who have one and are shown again.
    last: Vec<Option<u32>>,
    /// The values of the class that nobody has yet, ascending.
    left: Vec<u32>,
}

/// A step between states, by their places: somebody gets a value.
struct Step {
    from: usize,
    to: usize,
    value: u32,
    weight: f64,
}

/// One person gets a row of one class.
struct Deal<'a> {
    /// The place of the person among those who are followed.
    index: usize,
    release: usize,
    /// The last release before that shows the person.
    before: Option<usize>,
    /// The values of the class, where it begins with this person.
    begins: Option<&'a [u32]>,
    /// Whether the rows that are left belong to nobody.
    ends: bool,
    is_shown_again: bool,
}

impl<'a> Deal<'a> {
    /// All of them, in the order of releases, classes and people.
    fn all(history: &'a History, people: &[u32]) -> Vec<Self> {
        let mut deals = Vec::new();
        for (release, shown) in history.releases.iter().enumerate() {
            let mut members: Vec<(u32, usize)> = Vec::new();
            for (index, &person) in people.iter().enumerate() {
                members.extend(shown.class_of(person).map(|class| (class, index)));
            }
            members.sort_unstable();
            for class in members.chunk_by(|a, b| a.0 == b.0) {
                for (at, &(number, index)) in class.iter().enumerate() {
                    let is_in =
                        |&at: &usize| history.releases[at].class_of(people[index]).is_some();
                    let values = &shown.classes[number as usize].values;
                    deals.push(Self {
                        index,
                        release,
                        before: (0..release).rev().find(is_in),
                        begins: (at == 0).then_some(values),
                        ends: at + 1 == class.len(),
                        is_shown_again: (release + 1..history.releases.len()).any(|at| is_in(&at)),
                    });
                }
            }
        }
        deals
    }

    /// The states after this, and every step to them.
    fn steps(
        &self,
        stages: &[Stage<'_>],
        states: &[State],
        most: usize,
    ) -> Result<(Vec<State>, Vec<Step>), NoBeliefs> {
        let mut places: BTreeMap<State, usize> = BTreeMap::new();
        let mut chances: BTreeMap<(Option<u32>, u32), f64> = BTreeMap::new();
        let mut steps = Vec::new();
        for (from, state) in states.iter().enumerate() {
            let left = self.begins.unwrap_or(&state.left);
            let earlier = state.last[self.index];
            let mut row = 0;
            for run in left.chunk_by(|a, b| a == b) {
                let (value, at) = (run[0], row);
                row += run.len();
                let chance = chances.entry((earlier, value));
                let chance = chance.or_insert_with(|| self.chance(stages, earlier, value));
                let mut weight = *chance * super::smoothing::count(run);
                let mut rest: Vec<u32> = [&left[..at], &left[at + 1..]].concat();
                if self.ends {
                    let nobody = rest.drain(..).map(|value| stages[self.release].share(value));
                    weight *= nobody.product::<f64>();
                }
                if weight == 0.0 {
                    continue;
                }
                let mut last = state.last.clone();
                last[self.index] = self.is_shown_again.then_some(value);
                let n = places.len();
                let to = *places.entry(State { last, left: rest }).or_insert(n);
                if steps.len() == most {
                    return Err(NoBeliefs::TooManySteps);
                }
                steps.push(Step { from, to, value, weight });
            }
        }
        let mut found: Vec<(State, usize)> = places.into_iter().collect();
        found.sort_unstable_by_key(|&(_, place)| place);
        Ok((found.into_iter().map(|(state, _)| state).collect(), steps))
    }

    /// The chance that the person has the value, given the last one known.
    fn chance(&self, stages: &[Stage<'_>], earlier: Option<u32>, value: u32) -> f64 {
        let (Some(earlier), Some(before)) = (earlier, self.before) else {
            return stages[self.release].share(value);
        };
        let mut message = vec![(earlier, 1.0)];
        for stage in &stages[before + 1..self.release] {
            message = stage.transition.push(&message, 0..stage.transition.n_values()).collect();
        }
        let step = &stages[self.release].transition;
        message.iter().map(|&(earlier, weight)| weight * step.probability(earlier, value)).sum()
    }
}

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
//! forward-backward over these. People with the same class in every release may be exchanged: it does not
//! matter who of them has which value, and the mean of what is believed of them is believed of each.
//!
//! # Cost
//! With n people of v values, no two of whom stay together, there are up to vⁿ states after each person. It gives up
//! where there are more steps between states than it is allowed.
//!
//! # References
//! Abdalaal, Privacy Preserving Data Publishing with Multiple Sensitive Attributes, 2012, §4.3.

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
    let in_order = InOrder::new(smoothing, people);
    let deals = Deal::all(history, &in_order);
    let mut states = vec![State { last: vec![None; people.len()], left: Vec::new() }];
    let mut forward = vec![vec![1.0]];
    let mut steps_of: Vec<Vec<Step>> = Vec::new();
    let mut n_left = n_steps;
    for deal in &deals {
        let (next, steps) = deal.steps(smoothing.stages(), &states, n_left)?;
        n_left -= steps.len();
        let mut weights = vec![0.0; next.len()];
        let before = forward.last().map_or(&[][..], Vec::as_slice);
        for step in &steps {
            weights[step.to] += before[step.from] * step.weight;
        }
        normalize(&mut weights)?;
        forward.push(weights);
        steps_of.push(steps);
        states = next;
    }
    // By the first of those who are alike, and release.
    let mut found: BTreeMap<(usize, usize), Vec<BTreeMap<u32, f64>>> = BTreeMap::new();
    let mut after = vec![1.0; states.len()];
    for ((deal, steps), before) in deals.iter().zip(&steps_of).zip(&forward).rev() {
        let mut beliefs: BTreeMap<u32, f64> = BTreeMap::new();
        let mut weights = vec![0.0; before.len()];
        for &Step { from, to, value, weight } in steps {
            *beliefs.entry(value).or_default() += before[from] * weight * after[to];
            weights[from] += weight * after[to];
        }
        normalize(beliefs.values_mut())?;
        found.entry((deal.alike, deal.release)).or_default().push(beliefs);
        normalize(&mut weights)?;
        after = weights;
    }
    let of_person = |alike: usize| {
        let found = found.range((alike, 0)..(alike + 1, 0));
        found.map(|(&(_, release), all)| mean(release, all)).collect()
    };
    Ok(in_order.alike_of.into_iter().map(of_person).collect())
}

/// What is believed of each of those who are alike.
fn mean(release: usize, all: &[BTreeMap<u32, f64>]) -> Posterior {
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    for (&value, belief) in all.iter().flatten() {
        *sums.entry(value).or_default() += belief;
    }
    let n: f64 = all.iter().map(|_| 1.0).sum();
    let release = u32::try_from(release).expect("few releases");
    Posterior { release, of_value: sums.into_iter().map(|(value, sum)| (value, sum / n)).collect() }
}

/// Scales weights to a sum of 1.
fn normalize<'a>(weights: impl IntoIterator<Item = &'a mut f64>) -> Result<(), NoBeliefs> {
    let weights: Vec<&mut f64> = weights.into_iter().collect();
    let sum: f64 = weights.iter().map(|weight| **weight).sum();
    if sum.is_nan() || sum <= 0.0 {
        return Err(NoBeliefs::NoWorld);
    }
    for weight in weights {
        *weight /= sum;
    }
    Ok(())
}

/// People in an order in which those who are alike, with the same class in every release, are next to one
/// another.
struct InOrder {
    /// The people, and for each the place of the first who is alike.
    people: Vec<(u32, usize)>,
    /// The same place for each of the people as they were given.
    alike_of: Vec<usize>,
}

impl InOrder {
    fn new(smoothing: &Smoothing<'_>, given: &[u32]) -> Self {
        let paths: Vec<Vec<(u32, u32)>> = given.iter().map(|&p| smoothing.path(p)).collect();
        let mut order: Vec<usize> = (0..given.len()).collect();
        order.sort_by_key(|&at| &paths[at]);
        let (mut people, mut alike_of) = (Vec::new(), vec![0; given.len()]);
        for alike in order.chunk_by(|&a, &b| paths[a] == paths[b]) {
            let first = people.len();
            for &at in alike {
                people.push((given[at], first));
                alike_of[at] = first;
            }
        }
        Self { people, alike_of }
    }
}

/// What worlds have in common that go on alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// The last value of each person, of those who have one and are shown again; ascending for those who are
    /// alike, as far as this release has dealt with them.
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
    /// The place of the person in the order, and of the first who is alike.
    index: usize,
    alike: usize,
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
    fn all(history: &'a History, in_order: &InOrder) -> Vec<Self> {
        let people = &in_order.people;
        let mut deals = Vec::new();
        for (release, shown) in history.releases.iter().enumerate() {
            let mut members: Vec<(u32, usize)> = Vec::new();
            for (index, &(person, _)) in people.iter().enumerate() {
                members.extend(shown.class_of(person).map(|class| (class, index)));
            }
            members.sort_unstable();
            for class in members.chunk_by(|a, b| a.0 == b.0) {
                for (at, &(number, index)) in class.iter().enumerate() {
                    let is_in =
                        |&at: &usize| history.releases[at].class_of(people[index].0).is_some();
                    let values = &shown.classes[number as usize].values;
                    deals.push(Self {
                        index,
                        alike: people[index].1,
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
                last[self.alike..=self.index].sort_unstable();
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

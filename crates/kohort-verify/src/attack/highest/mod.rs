//! The highest belief about anybody's value over all releases, where values do not change and it is known
//! who is in which class: counted over every world, or bounded by what is alike.
//!
//! # Definition
//! Worlds and their weights are those of `worlds`. People with the same class in every release are of one
//! kind; kinds that share a class hang together in a component.
//!
//! # Method
//! 1. Two values that every class of a component shows equally often are alike: exchanging them makes a world
//!    of a world. So no value is believed with more than one in as many as are alike, and where somebody can
//!    only have values that are alike, with exactly that.
//! 2. People of one kind are alike: together they have a value at most as often as the class that shows it
//!    least. Where they are all rows of a class, exactly as often as that shows it.
//! 3. Where the bound is above what is exact, all worlds of a component are counted, person by person: what
//!    matters of those who are dealt with is only which rows they leave. That is given up above
//!    `MOST_PEOPLE`, or where it takes too many steps, and the bound is the answer.
//!
//! # Cost
//! O(n · releases · values), and `STEPS_IN_ALL` for counting.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use kohort_core::{History, Ratio, SeriesRelease, number};
use rayon::prelude::*;

use super::evidence::equal_values::Blocks;

/// The largest component whose worlds are counted.
const MOST_PEOPLE: usize = 48;
/// The most numbers of rows that are written down, in all components and in one where there are few or many.
const STEPS_IN_ALL: usize = 100_000_000;
const MOST_STEPS: std::ops::RangeInclusive<usize> = 50_000..=4_000_000;

/// What is believed at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Highest {
    /// No belief is higher.
    pub belief: f64,
    /// The same as a fraction; none where worlds were counted.
    pub fraction: Option<Ratio>,
    /// Whether one is as high.
    pub is_exact: bool,
}

/// The highest belief about anybody's value, where values do not change and everybody's class in every
/// release is known. Whoever can have no value has another than before, and counts for nothing.
pub fn highest_by_worlds(history: &History) -> Highest {
    let components = components(history);
    let bounds: Vec<[Ratio; 2]> = components.par_iter().map(Component::bound).collect();
    let most = |at: usize| bounds.iter().map(|bound| bound[at]).fold(Ratio::whole(0), Ratio::max);
    let exact = most(0);
    let open: Vec<(&Component, Ratio)> = components
        .iter()
        .zip(bounds.iter().map(|bound| bound[1]))
        .filter(|&(_, bound)| bound > exact)
        .collect();
    let n_steps = (STEPS_IN_ALL / open.len().max(1)).clamp(*MOST_STEPS.start(), *MOST_STEPS.end());
    let counted = |&(component, bound): &(&Component, Ratio)| match component.count(n_steps) {
        Some(belief) => (belief, Ratio::whole(0)),
        None => (0.0, bound),
    };
    let counted: Vec<(f64, Ratio)> = open.par_iter().map(counted).collect();
    let by_counting = counted.iter().map(|found| found.0).fold(0.0, f64::max);
    let bound = counted.iter().map(|found| found.1).fold(Ratio::whole(0), Ratio::max);
    let fraction = exact.max(bound);
    // What is counted is as precise as a float.
    let is_fraction = by_counting <= fraction.value() + 1e-12;
    Highest {
        belief: if is_fraction { fraction.value() } else { by_counting },
        fraction: is_fraction.then_some(fraction),
        is_exact: bound <= exact || bound.value() <= by_counting,
    }
}

/// People in the same class of every release.
struct Kind {
    n_people: u32,
    // As places in the classes of the component.
    classes: Vec<usize>,
}

/// Kinds that hang together, and the rows of their classes by value, values ascending.
struct Component {
    kinds: Vec<Kind>,
    classes: Vec<Vec<(u32, u32)>>,
}

/// A number for each person: people of one kind have the same. Whoever is nowhere is a kind as well.
fn kinds(history: &History) -> (Vec<u64>, u64) {
    let mut kind_of = vec![0_u64; history.n_people()];
    let mut n_kinds = 1;
    for release in &history.releases {
        let n_places = release.classes.len() as u64 + 1;
        for (person, kind) in (0..).zip(&mut kind_of) {
            let place = release.class_of(person).map_or(0, |class| u64::from(class) + 1);
            *kind = *kind * n_places + place;
        }
        n_kinds = number(&mut kind_of, n_kinds * n_places);
    }
    (kind_of, n_kinds)
}

fn components(history: &History) -> Vec<Component> {
    let (kind_of, n_kinds) = kinds(history);
    // The first person of each kind, and how many there are.
    let mut people: Vec<(u32, u32)> = vec![(0, 0); usize::try_from(n_kinds).expect("they are few")];
    for (person, &kind) in (0..).zip(&kind_of) {
        let found = &mut people[usize::try_from(kind).expect("kinds are fewer than people")];
        *found = (if found.1 == 0 { person } else { found.0 }, found.1 + 1);
    }
    let mut joined = Blocks::new(u32::try_from(people.len()).expect("kinds are fewer than people"));
    for release in &history.releases {
        let mut first_of: Vec<Option<u32>> = vec![None; release.classes.len()];
        for (kind, &(person, _)) in (0..).zip(&people) {
            if let Some(class) = release.class_of(person) {
                joined.join(*first_of[class as usize].get_or_insert(kind), kind);
            }
        }
    }
    let mut groups: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for (kind, &found) in (0..).zip(&people) {
        groups.entry(joined.first(kind)).or_default().push(found);
    }
    let groups: Vec<Vec<(u32, u32)>> = groups.into_values().collect();
    groups.into_par_iter().map(|people| Component::new(history, &people)).collect()
}

impl Component {
    /// Kinds by their first person and number.
    fn new(history: &History, people: &[(u32, u32)]) -> Self {
        let mut places: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        let mut classes = Vec::new();
        let mut place = |(at, release): (usize, &SeriesRelease), person: u32| {
            let class = release.class_of(person)?;
            Some(*places.entry((at, class)).or_insert_with(|| {
                let values = &release.classes[class as usize].values;
                let runs = values.chunk_by(|a, b| a == b);
                let count = |run: &[u32]| u32::try_from(run.len()).expect("rows are few");
                classes.push(runs.map(|run| (run[0], count(run))).collect());
                classes.len() - 1
            }))
        };
        let kinds = people.iter().map(|&(person, n_people)| {
            let releases = history.releases.iter().enumerate();
            Kind { n_people, classes: releases.filter_map(|it| place(it, person)).collect() }
        });
        let kinds = kinds.filter(|kind| !kind.classes.is_empty()).collect();
        Self { kinds, classes }
    }

    /// How many rows of a class show a value.
    fn n_rows(&self, class: usize, value: u32) -> u32 {
        let rows = &self.classes[class];
        rows.binary_search_by_key(&value, |&(value, _)| value).map_or(0, |at| rows[at].1)
    }

    /// The values that somebody of a kind can have by the own classes, with the fewest rows of any.
    fn possible(&self, kind: &Kind) -> Vec<(u32, u32)> {
        let fewest = |&(value, n): &(u32, u32)| {
            let rows = kind.classes.iter().map(|&class| self.n_rows(class, value));
            (value, rows.min().unwrap_or(n))
        };
        let first = self.classes[kind.classes[0]].iter().map(fewest);
        first.filter(|&(_, n)| n > 0).collect()
    }

    /// Steps 1 and 2: the highest belief that is exact, and the highest bound of the others.
    fn bound(&self) -> [Ratio; 2] {
        let alike = self.alike();
        let (mut exact, mut bound) = (Ratio::whole(0), Ratio::whole(0));
        for kind in &self.kinds {
            let possible = self.possible(kind);
            let belief = |&(value, n): &(u32, u32)| {
                let share = Ratio::new(n.into(), kind.n_people.into());
                share.min(Ratio::new(1, alike[&value].1.into()))
            };
            let highest = possible.iter().map(belief).fold(Ratio::whole(0), Ratio::max);
            let is_alike = possible.windows(2).all(|pair| alike[&pair[0].0] == alike[&pair[1].0]);
            let is_all = |&&class: &&usize| {
                self.classes[class].iter().map(|&(_, n)| n).sum::<u32>() == kind.n_people
            };
            if is_alike || kind.classes.iter().any(|class| is_all(&class)) {
                exact = exact.max(highest);
            } else {
                bound = bound.max(highest);
            }
        }
        [exact, bound]
    }

    /// For each value a value that all classes show equally often, the same for all of these, and how many
    /// there are.
    fn alike(&self) -> BTreeMap<u32, (u32, u32)> {
        let mut shown: BTreeMap<u32, Vec<(usize, u32)>> = BTreeMap::new();
        for (class, rows) in self.classes.iter().enumerate() {
            for &(value, n) in rows {
                shown.entry(value).or_default().push((class, n));
            }
        }
        let mut alike: BTreeMap<&[(usize, u32)], (u32, u32)> = BTreeMap::new();
        for (&value, rows) in &shown {
            alike.entry(rows).or_insert((value, 0)).1 += 1;
        }
        shown.iter().map(|(&value, rows)| (value, alike[&rows[..]])).collect()
    }

    /// Step 3: the highest belief over all worlds; none where they are too many.
    fn count(&self, most_steps: usize) -> Option<f64> {
        let n_people: usize = self.kinds.iter().map(|kind| kind.n_people as usize).sum();
        if n_people > MOST_PEOPLE {
            return None;
        }
        Dealing::new(self).highest(most_steps)
    }
}

/// The rows that are left, class after class and value after value; with a weight.
type Layer = BTreeMap<Vec<u32>, f64>;

/// People who are dealt their values one after the other.
struct Dealing<'a> {
    component: &'a Component,
    // The kind of each person.
    people: Vec<usize>,
    // Where the rows of each class begin among those that are left.
    starts: Vec<usize>,
    // The classes that have nobody after each person.
    closed: Vec<Vec<usize>>,
}

impl<'a> Dealing<'a> {
    fn new(component: &'a Component) -> Self {
        let mut starts = vec![0];
        for rows in &component.classes {
            starts.push(starts[starts.len() - 1] + rows.len());
        }
        let mut people = Vec::new();
        let mut is_open = vec![false; component.classes.len()];
        let mut rest: Vec<usize> = (0..component.kinds.len()).collect();
        // Who opens the fewest classes comes next.
        while let Some(at) = (0..rest.len()).min_by_key(|&at| {
            let classes = &component.kinds[rest[at]].classes;
            (classes.iter().filter(|&&class| !is_open[class]).count(), rest[at])
        }) {
            let kind = rest.remove(at);
            let Kind { n_people, classes } = &component.kinds[kind];
            for &class in classes {
                is_open[class] = true;
            }
            people.extend(std::iter::repeat_n(kind, *n_people as usize));
        }
        let mut last = vec![0; component.classes.len()];
        for (at, &kind) in people.iter().enumerate() {
            component.kinds[kind].classes.iter().for_each(|&class| last[class] = at);
        }
        let mut closed = vec![Vec::new(); people.len()];
        for (class, &at) in last.iter().enumerate() {
            closed[at].push(class);
        }
        Self { component, people, starts, closed }
    }

    /// Forwards, what can be left after each person and how likely; backwards, what of it can be gone on with.
    fn highest(&self, most_steps: usize) -> Option<f64> {
        let all = self.component.classes.iter().flatten().map(|&(_, n)| n).collect();
        let mut layers: Vec<Layer> = vec![BTreeMap::from([(all, 1.0)])];
        let mut n_steps = 0;
        for at in 0..self.people.len() {
            let mut next = Layer::new();
            for (left, weight) in &layers[at] {
                for (_, ways, left) in self.deals(at, left) {
                    n_steps += left.len();
                    *next.entry(left).or_default() += weight * ways;
                }
            }
            if n_steps > most_steps {
                return None;
            }
            scale(&mut next);
            layers.push(next);
        }
        let mut after: Layer = layers.pop()?.into_keys().map(|left| (left, 1.0)).collect();
        let mut highest = 0.0_f64;
        for (at, layer) in layers.iter().enumerate().rev() {
            let mut before = Layer::new();
            let mut by_value: BTreeMap<u32, f64> = BTreeMap::new();
            for (left, weight) in layer {
                let mut sum = 0.0;
                for (value, ways, left) in self.deals(at, left) {
                    let more = ways * after.get(&left).copied().unwrap_or(0.0);
                    *by_value.entry(value).or_default() += weight * more;
                    sum += more;
                }
                before.insert(left.clone(), sum);
            }
            let total: f64 = by_value.values().sum();
            let most = by_value.values().copied().fold(0.0, f64::max);
            highest = if total > 0.0 { highest.max(most / total) } else { highest };
            scale(&mut before);
            after = before;
        }
        Some(highest)
    }

    /// The values that a person can have with these rows left, the ways to be dealt each, and what is left.
    fn deals(&self, at: usize, left: &[u32]) -> Vec<(u32, f64, Vec<u32>)> {
        let kind = &self.component.kinds[self.people[at]];
        let place = |class: usize, value: u32| {
            let rows = &self.component.classes[class];
            let at = rows.binary_search_by_key(&value, |&(value, _)| value).ok()?;
            Some(self.starts[class] + at)
        };
        let deal = |&(value, _): &(u32, u32)| {
            let (mut ways, mut left) = (1.0, left.to_vec());
            for &class in &kind.classes {
                let rows = &mut left[place(class, value)?];
                ways *= f64::from(*rows);
                *rows = rows.checked_sub(1)?;
            }
            for &class in &self.closed[at] {
                left[self.starts[class]..self.starts[class + 1]].fill(0);
            }
            Some((value, ways, left))
        };
        self.component.classes[kind.classes[0]].iter().filter_map(deal).collect()
    }
}

/// Makes the largest weight 1.
fn scale(layer: &mut Layer) {
    let largest = layer.values().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        for weight in layer.values_mut() {
            *weight /= largest;
        }
    }
}

//! Every world that explains a series, for few people: each gives everybody one value for all releases.
//!
//! # Definition
//! A world deals the rows of each class to the people who are placed in it, and each person has the same
//! value in all releases. Worlds are equally likely: rows that show the same value are different rows.
//!
//! # Cost
//! People who share a class in some release hang together in a component. Its worlds are gone through
//! person by person; that is given up above `MOST_PEOPLE`, or where it takes too many steps.

use std::collections::BTreeMap;

use kohort_core::History;
use rayon::prelude::*;

use super::equal_values::Blocks;

/// The largest component that is gone through.
pub(in crate::attack) const MOST_PEOPLE: usize = 10;
/// The most values that are tried in all components, and in one where there are few or many.
const STEPS_IN_ALL: usize = 20_000_000;
const MOST_STEPS: std::ops::RangeInclusive<usize> = 2_000..=200_000;

/// What all worlds of a component say.
pub(in crate::attack) struct Component {
    /// Its people.
    pub(in crate::attack) people: Vec<u32>,
    /// What each may have, with probabilities; none where there are too many people or worlds, or no
    /// world.
    pub(in crate::attack) beliefs: Option<Vec<Vec<(u32, f64)>>>,
    /// Pairs of people who have the same value in every world.
    pub(in crate::attack) equal: Vec<(u32, u32)>,
    /// For each person and each value the person may have, how likely it is, and of how many others whose
    /// value is not certain it leaves one.
    pub(in crate::attack) opens: Vec<Vec<(f64, u32)>>,
    /// Whether no world explains the releases.
    pub(in crate::attack) is_impossible: bool,
}

/// What is known beside the releases.
pub(in crate::attack) struct Known<'k> {
    /// People with the same value.
    pub(in crate::attack) blocks: &'k Blocks,
    /// Whether a person may have a value.
    pub(in crate::attack) allows: &'k (dyn Fn(u32, u32) -> bool + Sync),
}

/// The components of everybody who is placed, the lowest person first.
pub(in crate::attack) fn components(history: &History, known: &Known<'_>) -> Vec<Component> {
    let n_people = u32::try_from(history.n_people()).expect("people are numbered in u32");
    let mut joined = known.blocks.clone();
    for release in &history.releases {
        let mut first_of: BTreeMap<u32, u32> = BTreeMap::new();
        for person in 0..n_people {
            if let Some(class) = release.class_of(person) {
                joined.join(*first_of.entry(class).or_insert(person), person);
            }
        }
    }
    let is_placed =
        |person: &u32| history.releases.iter().any(|release| release.class_of(*person).is_some());
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for person in (0..n_people).filter(is_placed) {
        groups.entry(joined.first(person)).or_default().push(person);
    }
    let groups: Vec<Vec<u32>> = groups.into_values().collect();
    let n_steps =
        (STEPS_IN_ALL / groups.len().max(1)).clamp(*MOST_STEPS.start(), *MOST_STEPS.end());
    groups.into_par_iter().map(|people| Component::new(history, people, known, n_steps)).collect()
}

impl Component {
    fn new(history: &History, people: Vec<u32>, known: &Known<'_>, n_steps: usize) -> Self {
        let (beliefs, equal, opens) = (None, Vec::new(), Vec::new());
        let nothing = Self { people, beliefs, equal, opens, is_impossible: false };
        if nothing.people.len() > MOST_PEOPLE {
            return nothing;
        }
        let mut walk = Walk::new(history, &nothing.people, known);
        walk.left_steps = n_steps;
        if walk.visit(0, 1.0).is_none() {
            return nothing;
        }
        if walk.total <= 0.0 {
            return Self { is_impossible: true, ..nothing };
        }
        let Walk { people, total, found, differ, .. } = walk;
        let belief = |of_value: &BTreeMap<u32, Worlds>| {
            of_value.iter().map(|(&value, worlds)| (value, worlds.weight / total)).collect()
        };
        let beliefs = Some(found.iter().map(belief).collect());
        let is_open: Vec<bool> = found.iter().map(|of_value| of_value.len() > 1).collect();
        let opens = (found.iter().enumerate())
            .map(|(at, of_value)| {
                let n = |worlds: &Worlds| (worlds.weight / total, worlds.n_opened(at, &is_open));
                of_value.values().map(n).collect()
            })
            .collect();
        let n = people.len();
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        let equal = pairs.filter(|&(a, b)| !differ[a * n + b]);
        let equal = equal.map(|(a, b)| (people[a], people[b])).collect();
        Self { beliefs, equal, opens, ..nothing }
    }
}

/// The worlds in which somebody has a value.
struct Worlds {
    weight: f64,
    // The value that everybody has in all of them, or none.
    values: Vec<Option<u32>>,
}

impl Worlds {
    /// How many others, of those whose value is not certain, have one value in all of them.
    fn n_opened(&self, at: usize, is_open: &[bool]) -> u32 {
        let others = self.values.iter().enumerate().filter(|&(other, _)| other != at);
        let opened = others.filter(|&(other, value)| is_open[other] && value.is_some());
        u32::try_from(opened.count()).expect("people are few")
    }
}

/// The worlds of a component, as they are gone through.
struct Walk<'w, 'k> {
    people: Vec<u32>,
    known: &'w Known<'k>,
    // The members of each block, as places in `people`.
    blocks: Vec<Vec<usize>>,
    // The classes of each person, as places in `left`.
    classes: Vec<Vec<usize>>,
    // The rows of each class that are not dealt, by value.
    left: Vec<BTreeMap<u32, u32>>,
    value: Vec<u32>,
    left_steps: usize,
    total: f64,
    // Those in which each person has each value.
    found: Vec<BTreeMap<u32, Worlds>>,
    // Whether two people have different values in some world, row-major.
    differ: Vec<bool>,
}

impl<'w, 'k> Walk<'w, 'k> {
    fn new(history: &History, people: &[u32], known: &'w Known<'k>) -> Self {
        let mut places: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        let mut left = Vec::new();
        let classes = people.iter().map(|&person| {
            let releases = history.releases.iter().enumerate();
            let found = releases.filter_map(|(at, release)| {
                let class = release.class_of(person)?;
                Some(*places.entry((at, class)).or_insert_with(|| {
                    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
                    for &value in &release.classes[class as usize].values {
                        *counts.entry(value).or_default() += 1;
                    }
                    left.push(counts);
                    left.len() - 1
                }))
            });
            found.collect()
        });
        let classes = classes.collect();
        let mut blocks: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, &person) in people.iter().enumerate() {
            blocks.entry(known.blocks.root(person)).or_default().push(place);
        }
        let n = people.len();
        Self {
            people: people.to_vec(),
            known,
            blocks: blocks.into_values().collect(),
            classes,
            left,
            value: vec![0; n],
            left_steps: 0,
            total: 0.0,
            found: (0..n).map(|_| BTreeMap::new()).collect(),
            differ: vec![false; n * n],
        }
    }

    /// Goes through the worlds of the blocks from `at` on; none where there are too many.
    fn visit(&mut self, at: usize, weight: f64) -> Option<()> {
        if at == self.blocks.len() {
            self.reach(weight);
            return Some(());
        }
        let members = self.blocks[at].clone();
        let first_class = self.classes[members[0]][0];
        let values: Vec<u32> = self.left[first_class].keys().copied().collect();
        for value in values {
            self.left_steps = self.left_steps.checked_sub(1)?;
            let may = |&member: &usize| (self.known.allows)(self.people[member], value);
            if !members.iter().all(may) {
                continue;
            }
            let (mut ways, mut dealt) = (1.0, Vec::new());
            for &class in members.iter().flat_map(|&member| &self.classes[member]) {
                let Some(rows) = self.left[class].get_mut(&value).filter(|rows| **rows > 0) else {
                    ways = 0.0;
                    break;
                };
                ways *= f64::from(*rows);
                *rows -= 1;
                dealt.push(class);
            }
            let found = if ways > 0.0 {
                for &member in &members {
                    self.value[member] = value;
                }
                self.visit(at + 1, weight * ways)
            } else {
                Some(())
            };
            for class in dealt {
                *self.left[class].entry(value).or_default() += 1;
            }
            found?;
        }
        Some(())
    }

    fn reach(&mut self, weight: f64) {
        self.total += weight;
        let n = self.people.len();
        for a in 0..n {
            let all = || self.value.iter().copied().map(Some).collect();
            let worlds = self.found[a].entry(self.value[a]);
            let worlds = worlds.or_insert_with(|| Worlds { weight: 0.0, values: all() });
            worlds.weight += weight;
            for (same, value) in worlds.values.iter_mut().zip(&self.value) {
                *same = same.filter(|same| same == value);
            }
            for b in a + 1..n {
                self.differ[a * n + b] |= self.value[a] != self.value[b];
            }
        }
    }
}

//! What follows for certain from what the classes of a series show, as long as values do not change.
//!
//! # Method
//! Blocks of people with equal values are the variables. Until nothing changes, for each class:
//! 1. A block with b people in the class has a value of which the class has b rows left; a block with one
//!    value left has it, and its rows are taken.
//! 2. Where every row of the class is somebody's, and all blocks that may have a value need just the rows
//!    that are left of it, they have it.
//! 3. Where at most six blocks are left, every way to deal the rows is tried: values that are in none of
//!    them go, and blocks that have equal values in all of them become one.
//! 4. Where two classes show the same values and all their rows are somebody's, and apart from the blocks
//!    that are in both one block of each is left, these two become one.
//!
//! What follows if somebody has a value is tried in the same way, without step 4 and without joining blocks,
//! and then taken back.
//!
//! # Cost
//! A class is looked at again when something changed for one of its people; in a trial, `MOST_ROWS` of them
//! in all.
//!
//! # References
//! Tuple equivalence.

use std::collections::BTreeMap;

use super::assignments::Deal;
use super::equal_values::Blocks;
use super::series::{Series, meet, normalize};

/// The most blocks of which every way to deal rows is tried.
const MOST_BLOCKS: usize = 6;
/// The most rows of classes that are looked at in a trial.
const MOST_ROWS: usize = 20_000;
/// The most people of a block whose classes tell how likely its values are.
const MOST_OTHERS: usize = 16;

/// The state of what is known.
pub(in crate::attack) struct Deduction<'s> {
    series: &'s Series,
    blocks: Blocks,
    // The people of each block, by its lowest person.
    members: Vec<Vec<u32>>,
    // The values that a block may have, ascending; empty where nothing is known.
    candidates: Vec<Vec<u32>>,
    // People who contradict a release are in no class.
    is_strange: Vec<bool>,
    // The people of each class of each release.
    people_of: Vec<Vec<Vec<u32>>>,
    waiting: Vec<(usize, u32)>,
    is_waiting: Vec<Vec<bool>>,
    // Whether blocks become one.
    joins: bool,
    trial: Option<Trial>,
}

/// What was changed to see what follows.
#[derive(Default)]
struct Trial {
    // Blocks with the values they had, the oldest change first.
    before: Vec<(u32, Vec<u32>)>,
    is_impossible: bool,
}

/// The blocks of a class and the rows that are left of each value.
struct Left {
    // The lowest person of each block with more than one value, and how many are in the class.
    blocks: Vec<(u32, u32)>,
    rows: BTreeMap<u32, u32>,
    is_full: bool,
}

impl<'s> Deduction<'s> {
    /// What each release says of everybody, and which people have equal values.
    pub(in crate::attack) fn new(series: &'s Series, blocks: Blocks) -> Self {
        let releases = &series.history.releases;
        let people_of = || releases.iter().map(|release| vec![Vec::new(); release.classes.len()]);
        let n = series.n_people();
        let mut found = Self {
            series,
            blocks,
            members: vec![Vec::new(); n as usize],
            candidates: vec![Vec::new(); n as usize],
            is_strange: vec![false; n as usize],
            people_of: people_of().collect(),
            waiting: Vec::new(),
            is_waiting: releases.iter().map(|release| vec![false; release.classes.len()]).collect(),
            joins: false,
            trial: None,
        };
        for person in 0..n {
            kohort_core::alive();
            let (rows, n_strange) = series.in_common(person);
            found.is_strange[person as usize] = n_strange > 0;
            let first = found.blocks.first(person);
            found.members[first as usize].push(person);
            let own: Vec<u32> = rows.into_iter().map(|(value, _)| value).collect();
            found.restrict(first, &own);
            for (at, release) in releases.iter().enumerate().filter(|_| n_strange == 0) {
                if let Some(class) = release.class_of(person) {
                    found.people_of[at][class as usize].push(person);
                }
            }
        }
        found
    }

    /// Goes on until nothing follows any more; blocks stay as they are.
    pub(in crate::attack) fn run(&mut self) {
        for (at, release) in self.series.history.releases.iter().enumerate() {
            (0..).take(release.classes.len()).for_each(|class| self.wait(at, class));
        }
        while let Some((at, class)) = self.waiting.pop() {
            kohort_core::alive();
            self.is_waiting[at][class as usize] = false;
            self.look(at, class);
        }
    }

    /// Goes on until nothing follows any more; blocks that must have equal values become one.
    pub(in crate::attack) fn run_with_joins(&mut self) {
        self.joins = true;
        self.run();
    }

    /// People with equal values.
    pub(in crate::attack) fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Whether a person may have a value.
    pub(in crate::attack) fn allows(&self, person: u32, value: u32) -> bool {
        let candidates = self.candidates(person);
        candidates.is_empty() || candidates.binary_search(&value).is_ok()
    }

    /// The values that a person may have with the fewest rows that any release shows of them for anybody
    /// of the block, and in how many releases of the person none of them is possible.
    fn rows(&self, person: u32) -> (Vec<(u32, f64)>, usize) {
        let (own, n_strange) = self.series.in_common(person);
        let first = self.blocks.root(person);
        let mut rows = own.clone();
        let others = self.members[first as usize].iter().filter(|&&other| other != person);
        // What the block may have is known from all; how often it is shown, from some.
        for &other in others.take(MOST_OTHERS) {
            let both = meet(&rows, &self.series.in_common(other).0);
            rows = if both.is_empty() { rows } else { both };
        }
        rows.retain(|&(value, _)| self.allows(person, value));
        (if rows.is_empty() { own } else { rows }, n_strange)
    }

    /// How likely each value is that a person may have, and in how many releases of the person none of
    /// them is possible. Where several classes cover the person in some release, no value is taken to be
    /// likelier than any release alone says, unless it is the only one: that others are ruled out may be
    /// due to a class that is not the person's.
    pub(in crate::attack) fn belief(&self, person: u32) -> (Vec<(u32, f64)>, usize) {
        let (mut rows, n_strange) = self.rows(person);
        if rows.len() > 1 && !self.series.is_placed(person) {
            self.series.least_shares(person, &mut rows);
        } else {
            normalize(&mut rows);
        }
        (rows, n_strange)
    }

    /// Two people have the same value.
    pub(in crate::attack) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.blocks.first(a), self.blocks.first(b));
        if self.blocks.join(a, b) {
            let (kept, gone) = (a.min(b), a.max(b));
            let members = std::mem::take(&mut self.members[gone as usize]);
            self.members[kept as usize].extend(members);
            let candidates = std::mem::take(&mut self.candidates[gone as usize]);
            self.restrict(kept, &candidates);
            self.wake(kept);
        }
    }

    /// A person has one of these values, ascending. Whether the person may have one of them: else nothing is
    /// learned.
    pub(in crate::attack) fn learn(&mut self, person: u32, values: &[u32]) -> bool {
        let first = self.blocks.first(person);
        let is_possible = values.iter().any(|&value| self.allows(person, value));
        self.restrict(first, values);
        is_possible
    }

    /// How many of those who are open have one value left if a person has this one, the person aside; none
    /// where the person cannot have it. There may be more: not everything is tried.
    pub(in crate::attack) fn opened_by(
        &mut self,
        person: u32,
        value: u32,
        is_open: &[bool],
    ) -> Option<u32> {
        let joins = std::mem::take(&mut self.joins);
        self.trial = Some(Trial::default());
        self.learn(person, &[value]);
        let mut n_rows = 0;
        while let Some((at, class)) = self.waiting.pop() {
            kohort_core::alive();
            self.is_waiting[at][class as usize] = false;
            n_rows += self.series.history.releases[at].classes[class as usize].values.len();
            if n_rows <= MOST_ROWS {
                self.look(at, class);
            }
        }
        self.joins = joins;
        let Trial { before, is_impossible } = self.trial.take()?;
        let mut changed: Vec<u32> = before.iter().map(|&(block, _)| block).collect();
        changed.sort_unstable();
        changed.dedup();
        let opened = changed.iter().filter(|&&block| self.candidates[block as usize].len() == 1);
        let opened = opened.flat_map(|&block| &self.members[block as usize]);
        let n = opened.filter(|&&other| other != person && is_open[other as usize]).count();
        for (block, candidates) in before.into_iter().rev() {
            self.candidates[block as usize] = candidates;
        }
        (!is_impossible).then(|| u32::try_from(n).expect("people are numbered by u32"))
    }

    /// The values that a person may have, ascending.
    pub(in crate::attack) fn candidates(&self, person: u32) -> &[u32] {
        &self.candidates[self.blocks.root(person) as usize]
    }

    /// Keeps only these values for a block, unless none would be left.
    fn restrict(&mut self, first: u32, values: &[u32]) {
        let candidates = &mut self.candidates[first as usize];
        if candidates.is_empty() {
            *candidates = values.to_vec();
            return;
        }
        let both: Vec<u32> =
            candidates.iter().copied().filter(|v| values.binary_search(v).is_ok()).collect();
        if !both.is_empty() && both.len() < candidates.len() {
            let before = std::mem::replace(candidates, both);
            if let Some(trial) = &mut self.trial {
                trial.before.push((first, before));
            }
            self.wake(first);
        } else if let Some(trial) = self.trial.as_mut().filter(|_| both.is_empty()) {
            trial.is_impossible = true;
        }
    }

    fn wait(&mut self, at: usize, class: u32) {
        if !std::mem::replace(&mut self.is_waiting[at][class as usize], true) {
            self.waiting.push((at, class));
        }
    }

    /// Has every class of a block looked at again.
    fn wake(&mut self, first: u32) {
        let members = self.members[first as usize].iter().copied();
        let members: Vec<u32> = members.filter(|&m| !self.is_strange[m as usize]).collect();
        for member in members {
            for (at, release) in self.series.history.releases.iter().enumerate() {
                if let Some(class) = release.class_of(member) {
                    self.wait(at, class);
                }
            }
        }
    }

    /// Steps 1 to 4 for a class.
    fn look(&mut self, at: usize, class: u32) {
        let Some(left) = self.left(at, class) else {
            if let Some(trial) = &mut self.trial {
                trial.is_impossible = true;
            }
            return;
        };
        for &(block, n) in &left.blocks {
            let rows = |value: &u32| left.rows.get(value).copied().unwrap_or(0);
            let fits: Vec<u32> = left.rows.keys().copied().filter(|v| rows(v) >= n).collect();
            self.restrict(block, &fits);
        }
        if !left.is_full {
            return;
        }
        for (&value, &rows) in left.rows.iter().filter(|&(_, &rows)| rows > 0) {
            let may = |&&(block, _): &&(u32, u32)| {
                self.candidates[block as usize].binary_search(&value).is_ok()
            };
            let fitting: Vec<(u32, u32)> = left.blocks.iter().filter(may).copied().collect();
            if fitting.iter().map(|&(_, n)| n).sum::<u32>() == rows {
                for (block, _) in fitting {
                    self.restrict(block, &[value]);
                }
            }
        }
        self.deal(at, class);
        if self.joins {
            self.compare(at, class);
        }
    }

    /// What is left of a class when the rows of those whose value is certain are taken; none where there
    /// are not so many.
    fn left(&mut self, at: usize, class: u32) -> Option<Left> {
        let shown = &self.series.history.releases[at].classes[class as usize];
        let mut rows: BTreeMap<u32, u32> = BTreeMap::new();
        for &value in &shown.values {
            *rows.entry(value).or_default() += 1;
        }
        let n_of_block = self.count(at, class);
        let n_people = self.people_of[at][class as usize].len();
        let mut blocks = Vec::new();
        for (block, n) in n_of_block {
            match self.candidates[block as usize][..] {
                [value] => {
                    let left = rows.get_mut(&value)?;
                    *left = left.checked_sub(n)?;
                }
                _ => blocks.push((block, n)),
            }
        }
        Some(Left { blocks, rows, is_full: n_people == shown.values.len() })
    }

    /// How many people of each block are in a class.
    fn count(&mut self, at: usize, class: u32) -> BTreeMap<u32, u32> {
        let mut n_of_block: BTreeMap<u32, u32> = BTreeMap::new();
        for &person in &self.people_of[at][class as usize] {
            *n_of_block.entry(self.blocks.first(person)).or_default() += 1;
        }
        n_of_block
    }

    /// Step 3.
    fn deal(&mut self, at: usize, class: u32) {
        let Some(Left { blocks, rows, .. }) = self.left(at, class) else { return };
        if blocks.is_empty() || blocks.len() > MOST_BLOCKS {
            return;
        }
        let candidates =
            blocks.iter().map(|&(block, _)| self.candidates[block as usize].clone()).collect();
        let n = blocks.iter().map(|&(_, n)| n).collect();
        let Some(mut deal) = Deal::new(n, candidates, rows) else { return };
        for (&(block, _), found) in blocks.iter().zip(&mut deal.found) {
            found.sort_unstable();
            found.dedup();
            self.restrict(block, found);
        }
        let n = if self.joins { blocks.len() } else { 0 };
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        for (a, b) in pairs.filter(|&(a, b)| !deal.differ[a * n + b]) {
            self.join(blocks[a].0, blocks[b].0);
        }
    }

    /// Step 4.
    fn compare(&mut self, at: usize, class: u32) {
        let series = self.series;
        let shown = |at: usize, class: u32| &series.history.releases[at].classes[class as usize];
        let is_full = |found: &Self, at: usize, class: u32| {
            found.people_of[at][class as usize].len() == shown(at, class).values.len()
        };
        let people = self.people_of[at][class as usize].clone();
        for (other, release) in series.history.releases.iter().enumerate() {
            let mut classes: Vec<u32> =
                people.iter().filter_map(|&person| release.class_of(person)).collect();
            classes.sort_unstable();
            classes.dedup();
            for twin in classes.into_iter().filter(|_| other != at) {
                let is_same = shown(at, class).values == shown(other, twin).values;
                if !is_same || !is_full(self, other, twin) {
                    continue;
                }
                let (here, there) = (self.count(at, class), self.count(other, twin));
                if let (Some(a), Some(b)) = (only(&here, &there), only(&there, &here)) {
                    self.join(a, b);
                }
            }
        }
    }
}

/// The one block that has more people here than there, where it is one.
fn only(here: &BTreeMap<u32, u32>, there: &BTreeMap<u32, u32>) -> Option<u32> {
    let more = |&(block, n): &(&u32, &u32)| there.get(block).is_none_or(|other| other < n);
    let mut found = here.iter().filter(more);
    let first = found.next();
    if found.next().is_some() { None } else { first.map(|(&block, _)| block) }
}

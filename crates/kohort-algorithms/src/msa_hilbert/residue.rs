//! Rows that are in no class: added to one, exchanged for a row that fits elsewhere, or united with
//! several classes that together have room.

use super::Run;
use crate::extent::Extent;

/// How many classes on each side along the line are compared.
const NEAR: usize = 16;

/// How many when classes are united.
const FAR: usize = 128;

struct Class {
    places: Vec<u32>,
    extent: Extent,
}

impl Class {
    fn new(run: &Run<'_>, places: Vec<u32>) -> Self {
        let codes = places.iter().map(|&place| run.codes(place));
        Self { extent: Extent::around(run.problem.space(), codes), places }
    }

    fn loss(&self) -> f64 {
        self.places.len() as f64 * self.extent.cost
    }
}

/// The classes along the line.
pub(super) struct Classes<'r> {
    run: &'r Run<'r>,
    // In the order of the place each began with; none where one was united with another.
    there: Vec<Option<Class>>,
    begins: Vec<u32>,
}

impl<'r> Classes<'r> {
    pub(super) fn new(run: &'r Run<'r>, mut classes: Vec<Vec<u32>>) -> Self {
        for places in &mut classes {
            places.sort_unstable();
        }
        classes.sort_unstable_by_key(|places| places[0]);
        let begins = classes.iter().map(|places| places[0]).collect();
        let there = classes.into_iter().map(|places| Some(Class::new(run, places))).collect();
        Self { run, there, begins }
    }

    pub(super) fn into_places(self) -> Vec<Vec<u32>> {
        self.there.into_iter().flatten().map(|class| class.places).collect()
    }

    /// The classes that begin near a place, `n` on each side.
    fn near(&self, place: u32, n: usize) -> impl Iterator<Item = (usize, &Class)> {
        let at = self.begins.partition_point(|&begin| begin <= place);
        let class = |index: usize| Some((index, self.there[index].as_ref()?));
        let before = (0..at).rev().filter_map(class).take(n);
        before.chain((at..self.begins.len()).filter_map(class).take(n))
    }

    /// What a class loses more with a row.
    fn added(&self, class: &Class, place: u32) -> f64 {
        let (space, codes) = (self.run.problem.space(), self.run.codes(place));
        let cost = class.extent.cost_with(space, codes, codes);
        (class.places.len() + 1) as f64 * cost - class.loss()
    }

    /// The rows of a class that agree with a row on a value; only whether there is none, one or more
    /// matters, so at most two.
    fn conflicts(&self, class: &Class, place: u32) -> (usize, usize) {
        let values = self.run.values(place);
        let (mut n, mut last) = (0, 0);
        for (at, &other) in class.places.iter().enumerate() {
            if self.run.values(other).iter().zip(values).any(|(a, b)| a == b) {
                (n, last) = (n + 1, at);
                if n > 1 {
                    break;
                }
            }
        }
        (n, last)
    }

    /// The near class that takes a row with the least loss, among those where it agrees with nobody.
    fn cheapest(&self, place: u32, but: usize) -> Option<(f64, usize)> {
        let mut best: Option<(f64, usize)> = None;
        for (index, class) in self.near(place, NEAR) {
            if index != but && self.conflicts(class, place).0 == 0 {
                let added = self.added(class, place);
                if best.is_none_or(|(least, _)| added < least) {
                    best = Some((added, index));
                }
            }
        }
        best
    }

    fn change(&mut self, index: usize, change: impl FnOnce(&mut Vec<u32>)) {
        let mut places = self.there[index].take().expect("a class that is there").places;
        change(&mut places);
        self.there[index] = Some(Class::new(self.run, places));
    }

    /// Adds a row to a near class where it agrees with nobody; false when there is none.
    pub(super) fn add(&mut self, place: u32) -> bool {
        let best = self.cheapest(place, usize::MAX);
        if let Some((_, index)) = best {
            self.change(index, |places| places.push(place));
        }
        best.is_some()
    }

    /// Puts a row into a near class in place of the one row it agrees with, which goes to another.
    pub(super) fn swap(&mut self, place: u32) -> bool {
        let mut best: Option<(f64, usize, usize, usize)> = None;
        for (index, class) in self.near(place, NEAR) {
            let (1, at) = self.conflicts(class, place) else { continue };
            if let Some((added, to)) = self.cheapest(class.places[at], index) {
                let mut places = class.places.clone();
                places[at] = place;
                let added = added + Class::new(self.run, places).loss() - class.loss();
                if best.is_none_or(|(least, ..)| added < least) {
                    best = Some((added, index, at, to));
                }
            }
        }
        let Some((_, index, at, to)) = best else { return false };
        let mut moved = place;
        self.change(index, |places| std::mem::swap(&mut places[at], &mut moved));
        self.change(to, |places| places.push(moved));
        true
    }

    /// The classes that together have room for a row at a small loss, and what they lose more.
    pub(super) fn union(&self, place: u32) -> Option<(f64, Vec<usize>)> {
        let values = self.run.values(place);
        let mut room = self.run.room(&[place], values);
        let (mut chosen, mut united) = (Vec::new(), Class::new(self.run, vec![place]));
        let mut before = 0.0;
        while room.iter().any(|&room| room < 0) {
            let best = self.next_of_union(place, &room, &united, &chosen, FAR);
            let all = self.there.len();
            let index = best.or_else(|| self.next_of_union(place, &room, &united, &chosen, all))?;
            let class = self.there[index].as_ref()?;
            let more = self.run.room(&class.places, values);
            room.iter_mut().zip(more).for_each(|(room, more)| *room += more);
            before += class.loss();
            chosen.push(index);
            let (lo, hi) = (&class.extent.lo, &class.extent.hi);
            united.extent.join(self.run.problem.space(), lo, hi);
            united.places.extend(&class.places);
        }
        Some((united.loss() - before, chosen))
    }

    /// The class that gives most room for what it costs.
    fn next_of_union(
        &self,
        place: u32,
        room: &[i64],
        united: &Class,
        chosen: &[usize],
        n: usize,
    ) -> Option<usize> {
        let values = self.run.values(place);
        let mut best: Option<(f64, usize)> = None;
        for (index, class) in self.near(place, n).filter(|(index, _)| !chosen.contains(index)) {
            let more = self.run.room(&class.places, values);
            let gained = room.iter().zip(more).map(|(&room, more)| more.min(-room).max(0));
            let gained: i64 = gained.sum();
            if gained > 0 {
                let space = self.run.problem.space();
                let cost = united.extent.cost_with(space, &class.extent.lo, &class.extent.hi);
                let n_rows = united.places.len() + class.places.len();
                let loss = (n_rows as f64 * cost - class.loss() - united.loss()) / gained as f64;
                if best.is_none_or(|(least, _)| loss < least) {
                    best = Some((loss, index));
                }
            }
        }
        best.map(|(_, index)| index)
    }

    /// Makes one class of a row and some classes.
    pub(super) fn unite(&mut self, place: u32, chosen: &[usize]) {
        let mut places = vec![place];
        for &index in chosen {
            places.extend(self.there[index].take().into_iter().flat_map(|class| class.places));
        }
        self.there[chosen[0]] = Some(Class::new(self.run, places));
    }
}

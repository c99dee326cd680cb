//! Rows divided into classes, moved between them and exchanged: the steps that the search repeats.

use smallvec::SmallVec;

use super::class::{Class, Entry, Ground, merge};
use super::pass::GAIN;
use crate::Draw;
use crate::scan::first_least;
use crate::space::From;

/// How a pool is divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Whether each class begins with the rows furthest from where the last one began, or with any.
    pub(super) furthest: bool,
    /// Whether a class takes in sensitive values that it lacks before all others.
    pub(super) spread: bool,
}

/// Divides rows into classes that keep every promise; gives what is left over too.
pub(super) fn divide(
    ground: &Ground<'_, '_>,
    entries: Vec<Entry>,
    way: Way,
    draw: &mut Draw,
) -> (Vec<Class>, Vec<Entry>) {
    let (mut classes, entries) = set_aside(ground, entries);
    let mut left = Left::new(entries, way.spread && ground.needs_values);
    let any = draw.below(left.entries.len());
    left.measure(ground, left.entries[any].unit);
    while left.n_rows >= ground.k {
        let seed = if way.furthest { left.furthest() } else { draw.below(left.entries.len()) };
        let begun = left.entries[seed].unit;
        let mut class = Class::new(ground, vec![left.take(ground, seed, 0)]);
        left.measure(ground, begun);
        left.compare(ground, &class);
        while !ground.holds(&class.entries) {
            let Some(next) = left.cheapest(ground, &class) else {
                left.entries.extend(class.entries);
                return (classes, merge(left.entries));
            };
            let taken = left.take(ground, next, class.n_rows);
            class.add(ground, taken);
        }
        classes.push(class);
    }
    (classes, left.entries)
}

/// Units of many rows are classes that cost nothing; k of their rows stay to be lent to others.
fn set_aside(ground: &Ground<'_, '_>, mut entries: Vec<Entry>) -> (Vec<Class>, Vec<Entry>) {
    let mut classes = Vec::new();
    for entry in &mut entries {
        if !ground.needs_values && entry.n_rows >= ground.k.saturating_mul(2) {
            let n_rows = entry.n_rows - ground.k;
            classes.push(Class::new(ground, vec![Entry { unit: entry.unit, n_rows }]));
            entry.n_rows = ground.k;
        }
    }
    (classes, entries)
}

/// Rows that are in no class while a pool is divided.
struct Left {
    entries: Vec<Entry>,
    n_rows: u32,
    // How far each entry is from where the last class began.
    distances: Vec<f64>,
    // For each entry at most what the growing class costs with it: a box that grows never costs less.
    // No box costs more than 1; `SAME` is added where the class has its sensitive values already, and
    // that matters.
    costs: Vec<f64>,
    spread: bool,
}

/// Puts entries behind all others.
const SAME: f64 = 2.0;

impl Left {
    fn new(entries: Vec<Entry>, spread: bool) -> Self {
        let n_rows = entries.iter().map(|entry| entry.n_rows).sum();
        Self { entries, n_rows, distances: Vec::new(), costs: Vec::new(), spread }
    }

    /// Takes as many rows out of the entry at `index` as a class of this size takes at once: what it
    /// lacks, but one by one where it matters which values they have.
    fn take(&mut self, ground: &Ground<'_, '_>, index: usize, n_rows: u32) -> Entry {
        let lacking = if ground.needs_values { 1 } else { ground.k.saturating_sub(n_rows).max(1) };
        let entry = &mut self.entries[index];
        let taken = Entry { unit: entry.unit, n_rows: entry.n_rows.min(lacking) };
        entry.n_rows -= taken.n_rows;
        self.n_rows -= taken.n_rows;
        if entry.n_rows == 0 {
            self.entries.swap_remove(index);
            self.distances.swap_remove(index);
            if index < self.costs.len() {
                self.costs.swap_remove(index);
            }
        }
        taken
    }

    /// How far every entry is from a unit.
    fn measure(&mut self, ground: &Ground<'_, '_>, unit: u32) {
        let codes = ground.units.codes(unit);
        let axes = ground.space.in_order().map(|(at, axis)| (at, axis.from(codes[at])));
        let from: SmallVec<[(usize, From<'_>); 12]> = axes.collect();
        let distance = |entry: &Entry| {
            let codes = ground.units.codes(entry.unit);
            from.iter().map(|&(at, from)| from.to(codes[at])).sum::<f64>()
        };
        self.distances.clear();
        self.distances.extend(self.entries.iter().map(distance));
    }

    /// The entry furthest from where the last class began.
    fn furthest(&self) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, &distance) in self.distances.iter().enumerate() {
            if distance > best.0 {
                best = (distance, index);
            }
        }
        best.1
    }

    /// Compares every entry with a class that begins, from where they were measured.
    fn compare(&mut self, ground: &Ground<'_, '_>, class: &Class) {
        self.costs.clone_from(&self.distances);
        if self.spread {
            for (cost, entry) in self.costs.iter_mut().zip(&self.entries) {
                *cost += if class.has_values(ground, entry.unit) { SAME } else { 0.0 };
            }
        }
    }

    /// The entry that makes the box of a class cost least; none when nothing is left.
    fn cheapest(&mut self, ground: &Ground<'_, '_>, class: &Class) -> Option<usize> {
        if self.costs.is_empty() {
            return None;
        }
        loop {
            let index = first_least(&self.costs);
            let unit = self.entries[index].unit;
            let is_same = self.spread && class.has_values(ground, unit);
            let cost = class.cost_below(ground, unit, f64::INFINITY);
            let exact = cost + if is_same { SAME } else { 0.0 };
            if exact <= self.costs[index] {
                return Some(index);
            }
            self.costs[index] = exact;
        }
    }
}

/// Puts entries into the classes where they add least; gives those that fit nowhere.
#[must_use]
pub(super) fn place(
    ground: &Ground<'_, '_>,
    classes: &mut [Class],
    entries: Vec<Entry>,
) -> Vec<Entry> {
    place_below(ground, classes, entries, f64::INFINITY)
}

/// Puts rows that are suppressed, one by one, into classes where they lose less; gives the others. A
/// suppressed row loses 1.
pub(super) fn bring_back(
    ground: &Ground<'_, '_>,
    classes: &mut [Class],
    left: Vec<Entry>,
) -> Vec<Entry> {
    place_below(ground, classes, left, 1.0)
}

/// Puts entries into the classes where they add least, and less than `most`; gives the others.
fn place_below(
    ground: &Ground<'_, '_>,
    classes: &mut [Class],
    entries: Vec<Entry>,
    most: f64,
) -> Vec<Entry> {
    let mut left = Vec::new();
    for entry in entries {
        let mut best: Option<(f64, usize)> = None;
        for (index, class) in classes.iter().enumerate() {
            let least = best.map_or(most, |(least, _)| least);
            if class.adds_at_least(entry.n_rows) >= least {
                continue;
            }
            let n_rows = f64::from(class.n_rows + entry.n_rows);
            let limit = (least + class.loss()) / n_rows;
            let cost = class.cost_below(ground, entry.unit, limit);
            if cost < limit && ground.holds_with(class, entry) {
                best = Some((n_rows * cost - class.loss(), index));
            }
        }
        match best {
            Some((_, index)) => classes[index].add(ground, entry),
            None => left.push(entry),
        }
    }
    left
}

/// Moves rows to classes where they cost less and dissolves classes into others, while that gains. A class
/// that was tried in vain is tried again when it has changed.
pub(super) fn polish(ground: &Ground<'_, '_>, classes: &mut Vec<Class>) {
    const ROUNDS: usize = 4;
    for _ in 0..ROUNDS {
        let mut gained = false;
        let mut index = 0;
        while index < classes.len() {
            if classes[index].n_tries > 0 {
                index += 1;
                continue;
            }
            gained |= spend(ground, classes, index);
            if dissolve(ground, classes, index) {
                gained = true;
            } else {
                classes[index].n_tries = 1;
                index += 1;
            }
        }
        if !gained {
            break;
        }
    }
    for class in classes {
        class.n_tries = 0;
    }
}

/// Moves rows that a class can spare to where they cost less; true when that gained.
pub(super) fn spend(ground: &Ground<'_, '_>, classes: &mut [Class], from: usize) -> bool {
    let mut gained = false;
    let mut index = 0;
    while index < classes[from].entries.len() {
        if best_move(ground, classes, from, index) {
            gained = true;
        } else {
            index += 1;
        }
    }
    gained
}

/// Makes the best move of rows of the entry at `index` of a class, if one gains.
fn best_move(ground: &Ground<'_, '_>, classes: &mut [Class], from: usize, index: usize) -> bool {
    let source = &classes[from];
    let entry = source.entries[index];
    let n_rows = entry.n_rows.min(source.n_rows.saturating_sub(ground.k));
    if n_rows == 0 || source.extent.cost <= 0.0 {
        return false;
    }
    let cost_left = if n_rows == entry.n_rows {
        source.without(ground, index).cost
    } else {
        source.extent.cost
    };
    let saved = source.loss() - f64::from(source.n_rows - n_rows) * cost_left;
    if saved <= GAIN || !ground.holds_without(source, index, n_rows) {
        return false;
    }
    let moved = Entry { unit: entry.unit, n_rows };
    let mut best: Option<(f64, usize)> = None;
    for (to, class) in classes.iter().enumerate().filter(|(to, _)| *to != from) {
        let most = best.map_or(GAIN, |(most, _)| most);
        if class.adds_at_least(n_rows) >= saved - most {
            continue;
        }
        let n_after = f64::from(class.n_rows + n_rows);
        let limit = (saved - most + class.loss()) / n_after;
        let cost = class.cost_below(ground, entry.unit, limit);
        if cost < limit && ground.holds_with(class, moved) {
            best = Some((saved - (n_after * cost - class.loss()), to));
        }
    }
    let Some((_, to)) = best else { return false };
    classes[from].remove(ground, index, n_rows);
    classes[to].add(ground, moved);
    true
}

/// Puts the rows of a class into the others if that gains; the last class takes its place.
pub(super) fn dissolve(ground: &Ground<'_, '_>, classes: &mut Vec<Class>, index: usize) -> bool {
    if classes.len() < 2 || !may_dissolve(ground, classes, index) {
        return false;
    }
    let before: f64 = classes.iter().map(Class::loss).sum();
    let mut others = classes.clone();
    let gone = others.swap_remove(index);
    let left = place(ground, &mut others, gone.entries.into_vec());
    let gained = left.is_empty() && others.iter().map(Class::loss).sum::<f64>() < before - GAIN;
    if gained {
        *classes = others;
    }
    gained
}

/// Whether the rows of a class, placed without regard to each other, would cost less elsewhere.
fn may_dissolve(ground: &Ground<'_, '_>, classes: &[Class], index: usize) -> bool {
    let loss = classes[index].loss();
    if loss <= GAIN {
        return false;
    }
    let mut added = 0.0;
    let mut near = index;
    for entry in &classes[index].entries {
        let mut least = loss - added;
        // Where the last one would go the next one often goes: with it the others are soon ruled out.
        let first = near;
        for other in std::iter::once(first).chain(0..classes.len()).filter(|&o| o != index) {
            let class = &classes[other];
            if class.adds_at_least(entry.n_rows) >= least {
                continue;
            }
            let n_after = f64::from(class.n_rows + entry.n_rows);
            let limit = (least + class.loss()) / n_after;
            let cost = class.cost_below(ground, entry.unit, limit);
            if cost < limit {
                least = n_after * cost - class.loss();
                near = other;
            }
        }
        added += least;
        if added >= loss {
            return false;
        }
    }
    true
}

/// Exchanges entries of two classes while that gains; true when any exchange did.
pub(super) fn exchange(ground: &Ground<'_, '_>, classes: &mut [Class], a: usize, b: usize) -> bool {
    let mut gained = false;
    while let Some((i, j)) = best_exchange(ground, &classes[a], &classes[b]) {
        let (mut one, mut two) = (classes[a].entries.to_vec(), classes[b].entries.to_vec());
        std::mem::swap(&mut one[i], &mut two[j]);
        classes[a] = Class::new(ground, merge(one));
        classes[b] = Class::new(ground, merge(two));
        gained = true;
    }
    gained
}

/// The two entries whose exchange gains most, if any does and the promises are kept.
fn best_exchange(ground: &Ground<'_, '_>, one: &Class, two: &Class) -> Option<(usize, usize)> {
    if one.entries.len() < 2 || two.entries.len() < 2 {
        return None;
    }
    let space = &ground.space;
    let before = one.loss() + two.loss();
    let (rest_one, rest_two) = (one.rests(ground), two.rests(ground));
    let mut best: Option<(usize, usize)> = None;
    let mut limit = before - GAIN;
    for (i, entry) in one.entries.iter().enumerate() {
        for (j, other) in two.entries.iter().enumerate() {
            let n_one = one.n_rows - entry.n_rows + other.n_rows;
            let n_two = two.n_rows - other.n_rows + entry.n_rows;
            let shrinks = rest_one[i].cost < one.extent.cost || rest_two[j].cost < two.extent.cost;
            if !shrinks || n_one < ground.k || n_two < ground.k {
                continue;
            }
            let (n_one, n_two) = (f64::from(n_one), f64::from(n_two));
            let codes = ground.units.codes(other.unit);
            let first = n_one * rest_one[i].cost_with_point(space, codes, limit / n_one);
            if first < limit {
                let codes = ground.units.codes(entry.unit);
                let left = (limit - first) / n_two;
                let second = rest_two[j].cost_with_point(space, codes, left);
                if second < left
                    && ground.holds_exchanged(one, i, *other)
                    && ground.holds_exchanged(two, j, *entry)
                {
                    limit = first + n_two * second;
                    best = Some((i, j));
                }
            }
        }
    }
    best
}

//! Rows divided into classes, moved between them and exchanged: the steps that the search repeats.

use super::class::{Class, Entry, Ground, merge};
use super::pass::GAIN;
use crate::draw::Draw;
use crate::extent::Extent;

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
    mut left: Vec<Entry>,
    way: Way,
    draw: &mut Draw,
) -> (Vec<Class>, Vec<Entry>) {
    let mut classes: Vec<Class> = Vec::new();
    let mut n_left: u32 = left.iter().map(|entry| entry.n_rows).sum();
    let mut begun = left[draw.below(left.len())].unit;
    while n_left >= ground.k {
        let seed =
            if way.furthest { furthest(ground, &left, begun) } else { draw.below(left.len()) };
        begun = left[seed].unit;
        let mut class = Class::new(ground, vec![take(ground, &mut left, seed, 0)]);
        while !ground.holds(&class.entries) {
            let Some(next) = cheapest(ground, &class, &left, way.spread) else {
                left.append(&mut class.entries);
                return (classes, merge(left));
            };
            let taken = take(ground, &mut left, next, class.n_rows);
            class.add(ground, taken);
        }
        n_left -= class.n_rows;
        classes.push(class);
    }
    (classes, left)
}

/// Takes as many rows out of the entry at `index` as a class of this size takes at once: what it lacks,
/// but one by one where it matters which values they have.
fn take(ground: &Ground<'_, '_>, left: &mut Vec<Entry>, index: usize, n_rows: u32) -> Entry {
    let lacking = if ground.needs_values { 1 } else { ground.k.saturating_sub(n_rows).max(1) };
    let entry = &mut left[index];
    let taken = Entry { unit: entry.unit, n_rows: entry.n_rows.min(lacking) };
    entry.n_rows -= taken.n_rows;
    if entry.n_rows == 0 {
        left.swap_remove(index);
    }
    taken
}

/// The entry furthest from a unit.
fn furthest(ground: &Ground<'_, '_>, left: &[Entry], from: u32) -> usize {
    let (space, from) = (ground.problem.space(), ground.units.codes(from));
    let distances = left.iter().map(|entry| space.distance(from, ground.units.codes(entry.unit)));
    let mut best = (f64::NEG_INFINITY, 0);
    for (index, distance) in distances.enumerate() {
        if distance > best.0 {
            best = (distance, index);
        }
    }
    best.1
}

/// The entry that makes the box of a class cost least; none when nothing is left.
fn cheapest(ground: &Ground<'_, '_>, class: &Class, left: &[Entry], spread: bool) -> Option<usize> {
    let lacks = |entry: &Entry| {
        let values = ground.units.sensitive(entry.unit);
        let has = |other: &Entry| {
            ground.units.sensitive(other.unit).iter().zip(values).any(|(a, b)| a == b)
        };
        !class.entries.iter().any(has)
    };
    let mut best: Option<(bool, f64, usize)> = None;
    for (index, entry) in left.iter().enumerate() {
        let is_held = spread && ground.needs_values && !lacks(entry);
        let limit = match best {
            Some((false, ..)) if is_held => continue,
            Some((held, least, _)) if held == is_held => least,
            _ => f64::INFINITY,
        };
        let cost = class.cost_below(ground, entry.unit, limit);
        if cost < limit {
            best = Some((is_held, cost, index));
        }
    }
    best.map(|(_, _, index)| index)
}

/// Puts entries into the classes where they add least; gives those that fit nowhere.
#[must_use]
pub(super) fn place(
    ground: &Ground<'_, '_>,
    classes: &mut [Class],
    entries: Vec<Entry>,
) -> Vec<Entry> {
    let mut left = Vec::new();
    for entry in entries {
        let mut best: Option<(f64, usize)> = None;
        for (index, class) in classes.iter().enumerate() {
            let n_rows = f64::from(class.n_rows + entry.n_rows);
            let limit = best.map_or(f64::INFINITY, |(least, _)| (least + class.loss()) / n_rows);
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

/// Moves rows to classes where they cost less and dissolves classes into others, while that gains.
pub(super) fn polish(ground: &Ground<'_, '_>, classes: &mut Vec<Class>) {
    const ROUNDS: usize = 4;
    for _ in 0..ROUNDS {
        let mut gained = false;
        for from in 0..classes.len() {
            let mut index = 0;
            while index < classes[from].entries.len() {
                if best_move(ground, classes, from, index) {
                    gained = true;
                } else {
                    index += 1;
                }
            }
        }
        gained |= dissolve(ground, classes);
        if !gained {
            break;
        }
    }
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
    let mut best: Option<(f64, usize)> = None;
    for (to, class) in classes.iter().enumerate().filter(|(to, _)| *to != from) {
        let n_after = f64::from(class.n_rows + n_rows);
        let most = best.map_or(GAIN, |(most, _)| most);
        let limit = (saved - most + class.loss()) / n_after;
        let cost = class.cost_below(ground, entry.unit, limit);
        if cost < limit {
            best = Some((saved - (n_after * cost - class.loss()), to));
        }
    }
    let Some((_, to)) = best else { return false };
    let moved = Entry { unit: entry.unit, n_rows };
    let may = ground.holds_without(&classes[from], index, n_rows)
        && ground.holds_with(&classes[to], moved);
    if may {
        classes[from].remove(ground, index, n_rows);
        classes[to].add(ground, moved);
    }
    may
}

/// Puts the rows of a class into the others where that gains; true when it was done for any.
fn dissolve(ground: &Ground<'_, '_>, classes: &mut Vec<Class>) -> bool {
    let mut gained = false;
    let mut index = 0;
    while index < classes.len() {
        if classes.len() > 1 && may_dissolve(ground, classes, index) {
            let before: f64 = classes.iter().map(Class::loss).sum();
            let mut others = classes.clone();
            let gone = others.swap_remove(index);
            let left = place(ground, &mut others, gone.entries);
            if left.is_empty() && others.iter().map(Class::loss).sum::<f64>() < before - GAIN {
                *classes = others;
                gained = true;
                continue;
            }
        }
        index += 1;
    }
    gained
}

/// Whether the rows of a class, placed without regard to each other, would cost less elsewhere.
fn may_dissolve(ground: &Ground<'_, '_>, classes: &[Class], index: usize) -> bool {
    let loss = classes[index].loss();
    let mut added = 0.0;
    for entry in &classes[index].entries {
        let mut least = loss - added;
        for (_, class) in classes.iter().enumerate().filter(|(other, _)| *other != index) {
            let n_after = f64::from(class.n_rows + entry.n_rows);
            let limit = (least + class.loss()) / n_after;
            let cost = class.cost_below(ground, entry.unit, limit);
            if cost < limit {
                least = n_after * cost - class.loss();
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
        let (mut one, mut two) = (classes[a].entries.clone(), classes[b].entries.clone());
        std::mem::swap(&mut one[i], &mut two[j]);
        let (one, two) = (merge(one), merge(two));
        if !ground.holds(&one) || !ground.holds(&two) {
            break;
        }
        classes[a] = Class::new(ground, one);
        classes[b] = Class::new(ground, two);
        gained = true;
    }
    gained
}

/// The two entries whose exchange gains most, if any does.
fn best_exchange(ground: &Ground<'_, '_>, one: &Class, two: &Class) -> Option<(usize, usize)> {
    if one.entries.len() < 2 || two.entries.len() < 2 {
        return None;
    }
    let space = ground.problem.space();
    let before = one.loss() + two.loss();
    let rest = |class: &Class| -> Vec<Extent> {
        (0..class.entries.len()).map(|index| class.without(ground, index)).collect()
    };
    let (rest_one, rest_two) = (rest(one), rest(two));
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
            let first = n_one * rest_one[i].cost_below(space, codes, codes, limit / n_one);
            if first < limit {
                let codes = ground.units.codes(entry.unit);
                let left = (limit - first) / n_two;
                let second = rest_two[j].cost_below(space, codes, codes, left);
                if second < left {
                    limit = first + n_two * second;
                    best = Some((i, j));
                }
            }
        }
    }
    best
}

//! Classes for promises that are not monotone, where the whole table as one class does not keep them.
//!
//! # Guarantee
//! What a reader sees as one class keeps every promise. A table of at most `FEW` rows has a release here
//! whenever some partition of its rows into boxes that show different cells keeps every promise, and it is the
//! partition of least loss.
//!
//! # Method
//! 1. Of few rows every partition is looked at.
//! 2. Else rows with the same sensitive values are one kind. Of all ways to put whole kinds together so that
//!    each class holds, the one of least loss is taken.
//! 3. Classes are cut in two as long as both parts hold, cost less and show what no other class does: each kind
//!    for itself at the same share of its rows, along one axis, so that the shares of values stay about what
//!    they are.

use std::collections::BTreeMap;

use kohort_core::Cell;

use super::class::{Class, Entry, Ground, merge};
use super::classes::Classes;
use super::group_of_row;
use super::pass::GAIN;
use crate::extent::Extent;
use crate::merge_equal_cells::join_alike;
use crate::{Candidate, Problem};

/// Why there is no start.
pub(super) const NONE: &str = "neither the table as one class nor any classes that were tried keep every \
                               promise; one of them is not monotone, so that others may";

/// Up to this many rows, or kinds of rows, every partition is looked at.
const FEW: usize = 10;

/// Where classes are cut: at these shares of the rows of each kind.
const SHARES: [(u64, u64); 9] =
    [(1, 2), (2, 5), (3, 5), (1, 3), (2, 3), (1, 4), (3, 4), (1, 5), (4, 5)];

/// A release to start from, if one is found.
pub(super) fn told_apart(ground: &Ground<'_, '_>) -> Option<Candidate> {
    let problem = ground.problem;
    let units = 0..u32::try_from(ground.units.len()).expect("units are fewer than rows");
    let all: Vec<Entry> =
        units.map(|unit| Entry { unit, n_rows: ground.units.n_rows(unit) }).collect();
    let classes =
        if problem.n_rows() <= FEW { of_few(ground, &all) } else { of_kinds(ground, &all) };
    let classes = classes?;
    let group_of_row = group_of_row(ground, &classes);
    let made = Candidate::of_numbered(problem, group_of_row, classes.len());
    join_alike(problem, made).ok()
}

/// Step 1: the partition of least loss into classes that hold and show different cells.
fn of_few(ground: &Ground<'_, '_>, all: &[Entry]) -> Option<Classes> {
    let one = |entry: &Entry| Entry { n_rows: 1, ..*entry };
    let rows = all.iter().flat_map(|entry| std::iter::repeat_n(one(entry), entry.n_rows as usize));
    let rows: Vec<Entry> = rows.collect();
    let sets = (0..1_usize << rows.len()).map(|set| {
        let chosen = rows.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        let entries = merge(chosen.map(|(_, entry)| *entry).collect());
        let holds = !entries.is_empty() && ground.holds(&entries);
        holds.then(|| Class::new(ground, entries))
    });
    let sets: Vec<Option<Class>> = sets.collect();
    let losses = sets.iter().map(|class| class.as_ref().map(Class::loss)).collect();
    let shown = |set: usize| cells(ground.problem, &sets[set].as_ref().expect("it holds").extent);
    let differ = |sets: &[usize]| {
        let mut cells: Vec<Vec<Cell>> = sets.iter().map(|&set| shown(set)).collect();
        cells.sort();
        cells.array_windows().all(|[a, b]| a != b)
    };
    let best = Partitions { losses, is_ok: &differ, best: None }.best(rows.len())?;
    Some(best.into_iter().filter_map(|set| sets[set].clone()).collect())
}

/// What a box shows.
fn cells(problem: &Problem<'_>, extent: &Extent) -> Vec<Cell> {
    let ends = extent.lo.iter().zip(&extent.hi);
    problem.quasi().iter().zip(ends).map(|(a, (&lo, &hi))| a.smallest_cell(lo, hi)).collect()
}

/// Steps 2 and 3.
fn of_kinds(ground: &Ground<'_, '_>, all: &[Entry]) -> Option<Classes> {
    let blocks = few_blocks(ground, kinds(ground, all));
    let sets = (0..1_usize << blocks.len()).map(|set| {
        let chosen = blocks.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        chosen.flat_map(|(_, block)| block.iter().copied()).collect::<Vec<Entry>>()
    });
    let losses = sets.clone().map(|entries| {
        let holds = !entries.is_empty() && ground.holds(&counted(ground, &entries));
        holds.then(|| Class::new(ground, entries).loss())
    });
    let losses = losses.collect();
    let best = Partitions { losses, is_ok: &|_| true, best: None }.best(blocks.len())?;
    let chosen = best.into_iter().filter_map(|set| sets.clone().nth(set));
    let mut open: Vec<Class> = chosen.map(|set| Class::new(ground, merge(set))).collect();
    let mut shown = Shown::default();
    for class in &open {
        shown.add(cells(ground.problem, &class.extent));
    }
    let mut classes = Vec::new();
    while let Some(class) = open.pop() {
        match cut(ground, &class, &mut shown) {
            Some(parts) => open.extend(parts),
            None => classes.push(class),
        }
    }
    Some(classes.into_iter().collect())
}

/// How many classes show the same cells.
#[derive(Default)]
struct Shown(BTreeMap<Vec<Cell>, u32>);

impl Shown {
    fn add(&mut self, cells: Vec<Cell>) {
        *self.0.entry(cells).or_default() += 1;
    }

    fn remove(&mut self, cells: &[Cell]) {
        if let Some(count) = self.0.get_mut(cells) {
            *count -= 1;
        }
    }

    fn has(&self, cells: &[Cell]) -> bool {
        self.0.get(cells).is_some_and(|&count| count > 0)
    }
}

/// The entries of each kind.
fn kinds(ground: &Ground<'_, '_>, entries: &[Entry]) -> Vec<Vec<Entry>> {
    let mut kinds: BTreeMap<&[u32], Vec<Entry>> = BTreeMap::new();
    for entry in entries {
        kinds.entry(ground.units.sensitive(entry.unit)).or_default().push(*entry);
    }
    kinds.into_values().collect()
}

/// As many rows of each kind, as rows of one unit each: what promises look at.
fn counted(ground: &Ground<'_, '_>, entries: &[Entry]) -> Vec<Entry> {
    let count = |kind: Vec<Entry>| {
        let n_rows = kind.iter().map(|entry| entry.n_rows).sum();
        Entry { unit: kind[0].unit, n_rows }
    };
    kinds(ground, entries).into_iter().map(count).collect()
}

/// Kinds put together until there are few: those that hold together first, then the smallest.
fn few_blocks(ground: &Ground<'_, '_>, kinds: Vec<Vec<Entry>>) -> Vec<Vec<Entry>> {
    if kinds.len() <= FEW {
        return kinds;
    }
    let holds = |entries: &[Entry]| ground.holds(&counted(ground, entries));
    let (alone, others): (Vec<_>, Vec<_>) = kinds.into_iter().partition(|kind| holds(kind));
    let mut blocks: Vec<Vec<Entry>> = Vec::new();
    for kinds in [alone, others] {
        let from = blocks.len();
        for kind in kinds {
            let fits = |block: &&mut Vec<Entry>| holds(&[&block[..], &kind[..]].concat());
            match blocks[from..].iter_mut().find(fits) {
                Some(block) => block.extend(kind),
                None => blocks.push(kind),
            }
        }
    }
    let n_rows = |block: &Vec<Entry>| block.iter().map(|entry| entry.n_rows).sum::<u32>();
    while blocks.len() > FEW {
        blocks.sort_by_key(|block| std::cmp::Reverse(n_rows(block)));
        let smallest = blocks.pop().unwrap_or_default();
        if let Some(last) = blocks.last_mut() {
            last.extend(smallest);
        }
    }
    blocks
}

/// Step 3: two parts of a class that hold and cost less together, if there are any that show what no other
/// class does.
fn cut(ground: &Ground<'_, '_>, class: &Class, shown: &mut Shown) -> Option<[Class; 2]> {
    if class.n_rows < ground.k.saturating_mul(2) {
        return None;
    }
    let kinds = kinds(ground, &class.entries);
    let n_axes = ground.problem.quasi().len();
    let cells = |class: &Class| cells(ground.problem, &class.extent);
    let parts = SHARES.iter().find_map(|&share| {
        let mut best: Option<(f64, [Class; 2])> = None;
        for axis in 0..n_axes {
            let Some(parts) = cut_along(ground, &kinds, axis, share) else { continue };
            let [low, high] = parts.each_ref().map(cells);
            let is_new = low != high && !shown.has(&low) && !shown.has(&high);
            let loss = parts.iter().map(Class::loss).sum::<f64>();
            if is_new && loss < best.as_ref().map_or(class.loss() - GAIN, |best| best.0) {
                best = Some((loss, parts));
            }
        }
        best.map(|(_, parts)| parts)
    })?;
    shown.remove(&cells(class));
    for part in &parts {
        shown.add(cells(part));
    }
    Some(parts)
}

/// The parts with this share of the rows of each kind, those of the lowest codes, and with the others, if both
/// hold.
fn cut_along(
    ground: &Ground<'_, '_>,
    kinds: &[Vec<Entry>],
    axis: usize,
    share: (u64, u64),
) -> Option<[Class; 2]> {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for kind in kinds {
        let n_rows: u64 = kind.iter().map(|entry| u64::from(entry.n_rows)).sum();
        let mut wanted = u32::try_from(n_rows * share.0 / share.1).expect("rows are u32");
        let mut sorted = kind.clone();
        sorted.sort_by_key(|entry| (ground.units.codes(entry.unit)[axis], entry.unit));
        for Entry { unit, n_rows } in sorted {
            let taken = n_rows.min(wanted);
            wanted -= taken;
            low.extend((taken > 0).then_some(Entry { unit, n_rows: taken }));
            high.extend((taken < n_rows).then_some(Entry { unit, n_rows: n_rows - taken }));
        }
    }
    let holds = |part: &[Entry]| !part.is_empty() && ground.holds(part);
    let both = holds(&low) && holds(&high);
    both.then(|| [low, high].map(|part| Class::new(ground, merge(part))))
}

/// The partitions of a few things into sets that may be used.
struct Partitions<'s> {
    /// By set: its loss, if it may be used.
    losses: Vec<Option<f64>>,
    /// Whether sets can stand beside each other.
    is_ok: &'s dyn Fn(&[usize]) -> bool,
    best: Option<(f64, Vec<usize>)>,
}

impl Partitions<'_> {
    /// The one of least loss.
    fn best(mut self, n_things: usize) -> Option<Vec<usize>> {
        self.search((1 << n_things) - 1, &mut Vec::new(), 0.0);
        self.best.map(|(_, sets)| sets)
    }

    /// Goes through all ways to divide the things that are left.
    fn search(&mut self, left: usize, sets: &mut Vec<usize>, loss: f64) {
        if self.best.as_ref().is_some_and(|(least, _)| loss >= *least - GAIN) {
            return;
        }
        if left == 0 {
            if (self.is_ok)(sets) {
                self.best = Some((loss, sets.clone()));
            }
            return;
        }
        let lowest = left & left.wrapping_neg();
        let others = left ^ lowest;
        let mut some = others;
        loop {
            let set = some | lowest;
            if let Some(more) = self.losses[set] {
                sets.push(set);
                self.search(left ^ set, sets, loss + more);
                sets.pop();
            }
            if some == 0 {
                return;
            }
            some = (some - 1) & others;
        }
    }
}

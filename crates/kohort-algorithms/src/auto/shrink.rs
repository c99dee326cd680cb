//! A class gives up all rows on one side of its box, and takes in others from inside what is left of it.
//!
//! Rows that are moved one by one do not make a box smaller while another row keeps its side where it is: in
//! classes of many rows most sides are held by several. Here all of them go at once, each to the class where it
//! adds least. Where the class is too small then, rows of other classes that lie in the smaller box come in,
//! those first that lose most where they are.

use super::class::{Class, Entry, Ground};
use super::pass::GAIN;
use crate::extent::Extent;

/// So many sides of a class are tried.
const TRIES: usize = 2;

/// At most one of so many rows of a class goes.
const PART: u32 = 2;

/// Classes of fewer rows are looked at row by row.
const SMALL: u32 = 8;

/// Makes the box of a class smaller, if that gains.
pub(super) fn shrink(ground: &Ground<'_, '_>, block: &mut [Class], center: usize) -> bool {
    if ground.k < SMALL || block[center].extent.cost <= 0.0 {
        return false;
    }
    for cut in cuts(ground, &block[center]) {
        if let Some(changes) = Trial::new(ground, block, center, &cut).and_then(Trial::finish) {
            for (index, class) in changes {
                block[index] = class;
            }
            return true;
        }
    }
    false
}

/// What stays of a class.
struct Cut {
    axis: usize,
    lo: u32,
    hi: u32,
    promise: f64,
}

impl Cut {
    fn keeps(&self, ground: &Ground<'_, '_>, unit: u32) -> bool {
        let code = ground.units.codes(unit)[self.axis];
        self.lo <= code && code <= self.hi
    }
}

/// The sides that promise most.
fn cuts(ground: &Ground<'_, '_>, class: &Class) -> Vec<Cut> {
    let mut found = Vec::new();
    let n_axes = ground.problem.quasi().len();
    for axis in (0..n_axes).filter(|&axis| class.extent.lo[axis] < class.extent.hi[axis]) {
        let code = |entry: &Entry| ground.units.codes(entry.unit)[axis];
        let mut codes: Vec<(u32, u32)> =
            class.entries.iter().map(|entry| (code(entry), entry.n_rows)).collect();
        codes.sort_unstable();
        let (first, last) = (class.extent.lo[axis], class.extent.hi[axis]);
        let mut gone = 0;
        for same in codes.chunk_by(|a, b| a.0 == b.0) {
            let next = codes.iter().map(|(code, _)| *code).find(|&code| code > same[0].0);
            gone += same.iter().map(|(_, n)| n).sum::<u32>();
            if gone * PART > class.n_rows {
                break;
            }
            found.extend(next.map(|lo| (axis, lo, last, gone)));
        }
        gone = 0;
        for same in codes.chunk_by(|a, b| a.0 == b.0).rev() {
            let next = codes.iter().rev().map(|(code, _)| *code).find(|&code| code < same[0].0);
            gone += same.iter().map(|(_, n)| n).sum::<u32>();
            if gone * PART > class.n_rows {
                break;
            }
            found.extend(next.map(|hi| (axis, first, hi, gone)));
        }
    }
    let cut = |(axis, lo, hi, gone): (usize, u32, u32, u32)| {
        let (mut los, mut his) = (class.extent.lo.clone(), class.extent.hi.clone());
        (los[axis], his[axis]) = (lo, hi);
        let cost = ground.space.cost(&los, &his);
        let saved = class.extent.cost - cost;
        // Whoever goes loses about as much elsewhere as here.
        let promise =
            saved * f64::from(class.n_rows.saturating_sub(gone).max(ground.k)) / f64::from(gone);
        Cut { axis, lo, hi, promise }
    };
    let mut cuts: Vec<Cut> = found.into_iter().map(cut).filter(|cut| cut.promise > GAIN).collect();
    cuts.sort_by(|a, b| {
        b.promise.total_cmp(&a.promise).then((a.axis, a.lo, a.hi).cmp(&(b.axis, b.lo, b.hi)))
    });
    cuts.truncate(TRIES);
    cuts
}

/// Rows of an entry of another class that may come in.
#[derive(Clone, Copy)]
struct Source {
    // For each row, and what they save where they are.
    gain: f64,
    saved: f64,
    index: usize,
    at: usize,
    n_rows: u32,
}

/// The classes as they would be.
struct Trial<'a, 'g, 'p> {
    ground: &'g Ground<'a, 'p>,
    block: &'g [Class],
    center: usize,
    kept: Class,
    changed: Vec<(usize, Class)>,
}

impl<'a, 'g, 'p> Trial<'a, 'g, 'p> {
    /// Puts the rows that go where they add least.
    fn new(
        ground: &'g Ground<'a, 'p>,
        block: &'g [Class],
        center: usize,
        cut: &Cut,
    ) -> Option<Self> {
        let class = &block[center];
        let (stay, go): (Vec<Entry>, Vec<Entry>) =
            class.entries.iter().copied().partition(|entry| cut.keeps(ground, entry.unit));
        let kept = Class::new(ground, stay);
        // More is saved than this only by classes from which rows come in.
        let mut left = class.loss() - kept.loss();
        let mut trial = Self { ground, block, center, kept, changed: Vec::new() };
        for entry in go {
            left -= trial.place(entry, left)?;
        }
        Some(trial)
    }

    fn at(&self, index: usize) -> &Class {
        let changed = self.changed.iter().find(|(at, _)| *at == index);
        changed.map_or(&self.block[index], |(_, class)| class)
    }

    fn change(&mut self, index: usize) -> &mut Class {
        let at = self.changed.iter().position(|(at, _)| *at == index).unwrap_or_else(|| {
            self.changed.push((index, self.block[index].clone()));
            self.changed.len() - 1
        });
        &mut self.changed[at].1
    }

    /// What it adds, which is less than `most`.
    fn place(&mut self, entry: Entry, most: f64) -> Option<f64> {
        let (ground, mut best) = (self.ground, None);
        let mut least = most;
        for index in (0..self.block.len()).filter(|&index| index != self.center) {
            let class = self.at(index);
            if class.adds_at_least(entry.n_rows) >= least {
                continue;
            }
            let n_rows = f64::from(class.n_rows + entry.n_rows);
            let limit = (least + class.loss()) / n_rows;
            let cost = class.cost_below(ground, entry.unit, limit);
            if cost < limit && ground.holds_with(class, entry) {
                (least, best) = (n_rows * cost - class.loss(), Some(index));
            }
        }
        self.change(best?).add(ground, entry);
        Some(least)
    }

    /// Fills the class up; the classes that change, if they lose less.
    fn finish(mut self) -> Option<Vec<(usize, Class)>> {
        let ground = self.ground;
        let before: f64 = self.changed.iter().map(|(at, _)| self.block[*at].loss()).sum();
        let after: f64 = self.changed.iter().map(|(_, class)| class.loss()).sum();
        let mut gain = self.block[self.center].loss() + before - after - self.kept.loss();
        while self.kept.n_rows < ground.k {
            let lacking = ground.k - self.kept.n_rows;
            let Source { saved, index, at, n_rows, .. } = self.best_source(lacking)?;
            let unit = self.at(index).entries[at].unit;
            self.change(index).remove(ground, at, n_rows);
            let loss = self.kept.loss();
            self.kept.add(ground, Entry { unit, n_rows });
            gain += saved - (self.kept.loss() - loss);
        }
        if gain <= GAIN || !ground.holds(&self.kept.entries) {
            return None;
        }
        if !self.changed.iter().all(|(_, class)| ground.holds(&class.entries)) {
            return None;
        }
        self.changed.push((self.center, self.kept));
        Some(self.changed)
    }

    /// The rows of another class that gain most for each when they come in.
    fn best_source(&self, lacking: u32) -> Option<Source> {
        let ground = self.ground;
        let mut best: Option<Source> = None;
        let kept = &self.kept;
        for index in (0..self.block.len()).filter(|&index| index != self.center) {
            let class = self.at(index);
            let spare = class.n_rows.saturating_sub(ground.k).min(lacking);
            if spare == 0 {
                continue;
            }
            for (at, entry) in class.entries.iter().enumerate() {
                let n_rows = entry.n_rows.min(spare);
                let rest = self.without(class, at, n_rows);
                let saved = class.loss() - f64::from(class.n_rows - n_rows) * rest;
                let most = saved / f64::from(n_rows);
                let least = best.map_or(f64::NEG_INFINITY, |best| best.gain);
                // Inside the box nobody costs less than the box does.
                if most - kept.extent.cost <= least {
                    continue;
                }
                let n_after = f64::from(kept.n_rows + n_rows);
                let limit = (saved + kept.loss() - least * f64::from(n_rows)) / n_after;
                let cost = kept.cost_below(ground, entry.unit, limit);
                if cost >= limit {
                    continue;
                }
                let gain = (saved - (n_after * cost - kept.loss())) / f64::from(n_rows);
                if gain > least {
                    best = Some(Source { gain, saved, index, at, n_rows });
                }
            }
        }
        best
    }

    /// The cost of a class without some rows of an entry.
    fn without(&self, class: &Class, at: usize, n_rows: u32) -> f64 {
        if n_rows == class.entries[at].n_rows && class.entries.len() > 1 {
            let Extent { cost, .. } = class.without(self.ground, at);
            cost
        } else {
            class.extent.cost
        }
    }
}

//! Rows of a class that are dropped together: where several stand far out, nothing is gained until the last
//! of them is gone.
//!
//! The entries of a class are put in a line, from a core outwards. Each beginning of the line is what may
//! stay of the class; the rest would be dropped.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::class::{Class, Entries, Entry, Ground};
use super::classes::Classes;
use super::pass::GAIN;
use crate::extent::Extent;

/// How many units are tried as a core: those of the most rows.
const CORES: usize = 8;

/// How many beginnings are asked at most whether they keep every promise.
const ASKED: usize = 8;

/// How often what may still be dropped is shared out.
const ROUNDS: usize = 8;

/// What stays of a class.
pub(super) struct Rest {
    pub(super) entries: Entries,
    n_dropped: u32,
    // What is saved beyond the price of the rows dropped.
    gain: f64,
}

impl Rest {
    fn gain_per_row(&self) -> f64 {
        self.gain / f64::from(self.n_dropped)
    }
}

/// What stays of a class when rows far out are dropped, if that saves more than `price` for each; `limit` rows
/// at most are dropped. What stays keeps every promise.
pub(super) fn without_outliers(
    ground: &Ground<'_, '_>,
    class: &Class,
    price: f64,
    limit: u32,
) -> Option<Rest> {
    let limit = limit.min(class.n_rows.saturating_sub(ground.k));
    if limit == 0 || class.entries.len() < 2 || class.loss() <= price + GAIN {
        return None;
    }
    let mut cores = class.entries.to_vec();
    cores.sort_by_key(|core| (Reverse(core.n_rows), core.unit));
    cores.truncate(CORES);
    let mut rests: Vec<Rest> = Vec::new();
    for core in cores {
        add_beginnings(ground, class, core, (price, limit), &mut rests);
    }
    rests.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    rests.into_iter().take(ASKED).find(|rest| ground.holds(&rest.entries))
}

/// Adds the beginnings of the line from a core outwards that gain.
fn add_beginnings(
    ground: &Ground<'_, '_>,
    class: &Class,
    core: Entry,
    (price, limit): (f64, u32),
    rests: &mut Vec<Rest>,
) {
    let codes = |entry: &Entry| ground.units.codes(entry.unit);
    let far = |entry: &Entry| ground.space.distance(codes(&core), codes(entry));
    let mut line: Vec<(f64, Entry)> = class.entries.iter().map(|e| (far(e), *e)).collect();
    // Of those equally far the units of the most rows stay longest.
    let by_rows = |entry: &Entry| (Reverse(entry.n_rows), entry.unit);
    line.sort_by(|(a, one), (b, other)| a.total_cmp(b).then(by_rows(one).cmp(&by_rows(other))));
    let mut extent = Extent::of(codes(&core));
    let mut n_rows = 0;
    for (at, (_, entry)) in line.iter().enumerate() {
        extent.grow(&ground.space, codes(entry));
        n_rows += entry.n_rows;
        let n_dropped = class.n_rows - n_rows;
        if n_dropped == 0 {
            return;
        }
        let loss = f64::from(n_rows) * extent.cost + f64::from(n_dropped) * price;
        let gain = class.loss() - loss;
        if n_dropped <= limit && gain > GAIN {
            let entries = line[..=at].iter().map(|(_, entry)| *entry).collect();
            rests.push(Rest { entries, n_dropped, gain });
        }
    }
}

/// Drops rows far out of the classes where that gains most for each row, `limit` at most.
pub(super) fn share_out(ground: &Ground<'_, '_>, mut classes: Classes, mut limit: u32) -> Classes {
    for _ in 0..ROUNDS {
        let found = (0..classes.len()).into_par_iter().filter_map(|at| {
            let rest = without_outliers(ground, &classes.get(ground, at), 1.0, limit)?;
            Some((at, rest))
        });
        let mut found: Vec<(usize, Rest)> = found.collect();
        if found.is_empty() {
            break;
        }
        found.sort_by(|(_, a), (_, b)| b.gain_per_row().total_cmp(&a.gain_per_row()));
        found.retain(|(_, rest)| {
            let fits = rest.n_dropped <= limit;
            limit -= if fits { rest.n_dropped } else { 0 };
            fits
        });
        found.sort_unstable_by_key(|(at, _)| *at);
        let mut found = found.into_iter().peekable();
        let mut next = Classes::default();
        for at in 0..classes.len() {
            match found.next_if(|(of, _)| *of == at) {
                Some((_, rest)) => next.push(&rest.entries),
                None => next.push(classes.entries(at)),
            }
        }
        classes = next;
    }
    classes
}

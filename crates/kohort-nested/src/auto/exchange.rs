//! The exchange: records take each other's places in turn, around a circle of classes or from a record that is left
//! out to another.

use kohort_core::Ctx;
use rayon::prelude::*;

use super::classes::Classes;
use super::wishes::{Change, Wishes, refresh};
use crate::costs::Cost;
use crate::{Representative, Scratch};

/// How many places are tried for each record of a circle: fewer for those that come later.
const BREADTH: [usize; 5] = [16, 8, 4, 2, 0];

/// A round that gains less than one in so many of what all classes cost is the last.
const LEAST_GAIN: Cost = 4_000;

/// Records that take each other's places.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Exchange {
    // What is gained, as a number below zero.
    delta: Cost,
    // Each record that moves, and whose place it takes: the last is left out where the first was.
    moves: Vec<(u32, u32)>,
}

/// What every record wishes, and what happened since.
pub(super) struct Search {
    wishes: Vec<Wishes>,
    changes: Vec<Change>,
}

impl Search {
    /// Nobody was asked yet.
    pub(super) fn new(classes: &Classes<'_>) -> Self {
        Self {
            wishes: vec![Wishes::default(); classes.n_records()],
            changes: vec![Change::All; classes.all.len()],
        }
    }

    /// Classes are others than those that were looked at.
    pub(super) fn changed(&mut self, classes: impl IntoIterator<Item = u32>) {
        classes.into_iter().for_each(|at| self.changes[at as usize] = Change::All);
    }

    /// Lets records change places while somebody gains, for at most so many rounds.
    pub(super) fn improve(
        &mut self,
        ctx: &Ctx<'_>,
        classes: &mut Classes<'_>,
        near: &[Vec<u32>],
        n_rounds: usize,
    ) {
        for round in 0..n_rounds {
            ctx.progress("exchanges", round as u64, n_rounds as u64);
            if ctx.should_stop() {
                return;
            }
            refresh(classes, near, &self.changes, &mut self.wishes);
            let mut found: Vec<Exchange> = (0..self.wishes.len())
                .into_par_iter()
                .filter_map(|start| best(classes, &self.wishes, start))
                .collect();
            found.sort_unstable();
            let before = classes.cost();
            self.changes = apply(classes, &found);
            if before - classes.cost() <= before / LEAST_GAIN {
                return;
            }
        }
    }
}

/// Makes the exchanges, the best first, each class at most once; tells what changed.
fn apply(classes: &mut Classes<'_>, found: &[Exchange]) -> Vec<Change> {
    let mut changes = vec![Change::Nothing; classes.all.len()];
    let (mut moves, mut out) = (Vec::new(), Vec::new());
    for exchange in found {
        // Whoever takes the place of a record that is left out is left out.
        let class_of = |of: u32| classes.class_of(of).map(|(at, _)| at as usize);
        let mut touched = exchange.moves.iter().filter_map(|&(_, of)| class_of(of));
        if touched.any(|at| changes[at] != Change::Nothing) {
            continue;
        }
        for &(by, old) in &exchange.moves {
            if let Some(at) = class_of(old) {
                changes[at] = Change::Replaced { old, by };
                moves.push((by, old));
            } else {
                out.push(by);
            }
        }
    }
    let this = &*classes;
    let changed: Vec<(u32, Representative)> = moves
        .par_iter()
        .map_init(Scratch::default, |scratch, &(record, of)| {
            let (at, class) = this.class_of(of)?;
            let rest = this.without(of, scratch)?;
            Some((at, this.pairs(class.n_members())?.merge(rest, record, scratch)?))
        })
        .map(|changed| changed.expect("what a record adds in this place is known"))
        .collect();
    let rests: Vec<_> = moves.iter().map(|&(_, of)| classes.take_rest(of)).collect();
    for ((at, class), (&(record, _), rest)) in changed.into_iter().zip(moves.iter().zip(rests)) {
        classes.put(at, class);
        classes.give_rest(record, rest);
    }
    for record in out {
        classes.put_out(record);
    }
    changes
}

/// The exchange that begins with a record and gains most.
fn best(classes: &Classes<'_>, wishes: &[Wishes], start: usize) -> Option<Exchange> {
    let start = u32::try_from(start).expect("records are numbered by u32");
    let mut circle =
        Circle { classes, wishes, start, moves: Vec::new(), best: Exchange::default() };
    circle.extend(start, 0);
    (circle.best.delta < 0).then_some(circle.best)
}

/// The search for an exchange. Of those that gain, one of the records to begin with gains at every step before
/// the last: no other ways are followed.
struct Circle<'a> {
    classes: &'a Classes<'a>,
    wishes: &'a [Wishes],
    start: u32,
    moves: Vec<(u32, u32)>,
    best: Exchange,
}

impl Circle<'_> {
    /// Moves one more record, when `delta` has been gained by those before.
    fn extend(&mut self, record: u32, delta: Cost) {
        let Wishes { leaving, places, .. } = &self.wishes[record as usize];
        let mut n_tried = 0;
        for place in places {
            kohort_core::alive();
            let delta = delta + place.added - leaving;
            if 0 <= delta {
                break;
            }
            self.moves.push((record, place.of));
            if place.of == self.start {
                self.close(delta);
            } else if self.is_first(place.of) {
                if self.classes.is_out(self.start) {
                    self.leave_out(place.of, delta);
                }
                if n_tried < BREADTH[self.moves.len() - 1] {
                    n_tried += 1;
                    self.extend(place.of, delta);
                }
            }
            self.moves.pop();
        }
    }

    /// Keeps the moves if none gained more.
    fn close(&mut self, delta: Cost) {
        if delta < self.best.delta {
            self.best = Exchange { delta, moves: self.moves.clone() };
        }
    }

    /// Leaves a record out in the place of the first.
    fn leave_out(&mut self, record: u32, delta: Cost) {
        let delta = delta + self.classes.of_lost(record) - self.wishes[record as usize].leaving;
        self.moves.push((record, self.start));
        self.close(delta);
        self.moves.pop();
    }

    /// Whether the circle comes to a class for the first time.
    fn is_first(&self, record: u32) -> bool {
        let class = |record: u32| self.classes.of_record[record as usize];
        let at = class(record);
        self.moves.iter().all(|&(other, _)| class(other) != at)
    }
}

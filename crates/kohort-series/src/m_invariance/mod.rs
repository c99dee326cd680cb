//! m-invariance: classes of different values, and everybody in classes of the same values as before.
//!
//! # Guarantee
//! After a series that is m-invariant, the release is m-unique and everybody in it has the signature of
//! the last release the person was in.
//!
//! # Method
//! 1. Division, balancing and assignment: a bucket for each signature, with as many rows of each of its
//!    values, some of them counterfeits (see `buckets`).
//! 2. Partition: while a bucket has more than `NEAR` rows of each value, sort the rows of each value by a
//!    quasi-identifier and cut them all at the same place: the quasi-identifier and the place with the
//!    least loss on both sides.
//! 3. The classes of what is left, one row of each value, by further cuts or by what is nearest (see
//!    `nearest`), whichever loses less.
//! 4. Classes of a bucket that are near exchange their rows of a value where that loses less (see
//!    `exchange`).
//!
//! # Notation
//! S⁻ → `waiting`, α → `alpha`, β → `beta`, γ → the total of the counts.
//!
//! # Cost
//! O(d² n log n), d quasi-identifiers, and O(v) for each of O(v) steps of assignment and each signature, v
//! values. Exchanges are O(d n) for classes of a fixed size.
//!
//! # Deviations
//! - People whose value is too frequent fill short slots before they are held back or surrounded by
//!   counterfeits; the paper asks for S⁻ that is m-eligible.
//! - Who fills a slot or is assigned is drawn from the secret among those with the value.
//! - Of more than 16 rows of a value, each side of a cut gets a quarter.
//! - People who come are put into signatures there are before other signatures begin, classes exchange rows
//!   (step 4), and near rows need not be found by cuts (step 3): none is in the paper. Loss grows less over
//!   releases so, and is less where quasi-identifiers have no order.
//!
//! # References
//! Xiao, Tao: m-Invariance, SIGMOD 2007.

#[cfg(test)]
mod tests;

use kohort_core::{ABSENT, Ctx, Spec};
use kohort_models::series::MInvariance;

use crate::buckets::{Bucket, NOBODY, Surplus, buckets};
use crate::exchange::{exchange, loss};
use crate::nearest::nearest;
use crate::partition::cuts;
use crate::rows::Rows;
use crate::{Counterfeit, Failure, Next, SeriesMethod, Turn};

/// As many rows of each value are looked at together.
const NEAR: usize = 128;

/// The maker of m-invariant series.
#[derive(Clone, Copy, Debug)]
pub struct MInvariantMaker {
    /// What is promised.
    pub model: MInvariance,
    /// What becomes of people with a value that is too frequent.
    pub surplus: Surplus,
}

impl SeriesMethod for MInvariantMaker {
    fn spec(&self) -> &'static Spec {
        &MInvariance::SPEC
    }

    fn make(&self, ctx: &Ctx<'_>, turn: &Turn<'_>) -> Result<Next, Failure> {
        let rows = Rows::new(turn);
        let buckets = buckets(turn, &rows, self.model.m(), self.surplus, false)?;
        classes_of(ctx, turn, &rows, &buckets)
    }
}

/// The release of these buckets.
pub(crate) fn classes_of(
    ctx: &Ctx<'_>,
    turn: &Turn<'_>,
    rows: &Rows,
    buckets: &[Bucket],
) -> Result<Next, Failure> {
    let mut classes = Classes::new(turn);
    for (done, bucket) in (0..).zip(buckets) {
        ctx.progress("dividing signatures into classes", done, buckets.len() as u64);
        let line = divided(turn, rows, &bucket.slots);
        for class in line {
            classes.add(bucket.signature.iter().copied().zip(class));
        }
    }
    classes.next(turn)
}

/// Steps 2 to 4: classes of one row of each slot.
fn divided(turn: &Turn<'_>, rows: &Rows, slots: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut line: Vec<Vec<u32>> = Vec::new();
    let mut parts = vec![slots.to_vec()];
    while let Some(part) = parts.pop() {
        if part[0].len() <= NEAR {
            line.extend(of_near(turn, rows, part));
        } else {
            let cut = cuts(turn.space, rows, &part, 1).into_iter().next();
            parts.extend(cut.expect("a part of many rows can be cut").sides);
        }
    }
    exchange(turn.space, rows, &mut line);
    line
}

/// Step 3: the classes of a part by cuts or by what is nearest.
fn of_near(turn: &Turn<'_>, rows: &Rows, part: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let by_nearest = nearest(turn.space, rows, &part);
    let mut by_cuts: Vec<Vec<u32>> = Vec::new();
    let mut parts = vec![part];
    while let Some(part) = parts.pop() {
        match cuts(turn.space, rows, &part, 1).into_iter().next() {
            Some(cut) => parts.extend(cut.sides),
            None => by_cuts.push(part.concat()),
        }
    }
    let loss = |classes: &[Vec<u32>]| loss(turn.space, rows, classes);
    if loss(&by_nearest) < loss(&by_cuts) { by_nearest } else { by_cuts }
}

/// The classes of a release as they are made.
pub(crate) struct Classes {
    n: u32,
    next: Next,
}

impl Classes {
    pub(crate) fn new(turn: &Turn<'_>) -> Self {
        Self { n: 0, next: Next::of_classes(vec![ABSENT; turn.data.n_rows()]) }
    }

    /// Adds a class of these values and rows.
    pub(crate) fn add(&mut self, members: impl IntoIterator<Item = (u32, u32)>) {
        let class = self.n;
        self.n += 1;
        for (value, row) in members {
            if row == NOBODY {
                let id = self.next.counterfeits.len();
                let id = u32::try_from(id).expect("fewer counterfeits than rows");
                self.next.counterfeits.push(Counterfeit { class, value, id });
            } else {
                self.next.class_of_row[row as usize] = class;
            }
        }
    }

    /// The release, if anybody is in it.
    pub(crate) fn next(mut self, turn: &Turn<'_>) -> Result<Next, Failure> {
        if self.n == 0 && turn.data.n_rows() > 0 {
            return Err(Failure::infeasible(
                "nobody can be published: too few different values, or one of them too often",
            ));
        }
        let why = "their values are too frequent among those with whom they can be published";
        self.next.tell_held_back(why);
        Ok(self.next)
    }
}

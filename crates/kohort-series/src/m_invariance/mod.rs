//! m-invariance: classes of different values, and everybody in classes of the same values as before.
//!
//! # Guarantee
//! After a series that is m-invariant, the release is m-unique and everybody in it has the signature of
//! the last release the person was in.
//!
//! # Method
//! Where signatures are chosen by how often values occur: division, balancing and assignment put rows into buckets
//! (see `buckets`), and every bucket is divided as below.
//!
//! Where they are chosen by who is near whom:
//! 1. Division (`kept`): whoever was last seen in the same class begins a class of the same signature, with a
//!    gap for each value that nobody there has any more. Everybody else comes anew. Classes of a signature are
//!    joined, or all rows of it divided anew, where that costs less than the gaps that go.
//! 2. Balancing (`fill`): people who come fill the gaps where they are near, as long as the others can be
//!    published with each other. Gaps that stay are counterfeits.
//! 3. Assignment (`anew`): the others are in classes that are near, with whatever signatures these have: `auto`
//!    makes classes in which no value is too frequent, and each is parted into classes of different values.
//! 4. Classes that are near exchange rows where that loses less and nobody's signature changes (`trade`).
//!
//! Rows of a signature are divided so: while there are more than `NEAR` rows of each value, the rows of
//! each value are sorted by a quasi-identifier and all cut at the same place, the quasi-identifier and the place
//! with the least loss on both sides; what is left is divided by further cuts or by what is nearest (see
//! `nearest`), whichever loses less, and exchanges its rows (see `exchange`).
//!
//! # Cost
//! `auto` of those who come, and O(d n log n) beside it for classes of a fixed size, d quasi-identifiers.
//!
//! # Deviations
//! - In the paper, signatures are chosen by how often each value occurs, and quasi-identifiers are looked at
//!   within a signature alone. Chosen by quasi-identifiers, the first release loses no more than `auto` with
//!   frequency l-diversity, l = m, where it loses two to five times as much otherwise. There are more signatures
//!   so, and more counterfeits later; and somebody who knows the method and makes the release again may believe a
//!   value with more than 1/m.
//! - In the paper, people who come always fill gaps while they can. By who is near whom, only where they are
//!   near: a gap is worth half of what the others of its class could lose.
//! - People whose value is too frequent fill gaps before they are held back or surrounded by counterfeits; the
//!   paper asks for S⁻ that is m-eligible. Who of several is held back is drawn from the secret.
//!
//! # References
//! Xiao, Tao: m-Invariance, SIGMOD 2007.

mod anew;
mod fill;
mod kept;
#[cfg(test)]
mod tests;
mod trade;

use kohort_algorithms::Draw;
use kohort_core::{ABSENT, Ctx, Spec};
use kohort_models::series::MInvariance;

use self::anew::{Asked, anew};
use self::fill::fill;
use self::kept::{Divided, divide, settled};
use self::trade::trade;
use crate::buckets::{Bucket, NOBODY, Surplus, buckets};
use crate::exchange::{exchange, loss};
use crate::nearest::nearest;
use crate::partition::cuts;
use crate::rows::Rows;
use crate::{Counterfeit, Failure, Next, SeriesMethod, Turn};

/// As many rows of each value are looked at together.
const NEAR: usize = 128;

/// The maker of m-invariant series whose signatures are chosen by how often values occur.
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
        by_buckets(ctx, turn, self.model.m(), self.surplus)
    }
}

/// The maker of m-invariant series whose signatures are chosen by who is near whom. It loses much less, and tells
/// more to somebody who knows the method and makes the release again.
#[derive(Clone, Copy, Debug)]
pub struct NearMInvariantMaker {
    /// What is promised.
    pub model: MInvariance,
    /// What becomes of people with a value that is too frequent.
    pub surplus: Surplus,
}

impl SeriesMethod for NearMInvariantMaker {
    fn spec(&self) -> &'static Spec {
        &MInvariance::SPEC
    }

    fn make(&self, ctx: &Ctx<'_>, turn: &Turn<'_>) -> Result<Next, Failure> {
        let rows = Rows::new(turn);
        let mut draw = Draw::hidden(turn.secret);
        let Divided { kept, mut waiting } = divide(turn, &rows, &mut draw)?;
        let m = self.model.m() as usize;
        let mut classes = settled(ctx, turn, &rows, (kept, m));
        fill((turn.space, &rows), &mut classes, &mut waiting, (m, turn.data.n_rows()));
        let asked = Asked { m: self.model.m(), surplus: self.surplus, seed: draw.bits() };
        classes.extend(anew(ctx, turn, &rows, waiting, &asked)?);
        let is_new = |&person: &u32| turn.history.last_class(person).is_none();
        let is_new: Vec<bool> = turn.person_of_row.iter().map(is_new).collect();
        let classes = trade(ctx, (turn.space, &rows), classes, &is_new, &mut draw);
        let mut made = Classes::new(turn);
        for class in classes {
            made.add(class.signature.into_iter().zip(class.rows));
        }
        made.next(turn)
    }
}

/// A class as it is made: its values, and a row for each, or nobody.
#[derive(Clone, Debug, Default)]
struct Class {
    signature: Vec<u32>,
    rows: Vec<u32>,
}

impl Class {
    /// Puts the values in ascending order.
    fn sort(&mut self) {
        let mut members: Vec<(u32, u32)> =
            self.signature.iter().copied().zip(self.rows.iter().copied()).collect();
        members.sort_unstable();
        (self.signature, self.rows) = members.into_iter().unzip();
    }
}

/// The release where every signature is a bucket, and as few classes as there can be are made of it: for
/// histories in which everybody has one of few signatures.
pub(crate) fn by_buckets(
    ctx: &Ctx<'_>,
    turn: &Turn<'_>,
    m: u32,
    surplus: Surplus,
) -> Result<Next, Failure> {
    let rows = Rows::new(turn);
    let buckets = buckets(turn, &rows, m, surplus, false)?;
    classes_of(ctx, turn, &rows, &buckets)
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

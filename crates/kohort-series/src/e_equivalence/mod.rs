//! e-equivalence: everybody with one signature in one class, and in smaller ones only while comparing
//! releases shows nothing of few people.
//!
//! # Guarantee
//! After a series that keeps e-equivalence, the release keeps it: the graph of each signature and each
//! earlier release has no cut of 1 to 2e − 1 edges (see the model, also for what it does not promise).
//!
//! # Method
//! 1. Division, balancing and assignment as for m-invariance (see `buckets`). A bucket is a class.
//! 2. A class needs 2e rows. Compared with an earlier release, what parts the class from "out" are its
//!    rows that were not there, and of each class there the smaller of what stayed and what left. Where
//!    that is neither 0 nor 2e or more, or rows are missing, add a counterfeit of each value until it is.
//! 3. Cut a class as in m-invariance, if each side has 2e rows, and if for every earlier release the
//!    sides stay joined by 2e edges or become parted by none: a class of that release joins the sides by
//!    the smaller of what it has of either, and so does "out".
//! 4. If the cut with the least loss is not allowed, take the next best, one for each quasi-identifier.
//!
//! Step 3 keeps the promise: a cut of the graph either leaves the sides together, and was there before,
//! or parts them, and then has no fewer edges than join them.
//!
//! # Notation
//! e → `model.e()`, OUT → whoever has no class in the earlier release.
//!
//! # Cost
//! As m-invariance, and O(n) for each earlier release and each of O(log n) cuts of a row's class.
//!
//! # Deviations
//! - The paper is not at hand: reconstructed from its abstract and Abdalaal 2012.
//! - Paths through more than one class also join two sides; they are not looked for, so that a class may
//!   stay larger than it must.
//!
//! # References
//! He, Barman, Naughton: Preventing Equivalence Attacks in Updated, Anonymized Data, ICDE 2011.
//! Abdalaal, Privacy Preserving Data Publishing with Multiple Sensitive Attributes, 2012.

#[cfg(test)]
mod tests;

use kohort_core::{Ctx, SeriesRelease, Spec};
use kohort_models::series::EEquivalence;

use crate::buckets::{Bucket, NOBODY, Surplus, buckets};
use crate::m_invariance::Classes;
use crate::partition::{Cut, cuts};
use crate::rows::Rows;
use crate::{Failure, Next, SeriesMethod, Turn};

/// The maker of series that keep e-equivalence.
#[derive(Clone, Copy, Debug)]
pub struct EEquivalentMaker {
    /// What is promised.
    pub model: EEquivalence,
    /// What becomes of people with a value that is too frequent.
    pub surplus: Surplus,
}

impl SeriesMethod for EEquivalentMaker {
    fn spec(&self) -> &'static Spec {
        &EEquivalence::SPEC
    }

    fn make(&self, ctx: &Ctx<'_>, turn: &Turn<'_>) -> Result<Next, Failure> {
        let least = 2 * self.model.e() as usize;
        let rows = Rows::new(turn);
        let mut buckets = buckets(turn, &rows, self.model.m(), self.surplus, false)?;
        let mut earlier = Earlier::all(turn, least)?;
        let mut classes = Classes::new(turn);
        let n_buckets = buckets.len() as u64;
        for (done, bucket) in (0..).zip(&mut buckets) {
            ctx.progress("dividing signatures into classes", done, n_buckets);
            enlarge(bucket, &mut earlier, least);
            let least_of_value = least.div_ceil(bucket.signature.len());
            let mut parts = vec![std::mem::take(&mut bucket.slots)];
            while let Some(part) = parts.pop() {
                let mut cuts = cuts(turn.space, &rows, &part, least_of_value).into_iter();
                let fits = |cut: &Cut| earlier.iter_mut().all(|e| e.allows(&cut.sides, least));
                if let Some(cut) = cuts.find(fits) {
                    parts.extend(cut.sides);
                } else {
                    let of_value = bucket.signature.iter().zip(&part);
                    classes.add(
                        of_value
                            .flat_map(|(&value, slot)| slot.iter().map(move |&row| (value, row))),
                    );
                }
            }
        }
        classes.next(turn)
    }
}

/// Step 2.
fn enlarge(bucket: &mut Bucket, earlier: &mut [Earlier<'_>], least: usize) {
    let is_small = |n: usize| 0 < n && n < least;
    while bucket.slots.iter().map(Vec::len).sum::<usize>() < least
        || earlier.iter_mut().any(|earlier| is_small(earlier.change(&bucket.slots)))
    {
        bucket.slots.iter_mut().for_each(|slot| slot.push(NOBODY));
    }
}

/// An earlier release as the rows of the table see it.
struct Earlier<'a> {
    release: &'a SeriesRelease,
    // The class of each row; one more than the last for those who have none.
    class_of_row: Vec<u32>,
    // How many rows of two sides have each class; 0 when nothing is being counted.
    counts: Vec<[usize; 2]>,
}

impl<'a> Earlier<'a> {
    /// Every earlier release, if their classes are large enough.
    fn all(turn: &Turn<'a>, least: usize) -> Result<Vec<Self>, Failure> {
        let releases = turn.history.releases.iter();
        let n_small = (releases.clone().flat_map(|release| &release.classes))
            .filter(|class| class.values.len() < least)
            .count();
        if n_small > 0 {
            return Err(Failure::infeasible(format!(
                "{n_small} classes of earlier releases have fewer than {least} rows: what leaves \
                 them shows which people share a value, whatever is published next"
            )));
        }
        let of = |release: &'a SeriesRelease| {
            let n_classes = release.classes.len();
            let out = u32::try_from(n_classes).expect("classes are counted in u32");
            let class = |&person: &u32| release.class_of(person).unwrap_or(out);
            let class_of_row = turn.person_of_row.iter().map(class).collect();
            Self { release, class_of_row, counts: vec![[0; 2]; n_classes + 1] }
        };
        Ok(releases.map(of).collect())
    }

    /// The classes that rows of two sides have, each with the numbers of its rows on either.
    fn counted(&mut self, sides: [&[Vec<u32>]; 2]) -> Vec<(usize, [usize; 2])> {
        let out = self.release.classes.len();
        let mut found = Vec::new();
        for (side, slots) in sides.into_iter().enumerate() {
            for &row in slots.iter().flatten() {
                let class = match row {
                    NOBODY => out,
                    _ => self.class_of_row[row as usize] as usize,
                };
                if self.counts[class] == [0; 2] {
                    found.push(class);
                }
                self.counts[class][side] += 1;
            }
        }
        found.into_iter().map(|class| (class, std::mem::take(&mut self.counts[class]))).collect()
    }

    /// The number of rows of a class; none for "out".
    fn size(&self, class: usize) -> Option<usize> {
        self.release.classes.get(class).map(|class| class.values.len())
    }

    /// How many edges part a signature, as one class, from "out".
    fn change(&mut self, slots: &[Vec<u32>]) -> usize {
        let counted = self.counted([slots, &[]]);
        let part = |&(class, [stayed, _]): &(usize, [usize; 2])| match self.size(class) {
            Some(size) => stayed.min(size - stayed),
            None => stayed,
        };
        counted.iter().map(part).sum()
    }

    /// Step 3: whether two sides are joined by as much, or parted by nothing.
    fn allows(&mut self, sides: &[Vec<Vec<u32>>; 2], least: usize) -> bool {
        let counted = self.counted([&sides[0], &sides[1]]);
        let joined: usize = counted.iter().map(|(_, [a, b])| a.min(b)).sum();
        // A side that has all of its classes, and nothing else.
        let is_closed = |side: usize| {
            let with_rows = counted.iter().filter(|(_, counts)| counts[side] > 0);
            with_rows.into_iter().all(|&(class, counts)| self.size(class) == Some(counts[side]))
        };
        joined >= least || is_closed(0) || is_closed(1)
    }
}

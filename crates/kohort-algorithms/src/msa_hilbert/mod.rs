//! MSA diversity: near rows of which no two agree on any sensitive attribute, along the Hilbert curve.
//!
//! # Guarantee
//! No value of any sensitive attribute fills more than 1/l of a class (l-mdiversity), and every class
//! keeps every other promise. If a release does that without suppression, one is found. Classes are
//! SA-distinct (no two rows agree on a sensitive attribute) unless a note says otherwise.
//!
//! # Method
//! 1. Sort the rows along the Hilbert curve.
//! 2. Rows wait in a window (`window.rs`, `slots.rs`). Whenever l of them are found of which no two
//!    agree, they are a class: one after another the row with most critical values, then the one that
//!    agrees with fewest others, then the earliest. A value is critical when every further class must
//!    have it, or rows are left over: if no row that waits has it, one is borrowed from further along.
//! 3. When the window is full, an exact search looks for a class with the oldest row: a matching for two
//!    sensitive attributes, else by trying.
//! 4. If there is none: m · l rows, of the window and then of those ahead, with each value in at most m
//!    of them, for the least m ≥ 2 that succeeds. Such a class is l-mdiverse too. Else the row is left
//!    over.
//! 5. Rows that are left over go through a longer window once more; are added to a near class where they
//!    agree with nobody; or take the place of a row that fits into another (`residue.rs`).
//! 6. The last rows are united with near classes that together have room for them, or suppressed where
//!    they may be and that loses less (`published.rs`).
//! 7. Join classes that break another promise with their neighbors.
//!
//! # Notation
//! W → `Window`, Wmax → `WINDOW` · l, residue → `aside`.
//!
//! # Cost
//! O(n log n) for the order, O(n · Wmax · (l + d)) for the window, a look at a fixed number of classes for
//! each row of step 5; O(n · d) memory.
//!
//! # Deviations
//! - Figure 13 picks the row that agrees with most others; its worked example drops that row. The
//!   example is followed.
//! - Borrowing for critical values, step 4 and uniting classes are ours: with several attributes few rows
//!   are SA-distinct, and a class in which no value fills more than 1/l keeps the same promise.
//! - Rows with equal quasi-identifiers are mixed, so that those with equal values are not in a row.
//!
//! # References
//! Abdalaal 2012, §5.5; figure 13 read with its worked example.

mod published;
mod residue;
mod slots;
mod spread;
#[cfg(test)]
pub(crate) mod tests;
mod window;

use kohort_core::{Ctx, Ratio, Spec};

use self::published::Published;
use self::residue::Classes;
pub(crate) use self::spread::Spread;
use crate::hilbert::line;
use crate::repair::repair;
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "msa-hilbert",
    title: "MSA diversity along the Hilbert curve",
    paper: "Abdalaal 2012, §5.5",
    promise: "no value of any sensitive attribute fills more than 1/l of a class",
    parameters: &[],
};

/// As many rows wait for each row of a class.
const WINDOW: usize = 8;

/// MSA diversity.
pub(crate) struct MsaHilbert;

impl Algorithm for MsaHilbert {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::PLAIN
    }

    fn anonymize(&self, _: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let spread = Spread::of(problem, SPEC.id)?;
        let groups = grouped(problem, &spread)?;
        let mut candidate = Candidate::of_groups(problem, &groups);
        candidate.notes.extend(note(&spread, &groups));
        Ok(candidate)
    }
}

/// The rows of every class; those in none are suppressed.
pub(crate) fn grouped(
    problem: &Problem<'_>,
    spread: &Spread<'_>,
) -> Result<Vec<Vec<u32>>, Failure> {
    let run = Run::new(problem, spread);
    let line: Vec<u32> = (0..).take(run.line.len()).collect();
    let (classes, aside) = window::classes(&run, &line, WINDOW * run.l);
    let (classes, aside) = place(&run, classes, aside);
    let classes = unite(&run, classes, aside)?;
    let row = |&place: &u32| run.line[place as usize].0;
    let groups = classes.iter().map(|places| places.iter().map(row).collect()).collect();
    repair(problem, groups)
}

/// The rows along the line, and their sensitive values.
struct Run<'p> {
    problem: &'p Problem<'p>,
    // Rows with their points, by place on the line.
    line: Vec<(u32, u32)>,
    l: usize,
    // What each attribute asks for.
    asked: Vec<Ratio>,
    // The values of each place: codes, those of all attributes numbered through.
    values: Vec<u32>,
    n_values: usize,
    n_codes: Vec<usize>,
}

impl<'p> Run<'p> {
    fn new(problem: &'p Problem<'p>, spread: &Spread<'_>) -> Self {
        let line = mixed(line(problem));
        let mut values = Vec::with_capacity(line.len() * spread.asked.len());
        for &(row, _) in &line {
            let mut first = 0;
            for (attribute, _) in &spread.asked {
                values.push(first + attribute.codes().get(row as usize));
                first += attribute.n_codes();
            }
        }
        let n_codes = spread.asked.iter().map(|(attribute, _)| attribute.n_codes() as usize);
        let n_codes: Vec<usize> = n_codes.collect();
        let n_values = n_codes.iter().sum();
        let asked = spread.asked.iter().map(|&(_, l)| l).collect();
        Self { problem, line, l: spread.l, asked, values, n_values, n_codes }
    }

    /// The values of the row at a place.
    #[inline]
    fn values(&self, place: u32) -> &[u32] {
        &self.values[place as usize * self.asked.len()..][..self.asked.len()]
    }

    /// The quasi-identifiers of the row at a place.
    fn codes(&self, place: u32) -> &'p [u32] {
        self.problem.points().codes(self.line[place as usize].1 as usize)
    }

    /// How many of some rows have each value.
    fn counts(&self, places: &[u32]) -> Vec<u32> {
        kohort_core::alive();
        let mut counts = vec![0; self.n_values];
        for &value in places.iter().flat_map(|&place| self.values(place)) {
            counts[value as usize] += 1;
        }
        counts
    }

    /// For each of these values how far some rows are from having too many of it: below 0 if they have.
    fn room(&self, places: &[u32], values: &[u32]) -> Vec<i64> {
        let room = |(at, (&value, l)): (usize, (&u32, &Ratio))| {
            let count = places.iter().filter(|&&place| self.values(place)[at] == value).count();
            let (most, has) = (places.len() as u64 * l.den(), count as u64 * l.num());
            most.cast_signed() - has.cast_signed()
        };
        values.iter().zip(&self.asked).enumerate().map(room).collect()
    }
}

/// The line with the rows of each point in an order that keeps equal values apart: they are sorted by
/// their values, and multiples of the golden ratio come back to none of them soon.
fn mixed(mut line: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut keyed: Vec<(u64, u32)> = Vec::new();
    for rows in line.chunk_by_mut(|a, b| a.1 == b.1) {
        keyed.clear();
        keyed.extend((1_u64..).zip(&*rows).map(|(at, &(row, _))| (at.wrapping_mul(GOLDEN), row)));
        keyed.sort_unstable();
        rows.iter_mut().zip(&keyed).for_each(|(row, &(_, mixed))| row.0 = mixed);
    }
    line
}

/// Step 5: classes with what was left over, and what still is.
fn place<'r>(
    run: &'r Run<'r>,
    mut classes: Vec<Vec<u32>>,
    mut aside: Vec<u32>,
) -> (Classes<'r>, Vec<u32>) {
    aside.sort_unstable();
    let (more, mut aside) = window::classes(run, &aside, 2 * WINDOW * run.l);
    classes.extend(more);
    aside.sort_unstable();
    let mut classes = Classes::new(run, classes);
    aside.retain(|&place| !classes.add(place));
    aside.retain(|&place| !classes.swap(place));
    (classes, aside)
}

/// Step 6: the places of every class; a row that found no room is one of its own.
fn unite(
    run: &Run<'_>,
    mut classes: Classes<'_>,
    mut aside: Vec<u32>,
) -> Result<Vec<Vec<u32>>, Failure> {
    let mut published = Published::new(run);
    published.thin(&mut aside)?;
    let mut alone = Vec::new();
    for place in aside {
        match classes.union(place) {
            // A suppressed row loses 1.
            Some((added, _)) if added > 1.0 && published.may_drop(place) => published.drop(place),
            Some((_, chosen)) => classes.unite(place, &chosen),
            None => alone.push(vec![place]),
        }
    }
    let mut classes = classes.into_places();
    classes.extend(alone);
    if classes.is_empty() {
        return Err(Failure::infeasible("every row would have to be suppressed"));
    }
    Ok(classes)
}

/// What a user should know where classes are not SA-distinct.
fn note(spread: &Spread<'_>, groups: &[Vec<u32>]) -> Option<String> {
    let mut codes: Vec<u32> = Vec::new();
    let mut repeats = |rows: &&Vec<u32>| {
        spread.asked.iter().any(|(attribute, _)| {
            codes.clear();
            codes.extend(rows.iter().map(|&row| attribute.codes().get(row as usize)));
            codes.sort_unstable();
            codes.windows(2).any(|pair| pair[0] == pair[1])
        })
    };
    let n_repeating = groups.iter().filter(|rows| repeats(rows)).count();
    (n_repeating > 0).then(|| {
        format!(
            "{n_repeating} of {} classes are not SA-distinct: a sensitive value is repeated in them, \
             but fills no more than 1/l, which is as safe",
            groups.len()
        )
    })
}

//! Which rows stand alone, and through which columns: special uniques.
//!
//! # Method
//! 1. Sets of one, two and (where it is affordable) three attributes are split as in `subsets`; for
//!    each row the size of its smallest singling set and the number of those are kept.
//! 2. The rows with the smallest and most such sets are the riskiest. For each of them, the attributes
//!    on which it agrees with each other row are collected; a set singles the row out when it lies
//!    within none of these. Sets are grown attribute by attribute, each with the agreements it still
//!    lies within, up to ten attributes in full and beyond that up to four as far as is affordable.
//!
//! # References
//! Elliot, Manning and Ford 2002 (SUDA); Manning, Haglin and Keane 2008 (SUDA2). Step 2 is our own.

use kohort_core::Error;
use rayon::prelude::*;

use crate::AttributeSet;
use crate::partition::{Partition, Scratch};
use crate::projection::{Projection, Suffix};
use crate::set::extremes;

/// How many rows each column and pair of columns makes unique, and the rows most easily singled out.
#[derive(Clone, Debug)]
pub struct Uniques {
    /// For each attribute, the rows that it alone makes unique.
    pub single: Vec<u64>,
    /// For each pair of attributes, the rows that the two make unique.
    pub pairs: Vec<(AttributeSet, u64)>,
    /// Entry `i`: the rows whose smallest singling set has `i + 1` attributes.
    pub by_size: Vec<u64>,
    /// The riskiest rows, worst first.
    pub riskiest: Vec<Singled>,
}

/// A row and the minimal sets of attributes that single it out.
#[derive(Clone, Debug)]
pub struct Singled {
    /// The row, counted from 1.
    pub row: u64,
    /// The minimal sets, smallest first.
    pub sets: Vec<AttributeSet>,
    /// Sets of up to this many attributes were looked for.
    pub looked_up_to: usize,
    /// The SUDA score, scaled so that one column that singles the row out adds 1.
    pub score: f64,
}

/// Splits of rows that are affordable without being asked for.
const AFFORDABLE: u64 = 300_000_000;

/// Looks for rows that stand alone. The projection has no sensitive attributes.
pub fn uniques(projection: &Projection, n_riskiest: usize) -> Result<Uniques, Error> {
    let m = projection.n_quasi();
    AttributeSet::full(m)?;
    let triples = (m * m.saturating_sub(1) * m.saturating_sub(2) / 6) as u64;
    let largest = if triples * projection.len() as u64 <= AFFORDABLE { 3 } else { 2 }.min(m);
    let order = projection.finest_first();
    let later = projection.suffix_classes(&order);
    let search = Search { projection, order: &order, later: &later, largest };
    let found = search.run();
    let mut pairs: Vec<(AttributeSet, u64)> =
        found.counts.iter().filter(|(set, _)| set.len() == 2).copied().collect();
    pairs.sort_by_key(|&(set, _)| set);
    let single = (0..m)
        .map(|attribute| {
            let alone = AttributeSet::EMPTY.with(attribute);
            found.counts.iter().find(|(set, _)| *set == alone).map_or(0, |&(_, count)| count)
        })
        .collect();
    let by_size = (1..=largest)
        .map(|size| found.best.iter().filter(|best| best.size as usize == size).count() as u64)
        .collect();
    let riskiest = riskiest(projection, &found.best, n_riskiest);
    Ok(Uniques { single, pairs, by_size, riskiest })
}

/// The smallest singling sets of one row: their size (0 for none) and number.
#[derive(Clone, Copy, Default)]
struct Best {
    size: u8,
    count: u32,
}

impl Best {
    fn or(self, other: Self) -> Self {
        match (self.size, other.size) {
            (_, 0) => self,
            (0, _) => other,
            (a, b) if a < b => self,
            (a, b) if b < a => other,
            _ => Self { size: self.size, count: self.count + other.count },
        }
    }
}

struct Search<'a> {
    projection: &'a Projection,
    order: &'a [usize],
    later: &'a [Suffix],
    largest: usize,
}

/// The unique rows of each set looked at, and the smallest singling sets of each distinct row.
struct Found {
    counts: Vec<(AttributeSet, u64)>,
    best: Vec<Best>,
}

impl Search<'_> {
    fn run(&self) -> Found {
        let none =
            || Found { counts: Vec::new(), best: vec![Best::default(); self.projection.len()] };
        (0..self.order.len())
            .into_par_iter()
            .map(|at| {
                let mut found = none();
                let mut scratch = Scratch::new(self.projection);
                // A table of one row: it is alone whatever is known.
                let mut alone = 0;
                let whole = Partition::whole(self.projection, &mut |class| {
                    alone = u64::from(class.is_closed() && class.weights[0] == 1);
                    true
                });
                let mut base = Partition::default();
                whole.thin(&self.later[at], &mut scratch, &mut base, &mut |_| {});
                self.extend(&base, AttributeSet::EMPTY, at, alone, &mut scratch, &mut found);
                found
            })
            .reduce(none, |mut a, b| {
                a.counts.extend(b.counts);
                for (best, other) in a.best.iter_mut().zip(b.best) {
                    *best = best.or(other);
                }
                a
            })
    }

    /// Adds the attribute at one position to a set with `alone` unique rows, then later ones.
    fn extend(
        &self,
        partition: &Partition,
        set: AttributeSet,
        at: usize,
        mut alone: u64,
        scratch: &mut Scratch,
        found: &mut Found,
    ) {
        let set = set.with(self.order[at]);
        let here = Best { size: u8::try_from(set.len()).unwrap_or(u8::MAX), count: 1 };
        let mut finer = Partition::default();
        let codes = self.projection.quasi(self.order[at]);
        partition.split(codes, scratch, &mut finer, &mut |class| {
            if class.is_closed() && class.weights[0] == 1 {
                alone += 1;
                let best = &mut found.best[class.rows[0] as usize];
                *best = best.or(here);
            }
            true
        });
        found.counts.push((set, alone));
        if set.len() < self.largest {
            for next in at + 1..self.order.len() {
                self.extend(&finer, set, next, alone, scratch, found);
            }
        }
    }
}

fn riskiest(projection: &Projection, best: &[Best], n: usize) -> Vec<Singled> {
    let mut unique: Vec<usize> =
        (0..projection.len()).filter(|&row| projection.weights()[row] == 1).collect();
    let rank = |&row: &usize| {
        let Best { size, count } = best[row];
        let size = if size == 0 { u8::MAX } else { size };
        (size, u32::MAX - count, projection.first_rows()[row])
    };
    let n = n.min(unique.len());
    if n == 0 {
        return Vec::new();
    }
    if n < unique.len() {
        unique.select_nth_unstable_by_key(n - 1, rank);
        unique.truncate(n);
    }
    let mut singled: Vec<Singled> =
        unique.into_par_iter().map(|row| singled(projection, row)).collect();
    singled.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    singled
}

/// The minimal sets that single out one row that is unique on all attributes together.
fn singled(projection: &Projection, row: usize) -> Singled {
    kohort_core::alive();
    let m = projection.n_quasi();
    let mut agreements = vec![AttributeSet::EMPTY; projection.len()];
    for attribute in 0..m {
        let codes = projection.quasi(attribute);
        let own = codes.get(row);
        let mut sets = agreements.iter_mut();
        codes.for_each(|code| {
            if let Some(set) = sets.next()
                && code == own
            {
                *set = set.with(attribute);
            }
        });
    }
    agreements.swap_remove(row);
    agreements.sort_unstable();
    agreements.dedup();
    let mut growth = Growth { m, largest: 0, found: Vec::new(), work: 0 };
    if agreements.is_empty() {
        growth = Growth { largest: m, found: vec![AttributeSet::EMPTY], ..growth };
    }
    let most = if m <= WIDE { m } else { 4.min(m) };
    // Level by level, as long as the next level is affordable.
    while growth.largest < most && growth.work.saturating_mul(m as u64) <= AFFORDABLE {
        growth = Growth { largest: growth.largest + 1, found: Vec::new(), work: 0, ..growth };
        growth.extend(AttributeSet::EMPTY, 0, &agreements);
    }
    let looked_up_to = growth.largest;
    let mut sets = extremes(growth.found, false);
    sets.sort_by_key(|set| (set.len(), *set));
    let score = sets.iter().map(|set| scaled_factorial(m, set.len())).sum();
    Singled { row: u64::from(projection.first_rows()[row]) + 1, sets, looked_up_to, score }
}

/// Up to this many attributes, the minimal sets of a row are found whatever their size.
const WIDE: usize = 10;

/// Grows sets of attributes until nothing agrees with the row on them.
struct Growth {
    m: usize,
    largest: usize,
    found: Vec<AttributeSet>,
    // The agreements looked at on the last level: what the next level costs per attribute.
    work: u64,
}

impl Growth {
    fn extend(&mut self, set: AttributeSet, from: usize, agreements: &[AttributeSet]) {
        for attribute in from..self.m {
            let larger = set.with(attribute);
            let left: Vec<AttributeSet> =
                agreements.iter().filter(|agreement| agreement.has(attribute)).copied().collect();
            if left.is_empty() {
                self.found.push(larger);
            } else if larger.len() < self.largest {
                self.extend(larger, attribute + 1, &left);
            } else {
                self.work += left.len() as u64;
            }
        }
    }
}

/// (m − s)! / (m − 1)!: what a minimal set of s of m attributes adds to the score.
fn scaled_factorial(m: usize, s: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "at most 64 attributes")]
    ((m - s + 1)..m).map(|factor| 1.0 / factor as f64).product()
}

//! Truthfulness: every released row covers an original row, each original row used at most once, and
//! the cells that are no quasi-identifiers are those of that row, byte for byte; where both files tell, also
//! in how they stand (`1` and `"1"`, `""` and null).
//!
//! # Method
//! 1. Rows of both tables are put in buckets by the cells of all other columns of the release.
//! 2. In a bucket, released rows with equal texts are a box, original rows with equal codes a point.
//! 3. A largest matching between boxes and points leaves over the rows that cover nobody.
//!
//! With a certificate, which names an original row for every released row, each pair is looked at and
//! nothing is searched.
//!
//! A sensitive column that shows more than values (`*`, a node of its taxonomy) is read as cells that must
//! cover the original ones, like those of a quasi-identifier.
//!
//! In an anatomized release sensitive cells belong to a group of rows and not to a row: each group must have
//! those of its original rows (`pooled.rs` says what is decided without a certificate).

use kohort_core::{Cell, Cells, Dataset, Error, Place, Table};
use rayon::prelude::*;

use super::cells::Interval;
use super::index::Index;
use super::matching::{Flow, Wanted};
use super::tables::{Other, Quasi, Side, Tables};

/// What a comparison of a release with its original found.
#[derive(Clone, Debug)]
pub struct Truth {
    n_rows: u64,
    uncovered_rows: u64,
    n_dropped: u64,
    changed: Vec<(String, u64)>,
    nowhere: Vec<(String, Place)>,
    cells: Cells,
    sizes: Vec<u64>,
}

impl Truth {
    /// Whether every released row covers an original row of its own.
    pub fn holds(&self) -> bool {
        self.uncovered_rows == 0
    }

    /// The released rows.
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// The released rows that cover no original row of their own, in the best matching; with a
    /// certificate, those whose claimed row is wrong.
    pub fn uncovered_rows(&self) -> u64 {
        self.uncovered_rows
    }

    /// How many rows fewer than the original the release has.
    pub fn n_dropped(&self) -> u64 {
        self.n_dropped
    }

    /// Columns with cells that cannot stem from the original, and how many. Without a certificate only
    /// what a column shows by itself is counted: values that occur more often than in the original, or in
    /// an anatomized group than in the rows it may be of, and cells that cover no value.
    pub fn changed(&self) -> &[(String, u64)] {
        &self.changed
    }

    /// Columns with cells that cover no value of the original, and where the first of them is.
    pub fn nowhere(&self) -> &[(String, Place)] {
        &self.nowhere
    }

    /// What each class of the release shows. A text that can be read as several cells is the narrowest
    /// that covers the rows found for the class; one that covers no value is the root.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// The size of each class: rows with equal texts on the quasi-identifiers.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }
}

/// Compares a release with the original table. `certificate` claims an original row for each released
/// row; it may come from anybody. `group` is the column of groups of an anatomized release.
pub fn truth(
    release: &Table,
    original: &Dataset,
    certificate: Option<&[u32]>,
    group: Option<&str>,
) -> Result<Truth, Error> {
    let tables = Tables::new(release, original, group)?;
    let mut extents = tables.extents();
    let (uncovered, mut changed) = match certificate {
        Some(claimed) => tables.check(claimed, &mut extents),
        None => (tables.search(&mut extents), tables.changed()),
    };
    let kinds = (tables.groups.is_some() && certificate.is_none()).then(|| tables.kinds());
    let misplaced = |pooled: &[Other<'_>]| tables.misplaced(pooled, certificate, kinds.as_ref());
    let together = misplaced(&tables.pooled);
    for other in &tables.pooled {
        let is_alone = tables.pooled.len() == 1;
        let rows = if is_alone { together } else { misplaced(std::slice::from_ref(other)) };
        changed.extend((rows > 0).then(|| (other.name.to_owned(), rows)));
    }
    let uncovered_rows = uncovered.max(together);
    let n_rows = release.n_rows() as u64;
    Ok(Truth {
        n_rows,
        uncovered_rows,
        n_dropped: (original.n_rows() as u64).saturating_sub(n_rows),
        changed,
        nowhere: tables.nowhere(release)?,
        cells: tables.cells(&extents),
        sizes: tables.classes.sizes().into_iter().map(u64::from).collect(),
    })
}

impl Tables<'_> {
    /// Looks at the claimed pairs: released rows whose pair is wrong, and the columns that differ.
    fn check(&self, claimed: &[u32], extents: &mut [Vec<Interval>]) -> (u64, Vec<(String, u64)>) {
        let mut is_used = vec![false; self.n_original];
        // Whether the claim about each released row is one that can be true.
        let is_paired = |row: usize| {
            let used = claimed.get(row).and_then(|&at| is_used.get_mut(at as usize));
            used.is_some_and(|used| !std::mem::replace(used, true))
        };
        let is_paired: Vec<bool> = (0..self.n_released).map(is_paired).collect();
        let pairs = || {
            let rows = (0..self.n_released).filter(|&row| is_paired[row]);
            rows.map(|row| (row, claimed[row] as usize))
        };
        let mut is_wrong: Vec<bool> = is_paired.iter().map(|is_paired| !is_paired).collect();
        let mut changed = Vec::new();
        let mut compare = |name: &str, agree: &dyn Fn(usize, usize) -> bool| {
            let mut differing = 0;
            for (row, _) in pairs().filter(|&(row, at)| !agree(row, at)) {
                differing += 1;
                is_wrong[row] = true;
            }
            if differing > 0 {
                changed.push((name.to_owned(), differing));
            }
        };
        for Quasi { attribute, published, released, .. } in &self.quasi {
            compare(attribute.name(), &|row, at| {
                published.covers(released.get(row), attribute.codes().get(at))
            });
        }
        for Other { name, original, released, .. } in &self.others {
            compare(name, &|row, at| released.get(row) == original.get(at));
        }
        for (row, at) in pairs().filter(|&(row, _)| !is_wrong[row]) {
            self.extend(extents, row, at);
        }
        (is_wrong.iter().filter(|&&wrong| wrong).count() as u64, changed)
    }

    /// For each quasi-identifier room for the codes of each class, from the lowest to the highest; none
    /// where every text is read as one cell, whatever it covers.
    fn extents(&self) -> Vec<Vec<Interval>> {
        let has_several = |quasi: &Quasi<'_>| {
            (0..quasi.n_entries).any(|entry| quasi.published.cells(entry).len() > 1)
        };
        let room = |quasi| if has_several(quasi) { self.classes.n_classes as usize } else { 0 };
        self.quasi.iter().map(|quasi| vec![(u32::MAX, 0); room(quasi)]).collect()
    }

    /// Takes the codes of an original row into the class of a released one.
    fn extend(&self, extents: &mut [Vec<Interval>], row: usize, at: usize) {
        let class = self.classes.ids[row] as usize;
        for (extents, quasi) in extents.iter_mut().zip(&self.quasi) {
            if let Some(extent) = extents.get_mut(class) {
                let code = quasi.attribute.codes().get(at);
                *extent = (extent.0.min(code), extent.1.max(code));
            }
        }
    }

    /// Searches for a matching: the released rows left over by the largest one.
    fn search(&self, extents: &mut [Vec<Interval>]) -> u64 {
        let buckets = self.joined(&self.others);
        let original = Side::new(
            self.n_original,
            &buckets.ids[..self.n_original],
            buckets.n_classes,
            self.quasi.iter().map(|q| (q.attribute.codes(), q.attribute.n_codes())),
        );
        let released = Side::new(
            self.n_released,
            &buckets.ids[self.n_original..],
            buckets.n_classes,
            self.quasi.iter().map(|q| (q.released, q.n_entries)),
        );
        let shares: Vec<Vec<f64>> = self.quasi.iter().map(Quasi::log_shares).collect();
        let matched: Vec<(u64, Vec<(u32, u32)>)> = (0..buckets.n_classes as usize)
            .into_par_iter()
            .filter(|&bucket| !released.groups(bucket).is_empty())
            .map(|bucket| self.match_bucket(&shares, &released, &original, bucket))
            .collect();
        let mut uncovered = 0;
        for (n_unmatched, pairs) in matched {
            kohort_core::alive();
            uncovered += n_unmatched;
            for (row, at) in pairs {
                self.extend(extents, row as usize, at as usize);
            }
        }
        uncovered
    }

    /// The rows left over in a bucket, and for each box and point that are matched a row of each.
    fn match_bucket(
        &self,
        shares: &[Vec<f64>],
        released: &Side,
        original: &Side,
        bucket: usize,
    ) -> (u64, Vec<(u32, u32)>) {
        kohort_core::alive();
        let (boxes, points) = (released.groups(bucket), original.groups(bucket));
        let d = self.quasi.len();
        let mut shapes = Vec::with_capacity(boxes.len() * d);
        let mut covers = Vec::with_capacity(boxes.len());
        for &(row, _) in boxes {
            let entries = self.quasi.iter().map(|q| q.released.get(row as usize));
            shapes.extend(
                self.quasi.iter().zip(entries.clone()).map(|(q, e)| q.published.covered(e)),
            );
            covers.push(entries.zip(shares).map(|(e, shares)| shares[e as usize]).sum::<f64>());
        }
        let mut order: Vec<u32> = (0..).zip(boxes).map(|(id, _)| id).collect();
        order.sort_by(|&a, &b| covers[a as usize].total_cmp(&covers[b as usize]));
        let wanted = Wanted { shapes, rows: boxes.iter().map(|group| group.1).collect(), order };
        let codes: Vec<u32> = (points.iter())
            .flat_map(|&(row, _)| {
                self.quasi.iter().map(move |q| q.attribute.codes().get(row as usize))
            })
            .collect();
        let mut index = Index::new(&codes, points.len(), d, &wanted.shapes);
        let rows = points.iter().map(|group| group.1).collect();
        let flow = Flow::largest(&wanted, d, &mut index, rows);
        let pairs = points.iter().zip(flow.held()).flat_map(|(&(at, _), held)| {
            held.iter().map(move |&(id, _)| (boxes[id as usize].0, at))
        });
        (flow.n_unmatched(), pairs.collect())
    }

    /// Cells that no original row explains, whatever the matching.
    fn changed(&self) -> Vec<(String, u64)> {
        let quasi = self.quasi.iter().map(|q| {
            let mut n_cells = 0;
            let covers_nothing = |entry| q.published.covered(entry).is_empty();
            q.released.for_each(|entry| n_cells += u64::from(covers_nothing(entry)));
            (q.attribute.name().to_owned(), n_cells)
        });
        let others = self.others.iter().map(|other| {
            let mut counts = vec![0_i64; other.n_codes as usize];
            other.released.for_each(|code| counts[code as usize] += 1);
            other.original.for_each(|code| counts[code as usize] -= 1);
            let excess: i64 = counts.into_iter().filter(|&count| count > 0).sum();
            (other.name.to_owned(), excess.unsigned_abs())
        });
        quasi.chain(others).filter(|changed| changed.1 > 0).collect()
    }

    /// Where the first cell of each column is that covers no value.
    fn nowhere(&self, release: &Table) -> Result<Vec<(String, Place)>, Error> {
        let mut nowhere = Vec::new();
        for Quasi { attribute, published, n_entries, .. } in &self.quasi {
            let covers_nothing = |&entry: &u32| published.covered(entry).is_empty();
            if let Some(entry) = (0..*n_entries).find(covers_nothing) {
                let place = release.place(release.column(attribute.name())?, entry);
                nowhere.push((attribute.name().to_owned(), place));
            }
        }
        Ok(nowhere)
    }

    /// What each class shows, given the codes of the rows found for it.
    fn cells(&self, extents: &[Vec<Interval>]) -> Cells {
        let first_rows = self.classes.first_rows();
        let columns = self.quasi[..self.n_quasi].iter().zip(extents).map(|(quasi, extents)| {
            first_rows.iter().enumerate().map(move |(class, &row)| {
                let candidates = quasi.published.cells(quasi.released.get(row as usize));
                let covers = |cell: &&Cell| {
                    let (first, last) = quasi.attribute.codes_of(**cell);
                    extents.get(class).is_some_and(|&(lo, hi)| first <= lo && hi <= last)
                };
                let narrowest = candidates.iter().find(covers).or(candidates.last());
                narrowest.copied().unwrap_or(Cell::ANY)
            })
        });
        Cells::from_columns(columns)
    }
}

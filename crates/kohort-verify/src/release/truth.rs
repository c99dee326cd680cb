//! Truthfulness: every released row covers an original row, each original row used at most once, and
//! the cells that are no quasi-identifiers are those of that row, byte for byte.
//!
//! # Method
//! 1. Rows of both tables are put in buckets by the texts of all other columns of the release.
//! 2. In a bucket, released rows with equal texts are a box, original rows with equal codes a point.
//! 3. A largest matching between boxes and points leaves over the rows that cover nobody.
//!
//! With a certificate, which names an original row for every released row, each pair is looked at and
//! nothing is searched.

use kohort_core::{Attribute, Cell, Codes, Dataset, Error, Grouping, Table, group};
use rayon::prelude::*;

use super::cells::{Interval, Published};
use super::index::Index;
use super::matching::{Flow, Wanted};

/// What a comparison of a release with its original found.
#[derive(Clone, Debug)]
pub struct Truth {
    n_rows: u64,
    uncovered_rows: u64,
    n_dropped: u64,
    changed: Vec<(String, u64)>,
    cells: Vec<Cell>,
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

    /// The original rows that have no released row.
    pub fn n_dropped(&self) -> u64 {
        self.n_dropped
    }

    /// Columns with cells that cannot stem from the original, and how many. Without a certificate only
    /// what a column shows by itself is counted: values that occur more often than in the original, and
    /// cells that cover no value.
    pub fn changed(&self) -> &[(String, u64)] {
        &self.changed
    }

    /// What each class of the release shows, one cell per quasi-identifier, and its size. A text that
    /// can be read as several cells is the narrowest that covers the rows found for the class; one that
    /// covers no value is the root.
    pub fn classes(&self) -> impl Iterator<Item = (&[Cell], u64)> {
        let d = self.cells.len() / self.sizes.len().max(1);
        (0..).zip(&self.sizes).map(move |(class, &size)| (&self.cells[class * d..][..d], size))
    }
}

/// Compares a release with the original table. `certificate` claims an original row for each released
/// row; it may come from anybody.
pub fn truth(
    release: &Table,
    original: &Dataset,
    certificate: Option<&[u32]>,
) -> Result<Truth, Error> {
    let tables = Tables::new(release, original)?;
    let mut extents = vec![(u32::MAX, 0); tables.classes.n_classes as usize * tables.quasi.len()];
    let (uncovered_rows, changed) = match certificate {
        Some(claimed) => tables.check(claimed, &mut extents),
        None => (tables.search(&mut extents), tables.changed()),
    };
    let n_rows = release.n_rows() as u64;
    Ok(Truth {
        n_rows,
        uncovered_rows,
        n_dropped: (original.n_rows() as u64).saturating_sub(n_rows - uncovered_rows),
        changed,
        cells: tables.cells(&extents),
        sizes: tables.classes.sizes().into_iter().map(u64::from).collect(),
    })
}

/// Both tables in terms of each other.
struct Tables<'a> {
    quasi: Vec<Quasi<'a>>,
    others: Vec<Other<'a>>,
    // The classes of the release: rows with equal texts on the quasi-identifiers.
    classes: Grouping,
    n_original: usize,
    n_released: usize,
}

struct Quasi<'a> {
    attribute: &'a Attribute,
    published: Published,
    released: &'a Codes,
    n_entries: u32,
}

/// A column that is published as it is: equal texts have equal codes.
struct Other<'a> {
    name: &'a str,
    original: &'a Codes,
    released: Codes,
    n_codes: u32,
}

impl<'a> Tables<'a> {
    fn new(release: &'a Table, original: &'a Dataset) -> Result<Self, Error> {
        let mut quasi = Vec::new();
        for attribute in original.quasi() {
            let column = release.column(attribute.name())?;
            let published = Published::read(release, original.table(), attribute)?;
            let n_entries = column.dictionary().len();
            quasi.push(Quasi { attribute, published, released: column.codes(), n_entries });
        }
        let mut others = Vec::new();
        for column in release.columns() {
            if quasi.iter().any(|q| q.attribute.name() == column.name()) {
                continue;
            }
            let twin = original.table().column(column.name())?;
            let mut n_codes = twin.dictionary().len();
            let to: Vec<u32> = (column.dictionary().iter())
                .map(|text| {
                    twin.dictionary().find(text).unwrap_or_else(|| {
                        n_codes += 1;
                        n_codes - 1
                    })
                })
                .collect();
            let released = column.codes().recode(&to);
            others.push(Other { name: column.name(), original: twin.codes(), released, n_codes });
        }
        for attribute in original.sensitive() {
            release.column(attribute.name())?;
        }
        let (n_original, n_released) = (original.n_rows(), release.n_rows());
        let classes = group(n_released, quasi.iter().map(|q| (q.released, q.n_entries)));
        Ok(Self { quasi, others, classes, n_original, n_released })
    }

    /// Looks at the claimed pairs: released rows whose pair is wrong, and the columns that differ.
    fn check(&self, claimed: &[u32], extents: &mut [Interval]) -> (u64, Vec<(String, u64)>) {
        let mut is_used = vec![false; self.n_original];
        // The original row of each released row, if the claim is one that can be true.
        let pair = |row: usize| {
            let at = *claimed.get(row)? as usize;
            let used = is_used.get_mut(at)?;
            (!std::mem::replace(used, true)).then_some(at)
        };
        let pairs: Vec<Option<usize>> = (0..self.n_released).map(pair).collect();
        let mut is_wrong: Vec<bool> = pairs.iter().map(Option::is_none).collect();
        let mut changed = Vec::new();
        let mut compare = |name: &str, agree: &dyn Fn(usize, usize) -> bool| {
            let mut differing = 0;
            for (row, pair) in pairs.iter().enumerate() {
                if pair.is_some_and(|at| !agree(row, at)) {
                    differing += 1;
                    is_wrong[row] = true;
                }
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
        for (row, pair) in pairs.iter().enumerate() {
            if let Some(at) = pair.filter(|_| !is_wrong[row]) {
                self.extend(extents, self.classes.ids[row], |q| q.attribute.codes().get(at));
            }
        }
        (is_wrong.iter().filter(|&&wrong| wrong).count() as u64, changed)
    }

    fn extend(&self, extents: &mut [Interval], class: u32, code: impl Fn(&Quasi<'_>) -> u32) {
        let extents = &mut extents[class as usize * self.quasi.len()..][..self.quasi.len()];
        for (extent, quasi) in extents.iter_mut().zip(&self.quasi) {
            let code = code(quasi);
            *extent = (extent.0.min(code), extent.1.max(code));
        }
    }

    /// Searches for a matching: the released rows left over by the largest one.
    fn search(&self, extents: &mut [Interval]) -> u64 {
        let buckets = self.buckets();
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
            uncovered += n_unmatched;
            for (row, at) in pairs {
                let class = self.classes.ids[row as usize];
                self.extend(extents, class, |q| q.attribute.codes().get(at as usize));
            }
        }
        uncovered
    }

    /// Rows of both tables, the original first, that agree on every other column.
    fn buckets(&self) -> Grouping {
        let joined = self.others.iter().map(|other| {
            let mut codes = Codes::default();
            other.original.for_each(|code| codes.push(code));
            other.released.for_each(|code| codes.push(code));
            (codes, other.n_codes)
        });
        joined.fold(
            Grouping::trivial(self.n_original + self.n_released),
            |grouping, (codes, n_codes)| grouping.refine(&codes, n_codes),
        )
    }

    /// The rows left over in a bucket, and for each box and point that are matched a row of each.
    fn match_bucket(
        &self,
        shares: &[Vec<f64>],
        released: &Side,
        original: &Side,
        bucket: usize,
    ) -> (u64, Vec<(u32, u32)>) {
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

    /// What each class shows, given the codes of the rows found for it.
    fn cells(&self, extents: &[Interval]) -> Vec<Cell> {
        let mut cells = Vec::with_capacity(extents.len());
        let d = self.quasi.len();
        for (class, row) in self.classes.first_rows().into_iter().enumerate() {
            for (axis, quasi) in self.quasi.iter().enumerate() {
                let candidates = quasi.published.cells(quasi.released.get(row as usize));
                let (lo, hi) = extents[class * d + axis];
                let covers = |cell: &&Cell| {
                    let (first, last) = quasi.attribute.codes_of(**cell);
                    first <= lo && hi <= last
                };
                let narrowest = candidates.iter().find(covers).or(candidates.last());
                cells.push(narrowest.copied().unwrap_or(Cell::ANY));
            }
        }
        cells
    }
}

impl Quasi<'_> {
    /// For each released text, the logarithm of the share of original rows whose value it covers.
    fn log_shares(&self) -> Vec<f64> {
        let mut below = vec![0_u64];
        for &count in self.attribute.counts() {
            below.push(below[below.len() - 1] + u64::from(count));
        }
        let covered = |entry| {
            let intervals = self.published.covered(entry).iter();
            intervals.map(|&(lo, hi)| below[hi as usize + 1] - below[lo as usize]).sum::<u64>()
        };
        #[expect(clippy::cast_precision_loss, reason = "an order to try boxes in, no decision")]
        (0..self.n_entries).map(|entry| (covered(entry) as f64).ln()).collect()
    }
}

/// The distinct rows of a table by bucket.
struct Side {
    // One row of each group and its size, sorted by bucket.
    groups: Vec<(u32, u32)>,
    // Where the groups of each bucket begin; one entry more than buckets.
    starts: Vec<u32>,
}

impl Side {
    fn new<'a>(
        n_rows: usize,
        bucket_of_row: &[u32],
        n_buckets: u32,
        columns: impl Iterator<Item = (&'a Codes, u32)>,
    ) -> Self {
        let buckets = Codes::U32(bucket_of_row.to_vec());
        let grouping = columns
            .fold(group(n_rows, [(&buckets, n_buckets)]), |grouping, (codes, n_codes)| {
                grouping.refine(codes, n_codes)
            });
        let mut starts = vec![0; n_buckets as usize + 1];
        let first = grouping.first_rows();
        for &row in &first {
            starts[bucket_of_row[row as usize] as usize + 1] += 1;
        }
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        let mut groups: Vec<(u32, u32)> = first.into_iter().zip(grouping.sizes()).collect();
        groups.sort_by_key(|group| bucket_of_row[group.0 as usize]);
        Self { groups, starts }
    }

    fn groups(&self, bucket: usize) -> &[(u32, u32)] {
        &self.groups[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

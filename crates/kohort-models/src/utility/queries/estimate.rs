//! What a release answers to counting queries, beside what the original does.

use std::collections::BTreeMap;

use kohort_core::Attribute;

use super::SANITY;
use super::workload::{Predicate, Query, Rows};
use crate::utility::View;
use crate::utility::view::{Numbers, real};

/// How a user of the release reads its cells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// How a range is cut by a query.
    pub overlap: Overlap,
    /// Where suppressed rows are thought to be.
    pub suppressed: Suppressed,
}

/// How much of a range of numbers a query's range takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlap {
    /// Whole numbers and days are counted one by one; other numbers as by `Continuous`.
    #[default]
    Counted,
    /// Lengths are compared; a range of one number is in or out.
    Continuous,
}

/// Where suppressed rows are thought to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suppressed {
    /// Nowhere: they count for nothing.
    #[default]
    Nowhere,
    /// Evenly over the whole of every column.
    Everywhere,
}

/// A query's right answer and the release's.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The rows of the original that satisfy it.
    pub actual: usize,
    /// The rows that the release lets expect.
    pub estimated: f64,
    /// How far they are apart, as a share of the right answer or of the sanity bound.
    pub relative_error: f64,
}

/// Answers queries from the original and from a release.
///
/// Cost: a query takes one look at every row, and one at every group for each of its predicates.
pub fn answers(view: &View<'_>, queries: &[Query], reading: Reading) -> Vec<Answer> {
    let release = Release::new(view, reading);
    let least = real(view.dataset.n_rows()) * SANITY;
    let answer = |query: &Query| {
        let actual = release.rows.matching(query).count();
        let estimated = release.estimate(query);
        let relative_error = (real(actual) - estimated).abs() / f64::max(real(actual), least);
        // Nothing asked of a table without rows.
        let relative_error = if relative_error.is_finite() { relative_error } else { 0.0 };
        Answer { actual, estimated, relative_error }
    };
    queries.iter().map(answer).collect()
}

/// A release in the form that answers queries fast.
struct Release<'a> {
    view: View<'a>,
    reading: Reading,
    rows: Rows<'a>,
    axes: Vec<Axis>,
    sizes: Vec<f64>,
    // For each sensitive attribute and group: codes with their number of rows.
    sensitive: Vec<Vec<Vec<(u32, f64)>>>,
    n_suppressed: f64,
}

/// What one quasi-identifier shows: the cells that occur, and which of them each group has.
struct Axis {
    cells: Vec<(u32, u32)>,
    cell_of_group: Vec<u32>,
    numbers: Option<Numbers>,
    whole: (u32, u32),
    missing: Option<u32>,
}

impl<'a> Release<'a> {
    fn new(view: &View<'a>, reading: Reading) -> Self {
        let rows = Rows::new(view.dataset);
        let n_groups = view.n_groups();
        let bounds = view.bounds().unwrap_or_else(|_| vec![Vec::new(); rows.quasi.len()]);
        let axes = rows.quasi.iter().zip(&bounds).map(|((a, _), bounds)| Axis::new(a, bounds));
        let axes = axes.collect();
        let mut sizes = vec![0.0; n_groups];
        view.published().for_each(|(_, group)| sizes[group] += 1.0);
        let sensitive = rows.sensitive.iter().map(|(_, codes)| {
            let mut of_group: Vec<(usize, u32)> =
                view.published().map(|(row, group)| (group, codes[row])).collect();
            of_group.sort_unstable();
            let mut counts = vec![Vec::new(); n_groups];
            for same in of_group.chunk_by(|a, b| a == b) {
                counts[same[0].0].push((same[0].1, real(same.len())));
            }
            counts
        });
        let sensitive = sensitive.collect();
        let n_suppressed = real(view.dataset.n_rows()) - sizes.iter().sum::<f64>();
        Self { view: *view, reading, rows, axes, sizes, sensitive, n_suppressed }
    }

    fn estimate(&self, query: &Query) -> f64 {
        let is_asked: Option<(usize, Vec<bool>)> = (query.sensitive.as_ref())
            .map(|(axis, predicate)| (*axis, predicate.by_code(self.rows.sensitive[*axis].0)));
        // The rows of a group with an asked sensitive value.
        let asked = |group: usize| {
            is_asked.as_ref().map_or(self.sizes[group], |(axis, is)| {
                let counts = &self.sensitive[*axis][group];
                counts.iter().filter(|(code, _)| is[*code as usize]).map(|(_, n)| n).sum()
            })
        };
        let published: f64 = if self.view.is_anatomized() {
            let mut matching = vec![0.0; self.sizes.len()];
            let quasi = Query { quasi: query.quasi.clone(), sensitive: None };
            let groups = self.rows.matching(&quasi).filter_map(|row| self.view.group(row));
            groups.for_each(|group| matching[group] += 1.0);
            let groups = (0..matching.len()).filter(|&group| matching[group] > 0.0);
            groups.map(|group| matching[group] * asked(group) / self.sizes[group]).sum()
        } else {
            self.boxes(query, asked)
        };
        if self.reading.suppressed == Suppressed::Nowhere {
            return published;
        }
        let quasi: f64 = (query.quasi.iter())
            .map(|(axis, p)| self.axes[*axis].overlap(p, self.axes[*axis].whole, self.reading))
            .product();
        let share = is_asked.map_or(1.0, |(_, is)| {
            real(is.iter().filter(|is| **is).count()) / real(is.len().max(1))
        });
        published + self.n_suppressed * quasi * share
    }

    /// Σ over groups of asked rows times the overlap of their box.
    fn boxes(&self, query: &Query, asked: impl Fn(usize) -> f64) -> f64 {
        // Groups are many, cells that occur on one axis are few.
        let tables: Vec<(&[u32], Vec<f64>)> = (query.quasi.iter())
            .map(|(axis, predicate)| {
                let axis = &self.axes[*axis];
                let of_cell = |&cell: &(u32, u32)| axis.overlap(predicate, cell, self.reading);
                (axis.cell_of_group.as_slice(), axis.cells.iter().map(of_cell).collect())
            })
            .collect();
        let mut sum = 0.0;
        for group in 0..self.sizes.len() {
            let mut overlap = 1.0;
            for (cell_of_group, of_cell) in &tables {
                overlap *= of_cell[cell_of_group[group] as usize];
            }
            if overlap > 0.0 {
                sum += overlap * asked(group);
            }
        }
        sum
    }
}

impl Axis {
    fn new(attribute: &Attribute, bounds: &[(u32, u32)]) -> Self {
        let mut ids: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        ids.extend(bounds.iter().map(|&cell| (cell, 0)));
        for (id, slot) in (0..).zip(ids.values_mut()) {
            *slot = id;
        }
        let cell_of_group = bounds.iter().map(|cell| ids[cell]).collect();
        let cells = ids.into_keys().collect();
        let numbers = Numbers::new(attribute);
        let whole = (0, attribute.n_codes().saturating_sub(1));
        let missing = attribute.missing();
        Self { cells, cell_of_group, numbers, whole, missing }
    }

    /// The share of a cell that satisfies a predicate.
    fn overlap(&self, predicate: &Predicate, cell: (u32, u32), reading: Reading) -> f64 {
        let n_codes = f64::from(cell.1 - cell.0) + 1.0;
        let (lo, hi) = match predicate {
            Predicate::Codes(asked) => {
                let asked = &asked[cell.0 as usize..=cell.1 as usize];
                return real(asked.iter().filter(|asked| **asked).count()) / n_codes;
            }
            Predicate::Range(lo, hi) => (*lo, *hi),
        };
        let numbers = self.numbers.as_ref().expect("ranges are asked of numbers only");
        let Some((first, last)) = numbers.range(cell) else { return 0.0 };
        let (from, to) = (lo.max(first), hi.min(last));
        let share = match numbers.step {
            Some(step) if reading.overlap == Overlap::Counted => {
                let inside = (to / step).floor() - (from / step).ceil() + 1.0;
                inside.max(0.0) / ((last - first) / step + 1.0)
            }
            _ if last > first => (to - from).max(0.0) / (last - first),
            _ => f64::from(u8::from(from <= to)),
        };
        // Missing is a value too: a cell that covers it may mean it, and it lies in no range.
        let may_be_missing = self.missing.is_some_and(|code| cell.0 <= code && code <= cell.1);
        if may_be_missing { share * (n_codes - 1.0) / n_codes } else { share }
    }
}

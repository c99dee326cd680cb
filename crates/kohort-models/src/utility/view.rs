//! A release laid over its original, as every measure reads it.

use kohort_core::{Attribute, Cells, DAY, Dataset, ValueType};

use crate::Undefined;

/// The group of a row that is not published.
const SUPPRESSED: u32 = u32::MAX;

/// A release over its original.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The original.
    pub dataset: &'a Dataset,
    /// What each group shows. Empty where quasi-identifiers are published as they are and sensitive values
    /// by group (Anatomy).
    pub cells: &'a Cells,
    /// The group of each row of the original; `u32::MAX` for a suppressed one.
    pub group_of_row: &'a [u32],
}

pub(super) const NO_ROWS: Undefined = Undefined("means nothing for a release without rows");
const ANATOMIZED: Undefined =
    Undefined("reads cells, and the release publishes quasi-identifiers as they are");

impl View<'_> {
    /// The group of a row, if it is published.
    pub(super) fn group(&self, row: usize) -> Option<usize> {
        let group = self.group_of_row[row];
        (group != SUPPRESSED).then_some(group as usize)
    }

    /// The rows that are published, with their groups.
    pub(super) fn published(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.group_of_row.len()).filter_map(|row| self.group(row).map(|group| (row, group)))
    }

    /// The number of groups.
    pub(super) fn n_groups(&self) -> usize {
        self.published().map(|(_, group)| group + 1).max().unwrap_or(0)
    }

    /// Whether quasi-identifiers are published as they are.
    pub(super) fn is_anatomized(&self) -> bool {
        self.cells.is_empty() && !self.dataset.quasi().is_empty()
    }

    /// For each quasi-identifier, the first and the last code that each group shows.
    pub(super) fn bounds(&self) -> Result<Vec<Vec<(u32, u32)>>, Undefined> {
        if self.published().next().is_none() {
            return Err(NO_ROWS);
        }
        if self.is_anatomized() {
            return Err(ANATOMIZED);
        }
        let quasi = self.dataset.quasi();
        let of_axis = |(axis, attribute): (usize, &&Attribute)| {
            self.cells.column(axis).iter().map(|cell| attribute.codes_of(cell)).collect()
        };
        Ok(quasi.iter().enumerate().map(of_axis).collect())
    }
}

/// The numbers of a column that has an order.
#[derive(Debug)]
pub(super) struct Numbers {
    of_code: Vec<Option<f64>>,
    // Whether greater codes are greater numbers, the missing one last.
    is_sorted: bool,
    pub(super) min: f64,
    pub(super) max: f64,
    // The step between the values of a column of whole numbers or days.
    pub(super) step: Option<f64>,
}

impl Numbers {
    /// The numbers of an attribute, if it has any.
    pub(super) fn new(attribute: &Attribute) -> Option<Self> {
        let of_code: Vec<Option<f64>> =
            (0..attribute.n_codes()).map(|code| attribute.number(code)).collect();
        let present = || of_code.iter().flatten().copied();
        let min = present().reduce(f64::min)?;
        let max = present().reduce(f64::max)?;
        let last = of_code.len() - 1;
        let is_sorted = present().is_sorted() && of_code[..last].iter().all(Option::is_some);
        let step = step(attribute.value_type(), present());
        Some(Self { of_code, is_sorted, min, max, step })
    }

    /// The smallest and the largest number among these codes.
    pub(super) fn range(&self, (lo, hi): (u32, u32)) -> Option<(f64, f64)> {
        let codes = &self.of_code[lo as usize..=hi as usize];
        if self.is_sorted {
            let last = codes.iter().rev().find_map(|number| *number)?;
            return codes[0].map(|first| (first, last));
        }
        let present = || codes.iter().flatten().copied();
        Some((present().reduce(f64::min)?, present().reduce(f64::max)?))
    }

    /// The middle of a range, from 0 (the least number of the column) to 1, and how wide it is.
    pub(super) fn middle(&self, bounds: (u32, u32)) -> Option<(f64, f64)> {
        let (lo, hi) = self.range(bounds)?;
        let width = if self.max > self.min { self.max - self.min } else { 1.0 };
        Some(((f64::midpoint(lo, hi) - self.min) / width, (hi - lo) / width))
    }
}

/// The step of a column of whole numbers, or of days without a time.
#[expect(clippy::cast_precision_loss, reason = "a day in microseconds is exact")]
fn step(value_type: ValueType, mut numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let day = DAY as f64;
    match value_type {
        ValueType::Integer => Some(1.0),
        ValueType::Date => numbers.all(|number| number % day == 0.0).then_some(day),
        _ => None,
    }
}

/// What cells of one column amount to as counts of its values, each cell spread evenly over its codes.
/// Cells come as first code, last code and number of rows.
pub(super) fn spread(n_codes: u32, cells: impl Iterator<Item = ((u32, u32), f64)>) -> Vec<f64> {
    let mut counts = vec![0.0; n_codes as usize];
    // A step up at the first code and down after the last: cells may be many and wide.
    let mut steps = vec![0.0; n_codes as usize + 1];
    for ((lo, hi), rows) in cells {
        if lo == hi {
            counts[lo as usize] += rows;
            continue;
        }
        let share = rows / (f64::from(hi - lo) + 1.0);
        steps[lo as usize] += share;
        steps[hi as usize + 1] -= share;
    }
    let mut height = 0.0;
    for (count, step) in counts.iter_mut().zip(steps) {
        height += step;
        *count += f64::max(height, 0.0);
    }
    counts
}

/// A count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "a measure, no decision")]
pub(super) fn real(count: usize) -> f64 {
    count as f64
}

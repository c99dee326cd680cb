//! Metrics: what a release costs, in numbers that can be compared.
//!
//! A metric is a pure function of what a release shows and of the original's attributes. One that means
//! nothing for a release says why; none is ever NaN.

mod byun_il;
mod c_avg;
mod class_size;
mod dm;
mod kl;
mod kl_attribute;
mod lm;
mod ncp;
mod prec;
mod suppressed;
#[cfg(test)]
mod tests;
mod whd;

use kohort_core::{Attribute, Cell, Cells};

use crate::{CellMetric, Costs};

/// A release as the metrics see it.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// The quasi-identifiers of the original table; at least one.
    pub quasi: &'a [&'a Attribute],
    /// What each quasi-identifier weighs in a weighted mean; not all zero.
    pub weights: &'a [f64],
    /// The rows of the original table.
    pub n_rows: u64,
    /// What each class shows.
    pub cells: &'a Cells,
    /// The rows of each class.
    pub sizes: &'a [u64],
    /// The rows of each set of rows that are told apart by nothing but their quasi-identifiers: the
    /// classes, or the groups of an anatomized release.
    pub groups: &'a [u64],
    /// The rows of the original that have no row in the release.
    pub n_suppressed: u64,
    /// The smallest class that was asked for.
    pub k: u64,
}

/// Which end of a metric is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// It describes and does not rank.
    Neither,
}

/// What a metric says about a release.
#[derive(Clone, Debug)]
pub struct Score {
    /// The number; finite.
    pub value: f64,
    /// The least and the most it can be for this table.
    pub bounds: (f64, f64),
    /// What it is made of, by name, where it has parts.
    pub parts: Vec<(String, f64)>,
}

impl Score {
    pub(crate) fn new(value: f64, bounds: (f64, f64)) -> Self {
        Self { value, bounds, parts: Vec::new() }
    }
}

/// Why a metric means nothing for a release, as the rest of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undefined(pub &'static str);

/// What a metric is, and how it is measured.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The kebab-case name used in plans, flags and JSON; it never changes once released.
    pub id: &'static str,
    /// The name a person reads.
    pub title: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it tells a data owner, in one sentence.
    pub reads_as: &'static str,
    /// Which end is good.
    pub better: Better,
    /// Measures a release.
    pub measure: fn(&Measured<'_>) -> Result<Score, Undefined>,
}

/// The metrics in the box, in the order they are listed.
pub const METRICS: &[Metric] = &[
    ncp::METRIC,
    lm::METRIC,
    byun_il::METRIC,
    dm::METRIC,
    c_avg::METRIC,
    prec::METRIC,
    whd::METRIC,
    whd::METRIC_BETA,
    kl::METRIC,
    kl_attribute::METRIC,
    suppressed::METRIC,
    class_size::METRIC,
];

impl<'a> Measured<'a> {
    fn n_axes(&self) -> usize {
        self.quasi.len()
    }

    /// Each class: its cells and its size.
    fn classes(&self) -> impl Iterator<Item = (impl Iterator<Item = Cell> + use<'a>, f64)> {
        self.cells.classes().zip(self.sizes.iter().map(|&size| real(size)))
    }

    /// What each class shows of one column, and its size.
    fn column(&self, axis: usize) -> impl Iterator<Item = (Cell, f64)> {
        self.cells.column(axis).iter().zip(self.sizes.iter().map(|&size| real(size)))
    }

    /// The number of cells of the original.
    fn n_cells(&self) -> f64 {
        real(self.n_rows) * real(self.n_axes() as u64)
    }

    /// The sum over all cells of what they cost; every cell of a suppressed row costs 1.
    fn total(&self, cost: impl Fn(usize, Cell) -> f64) -> f64 {
        let suppressed = real(self.n_suppressed) * real(self.n_axes() as u64);
        let classes = self.classes().map(|(cells, size)| {
            size * cells.enumerate().map(|(axis, cell)| cost(axis, cell)).sum::<f64>()
        });
        classes.sum::<f64>() + suppressed
    }

    /// The mean over rows of the weighted cost of their cells, the weights summing to 1: what a maker
    /// keeps small. A suppressed row costs 1.
    ///
    /// # Errors
    /// Without a row.
    pub fn loss(&self, metric: CellMetric) -> Result<f64, Undefined> {
        if self.n_rows == 0 {
            return Err(NO_ROWS);
        }
        let costs = self.costs(metric);
        let sum: f64 = self.weights.iter().sum();
        let d = real(self.n_axes() as u64);
        // Weights that sum to the number of columns make the total one of cells.
        let total = self.total(|axis, cell| self.weights[axis] / sum * d * costs[axis].of(cell));
        Ok(total / self.n_cells())
    }

    fn costs(&self, metric: CellMetric) -> Vec<Costs> {
        self.quasi.iter().map(|attribute| Costs::new(attribute, metric)).collect()
    }

    /// How many levels above its values a cell stands, and how many the taxonomy has above them.
    fn levels(&self, axis: usize, cell: Cell) -> Option<(u32, u32)> {
        let taxonomy = self.quasi[axis].taxonomy();
        let height = taxonomy.n_levels() - 1;
        match cell {
            Cell::Leaf(_) => Some((0, height)),
            // The root is the top even where the tree repeats it on lower levels.
            Cell::Node(0) => Some((height, height)),
            Cell::Node(node) => Some((taxonomy.nodes()[node as usize].level, height)),
            Cell::Range { .. } | Cell::Rounded { .. } => None,
        }
    }

    fn has_ranges(&self) -> bool {
        let is_range = |cell: &Cell| matches!(cell, Cell::Range { .. } | Cell::Rounded { .. });
        self.cells.columns().iter().any(|column| column.distinct().iter().any(is_range))
    }
}

const NO_ROWS: Undefined = Undefined("means nothing for a table without rows");
const NO_LEVELS: Undefined =
    Undefined("counts levels of taxonomies, and the release shows ranges of numbers");

/// A count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "a measure of loss, no decision")]
pub(crate) fn real(count: u64) -> f64 {
    count as f64
}

//! WHD: the weighted distance between values and what is published for them, in levels.
//!
//! # Formula
//! Levels 1 (root) to h (leaf). A cell raised from the leaves up to level q costs
//! Σ_{j=q+1..h} w_j / Σ_{j=2..h} w_j, with w_j = 1, or w_j = 1 / (j − 1)^β, which makes steps near the
//! root dear. The sum over cells; a cell of a suppressed row costs 1.
//!
//! # Range
//! 0 (nothing raised) to the number of cells (everything at the root); lower is better.
//!
//! # Reads as
//! As many cells as this, wholly blanked, would be as far from their values.
//!
//! # Undefined when
//! The release shows ranges, which stand on no level.
//!
//! # References
//! Li et al., APWeb 2006.

use super::{Better, Measured, Metric, NO_LEVELS, Score, Undefined};
use crate::costs::share_of_steps;

pub(super) const METRIC: Metric = Metric {
    id: "whd",
    title: "weighted hierarchical distance, all steps alike",
    paper: "Li et al. 2006",
    reads_as: "the number of cells that, blanked completely, would be as far from their values",
    better: Better::Lower,
    measure: |measured| measure(measured, 0.0),
};

pub(super) const METRIC_BETA: Metric = Metric {
    id: "whd-beta",
    title: "weighted hierarchical distance, steps near the root dear (β = 1)",
    measure: |measured| measure(measured, 1.0),
    ..METRIC
};

pub(super) fn measure(measured: &Measured<'_>, beta: f64) -> Result<Score, Undefined> {
    if measured.has_ranges() {
        return Err(NO_LEVELS);
    }
    let total = measured.total(|axis, cell| {
        let (level, height) = measured.levels(axis, cell).unwrap_or((1, 1));
        share_of_steps(level, height, beta)
    });
    Ok(Score::new(total, (0.0, measured.n_cells())))
}

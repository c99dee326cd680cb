//! Byun's IL: the total information loss of a clustering.
//!
//! # Formula
//! Σ over classes of |c| · (Σ (hi − lo) / W + Σ height(node) / height(root)). Every cell of a
//! suppressed row costs 1.
//!
//! # Range
//! 0 (nothing is lost) to the number of cells (nothing is told); lower is better.
//!
//! # Reads as
//! As many cells as this, wholly blanked, would lose as much.
//!
//! # Undefined when
//! Never.
//!
//! # References
//! Byun et al., DASFAA 2007.

use super::{Better, Measured, Metric, Score, Undefined};
use crate::CellMetric;

pub(super) const METRIC: Metric = Metric {
    id: "byun-il",
    title: "information loss of Byun and others",
    paper: "Byun et al. 2007",
    reads_as: "the number of cells that, blanked completely, would lose as much",
    better: Better::Lower,
    measure,
};

#[expect(clippy::unnecessary_wraps, reason = "every metric has this signature")]
fn measure(measured: &Measured<'_>) -> Result<Score, Undefined> {
    let costs = measured.costs(CellMetric::Byun);
    let total = measured.total(|axis, cell| costs[axis].of(cell));
    Ok(Score::new(total, (0.0, measured.n_cells())))
}

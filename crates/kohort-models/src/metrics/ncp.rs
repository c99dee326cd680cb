//! NCP: the normalized certainty penalty.
//!
//! # Formula
//! The mean over rows of Σ w_i NCP_i with Σ w_i = 1; NCP_i is the share of the column's width that a
//! range spans, 0 for a leaf, and leaves(node) / leaves(root) for a node. A suppressed row costs 1.
//!
//! # Range
//! 0 (nothing is lost) to 1 (nothing is told); lower is better.
//!
//! # Reads as
//! How much of its column a published cell leaves open, on average.
//!
//! # Undefined when
//! There are no rows.
//!
//! # References
//! Xu et al., KDD 2006; the mean over a table is the GCP of Ghinita et al. specs/02 §1.1.

use super::{Better, Measured, Metric, NO_ROWS, Score, Undefined, real};
use crate::CellMetric;

pub(super) const METRIC: Metric = Metric {
    id: "ncp",
    title: "normalized certainty penalty",
    paper: "Xu et al. 2006",
    reads_as: "how much of its column a published cell leaves open, on average",
    better: Better::Lower,
    measure,
};

fn measure(measured: &Measured<'_>) -> Result<Score, Undefined> {
    if measured.n_rows == 0 {
        return Err(NO_ROWS);
    }
    let costs = measured.costs(CellMetric::Ncp);
    let sum: f64 = measured.weights.iter().sum();
    let d = real(measured.n_axes() as u64);
    // Weights that sum to the number of columns make the total one of cells.
    let total =
        measured.total(|axis, cell| measured.weights[axis] / sum * d * costs[axis].of(cell));
    Ok(Score::new(total / measured.n_cells(), (0.0, 1.0)))
}

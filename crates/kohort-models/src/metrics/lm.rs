//! LM: the loss metric.
//!
//! # Formula
//! The mean over cells of the share of the column's width that a range spans, or of
//! (leaves(node) − 1) / (leaves(root) − 1); so a node with one leaf costs 0, as in NCP. A suppressed cell
//! costs 1.
//!
//! # Range
//! 0 (nothing is lost) to 1 (nothing is told); lower is better.
//!
//! # Reads as
//! How many other values of its column a published cell admits, on average.
//!
//! # Undefined when
//! There are no rows.
//!
//! # References
//! Iyengar, KDD 2002; Nergiz and Clifton, DKE 2007.; errata: a mean, not a sum.

use super::{Better, Measured, Metric, NO_ROWS, Score, Undefined};
use crate::CellMetric;

pub(super) const METRIC: Metric = Metric {
    id: "lm",
    title: "loss metric",
    paper: "Iyengar 2002",
    reads_as: "the average share of the other values of its column that a published cell admits",
    better: Better::Lower,
    measure,
};

fn measure(measured: &Measured<'_>) -> Result<Score, Undefined> {
    if measured.n_rows == 0 {
        return Err(NO_ROWS);
    }
    let costs = measured.costs(CellMetric::Lm);
    let total = measured.total(|axis, cell| costs[axis].of(cell));
    Ok(Score::new(total / measured.n_cells(), (0.0, 1.0)))
}

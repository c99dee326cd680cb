//! NCP: the normalized certainty penalty.
//!
//! # Formula
//! The mean over rows of Σ w_i NCP_i with Σ w_i = 1; NCP_i is the share of the column's width that a
//! range spans, and leaves(node) / leaves(root) for a node; 0 for a leaf, and for a node with one leaf, which
//! tells the value as the leaf does (LM has the same rule). A suppressed row costs 1.
//!
//! # Range
//! 0 (nothing is lost) to 1 (nothing is told); lower is better.
//!
//! # Reads as
//! How much of its column a published cell leaves open, on average.
//!
//! Its parts are the same mean for each column alone, whatever it weighs.
//!
//! # Undefined when
//! There are no rows.
//!
//! # References
//! Xu et al., KDD 2006; the mean over a table is the GCP of Ghinita et al.

use super::{Better, Measured, Metric, Score, Undefined, real};
use crate::CellMetric;

pub(super) const METRIC: Metric = Metric {
    id: "ncp",
    title: "normalized certainty penalty",
    paper: "Xu et al. 2006",
    reads_as: "the average share of its column that a published cell leaves open",
    better: Better::Lower,
    measure,
};

fn measure(measured: &Measured<'_>) -> Result<Score, Undefined> {
    let value = measured.loss(CellMetric::Ncp)?;
    let costs = measured.costs(CellMetric::Ncp);
    let of_column = |axis: usize| {
        let published: f64 =
            measured.column(axis).map(|(cell, size)| size * costs[axis].of(cell)).sum();
        (published + real(measured.n_suppressed)) / real(measured.n_rows)
    };
    let names = measured.quasi.iter().map(|attribute| attribute.name().to_owned());
    let parts = names.zip((0..).map(of_column)).collect();
    Ok(Score { value, bounds: (0.0, 1.0), parts })
}

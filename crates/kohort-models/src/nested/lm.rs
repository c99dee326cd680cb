//! LM of nested releases: the loss metric over the labels of all vertices.
//!
//! # Formula
//! (Σ over released vertices of what their labels cost + the labels that were suppressed) / the labels of
//! the original. A label costs (leaves(x) − 1) / (leaves(root) − 1), a range its share of the width; every
//! label of a vertex that is not released costs 1.
//!
//! # Range
//! 0 (nothing is lost) to 1 (nothing is told); lower is better.
//!
//! # Reads as
//! How much of what quasi-identifiers told is lost, by generalization and by pruning.
//!
//! # Undefined when
//! The original has no label.
//!
//! # References
//! Özalp et al., hierarchical data; Iyengar, KDD 2002. specs/06 §2.

use super::{NestedMeasured, NestedMetric};
use crate::metrics::real;
use crate::{Better, CellMetric, Costs, Score, Undefined};

pub(super) const METRIC: NestedMetric = NestedMetric {
    id: "lm",
    title: "loss metric",
    paper: "Iyengar 2002",
    reads_as: "how much of what quasi-identifiers told is lost, by generalization and by pruning",
    better: Better::Lower,
    measure,
};

fn measure(measured: &NestedMeasured<'_>) -> Result<Score, Undefined> {
    let n_labels = measured.original.n_labels() as u64;
    if n_labels == 0 {
        return Err(Undefined("means nothing for people without a quasi-identifier"));
    }
    let costs: Vec<Vec<Costs>> = (measured.original.kinds().iter())
        .map(|kind| kind.quasi.iter().map(|a| Costs::new(a, CellMetric::Lm)).collect())
        .collect();
    let mut total = 0.0;
    let mut n_kept = 0;
    for vertex in measured.trees.vertices() {
        let cells = measured.trees.cells(vertex);
        n_kept += cells.len() as u64;
        let costs = &costs[measured.trees.kind(vertex)];
        total += cells.iter().zip(costs).map(|(&cell, costs)| costs.of(cell)).sum::<f64>();
    }
    let suppressed = real(n_labels.saturating_sub(n_kept));
    Ok(Score::new((total + suppressed) / real(n_labels), (0.0, 1.0)))
}

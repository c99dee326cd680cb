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
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017; Iyengar, KDD 2002.

use super::{NestedMeasured, NestedMetric};
use crate::metrics::real;
use crate::{Better, CellMetric, Costs, Score, Undefined};

pub(super) const METRIC: NestedMetric = NestedMetric {
    id: "lm",
    title: "loss metric",
    paper: "Iyengar 2002",
    reads_as: "the share of quasi-identifier information lost by generalization and pruning",
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
    // What the labels of each kind lost, and how many of its vertices are kept.
    let mut lost: Vec<Vec<f64>> = costs.iter().map(|costs| vec![0.0; costs.len()]).collect();
    let mut n_kept = vec![0_u64; costs.len()];
    for vertex in measured.trees.vertices() {
        let kind = measured.trees.kind(vertex);
        n_kept[kind] += 1;
        for ((lost, costs), &cell) in
            lost[kind].iter_mut().zip(&costs[kind]).zip(measured.trees.cells(vertex))
        {
            *lost += costs.of(cell);
        }
    }
    let mut n_vertices = vec![0_u64; costs.len()];
    for record in 0..measured.original.n_records() {
        for vertex in measured.original.vertices(record) {
            n_vertices[measured.original.kind(vertex)] += 1;
        }
    }
    let mut total = 0.0;
    let mut parts = Vec::new();
    for (kind, lost) in lost.iter().enumerate() {
        let suppressed = real(n_vertices[kind].saturating_sub(n_kept[kind]));
        for (attribute, lost) in measured.original.kinds()[kind].quasi.iter().zip(lost) {
            total += lost + suppressed;
            let share = (lost + suppressed) / real(n_vertices[kind].max(1));
            parts.push((attribute.name().to_owned(), share));
        }
    }
    Ok(Score { value: total / real(n_labels), bounds: (0.0, 1.0), parts })
}

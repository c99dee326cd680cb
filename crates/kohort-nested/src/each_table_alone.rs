//! Each table alone: the vertices of each kind as a flat table, anonymized without a look at the others.
//!
//! # Guarantee
//! None for people: their vertices may fall into different groups in each table, and the links between the
//! tables tell them apart (Özalp 2017 Fig. 1.4). It is there to be compared with.
//!
//! # Method
//! 1. The vertices of a kind are the rows of a table.
//! 2. Cut the table into boxes of at least k rows, in which no sensitive value is had by more than one in l.
//! 3. A vertex shows the smallest cells that cover its box. A table with too few rows is not published.
//!
//! # Notation
//! None.
//!
//! # Cost
//! O(n log n) for n vertices.
//!
//! # Deviations
//! Özalp 2017 names no algorithm for the tables; ours cuts at medians.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §1.6.

use kohort_core::{Ctx, NO_VALUE, Spec};

use crate::candidate::{NO_GROUP, apart};
use crate::cut::{FlatColumn, cut, is_diverse};
use crate::{Failure, NestedAlgorithm, NestedCandidate, NestedProblem};

const SPEC: Spec = Spec {
    id: "each-table-alone",
    title: "Each table alone",
    paper: "Özalp et al. 2016, a rival",
    promise: "the rows of each table are k-anonymous and l-diverse without the others; people are not",
    parameters: &[],
};

/// Each table alone.
pub(crate) struct EachTableAlone;

impl NestedAlgorithm for EachTableAlone {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn is_safe(&self) -> bool {
        false
    }

    fn is_quadratic(&self) -> bool {
        false
    }

    fn make(&self, _: &Ctx<'_>, problem: &NestedProblem<'_>) -> Result<NestedCandidate, Failure> {
        let mut group_of_vertex = vec![NO_GROUP; problem.forest.n_vertices()];
        let mut n_groups = 0;
        for kind in 0..problem.forest.kinds().len() {
            for group in groups(problem, kind) {
                for vertex in group {
                    group_of_vertex[vertex as usize] = n_groups;
                }
                n_groups += 1;
            }
        }
        apart(problem, group_of_vertex)
    }
}

/// The boxes of one table.
fn groups(problem: &NestedProblem<'_>, kind: usize) -> Vec<Vec<u32>> {
    let forest = problem.forest;
    let rows: Vec<u32> =
        (0..).take(forest.n_vertices()).filter(|&vertex| forest.kind(vertex) == kind).collect();
    if rows.len() < problem.smallest() {
        return Vec::new();
    }
    let columns = (forest.kinds()[kind].quasi.iter().enumerate()).map(|(quasi, attribute)| {
        let mut codes = vec![0; forest.n_vertices()];
        for &vertex in &rows {
            codes[vertex as usize] = forest.labels(vertex)[quasi];
        }
        FlatColumn { codes, n_codes: attribute.n_codes() }
    });
    let columns: Vec<FlatColumn> = columns.collect();
    let is_allowed = |rows: &[u32]| {
        let values = rows.iter().map(|&v| forest.sensitive(v)).filter(|&code| code != NO_VALUE);
        problem.smallest() <= rows.len()
            && is_diverse(values.collect(), rows.len(), problem.l[kind])
    };
    cut(rows, &columns, &is_allowed)
}

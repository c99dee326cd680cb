//! The universal relation: all tables joined to one flat table, whose rows are anonymized.
//!
//! # Guarantee
//! None for people: somebody may have any number of the rows of a box, and the number tells people apart
//! (Özalp 2017 Fig. 1.6). It is there to be compared with.
//!
//! # Method
//! 1. A row for each vertex without children: it, and all vertices above it. Kinds that are not on its path
//!    are empty.
//! 2. Cut the rows into boxes of at least k, in which no sensitive value of a kind is had by more than one
//!    in l.
//! 3. A vertex shows the smallest cells that cover the vertices of its kind in the box of its row.
//!
//! # Notation
//! None.
//!
//! # Cost
//! O(n log n) for n leaves.
//!
//! # Deviations
//! - Branches beside one another stand in rows of their own; a join would multiply them.
//! - A vertex that has many rows shows what its first row does, since a tree has it once.
//! - Özalp 2017 names no algorithm for the rows; ours cuts at medians.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §1.7.

use kohort_core::{Attribute, Ctx, Forest, NO_VALUE, Spec};

use crate::candidate::{NO_GROUP, apart};
use crate::cut::{FlatColumn, cut, is_diverse};
use crate::{Failure, NestedAlgorithm, NestedCandidate, NestedProblem};

const SPEC: Spec = Spec {
    id: "universal-relation",
    title: "Universal relation",
    paper: "Özalp et al. 2016, a rival",
    promise: "the rows of the join of all tables are k-anonymous and l-diverse; people are not",
    parameters: &[],
};

/// The universal relation.
pub(crate) struct UniversalRelation;

impl NestedAlgorithm for UniversalRelation {
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
        let forest = problem.forest;
        let rows: Vec<u32> =
            (0..).take(forest.n_vertices()).filter(|&v| forest.children(v).is_empty()).collect();
        let mut boxes = Vec::new();
        if problem.smallest() <= rows.len() {
            boxes = cut(rows, &columns(forest), &|rows| is_allowed(problem, rows));
        }
        let mut box_of_row = vec![NO_GROUP; forest.n_vertices()];
        for (number, rows) in (0..).zip(boxes) {
            kohort_core::alive();
            for row in rows {
                box_of_row[row as usize] = number;
            }
        }
        let n_kinds = u32::try_from(forest.kinds().len()).expect("at most 65,535 kinds");
        let mut group_of_vertex = vec![NO_GROUP; forest.n_vertices()];
        for row in
            (0..).take(forest.n_vertices()).filter(|&row| box_of_row[row as usize] != NO_GROUP)
        {
            for (kind, vertex) in path(forest, row) {
                let group = &mut group_of_vertex[vertex as usize];
                if *group == NO_GROUP {
                    let kind = u32::try_from(kind).expect("at most 65,535 kinds");
                    *group = box_of_row[row as usize] * n_kinds + kind;
                }
            }
        }
        apart(problem, group_of_vertex)
    }
}

/// A vertex and those above it, with their kinds.
fn path(forest: &Forest, row: u32) -> impl Iterator<Item = (usize, u32)> {
    let above = |&vertex: &u32| Some(forest.parent(vertex)).filter(|&parent| parent != vertex);
    std::iter::successors(Some(row), above).map(|vertex| (forest.kind(vertex), vertex))
}

/// Every quasi-identifier of every kind; where a row lacks the kind, a code of its own.
fn columns(forest: &Forest) -> Vec<FlatColumn> {
    let quasi = forest.kinds().iter().enumerate().flat_map(|(kind, of_kind)| {
        of_kind.quasi.iter().enumerate().map(move |(quasi, attribute)| (kind, quasi, attribute))
    });
    let column = |(kind, quasi, attribute): (usize, usize, &Attribute)| {
        let code = |row| {
            let vertex = path(forest, row).find(|&(of, _)| of == kind);
            vertex.map_or(attribute.n_codes(), |(_, vertex)| forest.labels(vertex)[quasi])
        };
        let codes = (0..).take(forest.n_vertices()).map(code).collect();
        FlatColumn { codes, n_codes: attribute.n_codes() + 1 }
    };
    quasi.map(column).collect()
}

fn is_allowed(problem: &NestedProblem<'_>, rows: &[u32]) -> bool {
    let forest = problem.forest;
    let mut values = vec![Vec::new(); forest.kinds().len()];
    for &row in rows {
        for (kind, vertex) in path(forest, row) {
            values[kind].extend(Some(forest.sensitive(vertex)).filter(|&code| code != NO_VALUE));
        }
    }
    let mut of_kinds = values.into_iter().zip(problem.l);
    problem.smallest() <= rows.len() && of_kinds.all(|(codes, &l)| is_diverse(codes, rows.len(), l))
}

//! Further sensitive values of objects: shown by all who look the same, or by none.
//!
//! # Guarantee
//! An object may have several sensitive values; all but the first are vertices of their own, and may be cut while
//! the object stays. Among positions that nobody can tell apart, either all show such a value or none does:
//! beside values that are shown, one that is not may be any, and no promise would hold.
//!
//! # Method
//! 1. Bottom up, positions get equal forms where they show the same labels and what is below has equal forms;
//!    in trees of sensitive values there are no labels. Top down, those with equal forms below positions that
//!    are an orbit are one.
//! 2. Where some positions of an orbit have a value of a kind and others do not, it is cut from all.

use std::collections::BTreeMap;

use kohort_core::{Cell, Forest};

use crate::{AlignedClass, NestedForm};

/// What a position looks like: its kind, its labels, and the forms below it.
type Form = (usize, Vec<Cell>, Vec<usize>);

/// The positions to cut.
pub(crate) fn uneven(forest: &Forest, class: &AlignedClass, form: NestedForm) -> Vec<usize> {
    let has_members = forest.kinds().iter().any(|kind| kind.is_member);
    if !has_members || matches!(form, NestedForm::VertexAnatomy | NestedForm::Apart) {
        return Vec::new();
    }
    let positions: Vec<&[u32]> = class.positions().collect();
    let kind = |at: usize| forest.kind(positions[at][0]);
    let is_member = |at: &usize| forest.kinds()[kind(*at)].is_member;
    let mut position_of: BTreeMap<u32, usize> = BTreeMap::new();
    let mut below = vec![Vec::new(); positions.len()];
    for (at, vertices) in positions.iter().enumerate() {
        position_of.insert(vertices[0], at);
        if at > 0 {
            below[position_of[&forest.parent(vertices[0])]].push(at);
        }
    }
    let objects = |at: usize| below[at].iter().copied().filter(|below| !is_member(below));
    let (mut forms, mut form_of) = (BTreeMap::<Form, usize>::new(), vec![0; positions.len()]);
    for at in (0..positions.len()).rev().filter(|at| !is_member(at)) {
        let mut of_below: Vec<usize> = objects(at).map(|below| form_of[below]).collect();
        of_below.sort_unstable();
        let labels = match form {
            NestedForm::Generalized => labels(forest, positions[at]),
            _ => Vec::new(),
        };
        let next = forms.len();
        form_of[at] = *forms.entry((kind(at), labels, of_below)).or_insert(next);
    }
    // The positions of each orbit, in the order in which orbits are found.
    let (mut orbits, mut next) = (vec![vec![0]], 0);
    while next < orbits.len() {
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for below in orbits[next].iter().flat_map(|&at| objects(at)) {
            parts.entry(form_of[below]).or_default().push(below);
        }
        orbits.extend(parts.into_values());
        next += 1;
    }
    let mut found = Vec::new();
    for orbit in orbits {
        let mut of_kind: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for member in orbit.iter().flat_map(|&at| &below[at]).filter(|at| is_member(at)) {
            of_kind.entry(kind(*member)).or_default().push(*member);
        }
        found.extend(of_kind.into_values().filter(|some| some.len() < orbit.len()).flatten());
    }
    found.sort_unstable();
    found
}

/// The smallest cells that cover the vertices of a position.
fn labels(forest: &Forest, vertices: &[u32]) -> Vec<Cell> {
    let quasi = &forest.kinds()[forest.kind(vertices[0])].quasi;
    let label = |(index, attribute): (usize, &kohort_core::Attribute)| {
        let codes = || vertices.iter().map(|&vertex| forest.labels(vertex)[index]);
        let (lo, hi) = codes().min().zip(codes().max()).expect("a position has vertices");
        attribute.smallest_cell(lo, hi)
    };
    quasi.iter().enumerate().map(label).collect()
}

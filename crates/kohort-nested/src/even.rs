//! Further sensitive values of objects: shown by all who look the same, or by none.
//!
//! # Guarantee
//! An object may have several sensitive values; all but the first are vertices of their own, and may be cut while
//! the object stays. Among positions that nobody can tell apart, either all show such a value or none does:
//! beside values that are shown, one that is not may be any, and no promise would hold.
//!
//! # Method
//! 1. Bottom up, positions get equal forms where they show the same labels and what is below has equal forms;
//!    in trees of sensitive values there are no labels. (What stands in the place of arrays without items may tell
//!    some of them apart all the same: then more is cut than need be.) Top down, those with equal forms below positions that
//!    are an orbit are one.
//! 2. Where some positions of an orbit have a value of a kind and others do not, it is cut from all.

use std::collections::BTreeMap;

use kohort_core::{Cell, Forest};

use crate::{AlignedClass, NestedForm};

/// What a position looks like: its kind, its labels, and the forms below it.
type Form = (usize, Vec<Cell>, Vec<usize>);

/// A position: its class, and its place in that.
type At = (usize, usize);

/// The positions to cut, in ascending order.
pub(crate) fn uneven(forest: &Forest, classes: &[AlignedClass], form: NestedForm) -> Vec<At> {
    let has_members = forest.kinds().iter().any(|kind| kind.is_member);
    if !has_members || matches!(form, NestedForm::VertexAnatomy | NestedForm::Apart) {
        return Vec::new();
    }
    let mut forms = BTreeMap::new();
    let trees: Vec<Tree> = classes.iter().map(|c| Tree::new(forest, c, form, &mut forms)).collect();
    // Classes that look the same are one to a reader; those of an anatomy have the names of their groups.
    let mut roots: BTreeMap<(usize, usize), Vec<At>> = BTreeMap::new();
    for (class, tree) in trees.iter().enumerate() {
        let own = if form == NestedForm::Generalized { 0 } else { class };
        roots.entry((tree.form_of[0], own)).or_default().push((class, 0));
    }
    let (mut orbits, mut next): (Vec<Vec<At>>, _) = (roots.into_values().collect(), 0);
    while next < orbits.len() {
        let mut parts: BTreeMap<usize, Vec<At>> = BTreeMap::new();
        for &(class, at) in &orbits[next] {
            for &below in &trees[class].objects[at] {
                parts.entry(trees[class].form_of[below]).or_default().push((class, below));
            }
        }
        orbits.extend(parts.into_values());
        next += 1;
    }
    let mut found = Vec::new();
    for orbit in orbits {
        let mut of_kind: BTreeMap<usize, Vec<At>> = BTreeMap::new();
        for &(class, at) in &orbit {
            for &(kind, member) in &trees[class].members[at] {
                of_kind.entry(kind).or_default().push((class, member));
            }
        }
        found.extend(of_kind.into_values().filter(|some| some.len() < orbit.len()).flatten());
    }
    found.sort_unstable();
    found
}

/// The positions of a class as a tree.
struct Tree {
    form_of: Vec<usize>,
    // Below each position, the objects, and the further values with their kinds.
    objects: Vec<Vec<usize>>,
    members: Vec<Vec<(usize, usize)>>,
}

impl Tree {
    fn new(
        forest: &Forest,
        class: &AlignedClass,
        form: NestedForm,
        forms: &mut BTreeMap<Form, usize>,
    ) -> Self {
        let positions: Vec<&[u32]> = class.positions().collect();
        let n = positions.len();
        let (mut objects, mut members) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        let mut position_of: BTreeMap<u32, usize> = BTreeMap::new();
        for (at, vertices) in positions.iter().enumerate() {
            position_of.insert(vertices[0], at);
            let kind = forest.kind(vertices[0]);
            if at > 0 {
                let above = position_of[&forest.parent(vertices[0])];
                if forest.kinds()[kind].is_member {
                    members[above].push((kind, at));
                } else {
                    objects[above].push(at);
                }
            }
        }
        let mut form_of: Vec<usize> = vec![0; n];
        // What is below stands behind.
        for at in (0..n).rev() {
            let kind = forest.kind(positions[at][0]);
            let mut below: Vec<usize> = objects[at].iter().map(|&below| form_of[below]).collect();
            below.sort_unstable();
            let labels = match form {
                NestedForm::Generalized => labels(forest, positions[at]),
                _ => Vec::new(),
            };
            let next = forms.len();
            form_of[at] = *forms.entry((kind, labels, below)).or_insert(next);
        }
        Self { form_of, objects, members }
    }
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

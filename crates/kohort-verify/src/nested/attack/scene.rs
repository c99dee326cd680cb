//! What an adversary of nested data has, and what nobody tells them.

use kohort_core::{Forest, NO_VALUE, number};
use kohort_models::nested::{ReleasedTrees, ReleasedValues};

use super::super::shape::{Shape, narrow, pair, small};

/// People's trees without their sensitive values: what may be known of them.
#[derive(Clone, Copy)]
pub struct NestedPeople<'a>(pub(super) &'a Forest);

impl<'a> NestedPeople<'a> {
    /// What may be known of the people of these trees. Their sensitive values cannot be asked for.
    pub fn new(forest: &'a Forest) -> Self {
        Self(forest)
    }
}

/// All that an adversary has.
#[derive(Clone, Copy)]
pub struct NestedScene<'a> {
    /// The people: targets, and the meaning of codes.
    pub people: NestedPeople<'a>,
    /// The released trees.
    pub trees: &'a ReleasedTrees,
    /// What is released of sensitive values.
    pub values: &'a ReleasedValues,
}

impl NestedScene<'_> {
    /// Released trees that show the same, together.
    pub(super) fn alike(&self) -> Vec<Vec<u32>> {
        let (shape, vertices) = Shape::of_released(self.people.0, self.trees);
        let mut labels = shape.unlabeled();
        for (kind, (labels, vertices)) in
            self.people.0.kinds().iter().zip(labels.iter_mut().zip(&vertices))
        {
            for (at, attribute) in kind.quasi.iter().enumerate() {
                let mut keys: Vec<u64> = (vertices.iter())
                    .map(|&vertex| {
                        let (first, last) = attribute.codes_of(self.trees.cells(vertex)[at]);
                        pair(first, last)
                    })
                    .collect();
                number(&mut keys, u64::MAX);
                let both = labels.iter().zip(&keys).map(|(&label, &key)| pair(label, narrow(key)));
                let mut both: Vec<u64> = both.collect();
                number(&mut both, u64::MAX);
                *labels = both.into_iter().map(narrow).collect();
            }
        }
        let forms = shape.forms(labels);
        let mut of_tree: Vec<Vec<u32>> = Vec::new();
        for (tree, &form) in (0..).zip(&forms[0]) {
            if of_tree.len() <= form as usize {
                of_tree.resize_with(form as usize + 1, Vec::new);
            }
            of_tree[form as usize].push(tree);
        }
        of_tree.retain(|trees| !trees.is_empty());
        of_tree
    }

    /// The codes that the value of a released vertex is drawn from, for who does not know more: its own,
    /// those at its place in the trees of the group, or its list.
    pub(super) fn pool(&self, tree: usize, vertex: u32, add: &mut dyn FnMut(u32, f64)) {
        match self.values {
            ReleasedValues::Own(values) => add(values[vertex as usize], 1.0),
            ReleasedValues::Trees { group, place, sensitive } => {
                let of_group = &sensitive[group[tree] as usize];
                let at = place[vertex as usize];
                let kind = self.trees.kind(vertex);
                for own in of_group {
                    let first = own.partition_point(|&(place, ..)| place < at);
                    let here = own[first..].iter().take_while(|&&(place, ..)| place == at);
                    let here = || here.clone().filter(|&&(_, of, _)| of as usize == kind);
                    let share = 1.0 / (here().count().max(1) * of_group.len()) as f64;
                    here().for_each(|&(.., code)| add(code, share));
                }
            }
            ReleasedValues::Lists { list, lists } => {
                if let Some((_, codes)) = lists.get(list[vertex as usize] as usize) {
                    for &code in codes {
                        add(code, 1.0 / codes.len() as f64);
                    }
                }
            }
        }
    }

    /// How likely who is linked with a released tree is linked with their own sensitive values: one of
    /// those of the group where trees are apart from values.
    pub(super) fn values_of_tree(&self, tree: usize) -> f64 {
        match self.values {
            ReleasedValues::Own(_) => 1.0,
            ReleasedValues::Trees { group, sensitive, .. } => {
                1.0 / sensitive[group[tree] as usize].len().max(1) as f64
            }
            ReleasedValues::Lists { list, lists } => {
                let vertices = self.trees.subtree(self.trees.roots()[tree]);
                let lists = vertices.filter_map(|vertex| lists.get(list[vertex as usize] as usize));
                let shares = lists.map(|(_, codes)| 1.0 / codes.len().max(1) as f64);
                // Of whom no value is published, nobody is linked with one.
                shares.reduce(|both, share| both * share).unwrap_or(0.0)
            }
        }
    }
}

/// What is true of people. Adversaries never see it.
pub struct TruePeople<'a> {
    forest: &'a Forest,
    // The released tree of each person.
    tree: Vec<Option<u32>>,
}

impl<'a> TruePeople<'a> {
    /// The truth, given for each released tree the record of its person.
    pub fn new(forest: &'a Forest, originals: &[Option<u32>]) -> Self {
        let mut tree = vec![None; forest.n_records()];
        for (released, original) in (0..).zip(originals) {
            if let Some(record) = original {
                tree[*record as usize] = Some(released);
            }
        }
        Self { forest, tree }
    }

    /// The released tree of a person, if there is one.
    pub(super) fn tree(&self, person: u32) -> Option<u32> {
        self.tree[person as usize]
    }

    /// The people with a released tree, and the tree.
    pub(super) fn members(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(&self.tree).filter_map(|(person, tree)| Some((person, (*tree)?)))
    }

    /// The sensitive code of a vertex.
    pub(super) fn value(&self, vertex: u32) -> Option<u32> {
        Some(self.forest.sensitive(vertex)).filter(|&code| code != NO_VALUE)
    }

    /// How often codes that `is_meant` are in a person's tree.
    pub(super) fn occurrences(&self, person: u32, is_meant: impl Fn(usize, u32) -> bool) -> u32 {
        let vertices = self.forest.vertices(person as usize);
        let meant = vertices.filter(|&v| is_meant(self.forest.kind(v), self.forest.sensitive(v)));
        small(meant.count())
    }
}

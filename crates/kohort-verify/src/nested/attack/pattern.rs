//! A part of a person's tree that is known, and where it may be in released trees.

use kohort_core::Forest;
use kohort_models::nested::ReleasedTrees;

use super::super::matching::Matching;
use super::super::shape::small;
use super::structural::TreeKnowledge;

/// What is known of one person: some vertices, and the labels of some of these.
pub(super) struct Pattern<'a> {
    people: &'a Forest,
    root: u32,
    // For each vertex of the person whether it is known, and whether its labels are.
    is_known: Vec<(bool, bool)>,
    /// Whether all vertices are known, so that no other is the person's.
    pub(super) is_whole: bool,
}

impl<'a> Pattern<'a> {
    /// What an adversary knows of a person. `rarity` has a number for each vertex: the lower, the rarer
    /// its labels.
    pub(super) fn new(
        people: &'a Forest,
        person: u32,
        knowledge: TreeKnowledge,
        rarity: &[u32],
    ) -> Self {
        let vertices = people.vertices(person as usize);
        let root = vertices.start;
        let is_whole = !matches!(knowledge, TreeKnowledge::Labels(_));
        let has_labels = knowledge == TreeKnowledge::Whole;
        let mut is_known = vec![(is_whole, has_labels); vertices.len()];
        if let TreeKnowledge::Labels(n) = knowledge {
            let mut rarest: Vec<u32> =
                vertices.filter(|&vertex| !people.labels(vertex).is_empty()).collect();
            rarest.sort_by_key(|&vertex| (rarity[vertex as usize], vertex));
            for &vertex in rarest.iter().take(n as usize) {
                is_known[(vertex - root) as usize] = (true, true);
                let mut at = vertex;
                while people.parent(at) != at {
                    at = people.parent(at);
                    is_known[(at - root) as usize].0 = true;
                }
            }
            is_known[0].0 = true;
        }
        Self { people, root, is_known, is_whole }
    }

    /// How many vertices of each kind are known.
    pub(super) fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.people.kinds().len()];
        for (vertex, _) in (self.root..).zip(&self.is_known).filter(|(_, known)| known.0) {
            counts[self.people.kind(vertex)] += 1;
        }
        counts
    }

    /// Whether a released vertex may show a vertex of the person, by itself.
    pub(super) fn may_show(&self, trees: &ReleasedTrees, released: u32, vertex: u32) -> bool {
        let kind = self.people.kind(vertex);
        if trees.kind(released) != kind {
            return false;
        }
        if !self.is_known[(vertex - self.root) as usize].1 {
            return true;
        }
        let attributes = &self.people.kinds()[kind].quasi;
        let labels = trees.cells(released).iter().zip(self.people.labels(vertex));
        attributes.iter().zip(labels).all(|(attribute, (&cell, label))| {
            let (first, last) = attribute.codes_of(cell);
            (first..=last).contains(label)
        })
    }

    /// Whether all that is known is in a released tree.
    pub(super) fn is_in(&self, trees: &ReleasedTrees, released: u32, vertex: u32) -> bool {
        self.may_show(trees, released, vertex) && {
            let known: Vec<u32> = (self.people.children(vertex))
                .filter(|&child| self.is_known[(child - self.root) as usize].0)
                .collect();
            let below: Vec<u32> = trees.children(released).collect();
            can_be_laid(&known, &below, |vertex, released| self.is_in(trees, released, vertex))
        }
    }

    /// Whether a released tree shows nothing but what is known.
    pub(super) fn has(&self, trees: &ReleasedTrees, released: u32, vertex: u32) -> bool {
        self.may_show(trees, released, vertex) && {
            let known: Vec<u32> = self.people.children(vertex).collect();
            let below: Vec<u32> = trees.children(released).collect();
            can_be_laid(&below, &known, |released, vertex| self.has(trees, released, vertex))
        }
    }

    /// Calls `found` with each pair of a vertex of the person and a released one that may show it, from
    /// the root down.
    pub(super) fn pairs(
        &self,
        trees: &ReleasedTrees,
        released: u32,
        vertex: u32,
        found: &mut dyn FnMut(u32, u32),
    ) {
        if !self.may_show(trees, released, vertex) {
            return;
        }
        found(vertex, released);
        for child in self.people.children(vertex) {
            if self.is_known[(child - self.root) as usize].0 {
                for below in trees.children(released) {
                    self.pairs(trees, below, child, found);
                }
            }
        }
    }
}

/// Whether each of some can be given one of others of its own.
fn can_be_laid(some: &[u32], others: &[u32], fits: impl Fn(u32, u32) -> bool) -> bool {
    if some.len() > others.len() {
        return false;
    }
    let mut candidates: Vec<Vec<u32>> = Vec::with_capacity(some.len());
    for &one in some {
        let fits = |&at: &u32| fits(one, others[at as usize]);
        candidates.push((0..small(others.len())).filter(fits).collect());
        if candidates.last().is_some_and(Vec::is_empty) {
            return false;
        }
    }
    let mut matching = Matching::new(some.len(), others.len());
    (0..small(some.len()))
        .all(|one| matching.place(one, |one| candidates[one as usize].iter().copied()))
}

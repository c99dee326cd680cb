//! What is cut of the members of a group before they are laid on one another, so that rules hold however
//! that is done.
//!
//! # Method
//! A tree that is merged finds the occurrences that rules allow used up by those before it, and pays for
//! them alone: what it loses, everybody loses. With all members known the cuts are shared out, so that no
//! tree becomes much smaller than the others:
//! 1. By vertex: as long as a value occurs too often in all trees together, the tree with the most vertices
//!    left of its kind loses the occurrence with the fewest vertices below it.
//! 2. By tree: of the members with a value too often as many may be so as the rule allows. The others lose
//!    the occurrences that are too many; those are the others who have most to spare.

use kohort_core::Forest;

use super::tally::Judge;

/// For each member, the vertices to cut. Roots are never among them.
pub(super) fn cuts(judge: &Judge<'_>, forest: &Forest, members: &[u32]) -> Vec<Vec<u32>> {
    let mut trees: Vec<Tree<'_>> =
        members.iter().map(|&record| Tree::new(judge, forest, record)).collect();
    for index in 0..judge.n_rules() {
        if judge.is_by_tree() {
            by_tree(judge, &mut trees, index);
        } else {
            while judge.most(index) < trees.iter().map(|tree| tree.occurrences(index).count()).sum()
            {
                let able = trees.iter_mut().filter(|tree| tree.cheapest(index).is_some());
                let Some(largest) = able.max_by_key(|tree| tree.left(index)) else { break };
                largest.cut(index);
            }
        }
    }
    trees.into_iter().map(|tree| tree.cuts).collect()
}

fn by_tree(judge: &Judge<'_>, trees: &mut [Tree<'_>], index: usize) {
    let at_least = judge.rule(index).at_least() as usize;
    let smallest = trees.iter().map(|tree| tree.left(index)).min().unwrap_or(0);
    let mut often: Vec<(usize, usize, usize)> = Vec::new();
    for (member, tree) in trees.iter().enumerate() {
        let n = tree.occurrences(index).count();
        if at_least <= n {
            let too_many = n + 1 - at_least;
            let to_spare = tree.left(index) - smallest;
            often.push((too_many.saturating_sub(to_spare), too_many, member));
        }
    }
    often.sort_unstable();
    let n_cut = often.len().saturating_sub(judge.most(index));
    for &(_, too_many, member) in &often[..n_cut] {
        for _ in 0..too_many {
            trees[member].cut(index);
        }
    }
}

/// A member, and what is cut of it.
struct Tree<'a> {
    judge: &'a Judge<'a>,
    forest: &'a Forest,
    vertices: std::ops::Range<u32>,
    is_cut: Vec<bool>,
    cuts: Vec<u32>,
}

impl<'a> Tree<'a> {
    fn new(judge: &'a Judge<'a>, forest: &'a Forest, record: u32) -> Self {
        let vertices = forest.vertices(record as usize);
        let is_cut = vec![false; vertices.len()];
        Self { judge, forest, vertices, is_cut, cuts: Vec::new() }
    }

    /// The vertices that are not cut.
    fn uncut(&self) -> impl Iterator<Item = u32> {
        self.vertices.clone().zip(&self.is_cut).filter(|(_, is_cut)| !**is_cut).map(|(v, _)| v)
    }

    /// The occurrences that are left of a rule's value.
    fn occurrences(&self, index: usize) -> impl Iterator<Item = u32> {
        let (rule, forest) = (self.judge.rule(index), self.forest);
        self.uncut().filter(|&v| rule.is_occurrence(forest.kind(v), forest.sensitive(v)))
    }

    /// How many vertices are left of the kinds that a rule is about.
    fn left(&self, index: usize) -> usize {
        let rule = self.judge.rule(index);
        self.uncut().filter(|&v| rule.code_of_kind(self.forest.kind(v)).is_some()).count()
    }

    /// The occurrence with the fewest vertices below it, the last of several.
    fn cheapest(&self, index: usize) -> Option<u32> {
        let below_root = self.occurrences(index).filter(|&vertex| vertex != self.vertices.start);
        below_root.min_by_key(|&vertex| (self.size(vertex), std::cmp::Reverse(vertex)))
    }

    fn size(&self, vertex: u32) -> usize {
        1 + self.forest.children(vertex).map(|child| self.size(child)).sum::<usize>()
    }

    fn cut(&mut self, index: usize) {
        let Some(vertex) = self.cheapest(index) else { return };
        self.cuts.push(vertex);
        let mut below = vec![vertex];
        while let Some(vertex) = below.pop() {
            self.is_cut[(vertex - self.vertices.start) as usize] = true;
            below.extend(self.forest.children(vertex));
        }
    }
}

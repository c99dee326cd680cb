//! Merging a tree into a group by assignment: of all ways to match children, the one that loses the
//! fewest vertices.
//!
//! # Method
//! 1. What a pair of a position and a vertex keeps is one, and what the best assignment of their children
//!    keeps, kind by kind. A pair is reached through the pair of their parents alone, so each is
//!    evaluated once, its worth in the matrix of its parents.
//! 2. Of two assignments that keep the same, the one that matches fewer vertices with a discriminatory
//!    value is better.
//! 3. While a rule is broken: of the vertices of the record that have its value, the one whose match keeps
//!    the fewest is cut, and the rest is matched again. A rule that held without the record holds again
//!    once all of them are cut, unless it is the root.
//!
//! # References
//! specs/06 §5.2.

use std::ops::Range;

use super::augmented::Augmented;
use super::tally::{Judge, Tally};
use crate::NestedProblem;
use crate::assignment::Assignment;
use crate::costs::Cost;

/// The worth of a matched pair; less one where the vertex has a discriminatory value. No tree has as many.
const PAIR: Cost = 1 << 32;

/// Merges by assignment.
pub(super) struct ByAssignment<'a> {
    problem: &'a NestedProblem<'a>,
    size: usize,
    // The matrices of the pairs that are being evaluated, outermost first, as negative worths.
    matrix: Vec<Cost>,
    assignment: Assignment,
    // Vertices of the record at hand that are not to be matched.
    cut: Vec<u32>,
}

impl<'a> ByAssignment<'a> {
    pub(super) fn new(problem: &'a NestedProblem<'a>) -> Self {
        Self {
            problem,
            size: problem.smallest(),
            matrix: Vec::new(),
            assignment: Assignment::default(),
            cut: Vec::new(),
        }
    }

    /// The number of vertices lost by the group and a record, if it is within a limit and their roots can
    /// be matched.
    pub(super) fn lost(
        &mut self,
        judge: &Judge<'_>,
        group: &Augmented<'_>,
        record: u32,
        limit: u64,
    ) -> Option<u64> {
        self.cut.clear();
        let root = self.problem.forest.root(record as usize);
        let worth = self.worth(judge, group, 0, root);
        if worth == 0 {
            return None;
        }
        let n_matched = usize::try_from((worth + PAIR - 1) / PAIR).expect("a number of positions");
        let lost = group.lost(record, n_matched);
        if limit < lost || !judge.has_rules() {
            return (lost <= limit).then_some(lost);
        }
        let pairs = self.pairs(judge, group, record)?;
        Some(group.lost(record, pairs.len())).filter(|&lost| lost <= limit)
    }

    /// The positions and vertices that are matched; none where the roots cannot be.
    pub(super) fn pairs(
        &mut self,
        judge: &Judge<'_>,
        group: &Augmented<'_>,
        record: u32,
    ) -> Option<Vec<(u32, u32)>> {
        self.cut.clear();
        let root = self.problem.forest.root(record as usize);
        if !self.can_meet(group, 0, root) {
            return None;
        }
        loop {
            let mut pairs = Vec::new();
            self.collect(judge, group, (0, root), &mut pairs);
            if !judge.has_rules() {
                return Some(pairs);
            }
            let joined = group.joined(record, &pairs);
            let Some(rule) = Tally::new(judge, &joined).broken() else { return Some(pairs) };
            let forest = self.problem.forest;
            let member = joined.members().len() - 1;
            let (_, cut) = (1..)
                .zip(&joined.sizes()[1..])
                .map(|(position, &size)| (size, joined.vertices(position)[member]))
                .filter(|&(_, v)| rule.is_occurrence(forest.kind(v), forest.sensitive(v)))
                .min()?;
            self.cut.push(cut);
        }
    }

    /// Whether a vertex may be matched with a position of its kind.
    fn can_meet(&self, group: &Augmented<'_>, position: u32, vertex: u32) -> bool {
        let l = self.problem.l[self.problem.forest.kind(vertex)].max(1) as usize;
        group.has_room(position, vertex, self.size / l) && !self.cut.contains(&vertex)
    }

    /// What a pair keeps; nothing if it may not be matched.
    fn worth(&mut self, judge: &Judge<'_>, group: &Augmented<'_>, position: u32, vertex: u32) -> Cost {
        if !self.can_meet(group, position, vertex) {
            return 0;
        }
        let forest = self.problem.forest;
        let is_discriminatory =
            judge.is_discriminatory(forest.kind(vertex), forest.sensitive(vertex));
        let mut worth = PAIR - Cost::from(is_discriminatory);
        for block in Blocks::new(group, position, vertex) {
            worth += self.worth_of_block(judge, group, &block);
        }
        worth
    }

    /// What the best assignment of children of one kind keeps.
    fn worth_of_block(&mut self, judge: &Judge<'_>, group: &Augmented<'_>, block: &Block) -> Cost {
        let start = self.matrix.len();
        self.fill(judge, group, block);
        let matrix = &self.matrix[start..];
        let total = if block.n_rows() == 1 {
            matrix.iter().copied().min()
        } else {
            self.assignment.solve(matrix, block.n_columns(), Cost::MAX)
        };
        self.matrix.truncate(start);
        -total.expect("there is no limit")
    }

    fn fill(&mut self, judge: &Judge<'_>, group: &Augmented<'_>, block: &Block) {
        for row in 0..block.n_rows() {
            for column in 0..block.n_columns() {
                let (position, vertex) = block.pair(row, column);
                let worth = self.worth(judge, group, position, vertex);
                self.matrix.push(-worth);
            }
        }
    }

    /// The pairs at and below a pair.
    fn collect(
        &mut self,
        judge: &Judge<'_>,
        group: &Augmented<'_>,
        (position, vertex): (u32, u32),
        pairs: &mut Vec<(u32, u32)>,
    ) {
        pairs.push((position, vertex));
        for block in Blocks::new(group, position, vertex) {
            let start = self.matrix.len();
            self.fill(judge, group, &block);
            let matrix = &self.matrix[start..];
            self.assignment.solve(matrix, block.n_columns(), Cost::MAX).expect("there is no limit");
            self.matrix.truncate(start);
            let found: Vec<(u32, u32)> = (0..block.n_rows())
                .map(|row| block.pair(row, self.assignment.column_of_row(row)))
                .filter(|&(position, vertex)| self.can_meet(group, position, vertex))
                .collect();
            for pair in found {
                self.collect(judge, group, pair, pairs);
            }
        }
    }
}

/// The children of one kind of a position and of a vertex: the fewer are rows.
struct Block {
    positions: Range<u32>,
    vertices: Range<u32>,
}

impl Block {
    fn n_rows(&self) -> usize {
        self.positions.len().min(self.vertices.len())
    }

    fn n_columns(&self) -> usize {
        self.positions.len().max(self.vertices.len())
    }

    fn pair(&self, row: usize, column: usize) -> (u32, u32) {
        let is_row = self.positions.len() <= self.vertices.len();
        let (position, vertex) = if is_row { (row, column) } else { (column, row) };
        let at = |range: &Range<u32>, index: usize| {
            range.start + u32::try_from(index).expect("a range of u32")
        };
        (at(&self.positions, position), at(&self.vertices, vertex))
    }
}

/// The children of a position and of a vertex, kind by kind; kinds that one of them lacks are left out.
struct Blocks<'g> {
    group: &'g Augmented<'g>,
    positions: Range<u32>,
    vertices: Range<u32>,
}

impl<'g> Blocks<'g> {
    fn new(group: &'g Augmented<'g>, position: u32, vertex: u32) -> Self {
        let vertices = group.forest().children(vertex);
        Self { group, positions: group.children(position), vertices }
    }
}

impl Iterator for Blocks<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        let (group, forest) = (self.group, self.group.forest());
        while !self.positions.is_empty() && !self.vertices.is_empty() {
            let kind = group.kind(self.positions.start).min(forest.kind(self.vertices.start));
            let of_kind = |range: &Range<u32>, kind_of: &dyn Fn(u32) -> usize| {
                range.start..range.clone().find(|&at| kind_of(at) != kind).unwrap_or(range.end)
            };
            let positions = of_kind(&self.positions, &|position| group.kind(position));
            let vertices = of_kind(&self.vertices, &|vertex| forest.kind(vertex));
            (self.positions.start, self.vertices.start) = (positions.end, vertices.end);
            if !positions.is_empty() && !vertices.is_empty() {
                return Some(Block { positions, vertices });
            }
        }
        None
    }
}

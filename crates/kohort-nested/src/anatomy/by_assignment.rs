//! Merging a tree into a group by assignment: of all ways to match children, the one that loses the
//! fewest vertices.
//!
//! # Method
//! 1. What a pair of a position and a vertex keeps is one, and what the best assignment of their children
//!    keeps, kind by kind. A pair is reached through the pair of their parents alone, so each is
//!    evaluated once, its worth in the matrix of its parents.
//! 2. Of two assignments that keep the same, the one with fewer discriminatory values is better.
//! 3. A rule that is broken nevertheless counts for more, and the trees are matched again. If that does not
//!    help: of the record's vertices with its value, the one whose match keeps the fewest is cut, and the
//!    rest is matched again; then of the group's positions. Only at the root this ends without a match.
//!
//! # References
//! specs/06 §5.2.

use std::ops::Range;

use super::augmented::Augmented;
use super::tally::{Judge, Tally};
use crate::NestedProblem;
use crate::assignment::Assignment;
use crate::costs::Cost;

/// The worth of a matched pair. What is taken off for the discriminatory values of a tree is less, up to
/// millions of vertices.
const PAIR: Cost = 1 << 40;

/// What a discriminatory value takes off where its rule is broken; else it takes off one.
const BROKEN: Cost = 1 << 12;

/// Merges by assignment.
pub(super) struct ByAssignment<'a> {
    problem: &'a NestedProblem<'a>,
    size: usize,
    // The matrices of the pairs that are being evaluated, outermost first, as negative worths.
    matrix: Vec<Cost>,
    assignment: Assignment,
    // Of the record at hand: the rules that were broken, and what is not to be matched.
    broken: Vec<usize>,
    cut_vertices: Vec<u32>,
    cut_positions: Vec<u32>,
}

impl<'a> ByAssignment<'a> {
    pub(super) fn new(problem: &'a NestedProblem<'a>) -> Self {
        Self {
            problem,
            size: problem.smallest(),
            matrix: Vec::new(),
            assignment: Assignment::default(),
            broken: Vec::new(),
            cut_vertices: Vec::new(),
            cut_positions: Vec::new(),
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
        self.start();
        let root = self.problem.forest.root(record as usize);
        let worth = self.worth(group, 0, root);
        if worth == 0 {
            return None;
        }
        let n_matched = usize::try_from((worth + PAIR - 1) / PAIR).expect("a number of positions");
        let lost = group.lost(record, n_matched);
        if limit < lost || !judge.has_rules() {
            return (lost <= limit).then_some(lost);
        }
        let pairs = self.pairs_within(judge, group, record, limit)?;
        Some(group.lost(record, pairs.len()))
    }

    /// The positions and vertices that are matched; none where the roots cannot be.
    pub(super) fn pairs(
        &mut self,
        judge: &Judge<'_>,
        group: &Augmented<'_>,
        record: u32,
    ) -> Option<Vec<(u32, u32)>> {
        self.pairs_within(judge, group, record, u64::MAX)
    }

    /// The same, if no more vertices are lost than the limit.
    fn pairs_within(
        &mut self,
        judge: &Judge<'_>,
        group: &Augmented<'_>,
        record: u32,
        limit: u64,
    ) -> Option<Vec<(u32, u32)>> {
        self.start();
        let root = self.problem.forest.root(record as usize);
        if !self.can_meet(group, 0, root) {
            return None;
        }
        loop {
            let mut pairs = Vec::new();
            self.collect(group, (0, root), &mut pairs);
            // Whatever is cut, no more is kept than before.
            if limit < group.lost(record, pairs.len()) {
                return None;
            }
            if !judge.has_rules() {
                return Some(pairs);
            }
            let joined = group.joined(record, &pairs);
            let Some(broken) = Tally::new(judge, &joined).broken() else { return Some(pairs) };
            if !self.broken.contains(&broken) {
                self.broken.push(broken);
                continue;
            }
            let rule = &self.problem.rules[broken];
            pairs.sort_unstable();
            // The pairs are the positions of the joined tree, in their order.
            let matches = || joined.sizes().into_iter().zip(pairs.iter().copied()).skip(1);
            let is_vertex =
                |v| rule.is_occurrence(group.forest().kind(v), group.forest().sensitive(v));
            let is_position = |p| group.vertices(p).iter().any(|&vertex| is_vertex(vertex));
            let vertices = matches().filter(|&(_, (_, v))| is_vertex(v)).map(|(n, (_, v))| (n, v));
            if let Some((_, vertex)) = vertices.min() {
                self.cut_vertices.push(vertex);
            } else {
                let of_group = matches().filter(|&(_, (p, _))| is_position(p));
                let (_, (position, _)) = of_group.min()?;
                self.cut_positions.push(position);
            }
        }
    }

    fn start(&mut self) {
        self.broken.clear();
        self.cut_vertices.clear();
        self.cut_positions.clear();
    }

    /// Whether a vertex may be matched with a position of its kind.
    fn can_meet(&self, group: &Augmented<'_>, position: u32, vertex: u32) -> bool {
        let l = self.problem.l[self.problem.forest.kind(vertex)].max(1) as usize;
        group.has_room(position, vertex, self.size / l)
            && !self.cut_vertices.contains(&vertex)
            && !self.cut_positions.contains(&position)
    }

    /// What a pair keeps; nothing if it may not be matched.
    fn worth(&mut self, group: &Augmented<'_>, position: u32, vertex: u32) -> Cost {
        if !self.can_meet(group, position, vertex) {
            return 0;
        }
        let mut worth = PAIR - self.taken_off(group, position, vertex);
        for block in Blocks::new(group, position, vertex) {
            worth += self.worth_of_block(group, &block);
        }
        worth
    }

    /// What the discriminatory values of a pair take off its worth.
    fn taken_off(&self, group: &Augmented<'_>, position: u32, vertex: u32) -> Cost {
        let kind = self.problem.forest.kind(vertex);
        let own = self.problem.forest.sensitive(vertex);
        let mut taken_off = 0;
        for (index, rule) in self.problem.rules.iter().enumerate() {
            let codes = group.values(position).iter().chain([&own]);
            if codes.into_iter().any(|&code| rule.is_occurrence(kind, code)) {
                taken_off += if self.broken.contains(&index) { BROKEN } else { 1 };
            }
        }
        taken_off
    }

    /// What the best assignment of children of one kind keeps.
    fn worth_of_block(&mut self, group: &Augmented<'_>, block: &Block) -> Cost {
        let start = self.matrix.len();
        self.fill(group, block);
        let matrix = &self.matrix[start..];
        let total = self.assignment.solve(matrix, block.n_columns());
        self.matrix.truncate(start);
        -total
    }

    fn fill(&mut self, group: &Augmented<'_>, block: &Block) {
        for row in 0..block.n_rows() {
            for column in 0..block.n_columns() {
                let (position, vertex) = block.pair(row, column);
                let worth = self.worth(group, position, vertex);
                self.matrix.push(-worth);
            }
        }
    }

    /// The pairs at and below a pair.
    fn collect(
        &mut self,
        group: &Augmented<'_>,
        (position, vertex): (u32, u32),
        pairs: &mut Vec<(u32, u32)>,
    ) {
        pairs.push((position, vertex));
        for block in Blocks::new(group, position, vertex) {
            let start = self.matrix.len();
            self.fill(group, &block);
            let matrix = &self.matrix[start..];
            self.assignment.solve(matrix, block.n_columns());
            self.matrix.truncate(start);
            let found: Vec<(u32, u32)> = (0..block.n_rows())
                .map(|row| block.pair(row, self.assignment.column_of_row(row)))
                .filter(|&(position, vertex)| self.can_meet(group, position, vertex))
                .collect();
            for pair in found {
                self.collect(group, pair, pairs);
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

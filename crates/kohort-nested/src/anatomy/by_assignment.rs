//! Merging a tree into a group by assignment: of all ways to match children, the one that loses the
//! fewest vertices.
//!
//! # Method
//! 1. What a pair of a position and a vertex keeps is one, and what the best assignment of their children
//!    keeps, kind by kind. A pair is reached through the pair of their parents alone, so each is
//!    evaluated once, its worth in the matrix of its parents.
//! 2. Of two assignments that keep the same, the one with fewer discriminatory values is better, those
//!    first whose rules may be broken.
//! 3. Where rules are broken nevertheless, as many occurrences are cut as must go, those first whose matches
//!    keep the fewest: by tree of the record; by vertex half of the record and half of the group, so that
//!    what is left still fits. Only pairs above a cut are evaluated again. Until every rule holds; only at
//!    the root this ends without a match.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017.

use std::ops::Range;

use super::augmented::Augmented;
use super::host::Host;
use super::tally::Tally;
use crate::NestedProblem;
use crate::assignment::Assignment;
use crate::costs::Cost;

/// The worth of a matched pair. What is taken off for the discriminatory values of a tree is less, up to
/// millions of vertices.
const PAIR: Cost = 1 << 40;

/// What a discriminatory value takes off where its rule may be broken; else it takes off one.
const AT_RISK: Cost = 1 << 12;

/// A worth that was not evaluated.
const UNKNOWN: Cost = -1;

/// Merges by assignment.
pub(super) struct ByAssignment<'a> {
    problem: &'a NestedProblem<'a>,
    // The matrices of the pairs that are being evaluated, outermost first, as negative worths.
    matrix: Vec<Cost>,
    assignment: Assignment,
    // Of the record at hand: its vertices, and position by position what each of them is worth there;
    // nothing where they may not meet.
    vertices: Range<u32>,
    worths: Vec<Cost>,
    // What the discriminatory values of each position and each vertex take off.
    off_positions: Vec<Cost>,
    off_vertices: Vec<Cost>,
}

impl<'a> ByAssignment<'a> {
    pub(super) fn new(problem: &'a NestedProblem<'a>) -> Self {
        Self {
            problem,
            matrix: Vec::new(),
            assignment: Assignment::default(),
            vertices: 0..0,
            worths: Vec::new(),
            off_positions: Vec::new(),
            off_vertices: Vec::new(),
        }
    }

    /// The number of vertices lost by the group and a record, if it is within a limit and their roots can
    /// be matched.
    pub(super) fn lost(&mut self, host: &Host<'_>, record: u32, limit: u64) -> Option<u64> {
        let pairs = self.pairs_within(host, record, &[], limit)?;
        Some(host.group().lost(record, pairs.len()))
    }

    /// The positions and vertices that are matched, without some vertices and what is below them; none
    /// where the roots cannot be matched.
    pub(super) fn pairs(
        &mut self,
        host: &Host<'_>,
        record: u32,
        without: &[u32],
    ) -> Option<Vec<(u32, u32)>> {
        self.pairs_within(host, record, without, u64::MAX)
    }

    /// The same, if no more vertices are lost than the limit.
    fn pairs_within(
        &mut self,
        host: &Host<'_>,
        record: u32,
        without: &[u32],
        limit: u64,
    ) -> Option<Vec<(u32, u32)>> {
        self.begin(host, record);
        for &vertex in without {
            self.cut_vertex(vertex);
        }
        let root = self.vertices.start;
        loop {
            let worth = self.worth(host, 0, root);
            let n_matched = usize::try_from(n_pairs(worth)).expect("a number of positions");
            // Whatever is cut, no more is kept than before.
            if worth == 0 || limit < host.group().lost(record, n_matched) {
                return None;
            }
            let mut pairs = Vec::with_capacity(n_matched);
            self.collect(host, (0, root), &mut pairs);
            let tally = Tally::of_pairs(host.judge(), host.group(), &pairs);
            let excess = tally.excess(host.group().members().len());
            if excess.is_empty() {
                return Some(pairs);
            }
            self.cut(host, &pairs, &excess)?;
        }
    }

    /// Forgets the record before.
    fn begin(&mut self, host: &Host<'_>, record: u32) {
        let (judge, group) = (host.judge(), host.group());
        let forest = self.problem.forest;
        self.vertices = forest.vertices(record as usize);
        self.worths.clear();
        self.worths.resize(group.n_positions() * self.vertices.len(), UNKNOWN);
        let at_risk: Vec<bool> = host.at_risk(record).collect();
        let price = |index: usize| match (at_risk[index], judge.is_by_tree()) {
            (true, _) => AT_RISK,
            (false, is_by_tree) => Cost::from(!is_by_tree),
        };
        let off = |kind, code| judge.about(kind, code).map(price).sum::<Cost>();
        self.off_vertices.clear();
        self.off_vertices.extend(
            self.vertices.clone().map(|vertex| off(forest.kind(vertex), forest.sensitive(vertex))),
        );
        // By tree, whoever is in the group keeps the rules whatever is lost.
        let of_position = |position| {
            let values = group.values(position).iter().filter(|_| !judge.is_by_tree());
            values.map(|&code| off(group.kind(position), code)).sum::<Cost>()
        };
        self.off_positions.clear();
        self.off_positions.extend((0..).take(group.n_positions()).map(of_position));
    }

    /// Cuts occurrences of broken rules, as many as are too many of each; none if only roots are left.
    fn cut(
        &mut self,
        host: &Host<'_>,
        pairs: &[(u32, u32)],
        excess: &[(usize, usize)],
    ) -> Option<()> {
        let (group, forest) = (host.group(), self.problem.forest);
        let (mut of_record, mut of_group) = (0, 0);
        let below_root = pairs.iter().skip(1);
        // As it is before the first cut.
        let kept: Vec<(Cost, u32, u32)> =
            below_root.map(|&(p, v)| (self.worths[self.at(p, v)], p, v)).collect();
        for &(index, n) in excess {
            let rule = host.judge().rule(index);
            let is_own = |v: u32| rule.is_occurrence(forest.kind(v), forest.sensitive(v));
            let is_groups = |p: u32| group.vertices(p).iter().any(|&vertex| is_own(vertex));
            let own = kept.iter().filter(|&&(.., v)| is_own(v)).map(|&(worth, _, v)| (worth, v));
            let mut own: Vec<(Cost, u32)> = own.collect();
            let is_other = |&&(_, p, v): &&(Cost, u32, u32)| {
                !host.judge().is_by_tree() && !is_own(v) && is_groups(p)
            };
            let others = kept.iter().filter(is_other).map(|&(worth, p, _)| (worth, p));
            let mut others: Vec<(Cost, u32)> = others.collect();
            if own.is_empty() && others.is_empty() {
                return None;
            }
            own.sort_unstable();
            others.sort_unstable();
            let half = if of_record <= of_group { n.div_ceil(2) } else { n / 2 };
            let n_own = half.max(n.saturating_sub(others.len())).min(own.len());
            let n_others = (n - n_own).min(others.len());
            of_record += n_own;
            of_group += n_others;
            for &(_, vertex) in &own[..n_own] {
                self.cut_vertex(vertex);
            }
            for &(_, position) in &others[..n_others] {
                self.cut_position(group, position);
            }
        }
        Some(())
    }

    #[inline]
    fn at(&self, position: u32, vertex: u32) -> usize {
        position as usize * self.vertices.len() + (vertex - self.vertices.start) as usize
    }

    /// Matches a vertex with nothing.
    fn cut_vertex(&mut self, vertex: u32) {
        let n_positions = self.off_positions.len();
        let n_vertices = self.vertices.len();
        let column = |vertex: u32| (vertex - self.vertices.start) as usize;
        for position in 0..n_positions {
            self.worths[position * n_vertices + column(vertex)] = 0;
        }
        let mut above = vertex;
        while above != self.vertices.start {
            above = self.problem.forest.parent(above);
            for position in 0..n_positions {
                forget(&mut self.worths[position * n_vertices + column(above)]);
            }
        }
    }

    /// Matches a position with nothing.
    fn cut_position(&mut self, group: &Augmented<'_>, position: u32) {
        let n_vertices = self.vertices.len();
        let row =
            |position: u32| position as usize * n_vertices..(position as usize + 1) * n_vertices;
        self.worths[row(position)].fill(0);
        let mut above = position;
        while above != 0 {
            above = group.parent(above);
            self.worths[row(above)].iter_mut().for_each(forget);
        }
    }

    /// What a pair keeps; nothing if it may not be matched.
    fn worth(&mut self, host: &Host<'_>, position: u32, vertex: u32) -> Cost {
        let at = self.at(position, vertex);
        if self.worths[at] != UNKNOWN {
            return self.worths[at];
        }
        let l = self.problem.l[self.problem.forest.kind(vertex)];
        let mut worth = 0;
        if host.group().has_room(position, vertex, host.at_most(l)) {
            let own = (vertex - self.vertices.start) as usize;
            worth = PAIR - self.off_positions[position as usize] - self.off_vertices[own];
            for block in Blocks::new(host.group(), position, vertex) {
                worth += self.worth_of_block(host, &block);
            }
        }
        self.worths[at] = worth;
        worth
    }

    /// What the best assignment of children of one kind keeps.
    fn worth_of_block(&mut self, host: &Host<'_>, block: &Block) -> Cost {
        let start = self.matrix.len();
        self.fill(host, block);
        let matrix = &self.matrix[start..];
        let total = if block.n_rows() == 1 {
            matrix.iter().copied().min().expect("a row has columns")
        } else {
            self.assignment.solve(matrix, block.n_columns())
        };
        self.matrix.truncate(start);
        -total
    }

    fn fill(&mut self, host: &Host<'_>, block: &Block) {
        for row in 0..block.n_rows() {
            for column in 0..block.n_columns() {
                let (position, vertex) = block.pair(row, column);
                let worth = self.worth(host, position, vertex);
                self.matrix.push(-worth);
            }
        }
    }

    /// The pairs at and below a pair.
    fn collect(
        &mut self,
        host: &Host<'_>,
        (position, vertex): (u32, u32),
        pairs: &mut Vec<(u32, u32)>,
    ) {
        pairs.push((position, vertex));
        for block in Blocks::new(host.group(), position, vertex) {
            let start = self.matrix.len();
            self.fill(host, &block);
            let matrix = &self.matrix[start..];
            self.assignment.solve(matrix, block.n_columns());
            self.matrix.truncate(start);
            let found: Vec<(u32, u32)> = (0..block.n_rows())
                .map(|row| block.pair(row, self.assignment.column_of_row(row)))
                .filter(|&(position, vertex)| self.worths[self.at(position, vertex)] > 0)
                .collect();
            for pair in found {
                self.collect(host, pair, pairs);
            }
        }
    }
}

/// The pairs that a worth is made of.
fn n_pairs(worth: Cost) -> Cost {
    (worth + PAIR - 1) / PAIR
}

/// A worth that is to be evaluated again, but for pairs that may not meet.
fn forget(worth: &mut Cost) {
    if *worth > 0 {
        *worth = UNKNOWN;
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

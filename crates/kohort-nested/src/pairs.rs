//! Laying a record on a class: what it costs, and the class that comes of it (`diversify`).
//!
//! # Method
//! 1. Two roots meet only when no sensitive value becomes too frequent; otherwise both trees are lost.
//! 2. At roots that meet, each quasi-identifier becomes the smallest cell that covers both.
//! 3. The children are paired kind by kind (`FindMapping`), greedily or by assignment, by what each pair of
//!    subtrees costs; whoever has no partner is lost with all below.
//! 4. A pair of subtrees is reached through the pair of their parents alone, so each is evaluated once, its
//!    cost kept in the matrix of its parents, and nothing is copied. Only the record that is chosen is laid
//!    on the class.
//!
//! # Notation
//! T1 → `class` (x: a position), T2 → the record (y: a vertex), S and U → rows and columns, g → `n`, the
//! number of members.
//!
//! # Cost
//! Σ over depths of the pairs of vertices at that depth, and O(b³) for each assignment of b children.
//!
//! # Deviations
//! - What happens to the class counts once for each member (specs/06 §2); Algorithm 4 counts it once.
//! - A value may stand at a position in as many members as the finished class allows, which is one where
//!   the class has l members; Algorithm 1 asks for different values always.
//! - Children are paired kind by kind: a pair of two kinds would lose both. S is the side with fewer
//!   children of the kind; of equal sides it is the class.
//! - The matrix of Algorithm 3 has a row for each child of S only: what losing u costs is taken off the
//!   column of u and added once, which leaves the same differences.
//!
//! # References
//! Özalp et al., hierarchical data, Algorithms 1 to 3; specs/06 §3 and §4.1.

use std::ops::Range;

use kohort_core::Forest;

use crate::assignment::Assignment;
use crate::costs::{Cost, TreeCosts, count};
use crate::{AlignedClass, NestedProblem, Representative};

/// How children are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// Each child in turn takes the cheapest that is left.
    Greedy,
    /// The pairs that cost least together.
    Assignment,
}

/// What it costs to lay records on classes.
pub struct Pairs<'a> {
    costs: &'a TreeCosts<'a>,
    mapping: Mapping,
    // For each kind, how many members of a class may have one value at a position.
    at_most: Vec<usize>,
}

/// Working space, used again for each pair.
#[derive(Default)]
pub struct Scratch {
    // The matrices of the pairs that are being evaluated, outermost first.
    matrix: Vec<Cost>,
    assignment: Assignment,
}

impl<'a> Pairs<'a> {
    /// Costs for classes that have `size` members when they are finished.
    pub fn new(
        costs: &'a TreeCosts<'a>,
        problem: &NestedProblem<'_>,
        size: usize,
        mapping: Mapping,
    ) -> Self {
        let at_most = problem.l.iter().map(|&l| size / l.max(1) as usize).collect();
        Self { costs, mapping, at_most }
    }

    /// What a record adds to the cost of a class when it is laid on it, its own part included, if that is
    /// within `limit`; none as well where the roots cannot meet.
    pub fn cost(
        &self,
        class: &Representative,
        record: u32,
        limit: Cost,
        scratch: &mut Scratch,
    ) -> Option<Cost> {
        let root = self.costs.forest().root(record as usize);
        if !self.can_meet(class, 0, root) {
            return None;
        }
        let own = self.own(class, 0, root);
        Some(own + self.below(class, 0, root, limit.checked_sub(own)?, scratch)?)
    }

    /// The class with a record laid on it; none where the roots cannot meet.
    pub fn merge(
        &self,
        class: &Representative,
        record: u32,
        scratch: &mut Scratch,
    ) -> Option<Representative> {
        let root = self.costs.forest().root(record as usize);
        if !self.can_meet(class, 0, root) {
            return None;
        }
        let n = class.n_members();
        let mut pairs = vec![(0, root)];
        let (mut children, mut vertices) = (Vec::new(), Vec::new());
        while let Some(&(x, y)) = pairs.get(children.len()) {
            vertices.extend_from_slice(&class.class().vertices[x as usize * n..][..n]);
            vertices.push(y);
            let first = pairs.len();
            for block in self.blocks(class, x, y) {
                pairs.extend(self.find_mapping(class, block, scratch));
            }
            let place = |at: usize| u32::try_from(at).expect("no more positions than vertices");
            children.push(place(first)..place(pairs.len()));
        }
        let members = class.class().members.iter().copied().chain([record]).collect();
        Some(Representative::new(self.costs, AlignedClass { members, vertices }, children))
    }

    /// Whether a vertex may be laid on a position of its kind: its value is not too frequent there.
    #[inline]
    fn can_meet(&self, class: &Representative, x: u32, y: u32) -> bool {
        let at_most = self.at_most[class.kind(x)];
        let value = self.costs.forest().sensitive(y);
        value == kohort_core::NO_VALUE
            || class.n_members() < at_most
            || class.values(x).iter().filter(|&&other| other == value).count() < at_most
    }

    /// What laying a vertex on a position adds, without their children.
    #[inline]
    fn own(&self, class: &Representative, x: u32, y: u32) -> Cost {
        let kind = class.kind(x);
        let labels = self.costs.forest().labels(y);
        let mut loss = 0;
        for (quasi, (&code, &(lo, hi))) in labels.iter().zip(class.boxes(x)).enumerate() {
            loss += self.costs.of_cell(kind, quasi, lo.min(code), hi.max(code));
        }
        let n = count(class.n_members());
        (n + 1) * loss - n * class.loss(x)
    }

    /// What a pair of subtrees of one kind costs, both lost where they cannot meet.
    fn pair(&self, class: &Representative, x: u32, y: u32, scratch: &mut Scratch) -> Cost {
        if !self.can_meet(class, x, y) {
            return class.subtree(x) + self.costs.of_subtree(y);
        }
        let below = self.below(class, x, y, Cost::MAX, scratch);
        self.own(class, x, y) + below.expect("there is no limit")
    }

    fn blocks<'p>(&'p self, class: &'p Representative, x: u32, y: u32) -> Blocks<'p> {
        let forest = self.costs.forest();
        Blocks { class, forest, xs: class.children(x), ys: forest.children(y) }
    }

    /// What the children of a pair cost, if it is within the limit.
    fn below(
        &self,
        class: &Representative,
        x: u32,
        y: u32,
        limit: Cost,
        scratch: &mut Scratch,
    ) -> Option<Cost> {
        let mut total = 0;
        for block in self.blocks(class, x, y) {
            total += self.of_block(class, block, limit - total, scratch)?;
        }
        (total <= limit).then_some(total)
    }

    /// What the children of one kind cost, if it is within the limit.
    fn of_block(
        &self,
        class: &Representative,
        (xs, ys): (Range<u32>, Range<u32>),
        limit: Cost,
        scratch: &mut Scratch,
    ) -> Option<Cost> {
        if xs.is_empty() || ys.is_empty() {
            let lost = ys.map(|y| self.costs.of_subtree(y)).sum::<Cost>();
            return Some(lost + xs.map(|x| class.subtree(x)).sum::<Cost>());
        }
        if xs.len() == 1 && ys.len() == 1 {
            return Some(self.pair(class, xs.start, ys.start, scratch));
        }
        let start = scratch.matrix.len();
        let sides = Sides { pairs: self, class, xs, ys };
        sides.fill(scratch);
        let total = sides.solve(start, limit, scratch);
        scratch.matrix.truncate(start);
        total
    }

    /// Pairs the children of one kind; those that cannot meet are left out.
    fn find_mapping(
        &self,
        class: &Representative,
        (xs, ys): (Range<u32>, Range<u32>),
        scratch: &mut Scratch,
    ) -> Vec<(u32, u32)> {
        if xs.is_empty() || ys.is_empty() {
            return Vec::new();
        }
        let start = scratch.matrix.len();
        let sides = Sides { pairs: self, class, xs, ys };
        sides.fill(scratch);
        sides.solve(start, Cost::MAX, scratch).expect("there is no limit");
        scratch.matrix.truncate(start);
        let mut found: Vec<(u32, u32)> = (0..sides.n_rows())
            .map(|row| sides.pair(row, scratch.assignment.column_of_row(row)))
            .filter(|&(x, y)| self.can_meet(class, x, y))
            .collect();
        found.sort_unstable();
        found
    }
}

/// The children of one kind of a class and of a record: S, the fewer, are rows and U are columns.
struct Sides<'p, 'a> {
    pairs: &'p Pairs<'a>,
    class: &'p Representative,
    xs: Range<u32>,
    ys: Range<u32>,
}

impl Sides<'_, '_> {
    fn are_rows_of_class(&self) -> bool {
        self.xs.len() <= self.ys.len()
    }

    fn n_rows(&self) -> usize {
        self.xs.len().min(self.ys.len())
    }

    fn n_columns(&self) -> usize {
        self.xs.len().max(self.ys.len())
    }

    fn pair(&self, row: usize, column: usize) -> (u32, u32) {
        let (of_class, of_record) =
            if self.are_rows_of_class() { (row, column) } else { (column, row) };
        let at = |range: &Range<u32>, index: usize| {
            range.start + u32::try_from(index).expect("a range of u32")
        };
        (at(&self.xs, of_class), at(&self.ys, of_record))
    }

    /// What losing a column's subtree costs.
    fn lost(&self, column: usize) -> Cost {
        let (x, y) = self.pair(0, column);
        if self.are_rows_of_class() {
            self.pairs.costs.of_subtree(y)
        } else {
            self.class.subtree(x)
        }
    }

    /// Writes what each pair costs, less what losing the column's subtree costs.
    fn fill(&self, scratch: &mut Scratch) {
        let Self { pairs, class, .. } = *self;
        if self.are_rows_of_class() {
            for x in self.xs.clone() {
                for y in self.ys.clone() {
                    let cost = pairs.pair(class, x, y, scratch) - pairs.costs.of_subtree(y);
                    scratch.matrix.push(cost);
                }
            }
        } else {
            for y in self.ys.clone() {
                for x in self.xs.clone() {
                    let cost = pairs.pair(class, x, y, scratch) - class.subtree(x);
                    scratch.matrix.push(cost);
                }
            }
        }
    }

    /// Pairs rows and columns of the matrix from `start` on, and tells what that costs if it is within
    /// the limit.
    fn solve(&self, start: usize, limit: Cost, scratch: &mut Scratch) -> Option<Cost> {
        let n_columns = self.n_columns();
        let lost: Cost = (0..n_columns).map(|column| self.lost(column)).sum();
        let Scratch { matrix, assignment } = scratch;
        let matrix = &matrix[start..];
        let total = match self.pairs.mapping {
            Mapping::Greedy => assignment.greedy(matrix, n_columns, |column| self.lost(column)),
            Mapping::Assignment => assignment.solve(matrix, n_columns, limit - lost)?,
        };
        Some(total + lost)
    }
}

/// The children of a position and of a vertex, kind by kind.
struct Blocks<'a> {
    class: &'a Representative,
    forest: &'a Forest,
    xs: Range<u32>,
    ys: Range<u32>,
}

impl Iterator for Blocks<'_> {
    type Item = (Range<u32>, Range<u32>);

    fn next(&mut self) -> Option<Self::Item> {
        let kind_of_x = self.xs.clone().next().map(|x| self.class.kind(x));
        let kind_of_y = self.ys.clone().next().map(|y| self.forest.kind(y));
        let kind = kind_of_x.into_iter().chain(kind_of_y).min()?;
        let end_x = self.xs.clone().find(|&x| self.class.kind(x) != kind).unwrap_or(self.xs.end);
        let end_y = self.ys.clone().find(|&y| self.forest.kind(y) != kind).unwrap_or(self.ys.end);
        let block = (self.xs.start..end_x, self.ys.start..end_y);
        (self.xs.start, self.ys.start) = (end_x, end_y);
        Some(block)
    }
}

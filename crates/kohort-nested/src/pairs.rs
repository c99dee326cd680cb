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
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, Algorithms 1 to 3; specs/06 §3 and §4.1.

use std::ops::Range;

use kohort_core::{Forest, NO_VALUE};

use crate::assignment::Assignment;
use crate::costs::{Cost, TreeCosts, count};
use crate::own_costs::OwnCosts;
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

    /// What vertices cost.
    pub fn costs(&self) -> &'a TreeCosts<'a> {
        self.costs
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
        Laying { pairs: self, class, known: None }.cost(record, limit, scratch)
    }

    /// The class with a record laid on it; none where the roots cannot meet.
    pub fn merge(
        &self,
        class: &Representative,
        record: u32,
        scratch: &mut Scratch,
    ) -> Option<Representative> {
        let laying = Laying { pairs: self, class, known: None };
        let root = self.costs.forest().root(record as usize);
        laying.own(0, root)?;
        let n = class.n_members();
        let mut pairs = vec![(0, root)];
        let (mut children, mut vertices) = (Vec::new(), Vec::new());
        while let Some(&(x, y)) = pairs.get(children.len()) {
            vertices.extend_from_slice(&class.class().vertices[x as usize * n..][..n]);
            vertices.push(y);
            let first = pairs.len();
            for (xs, ys) in laying.blocks(x, y) {
                pairs.extend(laying.find_mapping(xs, ys, scratch));
            }
            let place = |at: usize| u32::try_from(at).expect("no more positions than vertices");
            children.push(place(first)..place(pairs.len()));
        }
        let members = class.class().members.iter().copied().chain([record]).collect();
        Some(Representative::new(self.costs, AlignedClass { members, vertices }, children))
    }

    /// What laying a vertex on a position of its kind adds, without their children; none where its value is
    /// too frequent there.
    #[inline]
    pub(crate) fn own(&self, class: &Representative, x: u32, y: u32) -> Option<Cost> {
        let kind = class.kind(x);
        let (forest, n_members) = (self.costs.forest(), class.n_members());
        let (value, at_most) = (forest.sensitive(y), self.at_most[kind]);
        if value != NO_VALUE
            && at_most <= n_members
            && at_most <= class.values(x).iter().filter(|&&other| other == value).count()
        {
            return None;
        }
        let mut loss = 0;
        for (quasi, (&code, &(lo, hi))) in forest.labels(y).iter().zip(class.boxes(x)).enumerate() {
            loss += self.costs.of_cell(kind, quasi, lo.min(code), hi.max(code));
        }
        let n = count(n_members);
        Some((n + 1) * loss - n * class.loss(x))
    }
}

/// One class on which records are laid, and what is known of its positions.
pub(crate) struct Laying<'a> {
    pub(crate) pairs: &'a Pairs<'a>,
    pub(crate) class: &'a Representative,
    pub(crate) known: Option<&'a OwnCosts<'a>>,
}

impl<'a> Laying<'a> {
    /// What a record adds, if it is within the limit.
    pub(crate) fn cost(&self, record: u32, limit: Cost, scratch: &mut Scratch) -> Option<Cost> {
        let root = self.pairs.costs.forest().root(record as usize);
        let own = self.own(0, root)?;
        Some(own + self.below(0, root, limit.checked_sub(own)?, scratch)?)
    }

    #[inline]
    fn own(&self, x: u32, y: u32) -> Option<Cost> {
        match self.known {
            Some(known) => known.of(x, y),
            None => self.pairs.own(self.class, x, y),
        }
    }

    /// What losing a position and all below it costs.
    #[inline]
    fn lost_x(&self, x: u32) -> Cost {
        self.class.subtree(x)
    }

    /// What losing a vertex and all below it costs.
    #[inline]
    fn lost_y(&self, y: u32) -> Cost {
        self.pairs.costs.of_subtree(y)
    }

    /// What a pair of subtrees of one kind costs, both lost where they cannot meet.
    fn pair(&self, x: u32, y: u32, scratch: &mut Scratch) -> Cost {
        let Some(own) = self.own(x, y) else { return self.lost_x(x) + self.lost_y(y) };
        own + self.below(x, y, Cost::MAX, scratch).expect("there is no limit")
    }

    fn blocks(&self, x: u32, y: u32) -> Blocks<'a> {
        let forest = self.pairs.costs.forest();
        Blocks { class: self.class, forest, xs: self.class.children(x), ys: forest.children(y) }
    }

    /// What the children of a pair cost, if it is within the limit.
    #[inline]
    fn below(&self, x: u32, y: u32, limit: Cost, scratch: &mut Scratch) -> Option<Cost> {
        let mut total = 0;
        for (xs, ys) in self.blocks(x, y) {
            total += self.of_block(xs, ys, limit - total, scratch)?;
        }
        (total <= limit).then_some(total)
    }

    /// What the children of one kind cost, if it is within the limit.
    fn of_block(
        &self,
        xs: Range<u32>,
        ys: Range<u32>,
        limit: Cost,
        scratch: &mut Scratch,
    ) -> Option<Cost> {
        if xs.is_empty() || ys.is_empty() {
            let lost = ys.map(|y| self.lost_y(y)).sum::<Cost>();
            return Some(lost + xs.map(|x| self.lost_x(x)).sum::<Cost>());
        }
        if xs.len() == 1 && ys.len() == 1 {
            return Some(self.pair(xs.start, ys.start, scratch));
        }
        let start = scratch.matrix.len();
        self.fill(&xs, &ys, scratch);
        let Scratch { matrix, assignment } = scratch;
        let (lost, matrix) = matrix[start..].split_at(xs.len().max(ys.len()));
        let total = match self.pairs.mapping {
            Mapping::Greedy => Some(assignment.greedy(matrix, lost)),
            Mapping::Assignment => {
                let lost = lost.iter().sum::<Cost>();
                assignment.least(matrix, xs.len().max(ys.len()), limit - lost).map(|t| t + lost)
            }
        };
        scratch.matrix.truncate(start);
        total
    }

    /// Pairs the children of one kind; those that cannot meet are left out.
    fn find_mapping(
        &self,
        xs: Range<u32>,
        ys: Range<u32>,
        scratch: &mut Scratch,
    ) -> Vec<(u32, u32)> {
        if xs.is_empty() || ys.is_empty() {
            return Vec::new();
        }
        let start = scratch.matrix.len();
        self.fill(&xs, &ys, scratch);
        let Scratch { matrix, assignment } = scratch;
        let (lost, matrix) = matrix[start..].split_at(xs.len().max(ys.len()));
        match self.pairs.mapping {
            Mapping::Greedy => Some(assignment.greedy(matrix, lost)),
            Mapping::Assignment => assignment.solve(matrix, lost.len(), Cost::MAX),
        };
        scratch.matrix.truncate(start);
        let is_class_fewer = xs.len() <= ys.len();
        let rows = if is_class_fewer { &xs } else { &ys };
        let mut found: Vec<(u32, u32)> = (rows.clone().enumerate())
            .map(|(row, of_row)| {
                let column = scratch.assignment.column_of_row(row);
                let column = u32::try_from(column).expect("columns are of a range of u32");
                if is_class_fewer {
                    (of_row, ys.start + column)
                } else {
                    (xs.start + column, of_row)
                }
            })
            .filter(|&(x, y)| self.own(x, y).is_some())
            .collect();
        found.sort_unstable();
        found
    }

    /// Writes what losing each of the more children of one kind costs, and then the matrix: a row for each of
    /// the fewer, with what each pair costs beyond the loss of its column.
    fn fill(&self, xs: &Range<u32>, ys: &Range<u32>, scratch: &mut Scratch) {
        if xs.len() <= ys.len() {
            scratch.matrix.extend(ys.clone().map(|y| self.lost_y(y)));
            for x in xs.clone() {
                for y in ys.clone() {
                    let cost = self.pair(x, y, scratch) - self.lost_y(y);
                    scratch.matrix.push(cost);
                }
            }
        } else {
            scratch.matrix.extend(xs.clone().map(|x| self.lost_x(x)));
            for y in ys.clone() {
                for x in xs.clone() {
                    let cost = self.pair(x, y, scratch) - self.lost_x(x);
                    scratch.matrix.push(cost);
                }
            }
        }
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

//! Laying a record on a class: what it costs, and the class that comes of it (`diversify`).
//!
//! # Method
//! 1. Two roots meet only when no sensitive value becomes too frequent; otherwise both trees are lost.
//! 2. At roots that meet, each quasi-identifier becomes the smallest cell that covers both.
//! 3. The children are paired kind by kind (`FindMapping`), greedily or by assignment, by what each pair of
//!    subtrees costs; whoever has no partner is lost with all below.
//! 4. A pair of subtrees is reached through the pair of their parents alone, so each is evaluated once, its
//!    cost kept in the matrix of its parents, and nothing is copied. The matrix begins with what pairs cost at
//!    least, and a pair is evaluated when the assignment asks for it. Only the record that is chosen is laid on
//!    the class.
//!
//! # Notation
//! T1 → `class` (x: a position), T2 → the record (y: a vertex), S and U → rows and columns, g → `n`, the
//! number of members.
//!
//! # Cost
//! Σ over depths of the pairs of vertices at that depth, and O(b³) for each assignment of b children.
//!
//! # Deviations
//! - What happens to the class counts once for each member; Algorithm 4 counts it once.
//! - A value may stand at a position in as many members as the finished class allows, which is one where
//!   the class has l members; Algorithm 1 asks for different values always.
//! - Children are paired kind by kind: a pair of two kinds would lose both. S is the side with fewer
//!   children of the kind; of equal sides it is the class.
//! - The greedy choice takes the pair that adds least, Algorithm 2 the pair that costs least. Where the class has
//!   more children these may be two: what its positions cost already differs from one to the other.
//! - The matrix of Algorithm 3 has a row for each child of S only: what losing u costs is taken off the
//!   column of u and added once, which leaves the same differences.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, Algorithms 1 to 3.

use std::ops::Range;

use kohort_core::Forest;

use crate::assignment::Assignment;
use crate::costs::{Cost, TreeCosts, count};
use crate::position::{NEVER, Position};
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

/// Pairs of a position and a vertex, and for each of them the pairs below it.
pub(crate) type Laid = (Vec<(u32, u32)>, Vec<Range<u32>>);

/// Working space, used again for each pair: problems that nobody is solving, and a row of costs.
#[derive(Default)]
pub struct Scratch {
    problems: Vec<Assignment>,
    row: Vec<Cost>,
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
        Laying { pairs: self, class }.cost(record, limit, scratch)
    }

    /// The class with a record laid on it; none where the roots cannot meet.
    pub fn merge(
        &self,
        class: &Representative,
        record: u32,
        scratch: &mut Scratch,
    ) -> Option<Representative> {
        let (pairs, children) = self.laid(class, record, scratch)?;
        let mut vertices = Vec::new();
        for (x, y) in pairs {
            vertices.extend_from_slice(class.vertices(x));
            vertices.push(y);
        }
        let members = class.class().members.iter().copied().chain([record]).collect();
        Some(Representative::new(self.costs, AlignedClass { members, vertices }, children))
    }

    /// The positions of a class with the vertices of a record that are laid on them, roots first, and for each of
    /// these pairs those below it; none where the roots cannot meet.
    pub(crate) fn laid(
        &self,
        class: &Representative,
        record: u32,
        scratch: &mut Scratch,
    ) -> Option<Laid> {
        let laying = Laying { pairs: self, class };
        let root = self.costs.forest().root(record as usize);
        laying.own(0, root)?;
        let mut pairs = vec![(0, root)];
        let mut children = Vec::new();
        while let Some(&(x, y)) = pairs.get(children.len()) {
            let first = pairs.len();
            for (xs, ys) in laying.blocks(x, y) {
                pairs.extend(laying.find_mapping(xs, ys, scratch));
            }
            let place = |at: usize| u32::try_from(at).expect("no more positions than vertices");
            children.push(place(first)..place(pairs.len()));
        }
        Some((pairs, children))
    }

    /// What laying a vertex on a position of its kind adds, without their children; none where its value is
    /// too frequent there.
    #[inline]
    pub(crate) fn own(&self, class: &Representative, x: u32, y: u32) -> Option<Cost> {
        self.at(class, x).own(y)
    }

    /// A position, for many vertices to be laid on it.
    #[inline]
    pub(crate) fn at<'b>(&'b self, class: &'b Representative, x: u32) -> Position<'b> {
        Position::new(self.costs, class, x, self.at_most[class.kind(x)])
    }
}

/// One class on which records are laid.
pub(crate) struct Laying<'a> {
    pub(crate) pairs: &'a Pairs<'a>,
    pub(crate) class: &'a Representative,
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
        self.pairs.own(self.class, x, y)
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
        self.pair_on(&self.pairs.at(self.class, x), x, y, scratch)
    }

    #[inline]
    fn pair_on(&self, position: &Position<'_>, x: u32, y: u32, scratch: &mut Scratch) -> Cost {
        let Some(own) = position.own(y) else { return self.lost_x(x) + self.lost_y(y) };
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
        if let Some(total) = self.of_few(&xs, &ys, scratch) {
            return Some(total);
        }
        let mut problem = scratch.problems.pop().unwrap_or_default();
        let block = (&xs, &ys);
        self.bound(&mut problem, block, &mut scratch.row);
        let total = match self.pairs.mapping {
            Mapping::Assignment => problem.least(limit, |row, column| {
                let (x, y) = pair_at(block, row, column);
                self.pair(x, y, scratch)
            }),
            // No mapping costs less than the best one of what pairs cost at least.
            Mapping::Greedy => {
                let is_within = problem.least_known(limit).is_some();
                is_within.then(|| {
                    self.fill(&mut problem, block, scratch);
                    problem.greedy()
                })
            }
        };
        scratch.problems.push(problem);
        total
    }

    /// What up to two children on each side cost, which needs no matrix.
    #[inline]
    fn of_few(&self, xs: &Range<u32>, ys: &Range<u32>, scratch: &mut Scratch) -> Option<Cost> {
        if self.pairs.mapping == Mapping::Greedy {
            return None;
        }
        if xs.len() > 2 || ys.len() > 2 {
            return None;
        }
        let (x, y) = (xs.start, ys.start);
        let position = self.pairs.at(self.class, x);
        let mut pair = |y: u32| self.pair_on(&position, x, y, scratch);
        let (first, second) = (pair(y), if ys.len() == 2 { pair(y + 1) } else { 0 });
        if xs.len() == 1 {
            let lost = |y: u32| self.lost_y(y);
            return Some(if ys.len() == 1 {
                first
            } else {
                (first + lost(y + 1)).min(second + lost(y))
            });
        }
        let position = self.pairs.at(self.class, x + 1);
        let mut pair = |y: u32| self.pair_on(&position, x + 1, y, scratch);
        Some(if ys.len() == 1 {
            (first + self.lost_x(x + 1)).min(pair(y) + self.lost_x(x))
        } else {
            (first + pair(y + 1)).min(second + pair(y))
        })
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
        let mut problem = scratch.problems.pop().unwrap_or_default();
        let block = (&xs, &ys);
        self.fill(&mut problem, block, scratch);
        match self.pairs.mapping {
            Mapping::Greedy => Some(problem.greedy()),
            Mapping::Assignment => problem.least(Cost::MAX, |row, column| {
                let (x, y) = pair_at(block, row, column);
                self.pair(x, y, scratch)
            }),
        };
        let n_rows = xs.len().min(ys.len());
        let mut found: Vec<(u32, u32)> = (0..n_rows)
            .map(|row| pair_at(block, row, problem.column_of_row(row)))
            .filter(|&(x, y)| self.own(x, y).is_some())
            .collect();
        found.sort_unstable();
        scratch.problems.push(problem);
        found
    }

    /// Makes the problem of pairing the children of one kind, with what each pair of subtrees costs.
    fn fill(
        &self,
        problem: &mut Assignment,
        (xs, ys): (&Range<u32>, &Range<u32>),
        scratch: &mut Scratch,
    ) {
        self.begin(problem, (xs, ys));
        for (at, x) in xs.clone().enumerate() {
            let position = self.pairs.at(self.class, x);
            let costs = ys.clone().map(|y| (self.pair_on(&position, x, y, scratch), true));
            if xs.len() <= ys.len() {
                problem.set_row(at, costs);
            } else {
                problem.set_column(at, costs);
            }
        }
    }

    /// The same with what each pair costs at least: what is kept below its roots weighs no more than either side.
    /// That is what it costs where one of them has nothing below.
    #[inline]
    fn bound(
        &self,
        problem: &mut Assignment,
        (xs, ys): (&Range<u32>, &Range<u32>),
        row: &mut Vec<Cost>,
    ) {
        self.begin(problem, (xs, ys));
        let (costs, n) = (self.pairs.costs, count(self.class.n_members()));
        let (lost, below) = (costs.of_subtrees(ys.clone()), costs.below_all(ys.clone()));
        for (at, x) in xs.clone().enumerate() {
            self.pairs.at(self.class, x).own_of_all(ys.clone(), row);
            let (lost_x, of_x) = (self.lost_x(x), self.class.below(x));
            let below_x = self.class.lost_below(x);
            let costs = row.iter().zip(lost.iter().zip(below)).map(|(&own, (lost_y, &below_y))| {
                if own == NEVER {
                    return (lost_x + lost_y, true);
                }
                let cost = own + (below_y - below_x).max(0) + (of_x - n * below_y).max(0);
                (cost, below_x == 0 || below_y == 0)
            });
            if xs.len() <= ys.len() {
                problem.set_row(at, costs);
            } else {
                problem.set_column(at, costs);
            }
        }
    }

    /// Begins a problem: a row for each of the fewer, and a column for each of the more, with what losing it costs.
    #[inline]
    fn begin(&self, problem: &mut Assignment, (xs, ys): (&Range<u32>, &Range<u32>)) {
        if xs.len() <= ys.len() {
            problem.begin(xs.len(), ys.clone().map(|y| self.lost_y(y)));
        } else {
            problem.begin(ys.len(), xs.clone().map(|x| self.lost_x(x)));
        }
    }
}

/// The position and the vertex of a row and a column: rows are of the fewer, or of the class.
#[inline]
fn pair_at((xs, ys): (&Range<u32>, &Range<u32>), row: usize, column: usize) -> (u32, u32) {
    let place = |at: usize| u32::try_from(at).expect("rows and columns are of ranges of u32");
    if xs.len() <= ys.len() {
        (xs.start + place(row), ys.start + place(column))
    } else {
        (xs.start + place(column), ys.start + place(row))
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

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let kind_of_x = |x: u32| self.class.kind(x);
        let kind_of_y = |y: u32| self.forest.kind(y);
        let kind = match (self.xs.is_empty(), self.ys.is_empty()) {
            (true, true) => return None,
            (true, false) => kind_of_y(self.ys.start),
            (false, true) => kind_of_x(self.xs.start),
            (false, false) => kind_of_x(self.xs.start).min(kind_of_y(self.ys.start)),
        };
        let end_x = end_of_kind(&self.xs, kind, kind_of_x);
        let end_y = end_of_kind(&self.ys, kind, kind_of_y);
        let block = (self.xs.start..end_x, self.ys.start..end_y);
        (self.xs.start, self.ys.start) = (end_x, end_y);
        Some(block)
    }
}

/// Where those of a kind end that a range sorted by kinds begins with.
#[inline]
fn end_of_kind(range: &Range<u32>, kind: usize, kind_of: impl Fn(u32) -> usize) -> u32 {
    // Most often there is one kind.
    if range.is_empty() || kind_of(range.end - 1) == kind {
        return range.end;
    }
    range.clone().find(|&at| kind_of(at) != kind).unwrap_or(range.end)
}

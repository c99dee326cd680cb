//! Algorithms 1 to 5 as they are printed, with recursion, copies and no bounds.

use crate::assignment::Assignment;
use crate::clus_tree::Accepted;
use crate::{Cost, Mapping, NestedProblem, TreeCosts};

/// A record, or a class representative with as many vertices at each place as members.
#[derive(Clone)]
pub(crate) struct PlainTree {
    kind: usize,
    boxes: Vec<(u32, u32)>,
    values: Vec<u32>,
    vertices: Vec<u32>,
    is_lost: bool,
    below: Vec<PlainTree>,
}

/// A class: its members, and their vertices at each place, sorted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PlainClass {
    pub(crate) members: Vec<u32>,
    pub(crate) places: Vec<Vec<u32>>,
}

/// What the algorithms are given.
pub(crate) struct Plain<'a> {
    pub(crate) costs: &'a TreeCosts<'a>,
    pub(crate) problem: NestedProblem<'a>,
    pub(crate) size: usize,
    pub(crate) mapping: Mapping,
}

impl Plain<'_> {
    pub(crate) fn record(&self, record: u32) -> PlainTree {
        self.tree(self.problem.forest.root(record as usize))
    }

    fn tree(&self, vertex: u32) -> PlainTree {
        let forest = self.problem.forest;
        PlainTree {
            kind: forest.kind(vertex),
            boxes: forest.labels(vertex).iter().map(|&code| (code, code)).collect(),
            values: vec![forest.sensitive(vertex)],
            vertices: vec![vertex],
            is_lost: false,
            below: forest.children(vertex).map(|child| self.tree(child)).collect(),
        }
    }

    /// What one member's tree costs.
    fn cost(&self, tree: &PlainTree) -> Cost {
        let cells = tree.boxes.iter().enumerate();
        let kept = || cells.map(|(q, &(lo, hi))| self.costs.of_cell(tree.kind, q, lo, hi)).sum();
        let own = if tree.is_lost { self.costs.of_lost(tree.kind) } else { kept() };
        own + tree.below.iter().map(|below| self.cost(below)).sum::<Cost>()
    }

    pub(crate) fn is_diverse(&self, a: &PlainTree, b: &PlainTree) -> bool {
        let at_most = self.size / self.problem.l[a.kind] as usize;
        let has = |value: u32| a.values.iter().chain(&b.values).filter(|&&v| v == value).count();
        let is_free = a.values[0] == kohort_core::NO_VALUE;
        a.kind == b.kind && (is_free || b.values.iter().all(|&value| has(value) <= at_most))
    }

    /// What laying `b` on `a` adds, without changing either.
    pub(crate) fn added(&self, a: &PlainTree, b: &PlainTree) -> Cost {
        let (mut a_copy, mut b_copy) = (a.clone(), b.clone());
        self.diversify(&mut a_copy, &mut b_copy);
        let n = Cost::try_from(a.vertices.len()).unwrap();
        n * (self.cost(&a_copy) - self.cost(a)) + self.cost(&b_copy)
    }

    /// Lays `b`, a record, on `a`, a representative (Algorithm 1).
    pub(crate) fn diversify(&self, a: &mut PlainTree, b: &mut PlainTree) {
        if !self.is_diverse(a, b) {
            a.suppress();
            b.suppress();
            return;
        }
        for (of_a, of_b) in a.boxes.iter_mut().zip(&mut b.boxes) {
            *of_a = (of_a.0.min(of_b.0), of_a.1.max(of_b.1));
            *of_b = *of_a;
        }
        a.values.extend_from_slice(&b.values);
        a.vertices.extend_from_slice(&b.vertices);
        let mut paired = (Vec::new(), Vec::new());
        for kind in 0..self.problem.l.len() {
            let of = |tree: &PlainTree| -> Vec<usize> {
                let is = |&at: &usize| tree.below[at].kind == kind && !tree.below[at].is_lost;
                (0..tree.below.len()).filter(is).collect()
            };
            for (x, y) in self.find_mapping(a, &of(a), b, &of(b)) {
                self.diversify(&mut a.below[x], &mut b.below[y]);
                paired.0.push(x);
                paired.1.push(y);
            }
        }
        for (at, below) in a.below.iter_mut().enumerate() {
            if !paired.0.contains(&at) {
                below.suppress();
            }
        }
        for (at, below) in b.below.iter_mut().enumerate() {
            if !paired.1.contains(&at) {
                below.suppress();
            }
        }
    }

    /// Algorithms 2 and 3 for the children of one kind.
    fn find_mapping(
        &self,
        a: &PlainTree,
        xs: &[usize],
        b: &PlainTree,
        ys: &[usize],
    ) -> Vec<(usize, usize)> {
        let is_a_fewer = xs.len() <= ys.len();
        let (rows, columns) = if is_a_fewer { (xs, ys) } else { (ys, xs) };
        let n_members = Cost::try_from(a.vertices.len() - 1).unwrap();
        let cost = |row: usize, column: usize| {
            let (x, y) = if is_a_fewer { (row, column) } else { (column, row) };
            self.added(&a.below[x], &b.below[y])
        };
        let lost = |column: usize| {
            let (tree, times) =
                if is_a_fewer { (&b.below[column], 1) } else { (&a.below[column], n_members) };
            let mut copy = tree.clone();
            copy.suppress();
            times * (self.cost(&copy) - self.cost(tree))
        };
        let chosen: Vec<usize> = match self.mapping {
            Mapping::Greedy => {
                let mut left = columns.to_vec();
                let take = |&row: &usize| {
                    let column = (0..left.len()).min_by_key(|&at| cost(row, left[at])).unwrap();
                    left.remove(column)
                };
                rows.iter().map(take).collect()
            }
            Mapping::Assignment if rows.is_empty() => Vec::new(),
            Mapping::Assignment => {
                let of_row = |&row: &usize| columns.iter().map(move |&at| cost(row, at) - lost(at));
                let matrix: Vec<Cost> = rows.iter().flat_map(of_row).collect();
                let mut assignment = Assignment::default();
                assignment.solve(&matrix, columns.len());
                (0..rows.len()).map(|row| columns[assignment.column_of_row(row)]).collect()
            }
        };
        let pairs = rows.iter().zip(chosen);
        pairs.map(|(&row, column)| if is_a_fewer { (row, column) } else { (column, row) }).collect()
    }

    /// The class that a seed makes with the records that are left, and its cost (Algorithm 4).
    fn create_cluster(&self, left: &[u32], seed: u32) -> Option<(PlainClass, Cost)> {
        let (mut members, mut tree, mut total) = (vec![seed], self.record(seed), 0);
        while members.len() < self.size {
            let is_free = |record: &&u32| !members.contains(record);
            let meets = |record: &&u32| self.is_diverse(&tree, &self.record(**record));
            let candidates = left.iter().filter(is_free).filter(meets);
            let cost = |&record: &u32| (self.added(&tree, &self.record(record)), record);
            let (cost, record) = candidates.map(cost).min()?;
            self.diversify(&mut tree, &mut self.record(record));
            members.push(record);
            total += cost;
        }
        let mut places = tree.places();
        places.sort();
        Some((PlainClass { members, places }, total))
    }

    /// Algorithm 5 with these χ.
    pub(crate) fn clus_tree(&self, chis: &[f64]) -> Vec<PlainClass> {
        let mut left: Vec<u32> = (0..).take(self.problem.forest.n_records()).collect();
        let (mut classes, mut accepted) = (Vec::new(), Accepted::default());
        for chi in chis {
            for seed in left.clone() {
                if left.len() < self.size {
                    return classes;
                }
                if !left.contains(&seed) {
                    continue;
                }
                let Some((class, cost)) = self.create_cluster(&left, seed) else { continue };
                if cost <= accepted.limit(*chi) {
                    left.retain(|record| !class.members.contains(record));
                    classes.push(class);
                    accepted.push(cost);
                }
            }
        }
        classes
    }

    /// The least that laying `b` on `a` can add, by trying every way to pair their children.
    pub(crate) fn optimum(&self, a: &PlainTree, b: &PlainTree) -> Cost {
        let n = Cost::try_from(a.vertices.len()).unwrap();
        let lost = |tree: &PlainTree| {
            let mut copy = tree.clone();
            copy.suppress();
            self.cost(&copy)
        };
        if !self.is_diverse(a, b) {
            return n * (lost(a) - self.cost(a)) + lost(b);
        }
        let cell = |q: usize, (lo, hi): (u32, u32)| self.costs.of_cell(a.kind, q, lo, hi);
        let both = |(x, y): (&(u32, u32), &(u32, u32))| (x.0.min(y.0), x.1.max(y.1));
        let boxes = a.boxes.iter().zip(&b.boxes).map(both).enumerate();
        let own: Cost = boxes.map(|(q, of)| (n + 1) * cell(q, of) - n * cell(q, a.boxes[q])).sum();
        let xs: Vec<&PlainTree> = a.below.iter().filter(|below| !below.is_lost).collect();
        own + self.best_pairs(&xs, &b.below.iter().collect::<Vec<_>>(), n)
    }

    fn best_pairs(&self, xs: &[&PlainTree], ys: &[&PlainTree], n: Cost) -> Cost {
        let lost = |tree: &PlainTree| {
            let mut copy = tree.clone();
            copy.suppress();
            self.cost(&copy) - self.cost(tree)
        };
        let Some((x, others)) = xs.split_first() else { return ys.iter().map(|y| lost(y)).sum() };
        let mut least = n * lost(x) + self.best_pairs(others, ys, n);
        for at in 0..ys.len() {
            let mut left = ys.to_vec();
            let y = left.remove(at);
            least = least.min(self.optimum(x, y) + self.best_pairs(others, &left, n));
        }
        least
    }
}

impl PlainTree {
    fn suppress(&mut self) {
        self.is_lost = true;
        self.below.iter_mut().for_each(PlainTree::suppress);
    }

    /// The vertices of the members at each place that is kept.
    pub(crate) fn places(&self) -> Vec<Vec<u32>> {
        if self.is_lost {
            return Vec::new();
        }
        let below = self.below.iter().flat_map(PlainTree::places);
        [self.vertices.clone()].into_iter().chain(below).collect()
    }
}

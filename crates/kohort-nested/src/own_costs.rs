//! What each sort of vertex costs at each position of a class, and the least that a record can cost.
//!
//! # Method
//! 1. Vertices of one kind with the same codes and the same sensitive value are of one sort.
//! 2. For a class, a table has what a vertex of each sort costs on each position of its kind, without what is
//!    below. The least of a sort is on the cheapest position, or when it is lost.
//! 3. A record costs at least what its root costs on the root of the class, and the sum of the least of its
//!    other vertices. Where a kind has more vertices than the class has positions, the rest is lost; where it
//!    has fewer, the cheapest positions are.
//!
//! # Cost
//! Sorts × positions of their kind once for each class, then one look for each pair of vertices; one look for
//! each vertex where the least is enough.
//!
//! # References
//! specs/06 §4.1, where labels are counted instead.

use crate::costs::{Cost, TreeCosts, count};
use crate::{Pairs, Representative};

/// A vertex that cannot be laid on a position.
const NEVER: Cost = Cost::MAX;

/// The sorts of vertices of a forest.
pub struct Sorts {
    n_kinds: usize,
    // For each kind, a vertex of each of its sorts.
    examples: Vec<Vec<u32>>,
    // The sort of each vertex among those of its kind.
    of_vertex: Vec<u32>,
    // The sorts of each record's vertices, kind by kind: those of kind k of record r are
    // of_record[first[r * n_kinds + k]..first[r * n_kinds + k + 1]].
    of_record: Vec<u32>,
    first: Vec<u32>,
}

/// What vertices cost on one class.
pub struct OwnCosts<'a> {
    sorts: &'a Sorts,
    pairs: &'a Pairs<'a>,
    // For each position, where in the table its sorts begin.
    first: Vec<usize>,
    table: Vec<Cost>,
    // For each kind and sort the least cost.
    least: Vec<Vec<Cost>>,
    // For each kind, what losing the cheapest 0, 1, … of its positions costs.
    positions: Vec<Vec<Cost>>,
}

impl Sorts {
    /// The sorts of vertices of a forest.
    pub fn new(costs: &TreeCosts<'_>) -> Self {
        let forest = costs.forest();
        let n_kinds = forest.kinds().len();
        let number = |at: usize| u32::try_from(at).expect("no more sorts than vertices");
        let key =
            |vertex: u32| (forest.kind(vertex), forest.labels(vertex), forest.sensitive(vertex));
        let mut order: Vec<u32> = (0..number(forest.n_vertices())).collect();
        order.sort_unstable_by_key(|&vertex| (key(vertex), vertex));
        let mut of_vertex = vec![0; order.len()];
        let mut examples: Vec<Vec<u32>> = vec![Vec::new(); n_kinds];
        for &vertex in &order {
            let of_kind = &mut examples[forest.kind(vertex)];
            if of_kind.last().is_none_or(|&last| key(last) != key(vertex)) {
                of_kind.push(vertex);
            }
            of_vertex[vertex as usize] = number(of_kind.len() - 1);
        }
        let (mut of_record, mut first) = (Vec::with_capacity(order.len()), vec![0]);
        for record in 0..forest.n_records() {
            for kind in 0..n_kinds {
                let vertices = forest.vertices(record).filter(|&v| forest.kind(v) == kind);
                of_record.extend(vertices.map(|vertex| of_vertex[vertex as usize]));
                first.push(number(of_record.len()));
            }
        }
        Self { n_kinds, examples, of_vertex, of_record, first }
    }
}

impl<'a> OwnCosts<'a> {
    /// The costs of all sorts on a class.
    pub fn new(sorts: &'a Sorts, pairs: &'a Pairs<'a>, class: &Representative) -> Self {
        let n = count(class.n_members());
        let lost = |kind: usize| pairs.costs().of_lost(kind);
        let mut least: Vec<Vec<Cost>> = (sorts.examples.iter().enumerate())
            .map(|(kind, examples)| vec![lost(kind); examples.len()])
            .collect();
        let (mut first, mut table) = (Vec::with_capacity(class.n_positions()), Vec::new());
        let mut positions = vec![Vec::new(); sorts.n_kinds];
        for x in (0..).take(class.n_positions()) {
            let kind = class.kind(x);
            first.push(table.len());
            for (&vertex, least) in sorts.examples[kind].iter().zip(&mut least[kind]) {
                let cost = pairs.own(class, x, vertex).unwrap_or(NEVER);
                *least = cost.min(*least);
                table.push(cost);
            }
            positions[kind].push(n * (lost(kind) - class.loss(x)));
        }
        for of_kind in &mut positions {
            of_kind.push(0);
            of_kind.sort_unstable();
            for at in 1..of_kind.len() {
                of_kind[at] += of_kind[at - 1];
            }
        }
        Self { sorts, pairs, first, table, least, positions }
    }

    /// What laying a vertex on a position of its kind adds, without their children; none where it cannot be.
    #[inline]
    pub(crate) fn of(&self, x: u32, y: u32) -> Option<Cost> {
        let sort = self.sorts.of_vertex[y as usize] as usize;
        let cost = self.table[self.first[x as usize] + sort];
        (cost != NEVER).then_some(cost)
    }

    /// What a record costs at least; none where the roots cannot meet.
    pub fn at_least(&self, record: u32, scratch: &mut Vec<Cost>) -> Option<Cost> {
        let mut total = self.of(0, self.pairs.costs().forest().root(record as usize))?;
        let first = &self.sorts.first[record as usize * self.sorts.n_kinds..];
        // The first kind is the root's.
        for kind in 1..self.sorts.n_kinds {
            let sorts = &self.sorts.of_record[first[kind] as usize..first[kind + 1] as usize];
            let least = sorts.iter().map(|&sort| self.least[kind][sort as usize]);
            let n_positions = self.positions[kind].len() - 1;
            if sorts.len() <= n_positions {
                total += least.sum::<Cost>() + self.positions[kind][n_positions - sorts.len()];
            } else {
                scratch.clear();
                scratch.extend(least);
                if 0 < n_positions {
                    scratch.select_nth_unstable(n_positions - 1);
                }
                let n_lost = count(sorts.len() - n_positions);
                total += scratch[..n_positions].iter().sum::<Cost>();
                total += n_lost * self.pairs.costs().of_lost(kind);
            }
        }
        Some(total)
    }
}

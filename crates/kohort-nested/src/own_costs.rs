//! The least that a record can cost when it is laid on a class.
//!
//! # Method
//! 1. Vertices of one kind with the same codes and the same sensitive value are of one sort.
//! 2. For a class, the least of a sort is what a vertex costs on the cheapest position of its kind, without what
//!    is below, or when it is lost. What sorts of the same codes cost on a position is looked up once.
//! 3. A record costs at least what its root costs on the root of the class, and the sum of the least of its
//!    other vertices. Where a kind has more vertices than the class has positions, the rest is lost; where it
//!    has fewer, the cheapest positions are.
//!
//! # Cost
//! Sorts × positions of their kind once for each class, then one look for each vertex.
//!
//! # References
//! Where labels are counted instead.

use kohort_core::NO_VALUE;

use crate::costs::{Cost, TreeCosts, count};
use crate::position::NEVER;
use crate::{Pairs, Representative};

/// The sorts of vertices of a forest.
pub struct Sorts {
    of_kind: Vec<KindSorts>,
    // The sorts of each record's vertices, kind by kind: those of kind k of record r are
    // of_record[first[r * n_kinds + k]..first[r * n_kinds + k + 1]].
    of_record: Vec<u32>,
    first: Vec<u32>,
}

/// The sorts of one kind.
#[derive(Clone, Default)]
struct KindSorts {
    // Every combination of codes that occurs.
    labels: Vec<u32>,
    n_labels: usize,
    // For each sort its combination, and its sensitive value; 0 where the kind has none.
    sorts: Vec<(u32, u32)>,
    n_values: usize,
}

/// The least that vertices cost on one class.
pub struct OwnCosts<'a> {
    sorts: &'a Sorts,
    pairs: &'a Pairs<'a>,
    class: &'a Representative,
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
        let mut of_kind = vec![KindSorts::default(); n_kinds];
        let mut last: Option<(usize, &[u32], u32)> = None;
        for &vertex in &order {
            let (kind, labels, value) = key(vertex);
            let of_kind = &mut of_kind[kind];
            let before = last.filter(|&(other, ..)| other == kind);
            if before.is_none_or(|(_, other, _)| other != labels) {
                of_kind.labels.extend_from_slice(labels);
                of_kind.n_labels += 1;
            }
            if before.is_none_or(|(_, other, of)| (other, of) != (labels, value)) {
                let value = if value == NO_VALUE { 0 } else { value };
                of_kind.sorts.push((number(of_kind.n_labels - 1), value));
                of_kind.n_values = of_kind.n_values.max(value as usize + 1);
            }
            of_vertex[vertex as usize] = number(of_kind.sorts.len() - 1);
            last = Some((kind, labels, value));
        }
        let (mut of_record, mut first) = (Vec::with_capacity(order.len()), vec![0]);
        for record in 0..forest.n_records() {
            for kind in 0..n_kinds {
                let vertices = forest.vertices(record).filter(|&v| forest.kind(v) == kind);
                of_record.extend(vertices.map(|vertex| of_vertex[vertex as usize]));
                first.push(number(of_record.len()));
            }
        }
        Self { of_kind, of_record, first }
    }
}

impl<'a> OwnCosts<'a> {
    /// The least costs of all sorts on a class.
    pub fn new(sorts: &'a Sorts, pairs: &'a Pairs<'a>, class: &'a Representative) -> Self {
        let n = count(class.n_members());
        let lost = |kind: usize| pairs.costs().of_lost(kind);
        let kinds = sorts.of_kind.iter();
        let mut least: Vec<Vec<Cost>> = (kinds.clone().enumerate())
            .map(|(kind, of)| vec![lost(kind); of.sorts.len()])
            .collect();
        let mut is_full: Vec<Vec<bool>> = kinds.map(|of| vec![false; of.n_values]).collect();
        let mut positions = vec![Vec::new(); sorts.of_kind.len()];
        let mut of_labels = Vec::new();
        for x in (0..).take(class.n_positions()) {
            let kind = class.kind(x);
            let (of_kind, is_full) = (&sorts.of_kind[kind], &mut is_full[kind]);
            let position = pairs.at(class, x);
            position.own_of_labels(&of_kind.labels, of_kind.n_labels, &mut of_labels);
            position.full_values().for_each(|value| is_full[value as usize] = true);
            for (least, &(labels, value)) in least[kind].iter_mut().zip(&of_kind.sorts) {
                let cost = of_labels[labels as usize];
                *least = (*least).min(if is_full[value as usize] { NEVER } else { cost });
            }
            position.full_values().for_each(|value| is_full[value as usize] = false);
            positions[kind].push(n * (lost(kind) - class.loss(x)));
        }
        for of_kind in &mut positions {
            of_kind.push(0);
            of_kind.sort_unstable();
            for at in 1..of_kind.len() {
                of_kind[at] += of_kind[at - 1];
            }
        }
        Self { sorts, pairs, class, least, positions }
    }

    /// What a record costs at least; none where the roots cannot meet.
    pub fn at_least(&self, record: u32, scratch: &mut Vec<Cost>) -> Option<Cost> {
        let root = self.pairs.costs().forest().root(record as usize);
        let mut total = self.pairs.own(self.class, 0, root)?;
        let n_kinds = self.sorts.of_kind.len();
        let first = &self.sorts.first[record as usize * n_kinds..];
        // The first kind is the root's.
        for kind in 1..n_kinds {
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

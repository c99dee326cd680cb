//! What is lost of trees, in whole units: a sum is the same in whatever order it is taken.
//!
//! # Formula
//! A published vertex costs LM' of the cell of each quasi-identifier; a vertex that is not published costs
//! one for each quasi-identifier, and `sensitive_weight` if it has a sensitive value. LM' is rounded once,
//! for each cell, to the unit of 1 / `ONE`.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §2.3.1.

use std::collections::BTreeMap;
use std::ops::Range;

use kohort_core::{Attribute, Forest};
use kohort_models::{CellMetric, Costs};

use crate::candidate::NO_GROUP;
use crate::{AlignedClass, NestedCandidate, NestedForm, NestedProblem};

/// What is lost, in units of 1 / [`ONE`].
pub type Cost = i64;

/// The cost of one quasi-identifier of which nothing is told.
pub const ONE: Cost = 1 << 30;

/// Domains of up to so many codes have a table of all their cells.
const SMALL_DOMAIN: u32 = 512;

/// What the vertices of a forest cost.
pub struct TreeCosts<'a> {
    forest: &'a Forest,
    kinds: Vec<KindCosts<'a>>,
    of_subtree: Vec<Cost>,
    below: Vec<Cost>,
}

struct KindCosts<'a> {
    cells: Vec<CellCosts<'a>>,
    lost: Cost,
}

/// What the cells of one quasi-identifier cost.
pub(crate) struct CellCosts<'a> {
    attribute: &'a Attribute,
    costs: Option<Costs>,
    // The cost of the cell that covers lo..=hi, at lo * n_codes + hi; empty where the domain is large.
    table: Vec<u32>,
    n_codes: u32,
}

impl<'a> TreeCosts<'a> {
    /// The costs of the vertices of a problem's trees.
    pub fn new(problem: &NestedProblem<'a>) -> Self {
        let forest = problem.forest;
        let weight = units(problem.sensitive_weight);
        let kinds: Vec<KindCosts<'a>> = (forest.kinds().iter())
            .map(|kind| {
                let cells: Vec<_> = kind.quasi.iter().map(CellCosts::new).collect();
                let labels = cells.iter().map(|_| ONE).sum::<Cost>();
                KindCosts {
                    cells,
                    lost: labels + if kind.sensitive.is_some() { weight } else { 0 },
                }
            })
            .collect();
        let mut of_subtree: Vec<Cost> =
            (0..).take(forest.n_vertices()).map(|v| kinds[forest.kind(v)].lost).collect();
        let mut below = vec![0; of_subtree.len()];
        // Children stand after their parents.
        for vertex in (0..).take(forest.n_vertices()).collect::<Vec<u32>>().into_iter().rev() {
            let of_children = forest.children(vertex).map(|v| of_subtree[v as usize]);
            below[vertex as usize] = of_children.sum();
            of_subtree[vertex as usize] += below[vertex as usize];
        }
        Self { forest, kinds, of_subtree, below }
    }

    /// The trees.
    pub fn forest(&self) -> &'a Forest {
        self.forest
    }

    /// What the cells of each quasi-identifier of a kind cost.
    #[inline]
    pub(crate) fn cells(&self, kind: usize) -> &[CellCosts<'a>] {
        &self.kinds[kind].cells
    }

    /// What a published vertex costs whose codes of a quasi-identifier are widened to `lo..=hi`.
    #[inline]
    pub fn of_cell(&self, kind: usize, quasi: usize, lo: u32, hi: u32) -> Cost {
        self.kinds[kind].cells[quasi].of(lo, hi)
    }

    /// What a vertex of a kind costs that is not published.
    #[inline]
    pub fn of_lost(&self, kind: usize) -> Cost {
        self.kinds[kind].lost
    }

    /// What it costs to publish neither a vertex nor anything below it.
    #[inline]
    pub fn of_subtree(&self, vertex: u32) -> Cost {
        self.of_subtree[vertex as usize]
    }

    /// What it costs to publish nothing below a vertex.
    #[inline]
    pub fn below(&self, vertex: u32) -> Cost {
        self.below[vertex as usize]
    }

    /// What it costs to publish nothing below each of these vertices.
    #[inline]
    pub(crate) fn below_all(&self, vertices: Range<u32>) -> &[Cost] {
        &self.below[vertices.start as usize..vertices.end as usize]
    }

    /// What it costs to publish neither these vertices nor anything below them, each.
    #[inline]
    pub(crate) fn of_subtrees(&self, vertices: Range<u32>) -> &[Cost] {
        &self.of_subtree[vertices.start as usize..vertices.end as usize]
    }

    /// What a record costs that is not published.
    pub fn of_record(&self, record: usize) -> Cost {
        self.of_subtree(self.forest.root(record))
    }

    /// What a generalized class costs: its members' published vertices and what they lost.
    pub fn of_class(&self, class: &AlignedClass) -> Cost {
        let records = class.members.iter().map(|&member| self.of_record(member as usize));
        let positions = class.positions().map(|vertices| {
            let lost = self.of_lost(self.forest.kind(vertices[0]));
            (self.of_vertex(vertices) - lost) * count(vertices.len())
        });
        records.sum::<Cost>() + positions.sum::<Cost>()
    }

    /// What a release costs, everyone who is not published included.
    pub fn of_candidate(&self, candidate: &NestedCandidate) -> Cost {
        let mut is_member = vec![false; self.forest.n_records()];
        let members = candidate.classes.iter().flat_map(|class| &class.members);
        members.for_each(|&member| is_member[member as usize] = true);
        let lost = (0..is_member.len()).filter(|&r| !is_member[r]).map(|r| self.of_record(r));
        let classes = candidate.classes.iter().map(|class| match candidate.form {
            NestedForm::Generalized => self.of_class(class),
            _ => self.of_lost_vertices(class),
        });
        lost.chain(classes).sum::<Cost>() + self.of_groups(candidate)
    }

    /// What the members of a class lost, whatever the others show.
    fn of_lost_vertices(&self, class: &AlignedClass) -> Cost {
        let records = class.members.iter().map(|&member| self.of_record(member as usize));
        let kept = class.vertices.iter().map(|&vertex| self.of_lost(self.forest.kind(vertex)));
        records.sum::<Cost>() - kept.sum::<Cost>()
    }

    /// What the published vertices cost in a release of trees by themselves.
    fn of_groups(&self, candidate: &NestedCandidate) -> Cost {
        let mut vertices_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (vertex, &group) in (0..).zip(&candidate.group_of_vertex) {
            if group != NO_GROUP {
                vertices_of.entry(group).or_default().push(vertex);
            }
        }
        let groups = vertices_of.values();
        groups.map(|vertices| count(vertices.len()) * self.of_vertex(vertices)).sum()
    }

    /// What each of these vertices costs when all show the same cells.
    fn of_vertex(&self, vertices: &[u32]) -> Cost {
        let kind = self.forest.kind(vertices[0]);
        let cells = (0..self.kinds[kind].cells.len()).map(|quasi| {
            let codes = vertices.iter().map(|&vertex| self.forest.labels(vertex)[quasi]);
            let lo = codes.clone().min().expect("there are vertices");
            let hi = codes.max().expect("there are vertices");
            self.of_cell(kind, quasi, lo, hi)
        });
        cells.sum()
    }
}

impl<'a> CellCosts<'a> {
    fn new(attribute: &'a Attribute) -> Self {
        let n_codes = attribute.n_codes();
        // A single value is told by whatever is published.
        let costs = (n_codes > 1).then(|| Costs::new(attribute, CellMetric::Lm));
        let mut cells = Self { attribute, costs, table: Vec::new(), n_codes };
        if n_codes <= SMALL_DOMAIN {
            let pairs = (0..n_codes).flat_map(|lo| (0..n_codes).map(move |hi| (lo, hi)));
            let table = pairs.map(|(lo, hi)| if lo < hi { cells.look(lo, hi) } else { 0 });
            cells.table = table.collect();
        }
        cells
    }

    #[inline]
    pub(crate) fn of(&self, lo: u32, hi: u32) -> Cost {
        if self.table.is_empty() {
            return Cost::from(self.look(lo, hi));
        }
        Cost::from(self.table[(lo * self.n_codes + hi) as usize])
    }

    /// Adds to each sum so many times what the cell costs that covers `lo..=hi` and a code.
    #[inline]
    pub(crate) fn add(
        &self,
        (lo, hi): (u32, u32),
        codes: impl Iterator<Item = u32>,
        times: Cost,
        sums: &mut [Cost],
    ) {
        for (sum, code) in sums.iter_mut().zip(codes) {
            *sum += times * self.of(lo.min(code), hi.max(code));
        }
    }

    fn look(&self, lo: u32, hi: u32) -> u32 {
        let costs = self.costs.as_ref();
        let share = costs.map_or(0.0, |costs| costs.of(self.attribute.smallest_cell(lo, hi)));
        u32::try_from(units(share)).expect("a cell costs one at most")
    }
}

/// A number in units.
#[expect(clippy::cast_precision_loss, reason = "ONE is a power of two")]
#[expect(clippy::cast_possible_truncation, reason = "weights are far below 2^33")]
fn units(share: f64) -> Cost {
    (share * ONE as f64).round() as Cost
}

/// A number of members as a factor.
pub(crate) fn count(n: usize) -> Cost {
    Cost::try_from(n).expect("a class is smaller than 2^63")
}

//! A nested release as the metrics see it: what was read back, in the codes of the original, and nothing
//! of how it was made.

use kohort_core::{Cell, Forest};

use super::{kl, lm, query_accuracy, suppression_accuracy};
use crate::{Better, Score, Undefined};

/// A nested release and its original.
#[derive(Clone, Copy)]
pub struct NestedMeasured<'a> {
    /// The people as they were.
    pub original: &'a Forest,
    /// The released trees.
    pub trees: &'a ReleasedTrees,
    /// What is told of sensitive values.
    pub values: &'a ReleasedValues,
    /// For each released tree the original record that it embeds in, where there is one.
    pub originals: &'a [Option<u32>],
}

/// Released trees, each vertex before what is below it. The kinds are those of the original; a vertex of a
/// kind that is a member stands below the one it is a member of, as in the original.
#[derive(Clone, Debug, Default)]
pub struct ReleasedTrees {
    roots: Vec<u32>,
    kind: Vec<u16>,
    // One more than the last vertex below.
    end: Vec<u32>,
    first_cell: Vec<u32>,
    cells: Vec<Cell>,
}

/// What a release tells of sensitive values. Codes are those of the original's kinds.
#[derive(Clone, Debug)]
pub enum ReleasedValues {
    /// The code of each vertex, or `NO_VALUE`.
    Own(Vec<u32>),
    /// Trees of sensitive values, in groups (t-t anatomy).
    Trees {
        /// The group of each released tree.
        group: Vec<u32>,
        /// The place of each vertex in the structure of its group: equal for those that can be laid on
        /// one another.
        place: Vec<u64>,
        /// For each group its trees of sensitive values: each a list of places, kinds and codes in
        /// ascending order.
        sensitive: Vec<Vec<Vec<(u64, u16, u32)>>>,
    },
    /// Lists of sensitive values (v-v anatomy).
    Lists {
        /// The list of each vertex; `NO_VALUE` where it has none.
        list: Vec<u32>,
        /// The kind and codes of each list.
        lists: Vec<(u16, Vec<u32>)>,
    },
}

impl ReleasedTrees {
    /// Opens a vertex below the one that is open, or a root, and shows what it shows.
    ///
    /// # Panics
    /// When there are more than 65,535 kinds or 2^32 vertices.
    pub fn open(&mut self, kind: usize, is_root: bool, cells: impl Iterator<Item = Cell>) -> u32 {
        let vertex = number(self.kind.len());
        if is_root {
            self.roots.push(vertex);
        }
        self.kind.push(u16::try_from(kind).expect("at most 65,535 kinds"));
        self.end.push(vertex + 1);
        self.first_cell.push(number(self.cells.len()));
        self.cells.extend(cells);
        vertex
    }

    /// Closes a vertex: what is opened from here on is not below it.
    pub fn close(&mut self, vertex: u32) {
        self.end[vertex as usize] = number(self.kind.len());
    }

    /// The number of trees.
    pub fn n_records(&self) -> usize {
        self.roots.len()
    }

    /// The root of each tree.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// A vertex and all below it.
    pub fn subtree(&self, vertex: u32) -> std::ops::Range<u32> {
        vertex..self.end[vertex as usize]
    }

    /// The vertices directly below.
    pub fn children(&self, vertex: u32) -> impl Iterator<Item = u32> {
        let end = self.end[vertex as usize];
        let next = move |&child: &u32| Some(self.end[child as usize]).filter(|&next| next < end);
        std::iter::successors(Some(vertex + 1).filter(|&child| child < end), next)
    }

    /// The kind of a vertex.
    pub fn kind(&self, vertex: u32) -> usize {
        self.kind[vertex as usize] as usize
    }

    /// What a vertex shows: a cell for each quasi-identifier of its kind.
    pub fn cells(&self, vertex: u32) -> &[Cell] {
        let first = self.first_cell[vertex as usize] as usize;
        let end = self.first_cell.get(vertex as usize + 1);
        &self.cells[first..end.map_or(self.cells.len(), |&end| end as usize)]
    }

    /// The vertices of all trees.
    pub fn vertices(&self) -> std::ops::Range<u32> {
        0..number(self.kind.len())
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("at most 2^32 vertices")
}

impl NestedMeasured<'_> {
    /// Whether vertices of a kind are counted: a member is a part of the vertex it is a member of.
    pub(super) fn is_counted(&self, kind: usize) -> bool {
        !self.original.kinds()[kind].is_member
    }
}

/// A metric of nested releases.
#[derive(Clone, Copy)]
pub struct NestedMetric {
    /// The kebab-case name used in plans, flags and JSON; it never changes once released.
    pub id: &'static str,
    /// The name a person reads.
    pub title: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it tells a data owner, in one sentence.
    pub reads_as: &'static str,
    /// Which end is good.
    pub better: Better,
    /// Measures a release.
    pub measure: fn(&NestedMeasured<'_>) -> Result<Score, Undefined>,
}

/// The metrics of nested releases, in the order they are listed.
pub const NESTED_METRICS: &[NestedMetric] =
    &[lm::METRIC, suppression_accuracy::METRIC, kl::METRIC, query_accuracy::METRIC];

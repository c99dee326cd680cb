//! Anatomy of trees: groups of people cut to a common structure, quasi-identifiers as they are, and
//! sensitive values apart from them, by tree (t-t) or by vertex (v-v).
//!
//! # Guarantee
//! Every group has as many members as k and every l ask for. At each position of its structure no
//! sensitive value is had by more than one in l members, and every rule about occurrences holds by the
//! formula of the form that is published.
//!
//! # Method
//! 1. Sort the trees by their number of vertices and cut them into partitions (np).
//! 2. In a partition, while there are enough trees: take the first and make an augmented tree of it. What
//!    breaks a rule by itself is cut.
//! 3. Until the group is full: merge the tree that loses the fewest vertices (Merge), and cut everything
//!    that was not matched, on both sides.
//! 4. Children are matched by first fit, as in the thesis, or by assignment: of all ways to match them
//!    the one that loses the fewest vertices.
//! 5. Whoever is left over comes into a last partition; whoever is left over of that is left out.
//!
//! # Notation
//! T^A → `Augmented`, SAG → its values at a position, I → its vertices there, R → `Tally`, np →
//! `partitions`, LP → the leftovers of a round.
//!
//! # Cost
//! With trees of v vertices and partitions of s trees O(n·s) bounds and, for those that a bound does not
//! rule out, a merge of O(v²) or of an assignment per pair of parents. Partitions have a bounded size
//! unless np is given, so that time is linear in the trees beyond the sort; they are independent and share
//! the cores.
//!
//! # Deviations
//! - Only vertices of one kind are matched; COST is the number of vertices lost by all members (specs/06
//!   §5.2).
//! - A group has as many members as k or the largest l asks for; a value may occur more than once at a
//!   position where that leaves l-diversity. Rules are asked as for the full group from the start.
//! - Candidates are taken in the order of a lower bound of their loss, which changes no group.
//! - A first tree that breaks a rule by itself is cut, smallest subtrees first; the thesis finds no partner
//!   for it. One that finds too few partners is left over, and its partners are free again.
//! - Many leftovers are partitioned once more; the thesis has one last partition of any size.
//!
//! # References
//! Özalp et al., hierarchical data, §3.3 and §3.4, Algorithms 6 to 8; specs/06 §5.

mod augmented;
mod by_assignment;
mod first_fit;
mod tally;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use kohort_core::{Ctx, Spec};
use rayon::prelude::*;

use self::augmented::{Augmented, Kinds};
use self::by_assignment::ByAssignment;
use self::first_fit::FirstFit;
use self::tally::{Judge, Tally};
use crate::{AlignedClass, Failure, NestedAlgorithm, NestedCandidate, NestedForm, NestedProblem};

const PAPER: &str = "Özalp et al. 2016";

const TREES: &str = "nobody's sensitive values can be linked to the person with probability above 1/l, \
                     and the rules about occurrences hold; that somebody is in the release, and the \
                     quasi-identifiers, are not hidden";

const VERTICES: &str = "nobody's sensitive values can be linked to the person or to one another with \
                        probability above 1/l, and the rules about occurrences hold; that somebody is \
                        in the release, and the quasi-identifiers, are not hidden";

/// What t-t anatomy by assignment is.
const TREE_SPEC: Spec = Spec {
    id: "tree-anatomy",
    title: "Anatomy by tree",
    paper: PAPER,
    promise: TREES,
    parameters: &[],
};

/// What v-v anatomy by assignment is.
const VERTEX_SPEC: Spec = Spec {
    id: "vertex-anatomy",
    title: "Anatomy by vertex",
    paper: PAPER,
    promise: VERTICES,
    parameters: &[],
};

/// What t-t anatomy by first fit is.
const TREE_FIRST_FIT_SPEC: Spec = Spec {
    id: "tree-anatomy-first-fit",
    title: "Anatomy by tree, first fit",
    paper: PAPER,
    promise: TREES,
    parameters: &[],
};

/// What v-v anatomy by first fit is.
const VERTEX_FIRST_FIT_SPEC: Spec = Spec {
    id: "vertex-anatomy-first-fit",
    title: "Anatomy by vertex, first fit",
    paper: PAPER,
    promise: VERTICES,
    parameters: &[],
};

/// The most trees of a partition where the number of partitions is not given: of 1,000 students at l = 3,
/// one partition keeps 97.8 % of the vertices, two keep 97.6 %, four 97.3 % and eight 96.0 %.
const PARTITION: usize = 512;

/// Anatomy of trees.
#[derive(Clone, Copy, Debug)]
pub struct TreeAnatomy {
    spec: &'static Spec,
    form: NestedForm,
    merging: Merging,
    partitions: Option<usize>,
}

/// How children are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Merging {
    FirstFit,
    Assignment,
}

impl TreeAnatomy {
    /// t-t anatomy, children matched by assignment.
    pub const BY_TREE: Self = Self {
        spec: &TREE_SPEC,
        form: NestedForm::TreeAnatomy,
        merging: Merging::Assignment,
        partitions: None,
    };

    /// v-v anatomy, children matched by assignment.
    pub const BY_VERTEX: Self =
        Self { spec: &VERTEX_SPEC, form: NestedForm::VertexAnatomy, ..Self::BY_TREE };

    /// t-t anatomy, children matched by first fit.
    pub const BY_TREE_FIRST_FIT: Self =
        Self { spec: &TREE_FIRST_FIT_SPEC, merging: Merging::FirstFit, ..Self::BY_TREE };

    /// v-v anatomy, children matched by first fit.
    pub const BY_VERTEX_FIRST_FIT: Self =
        Self { spec: &VERTEX_FIRST_FIT_SPEC, merging: Merging::FirstFit, ..Self::BY_VERTEX };

    /// The same with a number of partitions (np); 0 is taken as 1.
    #[must_use]
    pub const fn with_partitions(self, partitions: usize) -> Self {
        Self { partitions: Some(partitions), ..self }
    }
}

impl NestedAlgorithm for TreeAnatomy {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn form(&self) -> NestedForm {
        self.form
    }

    fn is_quadratic(&self) -> bool {
        false
    }

    fn make(&self, ctx: &Ctx<'_>, problem: &NestedProblem<'_>) -> Result<NestedCandidate, Failure> {
        let forest = problem.forest;
        let kinds = Kinds::new(forest);
        let everybody: Vec<u32> = (0..).take(forest.n_records()).collect();
        let partitions = self.partitions.unwrap_or(everybody.len().div_ceil(PARTITION));
        let (mut classes, mut left) = self.round(ctx, problem, &kinds, everybody, partitions);
        // Step 5, again as long as it helps where leftovers are many.
        let mut before = usize::MAX;
        while problem.smallest() <= left.len() && left.len() <= before / 2 {
            before = left.len();
            let (more, rest) = self.round(ctx, problem, &kinds, left, before.div_ceil(PARTITION));
            classes.extend(more);
            left = rest;
        }
        if classes.is_empty() {
            let reason = format!(
                "no {} trees can be laid on one another: their roots differ too little in their \
                 sensitive values, or break a rule",
                problem.smallest()
            );
            return Err(Failure::Infeasible { reason });
        }
        let notes = match left.len() {
            0 => Vec::new(),
            1 => vec!["1 record fits in no group and is left out".to_owned()],
            n => vec![format!("{n} records fit in no group and are left out")],
        };
        Ok(NestedCandidate { classes, form: self.form, group_of_vertex: Vec::new(), notes })
    }
}

impl TreeAnatomy {
    /// Groups trees within partitions; tells the groups and who is left over.
    fn round(
        &self,
        ctx: &Ctx<'_>,
        problem: &NestedProblem<'_>,
        kinds: &Kinds,
        mut records: Vec<u32>,
        partitions: usize,
    ) -> (Vec<AlignedClass>, Vec<u32>) {
        let n_records = records.len();
        records.sort_by_key(|&record| problem.forest.vertices(record as usize).len());
        let size = n_records.div_ceil(partitions.max(1)).max(1);
        let done = AtomicU64::new(0);
        let made: Vec<(Vec<AlignedClass>, Vec<u32>)> = records
            .par_chunks(size)
            .map(|partition| {
                let made = Run::new(problem, kinds, *self).partition(partition.to_vec());
                let done = done.fetch_add(partition.len() as u64, Ordering::Relaxed);
                ctx.progress("anatomizing", done + partition.len() as u64, n_records as u64);
                made
            })
            .collect();
        let (classes, left): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        (classes.concat(), left.concat())
    }
}

/// The work on one partition.
struct Run<'a> {
    problem: &'a NestedProblem<'a>,
    kinds: &'a Kinds,
    judge: Judge<'a>,
    merge: Merge<'a>,
}

/// How a tree is merged into a group.
enum Merge<'a> {
    FirstFit(FirstFit<'a>),
    Assignment(Box<ByAssignment<'a>>),
}

impl<'a> Run<'a> {
    fn new(problem: &'a NestedProblem<'a>, kinds: &'a Kinds, method: TreeAnatomy) -> Self {
        let merge = match method.merging {
            Merging::FirstFit => Merge::FirstFit(FirstFit::new(problem)),
            Merging::Assignment => Merge::Assignment(Box::new(ByAssignment::new(problem))),
        };
        Self { problem, kinds, judge: Judge::new(problem, method.form), merge }
    }

    /// Steps 2 and 3.
    fn partition(mut self, mut records: Vec<u32>) -> (Vec<AlignedClass>, Vec<u32>) {
        let (mut classes, mut left) = (Vec::new(), Vec::new());
        let smallest = self.problem.smallest();
        while smallest <= records.len() {
            let first = records.remove(0);
            match self.group(first, &records) {
                Some(group) => {
                    assert!(Tally::new(&self.judge, &group).broken().is_none(), "rules were kept");
                    records.retain(|record| !group.members().contains(record));
                    classes.push(group.into_class());
                }
                None => left.push(first),
            }
        }
        left.extend(records);
        (classes, left)
    }

    /// The group that begins with a record, if there is one.
    fn group(&mut self, first: u32, others: &[u32]) -> Option<Augmented<'a>> {
        let mut group = self.judge.trimmed(Augmented::of_record(self.problem.forest, first))?;
        while group.members().len() < self.problem.smallest() {
            let record = self.nearest(&group, others)?;
            let pairs = match &mut self.merge {
                Merge::FirstFit(merge) => merge.pairs(&self.judge, &group, record),
                Merge::Assignment(merge) => merge.pairs(&self.judge, &group, record),
            };
            group = group.joined(record, &pairs.expect("it was a candidate"));
        }
        Some(group)
    }

    /// The record that loses the fewest vertices with a group, the lowest of several.
    fn nearest(&mut self, group: &Augmented<'a>, others: &[u32]) -> Option<u32> {
        let mut candidates: Vec<(u64, u32)> = (others.iter())
            .filter(|record| !group.members().contains(record))
            .map(|&record| (group.least_lost(record, self.kinds), record))
            .collect();
        candidates.sort_unstable();
        let mut best: Option<(u64, u32)> = None;
        for candidate in candidates {
            if best.is_some_and(|best| best <= candidate) {
                break;
            }
            let limit = best.map_or(u64::MAX, |(lost, _)| lost);
            let (_, record) = candidate;
            let lost = match &mut self.merge {
                Merge::FirstFit(merge) => merge.lost(&self.judge, group, record),
                Merge::Assignment(merge) => merge.lost(&self.judge, group, record, limit),
            };
            let found = lost.map(|lost| (lost, record));
            best = best.into_iter().chain(found).min();
        }
        best.map(|(_, record)| record)
    }
}

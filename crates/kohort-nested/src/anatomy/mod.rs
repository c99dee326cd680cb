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
//!    that was not matched, on both sides. Children are matched by first fit, as in Özalp 2017, or by
//!    assignment: of all ways to match them the one that loses the fewest vertices.
//! 4. By assignment, with rules: lay the members on one another once more, after what rules ask for was cut
//!    of all of them alike (`balanced.rs`), and keep what loses fewer vertices.
//! 5. Whoever is left over comes into a last partition.
//! 6. Whoever is left over of that joins the group that loses the fewest vertices with it and keeps every
//!    promise as a larger one; who fits in none is left out.
//!
//! # Notation
//! T^A → `Augmented`, SAG → its values at a position, I → its vertices there, R → `Tally`, np →
//! `partitions`, LP → the leftovers of a round.
//!
//! # Cost
//! With trees of v vertices and partitions of s trees O(n·s) bounds and, for those that a bound does not
//! rule out, a merge of O(v²) or of an assignment per pair of parents; cuts for rules evaluate only the
//! pairs above them again. Partitions have a bounded size unless np is given, so that time is linear in the
//! trees beyond the sort; they are independent and share the cores. Memory O(v²) for each core.
//!
//! # Deviations
//! - Only vertices of one kind are matched; COST is the number of vertices lost by all members.
//! - A group has as many members as k or the largest l asks for, and more where leftovers joined; a value
//!   may occur more than once at a position where that leaves l-diversity. Rules are asked as for the full
//!   group from the start.
//! - Candidates are taken in the order of a lower bound of their loss, which changes no group.
//! - A first tree that breaks a rule by itself is cut, smallest subtrees first; Özalp 2017 finds no partner
//!   for it. One that finds too few partners is left over, and its partners are free again.
//! - Many leftovers are partitioned once more; Özalp 2017 has one last partition of any size, and does not
//!   say what becomes of who is left over of that.
//! - In Özalp 2017 v-v keeps more vertices than t-t wherever p < 1, because it takes every grouping that
//!   keeps rules as trees to keep them as lists, which is not so. Of values that many
//!   people have often, v-v keeps fewer, whatever the groups: n/|G| groups keep at most η(|G|, m, p)
//!   occurrences each, while ⌊p·|G|⌋ members of each group keep all of theirs in t-t. v-v keeps more where
//!   p·|G| < 1, so that t-t allows nobody m occurrences. `benches/README.md` has figures.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §3.3 and §3.4, Algorithms 6 to 8.

mod augmented;
mod balanced;
mod better;
mod by_assignment;
mod first_fit;
mod host;
mod leftovers;
mod merge;
mod tally;

#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use kohort_core::{Ctx, Parameter, Spec};
use rayon::prelude::*;

use self::augmented::Augmented;
pub use self::better::BetterAnatomy;
use self::host::{Counts, Host};
use self::merge::{Merge, Merging};
use self::tally::Judge;
use crate::{AlignedClass, Failure, NestedAlgorithm, NestedCandidate, NestedForm, NestedProblem};

const PAPER: &str = "Özalp et al. 2016";

const TREES: &str = "nobody's sensitive values can be linked to the person with probability \
                     above 1/l, and the rules about occurrences hold; membership and the \
                     quasi-identifiers are not hidden";

const VERTICES: &str = "nobody's sensitive values can be linked to the person or to one another \
                        with probability above 1/l, and the rules about occurrences hold; \
                        membership and the quasi-identifiers are not hidden";

const PARAMETERS: &[Parameter] = &[Parameter {
    name: "partitions",
    range: "at least 1",
    doc: "the number of partitions that trees are sorted into by size and grouped within; more \
          are faster and lose a little more",
}];

/// What t-t anatomy by assignment is.
const TREE_SPEC: Spec = Spec {
    id: "tree-anatomy",
    title: "Anatomy by tree",
    paper: PAPER,
    promise: TREES,
    parameters: PARAMETERS,
};

/// What v-v anatomy by assignment is.
const VERTEX_SPEC: Spec = Spec {
    id: "vertex-anatomy",
    title: "Anatomy by vertex",
    paper: PAPER,
    promise: VERTICES,
    parameters: PARAMETERS,
};

/// What t-t anatomy by first fit is.
const TREE_FIRST_FIT_SPEC: Spec = Spec {
    id: "tree-anatomy-first-fit",
    title: "Anatomy by tree, first fit",
    paper: PAPER,
    promise: TREES,
    parameters: PARAMETERS,
};

/// What v-v anatomy by first fit is.
const VERTEX_FIRST_FIT_SPEC: Spec = Spec {
    id: "vertex-anatomy-first-fit",
    title: "Anatomy by vertex, first fit",
    paper: PAPER,
    promise: VERTICES,
    parameters: PARAMETERS,
};

/// The most trees of a partition where the number of partitions is not given: of 1,000 students at l = 3,
/// one partition keeps 96.9 % of the vertices of each, two keep 96.7 %, five 95.4 % and ten 94.9 %.
const PARTITION: usize = 512;

/// Anatomy of trees.
#[derive(Clone, Copy, Debug)]
pub struct TreeAnatomy {
    spec: &'static Spec,
    form: NestedForm,
    merging: Merging,
}

impl TreeAnatomy {
    /// t-t anatomy, children matched by assignment.
    pub const BY_TREE: Self =
        Self { spec: &TREE_SPEC, form: NestedForm::TreeAnatomy, merging: Merging::Assignment };

    /// v-v anatomy, children matched by assignment.
    pub const BY_VERTEX: Self =
        Self { spec: &VERTEX_SPEC, form: NestedForm::VertexAnatomy, ..Self::BY_TREE };

    /// t-t anatomy, children matched by first fit.
    pub const BY_TREE_FIRST_FIT: Self =
        Self { spec: &TREE_FIRST_FIT_SPEC, merging: Merging::FirstFit, ..Self::BY_TREE };

    /// v-v anatomy, children matched by first fit.
    pub const BY_VERTEX_FIRST_FIT: Self =
        Self { spec: &VERTEX_FIRST_FIT_SPEC, merging: Merging::FirstFit, ..Self::BY_VERTEX };
}

impl NestedAlgorithm for TreeAnatomy {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn form(&self) -> NestedForm {
        self.form
    }

    fn can_be_transparent(&self) -> bool {
        matches!(self.merging, Merging::Assignment)
    }

    fn is_quadratic(&self) -> bool {
        false
    }

    fn make(&self, ctx: &Ctx<'_>, problem: &NestedProblem<'_>) -> Result<NestedCandidate, Failure> {
        let forest = problem.forest;
        let counts = Counts::new(problem);
        let everybody: Vec<u32> = (0..).take(forest.n_records()).collect();
        let partitions = problem.partitions.unwrap_or(everybody.len().div_ceil(PARTITION));
        let (mut classes, mut left) = self.round(ctx, problem, &counts, everybody, partitions);
        // Step 5, again as long as it helps where leftovers are many.
        let mut before = usize::MAX;
        while problem.smallest() <= left.len() && left.len() <= before / 2 {
            before = left.len();
            let (more, rest) = self.round(ctx, problem, &counts, left, before.div_ceil(PARTITION));
            classes.extend(more);
            left = rest;
        }
        let (classes, left) = leftovers::join(ctx, problem, *self, &counts, (classes, left));
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
        counts: &Counts,
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
                let made = Run::new(problem, counts, *self).partition(partition.to_vec());
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
    counts: &'a Counts,
    judge: Rc<Judge<'a>>,
    merge: Merge<'a>,
}

impl<'a> Run<'a> {
    fn new(problem: &'a NestedProblem<'a>, counts: &'a Counts, method: TreeAnatomy) -> Self {
        let judge = Rc::new(Judge::new(problem, method.form, problem.smallest()));
        Self { problem, counts, judge, merge: Merge::new(problem, method.merging) }
    }

    /// Steps 2 to 4.
    fn partition(mut self, mut records: Vec<u32>) -> (Vec<AlignedClass>, Vec<u32>) {
        let (mut classes, mut left) = (Vec::new(), Vec::new());
        let smallest = self.problem.smallest();
        while smallest <= records.len() {
            let first = records.remove(0);
            match self.group(first, &records) {
                Some(group) => {
                    assert!(group.keeps_rules(), "a tree that breaks a rule is no candidate");
                    records.retain(|record| !group.group().members().contains(record));
                    classes.push(group.into_class());
                }
                None => left.push(first),
            }
        }
        left.extend(records);
        (classes, left)
    }

    /// The group that begins with a record, if there is one.
    fn group(&mut self, first: u32, others: &[u32]) -> Option<Host<'a>> {
        let mut host = Host::of_record(&self.judge, self.counts, self.problem.forest, first)?;
        while host.group().members().len() < self.problem.smallest() {
            let is_free = |record: &&u32| !host.group().members().contains(record);
            let offers = others.iter().filter(is_free).map(|&record| (record, (&host, record)));
            let record = self.merge.nearest(offers)?;
            let pairs = self.merge.pairs(&host, record, &[]).expect("it was a candidate");
            host = host.joined(record, &pairs);
        }
        let is_better = |other: &Host<'_>| host.group().n_positions() < other.group().n_positions();
        Some(self.balanced(host.group().members()).filter(is_better).unwrap_or(host))
    }

    /// Step 4: the members laid on one another once more, cut beforehand.
    fn balanced(&mut self, members: &[u32]) -> Option<Host<'a>> {
        if !self.judge.has_rules() || matches!(self.merge, Merge::FirstFit(_)) {
            return None;
        }
        let forest = self.problem.forest;
        let cuts = balanced::cuts(&self.judge, forest, members);
        let group = Augmented::of_record(forest, members[0]);
        let root = forest.root(members[0] as usize);
        let cut: Vec<u32> = cuts[0].iter().map(|vertex| vertex - root).collect();
        let group = self.judge.trimmed(group.without(&cut))?;
        let mut host = Host::new(&self.judge, self.counts, group);
        for (&record, cuts) in members.iter().zip(&cuts).skip(1) {
            let pairs = self.merge.pairs(&host, record, cuts)?;
            host = host.joined(record, &pairs);
        }
        Some(host)
    }
}

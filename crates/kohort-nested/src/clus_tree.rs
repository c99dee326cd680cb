//! ClusTree: classes are grown one after the other, and those that cost too much are put back for a later
//! pass.
//!
//! # Guarantee
//! Every class has max(k, l) members, aligned by kind and structure, and at no position does a value occur in
//! more than one in l of them.
//!
//! # Method
//! 1. `CreateCluster`: a class begins with one record and takes, again and again, the record that adds least to
//!    its cost, until it has as many members as are asked for. It fails when nobody's root can meet its root.
//! 2. One pass: every record that is left in its turn begins a class. A class is accepted if it costs no more
//!    than μ + χσ of those accepted so far; otherwise its records are left for others.
//! 3. χ begins at 0 and grows by s with each pass; in the pass after it reached m every class is accepted.
//! 4. Records in no class after that are not published.
//!
//! # Notation
//! T_a → `seed`, c_rep → `Representative`, F → `left`, R → `classes`, χ → `chi`, s → `STEP`, m → `MOST`, μ and
//! σ → `Accepted`.
//!
//! # Cost
//! O(passes · n² · size) pairs of records at worst, of which bounds leave few. A class is grown only as far as it
//! can be accepted. Candidates only go, never come: a seed remembers who was nearest to its class, and looks
//! again only where all of them are gone or another member joins. Memory O(n · size).
//!
//! # Deviations
//! - The class has max(k, l) members; where that is more than l, a value may stand at a position in as many
//!   as size / l of them. Algorithm 4 has l members with different values.
//! - σ is that of a sample. There are ⌈m/s⌉ + 1 passes; Özalp 2017 counts one more.
//! - Rules about how often a value occurs in a tree are refused: classes of generalized trees do not keep them.
//! - Where nobody can join, the record is left and tried again in the next pass; Algorithm 4 does not say.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, Algorithms 4 and 5.

use kohort_core::{Ctx, Spec};

use crate::costs::{Cost, TreeCosts};
use crate::nearest::nearest;
use crate::own_costs::Sorts;
use crate::{
    Failure, Mapping, NestedAlgorithm, NestedCandidate, NestedForm, NestedProblem, Pairs,
    Representative, Scratch,
};

/// How much χ grows from pass to pass: s.
const STEP: f64 = 0.5;
/// Where χ ends: m.
const MOST: f64 = 4.0;

/// How many records a seed remembers from pass to pass. More of them are looked for again less often, but each of them
/// is one more whose cost must be known to the end.
const N_NEAREST: usize = 2;

const SPEC: Spec = Spec {
    id: "clustree",
    title: "ClusTree, children paired by assignment",
    paper: "Özalp 2017",
    promise: "records of a class are published as one tree, and expensive classes are tried again",
    parameters: &[],
};

const GREEDY: Spec =
    Spec { id: "clustree-greedy", title: "ClusTree, children paired greedily", ..SPEC };

/// ClusTree.
pub(crate) struct ClusTree(pub(crate) Mapping);

impl NestedAlgorithm for ClusTree {
    fn spec(&self) -> &'static Spec {
        match self.0 {
            Mapping::Assignment => &SPEC,
            Mapping::Greedy => &GREEDY,
        }
    }

    fn is_quadratic(&self) -> bool {
        true
    }

    fn make(&self, ctx: &Ctx<'_>, problem: &NestedProblem<'_>) -> Result<NestedCandidate, Failure> {
        cluster(ctx, problem, self.0, chis(), N_NEAREST)
    }
}

/// χ of each pass.
fn chis() -> impl Iterator<Item = f64> {
    let below = std::iter::successors(Some(0.0), |chi| Some(chi + STEP));
    below.take_while(|&chi| chi < MOST).chain([f64::INFINITY])
}

/// Passes over the records with these χ, the last of which is without bound. A seed remembers so many records
/// for each member of its class.
pub(crate) fn cluster(
    ctx: &Ctx<'_>,
    problem: &NestedProblem<'_>,
    mapping: Mapping,
    chis: impl Iterator<Item = f64>,
    n_nearest: usize,
) -> Result<NestedCandidate, Failure> {
    let (size, n_records) = (problem.smallest(), problem.forest.n_records());
    refuse(problem, size)?;
    let costs = TreeCosts::new(problem);
    let mut run = Run {
        pairs: &Pairs::new(&costs, problem, size, mapping),
        sorts: &Sorts::new(&costs),
        size,
        left: (0..).take(n_records).collect(),
        nearest: vec![Vec::new(); n_records],
        n_nearest,
        scratch: Scratch::default(),
    };
    let (mut classes, mut accepted) = (Vec::new(), Accepted::default());
    'passes: for chi in chis {
        for seed in run.left.clone() {
            if run.left.len() < size || ctx.should_stop() {
                break 'passes;
            }
            if run.is_left(seed)
                && let Some(class) = run.create_cluster(seed, accepted.limit(chi))
            {
                accepted.push(class.cost());
                run.left.retain(|record| !class.class().members.contains(record));
                classes.push(class.into_class());
                ctx.progress("classes", (n_records - run.left.len()) as u64, n_records as u64);
            }
        }
    }
    if classes.is_empty() {
        return Err(Failure::Infeasible {
            reason: format!(
                "no {size} records can be one class: their roots share sensitive values"
            ),
        });
    }
    let notes = match run.left.len() {
        0 => Vec::new(),
        1 => vec!["1 record fits in no class and is left out".to_owned()],
        n => vec![format!("{n} records fit in no class and are left out")],
    };
    Ok(NestedCandidate {
        classes,
        form: NestedForm::Generalized,
        group_of_vertex: Vec::new(),
        notes,
    })
}

/// What cannot be reached whatever the records are.
pub(crate) fn refuse(problem: &NestedProblem<'_>, size: usize) -> Result<(), Failure> {
    let n_records = problem.forest.n_records();
    if !problem.rules.is_empty() {
        let reason =
            "generalized classes keep no rule about how often a value occurs: anatomy does";
        return Err(Failure::Infeasible { reason: reason.to_owned() });
    }
    if n_records < size {
        let reason = format!("a class has at least {size} records, but there are {n_records}");
        return Err(Failure::Infeasible { reason });
    }
    Ok(())
}

struct Run<'a> {
    pairs: &'a Pairs<'a>,
    sorts: &'a Sorts,
    size: usize,
    // The records in no class, in ascending order.
    left: Vec<u32>,
    // For each seed and each member to come, who was nearest to the class so far in an earlier pass. The
    // first of each list joined.
    nearest: Vec<Vec<Vec<(Cost, u32)>>>,
    n_nearest: usize,
    scratch: Scratch,
}

impl Run<'_> {
    fn is_left(&self, record: u32) -> bool {
        self.left.binary_search(&record).is_ok()
    }

    /// The class of a seed, if somebody can join each time and the cost stays within the limit.
    fn create_cluster(&mut self, seed: u32, limit: Cost) -> Option<Representative> {
        let mut lists = std::mem::take(&mut self.nearest[seed as usize]);
        let mut class = Representative::of_record(self.pairs.costs(), seed);
        let (mut joined, mut cost) = (Vec::new(), 0);
        while joined.len() + 1 < self.size && cost <= limit {
            kohort_core::alive();
            let step = joined.len();
            self.keep_left(&mut lists, step);
            if lists.len() == step {
                class = self.merge(class, &joined);
                let Self { pairs, sorts, left, n_nearest, .. } = self;
                lists.push(nearest(pairs, sorts, &class, left, *n_nearest, limit - cost));
            }
            // Nobody's root meets that of the class, or everybody adds too much.
            let Some(&(added, record)) = lists[step].first() else { break };
            joined.push(record);
            cost += added;
        }
        self.nearest[seed as usize] = lists;
        let is_whole = joined.len() + 1 == self.size && cost <= limit;
        is_whole.then(|| self.merge(class, &joined))
    }

    /// Takes those who are gone off the list of a step. The lists of later steps are kept only where the same
    /// record joins again, and a list that is used up is made again.
    fn keep_left(&self, lists: &mut Vec<Vec<(Cost, u32)>>, step: usize) {
        let Some(list) = lists.get_mut(step) else { return };
        let joined = list.first().copied();
        list.retain(|&(_, record)| self.is_left(record));
        let next = list.first().copied();
        if next.is_none() {
            lists.truncate(step);
        } else if next != joined {
            lists.truncate(step + 1);
        }
    }

    /// The class with these members beside its first.
    fn merge(&mut self, mut class: Representative, joined: &[u32]) -> Representative {
        for &record in &joined[class.n_members() - 1..] {
            let merged = self.pairs.merge(&class, record, &mut self.scratch);
            class = merged.expect("the roots of a member and its class meet");
        }
        class
    }
}

/// The costs of the classes accepted so far, by Welford's method.
#[derive(Default)]
pub(crate) struct Accepted {
    n: f64,
    mean: f64,
    squares: f64,
}

impl Accepted {
    #[expect(clippy::cast_precision_loss, reason = "a threshold of a heuristic")]
    pub(crate) fn push(&mut self, cost: Cost) {
        let cost = cost as f64;
        self.n += 1.0;
        let distance = cost - self.mean;
        self.mean += distance / self.n;
        self.squares += distance * (cost - self.mean);
    }

    /// The most that a class may cost: μ + χσ.
    #[expect(clippy::cast_possible_truncation, reason = "costs are whole")]
    pub(crate) fn limit(&self, chi: f64) -> Cost {
        if self.n < 2.0 || chi.is_infinite() {
            return Cost::MAX;
        }
        (self.mean + chi * (self.squares / (self.n - 1.0)).sqrt()).floor() as Cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // ⌈4 / 0.5⌉ + 1.
    #[test]
    fn there_are_9_passes_for_m_4_and_s_0_5() {
        assert_eq!(chis().count(), 9);
    }
}

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
//! O(passes · n² · size) pairs of records at worst, of which bounds leave few. A class is looked for only as far
//! as it can be accepted, and grown again only from where a member is gone: fewer candidates never give a
//! cheaper next member. Memory O(n · size).
//!
//! # Deviations
//! - The class has max(k, l) members; where that is more than l, a value may stand at a position in as many
//!   as size / l of them. Algorithm 4 has l members with different values.
//! - σ is that of a sample. There are ⌈m/s⌉ + 1 passes (specs/06 §4); the thesis counts one more.
//! - Where nobody can join, the record is left and tried again in the next pass; Algorithm 4 does not say.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, Algorithms 4 and 5; specs/06 §4.

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

const SPEC: Spec = Spec {
    id: "clustree",
    title: "ClusTree, children paired by assignment",
    paper: "Özalp 2017",
    promise: "records of a class are published as one tree, and classes that cost much are tried again",
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
        cluster(ctx, problem, self.0, chis())
    }
}

/// χ of each pass.
fn chis() -> impl Iterator<Item = f64> {
    let below = std::iter::successors(Some(0.0), |chi| Some(chi + STEP));
    below.take_while(|&chi| chi < MOST).chain([f64::INFINITY])
}

/// Passes over the records with these χ, the last of which is without bound.
pub(crate) fn cluster(
    ctx: &Ctx<'_>,
    problem: &NestedProblem<'_>,
    mapping: Mapping,
    chis: impl Iterator<Item = f64>,
) -> Result<NestedCandidate, Failure> {
    let (size, n_records) = (problem.smallest(), problem.forest.n_records());
    refuse(problem, size)?;
    let costs = TreeCosts::new(problem);
    let mut run = Run {
        pairs: &Pairs::new(&costs, problem, size, mapping),
        sorts: &Sorts::new(&costs),
        size,
        left: (0..).take(n_records).collect(),
        grown: vec![Grown::NOT; n_records],
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
fn refuse(problem: &NestedProblem<'_>, size: usize) -> Result<(), Failure> {
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
    grown: Vec<Grown>,
    scratch: Scratch,
}

/// How far the class of a seed was grown in an earlier pass.
#[derive(Clone)]
struct Grown {
    // Who joined, in order.
    joined: Vec<u32>,
    // The class with the next member costs more than this.
    above: Cost,
}

impl Grown {
    /// A class that nobody looked for.
    const NOT: Self = Self { joined: Vec::new(), above: -1 };
}

impl Run<'_> {
    fn is_left(&self, record: u32) -> bool {
        self.left.binary_search(&record).is_ok()
    }

    /// The class of a seed, if somebody can join each time and the cost stays within the limit.
    fn create_cluster(&mut self, seed: u32, limit: Cost) -> Option<Representative> {
        let grown = std::mem::replace(&mut self.grown[seed as usize], Grown::NOT);
        let n_left = grown.joined.iter().take_while(|&&record| self.is_left(record)).count();
        if n_left == grown.joined.len() && limit <= grown.above {
            self.grown[seed as usize] = grown;
            return None;
        }
        let mut class = Representative::of_record(self.pairs.costs(), seed);
        let mut joined = grown.joined;
        joined.truncate(n_left);
        for &record in &joined {
            class = self.merge(&class, record);
        }
        while class.n_members() < self.size {
            let within = limit - class.cost();
            let found = nearest(self.pairs, self.sorts, &class, &self.left, within);
            let Some((_, record)) = found else {
                self.grown[seed as usize] = Grown { joined, above: limit };
                return None;
            };
            class = self.merge(&class, record);
            joined.push(record);
        }
        Some(class)
    }

    fn merge(&mut self, class: &Representative, record: u32) -> Representative {
        let merged = self.pairs.merge(class, record, &mut self.scratch);
        merged.expect("the roots of a member and its class meet")
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

    // specs/06 §4: ⌈4 / 0.5⌉ + 1.
    #[test]
    fn there_are_9_passes_for_m_4_and_s_0_5() {
        assert_eq!(chis().count(), 9);
    }
}

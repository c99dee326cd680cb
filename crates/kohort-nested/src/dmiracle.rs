//! dMiRaCle: multi-relational k-anonymity by clusters that stay open, with l-diversity.
//!
//! # Guarantee
//! Every class has as many members as k and every l ask for, published as one tree, and at each position no
//! sensitive value is had by more than one in l members.
//!
//! # Method
//! 1. Each record in turn is compared with the open clusters. It joins the one that it costs least, of
//!    equals the one that nobody joined for longest, if that is at most th times what losing both altogether
//!    would add; otherwise it opens a cluster.
//! 2. If `climit` clusters are open it joins the cheapest in any case.
//! 3. A cluster with enough members is closed.
//! 4. In the end the members of open clusters join the closed cluster that they cost least.
//! 5. All of this for th in 0, 0.1, …, 1; the release with the least loss is made.
//!
//! # Notation
//! vip → a record, anonymise(t1, t2) → `Pairs` with greedy matching of children, diameter → what losing both
//! altogether would add.
//!
//! # Cost
//! O(n · climit) pairs for each th, and O(climit · n) at the end.
//!
//! # Deviations
//! RECONSTRUCTED: only an outline was at hand. A join that would make a value too frequent is
//! refused, at the root for the record and below it for the pair of vertices.
//!
//! # References
//! Nergiz, Clifton and Nergiz, Multirelational k-Anonymity, ICDE 2007 and TKDE 2009.

use kohort_core::{Ctx, Spec};
use rayon::prelude::*;

use crate::costs::Cost;
use crate::{
    AlignedClass, Failure, Mapping, NestedAlgorithm, NestedCandidate, NestedForm, NestedProblem,
    Pairs, Representative, Scratch, TreeCosts,
};

const SPEC: Spec = Spec {
    id: "dmiracle",
    title: "dMiRaCle",
    paper: "Nergiz et al. 2009",
    promise: "records of a class are published as one tree, l-diverse at each of its vertices",
    parameters: &[],
};

/// The most clusters that are open at a time.
const CLIMIT: usize = 150;

/// The thresholds that are tried, in tenths.
const THRESHOLDS: std::ops::RangeInclusive<Cost> = 0..=10;

/// dMiRaCle.
pub(crate) struct DMiRaCle;

impl NestedAlgorithm for DMiRaCle {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn is_quadratic(&self) -> bool {
        false
    }

    fn make(&self, _: &Ctx<'_>, problem: &NestedProblem<'_>) -> Result<NestedCandidate, Failure> {
        if !problem.rules.is_empty() {
            let reason = "dMiRaCle keeps no rule about how often a value occurs: anatomy does";
            return Err(Failure::Infeasible { reason: reason.to_owned() });
        }
        let costs = TreeCosts::new(problem);
        let size = problem.smallest();
        let thresholds: Vec<Cost> = THRESHOLDS.collect();
        let made = thresholds.into_par_iter().map(|tenths| {
            let classes = Run::new(&costs, problem, tenths).cluster();
            let (form, group_of_vertex) = (NestedForm::Generalized, Vec::new());
            let note = format!("th, the largest distance of a join, is {tenths} tenths");
            NestedCandidate { classes, form, group_of_vertex, notes: vec![note] }
        });
        let best = made
            .collect::<Vec<_>>()
            .into_iter()
            .min_by_key(|candidate| {
                let n_members: usize = candidate.classes.iter().map(|c| c.members.len()).sum();
                (costs.of_candidate(candidate), std::cmp::Reverse(n_members))
            })
            .expect("several thresholds are tried");
        if best.classes.is_empty() {
            let reason = format!("no {size} records can be one class");
            return Err(Failure::Infeasible { reason });
        }
        Ok(best)
    }
}

/// The clusters of one threshold.
struct Run<'a> {
    costs: &'a TreeCosts<'a>,
    problem: &'a NestedProblem<'a>,
    tenths: Cost,
    open: Vec<Representative>,
    closed: Vec<Representative>,
    left: Vec<u32>,
    scratch: Scratch,
}

impl<'a> Run<'a> {
    fn new(costs: &'a TreeCosts<'a>, problem: &'a NestedProblem<'a>, tenths: Cost) -> Self {
        let (open, closed, left) = (Vec::new(), Vec::new(), Vec::new());
        Self { costs, problem, tenths, open, closed, left, scratch: Scratch::default() }
    }

    fn cluster(mut self) -> Vec<AlignedClass> {
        for record in (0..).take(self.costs.forest().n_records()) {
            kohort_core::alive();
            self.arrive(record);
        }
        // Step 4.
        let open = std::mem::take(&mut self.open);
        self.left.extend(open.iter().flat_map(|cluster| &cluster.class().members));
        self.left.sort_unstable();
        let mut closed = std::mem::take(&mut self.closed);
        for record in std::mem::take(&mut self.left) {
            kohort_core::alive();
            if let Some((_, at)) = self.nearest(&closed, record) {
                closed[at] = self.merge(&closed[at], record);
            }
        }
        closed.into_iter().map(Representative::into_class).collect()
    }

    /// Steps 1 to 3.
    fn arrive(&mut self, record: u32) {
        let lost = self.costs.of_record(record as usize);
        let is_full = self.open.len() == CLIMIT;
        let open = std::mem::take(&mut self.open);
        let near = self.nearest(&open, record).filter(|&(cost, at)| {
            is_full || 10 * cost <= self.tenths * (lost + open[at].subtree(0))
        });
        self.open = open;
        let cluster = match near {
            Some((_, at)) => {
                let cluster = self.open.remove(at);
                self.merge(&cluster, record)
            }
            None if is_full => return self.left.push(record),
            None => Representative::of_record(self.costs, record),
        };
        if self.problem.smallest() <= cluster.n_members() {
            self.closed.push(cluster);
        } else {
            self.open.push(cluster);
        }
    }

    /// How a record is laid on a cluster: below the size that is asked for, as on one of that size.
    fn pairs(&self, cluster: &Representative) -> Pairs<'a> {
        let size = self.problem.smallest().max(cluster.n_members() + 1);
        Pairs::new(self.costs, self.problem, size, Mapping::Greedy)
    }

    fn merge(&mut self, cluster: &Representative, record: u32) -> Representative {
        let merged = self.pairs(cluster).merge(cluster, record, &mut self.scratch);
        merged.expect("whatever has a cost can be merged")
    }

    /// The cluster that a record costs least, of equals the first, and the cost.
    fn nearest(&mut self, clusters: &[Representative], record: u32) -> Option<(Cost, usize)> {
        let mut best: Option<(Cost, usize)> = None;
        for (at, cluster) in clusters.iter().enumerate() {
            let limit = best.map_or(Cost::MAX, |(cost, _)| cost - 1);
            let cost = self.pairs(cluster).cost(cluster, record, limit, &mut self.scratch);
            // A greedy mapping looks at no limit.
            best = cost.filter(|&cost| cost <= limit).map(|cost| (cost, at)).or(best);
        }
        best
    }
}

//! Auto: near records by their sketches, and a local search that exchanges records between classes.
//!
//! # Guarantee
//! Every class has at least max(k, l) members, aligned by kind and structure, and at no position does a value
//! occur in more than one in l of them.
//!
//! # Method
//! 1. Each record gets a sketch: how much of its labels lies under each node of their taxonomies. The distance
//!    of two sketches is at most what their labels lose when they are one class.
//! 2. Each record gets a list of near records, by the distance of sketches: among all, or among those that
//!    stand near it in one of several orders and those near somebody near. The lists grow with max(k, l).
//! 3. Start: the largest record with the sensitive value at the root that most have, of those that are left, begins a
//!    class. Of the nearest that are left and can join, by their sketches, the one that adds least joins, until the
//!    class has max(k, l) members.
//! 4. Whoever is left over joins a class where that loses less than to leave the record out; and the cheapest to join
//!    do, where more are left out than may be.
//! 5. Exchange: for each record, what it adds to the class of a near record when it takes the place of a member
//!    there. A record takes a member's place, who takes another's, and so on around a circle of classes, until the
//!    last takes the place of the first: where that lowers the cost of these classes together. A record that is left
//!    out may be the first: then the last is left out. Rounds, until little is gained; only places in classes that
//!    changed are looked at again.
//! 6. Members of each class are laid on one another again, in other orders, and the cheapest is kept; then the exchange
//!    goes on.
//! 7. Dissolve: a class whose members add less to other classes than it costs is given up. Then the members are laid on
//!    one another for the last time.
//!
//! # Cost
//! O(n · near · size) pairs of records in the first round, and few in those after it; sketches are compared in
//! O(n · window). Memory O(n · (sketch + near · size + tree)): each record has its class without it.
//!
//! # Deviations
//! Ours: there is no paper. Rules about how often a value occurs are refused, as by all makers of generalized
//! classes.
//!
//! # References
//! The classes are those of Özalp 2017, Definition 14.

mod classes;
mod dissolve;
mod exchange;
mod left;
mod near;
mod sketch;
mod start;
#[cfg(test)]
mod tests;
mod wishes;

use kohort_core::{Ctx, Spec};

use self::classes::Classes;
use self::exchange::Search;
use crate::clus_tree::refuse;
use crate::costs::TreeCosts;
use crate::{Failure, NestedAlgorithm, NestedCandidate, NestedForm, NestedProblem};

const SPEC: Spec = Spec {
    id: "auto",
    title: "near records, improved by exchange",
    paper: "kohort",
    promise: "records of a class are published as one tree; the least loss found; with rules, \
              the anatomy by tree or by vertex that keeps more vertices",
    parameters: &[],
};

/// Rounds of exchange, which end before that where nobody gains.
const ROUNDS: usize = 40;

/// Auto.
pub(crate) struct Auto;

impl NestedAlgorithm for Auto {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn can_be_transparent(&self) -> bool {
        true
    }

    fn is_quadratic(&self) -> bool {
        false
    }

    fn make(&self, ctx: &Ctx<'_>, problem: &NestedProblem<'_>) -> Result<NestedCandidate, Failure> {
        let size = problem.smallest();
        refuse(problem, size)?;
        let costs = TreeCosts::new(problem);
        ctx.progress("near records", 0, 1);
        let sketches = sketch::sketches(problem);
        let near = near::lists(&sketches, size);
        let mut classes = Classes::new(&costs, problem, size);
        start::fill(ctx, &mut classes, &sketches, &near);
        if classes.is_empty() {
            return Err(Failure::Infeasible {
                reason: format!(
                    "no {size} records can be one class: their roots share sensitive values"
                ),
            });
        }
        let mut search = Search::new(&classes);
        search.improve(ctx, &mut classes, &near, ROUNDS);
        search.changed(classes.lay_again());
        search.improve(ctx, &mut classes, &near, ROUNDS);
        let changed = dissolve::dissolve(&mut classes, &near);
        if !changed.is_empty() {
            search.changed(changed);
            search.improve(ctx, &mut classes, &near, ROUNDS);
        }
        classes.lay_again();
        let n_left = classes.n_left();
        let notes = match n_left {
            0 => Vec::new(),
            1 => vec!["1 record fits in no class and is left out".to_owned()],
            n => vec![format!("{n} records fit in no class and are left out")],
        };
        let classes = classes.finish();
        Ok(NestedCandidate {
            classes,
            form: NestedForm::Generalized,
            group_of_vertex: Vec::new(),
            notes,
        })
    }
}

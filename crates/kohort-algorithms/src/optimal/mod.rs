//! The full-domain generalization of least loss: branch and bound over intervals of the lattice.
//!
//! # Guarantee
//! No node that keeps every promise, with its outliers suppressed where the plan allows it, has a smaller
//! loss in the metric asked for. Among equal losses the node of least height wins, then the first in
//! lexicographic order. A search that was stopped returns the best node it had seen, and says so.
//!
//! # Method
//! 1. Start with the interval from u, the least levels at which each attribute alone would do, to the top w.
//!    Evaluate w.
//! 2. An interval [u, w] is closed when no node in it can be ok, because w is hopeless, or when the bound that
//!    the outliers of w put on every loss from u up to w is no better than the best node seen.
//! 3. Lower w on every axis to the highest level that the bound still allows, and evaluate the lower w:
//!    it has more outliers, which raises the bound. Repeat while something gives.
//!    A node above an ok one is not evaluated where its loss is known without.
//! 4. Else cut the highest level off the axis where the level below it has the most cells for each of its own:
//!    the rest is then the soonest hopeless. Search the rest, then that level. Rows that are equal at u stay
//!    equal in the whole interval: roll them up first.
//!
//! # Notation
//! | here | OLA, Flash |
//! |---|---|
//! | `low` u, `high` w | sub-lattice between two nodes |
//! | hopeless | predictive tagging of all specializations as not anonymous |
//!
//! # Cost
//! As many groupings as the bounds leave open: some dozens to some hundreds where the lattice has tens of
//! thousands of nodes, each linear in the distinct rows at u. Worst case: every node. Memory: one rolled-up
//! table for each cut that is open, each smaller than the one before.
//!
//! # Deviations
//! OLA and Flash find the nodes of the border between ok and not ok and compare their losses; with
//! suppression the loss is not monotone and its least value need not lie on that border. The bounds hold in
//! both cases.
//!
//! The rows that are dropped must keep promises about values as a class, too: a node whose outliers do not is
//! not ok, unless further classes are dropped (`lattice/left_out.rs`). Other classes than these might lose less.
//!
//! # References
//! El Emam et al., JAMIA 16(5), 2009 (OLA); Kohlmayer et al., PASSAT 2012 (Flash).

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use kohort_core::{Ctx, Spec};

use crate::lattice::{Desk, Lattice, Node, Outcome, Table, height};
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

const SPEC: Spec = Spec {
    id: "optimal",
    title: "optimal full-domain generalization",
    paper: "El Emam et al. 2009; Kohlmayer et al. 2012",
    promise: "no combination of levels keeps the promises at a smaller loss",
    parameters: &[],
};

/// The full-domain generalization of least loss.
pub(crate) struct Optimal;

impl Algorithm for Optimal {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::FULL_DOMAIN
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let lattice = Lattice::new(problem)?;
        let table = lattice.table();
        let run = Run::new(ctx, &lattice);
        run.start(&table);
        let was_stopped = ctx.should_stop() && run.closed.into_inner() < run.n_nodes;
        let Some((.., node)) = run.best.into_inner().unwrap_or_else(PoisonError::into_inner) else {
            return Err(Failure::infeasible("no combination of levels keeps every promise"));
        };
        let mut candidate = lattice.release(&table, &node);
        if was_stopped {
            candidate.notes.push("the search was stopped: a smaller loss may be possible".into());
        }
        Ok(candidate)
    }
}

/// A node that is ok, in the order of choice: loss, height, levels.
type Found = (u128, u32, Node);

/// A roll-up costs a few groupings: it pays for this many nodes, with this many times less room.
const WORTH: (u64, f64) = (256, 8.0);

struct Run<'r, 'p, 'a> {
    ctx: &'r Ctx<'r>,
    lattice: &'r Lattice<'p, 'a>,
    best: Mutex<Option<Found>>,
    // Nodes that were evaluated and are ok.
    ok: Mutex<Vec<Node>>,
    desks: Mutex<Vec<Desk>>,
    // How many nodes are decided, of how many.
    closed: AtomicU64,
    n_nodes: u64,
    worth: (u64, f64),
}

impl<'r, 'p, 'a> Run<'r, 'p, 'a> {
    fn new(ctx: &'r Ctx<'r>, lattice: &'r Lattice<'p, 'a>) -> Self {
        let n_nodes = n_nodes(&lattice.lowest(), &lattice.top());
        let closed = AtomicU64::new(0);
        let (best, ok, desks) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { ctx, lattice, best, ok, desks, closed, n_nodes, worth: WORTH }
    }

    /// Step 1: all nodes that the attributes one by one leave open.
    fn start(&self, table: &Table) {
        let low = self.lattice.lowest();
        let bottom = Rolled { below: Err(table), low: &low, table: OnceLock::new() };
        self.search(&bottom, &low, &self.lattice.top());
    }

    /// Searches the interval from `low` to `high`; the table is at or below `low`.
    fn search(&self, table: &Rolled<'_>, low: &[u32], high: &[u32]) {
        match self.probe(table, high) {
            Some(seen) => self.narrow(table, low, high.to_vec(), seen),
            None => self.close(n_nodes(low, high)),
        }
    }

    /// Evaluates a node and remembers the best; `None` if no node from the table up to it is ok.
    fn probe(&self, table: &Rolled<'_>, node: &[u32]) -> Option<Outcome> {
        let seen = self.predict(node).unwrap_or_else(|| self.evaluate(table, node));
        if seen.is_ok {
            let found = (seen.loss, height(node), node.to_vec());
            let mut best = lock(&self.best);
            if best.as_ref().is_none_or(|best| found < *best) {
                *best = Some(found);
            }
        }
        (!seen.is_hopeless).then_some(seen)
    }

    fn evaluate(&self, table: &Rolled<'_>, node: &[u32]) -> Outcome {
        let mut desk = lock(&self.desks).pop().unwrap_or_default();
        let seen = self.lattice.evaluate(table.get(self.lattice), node, &mut desk);
        lock(&self.desks).push(desk);
        if seen.is_ok {
            lock(&self.ok).push(node.to_vec());
        }
        seen
    }

    /// What a node is worth that lies above one that is ok, where that is enough to know.
    fn predict(&self, node: &[u32]) -> Option<Outcome> {
        let is_below = |ok: &Node| ok.iter().zip(node).all(|(ok, level)| ok <= level);
        if lock(&self.ok).iter().any(is_below) { self.lattice.known(node) } else { None }
    }

    /// Whether a node from `low` up to the one seen may be better than the best.
    fn may_win(&self, seen: &Outcome, low: &[u32]) -> bool {
        let least = self.lattice.bound(seen, low);
        match &*lock(&self.best) {
            Some(best) => (least, height(low), low) < (best.0, best.1, &best.2),
            None => true,
        }
    }

    /// Step 3: lowers `high`, which was seen, as far as the bounds allow; then cuts.
    fn narrow(&self, table: &Rolled<'_>, low: &[u32], mut high: Node, mut seen: Outcome) {
        while low != high && self.may_win(&seen, low) {
            if self.is_stopped() {
                return;
            }
            let before = n_nodes(low, &high);
            if !self.lower(low, &mut high, &seen) {
                return self.cut(table, low, &high, &seen);
            }
            self.close(before - n_nodes(low, &high));
            match self.probe(table, &high) {
                Some(lower) => seen = lower,
                None => break,
            }
        }
        self.close(n_nodes(low, &high));
    }

    /// Lowers `high` where the bound closes its upper levels; says whether it did.
    fn lower(&self, low: &[u32], high: &mut [u32], seen: &Outcome) -> bool {
        let before = height(high);
        let mut corner = low.to_vec();
        for axis in 0..low.len() {
            while high[axis] > low[axis] {
                corner[axis] = high[axis];
                if self.may_win(seen, &corner) {
                    break;
                }
                high[axis] -= 1;
            }
            corner[axis] = low[axis];
        }
        height(high) < before
    }

    /// Step 4: takes the highest level off the axis where it hides most, and searches both parts.
    fn cut(&self, table: &Rolled<'_>, low: &[u32], high: &[u32], seen: &Outcome) {
        let corner = |axis: usize| {
            let mut corner = low.to_vec();
            corner[axis] = high[axis];
            corner
        };
        let open = (0..low.len()).filter(|&axis| low[axis] < high[axis]);
        let axis = open.rev().max_by_key(|&axis| self.lattice.split(axis, high[axis]));
        let axis = axis.expect("an interval of one node is not cut");
        let mut lower = high.to_vec();
        lower[axis] -= 1;
        rayon::join(
            || self.search(table, low, &lower),
            || self.raise(table, &corner(axis), high, seen),
        );
    }

    /// Searches from a `low` that was raised up to `high`, which was seen.
    fn raise(&self, table: &Rolled<'_>, low: &[u32], high: &[u32], seen: &Outcome) {
        let is_large = self.worth.0 <= n_nodes(low, high)
            && self.worth.1 <= self.lattice.room_ratio(table.low, low);
        if is_large {
            let rolled = Rolled { below: Ok(table), low, table: OnceLock::new() };
            self.narrow(&rolled, low, high.to_vec(), seen.clone());
        } else {
            self.narrow(table, low, high.to_vec(), seen.clone());
        }
    }

    /// Reports that so many nodes are decided.
    fn close(&self, n_nodes: u64) {
        let before = self.closed.fetch_add(n_nodes, Ordering::Relaxed);
        let done = before.saturating_add(n_nodes);
        self.ctx.progress("combinations of levels", done, self.n_nodes);
    }

    fn is_stopped(&self) -> bool {
        self.ctx.should_stop() && lock(&self.best).is_some()
    }
}

/// A table rolled up to a node, once it is asked for: many intervals are closed without.
struct Rolled<'t> {
    // The one below, or the table at the bottom.
    below: Result<&'t Self, &'t Table>,
    low: &'t [u32],
    table: OnceLock<Table>,
}

impl Rolled<'_> {
    fn get(&self, lattice: &Lattice<'_, '_>) -> &Table {
        self.table.get_or_init(|| lattice.roll_up(self.below(), self.low))
    }

    /// The nearest table below that is there.
    fn below(&self) -> &Table {
        match self.below {
            Ok(rolled) => rolled.table.get().unwrap_or_else(|| rolled.below()),
            Err(bottom) => bottom,
        }
    }
}

/// The number of nodes from `low` to `high`.
fn n_nodes(low: &[u32], high: &[u32]) -> u64 {
    let levels = low.iter().zip(high).map(|(low, high)| u64::from(high - low + 1));
    levels.fold(1, u64::saturating_mul)
}

/// What a mutex holds: no step of the search leaves it half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

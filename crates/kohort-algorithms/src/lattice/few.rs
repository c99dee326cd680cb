//! LKC-privacy in the lattice: what is promised to who knows a few of the columns.
//!
//! # Method
//! 1. The classes of a set S of columns are unions of the classes of every set that contains S. Sizes add up,
//!    and the share of a value in a union is at most its largest share in a part (mediant). So where the
//!    classes of all sets of exactly L columns have K rows and no share above C, those of fewer columns do
//!    too, and are not looked at. Where there are no more than L columns, the one set is that of all of them:
//!    that is a promise about each class like any other, and no matter of this file.
//! 2. Whether the classes of a set hold hangs on the levels of its columns alone: it is remembered for
//!    every set and its levels, and many nodes share them.
//! 3. Without suppression a node is ok where every set holds at its levels. By the same argument every node
//!    above is ok, so the searches stay exact.
//! 4. Rows of too small a class of some set are suppressed, in this node and every node below: their class
//!    there is no larger. That goes on until every class is large enough for what is left.
//! 5. Where a value has too large a share in a class of some set, those classes of all columns are
//!    suppressed that lie in it and do not keep the promise themselves: the union of those left does.
//!    That goes on until every class of every set holds.
//!
//! # Suppression
//! Step 4 suppresses the fewest rows: a row that can be kept with some others can be kept with more. Step 5
//! does not, as whole classes go where some of their rows would do; but never more than a promise about
//! all columns would.
//!
//! # Cost
//! One grouping of the distinct rows for each set of L columns and each combination of their levels that is
//! met; with suppression a few more for each node.
//!
//! # References
//! Mohammed et al., KDD 2009.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use kohort_core::Kind;
use kohort_models::{Class, ClassModel, Counts, LkcPrivacy};

use super::classes::at;
use super::{Desk, Lattice, Node, Table};
use crate::problem::n_sets;
use crate::{Failure, Problem};

/// More sets of columns take too long to look at, for a search as for the judge.
const MOST_SETS: u64 = 20_000;

/// A promise to who knows few columns, and the sets of so many.
pub(super) struct Few<'p> {
    model: &'p LkcPrivacy,
    sets: Vec<Columns>,
}

/// A set of columns.
struct Columns {
    axes: Vec<usize>,
    // By a number for the levels of these columns.
    seen: Mutex<BTreeMap<u64, Seen>>,
}

/// The classes of a set of columns at some levels, with all rows in them.
#[derive(Clone, Copy)]
struct Seen {
    holds: bool,
    // How many rows are in classes that are too small.
    n_small: u64,
}

impl<'p> Few<'p> {
    /// Those of a problem.
    pub(super) fn all(problem: &'p Problem<'_>) -> Result<Vec<Self>, Failure> {
        let models = problem.promises().models().iter();
        let asked = models.filter(|model| problem.is_for_few(&***model));
        let asked = asked.filter_map(|model| model.over_subsets());
        asked.map(|model| Self::new(model, problem.quasi().len())).collect()
    }

    fn new(model: &'p LkcPrivacy, n_axes: usize) -> Result<Self, Failure> {
        let l = model.l();
        let found = n_sets(n_axes, l);
        if found > MOST_SETS {
            let what = format!("the number of sets of {l} columns");
            return Err(Kind::TooLarge { what, limit: MOST_SETS, found }.into());
        }
        let mut sets = Vec::new();
        extend(n_axes, l, &mut Vec::new(), &mut sets);
        Ok(Self { model, sets })
    }
}

/// Adds every set of `l` columns that begins with `axes`.
fn extend(n_axes: usize, l: usize, axes: &mut Vec<usize>, sets: &mut Vec<Columns>) {
    if axes.len() == l {
        sets.push(Columns { axes: axes.clone(), seen: Mutex::default() });
        return;
    }
    for axis in axes.last().map_or(0, |last| last + 1)..n_axes {
        axes.push(axis);
        extend(n_axes, l, axes, sets);
        axes.pop();
    }
}

impl Columns {
    /// What was seen of the levels of a node, or is when they are looked at.
    fn seen(&self, top: &[u32], node: &[u32], look: impl FnOnce(&Node) -> Seen) -> Seen {
        let digit = |n: u64, &axis: &usize| n * u64::from(top[axis] + 1) + u64::from(node[axis]);
        let number = self.axes.iter().fold(0, digit);
        let lock = || self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&seen) = lock().get(&number) {
            return seen;
        }
        let seen = look(&self.alone(top, node));
        lock().insert(number, seen);
        seen
    }

    /// The node that tells of these columns what a node tells, and nothing of the others.
    fn alone(&self, top: &[u32], node: &[u32]) -> Node {
        let mut alone = top.to_vec();
        self.axes.iter().for_each(|&axis| alone[axis] = node[axis]);
        alone
    }
}

impl Lattice<'_, '_> {
    /// Whether some columns rule out a node and every node below it: step 3, and step 4 for one set alone.
    pub(super) fn is_ruled_out(&self, table: &Table, node: &[u32], desk: &mut Desk) -> bool {
        if self.few.is_empty() {
            return false;
        }
        let top = self.top();
        let other = desk.other.get_or_insert_default();
        self.few.iter().any(|few| {
            few.sets.iter().any(|columns| {
                let look = |alone: &Node| self.look(table, few.model, alone, other);
                let Seen { holds, n_small } = columns.seen(&top, node, look);
                n_small > self.allowed || (!holds && self.allowed == 0)
            })
        })
    }

    /// Looks at the classes of a node that tells of some columns only.
    fn look(&self, table: &Table, model: &LkcPrivacy, alone: &[u32], desk: &mut Desk) -> Seen {
        let span = self.group(table, alone, &table.weights, desk);
        let sizes = desk.sizes[..span].iter().map(|&size| u64::from(size));
        let n_small = sizes.filter(|&size| size < model.smallest()).sum();
        let is_large = n_small == 0;
        let holds =
            is_large && !self.unkept(table, &table.weights, model, span, desk).contains(&true);
        desk.sizes[..span].fill(0);
        Seen { holds, n_small }
    }

    /// Which of the classes that were grouped do not keep a promise.
    fn unkept(
        &self,
        table: &Table,
        weights: &[u32],
        model: &LkcPrivacy,
        span: usize,
        desk: &mut Desk,
    ) -> Vec<bool> {
        let starts = desk.sort(span);
        let Desk { sizes, order, cells, .. } = desk;
        let mut unkept = vec![false; span];
        for (key, ends) in starts.windows(2).enumerate().filter(|(key, _)| sizes[*key] > 0) {
            let entries = &order[ends[0] as usize..ends[1] as usize];
            self.count(table, weights, entries, cells);
            let counts: Vec<Counts<'_>> = (self.promises.distributions().iter().zip(&*cells))
                .map(|(table, cells)| Counts { table, cells })
                .collect();
            unkept[key] = !model.holds(&Class { size: u64::from(sizes[key]), sensitive: &counts });
        }
        unkept
    }

    /// Step 4, for the classes of a node that were grouped: marks those that must go at every node below
    /// as well. Gives up when they are too many.
    pub(super) fn mark_thin(&self, table: &Table, node: &[u32], span: usize, desk: &mut Desk) {
        desk.thin.clear();
        desk.rolled = None;
        if self.few.is_empty() || self.allowed == 0 {
            return;
        }
        desk.thin.resize(span, false);
        let is_small = |desk: &Desk, key| self.is_small(desk, key);
        let fails = |_: &Table, _: &[u32], model: &LkcPrivacy, span: usize, desk: &mut Desk| {
            desk.sizes[..span].iter().map(|&size| u64::from(size) < model.smallest()).collect()
        };
        let mut n_small = desk.n_rows(span, is_small);
        while n_small <= self.allowed {
            let is_fine = |seen: Seen| n_small == 0 && seen.n_small == 0;
            let thin = self.within((table, node, span), desk, is_small, is_fine, fails);
            for key in thin.iter().flat_map(|thin| (0..span).filter(|&key| thin[key])) {
                desk.thin[key] = true;
            }
            let before = std::mem::replace(&mut n_small, desk.n_rows(span, is_small));
            if before == n_small {
                break;
            }
        }
    }

    /// Step 5, for the classes of a node that were grouped and judged by all other promises: breaks those
    /// that must go, and says how many rows that are. Gives up when they are too many.
    pub(super) fn break_few(
        &self,
        table: &Table,
        node: &[u32],
        span: usize,
        desk: &mut Desk,
    ) -> u64 {
        if self.few.is_empty() || self.allowed == 0 {
            return 0;
        }
        let fails = |desk: &Desk, key| desk.fails(key, self.promises.smallest());
        let before = desk.n_rows(span, fails);
        let (mut n_out, mut unkept) = (before, None);
        while n_out <= self.allowed {
            let is_fine = |seen: Seen| n_out == 0 && seen.holds;
            let within =
                self.within((table, node, span), desk, fails, is_fine, |t, left, m, n, d| {
                    self.unkept(t, left, m, n, d)
                });
            if !within.iter().flatten().any(|&within| within) {
                break;
            }
            let unkept = unkept.get_or_insert_with(|| self.unkept_classes(table, span, desk));
            for (within, unkept) in within.iter().zip(&*unkept) {
                for key in (0..span).filter(|&key| within[key] && unkept[key]) {
                    desk.broken[key] = true;
                }
            }
            n_out = desk.n_rows(span, fails);
        }
        n_out - before
    }

    /// For each promise, the classes of all columns that do not keep it.
    fn unkept_classes(&self, table: &Table, span: usize, desk: &mut Desk) -> Vec<Vec<bool>> {
        let (rolled, keys) = self.rolled(table, span, desk);
        let mut other = Desk { sizes: desk.sizes[..span].to_vec(), keys, ..Desk::default() };
        let of = |few: &Few<'_>| self.unkept(&rolled, &rolled.weights, few.model, span, &mut other);
        let unkept = self.few.iter().map(of).collect();
        desk.rolled = Some((rolled, other.keys));
        unkept
    }

    /// The table rolled up to the node that was grouped, taken from the desk, with the keys of its entries.
    fn rolled(&self, table: &Table, span: usize, desk: &mut Desk) -> (Table, Vec<u64>) {
        desk.rolled.take().unwrap_or_else(|| {
            let (rolled, first) = self.merge(table, desk.keys.clone(), span as u64);
            (rolled, first.iter().map(|&entry| desk.keys[entry as usize]).collect())
        })
    }

    /// For each promise, the classes of a node with rows in a class of some set that `fails`, when the rows
    /// of classes that are out are left out. Sets that `is_fine` need not be looked at.
    fn within(
        &self,
        (table, node, span): (&Table, &[u32], usize),
        desk: &mut Desk,
        is_out: impl Fn(&Desk, u64) -> bool,
        is_fine: impl Fn(Seen) -> bool,
        fails: impl Fn(&Table, &[u32], &LkcPrivacy, usize, &mut Desk) -> Vec<bool>,
    ) -> Vec<Vec<bool>> {
        let (top, mut other) = (self.top(), desk.other.take().unwrap_or_default());
        let mut found = vec![vec![false; span]; self.few.len()];
        for (few, found) in self.few.iter().zip(&mut found) {
            for columns in &few.sets {
                let look = |alone: &Node| self.look(table, few.model, alone, &mut other);
                if is_fine(columns.seen(&top, node, look)) {
                    continue;
                }
                let (rolled, keys) = self.rolled(table, span, desk);
                let rows = keys.iter().zip(&rolled.weights);
                let left: Vec<u32> =
                    rows.map(|(&key, &n)| if is_out(desk, key) { 0 } else { n }).collect();
                let span = self.group(&rolled, &columns.alone(&top, node), &left, &mut other);
                let fails = fails(&rolled, &left, few.model, span, &mut other);
                for ((&key, &class), &left) in other.keys.iter().zip(&keys).zip(&left) {
                    found[at(class)] |= left > 0 && fails[at(key)];
                }
                other.sizes[..span].fill(0);
                desk.rolled = Some((rolled, keys));
            }
        }
        desk.other = Some(other);
        found
    }
}

//! Incognito: all minimal full-domain generalizations, by growing subsets of the quasi-identifiers.
//!
//! # Guarantee
//! Finds every node that is ok while no node below it is, and publishes the one of least loss among them, with
//! its outliers suppressed. Without suppression that is the least loss of all in metrics that grow with the
//! levels; with suppression a node that is not minimal can lose less: [`crate::optimal`] finds it.
//!
//! # Method
//! 1. For subsets of 1, 2, … d attributes: the candidates are the level vectors whose every part of one
//!    attribute less has survived.
//! 2. Go through the candidates from the least general on. One with a survivor directly below survives untested.
//! 3. Test the others on the frequency set of the subset, rolled up to the least levels that any
//!    candidate has.
//! 4. The survivors of all d attributes are the ok nodes. Take the minimal ones, and of these the one of least
//!    loss; least height, then first in lexicographic order among equals.
//!
//! # Notation
//! | paper | here |
//! |---|---|
//! | Q, subset of it | [`Face`]: the other attributes stand at their tops, which tell nothing |
//! | C_i, E_i, S_i | candidates, "directly below", survivors of the faces of i axes |
//! | frequency set | [`Table`] |
//!
//! # Cost
//! Worst case all level vectors of all subsets, Π (levels + 1), each grouped once; memory one byte for each of
//! two sizes of subset, and one table. Subsets of one size run on all cores.
//!
//! # Deviations
//! - Step 3 rolls up once for each subset; the paper once for each candidate.
//! - Where being ok is not monotone (sensitive promises with suppression), classes too small for any promise
//!   decide who survives, and every survivor of all d attributes is tested.
//!
//! # References
//! LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005, §3.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use kohort_core::{Ctx, Kind, Spec};
use rayon::prelude::*;

use crate::lattice::{Desk, Lattice, Node, Table, height};
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

const SPEC: Spec = Spec {
    id: "incognito",
    title: "Incognito",
    paper: "LeFevre, DeWitt and Ramakrishnan 2005",
    promise: "no level of the release can be lowered, and no minimal combination loses less",
    parameters: &[],
};

/// More level vectors than this have no place in memory.
const MOST_VECTORS: u64 = 50_000_000;

/// LeFevre's search through subsets of attributes.
pub(crate) struct Incognito;

impl Algorithm for Incognito {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::FULL_DOMAIN
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let lattice = Lattice::new(problem)?;
        let table = lattice.table();
        let nodes = minimal_nodes(ctx, &lattice, &table)?;
        let of_node = |desk: &mut Desk, node: &Node| {
            (lattice.evaluate(&table, node, desk).loss, height(node), node.clone())
        };
        let best = nodes.par_iter().map_init(Desk::default, of_node).min();
        let no = || Failure::infeasible("no combination of levels keeps every promise");
        let (.., node) = best.ok_or_else(no)?;
        Ok(lattice.release(&table, &node))
    }
}

/// The level vectors of some attributes; the others stand at their tops.
struct Face {
    axes: Vec<usize>,
    top: Node,
}

/// The attributes of a face, one bit each.
type Mask = u32;

impl Face {
    fn new(top: &[u32], mask: Mask) -> Self {
        let axes = (0..top.len()).filter(|axis| mask >> axis & 1 == 1).collect();
        Self { axes, top: top.to_vec() }
    }

    /// The number of level vectors.
    fn len(&self) -> usize {
        self.axes.iter().map(|&axis| self.top[axis] as usize + 1).product()
    }

    /// The place of a node in the order in which every node stands after those below it.
    fn index(&self, node: &[u32]) -> usize {
        let digit =
            |index, &axis: &usize| index * (self.top[axis] as usize + 1) + node[axis] as usize;
        self.axes.iter().fold(0, digit)
    }

    fn node(&self, mut index: usize) -> Node {
        let mut node = self.top.clone();
        for &axis in self.axes.iter().rev() {
            let n_levels = self.top[axis] + 1;
            node[axis] = u32::try_from(index % n_levels as usize).expect("it is below n_levels");
            index /= n_levels as usize;
        }
        node
    }

    /// Whether one of the nodes directly below has a mark.
    fn is_marked_below(&self, marks: &[bool], node: &mut [u32]) -> bool {
        self.axes.iter().any(|&axis| {
            node[axis] > 0 && {
                node[axis] -= 1;
                let index = self.index(node);
                node[axis] += 1;
                marks[index]
            }
        })
    }
}

/// Survivors of the faces of one size.
type Layer = BTreeMap<Mask, Vec<bool>>;

/// The nodes that are ok while no node below them is, in lexicographic order.
fn minimal_nodes(
    ctx: &Ctx<'_>,
    lattice: &Lattice<'_, '_>,
    table: &Table,
) -> Result<Vec<Node>, Failure> {
    let (d, top) = (lattice.n_axes(), lattice.top());
    let found = top.iter().fold(1, |n: u64, &level| n.saturating_mul(u64::from(level) + 2));
    if found > MOST_VECTORS {
        let what =
            "the number of combinations of levels over all subsets (`optimal` need not try all of them)"
                .to_owned();
        return Err(Kind::TooLarge { what, limit: MOST_VECTORS, found }.into());
    }
    let can_be_ok = !lattice.evaluate(table, &top, &mut Desk::default()).is_hopeless;
    let mut layer = Layer::from([(0, vec![can_be_ok])]);
    for size in 1..=d {
        ctx.progress("subsets of attributes", size as u64, d as u64);
        let masks: Vec<Mask> =
            (0..1 << d).filter(|mask: &Mask| mask.count_ones() as usize == size).collect();
        let survivors = |&mask: &Mask| (mask, survivors(lattice, table, &layer, mask));
        layer = masks.par_iter().map(survivors).collect();
    }
    let (mask, survivors) = layer.pop_last().expect("there is one subset of all attributes");
    Ok(minimal(lattice, table, &Face::new(&top, mask), survivors))
}

/// Steps 1 to 3: which level vectors of a face can be part of an ok node.
fn survivors(lattice: &Lattice<'_, '_>, table: &Table, parts: &Layer, mask: Mask) -> Vec<bool> {
    let top = lattice.top();
    let face = Face::new(&top, mask);
    let part = |&axis: &usize| {
        let mask = mask & !(1 << axis);
        (Face::new(&top, mask), &parts[&mask])
    };
    let parts: Vec<(Face, &Vec<bool>)> = face.axes.iter().map(part).collect();
    let is_candidate = |node: &Node| parts.iter().all(|(part, kept)| kept[part.index(node)]);
    let candidates: Vec<Node> =
        (0..face.len()).map(|i| face.node(i)).filter(is_candidate).collect();
    let mut survivors = vec![false; face.len()];
    let lowest = |low: Node, node: &Node| low.iter().zip(node).map(|(a, b)| *a.min(b)).collect();
    let rolled = lattice.roll_up(table, &candidates.iter().fold(top.clone(), lowest));
    let mut desk = Desk::default();
    for mut node in candidates {
        let index = face.index(&node);
        survivors[index] = face.is_marked_below(&survivors, &mut node)
            || !lattice.evaluate(&rolled, &node, &mut desk).is_hopeless;
    }
    survivors
}

/// Step 4: the ok nodes that have none below.
fn minimal(
    lattice: &Lattice<'_, '_>,
    table: &Table,
    face: &Face,
    survivors: Vec<bool>,
) -> Vec<Node> {
    let is_ok: Vec<bool> = if lattice.is_monotone() {
        survivors
    } else {
        let is_ok = |desk: &mut Desk, (index, survives): (usize, bool)| {
            survives && lattice.evaluate(table, &face.node(index), desk).is_ok
        };
        survivors.into_par_iter().enumerate().map_init(Desk::default, is_ok).collect()
    };
    // Whether a node or one below it is ok.
    let mut reached = vec![false; is_ok.len()];
    let mut found = Vec::new();
    for (index, is_ok) in is_ok.into_iter().enumerate() {
        let mut node = face.node(index);
        let is_above = face.is_marked_below(&reached, &mut node);
        reached[index] = is_ok || is_above;
        if is_ok && !is_above {
            found.push(node);
        }
    }
    found
}

//! The lattice of full-domain generalizations: one level of each quasi-identifier's taxonomy for all rows.
//!
//! # Method
//! A node is a vector of levels, 0 for the values themselves; `v ≤ w` componentwise says that w is more
//! general. The classes of w are then unions of the classes of v. The rows of classes that break a
//! promise are its outliers; a node is ok when they are few enough to be suppressed.
//! 1. [`Table`] holds the distinct rows at some node, and rolls them up to a node above.
//! 2. [`Lattice::evaluate`] groups a table by a node: outliers, loss, and what that says about the loss of
//!    every node below.
//! 3. [`Lattice::release`] makes the candidate of a node.
//!
//! # Suppression
//! A release without a row is none: at least one row must be left, however many may be suppressed. A
//! suppressed row costs 1 in metrics of cells and n in discernibility; the average class size counts it among the
//! rows, n, and not among the classes; a divergence takes it to be anybody (`divergence.rs`). Who reads a release knows only the rows in it: a model that
//! compares a class with the whole table (t-closeness) compares it with those as well, so the classes left are asked
//! again when some are dropped, until all of them hold. Fewer rows might do, other ones; none is tried. Rows
//! that stay as `*`, and those that are dropped, are a class of their own, which a node must keep as well
//! (`left_out.rs`).
//!
//! # Losses
//! Whole numbers, so that they are the same whatever table a node was grouped from. A cell costs
//! w · cost in units of 2⁻⁶⁰; the loss of a node is the mean over rows, rounded to 2⁻⁴⁰: what differs by
//! less is a tie.
//!
//! # Monotone
//! Classes of fewer rows than any promise allows fail at every node below; the rest depends on
//! [`Lattice::is_monotone`], on what is promised to who knows a few columns (`few.rs`), and on the people
//! of a public table (`presence.rs`). With suppression a class that keeps l-diversity can lie inside one that does
//! not, so a node above an ok one may fail.
//!
//! # References
//! Samarati, TKDE 13(6), 2001; LeFevre et al., SIGMOD 2005.

mod classes;
mod divergence;
mod evaluate;
mod few;
mod left_out;
mod presence;
mod release;
mod table;
#[cfg(test)]
pub(crate) mod tests;

use kohort_core::{Attribute, Cell, Kind, Ratio};
use kohort_models::{Costs, Promises};

pub(crate) use classes::Desk;
pub(crate) use evaluate::Outcome;
pub(crate) use table::Table;

use self::divergence::Scale;
use self::few::Few;
use self::presence::People;
use self::table::Pack;
use crate::{Failure, Problem};

/// The cost of a suppressed row: 1.
const ONE: u128 = 1 << 60;

/// Losses are compared in units of this share of `ONE`.
const TICK: u128 = 1 << 20;

/// A vector of levels, one per quasi-identifier.
pub(crate) type Node = Vec<u32>;

/// The nodes of a problem.
pub(crate) struct Lattice<'p, 'a> {
    pub(crate) problem: &'p Problem<'a>,
    // What each class must keep, and what those of a few columns must.
    promises: Promises<'p>,
    // What rows that are dropped must keep.
    about_values: Promises<'p>,
    few: Vec<Few<'p>>,
    ladders: Vec<Ladder>,
    packs: Vec<Pack>,
    // Of the costs of a divergence.
    scale: Scale,
    // How many rows may be outliers. Publishing none is no release.
    allowed: u64,
    // The people of a public table, where they are promised something.
    people: Option<People>,
    // Whether each row is somebody of the public table at the bottom.
    is_complete: bool,
    is_monotone: bool,
}

/// The levels of one quasi-identifier.
struct Ladder {
    // For each level, the cell of each code, numbered from 0, and the number of cells.
    cells: Vec<Vec<u32>>,
    n_cells: Vec<u32>,
    // For each level, a bound above the cells; those of a public table may lie outside of every cell.
    spans: Vec<u32>,
    // For each level, the weighted cost of each code, and its sum over the rows of the table.
    costs: Vec<Vec<u64>>,
    totals: Vec<u128>,
}

impl Ladder {
    /// `costs` has for the cells shown of each code what each costs, from 0 to 1.
    fn new(attribute: &Attribute, costs: impl Fn(&[Cell]) -> Vec<f64>) -> Self {
        let n_levels = attribute.taxonomy().n_levels();
        let (mut cells, mut n_cells) = (Vec::new(), Vec::new());
        let (mut of_code, mut totals) = (Vec::new(), Vec::new());
        for level in 0..n_levels {
            let shown: Vec<Cell> =
                (0..attribute.n_codes()).map(|code| cell_at(attribute, code, level)).collect();
            // The codes of a node are neighbors: a cell ends where the next one differs.
            let mut last = 0;
            let of_level = (0..shown.len()).map(|code| {
                last += u32::from(code > 0 && shown[code] != shown[code - 1]);
                last
            });
            cells.push(of_level.collect());
            n_cells.push(last + 1);
            let cost: Vec<u64> = costs(&shown).into_iter().map(in_units).collect();
            let per_code = cost.iter().zip(attribute.counts());
            totals.push(per_code.map(|(&c, &n)| u128::from(c) * u128::from(n)).sum());
            of_code.push(cost);
        }
        let spans = n_cells.clone();
        Self { cells, n_cells, spans, costs: of_code, totals }
    }

    /// The number of codes, those of a public table included.
    fn n_codes(&self) -> u32 {
        u32::try_from(self.cells[0].len()).expect("codes are u32")
    }

    fn top(&self) -> u32 {
        u32::try_from(self.cells.len() - 1).expect("levels are columns of a file")
    }
}

/// What is published for a code at a level.
pub(super) fn cell_at(attribute: &Attribute, code: u32, level: u32) -> Cell {
    attribute.taxonomy().ancestor(code, level).map_or(Cell::Leaf(code), Cell::Node)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "costs are 0 to 1")]
fn in_units(cost: f64) -> u64 {
    (cost * ONE as f64).round() as u64
}

impl<'p, 'a> Lattice<'p, 'a> {
    /// The lattice of a problem; fewer rows than the smallest class have no release.
    pub(crate) fn new(problem: &'p Problem<'a>) -> Result<Self, Failure> {
        let (n_rows, smallest) = (problem.n_rows() as u64, problem.promises().smallest());
        if n_rows < smallest {
            return Err(Failure::infeasible(format!(
                "a class needs {smallest} rows, but the table has {n_rows}"
            )));
        }
        let settings = problem.settings();
        let total: f64 = settings.weights.iter().sum();
        let scale = Scale::new(settings.metric, problem.quasi(), problem.n_rows());
        let ladder = |(attribute, weight): (&&Attribute, &f64)| {
            if settings.metric.is_divergence() {
                return Ladder::new(attribute, |shown| {
                    scale.costs(settings.metric, attribute, shown)
                });
            }
            let costs = Costs::new(attribute, settings.metric.cells());
            let weight = weight / total;
            Ladder::new(attribute, |shown| shown.iter().map(|&c| weight * costs.of(c)).collect())
        };
        let mut ladders: Vec<Ladder> =
            problem.quasi().iter().zip(&settings.weights).map(ladder).collect();
        let mut people = None;
        if let Some(membership) = problem.membership() {
            let columns = membership.public.columns();
            let axes = ladders.iter_mut().zip(problem.quasi()).zip(columns);
            let codes = axes.map(|((ladder, attribute), column)| ladder.widen(attribute, column));
            let codes = codes.collect::<Result<Vec<_>, Failure>>()?;
            people = Some(People::new(&codes, &ladders));
        }
        let (allowed, promises) = (settings.suppression.min(n_rows - 1), problem.promises());
        // Rows that stay as `*` are a class, of which there is none where more levels leave no outlier.
        let has_starred = allowed > 0 && settings.keeps_suppressed;
        let is_monotone = match (promises.needs_values() || has_starred, &people) {
            (false, None) => true,
            (_, Some(_)) => promises.is_monotone(),
            _ => allowed == 0 && promises.is_monotone(),
        };
        let packs = Pack::all(&ladders);
        let few = Few::all(problem)?;
        let about_values = promises.only(problem.sensitive(), |model| model.needs_values());
        let promises = promises.only(problem.sensitive(), |model| !problem.is_for_few(model));
        let is_complete = false;
        let mut lattice = Self {
            problem,
            promises,
            about_values,
            few,
            ladders,
            packs,
            scale,
            allowed,
            people,
            is_complete,
            is_monotone,
        };
        lattice.look_at_people();
        Ok(lattice)
    }

    /// Whether every node above an ok one is ok.
    pub(crate) fn is_monotone(&self) -> bool {
        self.is_monotone
    }

    /// The number of quasi-identifiers.
    pub(crate) fn n_axes(&self) -> usize {
        self.ladders.len()
    }

    /// The node of the values themselves.
    pub(crate) fn bottom(&self) -> Node {
        vec![0; self.n_axes()]
    }

    /// On each axis the least level at which that axis alone leaves few enough rows in small classes: no
    /// node that is lower on any axis is ok. (Incognito's subsets of one attribute.)
    pub(crate) fn lowest(&self) -> Node {
        let smallest = self.problem.promises().smallest();
        let of_axis = |(ladder, attribute): (&Ladder, &&Attribute)| {
            let is_open = |&level: &u32| {
                let mut sizes = vec![0_u64; ladder.n_cells[level as usize] as usize];
                let cells = &ladder.cells[level as usize];
                for (&cell, &count) in cells.iter().zip(attribute.counts()) {
                    sizes[cell as usize] += u64::from(count);
                }
                let small = sizes.iter().filter(|&&size| size < smallest);
                small.sum::<u64>() <= self.allowed
            };
            (0..ladder.top()).find(is_open).unwrap_or(ladder.top())
        };
        self.ladders.iter().zip(self.problem.quasi()).map(of_axis).collect()
    }

    /// The node that tells nothing.
    pub(crate) fn top(&self) -> Node {
        self.ladders.iter().map(Ladder::top).collect()
    }

    /// The number of different cells of an axis at a level.
    pub(crate) fn n_cells(&self, axis: usize, level: u32) -> u32 {
        self.ladders[axis].n_cells[level as usize]
    }

    /// How many cells of the level below there are to one of a level, which is not the lowest.
    pub(crate) fn split(&self, axis: usize, level: u32) -> Ratio {
        let n_cells = |level| u64::from(self.n_cells(axis, level));
        Ratio::new(n_cells(level - 1), n_cells(level))
    }

    /// The sum over the axes of the level of a node as a share of the highest.
    pub(crate) fn relative_distance(&self, node: &[u32]) -> Ratio {
        let shares = self.ladders.iter().zip(node).map(|(ladder, &level)| (level, ladder.top()));
        shares.filter(|&(_, top)| top > 0).fold(Ratio::whole(0), |sum, (level, top)| {
            let (level, top) = (u64::from(level), u64::from(top));
            Ratio::new(sum.num() * top + level * sum.den(), sum.den() * top)
        })
    }

    /// The number of nodes, which a method that visits all of them limits.
    pub(crate) fn n_nodes(&self, limit: u64) -> Result<u64, Failure> {
        let sizes = self.ladders.iter().map(|ladder| ladder.cells.len() as u64);
        let found = sizes.fold(1, u64::saturating_mul);
        let what =
            "the number of combinations of levels (`optimal` need not try all of them)".to_owned();
        if found > limit { Err(Kind::TooLarge { what, limit, found }.into()) } else { Ok(found) }
    }

    /// The nodes from `low` up whose levels sum to `height`, in lexicographic order.
    pub(crate) fn nodes_at(&self, low: &[u32], height: u32) -> Vec<Node> {
        let mut found = Vec::new();
        if let Some(rest) = height.checked_sub(self::height(low)) {
            let room: Node = self.top().iter().zip(low).map(|(top, low)| top - low).collect();
            extend(&room, rest, &mut Vec::with_capacity(low.len()), &mut found);
        }
        for node in &mut found {
            node.iter_mut().zip(low).for_each(|(level, low)| *level += low);
        }
        found
    }
}

/// The sum of the levels of a node.
pub(crate) fn height(node: &[u32]) -> u32 {
    node.iter().sum()
}

/// Adds to `found` every node up to `top` that begins with `node` and has `rest` levels more.
fn extend(top: &[u32], rest: u32, node: &mut Node, found: &mut Vec<Node>) {
    let Some((&highest, above)) = top[node.len()..].split_first() else {
        if rest == 0 {
            found.push(node.clone());
        }
        return;
    };
    for level in rest.saturating_sub(height(above))..=highest.min(rest) {
        node.push(level);
        extend(top, rest - level, node, found);
        node.pop();
    }
}

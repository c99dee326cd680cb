//! A start by peeling: classes are taken off the table in the order of what they cost.
//!
//! # Method
//! 1. Every axis has levels, each a coarser grouping of its codes: those of its taxonomy or, where ranges are
//!    published, bins that double in rows.
//! 2. A node is one level for each axis. Nodes are visited in the order of what a row costs there on average: one
//!    of those that are left, reckoned anew when a part of them is gone (of all, where sensitive values must be spread).
//! 3. Rows that are left and agree at the node are a class if they keep every promise: they are taken. Their
//!    box costs no more than the node.
//! 4. What is left in the end joins the class where it adds least.
//!
//! Where there are too many nodes to visit, those of random chains from the bottom to the top are. Where classes
//! are large, which nodes come first decides much, and nearly equal ones are many: several orders are tried, each
//! with small changes, and the one that loses least is taken.
//!
//! # Cost
//! The rows left, for each node visited; [`WORK`] limits their sum.
//!
//! # References
//! The idea is that of local recoding by repeated full-domain recoding of the rows that are left: Prasser,
//! Eicher, Spengler, Bild and Kuhn, Flexible data anonymization using ARX, Software: Practice and Experience
//! 50(7), 2020. There each step searches for the best node; here all nodes have their turn.

use std::cmp::Reverse;

use kohort_core::{Attribute, Ctx, number};
use rayon::prelude::*;

use super::class::{Class, Entry, Ground};
use super::classes::Classes;
use super::pool::place;
use super::start::is_boxed;
use crate::Axis;
use crate::Draw;

/// The most nodes times units that are visited.
const WORK: u64 = 500_000_000;

/// The most nodes.
const MOST_NODES: u64 = 20_000;

/// Bins of numbers begin with this many of equal rows.
const BINS: u32 = 64;

/// Costs are reckoned anew when one of this many rows is gone.
const GONE: u64 = 20;

/// How many orders are tried where classes are large.
const ORDERS: u64 = 6;

/// By what share the cost of a node may differ from what it is, in all orders but the first.
const BLUR: f64 = 0.02;

/// Axes that have no more combinations of codes than this are one.
const PACK: u32 = 2048;

/// Classes by peeling; none where rows are left that fit nowhere, or where the time is over before.
pub(super) fn peeled(ctx: &Ctx<'_>, ground: &Ground<'_, '_>) -> Option<Classes> {
    let problem = ground.problem;
    let axes: Vec<Vec<Level>> = problem
        .quasi()
        .iter()
        .zip(problem.space().axes())
        .map(|(attribute, axis)| levels(attribute, axis))
        .collect();
    let most = (WORK / (ground.units.len() as u64).max(1)).clamp(1, MOST_NODES);
    let nodes = nodes(&axes, most, problem.settings().seed);
    let n_orders = if is_boxed(problem) { ORDERS } else { 1 };
    let made = (0..n_orders).into_par_iter().map(|order| {
        let classes =
            in_order(ctx, ground, &axes, blurred(&nodes, order, problem.settings().seed))?;
        Some((classes.loss(ground), classes))
    });
    // Where the time is over in one of them, how far others came is chance.
    let made: Vec<(f64, Classes)> = made.collect::<Option<_>>()?;
    made.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, classes)| classes)
}

/// A node, and by what its cost is multiplied.
type Blurred = (Vec<u8>, f64);

/// The nodes of an order: of the first as they are.
fn blurred(nodes: &[Vec<u8>], order: u64, seed: u64) -> Vec<Blurred> {
    let mut draw = Draw::new(seed ^ order.rotate_left(40));
    let mut factor = || if order == 0 { 1.0 } else { 1.0 + BLUR * (2.0 * draw.uniform() - 1.0) };
    nodes.iter().map(|node| (node.clone(), factor())).collect()
}

/// Steps 2 to 4.
fn in_order(
    ctx: &Ctx<'_>,
    ground: &Ground<'_, '_>,
    axes: &[Vec<Level>],
    mut nodes: Vec<Blurred>,
) -> Option<Classes> {
    let mut left = Left::new(ground, axes);
    let mut classes = Classes::default();
    while !nodes.is_empty() && left.n_rows >= u64::from(ground.k) {
        sort(&mut nodes, &left.means(ground, axes));
        // Where values must be spread, what the first classes take decides how the others can: costs stay.
        let gone = if ground.needs_values { left.n_rows } else { left.n_rows / GONE };
        let enough = (left.n_rows - gone).max(u64::from(ground.k));
        while left.n_rows >= enough
            && let Some((node, _)) = nodes.pop()
        {
            if ctx.should_stop() {
                return None;
            }
            left.take(ground, axes, &node, &mut classes);
        }
    }
    if left.units.is_empty() {
        return Some(classes);
    }
    let mut with_boxes: Vec<Class> = classes.iter(ground).collect();
    let entries = left.units.iter().zip(&left.weights);
    let entries = entries.map(|(&unit, &n_rows)| Entry { unit, n_rows }).collect();
    let rest = place(ground, &mut with_boxes, entries);
    rest.is_empty().then(|| with_boxes.into_iter().collect())
}

/// Puts the cheapest node last.
fn sort(nodes: &mut [Blurred], means: &[Vec<f64>]) {
    let cost = |(node, factor): &Blurred| -> f64 {
        let costs = means.iter().zip(node).map(|(means, &level)| means[usize::from(level)]);
        factor * costs.sum::<f64>()
    };
    nodes.sort_by_cached_key(|node| {
        // Costs are not negative: their bits are in their order.
        (Reverse(cost(node).to_bits()), Reverse(node.0.clone()))
    });
}

/// A grouping of the codes of an axis.
struct Level {
    // The group of each code, numbered from 0, and the number of groups.
    groups: Vec<u32>,
    n_groups: u32,
    // What each group costs, and what a row costs on average.
    costs: Vec<f64>,
    cost: f64,
}

impl Level {
    fn new(attribute: &Attribute, axis: &Axis, groups: Vec<u32>) -> Self {
        let n_groups = groups.last().map_or(0, |last| last + 1);
        let (mut cost, mut first, mut costs) = (0.0, 0, Vec::new());
        for same in groups.chunk_by(|a, b| a == b) {
            let last = first + same.len() - 1;
            let n_rows: u32 = attribute.counts()[first..=last].iter().sum();
            costs.push(axis.cost(code(first), code(last)));
            cost += f64::from(n_rows) * axis.cost(code(first), code(last));
            first = last + 1;
        }
        let n_rows: u32 = attribute.counts().iter().sum();
        Self { groups, n_groups, costs, cost: cost / f64::from(n_rows.max(1)) }
    }
}

fn code(place: usize) -> u32 {
    u32::try_from(place).expect("codes are u32")
}

/// The levels of an axis, the codes themselves first, each with fewer groups than the one before.
fn levels(attribute: &Attribute, axis: &Axis) -> Vec<Level> {
    let n_codes = attribute.n_codes();
    let mut groupings: Vec<Vec<u32>> = vec![(0..n_codes).collect()];
    if attribute.is_ranged() {
        let mut n_bins = BINS;
        while n_bins > 1 {
            groupings.push(bins(attribute, n_bins));
            n_bins /= 2;
        }
        groupings.push(vec![0; n_codes as usize]);
    } else {
        let taxonomy = attribute.taxonomy();
        for level in 1..taxonomy.n_levels() {
            let nodes = (0..n_codes).map(|code| taxonomy.ancestor(code, level).ok_or(code));
            groupings.push(numbered(&nodes.collect::<Vec<_>>()));
        }
    }
    let mut levels: Vec<Level> = Vec::new();
    for groups in groupings {
        let level = Level::new(attribute, axis, groups);
        if levels.last().is_none_or(|before| level.n_groups < before.n_groups) {
            levels.push(level);
        }
    }
    levels
}

/// Numbers runs of equal labels.
fn numbered<T: PartialEq>(labels: &[T]) -> Vec<u32> {
    let mut last = 0;
    let number = |at: usize| {
        last += u32::from(at > 0 && labels[at] != labels[at - 1]);
        last
    };
    (0..labels.len()).map(number).collect()
}

/// Codes in so many bins of about equally many rows; a missing value is apart.
fn bins(attribute: &Attribute, n_bins: u32) -> Vec<u32> {
    let counts = attribute.counts();
    let n_rows: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let mut before = 0;
    let bin = |(place, &count): (usize, &u32)| {
        let middle = 2 * before + u64::from(count);
        before += u64::from(count);
        let is_missing = attribute.missing() == Some(code(place));
        (is_missing, middle * u64::from(n_bins) / (2 * n_rows).max(1))
    };
    numbered(&counts.iter().enumerate().map(bin).collect::<Vec<_>>())
}

/// The nodes to visit, cheapest first; the last tells nothing.
fn nodes(axes: &[Vec<Level>], most: u64, seed: u64) -> Vec<Vec<u8>> {
    let n_nodes = axes.iter().map(|levels| levels.len() as u64).fold(1, u64::saturating_mul);
    let mut nodes = if n_nodes <= most { all(axes) } else { chains(axes, most, seed) };
    let cost = |node: &[u8]| -> f64 {
        axes.iter().zip(node).map(|(levels, &level)| levels[usize::from(level)].cost).sum()
    };
    nodes.sort_by(|a, b| cost(a).total_cmp(&cost(b)).then_with(|| a.cmp(b)));
    nodes.dedup();
    nodes
}

fn top(levels: &[Level]) -> u8 {
    u8::try_from(levels.len() - 1).expect("an axis has few levels")
}

/// Every node.
fn all(axes: &[Vec<Level>]) -> Vec<Vec<u8>> {
    axes.iter().fold(vec![Vec::new()], |nodes, levels| {
        let longer = |node: Vec<u8>| {
            (0..=top(levels)).map(move |level| node.iter().copied().chain([level]).collect())
        };
        nodes.into_iter().flat_map(longer).collect()
    })
}

/// The nodes of chains from the bottom to the top, each of which raises the axes in a random order.
fn chains(axes: &[Vec<Level>], most: u64, seed: u64) -> Vec<Vec<u8>> {
    let mut draw = Draw::new(seed);
    let steps = axes.iter().enumerate();
    let mut steps: Vec<usize> =
        steps.flat_map(|(axis, levels)| std::iter::repeat_n(axis, levels.len() - 1)).collect();
    let mut nodes = Vec::new();
    while (nodes.len() as u64) < most.max(1) {
        draw.shuffle(&mut steps);
        let mut node = vec![0; axes.len()];
        nodes.push(node.clone());
        for &axis in &steps {
            node[axis] += 1;
            nodes.push(node.clone());
        }
        if steps.is_empty() {
            break;
        }
    }
    nodes
}

/// The rows that are in no class yet.
struct Left {
    units: Vec<u32>,
    weights: Vec<u32>,
    n_rows: u64,
    // Neighboring axes with few combinations of codes are one column: the axes, and the code of each unit.
    packs: Vec<(Vec<usize>, Vec<u32>)>,
    keys: Vec<u64>,
    sizes: Vec<u32>,
}

impl Left {
    fn new(ground: &Ground<'_, '_>, axes: &[Vec<Level>]) -> Self {
        let n_units = u32::try_from(ground.units.len()).expect("units are fewer than rows");
        let units: Vec<u32> = (0..n_units).collect();
        let weights: Vec<u32> = units.iter().map(|&unit| ground.units.n_rows(unit)).collect();
        let mut packs: Vec<(Vec<usize>, u32)> = Vec::new();
        for (axis, levels) in axes.iter().enumerate() {
            let n_codes = levels[0].n_groups;
            match packs.last_mut() {
                Some((axes, n)) if n.saturating_mul(n_codes) <= PACK => {
                    axes.push(axis);
                    *n *= n_codes;
                }
                _ => packs.push((vec![axis], n_codes)),
            }
        }
        let packed = |(of_pack, _): (Vec<usize>, u32)| {
            let pack = |&unit: &u32| {
                let codes = ground.units.codes(unit);
                let add = |sum: u32, &axis: &usize| sum * axes[axis][0].n_groups + codes[axis];
                of_pack.iter().fold(0, add)
            };
            let codes = units.iter().map(pack).collect();
            (of_pack, codes)
        };
        let packs = packs.into_iter().map(packed).collect();
        let n_rows = weights.iter().map(|&weight| u64::from(weight)).sum();
        Self { units, weights, n_rows, packs, keys: Vec::new(), sizes: Vec::new() }
    }

    /// What a row that is left costs on average at each level of each axis.
    fn means(&self, ground: &Ground<'_, '_>, axes: &[Vec<Level>]) -> Vec<Vec<f64>> {
        let of_axis = |(at, levels): (usize, &Vec<Level>)| {
            // By code, so that every level costs a look at each code and not at each row.
            let mut counts = vec![0_u64; levels[0].groups.len()];
            for (&unit, &weight) in self.units.iter().zip(&self.weights) {
                counts[ground.units.codes(unit)[at] as usize] += u64::from(weight);
            }
            let mean = |level: &Level| {
                let of_codes = counts.iter().zip(&level.groups).filter(|(count, _)| **count > 0);
                let costs = of_codes.map(|(&n, &group)| n as f64 * level.costs[group as usize]);
                costs.sum::<f64>() / self.n_rows.max(1) as f64
            };
            levels.iter().map(mean).collect()
        };
        axes.iter().enumerate().map(of_axis).collect()
    }

    /// Takes the classes of a node that keep every promise.
    fn take(
        &mut self,
        ground: &Ground<'_, '_>,
        axes: &[Vec<Level>],
        node: &[u8],
        classes: &mut Classes,
    ) {
        let span = self.group(axes, node);
        if !self.sizes[..span].iter().any(|&size| size >= ground.k) {
            return;
        }
        let mut members: Vec<(u64, u32)> = Vec::new();
        for (at, &key) in (0..).zip(&self.keys) {
            if self.sizes[place_of(key)] >= ground.k {
                members.push((key, at));
            }
        }
        members.sort_unstable();
        let mut is_taken = vec![false; self.units.len()];
        let mut entries = Vec::new();
        for class in members.chunk_by(|a, b| a.0 == b.0) {
            entries.clear();
            let entry = |&(_, at): &(u64, u32)| Entry {
                unit: self.units[at as usize],
                n_rows: self.weights[at as usize],
            };
            entries.extend(class.iter().map(entry));
            if ground.holds(&entries) {
                classes.push(&entries);
                for &(_, at) in class {
                    is_taken[at as usize] = true;
                }
            }
        }
        self.keep(&is_taken);
    }

    /// Gives each unit a key, equal where units agree at a node, and counts the rows of each key; a bound
    /// above the keys.
    fn group(&mut self, axes: &[Vec<Level>], node: &[u8]) -> usize {
        self.keys.clear();
        self.keys.resize(self.units.len(), 0);
        let mut span = 1_u64;
        for (of_pack, codes) in &self.packs {
            let (mut groups, mut base) = (vec![0_u32], 1);
            for &axis in of_pack {
                let level = &axes[axis][usize::from(node[axis])];
                let with = |&group: &u32| {
                    level.groups.iter().map(move |more| group * level.n_groups + more)
                };
                groups = groups.iter().flat_map(with).collect();
                base *= u64::from(level.n_groups);
            }
            if base <= 1 {
                continue;
            }
            if span.checked_mul(base).is_none() {
                span = number(&mut self.keys, span);
            }
            span *= base;
            for (key, &code) in self.keys.iter_mut().zip(codes) {
                *key = *key * base + u64::from(groups[code as usize]);
            }
        }
        if span > 16 * self.keys.len() as u64 {
            span = number(&mut self.keys, span);
        }
        let span = place_of(span);
        self.sizes.clear();
        self.sizes.resize(span, 0);
        for (&key, &weight) in self.keys.iter().zip(&self.weights) {
            self.sizes[place_of(key)] += weight;
        }
        span
    }

    /// Keeps the units that were not taken.
    fn keep(&mut self, is_taken: &[bool]) {
        let keep = |column: &mut Vec<u32>| {
            let mut at = 0;
            column.retain(|_| {
                at += 1;
                !is_taken[at - 1]
            });
        };
        keep(&mut self.units);
        keep(&mut self.weights);
        self.packs.iter_mut().for_each(|(_, codes)| keep(codes));
        self.n_rows = self.weights.iter().map(|&weight| u64::from(weight)).sum();
    }
}

/// A key as an index.
fn place_of(key: u64) -> usize {
    usize::try_from(key).expect("keys are below a number of entries")
}

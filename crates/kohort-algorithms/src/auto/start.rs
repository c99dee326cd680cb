//! The first classes: those of a fast method, each pool of neighbors divided anew where that costs less.

use kohort_core::Ctx;
use rayon::prelude::*;

use super::class::{Class, Entry, Ground, merge};
use super::classes::Classes;
use super::pool::{Way, divide, place, polish};
use crate::Draw;
use crate::bucket;
use crate::mondrian::Mondrian;
use crate::tree::boxes;
use crate::{Algorithm, Candidate, Failure, Problem, SUPPRESSED};

/// A pool is full with this many units.
pub(super) const POOL: usize = 512;

/// A pool is full with this many classes, too.
const POOL_CLASSES: usize = 128;

/// Classes of this many rows are large.
const LARGE: u64 = 8;

/// Up to this many rows a quadratic start is quick.
const QUICK: usize = 100_000;

/// Up to this many comparisons of cells bucket clustering is quick.
const QUADRATIC: u64 = 8_000_000_000;

/// Up to this many rows times classes, rows are compared with every class.
const MANY: usize = 100_000_000;

/// Classes that keep every promise.
pub(super) fn start(ctx: &Ctx<'_>, ground: &Ground<'_, '_>) -> Result<Classes, Failure> {
    let Candidate { group_of_row, .. } = fast(ctx, ground)?;
    let (classes, _) = classes_of(ground, &group_of_row);
    drop(group_of_row);
    // Where classes are large, pools of a few classes are too coarse a guide.
    match boxed(ctx, ground) {
        Some(boxed) if loss(&boxed) < classes.loss(ground) => Ok(boxed.into_iter().collect()),
        _ => Ok(pooled(ctx, ground, &classes)),
    }
}

/// The rows of neighboring classes divided anew where that costs less, while there is time.
pub(super) fn pooled(ctx: &Ctx<'_>, ground: &Ground<'_, '_>, classes: &Classes) -> Classes {
    let (mut pools, mut from) = (Vec::new(), 0);
    while from < classes.len() {
        let mut n_units = 0;
        let fit = (from..classes.len()).take(POOL_CLASSES).take_while(|&at| {
            n_units += classes.entries(at).len();
            n_units <= POOL
        });
        let to = from + fit.count().max(1);
        pools.push(from..to);
        from = to;
    }
    let divided = pools.into_par_iter().map(|pool| {
        let pool: Vec<Class> = pool.map(|at| classes.get(ground, at)).collect();
        let pool = if ctx.should_stop() { pool } else { divided_anew(ground, pool) };
        pool.into_iter().collect::<Classes>()
    });
    divided.collect::<Vec<_>>().into_iter().collect()
}

pub(super) fn loss(classes: &[Class]) -> f64 {
    classes.iter().map(Class::loss).sum()
}

/// Whether the start is from nested boxes.
pub(super) fn is_boxed(problem: &Problem<'_>) -> bool {
    let promises = problem.promises();
    promises.smallest() >= LARGE && !promises.needs_values() && problem.n_rows() <= QUICK
}

/// Classes of units in nested boxes, where size alone matters, the boxes hold many classes and there is time.
fn boxed(ctx: &Ctx<'_>, ground: &Ground<'_, '_>) -> Option<Vec<Class>> {
    if !is_boxed(ground.problem) {
        return None;
    }
    let codes = |unit: u32| ground.units.codes(unit);
    let n_units = u32::try_from(ground.units.len()).expect("units are fewer than rows");
    let pools =
        boxes(&ground.space, (0..n_units).collect(), &codes, POOL.max(ground.k as usize * 8));
    let divided = pools.into_par_iter().map(|units| {
        let entry = |&unit: &u32| Entry { unit, n_rows: ground.units.n_rows(unit) };
        let is_in_time = !ctx.should_stop();
        is_in_time.then(|| divided_greedily(ground, units.iter().map(entry).collect()))
    });
    let (mut classes, mut left) = (Vec::new(), Vec::new());
    for (found, rest) in divided.collect::<Option<Vec<_>>>()? {
        classes.extend(found);
        left.extend(rest);
    }
    place(ground, &mut classes, left).is_empty().then_some(classes)
}

/// A release of a fast method. Where sensitive values must be spread, bucket clustering knows how.
fn fast(ctx: &Ctx<'_>, ground: &Ground<'_, '_>) -> Result<Candidate, Failure> {
    let mondrian = Mondrian { is_relaxed: false };
    let n_points = ground.problem.points().len() as u64;
    let work = n_points.saturating_mul(n_points * ground.space.n_axes() as u64);
    if ground.needs_values && ground.problem.n_rows() <= QUICK && work <= QUADRATIC {
        match bucket::in_time(ctx, ground.problem) {
            // The goal asks for something else, or the time is over.
            Some(Err(Failure::Error(_))) | None => {}
            Some(found) => return found,
        }
    }
    mondrian.anonymize(ctx, ground.problem)
}

/// The classes of a candidate, near ones near each other, and its suppressed rows.
pub(super) fn classes_of(ground: &Ground<'_, '_>, group_of_row: &[u32]) -> (Classes, Vec<Entry>) {
    let groups = group_of_row.iter().filter(|&&group| group != SUPPRESSED);
    let n_groups = groups.max().map_or(0, |&last| last as usize + 1);
    // Suppressed rows stand behind those of all groups.
    let place = |row: u32| (group_of_row[row as usize] as usize).min(n_groups);
    let mut starts = vec![0; n_groups + 2];
    for &group in group_of_row {
        starts[(group as usize).min(n_groups) + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let (mut next, mut units) = (starts.clone(), vec![0; group_of_row.len()]);
    for unit in 0..u32::try_from(ground.units.len()).expect("units are fewer than rows") {
        for &row in ground.units.rows(unit) {
            let at = &mut next[place(row)];
            units[*at] = unit;
            *at += 1;
        }
    }
    let entries = |group: usize| {
        let units = &units[starts[group]..starts[group + 1]];
        merge(units.iter().map(|&unit| Entry { unit, n_rows: 1 }).collect())
    };
    let mut classes = Classes::default();
    for group in 0..n_groups {
        kohort_core::alive();
        classes.push(&entries(group));
    }
    if ground.needs_values {
        let axes: Vec<usize> = (0..ground.problem.quasi().len()).collect();
        let order = classes.order(ground, &axes);
        classes = classes.some(ground, &order).into_iter().collect();
    }
    (classes, entries(n_groups))
}

/// The rows of a pool divided anew, or its classes as they are.
fn divided_anew(ground: &Ground<'_, '_>, pool: Vec<Class>) -> Vec<Class> {
    kohort_core::alive();
    if pool.iter().any(|class| class.entries.len() > POOL) {
        return in_boxes(ground, pool);
    }
    let entries = merge(pool.iter().flat_map(|class| class.entries.iter().copied()).collect());
    let (classes, left) = divided_greedily(ground, entries);
    if left.is_empty() && loss(&classes) < loss(&pool) { classes } else { pool }
}

/// The rows of a large class divided anew box by box, or the class as it is.
fn in_boxes(ground: &Ground<'_, '_>, pool: Vec<Class>) -> Vec<Class> {
    let entries = merge(pool.iter().flat_map(|class| class.entries.iter().copied()).collect());
    let codes = |at: u32| ground.units.codes(entries[at as usize].unit);
    let places = (0..).take(entries.len()).collect();
    let (mut classes, mut left) = (Vec::new(), Vec::new());
    for places in boxes(&ground.space, places, &codes, POOL.max(ground.k as usize * 8)) {
        kohort_core::alive();
        let within = places.iter().map(|&at| entries[at as usize]).collect();
        let (found, rest) = divided_greedily(ground, within);
        classes.extend(found);
        left.extend(rest);
    }
    if left.len().saturating_mul(classes.len()) > MANY {
        return pool;
    }
    let left = place(ground, &mut classes, left);
    if left.is_empty() && loss(&classes) <= loss(&pool) { classes } else { pool }
}

/// Classes of some rows, and what fits into none.
fn divided_greedily(ground: &Ground<'_, '_>, entries: Vec<Entry>) -> (Vec<Class>, Vec<Entry>) {
    let mut draw = Draw::new(u64::from(entries[0].unit) ^ ground.problem.settings().seed);
    let way = Way { furthest: true, spread: true };
    let (mut classes, left) = divide(ground, entries, way, &mut draw);
    let left = place(ground, &mut classes, left);
    polish(ground, &mut classes);
    (classes, left)
}

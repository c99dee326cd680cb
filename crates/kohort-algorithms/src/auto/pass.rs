//! One pass over all classes: blocks of neighbors, each improved for itself.

use kohort_core::Ctx;
use rayon::prelude::*;

use super::carve::carve;
use super::class::{Class, Entry, Ground, merge};
use super::classes::Classes;
use super::pool::{Way, dissolve, divide, exchange, place, polish, spend};
use super::shrink::shrink;
use super::start::{POOL, is_boxed};
use crate::Draw;

/// The classes in a block.
pub(super) const BLOCK: usize = 64;

/// The classes in a block of a table of few rows: more of them find better places, and take longer.
const LARGE_BLOCK: usize = 256;

/// Up to this many rows a table has few.
const FEW: usize = 100_000;

/// How many neighbors of a class are pooled with it; fewer where a start from boxes put near rows together.
const NEIGHBORS: (usize, usize) = (3, 2);

/// Classes of this many smallest ones are large.
const LARGE: u32 = 4;

/// Classes with more units than this many smallest classes have rows are not divided again.
const HUGE: usize = 64;

/// What a gain must exceed to be one.
pub(super) const GAIN: f64 = 1e-9;

/// Improves classes once; the number of the pass decides which are compared.
pub(super) fn pass(
    ctx: &Ctx<'_>,
    ground: &Ground<'_, '_>,
    classes: &Classes,
    number: u64,
) -> Classes {
    let seed = seed(ground, number);
    let order = order(ground, classes, number);
    let improved = order.par_chunks(block_size(ground)).enumerate().map(|(index, which)| {
        let mut block = classes.some(ground, which);
        improve(ctx, ground, &mut block, &mut Draw::new(seed ^ (index as u64 + 1)));
        block.into_iter().collect::<Classes>()
    });
    improved.collect::<Vec<_>>().into_iter().collect()
}

fn block_size(ground: &Ground<'_, '_>) -> usize {
    if ground.problem.n_rows() <= FEW { LARGE_BLOCK } else { BLOCK }
}

fn seed(ground: &Ground<'_, '_>, number: u64) -> u64 {
    ground.problem.settings().seed.rotate_left(17) ^ (number << 32)
}

/// Numbers of the classes, neighbors beside each other; the number of the pass decides who is one.
pub(super) fn order(ground: &Ground<'_, '_>, classes: &Classes, number: u64) -> Vec<u32> {
    let mut axes: Vec<usize> = (0..ground.problem.quasi().len()).collect();
    Draw::new(seed(ground, number)).shuffle(&mut axes);
    classes.order(ground, &axes)
}

/// Improves the classes of a block, those that changed lately most often, while there is time.
fn improve(ctx: &Ctx<'_>, ground: &Ground<'_, '_>, block: &mut Vec<Class>, draw: &mut Draw) {
    for _ in 0..block.len() {
        if block.len() < 2 || ctx.should_stop() {
            return;
        }
        let center = draw.below(block.len());
        let is_due = draw.below(1 + block[center].n_tries as usize) == 0;
        if !is_due || block[center].extent.cost <= 0.0 || is_huge(ground, &block[center]) {
            continue;
        }
        block[center].n_tries += 1;
        let mut gained = spend(ground, block, center);
        if dissolve(ground, block, center) {
            continue;
        }
        let near = neighbors(ground, block, center);
        for &other in near.iter().filter(|other| **other != center) {
            gained |= exchange(ground, block, center, other);
        }
        gained = gained || shrink(ground, block, center);
        if !gained && !carve_anew(ground, block, &near, draw) {
            redivide(ground, block, &near, draw);
        }
    }
}

/// Whether a class has more units than can be compared with each other.
fn is_huge(ground: &Ground<'_, '_>, class: &Class) -> bool {
    class.entries.len() > POOL.max(HUGE * ground.k as usize)
}

/// A class and those whose union with it costs least, in ascending order.
fn neighbors(ground: &Ground<'_, '_>, block: &[Class], center: usize) -> Vec<usize> {
    let (space, extent) = (&ground.space, &block[center].extent);
    let others = block.iter().enumerate();
    let others = others.filter(|(index, other)| *index != center && !is_huge(ground, other));
    let mut costs: Vec<(f64, usize)> = others
        .map(|(index, other)| (extent.cost_with(space, &other.extent.lo, &other.extent.hi), index))
        .collect();
    let n = if is_boxed(ground.problem) { NEIGHBORS.1 } else { NEIGHBORS.0 }.min(costs.len());
    if n > 0 {
        costs.select_nth_unstable_by(n - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }
    let mut near: Vec<usize> = costs[..n].iter().map(|&(_, index)| index).collect();
    near.push(center);
    near.sort_unstable();
    near
}

/// Carves classes out of the rows of one class, or of several where it is small; keeps what costs less.
fn carve_anew(
    ground: &Ground<'_, '_>,
    block: &mut Vec<Class>,
    chosen: &[usize],
    draw: &mut Draw,
) -> bool {
    if ground.l.is_none() {
        return false;
    }
    let alone = [chosen[draw.below(chosen.len())]];
    let is_large = block[alone[0]].n_rows >= LARGE * ground.k;
    let chosen = if is_large { &alone } else { chosen };
    let Some(mut divided) = carve(ground, &pool(block, chosen), draw) else { return false };
    polish(ground, &mut divided);
    replace(block, chosen, divided)
}

/// Pools the rows of some classes and divides them anew; keeps what costs less.
fn redivide(ground: &Ground<'_, '_>, block: &mut Vec<Class>, chosen: &[usize], draw: &mut Draw) {
    let entries = pool(block, chosen);
    let way = Way { furthest: draw.below(2) == 0, spread: draw.below(2) == 0 };
    let (mut divided, left) = divide(ground, entries, way, draw);
    if !place(ground, &mut divided, left).is_empty() {
        return;
    }
    polish(ground, &mut divided);
    replace(block, chosen, divided);
}

/// The rows of some classes.
fn pool(block: &[Class], chosen: &[usize]) -> Vec<Entry> {
    let entries = chosen.iter().flat_map(|&index| block[index].entries.iter().copied());
    merge(entries.collect())
}

/// Puts classes in the place of others if they cost less; true if they do.
fn replace(block: &mut Vec<Class>, chosen: &[usize], mut divided: Vec<Class>) -> bool {
    let before: f64 = chosen.iter().map(|&index| block[index].loss()).sum();
    let after: f64 = divided.iter().map(Class::loss).sum();
    let gains = after < before - GAIN;
    if gains {
        for &index in chosen.iter().rev() {
            block.swap_remove(index);
        }
        block.append(&mut divided);
    }
    gains
}

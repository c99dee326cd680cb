//! The start: classes of near records, and who joins them.

use kohort_core::{Ctx, NO_VALUE};

use super::classes::Classes;
use super::left::{Left, Seeds};
use super::sketch::{Sketch, distance};
use super::wishes::nearby;
use crate::costs::Cost;
use crate::{Representative, Scratch};

/// How many records that are left are compared by what they cost, the nearest by their sketches.
const COMPARED: usize = 32;

/// Puts records into classes: all that can be, but for those that may be left out and lose less there.
pub(super) fn fill(
    ctx: &Ctx<'_>,
    classes: &mut Classes<'_>,
    sketches: &[Sketch],
    near: &[Vec<u32>],
) {
    let (n, problem) = (classes.n_records(), *classes.problem());
    let mut order: Vec<u32> = (0..).take(n).collect();
    order.sort_by_cached_key(|&record| (std::cmp::Reverse(classes.n_labels(record)), record));
    // Where values at the root may be the same, they are none to begin with.
    let value_of =
        |record: u32| match problem.forest.sensitive(problem.forest.root(record as usize)) {
            value if problem.l[0] > 1 && value != NO_VALUE => value as usize + 1,
            _ => 0,
        };
    let (mut left, mut seeds) = (Left::new(sketches), Seeds::new(&order, value_of));
    let mut scratch = Scratch::default();
    while classes.size() <= left.n()
        && let Some(seed) = seeds.next(&left)
    {
        left.take(seed);
        if let Some(class) = grow(classes, sketches, &mut left, seed, &mut scratch) {
            class.class().members.iter().for_each(|&member| seeds.take(value_of(member)));
            classes.push(class);
            ctx.progress("classes", (n - left.n()) as u64, n as u64);
        }
    }
    settle(classes, near, &order, &mut scratch);
}

/// The class of a seed with the nearest that are left; none where too few can meet it, and then they are left
/// again.
fn grow(
    classes: &Classes<'_>,
    sketches: &[Sketch],
    left: &mut Left,
    seed: u32,
    scratch: &mut Scratch,
) -> Option<Representative> {
    let pairs = classes.pairs(classes.size())?;
    let mut class = classes.of_record_alone(seed);
    while class.n_members() < classes.size() {
        kohort_core::alive();
        let mut best: Option<(Cost, u32)> = None;
        for record in candidates(classes, sketches, left, &class) {
            let limit = best.map_or(Cost::MAX, |(cost, _)| cost);
            let cost = pairs.cost(&class, record, limit, scratch);
            best = cost.map(|cost| (cost, record)).into_iter().chain(best).min();
        }
        let Some((_, record)) = best else {
            for &member in class.class().members.iter().rev() {
                left.give_back(member);
            }
            return None;
        };
        left.take(record);
        class = pairs.merge(&class, record, scratch)?;
    }
    Some(class)
}

/// Records that are left and can join a class, near the record that it began with.
fn candidates(
    classes: &Classes<'_>,
    sketches: &[Sketch],
    left: &Left,
    class: &Representative,
) -> Vec<u32> {
    let forest = classes.problem().forest;
    let seed = class.class().members[0];
    let sketch = &sketches[seed as usize];
    let pairs = classes.pairs(classes.size());
    let meets = |&record: &u32| {
        let root = forest.root(record as usize);
        pairs.is_some_and(|pairs| pairs.own(class, 0, root).is_some())
    };
    let meeting = left.around(seed).into_iter().filter(meets);
    let mut found: Vec<(u32, u32)> =
        meeting.map(|other| (distance(sketch, &sketches[other as usize]), other)).collect();
    if COMPARED < found.len() {
        found.select_nth_unstable(COMPARED);
        found.truncate(COMPARED);
    }
    found.sort_unstable();
    found.into_iter().map(|(_, other)| other).collect()
}

/// Lets records in no class join one of a near record where that loses less than to leave them out; and more of them,
/// who lose least by it, where more are left out than may be.
fn settle(classes: &mut Classes<'_>, near: &[Vec<u32>], order: &[u32], scratch: &mut Scratch) {
    for &record in order {
        if classes.is_out(record)
            && let Some((cost, at)) =
                cheapest(classes, &nearby(classes, near, record), record, scratch)
            && cost < classes.of_lost(record)
        {
            classes.join(at, record, scratch);
        }
    }
    let most = classes.problem().may_leave_out;
    if classes.n_left() <= most {
        return;
    }
    let out = order.iter().copied().filter(|&record| classes.is_out(record));
    let mut out: Vec<(Cost, u32)> = out
        .filter_map(|record| {
            let (cost, _) = anywhere(classes, near, record, scratch)?;
            Some((cost - classes.of_lost(record), record))
        })
        .collect();
    out.sort_unstable();
    for (_, record) in out {
        if most < classes.n_left()
            && let Some((_, at)) = anywhere(classes, near, record, scratch)
        {
            classes.join(at, record, scratch);
        }
    }
}

/// The class to which a record adds least: of a near record if possible, else any.
fn anywhere(
    classes: &Classes<'_>,
    near: &[Vec<u32>],
    record: u32,
    scratch: &mut Scratch,
) -> Option<(Cost, u32)> {
    cheapest(classes, &nearby(classes, near, record), record, scratch).or_else(|| {
        let all: Vec<u32> = (0..).take(classes.all.len()).collect();
        cheapest(classes, &all, record, scratch)
    })
}

/// The class to which a record adds least, of some.
fn cheapest(
    classes: &Classes<'_>,
    some: &[u32],
    record: u32,
    scratch: &mut Scratch,
) -> Option<(Cost, u32)> {
    let mut best: Option<(Cost, u32)> = None;
    for &at in some {
        let limit = best.map_or(Cost::MAX, |(cost, _)| cost);
        let cost = classes.joining(classes.all[at as usize].as_ref()?, record, limit, scratch);
        best = cost.map(|cost| (cost, at)).into_iter().chain(best).min();
    }
    best
}

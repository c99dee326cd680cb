//! The start: classes of near records, the largest records first.

use kohort_core::Ctx;

use super::classes::{Classes, NOWHERE};
use crate::costs::Cost;
use crate::{Representative, Scratch};

/// How many near records that are left are compared by what they cost.
const COMPARED: usize = 6;

/// How many others are compared where no near record is left.
const FARTHER: usize = 12;

/// Puts every record that can be in a class into one.
pub(super) fn fill(ctx: &Ctx<'_>, classes: &mut Classes<'_>, near: &[Vec<u32>]) {
    let n = classes.n_records();
    let mut order: Vec<u32> = (0..).take(n).collect();
    order.sort_by_cached_key(|&record| (std::cmp::Reverse(classes.n_labels(record)), record));
    let mut left = Left::new(&order);
    let mut scratch = Scratch::default();
    for (done, &seed) in order.iter().enumerate() {
        if classes.of_record[seed as usize] != NOWHERE || left.n < classes.size() {
            continue;
        }
        if done % 512 == 0 {
            ctx.progress("classes", done as u64, n as u64);
        }
        left.take(seed);
        if let Some(class) = grow(classes, near, &mut left, seed, &mut scratch) {
            classes.push(class);
        }
    }
    let alone: Vec<u32> =
        order.into_iter().filter(|&record| classes.of_record[record as usize] == NOWHERE).collect();
    for record in alone {
        settle(classes, near, record, &mut scratch);
    }
}

/// The class of a seed with the nearest that are left; none where too few can meet it, and then they are left
/// again.
fn grow(
    classes: &Classes<'_>,
    near: &[Vec<u32>],
    left: &mut Left<'_>,
    seed: u32,
    scratch: &mut Scratch,
) -> Option<Representative> {
    let pairs = classes.pairs(classes.size())?;
    let mut class = classes.of_record_alone(seed);
    while class.n_members() < classes.size() {
        let members = &class.class().members;
        let near = members.iter().flat_map(|&member| {
            let left = &*left;
            near[member as usize].iter().copied().filter(|&r| left.is_left(r)).take(COMPARED)
        });
        let near: Vec<u32> = near.collect();
        let best = |candidates: &[u32], scratch: &mut Scratch| {
            let mut best: Option<(Cost, u32)> = None;
            for &record in candidates {
                let limit = best.map_or(Cost::MAX, |(cost, _)| cost);
                let cost = pairs.cost(&class, record, limit, scratch);
                best = cost.map(|cost| (cost, record)).into_iter().chain(best).min();
            }
            best
        };
        let found = best(&near, scratch).or_else(|| best(&left.around(seed, FARTHER), scratch));
        let Some((_, record)) = found else {
            for &member in members.iter().rev() {
                left.give_back(member);
            }
            return None;
        };
        left.take(record);
        class = pairs.merge(&class, record, scratch)?;
    }
    Some(class)
}

/// Lets a record join the class to which it adds least: one of its near records' if possible, else any.
fn settle(classes: &mut Classes<'_>, near: &[Vec<u32>], record: u32, scratch: &mut Scratch) {
    let mut tried: Vec<u32> =
        near[record as usize].iter().map(|&other| classes.of_record[other as usize]).collect();
    tried.retain(|&class| class != NOWHERE);
    tried.sort_unstable();
    tried.dedup();
    let best = |tried: &[u32], scratch: &mut Scratch| {
        let costs = tried.iter().filter_map(|&at| {
            let class = classes.all[at as usize].as_ref()?;
            Some((classes.joining(class, record, Cost::MAX, scratch)?, at))
        });
        costs.min()
    };
    let found = best(&tried, scratch).or_else(|| {
        let all: Vec<u32> = (0..).take(classes.all.len()).collect();
        best(&all, scratch)
    });
    if let Some((_, at)) = found {
        classes.join(at, record, scratch);
    }
}

/// The records in no class, in the order of their size: a list in which each place has the next and the one
/// before, around an end that is nobody's.
struct Left<'a> {
    order: &'a [u32],
    place: Vec<u32>,
    is_free: Vec<bool>,
    next: Vec<u32>,
    before: Vec<u32>,
    n: usize,
}

impl<'a> Left<'a> {
    fn new(order: &'a [u32]) -> Self {
        let n = u32::try_from(order.len()).expect("records are numbered by u32");
        let mut place = vec![0; order.len()];
        for (at, &record) in (0..).zip(order) {
            place[record as usize] = at;
        }
        Self {
            order,
            place,
            is_free: vec![true; order.len()],
            next: (1..=n).chain([0]).collect(),
            before: std::iter::once(n).chain(0..n).collect(),
            n: order.len(),
        }
    }

    fn is_left(&self, record: u32) -> bool {
        self.is_free[record as usize]
    }

    fn take(&mut self, record: u32) {
        self.n -= 1;
        self.is_free[record as usize] = false;
        let at = self.place[record as usize] as usize;
        let (next, before) = (self.next[at], self.before[at]);
        self.next[before as usize] = next;
        self.before[next as usize] = before;
    }

    /// Undoes the last `take` that is not undone.
    fn give_back(&mut self, record: u32) {
        self.n += 1;
        self.is_free[record as usize] = true;
        let place = self.place[record as usize];
        let (next, before) = (self.next[place as usize], self.before[place as usize]);
        self.next[before as usize] = place;
        self.before[next as usize] = place;
    }

    /// Records that are left, next in size to one that was taken; few others were since.
    fn around(&self, record: u32, n: usize) -> Vec<u32> {
        let end = self.order.len();
        let walk = |from: &[u32]| {
            let first = from[self.place[record as usize] as usize];
            let all = std::iter::successors(Some(first), |&at| Some(from[at as usize]));
            let inside = all.take_while(|&at| (at as usize) < end);
            let records = inside.map(|at| self.order[at as usize]);
            records.filter(|&record| self.is_left(record)).take(n).collect::<Vec<u32>>()
        };
        [walk(&self.next), walk(&self.before)].concat()
    }
}

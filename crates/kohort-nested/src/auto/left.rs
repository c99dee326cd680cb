//! The records in no class: who of them stands near whom, and who begins the next class.

use std::collections::BTreeSet;

use super::near::{ORDERS, ordered};
use super::sketch::Sketch;

/// How many records on either side are looked at, in each of the orders.
const WINDOW: usize = 128;

/// The records in no class, in the orders by sums of their sketches.
pub(super) struct Left {
    rings: Vec<Ring>,
    is_free: Vec<bool>,
    n: usize,
}

/// An order in which each place has the next and the one before, around an end that is nobody's.
struct Ring {
    order: Vec<u32>,
    place: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
}

impl Left {
    pub(super) fn new(sketches: &[Sketch]) -> Self {
        Self {
            rings: (0..ORDERS).map(|order| Ring::new(ordered(sketches, order))).collect(),
            is_free: vec![true; sketches.len()],
            n: sketches.len(),
        }
    }

    pub(super) fn n(&self) -> usize {
        self.n
    }

    pub(super) fn is_left(&self, record: u32) -> bool {
        self.is_free[record as usize]
    }

    pub(super) fn take(&mut self, record: u32) {
        self.n -= 1;
        self.is_free[record as usize] = false;
        for ring in &mut self.rings {
            let (_, next, before) = ring.at(record);
            ring.next[before as usize] = next;
            ring.before[next as usize] = before;
        }
    }

    /// Undoes the last `take` that is not undone.
    pub(super) fn give_back(&mut self, record: u32) {
        self.n += 1;
        self.is_free[record as usize] = true;
        for ring in &mut self.rings {
            let (place, next, before) = ring.at(record);
            ring.next[before as usize] = place;
            ring.before[next as usize] = place;
        }
    }

    /// Records that are left, each once, which stand beside one that was taken; few others were since.
    pub(super) fn around(&self, record: u32) -> Vec<u32> {
        let mut found = Vec::new();
        for ring in &self.rings {
            for from in [&ring.next, &ring.before] {
                let first = from[ring.place[record as usize] as usize];
                let all = std::iter::successors(Some(first), |&at| Some(from[at as usize]));
                let inside = all.map_while(|at| ring.order.get(at as usize).copied());
                found.extend(inside.filter(|&other| self.is_left(other)).take(WINDOW));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Ring {
    fn new(order: Vec<u32>) -> Self {
        let n = u32::try_from(order.len()).expect("records are numbered by u32");
        let mut place = vec![0; order.len()];
        for (at, &record) in (0..).zip(&order) {
            kohort_core::alive();
            place[record as usize] = at;
        }
        Self {
            order,
            place,
            next: (1..=n).chain([0]).collect(),
            before: std::iter::once(n).chain(0..n).collect(),
        }
    }

    /// The place of a record, the next and the one before.
    fn at(&self, record: u32) -> (u32, u32, u32) {
        let place = self.place[record as usize];
        (place, self.next[place as usize], self.before[place as usize])
    }
}

/// Who begins the next class: somebody with the sensitive value at the root that most have who are left. Classes
/// whose members differ there then use up the frequent values, and the fewest are left out.
pub(super) struct Seeds {
    // For each value those that have it and did not begin a class, who is to begin first last.
    untried: Vec<Vec<u32>>,
    n_left: Vec<usize>,
    // The values, each with how many have it that are left.
    by_number: BTreeSet<(usize, usize)>,
}

impl Seeds {
    /// Records in the order in which those of one value begin classes; values are numbered.
    pub(super) fn new(order: &[u32], value_of: impl Fn(u32) -> usize) -> Self {
        let mut untried: Vec<Vec<u32>> = Vec::new();
        for &record in order.iter().rev() {
            let value = value_of(record);
            untried.resize(untried.len().max(value + 1), Vec::new());
            untried[value].push(record);
        }
        let n_left: Vec<usize> = untried.iter().map(Vec::len).collect();
        let by_number = n_left.iter().enumerate().map(|(value, &n)| (n, value)).collect();
        Self { untried, n_left, by_number }
    }

    /// Who begins the next class, each at most once.
    pub(super) fn next(&mut self, left: &Left) -> Option<u32> {
        loop {
            let &(_, value) = self.by_number.last()?;
            match self.untried[value].pop() {
                Some(record) if left.is_left(record) => return Some(record),
                Some(_) => {}
                None => drop(self.by_number.pop_last()),
            }
        }
    }

    /// One of those with a value is in a class.
    pub(super) fn take(&mut self, value: usize) {
        let n = &mut self.n_left[value];
        if self.by_number.remove(&(*n, value)) {
            self.by_number.insert((*n - 1, value));
        }
        *n -= 1;
    }
}

//! The rows and the counterfeits on one line, along the Hilbert curve, and who is next to whom.

use kohort_algorithms::{Draw, Points, hilbert_keys};
use kohort_core::ABSENT;
use kohort_models::series::Transition;

use crate::{Counterfeit, Turn};

/// What a class is made of: a row of the table, or a counterfeit of an earlier release.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) point: u32,
    pub(super) value: u32,
    /// What was published of the person, if anything.
    pub(super) past: Option<u32>,
    /// The row, for one that belongs to somebody.
    pub(super) row: Option<u32>,
    /// The counterfeit's number, for one that belongs to nobody.
    pub(super) counterfeit: Option<u32>,
    /// The class of the last release, for who was in it.
    pub(super) came_from: u32,
}

/// The items in the order of the line.
pub(super) struct Line {
    pub(super) items: Vec<Item>,
    pub(super) points: Points,
}

impl Line {
    /// Puts the rows and the counterfeits of the last release on the line. Counterfeits take a step as
    /// people do, by the chances of `transition`, and stand where the first person of their last class
    /// stands who is in the table; without one they leave.
    pub(super) fn new(
        turn: &Turn<'_>,
        past_of_row: &[Option<u32>],
        standing: &[Counterfeit],
        transition: &Transition<'_>,
    ) -> Self {
        let points = Points::new(turn.data.n_rows(), &turn.data.quasi(), &[]);
        let point_of_row = points.point_of_row();
        let keys = hilbert_keys(turn.space, &points);
        let last = turn.history.releases.last();
        let class_of = |person| last.and_then(|release| release.class_of(person)).unwrap_or(ABSENT);
        let mut items: Vec<(u32, Item)> = Vec::with_capacity(point_of_row.len() + standing.len());
        let n_classes = last.map_or(0, |release| release.classes.len());
        let mut hosts: Vec<Option<(u32, u32)>> = vec![None; n_classes];
        for (row, (&person, &value)) in (0..).zip(turn.person_of_row.iter().zip(turn.value_of_row))
        {
            let point = point_of_row[row as usize];
            let came_from = class_of(person);
            let past = past_of_row[row as usize];
            let item = Item { point, value, past, row: Some(row), counterfeit: None, came_from };
            items.push((person, item));
            if let Some(host) = hosts.get_mut(came_from as usize) {
                *host = Some(host.map_or((person, point), |first| first.min((person, point))));
            }
        }
        for counterfeit in standing {
            let Some((_, point)) = hosts[counterfeit.class as usize] else { continue };
            let item = Item {
                point,
                value: step(transition, counterfeit, turn.seed),
                past: None,
                row: None,
                counterfeit: Some(counterfeit.id),
                came_from: counterfeit.class,
            };
            items.push((u32::MAX, item));
        }
        // Equal places are in the order of people, which is not that of rows.
        items.sort_by_key(|(person, item)| {
            (keys[item.point as usize], item.point, *person, item.counterfeit)
        });
        Self { items: items.into_iter().map(|(_, item)| item).collect(), points }
    }

    pub(super) fn codes(&self, item: u32) -> &[u32] {
        self.points.codes(self.items[item as usize].point as usize)
    }
}

/// The next value of a counterfeit.
fn step(transition: &Transition<'_>, counterfeit: &Counterfeit, seed: u64) -> u32 {
    let mut draw = Draw::new(seed ^ u64::from(counterfeit.id).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut left = draw.uniform();
    for value in 0..transition.n_values() {
        left -= transition.probability(counterfeit.value, value);
        if left < 0.0 {
            return value;
        }
    }
    counterfeit.value
}

/// Items of the line that are free, found from any place.
pub(super) struct Free {
    // The next free place at or after each place, and one more than the last at or before it.
    after: Vec<u32>,
    before: Vec<u32>,
}

impl Free {
    /// Those of `n` places that are free.
    pub(super) fn new(n: usize, is_free: impl Fn(usize) -> bool) -> Self {
        let n = u32::try_from(n).expect("rows fit u32");
        let mut free = Self { after: (0..=n).collect(), before: (0..=n).collect() };
        (0..n).filter(|&place| !is_free(place as usize)).for_each(|place| free.take(place));
        free
    }

    /// The place is free no longer.
    pub(super) fn take(&mut self, place: u32) {
        self.after[place as usize] = place + 1;
        self.before[place as usize + 1] = place;
    }

    pub(super) fn is_free(&self, place: u32) -> bool {
        self.after[place as usize] == place
    }

    /// The first free place from `place` on.
    pub(super) fn next(&mut self, place: u32) -> Option<u32> {
        let found = root(&mut self.after, place);
        ((found as usize) < self.after.len() - 1).then_some(found)
    }

    /// The free places nearest to a place: as many as `n` on either side.
    pub(super) fn around(&mut self, place: u32, n: usize, found: &mut Vec<u32>) {
        let mut at = place;
        for _ in 0..n {
            let Some(next) = self.next(at) else { break };
            found.push(next);
            at = next + 1;
        }
        let mut at = place;
        for _ in 0..n {
            let next = root(&mut self.before, at);
            if next == 0 {
                break;
            }
            found.push(next - 1);
            at = next - 1;
        }
    }
}

/// Where the links from a place end; they become shorter on the way.
fn root(links: &mut [u32], mut place: u32) -> u32 {
    while links[place as usize] != place {
        let next = links[links[place as usize] as usize];
        links[place as usize] = next;
        place = next;
    }
    place
}

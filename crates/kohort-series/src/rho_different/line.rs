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
            let item = Item { point, value, past, row: Some(row), counterfeit: None };
            items.push((person, item));
            if let Some(host) = hosts.get_mut(came_from as usize) {
                *host = Some(host.map_or((person, point), |first| first.min((person, point))));
            }
        }
        let mut draw = Draw::hidden(turn.secret);
        for counterfeit in standing {
            let value = step(transition, counterfeit, draw.uniform());
            let Some((_, point)) = hosts[counterfeit.class as usize] else { continue };
            let item =
                Item { point, value, past: None, row: None, counterfeit: Some(counterfeit.id) };
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

/// The next value of a counterfeit, by a number drawn from 0 to 1.
fn step(transition: &Transition<'_>, counterfeit: &Counterfeit, drawn: f64) -> u32 {
    let mut left = drawn;
    for value in 0..transition.n_values() {
        left -= transition.probability(counterfeit.value, value);
        if left < 0.0 {
            return value;
        }
    }
    counterfeit.value
}

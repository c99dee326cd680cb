//! The rows of a release, those that were left out, and the people who may have them.

use kohort_models::Draw;

use super::super::{Scene, Sight};
use super::Kinds;

/// The rows of the table, as far as the release tells: its own, then those that were left out.
pub(super) struct Rows {
    /// The sensitive values of each row, as a kind.
    pub(super) kinds: Vec<u32>,
    /// The class of each row. What was left out is a class of its own.
    classes: Vec<u32>,
    /// The rows that each person may have, ascending.
    of_person: Vec<Vec<u32>>,
}

/// Whose each row is.
#[derive(Clone)]
pub(super) struct Deal {
    row_of_person: Vec<u32>,
    person_of_row: Vec<u32>,
}

/// Nobody, or no row.
const NONE: u32 = u32::MAX;

impl Rows {
    /// The rows of a release of these people; anybody may have been left out, where somebody was.
    pub(super) fn new(scene: &Scene<'_>, crowd: &Sight, kinds: &Kinds) -> Self {
        let release = &scene.release;
        let shapes = release.shapes();
        let n_left = kinds.left.len();
        // In an anatomized release a row of a group has the values of any row of the group.
        let shown_by = |shape: u32| {
            let is_of_group = release.is_anatomized();
            (if is_of_group { release.class_of_shape(shape) } else { shape }) as usize
        };
        let mut rows_shown_by: Vec<Vec<u32>> = vec![Vec::new(); release.n_shapes() as usize];
        for (row, &shape) in (0..).zip(&shapes.ids) {
            rows_shown_by[shown_by(shape)].push(row);
        }
        let own_class = shapes.ids.iter().map(|&shape| release.class_of_shape(shape));
        let left_class = u32::try_from(release.n_classes()).unwrap_or(NONE);
        let classes = own_class.chain(std::iter::repeat_n(left_class, n_left)).collect();
        let n_shown = u32::try_from(release.n_rows()).unwrap_or(NONE);
        let left = (n_shown..).take(n_left);
        let mut of_person = vec![Vec::new(); crowd.n_targets()];
        for view in crowd.views() {
            let shown = view.shapes.iter().flat_map(|&shape| &rows_shown_by[shown_by(shape)]);
            let mut rows: Vec<u32> = shown.copied().chain(left.clone()).collect();
            rows.sort_unstable();
            rows.dedup();
            for &person in view.targets {
                of_person[person as usize].clone_from(&rows);
            }
        }
        let kinds = kinds.of_row.iter().chain(&kinds.left).copied().collect();
        Self { kinds, classes, of_person }
    }

    pub(super) fn n_people(&self) -> usize {
        self.of_person.len()
    }

    /// The kinds that a person may have, ascending.
    pub(super) fn kinds_of_person(&self, person: usize) -> Vec<u32> {
        let rows = self.of_person[person].iter();
        let mut kinds: Vec<u32> = rows.map(|&row| self.kinds[row as usize]).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// People who may have rows of each other, by number, and the rows of each such pool.
    pub(super) fn pools(&self) -> (Vec<usize>, Vec<Vec<u32>>) {
        let mut people_of_row: Vec<Vec<u32>> = vec![Vec::new(); self.kinds.len()];
        for (person, rows) in (0..).zip(&self.of_person) {
            for &row in rows {
                people_of_row[row as usize].push(person);
            }
        }
        let mut pool_of_person = vec![usize::MAX; self.n_people()];
        let mut is_seen = vec![false; self.kinds.len()];
        let mut pools: Vec<Vec<u32>> = Vec::new();
        for first in 0..self.n_people() {
            if pool_of_person[first] != usize::MAX {
                continue;
            }
            let (mut rows, mut open) = (Vec::new(), vec![first]);
            pool_of_person[first] = pools.len();
            while let Some(person) = open.pop() {
                for &row in &self.of_person[person] {
                    if std::mem::replace(&mut is_seen[row as usize], true) {
                        continue;
                    }
                    rows.push(row);
                    for &other in &people_of_row[row as usize] {
                        if pool_of_person[other as usize] == usize::MAX {
                            pool_of_person[other as usize] = pools.len();
                            open.push(other as usize);
                        }
                    }
                }
            }
            pools.push(rows);
        }
        (pool_of_person, pools)
    }

    /// Gives everybody a row at random; none where there are not enough that cover them.
    pub(super) fn deal(&self, draw: &mut Draw) -> Option<Deal> {
        let mut deal = Deal {
            row_of_person: vec![NONE; self.n_people()],
            person_of_row: vec![NONE; self.kinds.len()],
        };
        let mut people: Vec<usize> = (0..self.n_people()).collect();
        draw.shuffle(&mut people);
        for person in people {
            let mut is_seen = vec![false; self.kinds.len()];
            if !self.place(&mut deal, person, &mut is_seen, draw) {
                return None;
            }
        }
        for _ in 0..4 * self.n_people() {
            let person = draw.below(self.n_people());
            if let Some(other) = self.partner(&deal, person, draw) {
                deal.exchange(person, other);
            }
        }
        Some(deal)
    }

    /// Gives a person a row, where others can give way (Kuhn's algorithm).
    fn place(&self, deal: &mut Deal, person: usize, is_seen: &mut [bool], draw: &mut Draw) -> bool {
        let rows = &self.of_person[person];
        let first = if rows.is_empty() { 0 } else { draw.below(rows.len()) };
        let in_turn = || rows[first..].iter().chain(&rows[..first]).copied();
        let free = in_turn().find(|&row| deal.person_of_row[row as usize] == NONE);
        if let Some(row) = free {
            deal.give(person, row);
            return true;
        }
        for row in in_turn() {
            if std::mem::replace(&mut is_seen[row as usize], true) {
                continue;
            }
            let other = deal.person_of_row[row as usize] as usize;
            if self.place(deal, other, is_seen, draw) {
                deal.give(person, row);
                return true;
            }
        }
        false
    }

    /// Somebody with whom a person may exchange rows, drawn at random; none where the draw finds nobody.
    pub(super) fn partner(&self, deal: &Deal, person: usize, draw: &mut Draw) -> Option<usize> {
        let rows = &self.of_person[person];
        let row = rows[draw.below(rows.len())];
        let other = deal.person_of_row[row as usize];
        let own = deal.row_of_person[person];
        let may = row != own && self.of_person[other as usize].binary_search(&own).is_ok();
        may.then_some(other as usize)
    }

    /// Whether two people have different values, or are in different classes.
    pub(super) fn differ(&self, deal: &Deal, one: usize, other: usize) -> bool {
        let of = |person: usize| {
            let row = deal.row_of_person[person] as usize;
            (self.kinds[row], self.classes[row])
        };
        of(one) != of(other)
    }

    /// The kind that each person has.
    pub(super) fn kinds_in(&self, deal: &Deal) -> Vec<u32> {
        deal.row_of_person.iter().map(|&row| self.kinds[row as usize]).collect()
    }

    /// The class that each person is in.
    pub(super) fn classes_in(&self, deal: &Deal) -> Vec<u32> {
        deal.row_of_person.iter().map(|&row| self.classes[row as usize]).collect()
    }
}

impl Deal {
    fn give(&mut self, person: usize, row: u32) {
        self.row_of_person[person] = row;
        self.person_of_row[row as usize] = u32::try_from(person).unwrap_or(NONE);
    }

    /// Two people exchange their rows.
    pub(super) fn exchange(&mut self, one: usize, other: usize) {
        let (ours, theirs) = (self.row_of_person[one], self.row_of_person[other]);
        self.give(one, theirs);
        self.give(other, ours);
    }
}

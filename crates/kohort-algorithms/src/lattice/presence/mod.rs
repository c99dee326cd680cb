//! The people of a public table in the lattice: delta-presence of a node.
//!
//! # Method
//! 1. People are entries of the table without rows: they roll up with the same levels as the rows. A value
//!    that the original does not have lies where the same levels put it: in a cell of the original, or
//!    in none, and then nobody with it can be behind a row.
//! 2. A class with f rows among F people makes each of them a member with f / F. Its rows are outliers when
//!    that is too much: suppressed rows make nobody a member. Where they are kept they show `*`, which is
//!    a class of s rows that everybody lies in: s over all people is added.
//! 3. The node is ok when the outliers are few enough and everybody is in the range.
//!
//! # Suppression
//! Whoever shares the quasi-identifiers of a row that is dropped is a member with 0, which is below every
//! range but one from 0. So where the least probability is above 0, and each row is somebody of the public
//! table, nothing can be dropped, and nothing is tried: the lattice is as if no suppression was allowed. Rows
//! that are kept as `*` change that only once they are that share of all people. (ARX suppresses the rows of
//! classes outside of the range, and does not ask again what that makes of the people in them: what it
//! reports for a least probability above 0 and suppression does not keep the definition.)
//!
//! # Bound
//! However a class of f rows among F people is parted, the rows of parts that are in the range are at most
//! delta_max · F; so at least f − delta_max · F of its rows are outliers at every node below. That needs each
//! row to be somebody of the public table: a part without people is in no range.
//!
//! # Monotone
//! The share of a union lies between the shares of its parts (mediant), so without suppression every node
//! above an ok one is ok. A row that is nobody in the public table at the bottom can be somebody further up:
//! then it is not.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use kohort_core::{Attribute, Cell, Codes, Kind, PublicColumn, Ratio, group};

use super::classes::at;
use super::{Desk, Ladder, Lattice, Table, cell_at};
use crate::Failure;

/// The distinct people, as entries of a table.
pub(super) struct People {
    quasi: Vec<Codes>,
    counts: Vec<u32>,
}

impl Ladder {
    /// Gives the values of a public table codes after those of the original, and cells; the codes of its
    /// people.
    pub(super) fn widen(
        &mut self,
        attribute: &Attribute,
        column: &PublicColumn,
    ) -> Result<Codes, Failure> {
        let mut own = vec![None; column.attribute.n_codes() as usize + 1];
        for (code, &there) in (0..).zip(&column.code_of_original) {
            own[there as usize] = Some(code);
        }
        let foreign: Vec<u32> =
            (0..).zip(&own).filter(|(_, own)| own.is_none()).map(|(there, _)| there).collect();
        for (code, &there) in (attribute.n_codes()..).zip(&foreign) {
            own[there as usize] = Some(code);
        }
        let top = self.top();
        for level in 0..=top {
            let cells = &mut self.cells[level as usize];
            let n_cells = self.n_cells[level as usize];
            let mut cell_of = cells_at(column, level, top, cells, n_cells).ok_or_else(|| {
                let reason = format!(
                    "needs a taxonomy of `{}` that stays the same with the values of the public table",
                    attribute.name()
                );
                Failure::from(Kind::Unsuited { method: "delta-presence", reason })
            })?;
            // Cells outside of the original's stay apart: further up they may come to lie inside.
            for &there in &foreign {
                let next = u32::try_from(cell_of.len()).unwrap_or(u32::MAX);
                cells.push(*cell_of.entry(shown(column, there, level, top)).or_insert(next));
            }
            self.spans[level as usize] = u32::try_from(cell_of.len()).unwrap_or(u32::MAX);
        }
        let to: Vec<u32> = own.into_iter().flatten().collect();
        Ok(column.codes.recode(&to))
    }
}

/// What is shown at a level for a code of the public table; nothing below the top for a text that is no
/// value.
fn shown(column: &PublicColumn, code: u32, level: u32, top: u32) -> Option<Cell> {
    let attribute = &column.attribute;
    if level == top {
        return Some(Cell::ANY);
    }
    (code < attribute.n_codes()).then(|| cell_at(attribute, code, level))
}

/// The cell of the original that each cell of the public table is; `None` where the same level parts the
/// values of the original in two ways. `cells` has the cell of each code of the original.
fn cells_at(
    column: &PublicColumn,
    level: u32,
    top: u32,
    cells: &[u32],
    n_cells: u32,
) -> Option<BTreeMap<Option<Cell>, u32>> {
    let mut cell_of = BTreeMap::new();
    for (&there, &cell) in column.code_of_original.iter().zip(cells) {
        if *cell_of.entry(shown(column, there, level, top)).or_insert(cell) != cell {
            return None;
        }
    }
    (cell_of.len() == n_cells as usize).then_some(cell_of)
}

impl People {
    pub(super) fn new(quasi: &[Codes], ladders: &[Ladder]) -> Self {
        let n_people = quasi.first().map_or(0, Codes::len);
        let grouping = group(n_people, quasi.iter().zip(ladders.iter().map(Ladder::n_codes)));
        let first = grouping.first_rows();
        Self {
            quasi: quasi.iter().map(|codes| codes.select(&first)).collect(),
            counts: grouping.sizes(),
        }
    }

    /// The number of distinct people.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The code of one on an axis.
    pub(super) fn code(&self, person: usize, axis: usize) -> u32 {
        self.quasi[axis].get(person)
    }

    /// Adds the people to the entries of a table, which has their codes.
    pub(super) fn join(&self, table: &mut Table) {
        let n_entries = table.len() + self.counts.len();
        table.people = vec![0; table.len()];
        table.people.extend(&self.counts);
        table.weights.resize(n_entries, 0);
        for codes in &mut table.sensitive {
            self.counts.iter().for_each(|_| codes.push(0));
        }
    }
}

impl Lattice<'_, '_> {
    /// Counts the people of each class, and breaks those with too large a share of members.
    pub(super) fn count_people(&self, table: &Table, desk: &mut Desk, span: usize) {
        let Some(membership) = self.problem.membership() else { return };
        desk.people.clear();
        desk.people.resize(span, 0);
        for (&key, &people) in desk.keys.iter().zip(&table.people) {
            desk.people[at(key)] += u64::from(people);
        }
        let max = membership.model.max();
        for (key, &people) in desk.people.iter().enumerate().filter(|(_, people)| **people > 0) {
            let members = u64::from(desk.sizes[key]).min(people);
            desk.broken[key] |= Ratio::new(members, people) > max;
        }
    }

    /// Whether everybody is in the range when the rows of the classes that fail are suppressed.
    pub(super) fn is_present(&self, desk: &Desk, outliers: u64) -> bool {
        let Some(membership) = self.problem.membership() else { return true };
        let smallest = self.promises.smallest();
        let all = membership.public.n_people() as u64;
        let starred = if self.problem.settings().keeps_suppressed { outliers } else { 0 };
        let holds = |(key, &people): (u64, &u64)| {
            let fails = desk.fails(key, smallest);
            let members = if fails { 0 } else { u64::from(desk.sizes[at(key)]) };
            // members / people + starred / all, at most 1.
            let over = people * all;
            let sum = members.saturating_mul(all).saturating_add(starred.saturating_mul(people));
            membership.model.holds(sum.min(over), over)
        };
        (0..).zip(&desk.people).filter(|(_, people)| **people > 0).all(holds)
    }

    /// Finds out whether a row may be suppressed at all, and whether nodes above an ok one are ok.
    pub(super) fn look_at_people(&mut self) {
        let Some(membership) = self.problem.membership() else { return };
        let (min, all) = (membership.model.min(), membership.public.n_people() as u64);
        let starred = if self.problem.settings().keeps_suppressed { self.allowed } else { 0 };
        let is_below =
            u128::from(starred) * u128::from(min.den()) < u128::from(min.num()) * u128::from(all);
        self.is_complete = self.is_everybody_public();
        if is_below && self.is_complete {
            self.allowed = 0;
        }
        self.is_monotone &= self.is_complete && self.allowed == 0;
    }

    /// How many rows are outliers at least at every node from the table's up to the one that was grouped.
    pub(super) fn surplus(&self, desk: &Desk) -> u64 {
        let Some(membership) = self.problem.membership().filter(|_| self.is_complete) else {
            return 0;
        };
        let max = membership.model.max();
        if max >= Ratio::whole(1) {
            return 0;
        }
        let of_class = |(key, &people): (usize, &u64)| {
            u64::from(desk.sizes[key]).saturating_sub(max.floor_of(people))
        };
        desk.people.iter().enumerate().map(of_class).sum()
    }

    /// Whether each row of the table at the bottom is somebody of the public table there.
    fn is_everybody_public(&self) -> bool {
        let (table, mut desk) = (self.table(), Desk::default());
        self.classes(&table, &self.bottom(), &mut desk);
        let is_there = |(key, &weight): (&u64, &u32)| weight == 0 || desk.people[at(*key)] > 0;
        desk.keys.iter().zip(&table.weights).all(is_there)
    }
}

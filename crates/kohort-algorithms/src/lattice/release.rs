//! The candidate of a node: every row under the cells of its class, outliers suppressed.

use kohort_core::Cells;

use super::classes::at;
use super::{Desk, Lattice, Table, cell_at};
use crate::{Candidate, SUPPRESSED};

/// Why rows that may be suppressed are not.
const NO_SUPPRESSION: &str = "no row is suppressed: whoever shares the quasi-identifiers of a suppressed row \
                              would be a member with a probability below the range of `delta-presence`";

impl Lattice<'_, '_> {
    /// The release of a node; `table` is the one at the bottom.
    pub(crate) fn release(&self, table: &Table, node: &[u32]) -> Candidate {
        let (problem, points) = (self.problem, self.problem.points());
        let smallest = self.promises.smallest();
        let mut desk = Desk::default();
        let span = self.classes(table, node, &mut desk);
        let mut group_of_key = vec![SUPPRESSED; span];
        // An entry of each group, by its number.
        let (mut entries, mut n_groups) = (Vec::new(), 0);
        for (entry, &key) in desk.keys.iter().enumerate() {
            let group = &mut group_of_key[at(key)];
            if *group == SUPPRESSED && !desk.fails(key, smallest) {
                *group = n_groups;
                n_groups += 1;
                entries.push(entry);
            }
        }
        let mut columns = Vec::new();
        for (pack, codes) in self.packs.iter().zip(&table.packed) {
            columns.extend(pack.axes(&self.ladders).map(|axis| (axis, codes)));
        }
        let cells = columns.into_iter().map(|((axis, unpack), codes)| {
            let of = move |entry: &usize| unpack.code(codes.get(*entry));
            let quasi = problem.quasi()[axis];
            entries.iter().map(move |entry| cell_at(quasi, of(entry), node[axis]))
        });
        let cells = Cells::from_columns(cells);
        let mut group_of_row = vec![SUPPRESSED; problem.n_rows()];
        let rows = (0..points.len()).flat_map(|point| points.rows(point));
        // Entries stand in the order of the rows of the points.
        let groups = (desk.keys.iter().zip(&table.weights)).flat_map(|(&key, &weight)| {
            std::iter::repeat_n(group_of_key[at(key)], weight as usize)
        });
        for (&row, group) in rows.zip(groups) {
            group_of_row[row as usize] = group;
        }
        let mut candidate = Candidate::new(group_of_row, cells);
        candidate.levels = node.to_vec();
        if self.allowed == 0 && problem.settings().suppression > 0 && problem.n_rows() > 1 {
            candidate.notes.push(NO_SUPPRESSION.to_owned());
        }
        candidate
    }
}

//! The candidate of a node: every row under the cells of its class, outliers suppressed.

use super::classes::at;
use super::table::Unpack;
use super::{Desk, Lattice, Table, cell_at};
use crate::{Candidate, SUPPRESSED};

impl Lattice<'_, '_> {
    /// The release of a node; `table` is the one at the bottom.
    pub(crate) fn release(&self, table: &Table, node: &[u32]) -> Candidate {
        let (problem, points) = (self.problem, self.problem.points());
        let smallest = self.promises.smallest();
        let mut desk = Desk::default();
        let span = self.classes(table, node, &mut desk);
        let mut group_of_key = vec![SUPPRESSED; span];
        let (mut cells, mut n_groups) = (Vec::new(), 0);
        for (entry, &key) in desk.keys.iter().enumerate() {
            let group = &mut group_of_key[at(key)];
            if *group == SUPPRESSED && !desk.fails(key, smallest) {
                *group = n_groups;
                n_groups += 1;
                for (pack, codes) in self.packs.iter().zip(&table.packed) {
                    let cell = |(axis, unpack): (usize, Unpack)| {
                        cell_at(problem.quasi()[axis], unpack.code(codes.get(entry)), node[axis])
                    };
                    cells.extend(pack.axes(&self.ladders).map(cell));
                }
            }
        }
        let mut group_of_row = vec![SUPPRESSED; problem.n_rows()];
        let rows = (0..points.len()).flat_map(|point| points.rows(point));
        // Entries stand in the order of the rows of the points.
        let groups = (desk.keys.iter().zip(&table.weights)).flat_map(|(&key, &weight)| {
            std::iter::repeat_n(group_of_key[at(key)], weight as usize)
        });
        for (&row, group) in rows.zip(groups) {
            group_of_row[row as usize] = group;
        }
        Candidate::new(group_of_row, cells)
    }
}

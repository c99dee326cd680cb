//! The last attributes of a walk, counted together.

use crate::partition::Partition;
use crate::projection::Projection;

/// The most cells of a block.
const CELLS: usize = 64;

/// The last attributes of a walk, while their codes have few combinations: one pass over the rows of a
/// class counts the combinations, from which the classes of every set of these attributes follow.
pub(crate) struct Block {
    /// The position of the first attribute of the block.
    pub(crate) start: usize,
    /// For each non-empty set of the block's attributes, by position from `start`.
    pub(crate) sets: Vec<Vec<usize>>,
    // For each row, its combination; for each set, what each combination becomes and how many there are.
    cells: Vec<u8>,
    n_cells: usize,
    maps: Vec<([u8; CELLS], usize)>,
}

impl Block {
    /// The longest block at the end of an order of attributes.
    pub(crate) fn new(projection: &Projection, order: &[usize]) -> Self {
        let codes = |position: usize| projection.n_codes(order[position]) as usize;
        let (mut start, mut n_cells) = (order.len(), 1);
        while start > 0 && n_cells * codes(start - 1).max(1) <= CELLS {
            start -= 1;
            n_cells *= codes(start).max(1);
        }
        let mut cells = vec![0_u8; projection.len()];
        for &attribute in &order[start..] {
            let radix = u8::try_from(projection.n_codes(attribute)).expect("a block has few cells");
            let mut rows = cells.iter_mut();
            projection.quasi(attribute).for_each(|code| {
                if let Some(cell) = rows.next() {
                    *cell = *cell * radix + u8::try_from(code).expect("below the radix");
                }
            });
        }
        let radices: Vec<usize> = (start..order.len()).map(codes).collect();
        let sets: Vec<Vec<usize>> = (1..1_usize << radices.len())
            .map(|choice| (0..radices.len()).filter(|i| choice >> i & 1 == 1).collect())
            .collect();
        let maps: Vec<([u8; CELLS], usize)> =
            sets.iter().map(|set| project(set, &radices, n_cells)).collect();
        Self { start, sets, cells, n_cells, maps }
    }
}

/// Up to this many combinations are compared pair by pair.
const HANDFUL: usize = 4;

impl Block {
    /// Calls `add` with each set of the block's attributes, the size of a class that splitting by that
    /// set gives, and how many more of them there are, besides the settled ones.
    pub(crate) fn sizes(&self, partition: &Partition, add: &mut impl FnMut(usize, u64, u32)) {
        let mut joint = [0_u32; CELLS];
        let mut sums = [0_u32; CELLS];
        let mut filled = Vec::with_capacity(CELLS);
        // Most classes are two single rows: those are counted by their combinations.
        let mut pairs = vec![0_u32; self.n_cells * self.n_cells];
        for class in partition.classes() {
            if let ([first, second], [1, 1]) = (class.rows, class.weights) {
                let cell = |row: u32| usize::from(self.cells[row as usize]);
                pairs[cell(*first) * self.n_cells + cell(*second)] += 1;
                continue;
            }
            for (&row, &weight) in class.rows.iter().zip(class.weights) {
                joint[usize::from(self.cells[row as usize]) % CELLS] += weight;
            }
            filled.clear();
            for (cell, count) in joint[..self.n_cells].iter_mut().enumerate() {
                if *count > 0 {
                    filled.push((cell, std::mem::take(count)));
                }
            }
            if filled.len() <= HANDFUL {
                self.sizes_of_handful(&filled, add);
                continue;
            }
            for (index, (map, n)) in self.maps.iter().enumerate() {
                for &(cell, count) in &filled {
                    sums[usize::from(map[cell]) % CELLS] += count;
                }
                for sum in sums[..*n].iter_mut().filter(|sum| **sum > 0) {
                    add(index, u64::from(std::mem::take(sum)), 1);
                }
            }
        }
        self.sizes_of_pairs(&pairs, add);
    }

    /// For each set, the classes that pairs of single rows fall into, counted by their combinations.
    fn sizes_of_pairs(&self, pairs: &[u32], add: &mut impl FnMut(usize, u64, u32)) {
        for (pair, &times) in pairs.iter().enumerate().filter(|&(_, &times)| times > 0) {
            let (first, second) = (pair / self.n_cells, pair % self.n_cells);
            for (index, (map, _)) in self.maps.iter().enumerate() {
                if map[first] == map[second] {
                    add(index, 2, times);
                } else {
                    add(index, 1, 2 * times);
                }
            }
        }
    }

    /// For each set, the sizes of the classes that a handful of combinations fall into.
    #[inline]
    fn sizes_of_handful(&self, filled: &[(usize, u32)], add: &mut impl FnMut(usize, u64, u32)) {
        for (index, (map, _)) in self.maps.iter().enumerate() {
            let mut kept = [u8::MAX; HANDFUL];
            for (kept, &(cell, _)) in kept.iter_mut().zip(filled) {
                *kept = map[cell % CELLS];
            }
            for (first, &(_, count)) in filled.iter().enumerate() {
                if kept[..first].contains(&kept[first]) {
                    continue;
                }
                let others = filled.iter().zip(&kept).skip(first + 1);
                let same = others.filter(|(_, other)| **other == kept[first]);
                add(index, u64::from(count) + same.map(|(f, _)| u64::from(f.1)).sum::<u64>(), 1);
            }
        }
    }
}

/// What each combination of codes becomes when only the attributes of a set are kept.
fn project(set: &[usize], radices: &[usize], n_cells: usize) -> ([u8; CELLS], usize) {
    let mut map = [0; CELLS];
    for (cell, kept) in map.iter_mut().enumerate().take(n_cells) {
        let mut rest = cell;
        let mut stride = 1;
        let mut index = 0;
        for position in (0..radices.len()).rev() {
            if set.contains(&position) {
                index += rest % radices[position] * stride;
                stride *= radices[position];
            }
            rest /= radices[position];
        }
        *kept = u8::try_from(index).expect("a block has few cells");
    }
    (map, set.iter().map(|&position| radices[position]).product())
}

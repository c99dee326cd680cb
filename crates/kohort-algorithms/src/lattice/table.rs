//! The distinct rows at a node, with weights: what a node above is grouped from.

use kohort_core::{Codes, number};

use super::{Ladder, Lattice};

/// Entries are distinct rows, and distinct people of a public table, over the quasi-identifiers at some
/// node and, where promises look at them, the sensitive values. The codes of an entry are those of one of
/// its rows.
pub(crate) struct Table {
    pub(super) weights: Vec<u32>,
    // How many people of a public table are in each entry; empty without one.
    pub(super) people: Vec<u32>,
    // The codes of each pack.
    pub(super) packed: Vec<Codes>,
    pub(super) sensitive: Vec<Codes>,
}

impl Table {
    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }
}

/// Neighboring quasi-identifiers that have few codes together are one column: rows are grouped by fewer.
pub(super) struct Pack {
    // The axes, and what one more of each code adds to the packed code.
    axes: Vec<(usize, u32)>,
    n_codes: u32,
}

/// A pack of several axes has no more codes than this: they are all looked at for each grouping.
const PACK: u32 = 1024;

impl Pack {
    /// The packs of all axes.
    pub(super) fn all(ladders: &[Ladder]) -> Vec<Self> {
        let mut packs: Vec<Self> = Vec::new();
        for (axis, ladder) in ladders.iter().enumerate() {
            let more = ladder.n_codes();
            let n_codes = |pack: &Self| pack.n_codes.saturating_mul(more);
            match packs.last_mut() {
                Some(pack) if n_codes(pack) <= PACK => {
                    pack.n_codes = n_codes(pack);
                    pack.axes.iter_mut().for_each(|(_, step)| *step *= more);
                    pack.axes.push((axis, 1));
                }
                _ => packs.push(Self { axes: vec![(axis, 1)], n_codes: more }),
            }
        }
        packs
    }

    /// The number of packed codes.
    pub(super) fn n_codes(&self) -> usize {
        self.n_codes as usize
    }

    /// The packed code of a row, of which `code` tells the code on an axis.
    fn code(&self, code: impl Fn(usize) -> u32) -> u32 {
        self.axes.iter().map(|&(axis, step)| step * code(axis)).sum()
    }

    /// The axes of a pack, each with what tells its code from a packed one.
    pub(super) fn axes(&self, ladders: &[Ladder]) -> impl Iterator<Item = (usize, Unpack)> {
        self.axes
            .iter()
            .map(|&(axis, step)| (axis, Unpack { step, n_codes: ladders[axis].n_codes() }))
    }

    /// The cell of each packed code at a node, and a bound above the cells.
    fn cells(&self, ladders: &[Ladder], node: &[u32]) -> (Vec<u32>, u64) {
        let (mut cells, mut span) = (vec![0], 1);
        for &(axis, _) in &self.axes {
            let (ladder, level) = (&ladders[axis], node[axis] as usize);
            let bound = ladder.spans[level];
            let of_axis = &ladder.cells[level];
            let with = |&cell: &u32| of_axis.iter().map(move |more| cell * bound + more);
            cells = cells.iter().flat_map(with).collect();
            span *= u64::from(bound);
        }
        (cells, span)
    }
}

/// Tells the code on one axis from a packed one.
#[derive(Clone, Copy)]
pub(super) struct Unpack {
    step: u32,
    n_codes: u32,
}

impl Unpack {
    pub(super) fn code(self, packed: u32) -> u32 {
        packed / self.step % self.n_codes
    }
}

impl Lattice<'_, '_> {
    /// The table at the bottom, in the order of the points and, within one, of the sensitive values.
    pub(crate) fn table(&self) -> Table {
        let (problem, points) = (self.problem, self.problem.points());
        let needs_values = problem.promises().needs_values();
        let sensitive = if needs_values { problem.sensitive() } else { &[] };
        let n_rows = |run: &[u32]| u32::try_from(run.len()).expect("rows are counted in u32");
        let (mut weights, mut rows, mut at) = (Vec::new(), Vec::new(), Vec::new());
        for point in 0..points.len() {
            let same = |a: &u32, b: &u32| {
                let code = |row: u32| sensitive.iter().map(move |s| s.codes().get(row as usize));
                code(*a).eq(code(*b))
            };
            for run in points.rows(point).chunk_by(same) {
                weights.push(n_rows(run));
                rows.push(run[0]);
                at.push(point);
            }
        }
        let people = self.people.as_ref();
        let packed = self.packs.iter().map(|pack| {
            let of_rows = at.iter().map(|&point| pack.code(|axis| points.codes(point)[axis]));
            let of_people = people.into_iter().flat_map(|people| {
                (0..people.len()).map(|person| pack.code(|axis| people.code(person, axis)))
            });
            Codes::below(pack.n_codes, of_rows.chain(of_people))
        });
        let select = |attribute: &&kohort_core::Attribute| attribute.codes().select(&rows);
        let mut table = Table {
            packed: packed.collect(),
            weights,
            people: Vec::new(),
            sensitive: sensitive.iter().map(select).collect(),
        };
        if let Some(people) = people {
            people.join(&mut table);
        }
        table
    }

    /// The entries of a table that are equal at a node above it become one.
    pub(crate) fn roll_up(&self, table: &Table, node: &[u32]) -> Table {
        let mut keys = Vec::new();
        let span = self.keys(table, node, &mut keys);
        self.merge(table, keys, span).0
    }

    /// The entries of a table that have equal keys, which are below `span`, and equal sensitive values become
    /// one; and the first of each.
    pub(super) fn merge(&self, table: &Table, mut keys: Vec<u64>, span: u64) -> (Table, Vec<u32>) {
        let mut digits = Digits { columns: Vec::new(), span };
        for (codes, attribute) in table.sensitive.iter().zip(self.problem.sensitive()) {
            let n_codes = attribute.n_codes();
            digits.push(&mut keys, codes, (0..n_codes).collect(), u64::from(n_codes));
        }
        let span = digits.append(&mut keys);
        number(&mut keys, span);
        let mut weights: Vec<u32> = Vec::new();
        let mut first: Vec<u32> = Vec::new();
        for (entry, (&key, &weight)) in (0..).zip(keys.iter().zip(&table.weights)) {
            let index = usize::try_from(key).expect("there are no more keys than entries");
            if index == weights.len() {
                weights.push(0);
                first.push(entry);
            }
            weights[index] += weight;
        }
        let mut people = vec![0; if table.people.is_empty() { 0 } else { weights.len() }];
        for (&key, &more) in keys.iter().zip(&table.people) {
            people[usize::try_from(key).expect("there are no more keys than entries")] += more;
        }
        let select = |codes: &Codes| codes.select(&first);
        let packed = table.packed.iter().map(select).collect();
        let sensitive = table.sensitive.iter().map(select).collect();
        (Table { weights, people, packed, sensitive }, first)
    }

    /// How many times fewer different rows a node can show than one below it.
    pub(crate) fn room_ratio(&self, low: &[u32], node: &[u32]) -> f64 {
        self.room(low) / self.room(node)
    }

    fn room(&self, node: &[u32]) -> f64 {
        let axes = self.ladders.iter().zip(node);
        axes.map(|(ladder, &level)| f64::from(ladder.n_cells[level as usize])).product()
    }

    /// A key for each entry of a table, equal where entries are equal at a node, and a bound above them.
    pub(super) fn keys(&self, table: &Table, node: &[u32], keys: &mut Vec<u64>) -> u64 {
        keys.clear();
        keys.resize(table.len(), 0);
        let mut digits = Digits::default();
        for (pack, codes) in self.packs.iter().zip(&table.packed) {
            let (cells, bound) = pack.cells(&self.ladders, node);
            digits.push(keys, codes, cells, bound);
        }
        digits.append(keys)
    }
}

/// Digits to append to keys, all of them to some keys before the next: those stay near.
struct Digits<'t> {
    // For each entry a code, for each code a digit, and a bound above the digits.
    columns: Vec<(&'t Codes, Vec<u32>, u64)>,
    // A bound above the keys with all digits.
    span: u64,
}

impl Default for Digits<'_> {
    fn default() -> Self {
        Self { columns: Vec::new(), span: 1 }
    }
}

/// So many keys are near.
const NEAR: usize = 1024;

impl<'t> Digits<'t> {
    /// One more digit, below `base`; where it does not fit, keys are numbered.
    fn push(&mut self, keys: &mut [u64], codes: &'t Codes, digits: Vec<u32>, base: u64) {
        if base <= 1 {
            return;
        }
        if self.span.checked_mul(base).is_none() {
            self.span = std::mem::take(self).append(keys);
            self.span = number(keys, self.span);
        }
        self.span *= base;
        self.columns.push((codes, digits, base));
    }

    /// Appends the digits; gives a bound above the keys.
    fn append(self, keys: &mut [u64]) -> u64 {
        fn append<T: Copy + Into<u32>>(keys: &mut [u64], base: u64, codes: &[T], digits: &[u32]) {
            for (key, &code) in keys.iter_mut().zip(codes) {
                *key = *key * base + u64::from(digits[code.into() as usize]);
            }
        }
        for (start, keys) in (0..).step_by(NEAR).zip(keys.chunks_mut(NEAR)) {
            for (codes, digits, base) in &self.columns {
                match codes {
                    Codes::U8(codes) => append(keys, *base, &codes[start..], digits),
                    Codes::U16(codes) => append(keys, *base, &codes[start..], digits),
                    Codes::U32(codes) => append(keys, *base, &codes[start..], digits),
                }
            }
        }
        self.span
    }
}

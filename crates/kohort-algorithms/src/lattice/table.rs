//! The distinct rows at a node, with weights: what a node above is grouped from.

use kohort_core::{Codes, number};

use super::Lattice;

/// Entries are distinct rows, and distinct people of a public table, over the quasi-identifiers at some node and, where promises look at them,
/// the sensitive values. The codes of an entry are those of one of its rows.
pub(crate) struct Table {
    // The number of different rows that the cells of the node could make.
    room: f64,
    pub(super) weights: Vec<u32>,
    // How many people of a public table are in each entry; empty without one.
    pub(super) people: Vec<u32>,
    pub(super) quasi: Vec<Codes>,
    pub(super) sensitive: Vec<Codes>,
}

impl Table {
    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }
}

impl Lattice<'_, '_> {
    /// The table at the bottom, in the order of the points and, within one, of the sensitive values.
    pub(crate) fn table(&self) -> Table {
        let (problem, points) = (self.problem, self.problem.points());
        let needs_values = problem.promises().needs_values();
        let sensitive = if needs_values { problem.sensitive() } else { &[] };
        let mut weights = Vec::with_capacity(points.len());
        let mut rows: Vec<u32> = Vec::with_capacity(points.len());
        for point in 0..points.len() {
            let same = |a: &u32, b: &u32| {
                let code = |row: u32| sensitive.iter().map(move |s| s.codes().get(row as usize));
                code(*a).eq(code(*b))
            };
            for run in points.rows(point).chunk_by(same) {
                weights.push(u32::try_from(run.len()).expect("rows are counted in u32"));
                rows.push(run[0]);
            }
        }
        let select = |attribute: &&kohort_core::Attribute| attribute.codes().select(&rows);
        let mut table = Table {
            room: self.room(&self.bottom()),
            weights,
            people: Vec::new(),
            quasi: problem.quasi().iter().map(select).collect(),
            sensitive: sensitive.iter().map(select).collect(),
        };
        if let Some(people) = &self.people {
            people.join(&mut table);
        }
        table
    }

    /// The entries of a table that are equal at a node above it become one.
    pub(crate) fn roll_up(&self, table: &Table, node: &[u32]) -> Table {
        let mut keys = Vec::new();
        let mut span = self.keys(table, node, &mut keys);
        for (codes, attribute) in table.sensitive.iter().zip(self.problem.sensitive()) {
            span = extend(&mut keys, span, u64::from(attribute.n_codes()), codes, |code| code);
        }
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
        Table {
            room: self.room(node),
            weights,
            people,
            quasi: table.quasi.iter().map(select).collect(),
            sensitive: table.sensitive.iter().map(select).collect(),
        }
    }

    /// How many times fewer different rows a node can show than that of a table below it.
    pub(crate) fn room_ratio(&self, table: &Table, node: &[u32]) -> f64 {
        table.room / self.room(node)
    }

    fn room(&self, node: &[u32]) -> f64 {
        let axes = self.ladders.iter().zip(node);
        axes.map(|(ladder, &level)| f64::from(ladder.n_cells[level as usize])).product()
    }

    /// A key for each entry of a table, equal where entries are equal at a node, and a bound above them.
    pub(super) fn keys(&self, table: &Table, node: &[u32], keys: &mut Vec<u64>) -> u64 {
        keys.clear();
        keys.resize(table.len(), 0);
        let mut span = 1;
        for ((ladder, &level), codes) in self.ladders.iter().zip(node).zip(&table.quasi) {
            let cells = &ladder.cells[level as usize];
            let bound = u64::from(ladder.spans[level as usize]);
            span = extend(keys, span, bound, codes, |code| cells[code as usize]);
        }
        span
    }
}

/// Appends the digit of each code, below `base`, to the keys, which are below `span`; gives the bound
/// afterwards.
fn extend(
    keys: &mut [u64],
    span: u64,
    base: u64,
    codes: &Codes,
    digit: impl Fn(u32) -> u32,
) -> u64 {
    if base <= 1 {
        return span;
    }
    let span = if span.checked_mul(base).is_some() { span } else { number(keys, span) };
    let mut keys = keys.iter_mut();
    codes.for_each(|code| {
        if let Some(key) = keys.next() {
            *key = *key * base + u64::from(digit(code));
        }
    });
    span * base
}

//! Rows of one anatomized group given its values: a flow from kinds of rows to values.
//!
//! # Method
//! 1. Greedy: every kind takes what is left of the values it has.
//! 2. While rows are left over: search from all kinds that lack values at once, from a kind to the values
//!    that it has more of, from a value to the kinds that hold it. Each is visited once.
//! 3. Where a value that is left is reached, move along the path; when a search moves nothing, no flow is
//!    larger.
//!
//! # Cost
//! A search visits every pair of a kind and a value that it has once.

use super::kinds::Values;

/// A kind of rows and a value that it has.
struct Edge {
    kind: usize,
    value: usize,
    // How often it can still be given the value, and how often it is.
    room: u32,
    taken: u32,
}

/// A kind of rows by number, a value by number, and how often the kind has it at least.
pub(super) type Forced = (u32, u32, u32);

/// Rows of a group that are given its values.
pub(super) struct GroupFlow {
    // The kinds by number, with their rows; those that may have any value are left out, as they take
    // whatever is left.
    kinds: Vec<(u32, u32)>,
    values: Vec<(u32, u32)>,
    has_any: bool,
    // The rows of each kind that lack a value, and what is left of each value.
    lacking: Vec<u32>,
    left: Vec<u32>,
    edges: Vec<Edge>,
    of_kind: Vec<Vec<usize>>,
    of_value: Vec<Vec<usize>>,
}

/// Where a search has come from: the edges through which kinds and values were reached, and the kind that
/// started the tree a kind is in.
struct Paths {
    root: Vec<Option<usize>>,
    to_kind: Vec<Option<usize>>,
    to_value: Vec<Option<usize>>,
}

impl GroupFlow {
    /// A largest flow. `kinds` and `values` are the rows of a group by kind and by value, each with its
    /// group, its number and how many there are; `of_kinds` has the values of every kind.
    pub(super) fn new(
        kinds: &[(u32, u32, u32)],
        values: &[(u32, u32, u32)],
        of_kinds: &Values,
    ) -> Self {
        let known = kinds.iter().filter(|kind| of_kinds.of_kind(kind.1).is_some());
        let known: Vec<(u32, u32)> = known.map(|&(_, kind, rows)| (kind, rows)).collect();
        let values: Vec<(u32, u32)> = values.iter().map(|&(_, value, n)| (value, n)).collect();
        let mut flow = Self {
            has_any: known.len() < kinds.len(),
            lacking: known.iter().map(|kind| kind.1).collect(),
            left: values.iter().map(|value| value.1).collect(),
            edges: Vec::new(),
            of_kind: vec![Vec::new(); known.len()],
            of_value: vec![Vec::new(); values.len()],
            kinds: known,
            values,
        };
        for kind in 0..flow.kinds.len() {
            kohort_core::alive();
            let of_kind = of_kinds.of_kind(flow.kinds[kind].0).unwrap_or_default();
            flow.connect(kind, of_kind);
        }
        flow.greedy();
        while flow.n_unmatched() > 0 && flow.augment() {}
        flow
    }

    /// Adds an edge for each value of a kind that the group has; the fewer of both are looked up.
    fn connect(&mut self, kind: usize, of_kind: &[(u32, u32)]) {
        let find = |among: &[(u32, u32)], value: u32| {
            among.binary_search_by_key(&value, |entry| entry.0).ok()
        };
        let pairs: Vec<(usize, u32)> = if of_kind.len() < self.values.len() {
            let at = |&(value, room): &(u32, u32)| Some((find(&self.values, value)?, room));
            of_kind.iter().filter_map(at).collect()
        } else {
            let room = |at: usize| Some((at, of_kind[find(of_kind, self.values[at].0)?].1));
            (0..self.values.len()).filter_map(room).collect()
        };
        for (value, room) in pairs {
            self.of_kind[kind].push(self.edges.len());
            self.of_value[value].push(self.edges.len());
            self.edges.push(Edge { kind, value, room, taken: 0 });
        }
    }

    /// The rows that no value is left for. Those that may have any always have one: a group has as many
    /// values as rows.
    pub(super) fn n_unmatched(&self) -> u64 {
        self.lacking.iter().map(|&rows| u64::from(rows)).sum()
    }

    /// The kinds that must be given a value, whatever the flow.
    pub(super) fn forced(&self) -> Vec<Forced> {
        let most = |edge: &Edge| {
            let room = edge.room.saturating_add(edge.taken);
            room.min(self.kinds[edge.kind].1).min(self.values[edge.value].1)
        };
        let (mut of_kind, mut of_value) =
            (vec![0_u64; self.kinds.len()], vec![0_u64; self.values.len()]);
        for edge in &self.edges {
            of_kind[edge.kind] += u64::from(most(edge));
            of_value[edge.value] += u64::from(most(edge));
        }
        let least = |edge: &Edge| {
            let ((kind, rows), (value, n)) = (self.kinds[edge.kind], self.values[edge.value]);
            let elsewhere = of_kind[edge.kind] - u64::from(most(edge));
            let by_others = of_value[edge.value] - u64::from(most(edge));
            let by_kind = u64::from(rows).saturating_sub(elsewhere);
            let by_value = if self.has_any { 0 } else { u64::from(n).saturating_sub(by_others) };
            let least = u32::try_from(by_kind.max(by_value)).expect("no more than rows");
            (least > 0).then_some((kind, value, least))
        };
        self.edges.iter().filter_map(least).collect()
    }

    fn greedy(&mut self) {
        for edge in &mut self.edges {
            let taken = edge.room.min(self.lacking[edge.kind]).min(self.left[edge.value]);
            edge.room -= taken;
            edge.taken += taken;
            self.lacking[edge.kind] -= taken;
            self.left[edge.value] -= taken;
        }
    }

    /// One search from every kind that lacks values; whether anything was moved.
    fn augment(&mut self) -> bool {
        let n_kinds = self.kinds.len();
        let mut paths = Paths {
            root: vec![None; n_kinds],
            to_kind: vec![None; n_kinds],
            to_value: vec![None; self.values.len()],
        };
        let mut queue: Vec<(usize, usize)> = Vec::new();
        for kind in (0..n_kinds).filter(|&kind| self.lacking[kind] > 0) {
            paths.root[kind] = Some(kind);
            queue.push((kind, kind));
        }
        let (mut has_moved, mut next) = (false, 0);
        while let Some(&(kind, root)) = queue.get(next) {
            kohort_core::alive();
            next += 1;
            for at in 0..self.of_kind[kind].len() {
                let edge = self.of_kind[kind][at];
                let Edge { value, room, .. } = self.edges[edge];
                if self.lacking[root] == 0 {
                    break;
                }
                if room == 0 || paths.to_value[value].is_some() {
                    continue;
                }
                paths.to_value[value] = Some(edge);
                if self.left[value] > 0 {
                    has_moved |= self.move_along(&paths, root, value);
                }
                for &held in &self.of_value[value] {
                    let Edge { kind: holder, taken, .. } = self.edges[held];
                    if taken > 0 && paths.root[holder].is_none() {
                        paths.root[holder] = Some(root);
                        paths.to_kind[holder] = Some(held);
                        queue.push((holder, root));
                    }
                }
            }
        }
        has_moved
    }

    /// Gives a value to the last kind of a path, which frees the value before it, and so on up to the root;
    /// as much as every step can move.
    fn move_along(&mut self, paths: &Paths, root: usize, end: usize) -> bool {
        let mut steps: Vec<(usize, Option<usize>)> = Vec::new();
        let mut to = paths.to_value[end];
        while let Some(edge) = to {
            let back = paths.to_kind[self.edges[edge].kind];
            steps.push((edge, back));
            to = back.and_then(|back| paths.to_value[self.edges[back].value]);
        }
        let mut moved = self.lacking[root].min(self.left[end]);
        for &(edge, back) in &steps {
            moved = moved.min(self.edges[edge].room);
            moved = back.map_or(moved, |back| moved.min(self.edges[back].taken));
        }
        for &(edge, back) in &steps {
            self.edges[edge].room -= moved;
            self.edges[edge].taken += moved;
            if let Some(back) = back {
                self.edges[back].room += moved;
                self.edges[back].taken -= moved;
            }
        }
        self.lacking[root] -= moved;
        self.left[end] -= moved;
        moved > 0
    }
}

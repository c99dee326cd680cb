//! Trees by their forms: which subtrees are equal up to the order of siblings, and which of their vertices
//! nobody can tell apart.
//!
//! # Method
//! 1. Bottom up, the form of a vertex is the number of (its label, the sorted forms below it): equal forms
//!    are equal subtrees. The forms below are taken in one after the other, so that every step numbers
//!    pairs of numbers and nothing is compared as a whole.
//! 2. Top down, the orbit of a vertex is the number of (the orbit above it, its form): the vertices that
//!    some bijection between trees of a class lays on one another.
//!
//! # Cost
//! Linear in vertices, beside sorting siblings.

use kohort_core::{Forest, Nested, number};
use kohort_models::nested::ReleasedTrees;

/// Which rows stand in which: a branch for each place of the schema, each after the one it stands in.
pub(super) struct Shape {
    // For each branch the number of its rows.
    n_rows: Vec<usize>,
    // For each branch the branch its rows stand in, and the row there; the first stands in nothing.
    above: Vec<Option<(usize, Vec<u32>)>>,
}

impl Shape {
    /// The shape of records.
    pub(super) fn of(nested: &Nested) -> Self {
        let inside = |branch: &kohort_core::Branch| {
            branch.inside().map(|inside| (inside.branch, inside.rows.clone()))
        };
        Self {
            n_rows: nested.branches().iter().map(kohort_core::Branch::n_rows).collect(),
            above: nested.branches().iter().map(inside).collect(),
        }
    }

    /// The shape of trees of codes, a branch for each kind; and the vertices of each branch.
    pub(super) fn of_forest(forest: &Forest) -> (Self, Vec<Vec<u32>>) {
        let all = (0..forest.n_records()).flat_map(|record| forest.vertices(record));
        let all = all.map(|vertex| (forest.kind(vertex), forest.parent(vertex)));
        Self::of_kinds(&forest.kinds().iter().map(|kind| kind.parent).collect::<Vec<_>>(), all)
    }

    /// The shape of released trees, of the kinds of the original.
    pub(super) fn of_released(original: &Forest, trees: &ReleasedTrees) -> (Self, Vec<Vec<u32>>) {
        let mut parents: Vec<u32> = trees.vertices().collect();
        for vertex in trees.vertices() {
            trees.children(vertex).for_each(|child| parents[child as usize] = vertex);
        }
        let all =
            trees.vertices().zip(parents).map(|(vertex, parent)| (trees.kind(vertex), parent));
        Self::of_kinds(&original.kinds().iter().map(|kind| kind.parent).collect::<Vec<_>>(), all)
    }

    /// The shape of vertices in order, each after its parent, given by kind and parent.
    fn of_kinds(
        parents: &[Option<usize>],
        all: impl Iterator<Item = (usize, u32)>,
    ) -> (Self, Vec<Vec<u32>>) {
        let mut vertices: Vec<Vec<u32>> = vec![Vec::new(); parents.len()];
        let mut above: Vec<Vec<u32>> = vec![Vec::new(); parents.len()];
        let mut row_of: Vec<u32> = Vec::new();
        for (vertex, (kind, parent)) in (0..).zip(all) {
            row_of.push(small(vertices[kind].len()));
            above[kind].push(row_of[parent as usize]);
            vertices[kind].push(vertex);
        }
        let shape = Self {
            n_rows: vertices.iter().map(Vec::len).collect(),
            above: parents.iter().zip(above).map(|(&parent, rows)| Some((parent?, rows))).collect(),
        };
        (shape, vertices)
    }

    /// The records of one source and then those of another, with the branches of both by their paths;
    /// and for each source the branch that each of its own has become.
    pub(super) fn joined(sources: [&Nested; 2]) -> (Self, [Vec<usize>; 2]) {
        let mut paths: Vec<&str> = Vec::new();
        let mut joined = Self { n_rows: Vec::new(), above: Vec::new() };
        let mut became = [Vec::new(), Vec::new()];
        for (source, became) in sources.into_iter().zip(&mut became) {
            let before = joined.n_rows.clone();
            for branch in source.branches() {
                let known = paths.iter().position(|&path| path == branch.path());
                let at = known.unwrap_or(paths.len());
                let parent = branch.inside().map(|inside| became[inside.branch]);
                if known.is_none() {
                    paths.push(branch.path());
                    joined.n_rows.push(0);
                    joined.above.push(parent.map(|parent| (parent, Vec::new())));
                }
                joined.n_rows[at] += branch.n_rows();
                let rows = branch.inside().map_or(&[][..], |inside| &inside.rows);
                if let (Some((_, above)), Some(parent)) = (&mut joined.above[at], parent) {
                    let offset = small(before.get(parent).copied().unwrap_or(0));
                    above.extend(rows.iter().map(|&row| row + offset));
                }
                became.push(at);
            }
        }
        (joined, became)
    }

    /// The number of rows of each branch.
    pub(super) fn n_rows(&self) -> &[usize] {
        &self.n_rows
    }

    /// The same label for every row: forms are of the structure alone.
    pub(super) fn unlabeled(&self) -> Vec<Vec<u32>> {
        self.n_rows.iter().map(|&n| vec![0; n]).collect()
    }

    /// The form of each row, by branch, where rows of a branch with equal labels have equal numbers in
    /// `labels`.
    pub(super) fn forms(&self, labels: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        let mut forms = labels;
        for branch in (1..forms.len()).rev() {
            let Some((above, rows)) = &self.above[branch] else { continue };
            let (before, from_here) = forms.split_at_mut(branch);
            take_in(&mut before[*above], rows, &from_here[0]);
        }
        forms
    }

    /// The orbit of each row, by branch, given the class of each record.
    pub(super) fn orbits(&self, classes: &[u32], forms: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let mut orbits = vec![classes.to_vec()];
        for (forms, above) in forms.iter().zip(&self.above).skip(1) {
            let Some((branch, rows)) = above else { continue };
            let pair = |(&row, &form): (&u32, &u32)| pair(orbits[*branch][row as usize], form);
            let mut keys: Vec<u64> = rows.iter().zip(forms).map(pair).collect();
            number(&mut keys, u64::MAX);
            orbits.push(keys.into_iter().map(narrow).collect());
        }
        orbits
    }

    /// The record that each row belongs to, by branch.
    pub(super) fn records(&self) -> Vec<Vec<u32>> {
        let mut records: Vec<Vec<u32>> = vec![(0..).take(self.n_rows[0]).collect()];
        for above in self.above.iter().skip(1) {
            let Some((branch, rows)) = above else { continue };
            records.push(rows.iter().map(|&row| records[*branch][row as usize]).collect());
        }
        records
    }
}

/// Refines the forms of rows by those of what stands in them: `rows[i]` is where the one with
/// `forms[i]` stands, in ascending order.
pub(super) fn take_in(above: &mut [u32], rows: &[u32], forms: &[u32]) {
    let mut below: Vec<(u32, u32)> = rows.iter().copied().zip(forms.iter().copied()).collect();
    // Where those of each row begin, for rows that have any.
    let mut families: Vec<(u32, u32)> = Vec::new();
    let mut first = 0;
    for family in below.chunk_by_mut(|a, b| a.0 == b.0) {
        family.sort_unstable();
        families.push((small(family.len()), first));
        first += small(family.len());
    }
    // The larger ones first: those that still have something to take in are in front.
    families.sort_unstable_by_key(|&(n, first)| (std::cmp::Reverse(n), first));
    let row_of = |&(_, first): &(u32, u32)| below[first as usize].0 as usize;
    let mut states: Vec<u64> = families.iter().map(|f| u64::from(above[row_of(f)])).collect();
    for step in 0.. {
        let n_left = families.partition_point(|&(n, _)| n > step);
        if n_left == 0 {
            break;
        }
        for (state, &(_, first)) in states[..n_left].iter_mut().zip(&families) {
            *state = pair(narrow(*state), below[(first + step) as usize].1);
        }
        number(&mut states[..n_left], u64::MAX);
    }
    let mut keys: Vec<u64> = above.iter().map(|&form| u64::from(form)).collect();
    for (state, family) in states.iter().zip(&families) {
        keys[row_of(family)] = pair(family.0, narrow(*state));
    }
    number(&mut keys, u64::MAX);
    for (form, key) in above.iter_mut().zip(keys) {
        *form = narrow(key);
    }
}

/// Two numbers as one.
pub(super) fn pair(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// Numbers of things that are counted in `u32`.
pub(super) fn narrow(number: u64) -> u32 {
    u32::try_from(number).expect("vertices are counted in u32")
}

/// Counts of things that are counted in `u32`.
pub(super) fn small(count: usize) -> u32 {
    u32::try_from(count).expect("vertices are counted in u32")
}

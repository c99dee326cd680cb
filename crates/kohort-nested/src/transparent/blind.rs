//! Trees without their sensitive values, and how they are laid on one another.

use kohort_core::Forest;
use kohort_models::Draw;

use crate::NestedForm;

/// Trees whose children are in an order that says nothing about sensitive values.
pub(super) struct Blind<'f> {
    pub(super) forest: &'f Forest,
    /// The children of each vertex: by kind, then those with most below first.
    children: Vec<Vec<u32>>,
    /// The records in the order of what they look like.
    pub(super) records: Vec<u32>,
    /// How many vertices of each kind each record has.
    pub(super) counts: Vec<Vec<u32>>,
}

/// Vertices of all records of a group that are laid on one another.
#[derive(Clone, Debug)]
pub(super) struct Position {
    /// The position above; a root's own.
    pub(super) above: usize,
    /// The vertex of each record.
    pub(super) vertices: Vec<u32>,
}

impl<'f> Blind<'f> {
    /// What looks the same is in an order that is drawn; labels are looked at where they are generalized.
    pub(super) fn new(forest: &'f Forest, form: NestedForm, draw: &mut Draw) -> Self {
        let n_vertices = forest.n_vertices();
        let mut children = vec![Vec::new(); n_vertices];
        // What a vertex looks like: its kind, how much is below, its labels, and what its children look like.
        let mut looks: Vec<Vec<u32>> = vec![Vec::new(); n_vertices];
        let mut n_below = vec![0_u32; n_vertices];
        // Children stand after their parents.
        for vertex in (0..).take(n_vertices).collect::<Vec<u32>>().into_iter().rev() {
            let mut below: Vec<u32> = forest.children(vertex).collect();
            draw.shuffle(&mut below);
            below.sort_by(|&a, &b| looks[a as usize].cmp(&looks[b as usize]));
            let n: u32 = below.iter().map(|&child| n_below[child as usize] + 1).sum();
            let kind = u32::try_from(forest.kind(vertex)).expect("kinds are few");
            let mut look = vec![kind, u32::MAX - n];
            if form == NestedForm::Generalized {
                look.extend(forest.labels(vertex));
            }
            for &child in &below {
                look.append(&mut std::mem::take(&mut looks[child as usize]));
            }
            let at = vertex as usize;
            (looks[at], n_below[at], children[at]) = (look, n, below);
        }
        let mut records: Vec<u32> = (0..).take(forest.n_records()).collect();
        draw.shuffle(&mut records);
        records.sort_by(|&a, &b| {
            let look = |record: u32| &looks[forest.root(record as usize) as usize];
            look(a).cmp(look(b))
        });
        let counts = (0..forest.n_records()).map(|record| {
            let mut counts = vec![0; forest.kinds().len()];
            forest.vertices(record).for_each(|vertex| counts[forest.kind(vertex)] += 1);
            counts
        });
        Self { forest, children, records, counts: counts.collect() }
    }

    /// Lays records on one another.
    pub(super) fn laid(&self, members: &[u32]) -> Vec<Position> {
        let roots = members.iter().map(|&member| self.forest.root(member as usize)).collect();
        let mut positions = vec![Position { above: 0, vertices: roots }];
        let mut at = 0;
        while at < positions.len() {
            for kind in 0..self.forest.kinds().len() {
                if self.forest.kinds()[kind].parent
                    != Some(self.forest.kind(positions[at].vertices[0]))
                {
                    continue;
                }
                let of_kind = |vertex: &u32| self.of_kind(*vertex, kind);
                let vertices = &positions[at].vertices;
                let n = vertices.iter().map(|vertex| of_kind(vertex).len()).min().unwrap_or(0);
                let below: Vec<Vec<u32>> = (0..n)
                    .map(|place| vertices.iter().map(|vertex| of_kind(vertex)[place]).collect())
                    .collect();
                positions
                    .extend(below.into_iter().map(|vertices| Position { above: at, vertices }));
            }
            at += 1;
        }
        positions
    }

    /// The children of one kind.
    fn of_kind(&self, vertex: u32, kind: usize) -> &[u32] {
        let children = &self.children[vertex as usize];
        let from = children.partition_point(|&child| self.forest.kind(child) < kind);
        let to = children.partition_point(|&child| self.forest.kind(child) <= kind);
        &children[from..to]
    }
}

//! People as trees of codes: the nested counterpart of a dataset.
//!
//! Each person is a rooted tree whose siblings have no order. A vertex has a kind (its place in the
//! schema), a code for each quasi-identifier of its kind, and at most one sensitive code. The vertices of
//! a person stand side by side, breadth first, so that the children of a vertex do too, in the order of
//! their kinds and then of their codes.

use crate::Attribute;

/// The sensitive code of a vertex that has none, or one that is missing and says nothing.
pub const NO_VALUE: u32 = u32::MAX;

/// A kind of vertex: one place in the schema.
#[derive(Clone, Debug)]
pub struct VertexKind {
    /// The branch of the source whose rows are its vertices.
    pub branch: usize,
    /// The kind of the vertices that these are below; none for the people.
    pub parent: Option<usize>,
    /// The quasi-identifiers, with a code for each row of the branch.
    pub quasi: Vec<Attribute>,
    /// The sensitive attribute, if there is one, with a code for each row of the branch.
    pub sensitive: Option<Attribute>,
    /// Whether its only purpose is to hold a further sensitive attribute of the objects of its branch: it
    /// has exactly one vertex below each vertex of its parent, and is published as a member of that.
    pub is_member: bool,
}

/// People as trees.
#[derive(Clone, Debug)]
pub struct Forest {
    kinds: Vec<VertexKind>,
    first_of_record: Vec<u32>,
    kind: Vec<u16>,
    parent: Vec<u32>,
    // The children of vertex v are first_child[v]..first_child[v] + n_children[v].
    first_child: Vec<u32>,
    n_children: Vec<u32>,
    row: Vec<u32>,
    // The labels of vertex v are labels[first_label[v]..], as many as its kind has quasi-identifiers.
    first_label: Vec<u32>,
    labels: Vec<u32>,
    sensitive: Vec<u32>,
}

impl Forest {
    /// The trees of these kinds, each kind after its parent. `inside` has, for each kind but the first,
    /// the row of the parent's branch that each row of its branch stands in, in ascending order; for a
    /// kind that is a member of its parent it is not read.
    ///
    /// # Panics
    /// When there are more than 65,535 kinds or 2^32 vertices.
    pub fn new(kinds: Vec<VertexKind>, n_records: usize, inside: &[&[u32]]) -> Self {
        let parents = kinds.iter().map(|kind| kind.parent).enumerate().skip(1);
        for (index, parent) in parents {
            assert!(parent.is_some_and(|parent| parent < index), "a kind stands after its parent");
        }
        let children: Vec<Vec<usize>> = (0..kinds.len())
            .map(|at| (0..kinds.len()).filter(|&kind| kinds[kind].parent == Some(at)).collect())
            .collect();
        let mut forest = Self {
            kinds,
            first_of_record: Vec::with_capacity(n_records + 1),
            kind: Vec::new(),
            parent: Vec::new(),
            first_child: Vec::new(),
            n_children: Vec::new(),
            row: Vec::new(),
            first_label: Vec::new(),
            labels: Vec::new(),
            sensitive: Vec::new(),
        };
        let mut found = Vec::new();
        for record in 0..n_records {
            let root = forest.kind.len();
            forest.first_of_record.push(number(root));
            forest.push(0, number(record), number(root));
            let mut at = root;
            while at < forest.kind.len() {
                found.clear();
                let row = forest.row[at];
                for &kind in &children[forest.kind[at] as usize] {
                    if forest.kinds[kind].is_member {
                        found.push((kind, row));
                    } else {
                        found.extend(rows_in(inside[kind], row).map(|row| (kind, row)));
                    }
                }
                found.sort_by_cached_key(|&(kind, row)| (kind, forest.kinds[kind].codes(row), row));
                Below { kinds: &forest.kinds, children: &children, inside }.order(&mut found);
                forest.first_child[at] = number(forest.kind.len());
                forest.n_children[at] = number(found.len());
                for &(kind, row) in &found {
                    forest.push(kind, row, number(at));
                }
                at += 1;
            }
        }
        forest.first_of_record.push(number(forest.kind.len()));
        forest
    }

    fn push(&mut self, kind: usize, row: u32, parent: u32) {
        let of_kind = &self.kinds[kind];
        self.kind.push(u16::try_from(kind).expect("at most 65,535 kinds"));
        self.parent.push(parent);
        self.row.push(row);
        self.first_child.push(0);
        self.n_children.push(0);
        self.first_label.push(number(self.labels.len()));
        self.labels.extend(of_kind.quasi.iter().map(|a| a.codes().get(row as usize)));
        self.sensitive.push(of_kind.value(row));
    }

    /// The people in an order that follows from their trees alone; of people who look alike the first in the source is
    /// first.
    pub fn by_content(&self) -> Vec<u32> {
        let of_vertex = |vertex: u32| {
            let n_children = self.n_children[vertex as usize];
            (self.kind(vertex), self.labels(vertex), self.sensitive(vertex), n_children)
        };
        // Siblings have an order of their own: trees are the same where their vertices are, side by side.
        let content = |record: u32| self.vertices(record as usize).map(of_vertex);
        let mut order: Vec<u32> = (0..number(self.n_records())).collect();
        order.sort_by(|&a, &b| content(a).cmp(content(b)));
        order
    }

    /// The same people in another order, and for each vertex which it is here.
    ///
    /// # Panics
    /// When the order does not name everybody once.
    #[must_use]
    pub fn reordered(&self, order: &[u32]) -> (Self, Vec<u32>) {
        assert_eq!(order.len(), self.n_records(), "an order has everybody once");
        let mut other =
            Self { first_of_record: Vec::with_capacity(order.len() + 1), ..self.clone() };
        other.labels.clear();
        let mut which = Vec::with_capacity(self.n_vertices());
        for &record in order {
            let start = number(which.len());
            other.first_of_record.push(start);
            let first = self.root(record as usize);
            for vertex in self.vertices(record as usize) {
                let (from, to) = (vertex as usize, which.len());
                other.kind[to] = self.kind[from];
                other.parent[to] = self.parent[from] - first + start;
                other.first_child[to] = self.first_child[from] - first + start;
                other.n_children[to] = self.n_children[from];
                other.row[to] = self.row[from];
                other.first_label[to] = number(other.labels.len());
                other.labels.extend(self.labels(vertex));
                other.sensitive[to] = self.sensitive[from];
                which.push(vertex);
            }
        }
        assert_eq!(which.len(), self.n_vertices(), "an order has everybody once");
        other.first_of_record.push(number(which.len()));
        (other, which)
    }

    /// The kinds, each after its parent; the first is the people's.
    pub fn kinds(&self) -> &[VertexKind] {
        &self.kinds
    }

    /// The number of people.
    pub fn n_records(&self) -> usize {
        self.first_of_record.len() - 1
    }

    /// The number of vertices of all people.
    pub fn n_vertices(&self) -> usize {
        self.kind.len()
    }

    /// The vertices of a person, breadth first: the first is the root.
    pub fn vertices(&self, record: usize) -> std::ops::Range<u32> {
        self.first_of_record[record]..self.first_of_record[record + 1]
    }

    /// The root of a person.
    pub fn root(&self, record: usize) -> u32 {
        self.first_of_record[record]
    }

    /// The person a vertex belongs to.
    pub fn record_of(&self, vertex: u32) -> usize {
        self.first_of_record.partition_point(|&first| first <= vertex) - 1
    }

    /// The kind of a vertex.
    #[inline]
    pub fn kind(&self, vertex: u32) -> usize {
        self.kind[vertex as usize] as usize
    }

    /// The vertex above; a root is its own.
    #[inline]
    pub fn parent(&self, vertex: u32) -> u32 {
        self.parent[vertex as usize]
    }

    /// The vertices below, by kind, then by codes, then by what is below them.
    #[inline]
    pub fn children(&self, vertex: u32) -> std::ops::Range<u32> {
        let first = self.first_child[vertex as usize];
        first..first + self.n_children[vertex as usize]
    }

    /// The row of a vertex in the branch of its kind.
    pub fn row(&self, vertex: u32) -> u32 {
        self.row[vertex as usize]
    }

    /// The codes of the quasi-identifiers of a vertex.
    #[inline]
    pub fn labels(&self, vertex: u32) -> &[u32] {
        let first = self.first_label[vertex as usize] as usize;
        let end = self.first_label.get(vertex as usize + 1);
        &self.labels[first..end.map_or(self.labels.len(), |&end| end as usize)]
    }

    /// The codes of the quasi-identifiers of vertices that stand side by side, one vertex after the other.
    #[inline]
    pub fn labels_of_all(&self, vertices: std::ops::Range<u32>) -> &[u32] {
        let at = |vertex: u32| self.first_label.get(vertex as usize);
        let first = |vertex| at(vertex).map_or(self.labels.len(), |&first| first as usize);
        &self.labels[first(vertices.start)..first(vertices.end)]
    }

    /// The sensitive codes of vertices that stand side by side.
    #[inline]
    pub fn sensitive_of_all(&self, vertices: std::ops::Range<u32>) -> &[u32] {
        &self.sensitive[vertices.start as usize..vertices.end as usize]
    }

    /// The sensitive code of a vertex, or `NO_VALUE`.
    #[inline]
    pub fn sensitive(&self, vertex: u32) -> u32 {
        self.sensitive[vertex as usize]
    }

    /// The number of quasi-identifiers of all vertices: what a loss is a share of.
    pub fn n_labels(&self) -> usize {
        self.labels.len()
    }
}

impl VertexKind {
    fn value(&self, row: u32) -> u32 {
        let Some(attribute) = &self.sensitive else { return NO_VALUE };
        let code = attribute.codes().get(row as usize);
        if attribute.silent() == Some(code) { NO_VALUE } else { code }
    }

    fn codes(&self, row: u32) -> Vec<u32> {
        let labels = self.quasi.iter().map(|a| a.codes().get(row as usize));
        labels.chain([self.value(row)]).collect()
    }
}

/// What stands below rows: siblings that look alike themselves are ordered by it, so that their order in
/// the source does not matter.
struct Below<'a> {
    kinds: &'a [VertexKind],
    children: &'a [Vec<usize>],
    inside: &'a [&'a [u32]],
}

impl Below<'_> {
    /// Orders siblings that are ordered by their kind and codes.
    fn order(&self, siblings: &mut [(usize, u32)]) {
        let codes = |&(kind, row): &(usize, u32)| (kind, self.kinds[kind].codes(row));
        let have_more = |&(kind, _): &(usize, u32)| !self.children[kind].is_empty();
        if !siblings.array_windows().any(|[a, b]| have_more(a) && codes(a) == codes(b)) {
            return;
        }
        for alike in siblings.chunk_by_mut(|a, b| have_more(a) && codes(a) == codes(b)) {
            alike.sort_by_cached_key(|&(kind, row)| self.tree(kind, row));
        }
    }

    /// All codes of a row and of what is below it, whatever the order of siblings.
    fn tree(&self, kind: usize, row: u32) -> Vec<u32> {
        let mut codes = self.kinds[kind].codes(row);
        for &below in &self.children[kind] {
            let rows = if self.kinds[below].is_member {
                row..row + 1
            } else {
                rows_in(self.inside[below], row)
            };
            let mut trees: Vec<Vec<u32>> = rows.map(|row| self.tree(below, row)).collect();
            trees.sort_unstable();
            codes.push(number(trees.len()));
            for tree in trees {
                codes.push(number(tree.len()));
                codes.extend(tree);
            }
        }
        codes
    }
}

/// The rows that stand in a row.
fn rows_in(inside: &[u32], row: u32) -> std::ops::Range<u32> {
    let first = inside.partition_point(|&above| above < row);
    let n = inside[first..].partition_point(|&above| above == row);
    number(first)..number(first + n)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("at most 2^32 vertices")
}

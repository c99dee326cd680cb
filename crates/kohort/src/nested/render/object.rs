//! A published person as a tree of objects.

use std::collections::BTreeMap;

use kohort_core::{Branch, Cell, Empty, Scalar, VertexKind};
use kohort_nested::{AlignedClass, NestedCandidate, NestedForm};

use super::spelling::{AsRead, scalars};
use crate::nested::Described;
use crate::release::{mark, mix};

/// What of each vertex an object shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Everything.
    Whole,
    /// Everything but sensitive values.
    Quasi,
    /// The same, with a group in the place of each sensitive value.
    Grouped,
    /// Sensitive values alone.
    Sensitive,
}

/// Where the cells of a published column come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A quasi-identifier of the branch's kind.
    Quasi(usize),
    /// The sensitive attribute of a kind, which is a column.
    Sensitive(usize, usize),
    /// The group of the sensitive attribute of a kind, which is a column.
    Group(usize, usize),
    /// A column as it was read.
    AsRead(usize),
}

/// What one cell shows. The order is that of values, so that it tells nothing about the input's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shown {
    /// A value, a range or a node.
    Cell(Cell),
    /// A value that all lack who show the same: null, or nothing.
    Missing {
        /// Whether it is null.
        is_null: bool,
    },
    /// A cell as it was read, by its rank among those of its column.
    AsRead(u32),
    /// A group, by a number made from its values.
    Group(u64),
    /// Nothing: a further sensitive attribute that was cut off.
    Nothing,
}

/// A published object. Objects that show the same are equal but for the positions of their groups.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Object {
    pub(super) branch: usize,
    pub(super) shown: Vec<Shown>,
    /// The places in it that have no object, and an array without items or a null.
    pub(super) empty: Vec<(usize, Empty)>,
    pub(super) below: Vec<Self>,
    /// The position of each group that is shown, in the order of columns.
    pub(super) positions: Vec<usize>,
}

/// A member of a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Person {
    pub(super) class: usize,
    pub(super) member: usize,
}

/// Makes the objects of people.
pub(super) struct Objects<'a> {
    pub(super) described: &'a Described,
    pub(super) candidate: &'a NestedCandidate,
    pub(super) seed: u64,
    /// The published columns of each branch, in the order of the source; none for a branch that is not
    /// published.
    pub(super) columns: Vec<Option<Vec<(String, Source)>>>,
    /// The texts of columns that are published as they were, by branch and column.
    pub(super) as_read: BTreeMap<(usize, usize), AsRead>,
    classes: Vec<Positions>,
}

/// How the positions of a class stand below one another, and what the class shows at each.
struct Positions {
    below: Vec<Vec<usize>>,
    labels: Vec<Vec<Shown>>,
    empty: Vec<Vec<(usize, Empty)>>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(
        described: &'a Described,
        candidate: &'a NestedCandidate,
        part: Part,
        seed: u64,
    ) -> Self {
        let groups = groups(candidate);
        let columns: Vec<_> = (0..described.nested().branches().len())
            .map(|branch| published(described, branch, part))
            .collect();
        // Trees of sensitive values show these and nothing else.
        let is_shown = |branch: usize| columns[branch].is_some() && part != Part::Sensitive;
        let positions = |class| Positions::new(described, class, (candidate, &groups), &is_shown);
        let mut as_read = BTreeMap::new();
        for (branch, columns) in columns.iter().enumerate() {
            for (_, source) in columns.iter().flatten() {
                let (Source::AsRead(column)
                | Source::Sensitive(_, column)
                | Source::Group(_, column)) = *source
                else {
                    continue;
                };
                let of = &described.nested().branches()[branch];
                as_read.insert((branch, column), AsRead::new(of, column));
            }
        }
        let classes = candidate.classes.iter().map(positions).collect();
        Self { described, candidate, seed, columns, as_read, classes }
    }

    /// The tree of a person.
    pub(super) fn of(&self, person: Person) -> Object {
        self.object(person, 0)
    }

    fn object(&self, person: Person, position: usize) -> Object {
        let forest = self.described.forest();
        let vertex = self.vertex(person, position);
        let branch = forest.kinds()[forest.kind(vertex)].branch;
        let mut positions = Vec::new();
        let columns = self.columns[branch].as_deref().unwrap_or_default();
        let shown = columns.iter().map(|(_, source)| {
            if let Source::Group(..) = source {
                positions.extend(self.position_of(person, position, *source));
            }
            self.shown(person, position, *source)
        });
        let shown = shown.collect();
        let below = &self.classes[person.class].below[position];
        let is_member = |&position: &usize| {
            forest.kinds()[forest.kind(self.vertex(person, position))].is_member
        };
        let mut below: Vec<Object> = (below.iter().copied())
            .filter(|position| !is_member(position))
            .map(|position| self.object(person, position))
            .collect();
        below.sort_unstable();
        let empty = self.classes[person.class].empty[position].clone();
        Object { branch, shown, empty, below, positions }
    }

    /// What a column shows.
    fn shown(&self, person: Person, position: usize, source: Source) -> Shown {
        let forest = self.described.forest();
        let vertex = self.vertex(person, position);
        let branch = forest.kinds()[forest.kind(vertex)].branch;
        let rank = |column: usize, vertex| self.as_read[&(branch, column)].rank(forest.row(vertex));
        let there = || self.position_of(person, position, source);
        match source {
            Source::Quasi(index) => {
                let labels = &self.classes[person.class].labels[position];
                let own = || label(self.described, &[vertex], index);
                labels.get(index).copied().unwrap_or_else(own)
            }
            Source::Sensitive(_, column) => there().map_or(Shown::Nothing, |position| {
                Shown::AsRead(rank(column, self.vertex(person, position)))
            }),
            Source::Group(_, column) => there().map_or(Shown::Nothing, |position| {
                Shown::Group(self.mark_of_group((branch, column), person.class, position))
            }),
            Source::AsRead(column) => Shown::AsRead(rank(column, vertex)),
        }
    }

    /// Where a sensitive attribute of an object stands: at its own position, or at one below.
    fn position_of(&self, person: Person, position: usize, source: Source) -> Option<usize> {
        let (Source::Sensitive(kind, _) | Source::Group(kind, _)) = source else { return None };
        let forest = self.described.forest();
        let is_of_kind = |&at: &usize| forest.kind(self.vertex(person, at)) == kind;
        let below = &self.classes[person.class].below[position];
        std::iter::once(position).chain(below.iter().copied()).find(is_of_kind)
    }

    fn vertex(&self, person: Person, position: usize) -> u32 {
        let class = &self.candidate.classes[person.class];
        class.vertices[position * class.members.len() + person.member]
    }

    /// The vertices at a position of a class.
    pub(super) fn vertices(&self, class: usize, position: usize) -> &[u32] {
        let class = &self.candidate.classes[class];
        let n = class.members.len();
        &class.vertices[position * n..(position + 1) * n]
    }

    /// A number made from the values of a group, whatever their order.
    fn mark_of_group(&self, column: (usize, usize), class: usize, position: usize) -> u64 {
        let forest = self.described.forest();
        let as_read = &self.as_read[&column];
        let mark = |&vertex: &u32| mark(as_read.of(as_read.rank(forest.row(vertex))).0, self.seed);
        let vertices = self.vertices(class, position).iter();
        vertices.fold(0, |sum, vertex| sum.wrapping_add(mix(mark(vertex))))
    }
}

impl Positions {
    fn new(
        described: &Described,
        class: &AlignedClass,
        (candidate, groups): (&NestedCandidate, &[Vec<u32>]),
        is_shown: &dyn Fn(usize) -> bool,
    ) -> Self {
        let forest = described.forest();
        let mut position_of: BTreeMap<u32, usize> = BTreeMap::new();
        let n_positions = class.positions().len();
        let mut below = vec![Vec::new(); n_positions];
        let mut labels = vec![Vec::new(); n_positions];
        for (position, vertices) in class.positions().enumerate() {
            kohort_core::alive();
            position_of.insert(vertices[0], position);
            if position > 0 {
                below[position_of[&forest.parent(vertices[0])]].push(position);
            }
            labels[position] = match candidate.form {
                NestedForm::Generalized => covering(described, vertices),
                NestedForm::Apart => {
                    let group = candidate.group_of_vertex[vertices[0] as usize];
                    covering(described, &groups[group as usize])
                }
                NestedForm::TreeAnatomy | NestedForm::VertexAnatomy => Vec::new(),
            };
        }
        let all: Vec<&[u32]> = class.positions().collect();
        let branch = |&at: &usize| forest.kinds()[forest.kind(all[at][0])].branch;
        let mut empty = vec![Vec::new(); n_positions];
        for (position, empty) in empty.iter_mut().enumerate() {
            let has_rows = |place: usize| below[position].iter().any(|at| branch(at) == place);
            let is_open = |place: usize| is_shown(place) && !has_rows(place);
            // Who is in a class alone by a mark of their own is told by it.
            if candidate.form != NestedForm::Apart {
                *empty = empty_in(described, all[position], &is_open);
            }
        }
        Self { below, labels, empty }
    }
}

/// What all vertices of a position have in the place of objects that nobody has: the same for all of them,
/// since a mark that only some have tells them apart. Where somebody's objects were cut off there is none.
fn empty_in(
    described: &Described,
    vertices: &[u32],
    is_open: &dyn Fn(usize) -> bool,
) -> Vec<(usize, Empty)> {
    let (forest, branches) = (described.forest(), described.nested().branches());
    let kind = &forest.kinds()[forest.kind(vertices[0])];
    if kind.is_member {
        return Vec::new();
    }
    let mark = |place: &Branch| {
        let of = |&vertex: &u32| {
            let found = place.empty().binary_search_by_key(&forest.row(vertex), |mark| mark.0);
            found.ok().map(|at| place.empty()[at].1)
        };
        let first = of(&vertices[0])?;
        vertices.iter().all(|vertex| of(vertex) == Some(first)).then_some(first)
    };
    let stands_in = |place: &Branch| place.inside().is_some_and(|at| at.branch == kind.branch);
    let places = branches.iter().enumerate().filter(|(_, place)| stands_in(place));
    let places = places.filter(|&(at, _)| is_open(at));
    places.filter_map(|(at, place)| Some((at, mark(place)?))).collect()
}

/// The vertices of each group, where vertices have groups of their own.
fn groups(candidate: &NestedCandidate) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for class in candidate.classes.iter().filter(|_| candidate.form == NestedForm::Apart) {
        for &vertex in &class.vertices {
            let group = candidate.group_of_vertex[vertex as usize] as usize;
            groups.resize(groups.len().max(group + 1), Vec::new());
            groups[group].push(vertex);
        }
    }
    groups
}

/// The smallest labels that cover those of vertices of one kind.
fn covering(described: &Described, vertices: &[u32]) -> Vec<Shown> {
    let forest = described.forest();
    let n_labels = forest.kinds()[forest.kind(vertices[0])].quasi.len();
    (0..n_labels).map(|index| label(described, vertices, index)).collect()
}

fn label(described: &Described, vertices: &[u32], index: usize) -> Shown {
    let forest = described.forest();
    let kind = &forest.kinds()[forest.kind(vertices[0])];
    let attribute = &kind.quasi[index];
    let codes = || vertices.iter().map(|&vertex| forest.labels(vertex)[index]);
    let (lo, hi) = codes().min().zip(codes().max()).expect("there are vertices");
    if lo == hi && attribute.missing() == Some(lo) {
        let scalars = scalars(&described.nested().branches()[kind.branch], attribute);
        let is_there = |&vertex: &u32| scalars[forest.row(vertex) as usize] != Scalar::Absent;
        return Shown::Missing { is_null: vertices.iter().all(is_there) };
    }
    Shown::Cell(attribute.smallest_cell(lo, hi))
}

/// The published columns of a branch; none where it is not published. A place that never has an item is, if
/// only to say so.
fn published(described: &Described, branch: usize, part: Part) -> Option<Vec<(String, Source)>> {
    let kinds = described.forest().kinds();
    let place = &described.nested().branches()[branch];
    let table = place.table();
    let kind_of = |branch: usize| kinds.iter().find(|kind| kind.branch == branch);
    if place.n_rows() == 0 && table.columns().is_empty() && part != Part::Sensitive {
        return place.inside().and_then(|inside| kind_of(inside.branch)).map(|_| Vec::new());
    }
    let own = kind_of(branch)?;
    let source = |column: usize| {
        let name = table.columns()[column].name();
        let quasi = own.quasi.iter().position(|attribute| attribute.name() == name);
        let is_of = |kind: &VertexKind| {
            kind.branch == branch && kind.sensitive.as_ref().is_some_and(|a| a.name() == name)
        };
        let sensitive = kinds.iter().position(is_of);
        let as_read = described.insensitive(branch).contains(&column).then_some(column);
        match part {
            Part::Whole => quasi
                .map(Source::Quasi)
                .or(sensitive.map(|kind| Source::Sensitive(kind, column)))
                .or(as_read.map(Source::AsRead)),
            Part::Quasi => quasi.map(Source::Quasi).or(as_read.map(Source::AsRead)),
            Part::Grouped => quasi
                .map(Source::Quasi)
                .or(sensitive.map(|kind| Source::Group(kind, column)))
                .or(as_read.map(Source::AsRead)),
            Part::Sensitive => sensitive.map(|kind| Source::Sensitive(kind, column)),
        }
    };
    let name = |column: usize, source: Source| match source {
        Source::Group(..) => kohort_verify::nested::group_path(table.columns()[column].name()),
        _ => table.columns()[column].name().to_owned(),
    };
    let columns = 0..table.columns().len();
    Some(columns.filter_map(|c| source(c).map(|source| (name(c, source), source))).collect())
}

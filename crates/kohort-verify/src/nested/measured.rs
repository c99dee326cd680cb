//! A nested release in the codes of its original: what the metrics measure.

use kohort_core::{Attribute, Branch, Cell, Error, NO_VALUE, Nested, Scalar, VertexKind};
use kohort_models::nested::{ReleasedTrees, ReleasedValues};

use super::claims::{NestedClaims, NestedOriginal, NestedRelease};
use super::cover::firsts;
use super::shape::{Shape, pair, small};
use super::tree_anatomy::groups;
use super::vertex_anatomy::Groups;
use crate::release::cells::Published;

/// Reads a release in the codes of the original. What the original does not have is left out; a text that
/// can be read as several cells is the narrowest. A quasi-identifier that no released vertex has is missing
/// in all of them where the original has as many vertices without it: JSON has no other way to say so.
///
/// # Errors
/// For a range that cannot be compared, and without a member that tells the groups.
pub fn measured(
    release: NestedRelease<'_>,
    claims: &NestedClaims,
    original: NestedOriginal<'_>,
) -> Result<(ReleasedTrees, ReleasedValues), Error> {
    let (trees, origins) = read_trees(release.trees(), original)?;
    let kinds = original.forest.kinds();
    let values = match release {
        NestedRelease::Generalized(nested) => {
            let codes: Vec<Vec<u32>> = kinds.iter().map(|kind| codes(nested, kind)).collect();
            let code = |&(kind, _, row): &Origin| codes[kind].get(row as usize).copied();
            let own = origins.iter().map(|origin| code(origin).unwrap_or(NO_VALUE));
            ReleasedValues::Own(own.collect())
        }
        NestedRelease::TreeAnatomy { quasi, sensitive } => {
            trees_of_values(quasi, sensitive, kinds, &origins)?
        }
        NestedRelease::VertexAnatomy { quasi, sensitive } => {
            lists_of_values(quasi, sensitive, claims, kinds, &origins)?
        }
    };
    Ok((trees, values))
}

/// Where a vertex stands: its kind, and the branch and row of the release.
type Origin = (usize, usize, u32);

/// A branch of the release that the original has.
struct Place<'a> {
    branch: &'a Branch,
    kind: usize,
    members: Vec<usize>,
    labels: Vec<Label>,
    // What stands in the rows: a branch, and where what stands in each row begins.
    below: Vec<(usize, Vec<u32>)>,
}

/// What the vertices of a place show of one quasi-identifier.
enum Label {
    /// The texts of a column.
    Column(usize, Published),
    /// The same for all of them: there is no column.
    Same(Cell),
}

impl Place<'_> {
    fn cell(&self, label: &Label, row: u32) -> Cell {
        match label {
            Label::Same(cell) => *cell,
            Label::Column(column, published) => {
                let entry = self.branch.table().columns()[*column].codes().get(row as usize);
                published.cells(entry).first().copied().unwrap_or(Cell::ANY)
            }
        }
    }
}

/// What vertices without a column for a quasi-identifier show of it.
fn without_column(branch: &Branch, attribute: &Attribute) -> Label {
    let is_enough = |&code: &u32| attribute.counts()[code as usize] as usize >= branch.n_rows();
    Label::Same(attribute.missing().filter(is_enough).map_or(Cell::ANY, Cell::Leaf))
}

fn read_trees(
    release: &Nested,
    original: NestedOriginal<'_>,
) -> Result<(ReleasedTrees, Vec<Origin>), Error> {
    let kinds = original.forest.kinds();
    let mut places: Vec<Option<Place<'_>>> = Vec::new();
    for (at, branch) in release.branches().iter().enumerate() {
        let place = place(branch, original)?;
        if let Some(inside) = branch.inside().filter(|_| place.is_some()) {
            let n_rows = release.branches()[inside.branch].n_rows();
            if let Some(above) = &mut places[inside.branch] {
                above.below.push((at, firsts(&inside.rows, n_rows)));
            }
        }
        places.push(place);
    }
    let mut read =
        Read { places: &places, kinds, trees: ReleasedTrees::default(), origins: Vec::new() };
    for record in 0..small(release.n_records()) {
        read.visit(0, record);
    }
    Ok((read.trees, read.origins))
}

fn place<'a>(branch: &'a Branch, original: NestedOriginal<'a>) -> Result<Option<Place<'a>>, Error> {
    let kinds = original.forest.kinds();
    let same = |other: &Branch| other.path() == branch.path();
    let Some(twin) = original.nested.branches().iter().position(same) else { return Ok(None) };
    let of_branch = (0..kinds.len()).filter(|&kind| kinds[kind].branch == twin);
    let (members, main): (Vec<usize>, Vec<usize>) =
        of_branch.partition(|&kind| kinds[kind].is_member);
    let Some(&kind) = main.first() else { return Ok(None) };
    let mut labels = Vec::new();
    for attribute in &kinds[kind].quasi {
        let mut columns = branch.table().columns().iter();
        let at = columns.position(|column| column.name() == attribute.name());
        let column = original.nested.branches()[twin].table().column(attribute.name())?;
        labels.push(match at {
            Some(at) => {
                Label::Column(at, Published::read(branch.table(), Some(column), attribute)?)
            }
            None => without_column(branch, attribute),
        });
    }
    Ok(Some(Place { branch, kind, members, labels, below: Vec::new() }))
}

struct Read<'a> {
    places: &'a [Option<Place<'a>>],
    kinds: &'a [VertexKind],
    trees: ReleasedTrees,
    origins: Vec<Origin>,
}

impl Read<'_> {
    fn visit(&mut self, at: usize, row: u32) {
        let Some(place) = &self.places[at] else { return };
        let cells = place.labels.iter().map(|label| place.cell(label, row));
        let vertex = self.trees.open(place.kind, self.kinds[place.kind].parent.is_none(), cells);
        self.origins.push((place.kind, at, row));
        for &member in &place.members {
            self.trees.open(member, false, std::iter::empty());
            self.origins.push((member, at, row));
        }
        for (below, firsts) in &place.below {
            for row in firsts[row as usize]..firsts[row as usize + 1] {
                self.visit(*below, row);
            }
        }
        self.trees.close(vertex);
    }
}

/// The code of each row of the branch of a kind's sensitive attribute; empty where there is none.
fn codes(release: &Nested, kind: &VertexKind) -> Vec<u32> {
    let column = kind.sensitive.as_ref().and_then(|attribute| {
        let (branch, at) = release.find(attribute.name())?;
        let branch = &release.branches()[branch];
        Some((attribute, &branch.table().columns()[at], branch.scalars(at)))
    });
    let Some((attribute, column, scalars)) = column else { return Vec::new() };
    let to: Vec<u32> = column.dictionary().iter().map(|text| code(attribute, text)).collect();
    let code = |(entry, scalar): (u32, &Scalar)| match scalar {
        // What is absent was cut off.
        Scalar::Absent => NO_VALUE,
        _ => to[entry as usize],
    };
    column.codes().iter().zip(scalars).map(code).collect()
}

fn code(attribute: &Attribute, text: &str) -> u32 {
    attribute.code_of(text).filter(|&code| attribute.silent() != Some(code)).unwrap_or(NO_VALUE)
}

fn trees_of_values(
    quasi: &Nested,
    sensitive: &Nested,
    kinds: &[VertexKind],
    origins: &[Origin],
) -> Result<ReleasedValues, Error> {
    let [group, of_sensitive] = groups(quasi, sensitive)?;
    let (shape, became) = Shape::joined([quasi, sensitive]);
    let forms = shape.forms(shape.unlabeled());
    let all: Vec<u32> = group.iter().chain(&of_sensitive).copied().collect();
    let orbits = shape.orbits(&all, &forms);
    let place = |joined: usize, row: usize| pair(small(joined), orbits[joined][row]);
    let places = origins.iter().map(|&(_, branch, row)| place(became[0][branch], row as usize));
    let mut trees: Vec<Vec<(u64, u16, u32)>> = vec![Vec::new(); sensitive.n_records()];
    let records = Shape::of(sensitive).records();
    for (index, kind) in (0..).zip(kinds) {
        let found = kind.sensitive.as_ref().and_then(|attribute| sensitive.find(attribute.name()));
        let Some((branch, _)) = found else { continue };
        let joined = became[1][branch];
        // The rows of the second file stand behind those of the first.
        let offset = shape.n_rows()[joined] - sensitive.branches()[branch].n_rows();
        for (row, code) in codes(sensitive, kind).into_iter().enumerate() {
            let record = records[branch][row] as usize;
            trees[record].push((place(joined, offset + row), index, code));
        }
    }
    let n_groups = all.iter().max().map_or(0, |&last| last as usize + 1);
    let mut of_group = vec![Vec::new(); n_groups];
    for (mut tree, group) in trees.into_iter().zip(of_sensitive) {
        tree.sort_unstable();
        of_group[group as usize].push(tree);
    }
    Ok(ReleasedValues::Trees { group, place: places.collect(), sensitive: of_group })
}

fn lists_of_values(
    trees: &Nested,
    lists: &Nested,
    claims: &NestedClaims,
    kinds: &[VertexKind],
    origins: &[Origin],
) -> Result<ReleasedValues, Error> {
    let mut found: Vec<(u16, Vec<u32>)> = Vec::new();
    let mut of_row: Vec<Vec<u32>> = vec![Vec::new(); kinds.len()];
    for (index, kind) in kinds.iter().enumerate() {
        let Some(attribute) = &kind.sensitive else { continue };
        let Some(entry) = claims.sensitive().find(|entry| entry.path == attribute.name()) else {
            continue;
        };
        let groups = Groups::read(entry, trees, lists)?;
        let offset = small(found.len());
        let of_kind = u16::try_from(index).expect("at most 65,535 kinds");
        found.extend(groups.sizes.iter().map(|_| (of_kind, Vec::new())));
        for (&group, text) in groups.of_value.iter().zip(&groups.texts) {
            found[(offset + group) as usize].1.push(code(attribute, text));
        }
        let (branch, named) = groups.named(trees);
        of_row[index] = vec![NO_VALUE; trees.branches()[branch].n_rows()];
        for (group, row) in named {
            of_row[index][row] = offset + group;
        }
    }
    let list = |&(kind, _, row): &Origin| of_row[kind].get(row as usize).copied();
    let list = origins.iter().map(|origin| list(origin).unwrap_or(NO_VALUE)).collect();
    Ok(ReleasedValues::Lists { list, lists: found })
}

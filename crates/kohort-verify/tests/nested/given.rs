//! Small nested records built in memory, as trees of texts.

use std::collections::BTreeSet;

use kohort_core::{
    Attribute, Branch, Codes, Column, Dictionary, Domain, Forest, Inside, Level, Missing,
    MissingAs, Nested, Ratio, Role, Scalar, Table, Taxonomy, Tree, VertexKind,
};
use kohort_verify::nested::{NestedClaims, PathRole};

/// A place of the schema: its path, where it stands, and its columns by path and role.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    pub(crate) path: String,
    pub(crate) above: usize,
    pub(crate) columns: Vec<(String, Role)>,
}

/// A schema: the first place has the people.
#[derive(Clone, Debug)]
pub(crate) struct Schema(pub(crate) Vec<Spot>);

/// A vertex with what is below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Vertex {
    pub(crate) spot: usize,
    pub(crate) cells: Vec<String>,
    pub(crate) below: Vec<Vertex>,
}

/// A vertex with cells separated by semicolons.
pub(crate) fn vertex(spot: usize, cells: &str, below: &[Vertex]) -> Vertex {
    let cells = cells.split(';').map(str::to_owned).collect();
    Vertex { spot, cells, below: below.to_vec() }
}

impl Vertex {
    pub(crate) fn n_vertices(&self) -> usize {
        1 + self.below.iter().map(Self::n_vertices).sum::<usize>()
    }

    /// The vertex at a place of a walk that visits each before what is below it.
    pub(crate) fn nth(&mut self, n: usize) -> &mut Self {
        if n == 0 {
            return self;
        }
        let mut left = n - 1;
        let below = self.below.iter_mut().find(|below| {
            let inside = below.n_vertices();
            let is_here = left < inside;
            left -= if is_here { 0 } else { inside };
            is_here
        });
        below.unwrap().nth(left)
    }
}

impl Schema {
    /// The same places with the columns that `keep` names; and trees without the others.
    pub(crate) fn project(
        &self,
        trees: &[Vertex],
        keep: impl Fn(&str, Role) -> bool + Copy,
    ) -> (Self, Vec<Vertex>) {
        fn tree(
            schema: &Schema,
            vertex: &Vertex,
            keep: impl Fn(&str, Role) -> bool + Copy,
        ) -> Vertex {
            let columns = schema.0[vertex.spot].columns.iter();
            let cells = columns.zip(&vertex.cells).filter(|((path, role), _)| keep(path, *role));
            Vertex {
                spot: vertex.spot,
                cells: cells.map(|(_, cell)| cell.clone()).collect(),
                below: vertex.below.iter().map(|below| tree(schema, below, keep)).collect(),
            }
        }
        let mut schema = self.clone();
        for spot in &mut schema.0 {
            spot.columns.retain(|(path, role)| keep(path, *role));
        }
        (schema, trees.iter().map(|vertex| tree(self, vertex, keep)).collect())
    }

    /// The records as a reader would give them.
    pub(crate) fn nested(&self, trees: &[Vertex]) -> Nested {
        let mut rows: Vec<Vec<(u32, &Vertex)>> = vec![Vec::new(); self.0.len()];
        rows[0] = trees.iter().map(|tree| (0, tree)).collect();
        for spot in 1..self.0.len() {
            let above = self.0[spot].above;
            let below = (0_u32..).zip(&rows[above]).flat_map(|(row, (_, vertex))| {
                let inside = vertex.below.iter().filter(|below| below.spot == spot);
                inside.map(move |below| (row, below)).collect::<Vec<_>>()
            });
            rows[spot] = below.collect();
        }
        let branches = self.0.iter().zip(&rows).enumerate().map(|(at, (spot, rows))| {
            let mut columns = Vec::new();
            let mut scalars = Vec::new();
            for (index, (path, _)) in spot.columns.iter().enumerate() {
                let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
                for (line, (_, vertex)) in (1..).zip(rows) {
                    let text = vertex.cells[index].as_bytes();
                    codes.push(dictionary.intern(text, line).unwrap());
                }
                columns.push(Column::new(path.clone(), dictionary, codes, &Missing::default()));
                let scalar =
                    |text: &String| if text.is_empty() { Scalar::Absent } else { Scalar::Text };
                scalars.push(rows.iter().map(|(_, vertex)| scalar(&vertex.cells[index])).collect());
            }
            let inside =
                Inside { branch: spot.above, rows: rows.iter().map(|row| row.0).collect() };
            let table = Table::new("people.json".into(), columns, true, Missing::default());
            Branch::new(spot.path.clone(), (at > 0).then_some(inside), rows.len(), table, scalars)
        });
        Nested::new("people.json".into(), branches.collect())
    }

    /// The records as trees of codes; `taxonomies` has the lines of some columns' taxonomies.
    pub(crate) fn forest(&self, nested: &Nested, taxonomies: &[(&str, &[&str])]) -> Forest {
        let mut kinds: Vec<VertexKind> = Vec::new();
        for (branch, spot) in self.0.iter().enumerate() {
            let with = |role| {
                let columns = spot.columns.iter().filter(move |column| column.1 == role);
                columns.map(move |(path, _)| {
                    attribute(nested.branches()[branch].table(), path, role, taxonomies)
                })
            };
            let mut sensitive = with(Role::Sensitive).collect::<Vec<_>>().into_iter();
            let parent = (branch > 0).then(|| {
                kinds.iter().position(|kind| kind.branch == spot.above && !kind.is_member).unwrap()
            });
            let quasi = with(Role::Quasi).collect();
            let first =
                VertexKind { branch, parent, quasi, sensitive: sensitive.next(), is_member: false };
            let parent = Some(kinds.len());
            kinds.push(first);
            kinds.extend(sensitive.map(|sensitive| VertexKind {
                branch,
                parent,
                quasi: Vec::new(),
                sensitive: Some(sensitive),
                is_member: true,
            }));
        }
        let inside: Vec<&[u32]> = (kinds.iter())
            .map(|kind| {
                nested.branches()[kind.branch].inside().map_or(&[][..], |inside| &inside.rows)
            })
            .collect();
        Forest::new(kinds, nested.n_records(), &inside)
    }

    /// Claims with the roles of the schema.
    pub(crate) fn claims(&self, k: u32, l: u32) -> NestedClaims {
        let columns = || self.0.iter().flat_map(|spot| &spot.columns);
        let role = |(path, role): &(String, Role)| PathRole {
            path: path.clone(),
            role: *role,
            value_type: None,
            buckets: None,
            missing_as: MissingAs::Value,
            odd_values: BTreeSet::new(),
        };
        let sensitive = columns().filter(|column| column.1 == Role::Sensitive);
        NestedClaims {
            models: Vec::new(),
            roles: columns().map(role).collect(),
            k,
            l: sensitive.map(|(path, _)| (path.clone(), l)).collect(),
            rules: Vec::new(),
            suppression: Ratio::whole(1),
        }
    }
}

fn attribute(table: &Table, path: &str, role: Role, taxonomies: &[(&str, &[&str])]) -> Attribute {
    let column = table.column(path).unwrap();
    let domain = Domain::new(table, column, None, &|_| false).unwrap();
    let lines = taxonomies.iter().find(|(of, _)| *of == path).map(|(_, lines)| *lines);
    let taxonomy = lines.map(|lines| tree(lines, &domain, column));
    Attribute::new(table, path, role, domain, taxonomy).unwrap()
}

fn tree(lines: &[&str], domain: &Domain, column: &Column) -> (Taxonomy, Vec<u32>) {
    let lines: Vec<Vec<&str>> = lines.iter().map(|line| line.split(';').collect()).collect();
    let leaves: Vec<Option<u32>> = lines.iter().map(|line| domain.find(line[0], column)).collect();
    let level = |level: usize| {
        let mut labels: Vec<String> = Vec::new();
        let mut group_of_leaf = Vec::new();
        for line in &lines {
            let found = labels.iter().position(|label| label == line[level]);
            let at = found.unwrap_or(labels.len());
            if found.is_none() {
                labels.push(line[level].to_owned());
            }
            group_of_leaf.push(u32::try_from(at).unwrap());
        }
        Level { group_of_leaf, labels }
    };
    Taxonomy::build(Tree {
        leaves: &leaves,
        label: &|leaf| lines[leaf][0].to_owned(),
        levels: &(1..lines[0].len()).map(level).collect::<Vec<_>>(),
        n_values: u32::try_from(domain.entries().len()).unwrap(),
        missing: domain.missing().is_some(),
        is_ordered: domain.values().value_type().is_ordered(),
    })
    .unwrap()
}

/// Students with a major, a year of birth and a GPA; courses with grades; books.
pub(crate) fn students() -> Schema {
    let column = |path: &str, role| (path.to_owned(), role);
    let spot = |path: &str, above, columns: &[(String, Role)]| Spot {
        path: path.to_owned(),
        above,
        columns: columns.to_vec(),
    };
    Schema(vec![
        spot(
            "",
            0,
            &[
                column("major", Role::Quasi),
                column("born", Role::Quasi),
                column("gpa", Role::Sensitive),
            ],
        ),
        spot(
            "courses[]",
            0,
            &[column("courses[].course", Role::Quasi), column("courses[].grade", Role::Sensitive)],
        ),
        spot("courses[].books[]", 1, &[column("courses[].books[].title", Role::Quasi)]),
    ])
}

/// The taxonomy of courses, after Özalp 2017, Figure 2.1.
pub(crate) const COURSES: &[&str] = &[
    "CS201;CS2**;CS;*",
    "CS202;CS2**;CS;*",
    "CS301;CS3**;CS;*",
    "CS303;CS3**;CS;*",
    "CS305;CS3**;CS;*",
    "CS306;CS3**;CS;*",
    "CS401;CS4**;CS;*",
    "CS404;CS4**;CS;*",
    "MA1;MA;X;*",
];

/// The taxonomy of years of birth.
pub(crate) const BORN: &[&str] =
    &["1992;199*;*", "1993;199*;*", "1994;199*;*", "1995;199*;*", "2001;200*;*"];

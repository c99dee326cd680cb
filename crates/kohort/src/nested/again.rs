//! The method of a nested release, for an adversary who runs it again on values that he supposes.

use std::collections::BTreeMap;

use kohort_core::{Branch, Ctx, Error as CoreError, Nested, Scalar};
use kohort_nested::NestedForm;
use kohort_verify::nested::attack::NestedMethod;

use super::Described;
use super::cells::unmarked;
use super::job::NestedJob;
use super::judge::Files;
use super::release::make;
use super::render::render;

/// A job and the people it was done for. Of their sensitive values it is used only how often each occurs.
pub(super) struct Again<'a> {
    job: &'a NestedJob,
    people: &'a Described,
    released: Told,
    /// The rows that have a value, by kind and code.
    rows_of_code: Vec<BTreeMap<u32, Vec<u32>>>,
}

/// What each file of a release shows at each place.
type Told = Vec<BTreeMap<String, Place>>;

/// The rows that the rows of a place stand in; and the cells of each column, with whether they are absent.
#[derive(PartialEq)]
struct Place {
    rows: Vec<u32>,
    columns: BTreeMap<String, Vec<(String, bool)>>,
}

impl<'a> Again<'a> {
    /// The method of a release; none where it cannot be run again: what it makes keeps no goal.
    pub(super) fn new(job: &'a NestedJob, people: &'a Described, files: &Files) -> Option<Self> {
        if !job.algorithm.is_safe() {
            return None;
        }
        let forest = people.forest();
        let mut rows_of_code = vec![BTreeMap::<u32, Vec<u32>>::new(); forest.kinds().len()];
        for vertex in (0..forest.n_records()).flat_map(|record| forest.vertices(record)) {
            let of_kind = &mut rows_of_code[forest.kind(vertex)];
            of_kind.entry(forest.sensitive(vertex)).or_default().push(forest.row(vertex));
        }
        Some(Self { job, people, released: told(files), rows_of_code })
    }

    /// The people with other values: each vertex has the cell of one that has its value.
    fn supposed(&self, values: &[u32]) -> Option<Described> {
        let forest = self.people.forest();
        let mut used = vec![BTreeMap::<u32, usize>::new(); forest.kinds().len()];
        let of_kind = |rows: &BTreeMap<u32, Vec<u32>>| vec![0; rows.values().map(Vec::len).sum()];
        let mut rows: Vec<Vec<u32>> = self.rows_of_code.iter().map(of_kind).collect();
        for (vertex, code) in (0..).zip(values) {
            let kind = forest.kind(vertex);
            let next = used[kind].entry(*code).or_default();
            let from = *self.rows_of_code[kind].get(code)?.get(*next)?;
            *next += 1;
            rows[kind][forest.row(vertex) as usize] = from;
        }
        Some(self.people.with_values_of(&rows))
    }
}

impl NestedMethod for Again<'_> {
    fn run(&self, values: &[u32], draw: u32) -> Result<bool, CoreError> {
        let Some(people) = self.supposed(values) else { return Ok(false) };
        let mut secret = [11; 32];
        secret[..4].copy_from_slice(&draw.to_le_bytes());
        let Ok((candidate, _)) = make(self.job, &people, (None, secret), &Ctx::quiet()) else {
            return Ok(false);
        };
        let rendered = render(&people, &candidate, self.job.seed);
        let roles = &self.job.terms.schema.roles;
        let values = rendered.values.map(|values| match candidate.form {
            NestedForm::VertexAnatomy => values,
            _ => unmarked(roles, &values),
        });
        let files = Files { trees: unmarked(roles, &rendered.trees), values };
        Ok(told(&files) == self.released)
    }

    fn draws(&self) -> bool {
        self.job.mode().is_transparent()
    }
}

fn told(files: &Files) -> Told {
    std::iter::once(&files.trees).chain(&files.values).map(places).collect()
}

fn places(nested: &Nested) -> BTreeMap<String, Place> {
    let branches = nested.branches().iter().filter(|branch| branch.n_rows() > 0);
    let place = |branch: &Branch| {
        let columns = branch.table().columns().iter().enumerate().map(|(at, column)| {
            let cells = column.codes().iter().zip(branch.scalars(at));
            let cell = |(code, scalar): (u32, &Scalar)| {
                (column.dictionary().get(code).to_owned(), *scalar == Scalar::Absent)
            };
            (column.name().to_owned(), cells.map(cell).collect())
        });
        let rows = branch.inside().map_or(Vec::new(), |inside| inside.rows.clone());
        Place { rows, columns: columns.collect() }
    };
    branches.map(|branch| (branch.path().to_owned(), place(branch))).collect()
}

//! Records inside records, as they were read: a table for each place in the schema, and the row that
//! each row stands in.

use std::fmt;

use crate::Table;

/// Records inside records. The first branch has a row for each person; every other branch has a row for
/// each object (or element, or row of a related table) at one place of the schema.
#[derive(Clone)]
pub struct Nested {
    name: String,
    branches: Vec<Branch>,
    layout: Layout,
}

/// How a source was laid out beyond what it says, for whoever writes the records again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The paths of columns and branches, those of one object in the order in which they first stood.
    pub order: Vec<String>,
    /// The elements around the records, where the source was XML.
    pub elements: Option<Elements>,
    /// What stood in the source and is not in the records: what was beside them, or keys that say more
    /// than which row is which. Whoever judges a release must know.
    pub left_out: Vec<String>,
}

/// The names of the elements around records in XML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements {
    /// The element around all.
    pub root: String,
    /// The attributes of it that declare namespaces, with their values.
    pub namespaces: Vec<(String, String)>,
    /// The element of one record.
    pub record: String,
}

// Cells must not reach a log by way of `{:?}`.
impl fmt::Debug for Nested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let branches = self.branches.iter().map(|branch| (&branch.path, branch.n_rows));
        f.debug_struct("Nested")
            .field("name", &self.name)
            .field("branches", &branches.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl Nested {
    /// Records from these branches, each after the branch it stands in. `name` is what messages call the
    /// source.
    ///
    /// # Panics
    /// When there is no branch, or one does not stand after the one it is in, or names rows that are not
    /// there.
    pub fn new(name: String, branches: Vec<Branch>) -> Self {
        for (index, branch) in branches.iter().enumerate() {
            let Some(inside) = &branch.inside else {
                assert!(index == 0, "only the people stand in nothing");
                continue;
            };
            assert!(inside.branch < index, "a branch stands after the one it is in");
            let n_rows = branches[inside.branch].n_rows;
            assert!(inside.rows.iter().all(|&row| (row as usize) < n_rows), "a row that is there");
            assert!(inside.rows.is_sorted(), "rows stand in the order of those they are in");
        }
        assert!(!branches.is_empty(), "there is a branch of people");
        Self { name, branches, layout: Layout::default() }
    }

    /// The same records, known to have been laid out like this.
    #[must_use]
    pub fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// How the source was laid out.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What messages call the source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The branches, each after the one it stands in; the first has the people.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// The number of people.
    pub fn n_records(&self) -> usize {
        self.branches[0].n_rows
    }

    /// The number of rows of all branches.
    pub fn n_vertices(&self) -> usize {
        self.branches.iter().map(|branch| branch.n_rows).sum()
    }

    /// The branch and the column of an attribute, by its path, such as `visits[].diagnosis`.
    pub fn find(&self, path: &str) -> Option<(usize, usize)> {
        self.branches.iter().enumerate().find_map(|(branch, b)| {
            let columns = b.table.columns();
            Some((branch, columns.iter().position(|column| column.name() == path)?))
        })
    }
}

/// The rows at one place of the schema.
#[derive(Clone)]
pub struct Branch {
    path: String,
    inside: Option<Inside>,
    n_rows: usize,
    table: Table,
    scalars: Vec<Vec<Scalar>>,
    empty: Vec<(u32, Empty)>,
}

/// What stands in the place of a branch's rows where there are none, other than nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Empty {
    /// An array without an item.
    Array,
    /// A null.
    Null,
}

/// The rows that the rows of a branch stand in.
#[derive(Clone)]
pub struct Inside {
    /// The branch.
    pub branch: usize,
    /// Its row, for each row of this branch; never falls.
    pub rows: Vec<u32>,
}

/// What a cell was in its source, beside its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// It was not there.
    Absent,
    /// It was there and null.
    Null,
    /// A text.
    Text,
    /// A number, or true or false: written without quotes.
    Bare,
}

impl Branch {
    /// The rows at a place of the schema: `path` is empty for the people, `visits[]` for objects in an
    /// array of theirs, `visits[].doctor` for an object in these. Columns are named by their full path,
    /// such as `visits[].diagnosis`; a column of an array of scalars has the path of its branch, such as
    /// `allergies[]`. `scalars` has an entry for each column and row.
    ///
    /// # Panics
    /// When a column or `scalars` has another number of rows than `n_rows`.
    pub fn new(
        path: String,
        inside: Option<Inside>,
        n_rows: usize,
        table: Table,
        scalars: Vec<Vec<Scalar>>,
    ) -> Self {
        assert!(table.columns().is_empty() || table.n_rows() == n_rows, "as many rows as said");
        assert!(inside.as_ref().is_none_or(|inside| inside.rows.len() == n_rows), "a row for each");
        assert!(scalars.len() == table.columns().len(), "a list for each column");
        assert!(scalars.iter().all(|column| column.len() == n_rows), "an entry for each row");
        Self { path, inside, n_rows, table, scalars, empty: Vec::new() }
    }

    /// The same branch, where these rows of the branch it stands in have an array without items or a
    /// null in its place, in ascending order. Two people who differ in this alone can be told apart: a
    /// release has it where everybody of a class does.
    ///
    /// # Panics
    /// When the rows do not rise.
    #[must_use]
    pub fn with_empty(self, empty: Vec<(u32, Empty)>) -> Self {
        assert!(empty.array_windows().all(|[a, b]| a.0 < b.0), "one for each row, in their order");
        Self { empty, ..self }
    }

    /// The rows of the branch it stands in that have no row of it and yet something in its place.
    pub fn empty(&self) -> &[(u32, Empty)] {
        &self.empty
    }

    /// Its place in the schema; empty for the people.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Which rows its rows stand in; none for the people.
    pub fn inside(&self) -> Option<&Inside> {
        self.inside.as_ref()
    }

    /// The number of rows; the table alone cannot tell where there are no columns.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The attributes of the rows. A member that is absent or null is a missing value.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// What each cell of a column was in its source.
    pub fn scalars(&self, column: usize) -> &[Scalar] {
        &self.scalars[column]
    }
}

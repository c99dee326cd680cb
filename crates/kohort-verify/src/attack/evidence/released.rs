//! A release as an adversary reads it: classes, what they show, and how often each sensitive value occurs
//! in them.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Column, Error, Grouping, Table, group};

use crate::release::{by_reference, shown};

/// A release, with the roles of its columns.
pub struct Released<'a> {
    table: &'a Table,
    quasi: Vec<&'a str>,
    sensitive: Vec<&'a Attribute>,
    is_anatomized: bool,
    group_column: Option<String>,
    // Rows that show the same on every quasi-identifier, and in an anatomized release share a group.
    shapes: Grouping,
    first_row_of_shape: Vec<u32>,
    size_of_shape: Vec<u32>,
    class_of_shape: Vec<u32>,
    size_of_class: Vec<u32>,
    // The rows of each class that belong to nobody, where that is published.
    counterfeits: Vec<u32>,
    values: Vec<Values>,
}

/// The values of one sensitive attribute in each class.
pub(in crate::attack) struct Values {
    // The cells of class c are at starts[c]..starts[c + 1]: codes ascending, with their counts.
    starts: Vec<u32>,
    cells: Vec<(u32, u32)>,
}

impl<'a> Released<'a> {
    /// Reads a release. `group` is the column of groups where sensitive values are published by group;
    /// `sensitive` are attributes of this table.
    pub fn new(
        table: &'a Table,
        quasi: &[&'a str],
        group_column: Option<&str>,
        sensitive: Vec<&'a Attribute>,
    ) -> Result<Self, Error> {
        Self::read(table, quasi, group_column, group_column.is_some(), sensitive)
    }

    /// Reads a release whose rows name their class in a column, beside what the class shows.
    /// `counterfeits` are the rows of a class that belong to nobody, by the name of the class.
    pub fn of_classes(
        table: &'a Table,
        quasi: &[&'a str],
        class_column: &str,
        counterfeits: &BTreeMap<String, u32>,
        sensitive: Vec<&'a Attribute>,
    ) -> Result<Self, Error> {
        let mut release = Self::read(table, quasi, Some(class_column), false, sensitive)?;
        let column = table.column(class_column)?;
        for shape in 0..release.n_shapes() {
            let entry = column.codes().get(release.row_of_shape(shape) as usize);
            let n = counterfeits.get(column.dictionary().get(entry)).copied();
            let class = release.class_of_shape(shape);
            release.counterfeits[class as usize] = n.unwrap_or(0);
        }
        Ok(release)
    }

    fn read(
        table: &'a Table,
        quasi: &[&'a str],
        group_column: Option<&str>,
        is_anatomized: bool,
        sensitive: Vec<&'a Attribute>,
    ) -> Result<Self, Error> {
        let n_rows = table.n_rows();
        let columns = shown(table, quasi)?;
        let mut shapes = group(n_rows, by_reference(&columns));
        let classes = match group_column {
            None => shapes.clone(),
            Some(name) => {
                let (codes, n_codes) = table.column(name)?.looks();
                shapes = shapes.refine(&codes, n_codes);
                group(n_rows, [(&*codes, n_codes)])
            }
        };
        let first_row_of_shape = shapes.first_rows();
        let class_of_shape =
            first_row_of_shape.iter().map(|&row| classes.ids[row as usize]).collect();
        let values = sensitive.iter().map(|attribute| Values::new(&classes, attribute)).collect();
        Ok(Self {
            table,
            quasi: quasi.to_vec(),
            sensitive,
            is_anatomized,
            group_column: group_column.map(str::to_owned),
            size_of_shape: shapes.sizes(),
            first_row_of_shape,
            shapes,
            class_of_shape,
            size_of_class: classes.sizes(),
            counterfeits: vec![0; classes.n_classes as usize],
            values,
        })
    }

    /// The rows as they were read.
    pub fn table(&self) -> &'a Table {
        self.table
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.table.n_rows()
    }

    /// The names of the quasi-identifiers.
    pub fn quasi(&self) -> &[&'a str] {
        &self.quasi
    }

    /// The columns that are quasi-identifiers.
    pub fn quasi_columns(&self) -> impl Iterator<Item = &'a Column> {
        let table = self.table;
        self.quasi.iter().map(|name| table.column(name).expect("`new` found it"))
    }

    /// The sensitive attributes, coded by this table's values.
    pub fn sensitive(&self) -> &[&'a Attribute] {
        &self.sensitive
    }

    /// Whether sensitive values are published by group, beside quasi-identifiers as they are.
    pub fn is_anatomized(&self) -> bool {
        self.is_anatomized
    }

    /// Whether a column has the groups of this release: their names say nothing of another release.
    pub(in crate::attack) fn is_group(&self, column: &str) -> bool {
        self.group_column.as_deref() == Some(column)
    }

    /// The shape of each row: rows of one shape show the same and belong to one class.
    pub fn shapes(&self) -> &Grouping {
        &self.shapes
    }

    /// A row of a shape.
    pub fn row_of_shape(&self, shape: u32) -> u32 {
        self.first_row_of_shape[shape as usize]
    }

    /// The number of rows of a shape.
    pub fn size_of_shape(&self, shape: u32) -> u32 {
        self.size_of_shape[shape as usize]
    }

    /// The class of a shape: itself, but for anatomized releases.
    pub fn class_of_shape(&self, shape: u32) -> u32 {
        self.class_of_shape[shape as usize]
    }

    /// The number of shapes.
    pub fn n_shapes(&self) -> u32 {
        self.shapes.n_classes
    }

    /// The number of classes: rows among which sensitive values are not told apart.
    pub fn n_classes(&self) -> usize {
        self.size_of_class.len()
    }

    /// The number of rows of a class.
    pub fn size_of_class(&self, class: u32) -> u32 {
        self.size_of_class[class as usize]
    }

    /// The number of rows of a class that are somebody's, as far as is published.
    pub fn n_people_of_class(&self, class: u32) -> u32 {
        self.size_of_class(class).saturating_sub(self.counterfeits[class as usize])
    }

    /// Whether some rows belong to nobody, as far as is published.
    pub(in crate::attack) fn has_counterfeits(&self) -> bool {
        self.counterfeits.iter().any(|&n| n > 0)
    }

    /// The values of a sensitive attribute in a class: codes ascending, with their counts.
    pub fn values(&self, attribute: usize, class: u32) -> &[(u32, u32)] {
        self.values[attribute].of(class)
    }
}

impl Values {
    /// Counts the values in each class of some rows.
    pub(in crate::attack) fn new(classes: &Grouping, attribute: &Attribute) -> Self {
        let (rows, ends) = classes.members();
        let mut values = Self { starts: vec![0], cells: Vec::new() };
        let mut codes: Vec<u32> = Vec::new();
        let mut start = 0;
        for end in ends {
            kohort_core::alive();
            let members = &rows[start as usize..end as usize];
            start = end;
            codes.clear();
            codes.extend(members.iter().map(|&row| attribute.codes().get(row as usize)));
            codes.sort_unstable();
            for same in codes.chunk_by(|a, b| a == b) {
                let count = u32::try_from(same.len()).expect("rows are numbered by u32");
                values.cells.push((same[0], count));
            }
            let end = u32::try_from(values.cells.len()).expect("at most one cell per row");
            values.starts.push(end);
        }
        values
    }

    /// The values of a class: codes ascending, with their counts.
    pub(in crate::attack) fn of(&self, class: u32) -> &[(u32, u32)] {
        let Self { starts, cells } = self;
        &cells[starts[class as usize] as usize..starts[class as usize + 1] as usize]
    }
}

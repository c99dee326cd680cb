//! What can go wrong with a table, a taxonomy or a parameter.

use std::fmt;
use std::ops::Deref;

use crate::{Place, ValueType};

/// Could not do it: the kind says what, the text says where and what to do.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Kind>);

impl Error {
    /// An error of this kind.
    pub fn new(kind: Kind) -> Self {
        Self(Box::new(kind))
    }

    /// The kind, for callers that react to one.
    pub fn kind(&self) -> &Kind {
        &self.0
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self::new(kind)
    }
}

/// The kinds of error. Parameters and names are quoted, cells never are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Kind {
    /// A parameter outside its range.
    #[error("`{name}` must be {expected}, but is {found}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// What was given.
        found: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// A row with more or fewer cells than there are columns.
    #[error(
        "row {row} has {}, and there {} {}",
        count_of(*found, "cell"), if *expected == 1 { "is" } else { "are" }, count_of(*expected, "column")
    )]
    Ragged {
        /// The row, from 1.
        row: u64,
        /// Its cells.
        found: usize,
        /// The columns.
        expected: usize,
    },
    /// A cell that cannot be kept as a text.
    #[error("row {row}, column `{column}`: a cell that is no text: it has a NUL character")]
    CellText {
        /// The row, from 1.
        row: u64,
        /// The column.
        column: String,
    },
    /// Two columns of one name.
    #[error("two columns have the name `{name}`")]
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// A column without a name.
    #[error("column {number} has no name")]
    UnnamedColumn {
        /// Which, from 1.
        number: usize,
    },
    /// A column that the table does not have.
    #[error("no column `{name}` in {table}{}", suggestion(nearest.as_deref()))]
    UnknownColumn {
        /// The name asked for.
        name: String,
        /// The table's name.
        table: String,
        /// The column that was probably meant.
        nearest: Option<String>,
    },
    /// A column in two roles at once.
    #[error("column `{name}` is given two roles: {first} and {second}")]
    TwoRoles {
        /// The column.
        name: String,
        /// One role.
        first: String,
        /// The other.
        second: String,
    },
    /// A cell that is not of the type its column was said to have.
    #[error("{table}, {place}, column `{column}`: not {}", expected.article())]
    Value {
        /// The table's name.
        table: String,
        /// Where the first such cell is.
        place: Place,
        /// The column.
        column: String,
        /// The type asked for.
        expected: ValueType,
    },
    /// A published range whose values lie apart in the taxonomy of the original column.
    #[error(
        "{table}, {place}, column `{column}`: a range of values that do not lie side by side in the \
         taxonomy of the original"
    )]
    Published {
        /// The release's name.
        table: String,
        /// Where the first such cell is.
        place: Place,
        /// The column.
        column: String,
    },
    /// A cell of a release that is no value and in none of the notations that are read.
    #[error(
        "{table}, {place}, column `{column}`: a cell that cannot be read: no value, range, set or mask of \
         the column's type, and no label of its taxonomy"
    )]
    Unreadable {
        /// The release's name.
        table: String,
        /// Where the first such cell is.
        place: Place,
        /// The column.
        column: String,
    },
    /// A sensitive cell that may be one of several values, where that cannot be judged.
    #[error(
        "{table}, {place}, column `{column}`: a sensitive cell that does not show one value, and what may be \
         behind it is not decided for {what}"
    )]
    Masked {
        /// The release's name.
        table: String,
        /// Where the first such cell is.
        place: Place,
        /// The column.
        column: String,
        /// Of what kind of releases.
        what: &'static str,
    },
    /// A taxonomy that is not a tree, or does not fit its column.
    #[error("{source_name}{}: {problem}", lines.as_ref().map_or(String::new(), |lines| format!(", {lines}")))]
    Taxonomy {
        /// The file or plan entry.
        source_name: String,
        /// The lines concerned, as text.
        lines: Option<String>,
        /// What is wrong.
        problem: String,
    },
    /// Table values that a taxonomy has no leaf for.
    #[error(
        "{source_name}: {} of column `{column}` {} no leaf in this taxonomy",
        count_of(values.len(), "value"), if values.len() == 1 { "has" } else { "have" }
    )]
    NoLeaf {
        /// The taxonomy's file or plan entry.
        source_name: String,
        /// The column.
        column: String,
        /// The values, shown only when a person asks for them on a terminal.
        values: Private,
    },
    /// Table values that fall in no bucket.
    #[error(
        "buckets of column `{column}`: {} {} in none of them",
        count_of(values.len(), "value"), if values.len() == 1 { "is" } else { "are" }
    )]
    NoBucket {
        /// The column.
        column: String,
        /// The values, shown only when a person asks for them on a terminal.
        values: Private,
    },
    /// A table of correlations that is not one.
    #[error("{source_name}, line {line}: {problem}")]
    Correlations {
        /// The file.
        source_name: String,
        /// The line.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// A search that would leave out answers.
    #[error(
        "`{model}` is not monotone: a set of columns can keep it while a part of the set does not"
    )]
    NotMonotone {
        /// The model.
        model: &'static str,
    },
    /// A goal, metric or table that a method cannot work with.
    #[error("`{method}` {reason}")]
    Unsuited {
        /// The algorithm or metric.
        method: &'static str,
        /// Why not, as the rest of a sentence.
        reason: String,
    },
    /// A table too large for its codes.
    #[error("{what} is limited to {limit}, but there are {found}")]
    TooLarge {
        /// What there is too much of.
        what: String,
        /// The most that is supported.
        limit: u64,
        /// How much there is.
        found: u64,
    },
}

/// Cells that an error is about: there to be shown when a person asks, never in a debug print.
pub struct Private(pub Vec<String>);

impl fmt::Debug for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values", self.0.len())
    }
}

impl Deref for Private {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

/// "1 value", "3 values".
fn count_of(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

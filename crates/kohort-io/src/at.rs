//! Places in files, for messages.

use std::fmt;

use kohort_core::Place;

/// Where in a file a fault stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// The file's name.
    pub name: String,
    /// The line or row.
    pub place: Place,
    /// The column, counted from 1, where it is known.
    pub column: Option<usize>,
    /// The column's name, where it is known.
    pub column_name: Option<String>,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.name, self.place)?;
        match (self.column, &self.column_name) {
            (Some(column), Some(name)) => write!(f, ", column {column} (`{name}`)"),
            (Some(column), None) => write!(f, ", column {column}"),
            (None, Some(name)) => write!(f, ", column `{name}`"),
            (None, None) => Ok(()),
        }
    }
}

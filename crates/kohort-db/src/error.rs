//! Why a database gave no table, and the way on.

use kohort_core::{Message, ValueType, message};

/// Could not read: the kind says what, the text says where.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Kind>);

impl Error {
    /// The kind, for callers that react to one.
    pub fn kind(&self) -> &Kind {
        &self.0
    }

    /// The way on, where there is one: a sentence for a `hint:` line.
    pub fn hint(&self) -> Option<Message> {
        Some(match self.kind() {
            Kind::Io(error) => return error.hint(),
            Kind::Address { .. } => "write `postgres://user@host:5432/database` or `sqlite:FILE`; a table goes \
                                     after `#`, such as `sqlite:ward.db#patients`"
                .into(),
            Kind::PasswordInAddress => "leave it out, and set PGPASSWORD or write a pass file \
                                        (~/.pgpass): an address is seen in lists of processes and in plans"
                .into(),
            Kind::NoRows { .. } => {
                "name a table after `#`, such as `postgres://host/db#ward.patients`, or a query".into()
            }
            Kind::Password { .. } => {
                "set PGPASSWORD, or write a pass file (~/.pgpass, or the one PGPASSFILE names)".into()
            }
            Kind::Certificate { .. } => "name the file with the certificates that you trust, such as \
                                         `?sslrootcert=ca.pem`; `?sslmode=disable` sends everything in plain \
                                         text"
                .into(),
            Kind::ColumnType { column, .. } => {
                message!("leave it out of the query, or turn it into text there: `\"{column}\"::text`")
            }
            Kind::Blob { .. } => "leave the column out of the query".into(),
            Kind::Infinite { .. } | Kind::NotText { .. } => {
                "turn it into something else in the query, or leave the row out".into()
            }
            Kind::NoTarget { .. } => {
                "name it after `#`, such as `postgres://host/db#ward.release` or `sqlite:ward.db#release`".into()
            }
            Kind::Target { hint, .. } => (*hint).into(),
            Kind::Busy { .. } => "wait until it is done, or name another table".into(),
            Kind::ColumnName { .. } => "rename the column before it is released".into(),
            Kind::NotOfType { .. } => "let the plan name another type, or none".into(),
            Kind::TextDates { .. } => "turn the texts into dates in a query: `to_date(…)`".into(),
            Kind::Spellings { .. } => "write each value in one way in a query, or let kohort read the table".into(),
            Kind::NoColumn { .. } | Kind::NoFile { .. } | Kind::Connection { .. } | Kind::Query { .. } => return None,
            Kind::Writes { .. } => "name a query that only reads, such as `SELECT …`".into(),
        })
    }
}

impl<K: Into<Kind>> From<K> for Error {
    fn from(kind: K) -> Self {
        Self(Box::new(kind.into()))
    }
}

/// The kinds of error. Names of columns are quoted, cells and passwords never are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Kind {
    /// The rows are no table.
    #[error(transparent)]
    Io(#[from] kohort_io::Error),
    /// A text that is no address of a database.
    #[error("this is no address of a database: {problem}")]
    Address {
        /// What is wrong with it.
        problem: String,
    },
    /// An address with a password in it.
    #[error("there is a password in the address of the database")]
    PasswordInAddress,
    /// Neither a table nor a query is named.
    #[error("{address}: no table and no query is named")]
    NoRows {
        /// The database.
        address: String,
    },
    /// The server wants a password, or another one.
    #[error("{address}: the server wants a password{}", if *was_given { ", and not the one that was given" } else { "" })]
    Password {
        /// The database.
        address: String,
        /// Whether there was one.
        was_given: bool,
    },
    /// The server's certificate is not trusted, or trusted ones cannot be read.
    #[error("{address}: {problem}")]
    Certificate {
        /// The database.
        address: String,
        /// What is wrong.
        problem: String,
    },
    /// There is no such file.
    #[error("{path}: no such file")]
    NoFile {
        /// The path as given.
        path: String,
    },
    /// The connection could not be made, or broke.
    #[error("{address}: {problem}")]
    Connection {
        /// The database.
        address: String,
        /// What is wrong.
        problem: String,
    },
    /// The database refused or gave up the query.
    #[error("{address}: {problem}")]
    Query {
        /// The database.
        address: String,
        /// What it said, where that cannot quote a cell.
        problem: String,
    },
    /// The query does not only read.
    #[error("{address}: the query does not only read, or gives no columns")]
    Writes {
        /// The database.
        address: String,
    },
    /// No table to write is named.
    #[error("{address}: no table is named for the release")]
    NoTarget {
        /// The database.
        address: String,
    },
    /// A table that cannot be written or replaced.
    #[error("{address}, table `{table}`: {problem}")]
    Target {
        /// The database.
        address: String,
        /// The table.
        table: String,
        /// What is in the way.
        problem: String,
        /// The way on.
        hint: &'static str,
    },
    /// Another program is writing to the table.
    #[error("{address}, table `{table}`: another release is being written there")]
    Busy {
        /// The database.
        address: String,
        /// The table.
        table: String,
    },
    /// A name that the database would cut.
    #[error(
        "{address}, column `{column}`: the name is empty, or longer than the 63 bytes of PostgreSQL"
    )]
    ColumnName {
        /// The database.
        address: String,
        /// The column.
        column: String,
    },
    /// A column with values that are no single values.
    #[error("{address}, column `{column}`: a column of type {found} is not one value for each row")]
    ColumnType {
        /// The database.
        address: String,
        /// The column.
        column: String,
        /// Its type in the database.
        found: String,
    },
    /// A column that is not there.
    #[error("{address}: there is no column `{column}`")]
    NoColumn {
        /// The database.
        address: String,
        /// The column.
        column: String,
    },
    /// A value that is not of the type that the plan names.
    #[error("{address}, column `{column}`: the plan says that it is {}, and a value is not", expected.article())]
    NotOfType {
        /// The database.
        address: String,
        /// The column.
        column: String,
        /// The type.
        expected: ValueType,
    },
    /// Dates that the database would compare as texts.
    #[error(
        "{address}, column `{column}`: the plan says that it is a date, and it is a text in the database"
    )]
    TextDates {
        /// The database.
        address: String,
        /// The column.
        column: String,
    },
    /// Values that the database would take for several.
    #[error("{address}, column `{column}`: one date or truth value is written in several ways")]
    Spellings {
        /// The database.
        address: String,
        /// The column.
        column: String,
    },
    /// Bytes where a value is wanted.
    #[error("{address}, row {row}, column `{column}`: bytes, and no value")]
    Blob {
        /// The database.
        address: String,
        /// The row, from 1.
        row: u64,
        /// The column.
        column: String,
    },
    /// A date without an end.
    #[error("{address}, row {row}, column `{column}`: an infinite date")]
    Infinite {
        /// The database.
        address: String,
        /// The row, from 1.
        row: u64,
        /// The column.
        column: String,
    },
    /// A text that is none.
    #[error("{address}, row {row}, column `{column}`: not a text in UTF-8")]
    NotText {
        /// The database.
        address: String,
        /// The row, from 1.
        row: u64,
        /// The column.
        column: String,
    },
}

//! Questions to a database that is only read, each answered from the same state of it.
//!
//! # Promise
//! Nothing is changed, and all answers are about one moment. [`Session::reading`] says how a column is read so
//! that two cells are equal in the database where they are one value to kohort: missing values are `NULL`, and
//! texts that look the same are one text.

use kohort_core::{Missing, ValueType};

use crate::address::Database;
use crate::{Address, Error, Password, Rows, postgres, sqlite};

/// A transaction that reads.
pub struct Session(Inner);

enum Inner {
    Postgres(Box<postgres::Session>),
    Sqlite(Box<sqlite::Session>),
}

/// How a column is read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The type of its values.
    pub value_type: ValueType,
    /// The expression that gives them.
    pub sql: String,
}

/// What a statement gave, each value as the text that the database writes for it. NULL is `None`.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The columns, by name.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Session {
    /// Opens a database for reading. These texts stand for missing values.
    ///
    /// # Errors
    /// When the database is not there, or refuses.
    pub fn open(
        address: &Address,
        password: Option<&Password>,
        missing: &Missing,
    ) -> Result<Self, Error> {
        Ok(Self(match &address.database {
            Database::Postgres(server) => Inner::Postgres(Box::new(postgres::Session::open(
                (address, server),
                password,
                missing,
            )?)),
            Database::Sqlite(path) => {
                Inner::Sqlite(Box::new(sqlite::Session::open((address, path), missing)?))
            }
        }))
    }

    /// Whether it is PostgreSQL; else it is SQLite.
    pub fn is_postgres(&self) -> bool {
        matches!(self.0, Inner::Postgres(_))
    }

    /// The names of the columns of some rows.
    ///
    /// # Errors
    /// When the rows are not there.
    pub fn columns(&mut self, rows: &Rows) -> Result<Vec<String>, Error> {
        match &mut self.0 {
            Inner::Postgres(session) => session.columns(rows),
            Inner::Sqlite(session) => session.columns(rows),
        }
    }

    /// How a column of these rows is read, as values of a type where one is asked for.
    ///
    /// # Errors
    /// When its values are no single values, or not of this type.
    pub fn reading(
        &mut self,
        rows: &Rows,
        column: &str,
        asked: Option<ValueType>,
    ) -> Result<Reading, Error> {
        match &mut self.0 {
            Inner::Postgres(session) => session.reading(rows, column, asked),
            Inner::Sqlite(session) => session.reading(rows, column, asked),
        }
    }

    /// The answer to one statement.
    ///
    /// # Errors
    /// When the database refuses it, or gives up.
    pub fn ask(&mut self, sql: &str) -> Result<Answer, Error> {
        match &mut self.0 {
            Inner::Postgres(session) => session.ask(sql),
            Inner::Sqlite(session) => session.ask(sql),
        }
    }
}

//! Tables into a database.
//!
//! # Promise
//! What is written appears whole or not at all, also when the program is killed: tables are written beside
//! their place, read back and put in place in one transaction. Nobody else sees anything of it before it ends.
//! Another program that writes to the same place at the same time is refused.

use kohort_core::{Missing, Table};

use crate::address::Database;
use crate::{Address, Error, Kind, Password, postgres, sqlite};

/// What the second table of a release is called, after the first.
const VALUES: &str = "_sensitive";

/// A table of a database that is about to be written. Dropped before it is published, it leaves everything as
/// it was.
pub struct Target(Inner);

enum Inner {
    Postgres(Box<postgres::Target>),
    Sqlite(Box<sqlite::Target>),
}

impl Target {
    /// Opens the table that an address names after `#`: `postgres://host/db#schema.table` or
    /// `sqlite:FILE#table`. It need not be there yet.
    ///
    /// # Errors
    /// When the database is not there, refuses, or the table cannot be replaced.
    pub fn open(address: &Address, password: Option<&Password>) -> Result<Self, Error> {
        let name = address.table.as_deref().filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| Kind::NoTarget { address: address.to_string() })?;
        Ok(Self(match &address.database {
            Database::Postgres(server) => Inner::Postgres(Box::new(postgres::Target::open(
                (address, server),
                name,
                password,
            )?)),
            Database::Sqlite(path) => {
                Inner::Sqlite(Box::new(sqlite::Target::open((address, path), name)?))
            }
        }))
    }

    /// The tables that are there already, in the places where they would be replaced: the release, and the
    /// sensitive values of an anatomized one.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn earlier(&mut self, missing: &Missing) -> Result<Vec<Table>, Error> {
        match &mut self.0 {
            Inner::Postgres(target) => target.earlier(missing),
            Inner::Sqlite(target) => target.earlier(missing),
        }
    }

    /// Writes a release, and the sensitive values where they are published apart, where nobody sees them.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn stage(&mut self, table: &Table, values: Option<&Table>) -> Result<(), Error> {
        let tables: Vec<&Table> = std::iter::once(table).chain(values).collect();
        match &mut self.0 {
            Inner::Postgres(target) => target.stage(&tables),
            Inner::Sqlite(target) => target.stage(&tables),
        }
    }

    /// What was staged, as anybody will read it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&mut self, missing: &Missing) -> Result<Vec<Table>, Error> {
        match &mut self.0 {
            Inner::Postgres(target) => target.read(missing),
            Inner::Sqlite(target) => target.read(missing),
        }
    }

    /// Puts what was staged in place, all of it or nothing, and says where.
    ///
    /// # Errors
    /// When the database refuses: then everything is as it was.
    pub fn publish(self) -> Result<Vec<String>, Error> {
        match self.0 {
            Inner::Postgres(target) => target.publish(),
            Inner::Sqlite(target) => target.publish(),
        }
    }
}

/// The address of the sensitive values of an anatomized release, from the address of the release:
/// `#ward.release` has them in `#ward.release_sensitive`.
pub fn values_table(address: &str) -> String {
    match address.strip_suffix('"') {
        Some(quoted) => format!("{quoted}{VALUES}\""),
        None => format!("{address}{VALUES}"),
    }
}

/// The name of each table of a release.
pub(crate) fn names(table: &str) -> [String; 2] {
    [table.to_owned(), format!("{table}{VALUES}")]
}

//! Tables out of databases and into them: PostgreSQL and SQLite.
//!
//! # Promise
//! A table is what one query gives at one moment: it is read in one transaction that writes nothing and sees
//! one state of the database. Every value has the text that it would have in a CSV or Parquet file; `NULL`
//! stays apart from an empty text. A column whose values are no single values (arrays, composites, bytes) is
//! refused with its name. No cell and no password is in a message.
//!
//! A database hands out record batches, which [`kohort_io::table_of_batches`] turns into codes while they
//! come: no copy of the table is kept beside its codes.

mod address;
mod catalog;
mod copy;
mod error;
mod password;
mod postgres;
mod session;
mod sqlite;
mod target;

pub use address::{Address, Rows};
pub use catalog::{Catalog, Declared, Look, Tables};
pub use error::{Error, Kind};
pub use password::{Password, in_pass_file};
pub use session::{Answer, Reading, Session};
pub use target::{Target, values_table};

use address::Database;
use kohort_core::Missing;
use kohort_io::Read;

/// Reads the rows of a database as a table. `progress` is called with the bytes or rows that have come, and 0,
/// as nobody knows how many there will be.
///
/// # Errors
/// When the database is not there, refuses, or holds what is no table.
pub fn read(
    address: &Address,
    rows: &Rows,
    password: Option<&Password>,
    missing: &Missing,
    progress: &dyn Fn(u64, u64),
) -> Result<Read, Error> {
    match &address.database {
        Database::Postgres(server) => {
            postgres::read((address, server), rows, password, missing, progress)
        }
        Database::Sqlite(path) => sqlite::read((address, path), rows, missing, progress),
    }
}

//! What SQLite says about its tables.

use std::path::Path;

use kohort_core::Missing;
use rusqlite::{Connection, OpenFlags};

use super::{refused, rows_of};
use crate::address::{quoted, quoted_name};
use crate::catalog::{Look, Tables, shown_name};
use crate::{Address, Error, Kind, Rows};

/// A transaction that sees one state of the file. It ends with the connection.
pub(crate) struct Catalog {
    connection: Connection,
    address: Address,
}

impl Catalog {
    pub(crate) fn open((address, path): (&Address, &Path)) -> Result<Self, Error> {
        if !path.is_file() {
            return Err(Kind::NoFile { path: path.display().to_string() }.into());
        }
        let refused = |error: rusqlite::Error| refused(address, &error);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(refused)?;
        connection.execute_batch("BEGIN").map_err(refused)?;
        Ok(Self { connection, address: address.clone() })
    }

    pub(crate) fn tables(&mut self, of: &Tables) -> Result<Vec<String>, Error> {
        if matches!(of, Tables::Of(schema) if !schema.eq_ignore_ascii_case("main")) {
            return Ok(Vec::new());
        }
        let list = || {
            let mut statement = self.connection.prepare(
                "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE \
                 'sqlite\\_%' ESCAPE '\\' ORDER BY name COLLATE BINARY",
            )?;
            let names = statement.query_map([], |row| row.get::<_, String>(0))?;
            names.collect::<rusqlite::Result<Vec<_>>>()
        };
        let names = list().map_err(|error| refused(&self.address, &error))?;
        Ok(names.iter().map(|name| shown_name(&[name])).collect())
    }

    pub(crate) fn look(
        &mut self,
        table: &str,
        most: u64,
        missing: &Missing,
    ) -> Result<Look, Error> {
        let of_database = |error: rusqlite::Error| refused(&self.address, &error);
        let name = quoted_name(table);
        let all = self.connection.prepare(&format!("SELECT * FROM {name}")).map_err(of_database)?;
        let mut columns: Vec<String> = all.column_names().map(str::to_owned).collect();
        let counted =
            self.connection
                .query_row(&format!("SELECT count(*) FROM {name}"), [], |row| row.get::<_, i64>(0));
        let n_rows = counted.map_err(of_database)?.unsigned_abs();
        let mut unread = Vec::new();
        // Whether a column holds bytes is seen when they come.
        let table = loop {
            if n_rows == 0 || columns.is_empty() {
                break None;
            }
            let list: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
            let first = Rows::Query(format!("SELECT {} FROM {name} LIMIT {most}", list.join(", ")));
            match rows_of(&self.connection, &self.address, &first, missing, &|_, _| {}) {
                Ok(read) => break Some(read.table),
                Err(error) => match error.kind() {
                    Kind::Blob { column, .. } if columns.contains(column) => {
                        columns.retain(|other| other != column);
                        unread.push((column.clone(), "blob".to_owned()));
                    }
                    _ => return Err(error),
                },
            }
        };
        Ok(Look { n_rows, table, unread, declared: Vec::new() })
    }
}

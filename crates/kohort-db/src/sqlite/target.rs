//! A table of an SQLite file that is about to be written, in one transaction.

use std::path::{Path, PathBuf};
use std::time::Duration;

use arrow_array::Array as _;
use arrow_schema::DataType;
use kohort_core::{Missing, Table};
use kohort_io::batches_of;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params_from_iter};

use super::{refused, rows_of};
use crate::address::quoted;
use crate::target::names;
use crate::{Address, Error, Kind, Rows};

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// A table that is about to be written. What was not published is undone with it.
pub(crate) struct Target {
    connection: Option<Connection>,
    address: Address,
    names: [String; 2],
    earlier: Vec<String>,
    n_staged: usize,
    /// The file, where it was made for this.
    own_file: Option<PathBuf>,
}

impl Target {
    pub(crate) fn open((address, path): (&Address, &Path), name: &str) -> Result<Self, Error> {
        let name = name.strip_prefix("main.").unwrap_or(name);
        let own_file = (!path.exists()).then(|| path.to_owned());
        let of_database = |error: rusqlite::Error| refused(address, &error);
        let connection = Connection::open(path).map_err(of_database)?;
        let mut target = Self {
            connection: Some(connection),
            address: address.clone(),
            names: names(name),
            earlier: Vec::new(),
            n_staged: 0,
            own_file,
        };
        let connection = target.connection();
        connection.busy_timeout(PATIENCE).map_err(of_database)?;
        // Views of the earlier table become views of the new one; the pages of the earlier one are wiped.
        connection
            .execute_batch("PRAGMA legacy_alter_table = ON; PRAGMA secure_delete = ON;")
            .map_err(of_database)?;
        connection.execute_batch("BEGIN IMMEDIATE").map_err(|error| {
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) {
                return Kind::Busy { address: address.to_string(), table: name.to_owned() }.into();
            }
            of_database(error)
        })?;
        for place in target.names.clone() {
            let found: Option<String> = target
                .connection()
                .query_row(
                    "SELECT type FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE",
                    [&place],
                    |row| row.get(0),
                )
                .optional()
                .map_err(of_database)?;
            match found.as_deref() {
                None => {}
                Some("table") => target.earlier.push(place),
                Some(_) => {
                    return Err(Kind::Target {
                        address: address.to_string(),
                        table: place,
                        problem: "is no table".into(),
                        hint: "name another table",
                    }
                    .into());
                }
            }
        }
        Ok(target)
    }

    fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("it is there until it is published")
    }

    pub(crate) fn earlier(&mut self, missing: &Missing) -> Result<Vec<Table>, Error> {
        self.earlier.iter().map(|name| self.rows(&quoted(name), missing)).collect()
    }

    pub(crate) fn stage(&mut self, tables: &[&Table]) -> Result<(), Error> {
        for (at, table) in tables.iter().enumerate() {
            self.write(&staging(at), table)?;
            self.n_staged = at + 1;
        }
        Ok(())
    }

    pub(crate) fn read(&mut self, missing: &Missing) -> Result<Vec<Table>, Error> {
        (0..self.n_staged).map(|at| self.rows(&staging(at), missing)).collect()
    }

    pub(crate) fn publish(mut self) -> Result<Vec<String>, Error> {
        let mut published = Vec::new();
        for (at, name) in self.names.iter().enumerate().take(self.n_staged) {
            if self.earlier.contains(name) {
                self.execute(&format!("DROP TABLE {}", quoted(name)))?;
            }
            self.execute(&format!("ALTER TABLE {} RENAME TO {}", staging(at), quoted(name)))?;
            published.push(format!("{}#{name}", self.address));
        }
        self.execute("COMMIT")?;
        self.own_file = None;
        Ok(published)
    }

    fn execute(&self, statement: &str) -> Result<(), Error> {
        let answer = self.connection().execute_batch(statement);
        answer.map_err(|error| refused(&self.address, &error))
    }

    fn rows(&self, name: &str, missing: &Missing) -> Result<Table, Error> {
        let rows = Rows::Table(name.to_owned());
        Ok(rows_of(self.connection(), &self.address, &rows, missing, &|_, _| {})?.table)
    }

    /// Makes a table and inserts the rows.
    fn write(&self, name: &str, table: &Table) -> Result<(), Error> {
        let of_database = |error: rusqlite::Error| refused(&self.address, &error);
        let typed = batches_of(table, None)?;
        let columns = table.columns().iter().zip(typed.schema.fields());
        let is_integer: Vec<bool> =
            columns.clone().map(|(_, field)| *field.data_type() == DataType::Int64).collect();
        let columns: Vec<String> = columns
            .zip(&is_integer)
            .map(|((column, _), is_integer)| {
                let affinity = if *is_integer { "INTEGER" } else { "TEXT" };
                format!("{} {affinity}", quoted(column.name()))
            })
            .collect();
        self.execute(&format!("CREATE TABLE {name} ({})", columns.join(", ")))?;
        let places = vec!["?"; columns.len()].join(", ");
        let mut insert = self
            .connection()
            .prepare(&format!("INSERT INTO {name} VALUES ({places})"))
            .map_err(of_database)?;
        let nulls = &typed.batches[0];
        for row in 0..table.n_rows() {
            kohort_core::alive_at(row);
            let cells = table.columns().iter().enumerate().map(|(at, column)| {
                if nulls.column(at).is_null(row) {
                    return Value::Null;
                }
                let text = column.dictionary().get(column.codes().get(row));
                // Whole numbers that come back as they are, or texts.
                let number = is_integer[at].then(|| text.parse().ok()).flatten();
                number.map_or_else(|| Value::Text(text.to_owned()), Value::Integer)
            });
            insert.execute(params_from_iter(cells)).map_err(of_database)?;
        }
        Ok(())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        drop(self.connection.take());
        if let Some(file) = &self.own_file {
            let _ = kohort_io::remove_file(file);
        }
    }
}

fn staging(at: usize) -> String {
    quoted(&format!("kohort_staging_{at}"))
}

//! A transaction of SQLite in which questions are asked.
//!
//! A value has its own type in SQLite, whatever its column says, so that types are found by looking, as they are
//! in a file. SQLite runs in this process: nothing leaves it for that.

use std::path::Path;

use kohort_core::{Domain, Missing, ValueType, visible};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags};

use super::{refused, rows_of};
use crate::address::quoted;
use crate::session::{Answer, Reading};
use crate::{Address, Error, Kind, Rows};

/// A transaction that sees one state of the file. It ends with the connection.
pub(crate) struct Session {
    connection: Connection,
    address: Address,
    missing: Missing,
}

impl Session {
    pub(crate) fn open(
        (address, path): (&Address, &Path),
        missing: &Missing,
    ) -> Result<Self, Error> {
        if !path.is_file() {
            return Err(Kind::NoFile { path: path.display().to_string() }.into());
        }
        let refused = |error: rusqlite::Error| refused(address, &error);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(refused)?;
        add_functions(&connection, missing).map_err(refused)?;
        connection.execute_batch("BEGIN").map_err(refused)?;
        Ok(Self { connection, address: address.clone(), missing: missing.clone() })
    }

    pub(crate) fn columns(&mut self, rows: &Rows) -> Result<Vec<String>, Error> {
        let prepared = self.connection.prepare(&rows.sql());
        let statement = prepared.map_err(|error| refused(&self.address, &error))?;
        if !statement.readonly() || statement.column_count() == 0 {
            return Err(Kind::Writes { address: self.address.to_string() }.into());
        }
        Ok(statement.column_names().map(str::to_owned).collect())
    }

    pub(crate) fn reading(
        &mut self,
        rows: &Rows,
        column: &str,
        asked: Option<ValueType>,
    ) -> Result<Reading, Error> {
        let (address, name) = (self.address.to_string(), quoted(column));
        if !self.columns(rows)?.iter().any(|other| other == column) {
            return Err(Kind::NoColumn { address, column: column.to_owned() }.into());
        }
        let text = format!("kohort_text({name})");
        let query = format!("SELECT DISTINCT {text} AS {name} FROM ({}) AS found", rows.sql());
        let query = Rows::Query(query);
        let read = rows_of(&self.connection, &self.address, &query, &self.missing, &|_, _| {})?;
        let table = &read.table;
        let Some(found) = table.columns().first() else {
            return Err(Kind::NoColumn { address, column: column.to_owned() }.into());
        };
        let value_type = asked.unwrap_or(found.value_type());
        // What is wrong with a value is not told by its row: there is one for each different value here.
        let Ok(domain) = Domain::new(table, found, Some(value_type), &|_| false) else {
            let column = column.to_owned();
            return Err(Kind::NotOfType { address, column, expected: value_type }.into());
        };
        let texts = found.dictionary().iter().filter(|text| !self.missing.is(text)).count();
        let sql = match value_type {
            ValueType::Integer => format!("CAST({text} AS INTEGER)"),
            ValueType::Decimal => format!("CAST({text} AS REAL)"),
            ValueType::Text => text,
            // One value has one text, or the database would take it for several.
            ValueType::Date | ValueType::Boolean if texts == domain.values().len() => text,
            ValueType::Date | ValueType::Boolean => {
                return Err(Kind::Spellings { address, column: column.to_owned() }.into());
            }
        };
        Ok(Reading { value_type, sql })
    }

    pub(crate) fn ask(&mut self, sql: &str) -> Result<Answer, Error> {
        self.answer(sql).map_err(|error| refused(&self.address, &error))
    }

    fn answer(&self, sql: &str) -> rusqlite::Result<Answer> {
        let mut statement = self.connection.prepare(sql)?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let n = columns.len();
        let mut found = statement.query([])?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let cells = (0..n).map(|at| row.get_ref(at).map(written));
            rows.push(cells.collect::<rusqlite::Result<_>>()?);
        }
        Ok(Answer { columns, rows })
    }
}

/// The text of a value that is a figure.
fn written(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(format!("{number:?}")),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

/// The functions that statements use: two that SQLite may be built without, and how a text is read.
fn add_functions(connection: &Connection, missing: &Missing) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("ln", 1, flags, |context| of_number(context, f64::ln))?;
    connection.create_scalar_function("exp", 1, flags, |context| of_number(context, f64::exp))?;
    let missing = missing.clone();
    connection.create_scalar_function("kohort_text", 1, flags, move |context| {
        Ok(read_text(context.get_raw(0), &missing))
    })
}

fn of_number(context: &Context<'_>, function: fn(f64) -> f64) -> rusqlite::Result<Option<f64>> {
    Ok(context.get::<Option<f64>>(0)?.map(function))
}

/// A value as a text that a reader sees; NULL where it is missing. What is no text stays as it is.
fn read_text(value: ValueRef<'_>, missing: &Missing) -> Value {
    let text = match value {
        ValueRef::Null => return Value::Null,
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => format!("{number:?}"),
        ValueRef::Text(bytes) => match str::from_utf8(bytes) {
            Ok(text) => visible(text).into_owned(),
            Err(_) => return Value::Blob(bytes.to_vec()),
        },
        ValueRef::Blob(bytes) => return Value::Blob(bytes.to_vec()),
    };
    if missing.is(&text) { Value::Null } else { Value::Text(text) }
}

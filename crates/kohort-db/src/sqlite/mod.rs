//! Rows of an SQLite file. A value has its own type in SQLite, whatever its column says: each is read as its text.

mod catalog;
mod session;
mod target;

pub(crate) use catalog::Catalog;
pub(crate) use session::Session;
pub(crate) use target::Target;

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use kohort_core::Missing;
use kohort_io::{Read, table_of_batches};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::{Address, Error, Kind, Rows};

const BATCH: usize = 8192;

pub(crate) fn read(
    (address, path): (&Address, &Path),
    rows: &Rows,
    missing: &Missing,
    progress: &dyn Fn(u64, u64),
) -> Result<Read, Error> {
    if !path.is_file() {
        return Err(Kind::NoFile { path: path.display().to_string() }.into());
    }
    let refused = |error: rusqlite::Error| refused(address, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(refused)?;
    connection.execute_batch("BEGIN").map_err(refused)?;
    rows_of(&connection, address, rows, missing, progress)
}

/// The rows of a query, within the transaction that the connection has open.
fn rows_of(
    connection: &Connection,
    address: &Address,
    rows: &Rows,
    missing: &Missing,
    progress: &dyn Fn(u64, u64),
) -> Result<Read, Error> {
    let refused = |error: rusqlite::Error| refused(address, &error);
    let mut statement = connection.prepare(&rows.sql()).map_err(refused)?;
    if !statement.readonly() || statement.column_count() == 0 {
        return Err(Kind::Writes { address: address.to_string() }.into());
    }
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let fields = names.iter().map(|name| Field::new(name, DataType::Utf8, true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let mut batches = Batches {
        address,
        rows: statement.query([]).map_err(refused)?,
        schema: Arc::clone(&schema),
        names: &names,
        n_rows: 0,
        fault: None,
        progress,
    };
    let read = table_of_batches(rows.name(), &schema, &mut batches, missing.clone());
    match batches.fault {
        Some(fault) => Err(fault),
        None => Ok(read?),
    }
}

/// What the database says of a query: words of the query, never a cell.
fn refused(address: &Address, error: &rusqlite::Error) -> Error {
    let problem = match error {
        rusqlite::Error::SqliteFailure(code, message) => {
            message.clone().unwrap_or_else(|| code.to_string())
        }
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        rusqlite::Error::MultipleStatement => "the query is several statements".into(),
        other => other.to_string(),
    };
    Kind::Query { address: address.to_string(), problem }.into()
}

struct Batches<'a, 'r> {
    address: &'a Address,
    rows: rusqlite::Rows<'r>,
    schema: SchemaRef,
    names: &'a [String],
    n_rows: u64,
    /// Why there are no more batches, where something is wrong.
    fault: Option<Error>,
    progress: &'a dyn Fn(u64, u64),
}

impl Iterator for Batches<'_, '_> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.batch() {
            Ok(batch) => batch.map(Ok),
            Err(fault) => {
                let told = ArrowError::ExternalError(fault.to_string().into());
                self.fault = Some(fault);
                Some(Err(told))
            }
        }
    }
}

impl Batches<'_, '_> {
    /// The next rows; none at the end.
    fn batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        let mut columns: Vec<StringBuilder> =
            self.names.iter().map(|_| StringBuilder::new()).collect();
        let mut n = 0;
        while n < BATCH {
            let row = match self.rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => break,
                Err(error) => return Err(refused(self.address, &error)),
            };
            n += 1;
            self.n_rows += 1;
            for (at, column) in columns.iter_mut().enumerate() {
                let value = row.get_ref(at).map_err(|error| refused(self.address, &error))?;
                let place = || (self.address.to_string(), self.n_rows, self.names[at].clone());
                match value {
                    ValueRef::Null => column.append_null(),
                    ValueRef::Integer(number) => column.append_value(number.to_string()),
                    ValueRef::Real(number) => column.append_value(format!("{number:?}")),
                    ValueRef::Text(text) => {
                        let Ok(text) = str::from_utf8(text) else {
                            let (address, row, column) = place();
                            return Err(Kind::NotText { address, row, column }.into());
                        };
                        column.append_value(text);
                    }
                    ValueRef::Blob(_) => {
                        let (address, row, column) = place();
                        return Err(Kind::Blob { address, row, column }.into());
                    }
                }
            }
        }
        kohort_core::alive();
        (self.progress)(self.n_rows, 0);
        if n == 0 {
            return Ok(None);
        }
        let arrays = columns.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays.collect());
        Ok(Some(batch.expect("the columns have one length and the types of the schema")))
    }
}

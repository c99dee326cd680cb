//! Parquet and Arrow files, batch by batch.
//!
//! # Types
//! A column with a string where it was read is one of strings. Any other is of 64-bit integers, doubles
//! or truth values where every value is read back as it was written (`5`, `0.25` and `5.0`, `true`; but
//! not `1.50`, nor `5` beside `0.25`), and else of UTF-8 strings. Strings are handed over plain, not with
//! the table's dictionary: that holds texts which stand in no row, in the order in which the original has
//! them. An empty cell is null, but a string that was empty where it was read stays one.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use kohort_core::{Column, Table, Written};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::all_values;

const BATCH: usize = 8192;
/// How many rows of a Parquet file are kept in memory, packed.
const ROW_GROUP: usize = 16 * BATCH;

pub(super) fn write_parquet(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    write_parquet_rows(table, 0..table.n_rows(), out)
}

/// Writes some rows of a table as a Parquet file whose columns have the types of the whole table.
pub fn write_parquet_rows(
    table: &Table,
    rows: Range<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let batches = Batches { rows, ..Batches::new(table) };
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .build();
    // The writer wants to own something that threads can share: its bytes go on from memory.
    let schema = Arc::clone(&batches.schema);
    let mut writer =
        ArrowWriter::try_new(Vec::new(), schema, Some(properties)).map_err(io::Error::other)?;
    for batch in batches.iter() {
        writer.write(&batch.map_err(io::Error::other)?).map_err(io::Error::other)?;
        out.write_all(&std::mem::take(writer.inner_mut()))?;
    }
    out.write_all(&writer.into_inner().map_err(io::Error::other)?)
}

pub(super) fn write_arrow(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let batches = Batches::new(table);
    let fill = || -> Result<(), ArrowError> {
        let mut writer = FileWriter::try_new(out, &batches.schema)?;
        for batch in batches.iter() {
            writer.write(&batch?)?;
        }
        writer.finish()
    };
    fill().map_err(|error| match error {
        ArrowError::IoError(_, source) => source,
        other => io::Error::other(other),
    })
}

/// A table cut into record batches.
struct Batches<'a> {
    table: &'a Table,
    rows: Range<usize>,
    schema: Arc<Schema>,
}

impl<'a> Batches<'a> {
    fn new(table: &'a Table) -> Self {
        let fields: Vec<Field> = table.columns().iter().map(field_of).collect();
        Self { table, rows: 0..table.n_rows(), schema: Arc::new(Schema::new(fields)) }
    }

    fn iter(&self) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> {
        self.rows.clone().step_by(BATCH).map(|first| {
            kohort_core::alive();
            let rows = first..self.rows.end.min(first + BATCH);
            let columns = self.table.columns().iter().zip(self.schema.fields());
            let arrays = columns.map(|(column, field)| array(column, field, rows.clone()));
            RecordBatch::try_new(Arc::clone(&self.schema), arrays.collect())
        })
    }
}

/// The column's name and the narrowest type that every value comes back from as it was.
fn field_of(column: &Column) -> Field {
    counted_field_of(column, &column.counts())
}

/// The same, where the number of rows with each text is known.
pub(crate) fn counted_field_of(column: &Column, counts: &[u32]) -> Field {
    let data_type = if column.has_texts() {
        DataType::Utf8
    } else if all_values(column, counts, is_integer) {
        DataType::Int64
    } else if all_values(column, counts, is_double) {
        DataType::Float64
    } else if all_values(column, counts, |text| text.parse::<bool>().is_ok()) {
        DataType::Boolean
    } else {
        DataType::Utf8
    };
    Field::new(column.name(), data_type, true)
}

fn array(column: &Column, field: &Field, rows: Range<usize>) -> ArrayRef {
    let text = |row| column.dictionary().get(column.codes().get(row));
    // The one text that is not of the column's type is the empty one.
    match field.data_type() {
        DataType::Int64 => {
            let mut builder = Int64Builder::with_capacity(rows.len());
            rows.for_each(|row| builder.append_option(text(row).parse().ok()));
            Arc::new(builder.finish())
        }
        DataType::Float64 => {
            let mut builder = Float64Builder::with_capacity(rows.len());
            rows.for_each(|row| builder.append_option(text(row).parse().ok()));
            Arc::new(builder.finish())
        }
        DataType::Boolean => {
            let mut builder = BooleanBuilder::with_capacity(rows.len());
            rows.for_each(|row| builder.append_option(text(row).parse().ok()));
            Arc::new(builder.finish())
        }
        _ => {
            let mut builder = StringBuilder::with_capacity(rows.len(), 0);
            let is_text = |row| column.written(row) == Some(Written::Text);
            let text = |row| Some(text(row)).filter(|text| !text.is_empty() || is_text(row));
            rows.for_each(|row| builder.append_option(text(row)));
            Arc::new(builder.finish())
        }
    }
}

fn is_integer(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|number| number.to_string() == text)
}

/// Whether a reader prints a double as this text: with a point, and without an exponent.
fn is_double(text: &str) -> bool {
    let has_point = text.contains('.') && !text.contains(['e', 'E']);
    has_point
        && text != "-0.0"
        && text.parse::<f64>().is_ok_and(|number| format!("{number:?}") == text)
}

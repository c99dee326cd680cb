//! Parquet and Arrow files, batch by batch, every value as the text it would have in a CSV file.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::{CastOptions, can_cast_types, cast_with_options};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Schema, TimeUnit};
use kohort_core::Place;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::builder::{Builder, bad_text, check_names, check_rows, finish};
use crate::source::Counted;
use crate::{At, Encoding, Error, Kind, Options, Read};

const BATCH: usize = 8192;

/// Reads a Parquet file; progress is told by rows, as the file is not read from front to back.
pub(crate) fn read_parquet(
    file: File,
    name: String,
    total: u64,
    options: &Options,
    progress: &dyn Fn(u64, u64),
) -> Result<Read, Error> {
    let damaged = |error: parquet::errors::ParquetError| Kind::Damaged {
        name: name.clone(),
        format: "Parquet",
        source: error.into(),
    };
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
    let n_rows = builder.metadata().file_metadata().num_rows().max(1).unsigned_abs();
    let mut columns = Columns::new(name.clone(), "Parquet", builder.schema())?;
    for batch in builder.with_batch_size(BATCH).build().map_err(damaged)? {
        columns.push(batch)?;
        let share = u128::from(columns.n_rows) * u128::from(total) / u128::from(n_rows);
        progress(u64::try_from(share).unwrap_or(total).min(total), total);
    }
    columns.finish(options)
}

/// Reads an Arrow file, or an Arrow stream where the file's magic is not there.
pub(crate) fn read_arrow(
    mut file: Counted<'_, File>,
    name: String,
    options: &Options,
) -> Result<Read, Error> {
    let mut magic = Vec::new();
    file.by_ref()
        .take(6)
        .read_to_end(&mut magic)
        .and_then(|_| file.seek(SeekFrom::Start(0)))
        .map_err(|source| Kind::Read { name: name.clone(), source })?;
    let file = BufReader::new(file);
    let damaged = |error: ArrowError| Kind::Damaged {
        name: name.clone(),
        format: "Arrow",
        source: error.into(),
    };
    if magic == b"ARROW1" {
        let reader = FileReader::try_new(file, None).map_err(damaged)?;
        let columns = Columns::new(name.clone(), "Arrow", &reader.schema())?;
        columns.read(reader, options)
    } else {
        let reader = StreamReader::try_new(file, None).map_err(damaged)?;
        let columns = Columns::new(name.clone(), "Arrow", &reader.schema())?;
        columns.read(reader, options)
    }
}

struct Columns {
    name: String,
    format: &'static str,
    names: Vec<String>,
    builders: Vec<Builder>,
    n_rows: u64,
}

impl Columns {
    fn new(name: String, format: &'static str, schema: &Schema) -> Result<Self, Error> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        check_names(&name, &names)?;
        for field in schema.fields() {
            if let Some(found) = unreadable(field.data_type()) {
                let column = field.name().clone();
                return Err(Kind::ColumnType { name, column, found }.into());
            }
        }
        let builders = names.iter().map(|_| Builder::default()).collect();
        Ok(Self { name, format, names, builders, n_rows: 0 })
    }

    fn read(
        mut self,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        options: &Options,
    ) -> Result<Read, Error> {
        for batch in batches {
            self.push(batch)?;
        }
        self.finish(options)
    }

    fn push(&mut self, batch: Result<RecordBatch, ArrowError>) -> Result<(), Error> {
        let batch = batch.map_err(|error| Kind::Damaged {
            name: self.name.clone(),
            format: self.format,
            source: error.into(),
        })?;
        let last = self.n_rows + batch.num_rows() as u64;
        check_rows(last.saturating_sub(1), || self.at(last, None))?;
        for (column, array) in batch.columns().iter().enumerate() {
            let Ok(texts) = texts(array) else {
                let column = self.names[column].clone();
                let (name, first) = (self.name.clone(), self.n_rows + 1);
                return Err(Kind::Unprintable { name, column, first, last }.into());
            };
            for (row, text) in (self.n_rows + 1..).zip(texts.as_string::<i32>()) {
                let text = text.unwrap_or_default();
                self.builders[column].push(text.as_bytes(), row).map_err(|problem| {
                    bad_text(problem, self.at(row, Some(column)), Encoding::Utf8)
                })?;
            }
        }
        self.n_rows = last;
        Ok(())
    }

    fn at(&self, row: u64, column: Option<usize>) -> At {
        At {
            name: self.name.clone(),
            place: Place::Row(row),
            column: column.map(|column| column + 1),
            column_name: column.map(|column| self.names[column].clone()),
        }
    }

    fn finish(self, options: &Options) -> Result<Read, Error> {
        let Self { name, names, builders, n_rows, .. } = self;
        if n_rows == 0 || names.is_empty() {
            return Err(Kind::NoRows { name, header: false }.into());
        }
        Ok(finish(name, names, builders, false, &options.missing, Vec::new()))
    }
}

/// Why a type has no text.
fn unreadable(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::Dictionary(_, values) => unreadable(values),
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Some("binary"),
        other if other.is_nested() || !can_cast_types(other, &DataType::Utf8) => Some("nested"),
        _ => None,
    }
}

fn texts(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(&in_utc(array), &DataType::Utf8, &options)
}

/// Times with a zone as the same times in UTC: what a zone's name means changes from year to year.
fn in_utc(array: &ArrayRef) -> ArrayRef {
    macro_rules! utc {
        ($unit:ty) => {
            Arc::new(array.as_primitive::<$unit>().clone().with_timezone("+00:00"))
        };
    }
    match array.data_type() {
        DataType::Timestamp(unit, Some(_)) => match unit {
            TimeUnit::Second => utc!(TimestampSecondType),
            TimeUnit::Millisecond => utc!(TimestampMillisecondType),
            TimeUnit::Microsecond => utc!(TimestampMicrosecondType),
            TimeUnit::Nanosecond => utc!(TimestampNanosecondType),
        },
        _ => Arc::clone(array),
    }
}

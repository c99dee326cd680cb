//! Parquet and Arrow files, batch by batch, every value as the text it would have in a CSV file.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read as _, Seek, SeekFrom};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Once};
use std::thread;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_cast::{CastOptions, can_cast_types, cast_with_options};
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::root_as_footer;
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use kohort_core::{Place, Told, Written};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::builder::{Builder, bad_text, check_names, check_rows, finish};
use crate::source::Counted;
use crate::unpack::{UNPACKED_LIMIT, past_limit};
use crate::{At, Encoding, Error, Kind, Options, Read};

const BATCH: usize = 8192;
const CHUNK: usize = 64 << 10;
const MAGIC: &[u8; 6] = b"ARROW1";

/// Reads a Parquet file; progress is told by rows, as the file is not read from front to back.
pub(crate) fn read_parquet(
    file: File,
    name: &str,
    total: u64,
    options: &Options,
    progress: &dyn Fn(u64, u64),
) -> Result<Read, Error> {
    let format = Format { name, title: "Parquet" };
    let builder = format.guard(|| ParquetRecordBatchReaderBuilder::try_new(file))?;
    let n_rows = builder.metadata().file_metadata().num_rows().max(1).unsigned_abs();
    let mut columns = Columns::new(name.to_owned(), builder.schema(), options)?;
    let keys = builder.metadata().file_metadata().key_value_metadata().into_iter().flatten();
    // The schema of the columns, of which the metadata is looked at on its own.
    let foreign = keys.map(|pair| pair.key.clone()).filter(|key| key != "ARROW:schema");
    columns.metadata.extend(foreign);
    let mut batches = format.guard(|| builder.with_batch_size(BATCH).build())?;
    while let Some(batch) = format.guard(|| batches.next().transpose())? {
        columns.push(&format, &batch)?;
        let share = u128::from(columns.n_rows) * u128::from(total) / u128::from(n_rows);
        progress(u64::try_from(share).unwrap_or(total).min(total), total);
    }
    columns.finish(options)
}

/// Reads an Arrow file, or an Arrow stream where the file's magic is not there. A file is a stream
/// between a magic and a footer, and read as one: the stream's decoder believes no length before it
/// has the bytes.
pub(crate) fn read_arrow(
    mut file: Counted<'_, File>,
    name: &str,
    total: u64,
    options: &Options,
) -> Result<Read, Error> {
    let format = Format { name, title: "Arrow" };
    let failed = |source| Kind::Read { name: name.to_owned(), source };
    let stream = find_stream(&mut file, total).map_err(failed)?;
    let Some((start, end)) = stream else {
        return Err(format.damaged("the footer is not in its place"));
    };
    let footer = read_footer(&mut file, end, total).map_err(failed)?;
    let of_footer =
        format.guard(|| Ok::<_, Infallible>(footer.map(|bytes| footer_keys(&bytes))))?;
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    let mut stream = file.take(end - start);
    let mut decoder = StreamDecoder::new();
    let mut columns = None;
    let mut chunk = vec![0; CHUNK];
    loop {
        let n = stream.read(&mut chunk).map_err(failed)?;
        let mut buffer = Buffer::from(&chunk[..n]);
        while !buffer.is_empty() {
            let batch = format.guard(|| decoder.decode(&mut buffer))?;
            if let (None, Some(schema)) = (&columns, decoder.schema()) {
                columns = Some(Columns::new(name.to_owned(), &schema, options)?);
            }
            if let (Some(columns), Some(batch)) = (&mut columns, batch) {
                columns.push(&format, &batch)?;
            }
        }
        if n == 0 {
            break;
        }
    }
    format.guard(|| decoder.finish())?;
    match columns {
        Some(mut columns) => {
            columns.metadata.extend(of_footer.into_iter().flatten());
            columns.finish(options)
        }
        None => Err(format.damaged("there is no schema")),
    }
}

/// Where the stream of an Arrow file begins and ends: after the magic and its padding of 2 to 58
/// zeros, before the footer, the footer's length and the magic again.
fn find_stream(file: &mut Counted<'_, File>, total: u64) -> io::Result<Option<(u64, u64)>> {
    let mut magic = Vec::new();
    file.by_ref().take(6).read_to_end(&mut magic)?;
    if magic != MAGIC {
        return Ok(Some((0, u64::MAX)));
    }
    let Some(tail) = total.checked_sub(10).filter(|&tail| tail >= 8) else { return Ok(None) };
    let mut start = 8;
    let mut word = [0; 8];
    while word == [0; 8] && start < tail {
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut word)?;
        start += 8;
    }
    let start = start - 8;
    file.seek(SeekFrom::Start(tail))?;
    let mut end = [0; 10];
    file.read_exact(&mut end)?;
    let [a, b, c, d, magic @ ..] = end;
    let end = tail.checked_sub(u64::from(u32::from_le_bytes([a, b, c, d])));
    Ok(end.filter(|&end| magic == *MAGIC && end >= start).map(|end| (start, end)))
}

/// The footer of an Arrow file, which ends with it; none of a stream.
fn read_footer(
    file: &mut Counted<'_, File>,
    start: u64,
    total: u64,
) -> io::Result<Option<Vec<u8>>> {
    let Some(length) = total.checked_sub(10).and_then(|end| end.checked_sub(start)) else {
        return Ok(None);
    };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.by_ref().take(length).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The keys of the metadata in the footer of an Arrow file and in its copy of the schema.
fn footer_keys(bytes: &[u8]) -> Vec<String> {
    // What does not read as a footer may hold anything.
    let Ok(footer) = root_as_footer(bytes) else { return vec!["footer".to_owned()] };
    let pairs = footer.custom_metadata().into_iter().flatten();
    let keys = pairs.map(|pair| pair.key().unwrap_or_default().to_owned());
    let of_schema = footer.schema().map(|schema| keys_of_schema(&fb_to_schema(schema)));
    keys.chain(of_schema.into_iter().flatten()).collect()
}

/// The keys of the metadata of a schema and of its columns, in order.
fn keys_of_schema(schema: &Schema) -> Vec<String> {
    let of_columns = schema.fields().iter().flat_map(|field| field.metadata().keys());
    let keys: BTreeSet<&String> = schema.metadata().keys().chain(of_columns).collect();
    keys.into_iter().cloned().collect()
}

/// What a file should be.
struct Format<'a> {
    name: &'a str,
    title: &'static str,
}

impl Format<'_> {
    fn damaged(&self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        let (name, format) = (self.name.to_owned(), self.title);
        Kind::Damaged { name, format, source: source.into() }.into()
    }

    /// Runs one step of a format's reader. These readers refuse most damage with an error, but
    /// panic on some, such as definition levels that end early.
    fn guard<T, E>(&self, step: impl FnOnce() -> Result<T, E>) -> Result<T, Error>
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        match quietly(step) {
            Ok(result) => result.map_err(|error| self.damaged(error)),
            Err(_) => Err(self.damaged("what it says of itself does not agree")),
        }
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Catches a panic and its message, which might quote a cell. Other panics are reported as before.
fn quietly<T>(step: impl FnOnce() -> T) -> thread::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                hook(info);
            }
        }));
    });
    QUIET.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(step));
    QUIET.set(false);
    result
}

/// What a field tells: of strings, which are null.
fn told(field: &Field) -> Told {
    let of_values = match field.data_type() {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    match of_values {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Told::Nulls,
        _ => Told::Nothing,
    }
}

struct Columns {
    name: String,
    names: Vec<String>,
    builders: Vec<Builder>,
    n_rows: u64,
    // The bytes that the texts of cells may have, and those that are left of them.
    limit: u64,
    n_left: u64,
    metadata: Vec<String>,
}

impl Columns {
    fn new(name: String, schema: &Schema, options: &Options) -> Result<Self, Error> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        check_names(&name, None, &names)?;
        for field in schema.fields() {
            if let Some(found) = unreadable(field.data_type()) {
                let column = field.name().clone();
                return Err(Kind::ColumnType { name, column, found }.into());
            }
        }
        let builders = schema.fields().iter().map(|field| Builder::new(told(field))).collect();
        let limit = options.unpacked_limit.unwrap_or(UNPACKED_LIMIT);
        let metadata = keys_of_schema(schema);
        Ok(Self { name, names, builders, n_rows: 0, limit, n_left: limit, metadata })
    }

    fn push(&mut self, format: &Format<'_>, batch: &RecordBatch) -> Result<(), Error> {
        let last = self.n_rows + batch.num_rows() as u64;
        check_rows(last.saturating_sub(1), || self.at(last, None))?;
        for (column, array) in batch.columns().iter().enumerate() {
            let Ok(texts) = format.guard(|| Ok::<_, Infallible>(texts(array)))? else {
                let column = self.names[column].clone();
                let (name, first) = (self.name.clone(), self.n_rows + 1);
                return Err(Kind::Unprintable { name, column, first, last }.into());
            };
            for (row, text) in (self.n_rows + 1..).zip(texts.as_string::<i32>()) {
                let written = if text.is_some() { Written::Text } else { Written::Null };
                let cell = text.unwrap_or_default().as_bytes();
                // With what would stand between two cells.
                let left = self.n_left.checked_sub(cell.len() as u64 + 1);
                self.n_left = left.ok_or_else(|| past_limit(self.name.clone(), self.limit))?;
                let builder = &mut self.builders[column];
                let pushed = match builder.writing.told() {
                    Told::Nothing => builder.push(cell, row),
                    _ => builder.push_as(cell, written, row),
                };
                pushed.map_err(|problem| {
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
        let Self { name, names, builders, n_rows, mut metadata, .. } = self;
        if n_rows == 0 || names.is_empty() {
            return Err(Kind::NoRows { name, header: false }.into());
        }
        metadata.sort_unstable();
        metadata.dedup();
        let read = finish(name, names, builders, false, &options.missing, Vec::new());
        Ok(Read { metadata, ..read })
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

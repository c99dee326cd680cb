//! Parquet and Arrow files, batch by batch, every value as the text it would have in a CSV file.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs::File;
use std::io::{Read as _, Seek, SeekFrom};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Arc, Once};
use std::thread;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow_buffer::Buffer;
use arrow_cast::{CastOptions, can_cast_types, cast_with_options};
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder};
use arrow_ipc::{Block, root_as_footer};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use arrow_select::take::take;
use kohort_core::{BadText, Cancelled, Missing, Place, Told, Written, alive, alive_at};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rayon::prelude::*;

use crate::builder::{Builder, bad_text, check_names, check_rows, finish};
use crate::distinct::Distinct;
use crate::source::{Counted, file_name, open};
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

/// The names and types of the columns of a Parquet file, as far as values can differ: how texts are packed
/// is no type.
pub(crate) fn parquet_types(path: &Path) -> Result<Vec<(String, String)>, Error> {
    let (file, _) = open(path)?;
    let name = file_name(path);
    let format = Format { name: &name, title: "Parquet" };
    let builder = format.guard(|| ParquetRecordBatchReaderBuilder::try_new(file))?;
    let plain = |found: &DataType| match found {
        DataType::Dictionary(_, values) => (**values).clone(),
        DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        other => other.clone(),
    };
    let fields = builder.schema().fields().iter();
    Ok(fields
        .map(|field| (field.name().clone(), plain(&plain(field.data_type())).to_string()))
        .collect())
}

/// Reads an Arrow file by its footer, or an Arrow stream where the file's magic is not there.
pub(crate) fn read_arrow(
    mut file: Counted<'_, File>,
    name: &str,
    total: u64,
    options: &Options,
) -> Result<Read, Error> {
    let failed = |source| Kind::Read { name: name.to_owned(), source };
    let format = Format { name, title: "Arrow" };
    let mut magic = Vec::new();
    file.by_ref().take(6).read_to_end(&mut magic).map_err(failed)?;
    let columns = if magic == MAGIC {
        read_arrow_file(&mut file, &format, total, options)?
    } else {
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        read_arrow_stream(file, &format, options)?
    };
    columns.finish(options)
}

/// Reads the blocks that the footer of an Arrow file names. What stands before them, such as a schema, is
/// only for who reads the file as a stream, and some writers leave its length out.
fn read_arrow_file(
    file: &mut Counted<'_, File>,
    format: &Format<'_>,
    total: u64,
    options: &Options,
) -> Result<Columns, Error> {
    let (bytes, end) = read_footer(file, format, total)?;
    let footer =
        format.guard(|| root_as_footer(&bytes).map_err(|_| "the footer cannot be read"))?;
    let schema = footer.schema().ok_or_else(|| format.damaged("there is no schema"))?;
    let schema = format.guard(|| Ok::<_, Infallible>(fb_to_schema(schema)))?;
    let mut columns = Columns::new(format.name.to_owned(), &schema, options)?;
    let pairs = footer.custom_metadata().into_iter().flatten();
    columns.metadata.extend(pairs.map(|pair| pair.key().unwrap_or_default().to_owned()));
    let mut decoder = FileDecoder::new(Arc::new(schema), footer.version());
    // Blocks do not overlap, so that together they are no longer than the file.
    let mut left = end;
    for block in footer.dictionaries().iter().flatten() {
        let buffer = read_block(file, format, block, (&mut left, end))?;
        format.guard(|| decoder.read_dictionary(block, &buffer))?;
    }
    for block in footer.recordBatches().iter().flatten() {
        let buffer = read_block(file, format, block, (&mut left, end))?;
        if let Some(batch) = format.guard(|| decoder.read_record_batch(block, &buffer))? {
            columns.push(format, &batch)?;
        }
    }
    Ok(columns)
}

/// The footer of an Arrow file and where it begins. It stands before its length and the magic.
fn read_footer(
    file: &mut Counted<'_, File>,
    format: &Format<'_>,
    total: u64,
) -> Result<(Vec<u8>, u64), Error> {
    let failed = |source| Kind::Read { name: format.name.to_owned(), source };
    let misplaced = || format.damaged("the footer is not in its place");
    let tail = total.checked_sub(10).ok_or_else(misplaced)?;
    file.seek(SeekFrom::Start(tail)).map_err(failed)?;
    let mut ending = [0; 10];
    file.read_exact(&mut ending).map_err(failed)?;
    let [a, b, c, d, magic @ ..] = ending;
    let length = u32::from_le_bytes([a, b, c, d]);
    let start = tail.checked_sub(u64::from(length)).filter(|&start| start >= 8);
    let start = start.filter(|_| magic == *MAGIC).ok_or_else(misplaced)?;
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    let mut footer = Vec::new();
    file.by_ref().take(u64::from(length)).read_to_end(&mut footer).map_err(failed)?;
    Ok((footer, start))
}

/// The bytes of a block of an Arrow file that lies before `end`; `left` bytes may still be in blocks.
fn read_block(
    file: &mut Counted<'_, File>,
    format: &Format<'_>,
    block: &Block,
    (left, end): (&mut u64, u64),
) -> Result<Buffer, Error> {
    let failed = |source| Kind::Read { name: format.name.to_owned(), source };
    let outside = || format.damaged("a block is not in its place");
    let offset = u64::try_from(block.offset()).map_err(|_| outside())?;
    let metadata = u64::try_from(block.metaDataLength()).map_err(|_| outside())?;
    let body = u64::try_from(block.bodyLength()).map_err(|_| outside())?;
    let length = metadata.checked_add(body).ok_or_else(outside)?;
    let is_inside = offset.checked_add(length).is_some_and(|last| last <= end);
    *left = left.checked_sub(length).filter(|_| is_inside).ok_or_else(outside)?;
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let mut bytes = Vec::new();
    file.by_ref().take(length).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 != length {
        return Err(outside());
    }
    Ok(Buffer::from_vec(bytes))
}

/// Reads an Arrow stream; its decoder believes no length before it has the bytes.
fn read_arrow_stream(
    mut stream: Counted<'_, File>,
    format: &Format<'_>,
    options: &Options,
) -> Result<Columns, Error> {
    let failed = |source| Kind::Read { name: format.name.to_owned(), source };
    let mut decoder = StreamDecoder::new();
    let mut columns = None;
    let mut chunk = vec![0; CHUNK];
    loop {
        let n = stream.read(&mut chunk).map_err(failed)?;
        let mut buffer = Buffer::from(&chunk[..n]);
        while !buffer.is_empty() {
            let batch = format.guard(|| decoder.decode(&mut buffer))?;
            if let (None, Some(schema)) = (&columns, decoder.schema()) {
                columns = Some(Columns::new(format.name.to_owned(), &schema, options)?);
            }
            if let (Some(columns), Some(batch)) = (&mut columns, batch) {
                columns.push(format, &batch)?;
            }
        }
        if n == 0 {
            break;
        }
    }
    format.guard(|| decoder.finish())?;
    columns.ok_or_else(|| format.damaged("there is no schema"))
}

/// A table of record batches in memory, which share a schema.
pub(crate) fn of_batches(
    name: &str,
    schema: &Schema,
    batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
    missing: Missing,
) -> Result<Read, Error> {
    let options = Options { missing, unpacked_limit: Some(u64::MAX), ..Options::default() };
    let format = Format { name, title: "Arrow" };
    let mut columns = Columns::new(name.to_owned(), schema, &options)?;
    let mut batches = batches.into_iter();
    while let Some(batch) = format.guard(|| batches.next().transpose())? {
        if batch.schema().fields() != schema.fields() {
            return Err(format.damaged("a batch has other columns than the schema says"));
        }
        columns.push(&format, &batch)?;
    }
    columns.finish(&options)
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
            Err(panic) if panic.is::<Cancelled>() => panic::resume_unwind(panic),
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

    /// Adds the rows of a batch, column by column on all threads.
    fn push(&mut self, format: &Format<'_>, batch: &RecordBatch) -> Result<(), Error> {
        alive();
        let first = self.n_rows + 1;
        let last = self.n_rows + batch.num_rows() as u64;
        check_rows(last.saturating_sub(1), || self.at(last, None))?;
        let is_limited = self.limit < u64::MAX;
        let mut builders = std::mem::take(&mut self.builders);
        let columns = builders.par_iter_mut().zip(batch.columns()).enumerate();
        let pushed = columns.map(|(column, (builder, array))| {
            let Ok(texts) = format.guard(|| Ok::<_, Infallible>(Texts::of(array)))? else {
                let column = self.names[column].clone();
                let name = self.name.clone();
                return Err(Kind::Unprintable { name, column, first, last }.into());
            };
            let bad = |problem, row| bad_text(problem, self.at(row, Some(column)), Encoding::Utf8);
            let pushed = push_column(builder, &texts, first, bad);
            // Nobody asks for the size of what is in memory already.
            pushed.map(|()| if is_limited { texts.n_bytes() } else { 0 })
        });
        let pushed: Vec<Result<u64, Error>> = pushed.collect();
        self.builders = builders;
        for n_bytes in pushed {
            let left = self.n_left.checked_sub(n_bytes?);
            self.n_left = left.ok_or_else(|| past_limit(self.name.clone(), self.limit))?;
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

/// Adds the cells of one column, whose first row has this number; a text that several rows share is looked up
/// once.
fn push_column(
    builder: &mut Builder,
    texts: &Texts,
    first: u64,
    bad: impl Fn(BadText, u64) -> Error,
) -> Result<(), Error> {
    let Texts { values, distinct } = texts;
    let values = values.as_string::<i32>();
    let mut known = Vec::with_capacity(values.len());
    for (at, &row) in distinct.firsts.iter().enumerate() {
        alive_at(at);
        let text = values.is_valid(at).then(|| values.value(at));
        let written = if text.is_some() { Written::Text } else { Written::Null };
        let (cell, row) = (text.unwrap_or_default().as_bytes(), first + u64::from(row));
        let code = builder.dictionary.intern(cell, row).map_err(|problem| bad(problem, row))?;
        known.push((code, written));
    }
    builder.push_known(&distinct.numbers, &known);
    Ok(())
}

/// Why a type has no text.
fn unreadable(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::Dictionary(_, values) => unreadable(values),
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Some("binary"),
        DataType::Duration(_) | DataType::Interval(_) => Some("duration"),
        other if other.is_nested() || !can_cast_types(other, &DataType::Utf8) => Some("nested"),
        _ => None,
    }
}

/// A column of a batch as texts, each of which is made once.
struct Texts {
    /// The text of each distinct value.
    values: ArrayRef,
    distinct: Distinct,
}

impl Texts {
    fn of(array: &ArrayRef) -> Result<Self, ArrowError> {
        if let Some(distinct) = Distinct::of(array) {
            let firsts = UInt32Array::from(distinct.firsts.clone());
            return Ok(Self { values: text(&take(array, &firsts, None)?)?, distinct });
        }
        let texts = text(array)?;
        let distinct = Distinct::of(&texts).expect("texts have bits");
        let firsts = UInt32Array::from(distinct.firsts.clone());
        Ok(Self { values: take(&texts, &firsts, None)?, distinct })
    }

    /// How many bytes the texts of all rows are, with what would stand between two cells.
    fn n_bytes(&self) -> u64 {
        let values = self.values.as_string::<i32>();
        let length = |at: usize| if values.is_valid(at) { values.value(at).len() } else { 0 };
        let lengths: Vec<u64> = (0..values.len()).map(|at| length(at) as u64 + 1).collect();
        let of_rows = self.distinct.numbers.iter().map(|&number| lengths[number as usize]);
        of_rows.fold(0, u64::saturating_add)
    }
}

pub(crate) fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, ArrowError> {
    cast_with_options(array, to, &CastOptions { safe: false, ..CastOptions::default() })
}

/// Every value as the text it would have in a CSV file.
pub(crate) fn text(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    cast(&in_utc(array), &DataType::Utf8)
}

/// Times with a zone as the same times in UTC: what a zone's name means changes from year to year.
fn in_utc(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Timestamp(_, Some(_)) => in_zone(array, "+00:00"),
        _ => Arc::clone(array),
    }
}

/// The same times, to be shown in a zone.
pub(crate) fn in_zone(times: &ArrayRef, zone: &str) -> ArrayRef {
    macro_rules! zoned {
        ($unit:ty) => {
            Arc::new(times.as_primitive::<$unit>().clone().with_timezone(zone))
        };
    }
    match times.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => zoned!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => zoned!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => zoned!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => zoned!(TimestampNanosecondType),
        _ => Arc::clone(times),
    }
}

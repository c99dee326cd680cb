//! Tables in and out of Arrow's record batches, in memory.
//!
//! # Promise
//! What [`batches_of`] makes, [`table_of_batches`] reads back cell for cell. A column has the type that was
//! asked for only where every one of its texts comes back from that type as it was; else it has the type of
//! a file ([`crate::write_table`]), with texts as views where those that were asked for are. No text that stands
//! in no row reaches a batch.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, RecordBatch, UInt8Array, UInt16Array, UInt32Array,
    new_null_array,
};
use arrow_buffer::BooleanBuffer;
use arrow_cast::can_cast_types;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use kohort_core::{Codes, Column, Missing, Table, Written};
use rayon::prelude::*;

use crate::columnar::{cast, in_zone, of_batches, text};
use crate::write_table::counted_field_of;
use crate::{Error, Kind, Read};

/// Record batches of one schema.
#[derive(Clone)]
pub struct RecordBatches {
    /// The columns.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
}

/// A table of record batches that share a schema, under a name for messages. Numbers, dates and dictionaries
/// are read by their distinct values, without a copy of their texts for each row.
///
/// # Errors
/// When a column is binary or nested, two columns have one name, there is no row, or a batch is an error.
pub fn table_of_batches(
    name: &str,
    schema: &Schema,
    batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
    missing: Missing,
) -> Result<Read, Error> {
    of_batches(name, schema, batches, missing)
}

/// The rows of a table as one record batch. A column that `like` names has the type it has there, if every one
/// of its texts comes back from that type as it is.
pub fn batches_of(table: &Table, like: Option<&Schema>) -> Result<RecordBatches, Error> {
    let arrays = table.columns().par_iter().map(|column| {
        let asked = like.and_then(|schema| schema.field_with_name(column.name()).ok());
        let counts = column.counts();
        let typed = |field: Field| Some((array(column, &counts, &field)?, field));
        let asked = asked.and_then(|field| typed(plain(field)));
        asked.or_else(|| typed(own_field(column, &counts, like))).ok_or_else(|| {
            let source = ArrowError::CastError(format!("column `{}`", column.name()));
            Error::from(Kind::Damaged {
                name: table.name().to_owned(),
                format: "Arrow",
                source: source.into(),
            })
        })
    });
    let (arrays, fields): (Vec<ArrayRef>, Vec<Field>) =
        arrays.collect::<Result<Vec<_>, Error>>()?.into_iter().unzip();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|source| {
        let name = table.name().to_owned();
        Kind::Damaged { name, format: "Arrow", source: source.into() }
    })?;
    Ok(RecordBatches { schema, batches: vec![batch] })
}

/// The field that the column has by itself. A library that asks for views of texts copies all others.
fn own_field(column: &Column, counts: &[u32], like: Option<&Schema>) -> Field {
    let own = counted_field_of(column, counts);
    let has_views = |schema: &Schema| {
        schema.fields().iter().any(|field| *field.data_type() == DataType::Utf8View)
    };
    if *own.data_type() == DataType::Utf8 && like.is_some_and(has_views) {
        return own.with_data_type(DataType::Utf8View);
    }
    own
}

/// The field without its metadata, which nobody judged; any cell of a release may be null.
fn plain(field: &Field) -> Field {
    Field::new(field.name(), field.data_type().clone(), true)
}

/// The cells of a column in a type; none where some text would not come back from it as it is. `counts` are the
/// rows of each text.
fn array(column: &Column, counts: &[u32], field: &Field) -> Option<ArrayRef> {
    kohort_core::alive();
    let is_text = |data_type: &DataType| {
        matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
    };
    let keeps_empty = match field.data_type() {
        DataType::Dictionary(_, values) => is_text(values),
        other => is_text(other),
    };
    let mut texts = StringBuilder::new();
    for (text, &n_rows) in column.dictionary().iter().zip(counts) {
        let is_shown = n_rows > 0 && (!text.is_empty() || keeps_empty);
        texts.append_option(is_shown.then_some(text));
    }
    let texts: ArrayRef = Arc::new(texts.finish());
    let values = match field.data_type() {
        // Names of zones are not looked up: the texts of such times are in UTC.
        DataType::Timestamp(unit, Some(zone)) => {
            let utc = DataType::Timestamp(*unit, Some("+00:00".into()));
            in_zone(&cast(&texts, &utc).ok()?, zone)
        }
        DataType::Null => new_null_array(&DataType::Null, texts.len()),
        other if can_cast_types(&DataType::Utf8, other) => cast(&texts, other).ok()?,
        _ => return None,
    };
    if text(&values).ok()? != texts {
        return None;
    }
    take_rows(column, &values).ok()
}

/// The value of each row. The empty text is null unless it stood as a text.
fn take_rows(column: &Column, values: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    kohort_core::alive();
    if let Some(empty) = column.dictionary().find("") {
        let is_text = |row| column.written(row) == Some(Written::Text);
        let entries = column.codes().iter().enumerate();
        let rows = entries.map(|(row, entry)| (entry != empty || is_text(row)).then_some(entry));
        return take(values, &rows.collect::<UInt32Array>(), None);
    }
    if *values.data_type() == DataType::Boolean && values.null_count() == 0 {
        let truths: Vec<bool> = values.as_boolean().values().iter().collect();
        let truth = |row| truths[column.codes().get(row) as usize];
        let rows = BooleanBuffer::collect_bool(column.codes().len(), truth);
        return Ok(Arc::new(BooleanArray::from(rows)));
    }
    match column.codes() {
        Codes::U8(codes) => take(values, &UInt8Array::from(codes.clone()), None),
        Codes::U16(codes) => take(values, &UInt16Array::from(codes.clone()), None),
        Codes::U32(codes) => take(values, &UInt32Array::from(codes.clone()), None),
    }
}

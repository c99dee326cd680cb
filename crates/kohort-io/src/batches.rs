//! Tables in and out of Arrow's record batches, in memory.
//!
//! # Promise
//! What [`batches_of`] makes, [`table_of_batches`] reads back cell for cell. A column has the type that was
//! asked for only where every one of its texts comes back from that type as it was; else it has the type of
//! a file ([`crate::write_table`]). No text that stands in no row reaches a batch.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, UInt32Array, new_null_array};
use arrow_cast::can_cast_types;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use kohort_core::{Column, Missing, Table};
use rayon::prelude::*;

use crate::columnar::{cast, in_zone, of_batches, text};
use crate::write_table::field_of;
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
        let own = field_of(column);
        let typed = |field: &Field| array(column, field).map(|array| (field.clone(), array));
        let asked = asked.and_then(|field| typed(&plain(field)));
        asked.or_else(|| typed(&own)).ok_or_else(|| {
            let source = ArrowError::CastError(format!("column `{}`", column.name()));
            Error::from(Kind::Damaged {
                name: table.name().to_owned(),
                format: "Arrow",
                source: source.into(),
            })
        })
    });
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) =
        arrays.collect::<Result<Vec<_>, Error>>()?.into_iter().unzip();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|source| {
        let name = table.name().to_owned();
        Kind::Damaged { name, format: "Arrow", source: source.into() }
    })?;
    Ok(RecordBatches { schema, batches: vec![batch] })
}

/// The field without its metadata, which nobody judged; any cell of a release may be null.
fn plain(field: &Field) -> Field {
    Field::new(field.name(), field.data_type().clone(), true)
}

/// The cells of a column in a type; none where some text would not come back from it as it is.
fn array(column: &Column, field: &Field) -> Option<ArrayRef> {
    kohort_core::alive();
    let counts = column.counts();
    let is_text = |data_type: &DataType| {
        matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
    };
    let keeps_empty = match field.data_type() {
        DataType::Dictionary(_, values) => is_text(values),
        other => is_text(other),
    };
    let mut texts = StringBuilder::new();
    for (text, &n_rows) in column.dictionary().iter().zip(&counts) {
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
    let is_null = |row: usize, entry: u32| {
        kohort_core::alive_at(row);
        let is_empty = column.dictionary().get(entry).is_empty();
        is_empty && column.written(row) != Some(kohort_core::Written::Text)
    };
    let codes = column.codes().iter().enumerate();
    let rows: UInt32Array =
        codes.map(|(row, entry)| (!is_null(row, entry)).then_some(entry)).collect();
    take(&values, &rows, None).ok()
}

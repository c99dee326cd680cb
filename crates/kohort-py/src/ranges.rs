//! Published ranges as structs of their bounds: `low`, `high`, and whether both are `closed` or the `left` one.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema};
use kohort::{Column, Error, RecordBatches, Table, batches_of};

/// The bounds of a published cell; none of one that hides everything.
struct Bounds<'t> {
    low: &'t str,
    high: &'t str,
    closed: &'t str,
}

impl<'t> Bounds<'t> {
    const NONE: Self = Self { low: "", high: "", closed: "" };

    /// Reads what releases write: `[20, 29]`, `[20, 30)`, a single value, or a star.
    fn read(text: &'t str) -> Option<Self> {
        if text.is_empty() || text == "*" {
            return Some(Self::NONE);
        }
        let Some(inside) = text.strip_prefix('[') else {
            return (!text.contains('*')).then_some(Self { low: text, high: text, closed: "both" });
        };
        let closed = if text.ends_with(']') { "both" } else { "left" };
        let (low, high) = inside.strip_suffix([']', ')'])?.split_once(", ")?;
        Some(Self { low, high, closed })
    }
}

/// The same batches, where those of these columns that are numbers or times in `like` are structs of bounds. One
/// with a cell that has none, such as the name of a group, stays as it is.
pub(crate) fn with_structs(
    table: &Table,
    columns: &[String],
    like: Option<&Schema>,
    batches: RecordBatches,
) -> Result<RecordBatches, Error> {
    let RecordBatches { schema, batches } = batches;
    let mut fields: Vec<Field> = schema.fields().iter().map(|field| (**field).clone()).collect();
    let mut arrays: Vec<ArrayRef> = batches[0].columns().to_vec();
    for (at, column) in table.columns().iter().enumerate() {
        let asked = like.and_then(|schema| schema.field_with_name(column.name()).ok());
        let asked = asked.map(Field::data_type).filter(|own| own.is_numeric() || own.is_temporal());
        let Some(asked) = asked.filter(|_| columns.iter().any(|name| name == column.name())) else {
            continue;
        };
        let Some(bounds) = structs(column, asked)? else { continue };
        fields[at] = Field::new(column.name(), bounds.data_type().clone(), true);
        arrays[at] = Arc::new(bounds);
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).expect("columns of one length");
    Ok(RecordBatches { schema, batches: vec![batch] })
}

/// A column as structs; none where a cell has no bounds.
fn structs(column: &Column, own: &DataType) -> Result<Option<StructArray>, Error> {
    let bounds: Option<Vec<Bounds<'_>>> = column.dictionary().iter().map(Bounds::read).collect();
    let Some(bounds) = bounds else { return Ok(None) };
    let rows = column.codes().iter().map(|code| {
        let Bounds { low, high, closed } = bounds[code as usize];
        [low, high, closed]
    });
    let names = ["low", "high", "closed"];
    let table = Table::from_rows(names, rows)?;
    let fields = names.map(|name| {
        let data_type = if name == "closed" { DataType::Utf8 } else { own.clone() };
        Field::new(name, data_type, true)
    });
    let RecordBatches { batches, .. } = batches_of(&table, Some(&Schema::new(fields.to_vec())))?;
    Ok(batches.into_iter().next().map(StructArray::from))
}

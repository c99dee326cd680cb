//! Tables in and out of record batches.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array,
    Int16Array, Int64Array, LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray,
    TimestampMicrosecondArray, UInt8Array,
};
use arrow_schema::{DataType, Field, Schema};
use kohort_core::{Missing, Table, ValueType};
use kohort_io::{RecordBatches, batches_of, table_of_batches};
use proptest::prelude::*;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap()
}

fn table(batches: &[RecordBatch]) -> Table {
    let schema = batches[0].schema();
    let batches = batches.iter().cloned().map(Ok);
    table_of_batches("frame", &schema, batches, Missing::default()).unwrap().table
}

fn texts(table: &Table, column: &str) -> Vec<String> {
    let column = table.column(column).unwrap();
    column.codes().iter().map(|code| column.dictionary().get(code).to_owned()).collect()
}

/// A column of each type that a frame may have, with a null in every one.
fn all_types() -> Vec<(&'static str, ArrayRef)> {
    let categories: DictionaryArray<Int8Type> =
        [Some("b"), None, Some("a"), Some("b")].into_iter().collect();
    let repeated: DictionaryArray<Int32Type> =
        [Some("x"), Some("x"), None, Some("")].into_iter().collect();
    let decimals = Decimal128Array::from(vec![Some(1250), None, Some(-5), Some(100)]);
    let times = vec![Some(1_700_000_000_000_000), None, Some(0), Some(1_700_000_000_123_456)];
    vec![
        ("text", Arc::new(StringArray::from(vec![Some("é"), None, Some(""), Some("a,b")]))),
        ("large", Arc::new(LargeStringArray::from(vec![Some("x"), None, Some("y"), Some("x")]))),
        ("view", Arc::new(StringViewArray::from(vec![Some("x"), None, Some("y"), Some("x")]))),
        ("category", Arc::new(categories)),
        ("repeated", Arc::new(repeated)),
        ("small", Arc::new(UInt8Array::from(vec![Some(7), None, Some(255), Some(7)]))),
        ("short", Arc::new(Int16Array::from(vec![Some(-7), None, Some(0), Some(-7)]))),
        ("long", Arc::new(Int64Array::from(vec![Some(i64::MAX), None, Some(0), Some(-1)]))),
        ("double", Arc::new(Float64Array::from(vec![Some(0.5), None, Some(2.0), Some(0.5)]))),
        ("decimal", Arc::new(decimals.with_precision_and_scale(10, 2).unwrap())),
        ("date", Arc::new(Date32Array::from(vec![Some(19_000), None, Some(0), Some(19_000)]))),
        ("time", Arc::new(TimestampMicrosecondArray::from(times.clone()))),
        ("zone", Arc::new(TimestampMicrosecondArray::from(times).with_timezone("Europe/Berlin"))),
        ("truth", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]))),
        ("nothing", Arc::new(StringArray::from(vec![None::<&str>; 4]))),
        ("untyped", Arc::new(NullArray::new(4))),
    ]
}

#[test]
fn a_frame_comes_back_with_its_types_and_nulls() {
    let frame = batch(all_types());
    let read = table(std::slice::from_ref(&frame));
    let RecordBatches { schema, batches } = batches_of(&read, Some(&frame.schema())).unwrap();
    for (field, found) in frame.schema().fields().iter().zip(schema.fields()) {
        assert_eq!(field.data_type(), found.data_type(), "{}", field.name());
    }
    let back = &batches[0];
    for (at, field) in frame.schema().fields().iter().enumerate() {
        let (before, after) = (frame.column(at), back.column(at));
        assert_eq!(before.logical_null_count(), after.logical_null_count(), "{}", field.name());
        let read_again = table(std::slice::from_ref(back));
        assert_eq!(texts(&read, field.name()), texts(&read_again, field.name()));
    }
    // Apart from dictionaries, whose values may have another order, arrays are the same.
    for name in
        ["text", "large", "view", "small", "long", "double", "decimal", "date", "zone", "untyped"]
    {
        assert_eq!(frame.column_by_name(name), back.column_by_name(name), "{name}");
    }
}

#[test]
fn ranges_are_texts_and_untouched_columns_keep_their_type() {
    let frame = batch(vec![
        ("age", Arc::new(Int16Array::from(vec![31, 34]))),
        ("cost", Arc::new(Int16Array::from(vec![5, 6]))),
    ]);
    let release =
        Table::from_rows(["age", "cost"], [["[30, 34]", "5"], ["[30, 34]", "6"]]).unwrap();
    let schema = batches_of(&release, Some(&frame.schema())).unwrap().schema;
    assert_eq!(schema.field(0).data_type(), &DataType::Utf8);
    assert_eq!(schema.field(1).data_type(), &DataType::Int16);
    // Without a frame to follow, types are those of a file.
    assert_eq!(batches_of(&release, None).unwrap().schema.field(1).data_type(), &DataType::Int64);
}

#[test]
fn a_text_that_a_type_would_spell_otherwise_keeps_its_spelling() {
    let release = Table::from_rows(["n"], [["1.50"], ["2"]]).unwrap();
    let like = Schema::new(vec![Field::new("n", DataType::Float64, true)]);
    let made = batches_of(&release, Some(&like)).unwrap();
    assert_eq!(made.schema.field(0).data_type(), &DataType::Utf8);
}

#[test]
fn no_text_that_stands_in_no_row_reaches_a_batch() {
    let whole = Table::from_rows(["s"], [["flu"], ["secret of many bytes"], ["flu"]]).unwrap();
    let rows = [0, 2];
    let columns = whole.columns().iter().map(|column| column.select(&rows)).collect();
    let part = Table::new("part".into(), columns, false, Missing::default());
    let categories = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    for data_type in [DataType::Utf8, DataType::Utf8View, categories] {
        let like = Schema::new(vec![Field::new("s", data_type, true)]);
        let made = batches_of(&part, Some(&like)).unwrap();
        assert!(!format!("{:?}", made.batches).contains("secret"));
        let data = made.batches[0].column(0).to_data();
        let has_secret = |buffer: &[u8]| buffer.windows(6).any(|bytes| bytes == b"secret");
        assert!(!data.buffers().iter().any(|buffer| has_secret(buffer)));
    }
}

#[test]
fn ranges_are_views_where_the_frame_has_views() {
    let ages = Int16Array::from(vec![31, 34]);
    let names = StringViewArray::from(vec!["x", "y"]);
    let frame = batch(vec![("age", Arc::new(ages)), ("name", Arc::new(names))]);
    let release = Table::from_rows(["age"], [["[30, 39]"], ["[30, 39]"]]).unwrap();
    let made = batches_of(&release, Some(&frame.schema())).unwrap();
    assert_eq!(made.schema.field(0).data_type(), &DataType::Utf8View);
    assert_eq!(texts(&table(&made.batches), "age"), ["[30, 39]", "[30, 39]"]);
}

#[test]
fn null_and_the_empty_text_stay_apart_in_every_batch() {
    let parts: [Vec<Option<&str>>; 4] = [
        vec![Some("a"), None, Some("a")],
        vec![Some(""), Some("b")],
        vec![None, Some(""), Some("a")],
        vec![None],
    ];
    for of in [
        |cells| Arc::new(StringArray::from(cells)) as ArrayRef,
        |cells| Arc::new(StringViewArray::from(cells)) as ArrayRef,
    ] {
        let frames: Vec<RecordBatch> =
            parts.iter().map(|cells| batch(vec![("s", of(cells.clone()))])).collect();
        let read = table(&frames);
        let schema = frames[0].schema();
        let made = batches_of(&read, Some(&schema)).unwrap();
        assert_eq!(made.batches[0].column(0), &of(parts.concat()));
        // As it was in parts, it is in one.
        let whole = table(&made.batches);
        assert_eq!(batches_of(&whole, Some(&schema)).unwrap().batches, made.batches);
    }
}

#[test]
fn truths_without_a_null_come_back() {
    let truths: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true]));
    let frame = batch(vec![("b", truths)]);
    let made = batches_of(&table(std::slice::from_ref(&frame)), Some(&frame.schema())).unwrap();
    assert_eq!(made.batches, [frame]);
}

#[test]
fn slices_and_several_batches_are_one_table() {
    let long = batch(all_types());
    let parts = [long.slice(0, 1), long.slice(1, 2), long.slice(3, 1)];
    let (whole, cut) = (table(&[long]), table(&parts));
    for column in whole.columns() {
        assert_eq!(texts(&whole, column.name()), texts(&cut, column.name()), "{}", column.name());
    }
    assert_eq!(cut.column("small").unwrap().value_type(), ValueType::Integer);
}

#[test]
fn columns_that_are_no_cells_are_refused_by_name() {
    let list = arrow_array::ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
    let frame = batch(vec![("xs", Arc::new(list))]);
    let read = table_of_batches("frame", &frame.schema(), [Ok(frame.clone())], Missing::default());
    let message = read.unwrap_err().to_string();
    assert!(message.contains("`xs`"), "{message}");
}

proptest! {
    #[test]
    fn dictionaries_numbers_and_texts_are_read_alike(
        cells in prop::collection::vec(prop::option::of(-5_i32..5), 1..60),
    ) {
        let numbers: ArrayRef = Arc::new(arrow_array::Int32Array::from(cells.clone()));
        let spelled: Vec<Option<String>> =
            cells.iter().map(|cell| cell.map(|number| number.to_string())).collect();
        let strings: ArrayRef = Arc::new(StringArray::from(spelled.clone()));
        let packed: DictionaryArray<Int32Type> = spelled.iter().map(Option::as_deref).collect();
        let frame = batch(vec![("n", numbers), ("s", strings), ("d", Arc::new(packed))]);
        let read = table(&[frame]);
        let expected: Vec<String> = spelled.into_iter().map(Option::unwrap_or_default).collect();
        for name in ["n", "s", "d"] {
            prop_assert_eq!(&texts(&read, name), &expected);
        }
    }
}

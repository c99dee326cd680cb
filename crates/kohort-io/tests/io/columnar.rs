//! Parquet and Arrow files, read and refused.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    Float64Array, Int64Array, ListArray, NullArray, RecordBatch, StringArray,
    TimestampMicrosecondArray, TimestampSecondArray, UInt8Array,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{Field, Schema};
use kohort_core::Place;
use kohort_io::Options;
use parquet::arrow::ArrowWriter;

use crate::{read, shown, try_read};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, array)| array).collect())
        .unwrap()
}

pub(crate) fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

pub(crate) fn arrow_file(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

pub(crate) fn arrow_stream(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

pub(crate) fn small() -> RecordBatch {
    let dictionary: DictionaryArray<Int32Type> =
        vec![Some("x"), None, Some("x")].into_iter().collect();
    batch(vec![
        ("text", Arc::new(StringArray::from(vec![Some("Köln"), Some(""), None]))),
        ("int", Arc::new(Int64Array::from(vec![Some(-1), None, Some(7)]))),
        ("byte", Arc::new(UInt8Array::from(vec![1, 2, 3]))),
        ("float", Arc::new(Float64Array::from(vec![1.5, 2.0, 0.1]))),
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
        ("date", Arc::new(Date32Array::from(vec![Some(0), None, Some(19_753)]))),
        ("time", Arc::new(TimestampSecondArray::from(vec![0, 1, 86_400]))),
        (
            "zoned",
            Arc::new(
                TimestampMicrosecondArray::from(vec![0, 1_500_000, 0]).with_timezone("Europe/Rome"),
            ),
        ),
        (
            "decimal",
            Arc::new(
                Decimal128Array::from(vec![150, -5, 0]).with_precision_and_scale(5, 2).unwrap(),
            ),
        ),
        ("dictionary", Arc::new(dictionary)),
        ("nothing", Arc::new(NullArray::new(3))),
    ])
}

const SMALL: [&str; 4] = [
    "text|int|byte|float|bool|date|time|zoned|decimal|dictionary|nothing",
    "Köln|-1|1|1.5|true|1970-01-01|1970-01-01T00:00:00|1970-01-01T00:00:00Z|1.50|x|",
    "||2|2.0|false||1970-01-01T00:00:01|1970-01-01T00:00:01.500Z|-0.05||",
    "|7|3|0.1||2024-01-31|1970-01-02T00:00:00|1970-01-01T00:00:00Z|0.00|x|",
];

fn check(columns: Vec<(&str, ArrayRef)>, message: &str) {
    let batch = batch(columns);
    for (name, bytes) in [
        ("t.parquet", parquet(&batch)),
        ("t.arrow", arrow_file(&batch)),
        ("t.feather", arrow_stream(&batch)),
    ] {
        let error = try_read(name, &bytes, &Options::default()).unwrap_err();
        assert_eq!(error.to_string(), message.replace("FILE", name));
    }
}

#[test]
fn parquet_becomes_text() {
    let read = read("t.parquet", &parquet(&small()));
    assert_eq!(shown(&read.table), SMALL);
    let column = read.table.column("text").unwrap();
    assert_eq!(read.table.place(column, 1), Place::Row(2));
}

#[test]
fn arrow_files_and_streams_become_text() {
    assert_eq!(shown(&read("t.arrow", &arrow_file(&small())).table), SMALL);
    assert_eq!(shown(&read("t.feather", &arrow_file(&small())).table), SMALL);
    assert_eq!(shown(&read("t.ipc", &arrow_stream(&small())).table), SMALL);
}

// Polars 2.1 writes the leading schema without its length: the footer says what a file has.
#[test]
fn an_arrow_file_is_read_by_its_footer() {
    let mut bytes = arrow_file(&small());
    // The schema begins after the magic, with a mark and its length; there is a word in their place.
    bytes[8..16].copy_from_slice(&[4, 0, 0, 0, 0xf2, 0xff, 0xff, 0xff]);
    assert_eq!(shown(&read("t.arrow", &bytes).table), SMALL);
    // A block that is not in the file, and a footer that is not.
    let cut = bytes.len() - 10;
    let length = u32::from_le_bytes([bytes[cut], bytes[cut + 1], bytes[cut + 2], bytes[cut + 3]]);
    let footer = cut - length as usize;
    let mut short = bytes.clone();
    short.drain(footer - 64..footer);
    for damaged in [short, bytes[..cut + 4].to_vec(), b"ARROW1\0\0".to_vec()] {
        let error = try_read("t.arrow", &damaged, &Options::default()).unwrap_err();
        assert_eq!(error.to_string(), "t.arrow: is damaged, or is not Arrow");
    }
}

#[test]
fn rows_of_many_batches_follow_each_other() {
    let numbers: Vec<i64> = (0..20_000).collect();
    let batch = batch(vec![("n", Arc::new(Int64Array::from(numbers)))]);
    let table = read("t.parquet", &parquet(&batch)).table;
    assert_eq!(table.n_rows(), 20_000);
    let last = table.columns()[0].codes().get(19_999);
    assert_eq!(table.columns()[0].dictionary().get(last), "19999");
    assert_eq!(table.place(&table.columns()[0], last), Place::Row(20_000));
}

#[test]
fn nested_and_binary_columns_are_refused() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)])]);
    check(vec![("l", Arc::new(list))], "FILE, column `l`: nested values are not read");
    let binary = BinaryArray::from(vec![&b"x"[..]]);
    check(vec![("b", Arc::new(binary))], "FILE, column `b`: binary values are not read");
}

#[test]
fn names_twice_empty_or_with_nul_are_refused() {
    let one = || Arc::new(Int64Array::from(vec![1])) as ArrayRef;
    check(vec![("a", one()), ("a", one())], "FILE: columns 1 and 2 have the same name");
    check(vec![("a", one()), (" ", one())], "FILE, column 2: the name is empty");
    check(vec![("a", one()), ("b\0", one())], "FILE, column 2: the name has a NUL byte");
}

#[test]
fn files_without_rows_are_refused() {
    let none = Arc::new(Int64Array::from(Vec::<i64>::new()));
    check(vec![("a", none)], "FILE: has no rows");
}

#[test]
fn texts_with_nul_and_dates_beyond_the_calendar_are_refused() {
    let nul = Arc::new(StringArray::from(vec!["a", "b\0"]));
    check(vec![("a", nul)], "FILE, row 2, column 1 (`a`): a NUL byte");
    let far = Arc::new(TimestampSecondArray::from(vec![i64::MAX]));
    check(vec![("a", far)], "FILE, column `a`: a value among rows 1 to 1 has no text");
}

#[test]
fn damaged_files_are_refused() {
    for (name, format) in [("t.parquet", "Parquet"), ("t.arrow", "Arrow"), ("t.ipc", "Arrow")] {
        let error = try_read(name, b"not what it says", &Options::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("{name}: is damaged, or is not {format}"));
    }
}

#[test]
fn metadata_beside_a_table_is_named() {
    let plain = small();
    let [of_schema, of_field] = [true, false].map(|is_of_schema| {
        let pair = || [("note".to_owned(), "whatever".to_owned())].into_iter().collect();
        let schema = plain.schema().as_ref().clone();
        let schema = if is_of_schema {
            schema.with_metadata(pair())
        } else {
            let mut fields: Vec<Field> =
                schema.fields().iter().map(|it| it.as_ref().clone()).collect();
            fields[0].set_metadata(pair());
            Schema::new(fields)
        };
        RecordBatch::try_new(Arc::new(schema), plain.columns().to_vec()).unwrap()
    });
    for (name, write) in [
        ("t.parquet", parquet as fn(&RecordBatch) -> Vec<u8>),
        ("t.arrow", arrow_file),
        ("s.arrow", arrow_stream),
    ] {
        assert_eq!(read(name, &write(&plain)).metadata, [""; 0], "{name}");
        assert_eq!(read(name, &write(&of_schema)).metadata, ["note"], "{name}");
        assert_eq!(read(name, &write(&of_field)).metadata, ["note"], "{name}");
    }
    let mut writer = FileWriter::try_new(Vec::new(), &plain.schema()).unwrap();
    writer.write_metadata("of the footer", "whatever");
    writer.write(&plain).unwrap();
    let in_footer = writer.into_inner().unwrap();
    assert_eq!(read("f.arrow", &in_footer).metadata, ["of the footer"]);
    let mut writer = ArrowWriter::try_new(Vec::new(), plain.schema(), None).unwrap();
    writer.write(&plain).unwrap();
    let pair = parquet::file::metadata::KeyValue::new("of the file".to_owned(), "any".to_owned());
    writer.append_key_value_metadata(pair);
    assert_eq!(read("f.parquet", &writer.into_inner().unwrap()).metadata, ["of the file"]);
}

#[test]
fn columns_that_are_more_than_may_be_unpacked_are_refused() {
    let long = "x".repeat(1000);
    let many = batch(vec![("a", Arc::new(StringArray::from(vec![&*long; 3000])))]);
    let limit =
        |unpacked_limit| Options { unpacked_limit: Some(unpacked_limit), ..Options::default() };
    for (name, bytes) in [("t.parquet", parquet(&many)), ("t.arrow", arrow_file(&many))] {
        assert_eq!(try_read(name, &bytes, &limit(3_003_000)).unwrap().table.n_rows(), 3000);
        let error = try_read(name, &bytes, &limit(3_002_999)).unwrap_err();
        assert_eq!(error.to_string(), format!("{name}: unpacks to more than 2 MiB"));
    }
}

//! How values stand in their file: through every format, as far as each tells it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, LargeStringArray, RecordBatch, StringArray};
use arrow_ipc::reader::FileReader;
use arrow_schema::DataType;
use kohort_core::{Table, Told, Written};
use kohort_io::{Format, Options, write_table};
use proptest::prelude::*;
use serde_json::value::RawValue;

use crate::columnar::{arrow_file, parquet};
use crate::{read, rows, try_read};

fn format(name: &str) -> Format {
    Format::of(Path::new(name)).unwrap()
}

fn bytes(table: &Table, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_table(table, format(name), &mut bytes).unwrap();
    bytes
}

fn text(table: &Table, name: &str) -> String {
    String::from_utf8(bytes(table, name)).unwrap()
}

/// A table after it was written as `name` and read again.
fn through(table: &Table, name: &str) -> Table {
    try_read(name, &bytes(table, name), &Options::as_written(format(name))).unwrap().table
}

/// What JSON Lines have as `lines`, once they went through files of other formats.
fn check(lines: &str, formats: &[&str], expected: &str) {
    let mut table = read("t.jsonl", lines.as_bytes()).table;
    for name in formats {
        table = through(&table, name);
    }
    assert_eq!(text(&table, "t.jsonl"), expected, "{formats:?}");
}

const EVERY_KIND: &str = "{\"d\":\"\",\"n\":1,\"t\":true}\n\
                          {\"d\":null,\"n\":\"1\",\"t\":\"true\"}\n\
                          {\"d\":\"a\",\"n\":\"a\",\"t\":false}\n\
                          {\"d\":\"\",\"n\":1.50,\"t\":null}\n\
                          {\"d\":null,\"n\":1e3,\"t\":\"\"}\n\
                          {\"d\":\"null\",\"n\":-0,\"t\":\"null\"}\n";

#[test]
fn json_values_stay_what_they_were() {
    check(EVERY_KIND, &[], EVERY_KIND);
    check(EVERY_KIND, &["t.jsonl", "t.ndjson.gz"], EVERY_KIND);
    let all_empty = "{\"a\":\"\",\"b\":null}\n{\"a\":\"\",\"b\":null}\n";
    check(all_empty, &["t.jsonl"], all_empty);
}

#[test]
fn escapes_may_change_and_values_do_not() {
    let lines = "{\"a\":\"\\u00e9\\/\"}\n{\"a\":\"\u{e9}/\"}\n{ \"a\" : \"\\u000a\" }\n";
    check(lines, &[], "{\"a\":\"\u{e9}/\"}\n{\"a\":\"\u{e9}/\"}\n{\"a\":\"\\n\"}\n");
}

#[test]
fn a_member_that_is_not_there_is_null() {
    let lines = "{\"a\":\"\"}\n{\"b\":\"\",\"a\":null}\n{\"b\":1}\n";
    check(lines, &[], "{\"a\":\"\",\"b\":null}\n{\"a\":null,\"b\":\"\"}\n{\"a\":null,\"b\":1}\n");
}

#[test]
fn columns_of_strings_tell_the_empty_one_from_null() {
    let expected = "{\"d\":\"\",\"n\":\"1\",\"t\":\"true\"}\n\
                    {\"d\":null,\"n\":\"1\",\"t\":\"true\"}\n\
                    {\"d\":\"a\",\"n\":\"a\",\"t\":\"false\"}\n\
                    {\"d\":\"\",\"n\":\"1.50\",\"t\":null}\n\
                    {\"d\":null,\"n\":\"1e3\",\"t\":\"\"}\n\
                    {\"d\":\"null\",\"n\":\"-0\",\"t\":\"null\"}\n";
    for name in ["t.parquet", "t.arrow"] {
        check(EVERY_KIND, &[name], expected);
        check(EVERY_KIND, &[name, "t.jsonl", name], expected);
    }
    let mixed = "{\"a\":1}\n{\"a\":\"x\"}\n";
    let table = read("t.jsonl", mixed.as_bytes()).table;
    let file = std::io::Cursor::new(bytes(&table, "t.arrow"));
    let schema = FileReader::try_new(file, None).unwrap().schema();
    assert_eq!(*schema.field(0).data_type(), DataType::Utf8);
}

#[test]
fn csv_tells_nothing() {
    let lines = "{\"d\":\"\",\"n\":1}\n{\"d\":null,\"n\":\"1\"}\n{\"d\":\"a\",\"n\":null}\n";
    let table = read("t.jsonl", lines.as_bytes()).table;
    assert_eq!(text(&table, "t.csv"), "d,n\n,1\n,1\na,\n");
    check(
        lines,
        &["t.csv"],
        "{\"d\":null,\"n\":1}\n{\"d\":null,\"n\":1}\n{\"d\":\"a\",\"n\":null}\n",
    );
    let again = through(&table, "t.csv");
    let column = &again.columns()[0];
    assert_eq!((column.writing().told(), column.written(0)), (Told::Nothing, None));
}

#[test]
fn strings_of_parquet_and_arrow_files_stay_as_they_were() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("s", Arc::new(StringArray::from(vec![Some(""), None, Some("1"), Some("")]))),
        ("l", Arc::new(LargeStringArray::from(vec![None, Some(""), None, Some("x")]))),
        ("n", Arc::new(Int64Array::from(vec![Some(1), None, Some(3), None]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let expected = "{\"s\":\"\",\"l\":null,\"n\":1}\n{\"s\":null,\"l\":\"\",\"n\":null}\n\
                    {\"s\":\"1\",\"l\":null,\"n\":3}\n{\"s\":\"\",\"l\":\"x\",\"n\":null}\n";
    for (name, bytes) in [("t.parquet", parquet(&batch)), ("t.arrow", arrow_file(&batch))] {
        let table = read(name, &bytes).table;
        for again in ["t.parquet", "t.arrow", "t.jsonl"] {
            assert_eq!(text(&through(&table, again), "t.jsonl"), expected, "{name} {again}");
        }
    }
}

#[test]
fn rows_take_how_their_values_stood_with_them() {
    let table = read("t.jsonl", EVERY_KIND.as_bytes()).table;
    let rows = [4, 3, 1, 0];
    let columns = table.columns().iter().map(|column| column.select(&rows)).collect();
    let few = Table::new("t".into(), columns, true, table.missing().clone());
    let lines: Vec<&str> = EVERY_KIND.split_inclusive('\n').collect();
    let expected: String = rows.iter().map(|&row| lines[row as usize]).collect();
    assert_eq!(text(&few, "t.jsonl"), expected);
}

/// A value of JSON: as it stands, and strings without their escapes.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Text(String),
    Other(String),
}

fn values(lines: &str) -> Vec<BTreeMap<String, Value>> {
    let value = |raw: &RawValue| match serde_json::from_str::<String>(raw.get()) {
        Ok(text) => Value::Text(text),
        Err(_) => Value::Other(raw.get().to_owned()),
    };
    let object = |line| serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(line).unwrap();
    let members = |line| object(line).into_iter().map(|(name, raw)| (name, value(&raw))).collect();
    lines.lines().map(members).collect()
}

fn cell() -> impl Strategy<Value = Option<String>> {
    let quoted = |text: String| serde_json::to_string(&text).unwrap();
    let some = |text: &str| Just(Some(text.to_owned()));
    prop_oneof![
        Just(None),
        some("null"),
        some("\"\""),
        some("1"),
        some("\"1\""),
        some("true"),
        some("\"true\""),
        some("\"null\""),
        some("\"\\u00e9\""),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?".prop_map(Some),
        "[^\0]{0,6}".prop_map(move |text| Some(quoted(text))),
        "-?[0-9]{1,2}(\\.[0-9])?".prop_map(move |text| Some(quoted(text))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_json_lines_say_comes_back(
        cells in proptest::collection::vec(proptest::collection::vec(cell(), 3), 1..16),
    ) {
        let mut lines = String::new();
        let mut expected = Vec::new();
        for row in &cells {
            let there = (0..).zip(row).filter_map(|(at, cell)| Some((at, cell.as_ref()?)));
            let members = there.map(|(at, raw)| format!(",\"c{at}\":{raw}"));
            let line = format!("{{\"id\":0{}}}\n", members.collect::<String>());
            // Every object has the members of all, which are null where it has none.
            let mut row = values(&line).remove(0);
            for at in 0..3 {
                if cells.iter().any(|row| row[at].is_some()) {
                    row.entry(format!("c{at}")).or_insert(Value::Other("null".into()));
                }
            }
            expected.push(row);
            lines.push_str(&line);
        }
        let table = read("t.jsonl", lines.as_bytes()).table;
        let written = text(&table, "t.jsonl");
        prop_assert_eq!(values(&written), expected);
        let again = through(&table, "t.jsonl");
        prop_assert_eq!(text(&again, "t.jsonl"), written);
        // Strings of other formats are as many as there were, and as empty.
        for name in ["t.parquet", "t.arrow", "t.csv"] {
            let other = through(&table, name);
            prop_assert_eq!(rows(&other), rows(&table), "{}", name);
            for (column, twin) in table.columns().iter().zip(other.columns()) {
                let told = format(name).tells().min(twin.writing().told());
                for row in 0..table.n_rows() {
                    let look = |column: &kohort_core::Column| column.look(row, told);
                    prop_assert_eq!(look(column), look(twin), "{}", name);
                    let is_lost = column.written(row) == Some(Written::Text) && told == Told::Nothing;
                    prop_assert!(!is_lost || name == "t.csv", "{}", name);
                }
            }
        }
    }
}

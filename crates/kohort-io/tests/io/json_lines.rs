//! JSON Lines, read and refused.

use kohort_core::Place;
use kohort_io::Options;

use crate::{read, shown, try_read};

fn check(text: &str, message: &str) {
    let error = try_read("t.jsonl", text.as_bytes(), &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), message);
}

#[test]
fn members_become_columns_in_order_of_appearance() {
    let text = "\u{feff}{\"name\": \"Ann\", \"age\": 1.50e3}\r\n\n\
                {\"town\": \"K\\u00f6ln \\\"x\\\"\", \"ok\": true, \"name\": null}\n\
                {\"age\": 12345678901234567890, \"name\": \"Bob\"}";
    let read = read("t.ndjson", text.as_bytes());
    assert_eq!(
        shown(&read.table),
        ["name|age|town|ok", "Ann|1.50e3||", "||Köln \"x\"|true", "Bob|12345678901234567890||"]
    );
    let age = read.table.column("age").unwrap();
    assert_eq!(read.table.place(age, 0), Place::Line(1));
    assert_eq!(read.table.place(age, 2), Place::Line(4));
}

#[test]
fn other_encodings_are_read_too() {
    let read = read("t.jsonl", b"{\"a\": \"Jos\xe9\"}\n");
    assert_eq!(shown(&read.table), ["a", "José"]);
}

#[test]
fn nested_values_are_refused() {
    check("{\"a\": 1}\n{\"a\": [1]}\n", "t.jsonl, line 2, column `a`: is a nested array");
    check("{\"a\": {\"b\": 1}}\n", "t.jsonl, line 1, column `a`: is a nested object");
    let error = try_read("t.jsonl", b"{\"a\": [1]}", &Options::default()).unwrap_err();
    assert!(error.hint().unwrap().starts_with("nested records are not read yet"));
}

#[test]
fn members_that_occur_twice_or_have_no_name_are_refused() {
    let text = "{\"a\": 1}\n{\"a\": 1, \"b\": 2, \"a\": 3}\n";
    check(text, "t.jsonl, line 2, column `a`: occurs twice in one object");
    check("{\"a\": 1, \"\": 2}", "t.jsonl, column 2: the name is empty");
    check("{\"a\": 1, \"b\\u0000\": 2}", "t.jsonl, column 2: the name has a NUL byte");
}

#[test]
fn what_is_not_json_is_refused_without_a_word_of_it() {
    check(
        "{\"a\": 1}\n{\"ä\": secret}\n",
        "t.jsonl, line 2, character 7: invalid JSON: expected value",
    );
    check(
        "{\"a\": 1\n",
        "t.jsonl, line 1, character 7: invalid JSON: the object does not end on its line",
    );
    check("\"secret\"\n", "t.jsonl, line 1: must be a JSON object");
    check("[1, 2]\n", "t.jsonl, line 1: must be a JSON object");
    check(
        "{\"a\": 1} {\"a\": 2}\n",
        "t.jsonl, line 1, character 10: invalid JSON: trailing characters",
    );
}

#[test]
fn nul_bad_bytes_and_long_lines_are_refused() {
    check("{\"a\": \"\0\"}\n", "t.jsonl, line 1: a NUL byte");
    check("{\"a\": \"\\u0000\"}\n", "t.jsonl, line 1, column `a`: a NUL byte");
    check("", "t.jsonl: is empty");
    check("\n \n", "t.jsonl: is empty");
    check("{}\n", "t.jsonl: has no rows");
    let error = try_read("t.jsonl", b"{\"a\": 1}\n{\"a\": \"\xff\"}", &Options::default());
    assert_eq!(error.unwrap_err().to_string(), "t.jsonl, line 2: a byte that is not UTF-8");
    let long = format!("{{\"a\": 1}}\n{{\"a\": \"{}\"}}\n", "x".repeat(10_000_000));
    check(&long, "t.jsonl, line 2: a record must be at most 4 MiB, but is longer");
}

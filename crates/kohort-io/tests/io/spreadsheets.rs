//! What spreadsheets export: titles, declared separators, columns without a name, other formats.

use std::fmt::Write as _;
use std::io::Write as _;

use kohort_core::Place;
use kohort_io::Options;

use crate::columnar::{arrow_file, parquet, small};
use crate::{read, shown, try_read};

fn check(bytes: &[u8], expected: &[&str], notes: &[&str]) {
    let read = read("t.csv", bytes);
    assert_eq!(shown(&read.table), expected);
    assert_eq!(read.notes, notes);
}

fn refuse(name: &str, bytes: &[u8], message: &str, hint: &str) {
    let error = try_read(name, bytes, &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), message);
    assert_eq!(error.hint().unwrap_or_default(), hint);
    for shown in [format!("{error:?}"), message.to_owned(), hint.to_owned()] {
        assert!(!shown.contains("SECRET"), "{shown}");
    }
}

fn skip(n: u64) -> Options {
    Options { skip_lines: n, ..Options::default() }
}

#[test]
fn a_name_that_occurs_twice_is_not_shown() {
    let hint = "rename one of them, or, if the first line is already data, say `header = false`";
    let message = "t.csv, line 1: columns 1 and 2 have the same name";
    refuse("t.csv", b"SECRET,SECRET,Smith\nJones,Ann,Bob\n", message, hint);
    let message = "t.csv, line 3: columns 2 and 3 have the same name";
    refuse("t.csv", b"\n\nx,SECRET,SECRET\nJones,Ann,Bob\n", message, hint);
}

#[test]
fn unnamed_empty_columns_at_the_end_are_left_out() {
    let note = "2 unnamed empty columns at the end are left out";
    check(b"a;b;;\n1;2;;\n3;4; ;\n", &["a|b", "1|2", "3|4"], &[note]);
    let note = "1 unnamed empty column at the end is left out";
    check(b"a,\nx,\n", &["a", "x"], &[note]);
    let hint = "name the column, or, if the first line is already data, say `header = false`";
    let message = "t.csv, line 1, column 4: the name is empty, though line 3 has a value there";
    refuse("t.csv", b"a;b;;\n1;2;;\n3;4;;SECRET\n", message, hint);
    refuse("t.csv", b"a;;c;\n1;;3;\n", "t.csv, line 1, column 2: the name is empty", hint);
    let hint = "R writes row names like this, which say whose row each is: write without them (`row.names = \
                FALSE`), or name the column; if the first line is already data, say `header = false`";
    refuse("t.csv", b";;\n1;2;3\n", "t.csv, line 1, column 1: the name is empty", hint);
    let message = "t.csv, line 3: found 2 fields, expected 4";
    let error = try_read("t.csv", b"a;b;;\n1;2;;\n3;4\n5;6;;\n", &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_declared_separator_is_understood_and_its_line_counts() {
    for (end, separator) in [("\n", ";"), ("\r\n", "\t"), ("\r", ","), ("\n", "^")] {
        let text = "sep=;\na;b\n1;x\n2;y\n".replace(';', separator).replace('\n', end);
        for text in [text.clone(), format!("\u{feff}{}", text.replace("sep", "SEP"))] {
            let read = read("t.csv", text.as_bytes());
            assert_eq!(shown(&read.table), ["a|b", "1|x", "2|y"], "{text:?}");
            assert!(read.notes.is_empty());
            let column = read.table.column("a").unwrap();
            assert_eq!(read.table.place(column, 1), Place::Line(4));
        }
    }
    check(b"sep=x\nsep=y\n", &["sep=x", "sep=y"], &[]);
    let options = Options { separator: Some(b','), ..Options::default() };
    let read = try_read("t.csv", b"sep=;\na,b\n1;2,3\n", &options).unwrap();
    assert_eq!(shown(&read.table), ["a|b", "1;2|3"]);
    refuse("t.csv", b"sep=;\n", "t.csv: is empty", "");
}

#[test]
fn a_title_is_told_by_its_line_and_can_be_skipped() {
    let table = "name;age;town\nAnn;39;Bonn\nBob;50;Rome\n";
    let expected = ["name|age|town", "Ann|39|Bonn", "Bob|50|Rome"];
    let (one, two) =
        ("t.csv, line 1: looks like a title", "t.csv, lines 1 to 3: look like a title");
    for (title, message, n) in [
        ("SECRET 2024\n", one, 1),
        ("2024\n", one, 1),
        ("SECRET 2024;;\n", one, 1),
        ("SECRET 2024\r\n\r\nWard 7\r\n", two, 3),
        ("SECRET 2024;;\n;;\n;;\n", two, 3),
    ] {
        let text = format!("{title}{table}");
        let them = if n == 1 { "it" } else { "them" };
        let hint = format!("remove {them}, or say `skip-lines = {n}`");
        refuse("t.csv", text.as_bytes(), message, &hint);
        let read = try_read("t.csv", text.as_bytes(), &skip(n)).unwrap();
        assert_eq!(shown(&read.table), expected);
        let column = read.table.column("age").unwrap();
        assert_eq!(read.table.place(column, 0), Place::Line(n + 2));
    }
    let message = "t.csv, line 2: looks like a title";
    let text = format!("sep=;\nSECRET\n{table}");
    refuse("t.csv", text.as_bytes(), message, "remove it, or say `skip-lines = 2`");
}

#[test]
fn lines_of_every_kind_are_skipped() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("{}\n\na,b\n1,2\n", "x".repeat(300_000)).replace('\n', end);
        let read = try_read("t.csv", text.as_bytes(), &skip(2)).unwrap();
        assert_eq!(shown(&read.table), ["a|b", "1|2"]);
        for n in [4, 5, u64::MAX] {
            let error = try_read("t.csv", text.as_bytes(), &skip(n)).unwrap_err();
            let message = "`skip-lines` must be less than the number of lines, but is";
            assert_eq!(error.to_string(), format!("{message} {n}"));
        }
    }
    let read = try_read("t.jsonl", b"title\n{\"a\": 1}\n", &skip(1)).unwrap();
    assert_eq!(shown(&read.table), ["a", "1"]);
    let error = try_read("t.jsonl", b"title\n{\"a\": 1}\n1\n", &skip(1)).unwrap_err();
    assert_eq!(error.to_string(), "t.jsonl, line 3: must be a JSON object");
}

#[test]
fn a_closing_line_of_totals_must_be_removed() {
    let hint = "a closing line, such as one of totals, must be removed; if every line looks \
                wrong, say how fields are set apart with `separator` and `quote`";
    let message = "t.csv, line 4: found 1 field, expected 2";
    refuse("t.csv", b"a;b\n1;2\n3;4\nSECRET: 40\n", message, hint);
    refuse("t.csv", b"a;b\n1;2\n3;4\nSECRET: 40\n\nSECRET 2024", message, hint);
    let hint = "if every line looks wrong, say how fields are set apart with `separator` and \
                `quote`";
    refuse("t.csv", b"a;b\n1;2\n3;4\nSECRET: 40\n5;6\n", message, hint);
}

#[test]
fn files_that_are_no_text_are_told_by_their_first_bytes() {
    for (bytes, what, hint) in [
        (
            &b"PK\x03\x04\x14\0\x06\0"[..],
            "a ZIP file or an Excel workbook",
            "save the sheet as CSV",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            "an old Excel or Office file",
            "save the sheet as CSV",
        ),
        (b"%PDF-1.7\n", "PDF", "export the table as CSV where it was made"),
        (
            b"SQLite format 3\0\x10\0",
            "a SQLite database",
            "export the table as CSV with `sqlite3 -csv`",
        ),
        (
            b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<SECRET/>",
            "XML",
            "XML is not read yet: save the table as CSV",
        ),
        (b"\n<!DOCTYPE html>\n<table>", "HTML", "save the table as CSV"),
    ] {
        for name in ["t.csv", "t.xlsx", "t"] {
            refuse(name, bytes, &format!("{name}: is {what}"), hint);
        }
    }
}

#[test]
fn json_that_is_not_json_lines_is_refused() {
    let hint = "one object per line (.jsonl) is read; an array is not yet";
    for text in ["[{\"a\": \"SECRET\"}]", "[\n  {\"a\": \"SECRET\"}\n]", "{\"a\": \"SECRET\"}\n"] {
        refuse("t.csv", text.as_bytes(), "t.csv: is JSON", hint);
        refuse("t.json", text.as_bytes(), "t.json: is JSON", hint);
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        refuse("t.txt", &utf16, "t.txt: is JSON", hint);
    }
    check(b"[a],b\n{x},2\n", &["[a]|b", "{x}|2"], &[]);
}

#[test]
fn formats_that_the_name_does_not_say_are_read_with_a_note() {
    let text = b"a,b\n1,2\n";
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    let gzip = encoder.finish().unwrap();
    let zstd = zstd::encode_all(&text[..], 1).unwrap();
    let expected = shown(&read("t.csv", text).table);
    for (name, bytes, title) in [("t.csv", &gzip, "gzip"), ("export", &zstd, "Zstandard")] {
        let read = read(name, bytes);
        assert_eq!(shown(&read.table), expected);
        assert_eq!(read.notes, [format!("read as {title}, though its name does not say so")]);
    }
    let expected = shown(&read("t.parquet", &parquet(&small())).table);
    for (bytes, title) in [(parquet(&small()), "Parquet"), (arrow_file(&small()), "Arrow")] {
        let read = read("t.csv", &bytes);
        assert_eq!(shown(&read.table), expected);
        assert_eq!(read.notes, [format!("read as {title}, though its name does not say so")]);
    }
    let twice = zstd::encode_all(&gzip[..], 1).unwrap();
    let hint = "unpack it once, and read what is inside";
    refuse("t.csv.zst", &twice, "t.csv.zst: is packed twice", hint);
}

#[test]
fn numbers_with_a_decimal_comma_are_noted() {
    let note = "column `Gewicht`: numbers with a decimal comma are read as text; write them with a \
                point";
    let cells = ["n|Gewicht", "a|70,5", "b|-3", "c|NA", "d|80,25"];
    check(b"n;Gewicht\na;70,5\nb;-3\nc;NA\nd;80,25\n", &cells, &[note]);
    for text in ["n;w\na;70,5\nb;x\n", "n;w\na;70,5\nb;1,2,3\n", "n;w\na;70\nb;80\n", "n;w\na;,5\n"]
    {
        assert!(read("t.csv", text.as_bytes()).notes.is_empty(), "{text}");
    }
    assert!(read("t.csv", b"n,w\na,\"1,234\"\nb,\"2,345\"\n").notes.is_empty());
}

#[test]
fn columns_that_are_text_because_of_few_values_are_noted() {
    let check = |n: u32, odd: &[&str], note: &str| {
        let mut text = String::from("name,age\n");
        for row in 0..n {
            let cell = odd.get((row as usize).wrapping_sub(5)).copied();
            let number = format!("{}.5", row + 10);
            writeln!(text, "x,{}", cell.unwrap_or(&number)).unwrap();
        }
        let notes = read("t.csv", text.as_bytes()).notes;
        let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes.join("; "), note, "{n} {odd:?}");
    };
    check(
        30,
        &["SECRET"],
        "column `age`: read as text because 1 of 30 distinct values is not a number (first on line \
         7)",
    );
    check(
        41,
        &["NA", "SECRET", "12 years"],
        "column `age`: read as text because 2 of 40 distinct values are not numbers (first on \
         line 8)",
    );
    check(19, &["SECRET"], "");
    check(39, &["SECRET", "SECRET2"], "");
    check(30, &["01067"], "");
    check(30, &["NA"], "");
    check(30, &["x", "1", "y", "z", "w"], "");
}

#[test]
fn a_debug_print_shows_no_cell() {
    let shown = format!("{:?}", read("t.csv", b"a,b\nSECRET,2\n"));
    assert_eq!(
        shown,
        "Read { table: \"t.csv\", n_columns: 2, n_rows: 1, notes: [], metadata: [] }"
    );
}

//! What holds for every file: no panic, and every well-formed table comes back cell for cell.

use std::io::Write;

use csv::{Terminator, WriterBuilder};
use encoding_rs::WINDOWS_1252;
use kohort_io::{Encoding, Options};
use proptest::prelude::*;

use crate::columnar::{arrow_file, arrow_stream, parquet, small};
use crate::{shown, try_read};

const NAMES: [&str; 7] =
    ["t.csv", "t.jsonl", "t.csv.gz", "t.csv.zst", "t.parquet", "t.arrow", "t.ipc"];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn encode(text: &str, encoding: Encoding) -> Vec<u8> {
    match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Encoding::Windows1252 => WINDOWS_1252.encode(text).0.into_owned(),
    }
}

fn written(rows: &[Vec<String>], separator: u8, quote: u8, end: Terminator) -> String {
    let mut writer = WriterBuilder::new()
        .delimiter(separator)
        .quote(quote)
        .terminator(end)
        .from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// A table with its header, cells matching `cell`.
fn table(
    cell: &'static str,
    widths: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<Vec<String>>> {
    (widths, 1_usize..12).prop_flat_map(move |(width, height)| {
        let names: Vec<String> = (0..width).map(|column| format!("name {column}")).collect();
        let row = proptest::collection::vec(cell, width);
        proptest::collection::vec(row, height).prop_map(move |mut rows| {
            rows.insert(0, names.clone());
            rows
        })
    })
}

fn joined(rows: &[Vec<String>]) -> Vec<String> {
    rows.iter().map(|row| row.join("|")).collect()
}

fn line_end() -> impl Strategy<Value = Terminator> {
    prop_oneof![Just(Terminator::CRLF), Just(Terminator::Any(b'\n')), Just(Terminator::Any(b'\r'))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        for name in NAMES {
            let _ = try_read(name, &bytes, &Options::default());
        }
        for encoding in Encoding::ALL {
            let options = Options { encoding: Some(encoding), ..Options::default() };
            let _ = try_read("t.csv", &bytes, &options);
        }
    }

    #[test]
    fn random_records_never_panic(text in "[ab1,;'\"\r\n\t|é\0]{0,80}") {
        let _ = try_read("t.csv", text.as_bytes(), &Options::default());
        let declared = format!("sep=;\n{text}");
        let _ = try_read("t.csv", declared.as_bytes(), &Options::default());
        for (header, skip_lines) in [(true, 1), (false, 2)] {
            let options = Options { header: Some(header), skip_lines, ..Options::default() };
            let _ = try_read("t.csv.gz", &gzip(text.as_bytes()), &options);
        }
    }

    #[test]
    fn well_formed_tables_come_back_cell_for_cell(
        rows in table("[a-z0-9 ,;'\"\r\n\t|éü€]{0,8}", 1..5),
        separator in prop_oneof![Just(b','), Just(b';'), Just(b'\t'), Just(b'|')],
        quote in prop_oneof![Just(b'"'), Just(b'\'')],
        end in line_end(),
    ) {
        let text = written(&rows, separator, quote, end);
        for encoding in Encoding::ALL {
            let options = Options {
                separator: Some(separator),
                quote: Some(quote),
                header: Some(true),
                encoding: Some(encoding),
                ..Options::default()
            };
            let read = try_read("t.csv", &encode(&text, encoding), &options).unwrap();
            prop_assert_eq!(shown(&read.table), joined(&rows));
        }
    }

    // A strict reader does not know the dialect: it finds the table that was written, or one column whose
    // name is a line, or none.
    #[test]
    fn no_dialect_hides_rows_from_a_strict_reader(
        rows in table("[a,;'\"\n]{0,3}", 2..4),
        separator in prop_oneof![Just(b','), Just(b';'), Just(b'\t'), Just(b'|')],
        quote in prop_oneof![Just(b'"'), Just(b'\'')],
        end in line_end(),
    ) {
        let text = written(&rows, separator, quote, end);
        let options = Options { strict: true, ..Options::default() };
        if let Ok(read) = try_read("t.csv", text.as_bytes(), &options) {
            let shape = (read.table.n_rows() + 1, read.table.columns().len());
            if shape.1 > 1 {
                prop_assert_eq!(shape, (rows.len(), rows[0].len()), "{:?}", text);
            }
        }
    }

    #[test]
    fn plain_tables_need_no_options(
        rows in table("[a-zé]{1,8}", 2..5),
        separator in prop_oneof![Just(b','), Just(b';'), Just(b'\t'), Just(b'|')],
        end in line_end(),
    ) {
        let text = written(&rows, separator, b'"', end);
        for encoding in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be] {
            let read = try_read("t.csv", &encode(&text, encoding), &Options::default()).unwrap();
            prop_assert_eq!(shown(&read.table), joined(&rows));
        }
    }
}

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let text = "name,age\r\n\"Ann, \"\"A\"\"\r\nx\",39\r\nJosé,50\r\n";
    let lines = "{\"a\": \"x\\u00e9\", \"b\": 1.5}\n{\"b\": null, \"c\": true}\n";
    vec![
        ("t.csv", text.as_bytes().to_vec()),
        ("t.csv", encode(text, Encoding::Utf16Le)),
        ("t.csv", encode(text, Encoding::Windows1252)),
        ("t.csv.gz", gzip(text.as_bytes())),
        ("t.csv.zst", zstd::encode_all(text.as_bytes(), 1).unwrap()),
        ("t.jsonl", lines.as_bytes().to_vec()),
        ("t.parquet", parquet(&small())),
        ("t.arrow", arrow_file(&small())),
        ("t.ipc", arrow_stream(&small())),
    ]
}

#[test]
fn a_file_cut_anywhere_never_panics() {
    for (name, bytes) in samples() {
        let step = if bytes.len() > 1000 { 3 } else { 1 };
        for length in (0..bytes.len()).step_by(step) {
            let _ = try_read(name, &bytes[..length], &Options::default());
        }
    }
}

#[test]
fn a_file_with_any_byte_changed_never_panics() {
    for (name, bytes) in samples() {
        // One byte in five of the long ones: the readers of Parquet and Arrow are slow unoptimized.
        let step = if bytes.len() > 1000 { 5 } else { 1 };
        for at in (0..bytes.len()).step_by(step) {
            let mut bytes = bytes.clone();
            bytes[at] ^= [0x01, 0x80, 0xff][at % 3];
            let _ = try_read(name, &bytes, &Options::default());
        }
    }
}

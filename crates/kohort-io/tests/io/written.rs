//! Tables written in every format, and read back cell for cell.

use std::io::{self, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::reader::FileReader;
use arrow_schema::DataType;
use kohort_core::{Codes, Column, Dictionary, Missing, Table};
use kohort_io::{Compression, Format, Kind, Options, write_table};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;

use crate::{rows, table, try_read};

const NAMES: [&str; 10] = [
    "t.csv",
    "t.csv.gz",
    "t.csv.zst",
    "t.tsv",
    "t.tsv.gz",
    "t.jsonl",
    "t.ndjson.gz",
    "t.parquet",
    "t.arrow",
    "t.feather",
];

fn owned(rows: &[&[&str]]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect()
}

fn bytes(table: &Table, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_table(table, Format::of(Path::new(name)).unwrap(), &mut bytes).unwrap();
    bytes
}

fn text(rows: &[&[&str]], name: &str) -> String {
    String::from_utf8(bytes(&table(&owned(rows)), name)).unwrap()
}

fn as_written(name: &str) -> Options {
    Options::as_written(Format::of(Path::new(name)).unwrap())
}

fn read_back(written: &[Vec<String>], name: &str, options: &Options) -> Vec<Vec<String>> {
    let bytes = bytes(&table(written), name);
    rows(&try_read(name, &bytes, options).unwrap().table)
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "[^\0]{0,8}",
        "'{0,3}[=+@-]?[a-z0-9=+@'-]{0,3}",
        "[a1 ,;'\"\r\n\t|\\\\]{0,6}",
        "-?[0-9]{1,20}(\\.[0-9]{1,3})?",
        "[+-]?[0-9]{0,2}\\.?[0-9]{0,2}(e[+-]?[0-9]{1,3})?",
        Just(String::new()),
        Just("null".to_owned()),
        Just("\u{feff}\u{2028}é🦀".to_owned()),
    ]
}

fn integer() -> impl Strategy<Value = String> {
    prop_oneof![any::<i64>().prop_map(|number| number.to_string()), Just(String::new())]
}

fn double() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<f64>().prop_map(|number| format!("{number:?}")),
        (-1_000_000_i32..1_000_000).prop_map(|cents| format!("{:?}", f64::from(cents) / 100.0)),
        Just(String::new()),
    ]
}

fn truth() -> impl Strategy<Value = String> {
    prop_oneof![Just("true".to_owned()), Just("false".to_owned()), Just(String::new())]
}

/// Rows under names that a reader could stumble over.
fn any_rows(cell: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<Vec<String>>> {
    let name = prop_oneof!["[^\0]{0,6}", "[=+@'-]{0,3}", "[a,;'\"\r\n\t|<{\\[]{0,4}"];
    let names = proptest::collection::vec(name, 4);
    let cells = proptest::collection::vec(proptest::collection::vec(cell, 4), 1..12);
    (1_usize..5, names, cells).prop_map(|(width, names, cells)| {
        let name = |(column, name): (usize, String)| format!("{}{column}", name.trim_start());
        let mut rows = vec![names.into_iter().enumerate().map(name).collect::<Vec<String>>()];
        rows.extend(cells);
        for row in &mut rows {
            row.truncate(width);
        }
        rows
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(
        rows in prop_oneof![
            3 => any_rows(cell()),
            1 => any_rows(integer()),
            1 => any_rows(double()),
            1 => any_rows(truth()),
        ],
    ) {
        for name in NAMES {
            prop_assert_eq!(&read_back(&rows, name, &as_written(name)), &rows, "{}", name);
        }
    }

    // Lines inside a cell can look like rows; a release that has them says so with `quote`.
    #[test]
    fn what_is_written_reads_strictly_as_it_is(rows in any_rows(cell())) {
        let strict = Options { strict: true, ..Options::default() };
        for name in NAMES {
            match try_read(name, &bytes(&table(&rows), name), &strict) {
                Ok(read) => prop_assert_eq!(&crate::rows(&read.table), &rows, "{}", name),
                Err(error) => {
                    let by_quote = matches!(error.kind(), Kind::TwoReadings { flag: "quote", .. });
                    let ends_line = |cell: &String| cell.contains(['\r', '\n']);
                    let has_lines = rows.iter().flatten().any(ends_line);
                    prop_assert!(by_quote && has_lines, "{}: {}", name, error);
                }
            }
        }
    }

    // Apostrophes can look like quotes around rows: a file that also reads so is refused, never misread.
    #[test]
    fn separator_and_quote_of_what_is_written_are_found_by_looking(
        mut rows in any_rows(cell()).prop_filter("two columns", |rows| rows[0].len() > 1),
    ) {
        rows[0] = (0..rows[0].len()).map(|column| format!("name {column}")).collect();
        for name in ["t.csv", "t.tsv"] {
            match try_read(name, &bytes(&table(&rows), name), &Options::default()) {
                Ok(read) => prop_assert_eq!(&crate::rows(&read.table), &rows, "{}", name),
                Err(error) => {
                    let by_quote = matches!(error.kind(), Kind::TwoReadings { flag: "quote", .. });
                    let n_apostrophes: usize =
                        rows.iter().flatten().map(|cell| cell.matches('\'').count()).sum();
                    prop_assert!(by_quote && n_apostrophes > 1, "{}: {}", name, error);
                }
            }
        }
    }

    #[test]
    fn no_cell_of_a_csv_file_is_a_formula(rows in any_rows(cell())) {
        let bytes = bytes(&table(&rows), "t.csv");
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&bytes[..]);
        for record in reader.records() {
            for cell in &record.unwrap() {
                let is_number = cell.parse::<f64>().is_ok();
                prop_assert!(is_number || !cell.starts_with(['=', '+', '-', '@']));
            }
        }
    }
}

#[test]
fn csv_is_quoted_where_it_must_be() {
    let rows: [&[&str]; 4] = [
        &["age", "note", "=sum"],
        &["[20, 29]", "she said \"no\"", "=1+1"],
        &["-5", "a;b", "'=x"],
        &["", "two\nlines", "'s-Hertogenbosch"],
    ];
    let expected = "\"age\",note,\"'=sum\"\n\
                    \"[20, 29]\",\"she said \"\"no\"\"\",\"'=1+1\"\n\
                    -5,\"a;b\",\"''=x\"\n\
                    ,\"two\nlines\",\"'s-Hertogenbosch\"\n";
    assert_eq!(text(&rows, "t.csv"), expected);
    assert_eq!(text(&[&["a"], &[""], &["x"]], "t.csv"), "a\n\"\"\nx\n");
}

#[test]
fn tabs_stand_between_the_cells_of_a_tsv_file() {
    let rows: [&[&str]; 3] = [&["age", "note"], &["[20, 29]", "a\tb"], &["", "=1"]];
    let expected = "age\tnote\n\"[20, 29]\"\t\"a\tb\"\n\t\"'=1\"\n";
    assert_eq!(text(&rows, "t.tsv"), expected);
}

#[test]
fn a_first_name_passes_for_nothing_else() {
    for name in ["sep=;", "<html", "<?xml", "[{", "%PDF-", "PAR1\x15", "PK\x03\x04", "\u{feff}a"] {
        let rows = owned(&[&[name], &["x"], &["y"]]);
        assert_eq!(read_back(&rows, "t.csv", &as_written("t.csv")), rows, "{name}");
    }
}

#[test]
fn escaped_cells_of_other_programs_are_read_without_their_apostrophe() {
    let read = crate::read("t.csv", b"'=name,b\n'=1+1,''-5\n's-Hertogenbosch,'a\n\"'+\n\",-5\n");
    assert_eq!(crate::shown(&read.table)[..3], ["=name|b", "=1+1|'-5", "'s-Hertogenbosch|'a"]);
    let error = try_read("t.csv", b"a,b\nx,\"'=\n\xff\"\n", &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "t.csv, line 3, column 2 (`b`): a byte that is not UTF-8");
}

#[test]
fn json_has_numbers_where_a_whole_column_prints_as_it_is() {
    let rows: [&[&str]; 3] = [
        &["n", "x", "mixed", "zip", "b"],
        &["-5", "0.25", "1.5", "01067", "true"],
        &["", "3", "1.50", "", "\"\\\n"],
    ];
    let expected = "{\"n\":-5,\"x\":0.25,\"mixed\":\"1.5\",\"zip\":\"01067\",\"b\":\"true\"}\n\
                    {\"n\":null,\"x\":3,\"mixed\":\"1.50\",\"zip\":null,\"b\":\"\\\"\\\\\\n\"}\n";
    assert_eq!(text(&rows, "t.jsonl"), expected);
}

fn arrow_batches(bytes: Vec<u8>) -> Vec<RecordBatch> {
    let reader = FileReader::try_new(io::Cursor::new(bytes), None).unwrap();
    reader.collect::<Result<_, _>>().unwrap()
}

#[test]
fn columns_have_the_type_of_their_values() {
    let rows = owned(&[
        &["n", "zip", "mixed", "none", "x", "b"],
        &["-5", "01067", "1.5", "", "1.5", "true"],
        &["", "", "2", "", "2.0", "false"],
    ]);
    let text = DataType::Utf8;
    let expected =
        [DataType::Int64, text.clone(), text.clone(), text, DataType::Float64, DataType::Boolean];
    let types = |schema: &arrow_schema::Schema| {
        schema.fields().iter().map(|field| field.data_type().clone()).collect::<Vec<_>>()
    };
    let batches = arrow_batches(bytes(&table(&rows), "t.arrow"));
    assert_eq!(types(&batches[0].schema()), expected);
    let nulls: Vec<usize> = batches[0].columns().iter().map(|array| array.null_count()).collect();
    assert_eq!(nulls, [1, 1, 0, 2, 0, 0]);
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes(&table(&rows), "t.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    assert_eq!(types(reader.schema()), expected);
}

#[test]
fn tables_of_many_batches_come_back() {
    let mut rows = owned(&[&["id", "text"]]);
    rows.extend((0..20_000).map(|row| vec![row.to_string(), format!("text {}", row % 7)]));
    for name in ["t.csv", "t.jsonl", "t.parquet", "t.arrow"] {
        assert!(read_back(&rows, name, &as_written(name)) == rows, "{name}");
    }
}

// A dictionary may hold texts that no row of a release has any more: the originals.
#[test]
fn a_text_that_stands_in_no_row_is_not_published() {
    let mut dictionary = Dictionary::default();
    for text in ["SECRET", "5"] {
        dictionary.intern(text.as_bytes(), 1).unwrap();
    }
    let mut codes = Codes::default();
    codes.push(1);
    let column = Column::new("a".into(), dictionary, codes, &Missing::default());
    let table = Table::new("release".into(), vec![column], true, Missing::default());
    for name in ["t.csv", "t.jsonl", "t.parquet", "t.arrow"] {
        let bytes = bytes(&table, name);
        assert!(!bytes.windows(6).any(|window| window == b"SECRET"), "{name}");
    }
    assert_eq!(bytes(&table, "t.jsonl"), b"{\"a\":5}\n");
    let batches = arrow_batches(bytes(&table, "t.arrow"));
    assert_eq!(*batches[0].column(0).data_type(), DataType::Int64);
}

#[test]
fn formats_are_told_by_the_extension() {
    let of = |name: &str| Format::of(Path::new(name));
    assert_eq!(of("a/b.CSV").unwrap(), Format::Csv(None));
    assert_eq!(of("b.csv.gz").unwrap(), Format::Csv(Some(Compression::Gzip)));
    assert_eq!(of("b.tsv.zst").unwrap(), Format::Tsv(Some(Compression::Zstd)));
    assert_eq!(of("b.jsonl.zst").unwrap(), Format::JsonLines(Some(Compression::Zstd)));
    assert_eq!(of("b.parquet").unwrap(), Format::Parquet);
    assert_eq!(of("b.ipc").unwrap(), Format::Arrow);
    for name in ["b", "b.xlsx", "b.json", "b.tab", "b.gz", "b.parquet.gz", "csv"] {
        let error = of(name).unwrap_err();
        let expected =
            format!("{name}: the extension must be .csv, .tsv, .jsonl, .parquet or .arrow");
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_name_that_csv_would_trim_is_refused() {
    let rows = owned(&[&["a", "b "], &["1", "2"]]);
    let error = write_table(&table(&rows), Format::Csv(None), &mut Vec::new()).unwrap_err();
    let expected = "column `b `: in CSV a name must not begin or end with a space";
    assert_eq!(error.to_string(), expected);
    for name in ["t.jsonl", "t.parquet", "t.arrow"] {
        assert_eq!(read_back(&rows, name, &as_written(name)), rows, "{name}");
    }
}

#[test]
fn a_full_disk_is_told() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let rows = owned(&[&["a"], &["x"]]);
    for name in NAMES {
        let format = Format::of(Path::new(name)).unwrap();
        let error = write_table(&table(&rows), format, &mut Full).unwrap_err();
        assert!(matches!(error.kind(), Kind::Write { .. }), "{name}");
        assert_eq!(io::Error::from(error).kind(), io::ErrorKind::StorageFull, "{name}");
    }
}

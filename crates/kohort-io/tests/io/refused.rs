//! Every kind of bad CSV, with its exact message.

use kohort_io::{Encoding, Kind, Options, read_table};

use crate::try_read;

fn check(bytes: &[u8], message: &str) {
    check_as("t.csv", bytes, &Options::default(), message);
}

fn check_as(name: &str, bytes: &[u8], options: &Options, message: &str) {
    let error = try_read(name, bytes, options).unwrap_err();
    assert_eq!(error.to_string(), message);
}

fn hint(bytes: &[u8]) -> String {
    try_read("t.csv", bytes, &Options::default()).unwrap_err().hint().unwrap().to_string()
}

#[test]
fn ragged_rows_are_refused() {
    check(b"a,b,c\n1,2,3\n4,5\n6,7,8\n", "t.csv, line 3: found 2 fields, expected 3");
    check(b"a,b\n1,2\n\n\"x\ny\",2\n3\n", "t.csv, line 6: found 1 field, expected 2");
    check(b"a,b\r\n1,2\r\n1,2,3", "t.csv, line 3: found 3 fields, expected 2");
}

#[test]
fn headers_with_a_name_twice_or_without_one_are_refused() {
    check(b"a,b, a,b\n1,2,3,4\n", "t.csv, line 1: columns 1 and 3 have the same name");
    check(b"\na,,c\n1,2,3\n", "t.csv, line 2, column 2: the name is empty");
    assert!(hint(b"a,,c\n1,2,3\n").contains("`header = false`"));
}

#[test]
fn quotes_that_are_never_closed_are_refused() {
    check(
        b"a,b\n1,2\n3,\"4\n5,6\n7,8\n",
        "t.csv, line 3, column 2 (`b`): a quote opens here and is never closed",
    );
    check(
        b"a,b\n\"x\ny\",\"4\r\n5,6",
        "t.csv, line 3, column 2 (`b`): a quote opens here and is never closed",
    );
    check(b"\"abc", "t.csv, line 1, column 1: a quote opens here and is never closed");
    check(b"\"abc\n", "t.csv, line 1, column 1: a quote opens here and is never closed");
    check(b"a\nb\n\"", "t.csv, line 3, column 1 (`a`): a quote opens here and is never closed");
}

/// Eight rows, or two to who takes apostrophes for quotes.
const SWALLOWED: &[u8] =
    b"age,dis,note\n1,flu,'\n7,HIV,c\n8,HIV,d\n1,gout,'\n1,gout,'\n9,HIV,e\n10,HIV,f\n1,flu,'\n";

fn strictly() -> Options {
    Options { strict: true, ..Options::default() }
}

#[test]
fn a_text_that_another_quote_cuts_into_other_rows_is_refused() {
    let message = "t.csv: has 8 rows of 3 cells if `\"` quotes cells, but 2 rows of 3 cells if `'` quotes cells";
    check_as("t.csv", SWALLOWED, &strictly(), message);
    let message = "t.csv: has 2 rows of 3 cells if `'` quotes cells, but 8 rows of 3 cells if `\"` quotes cells";
    check(SWALLOWED, message);
    assert!(hint(SWALLOWED).contains("`quote`"));
    for (quote, n_rows) in [(b'"', 8), (b'\'', 2)] {
        for strict in [true, false] {
            let options = Options { quote: Some(quote), strict, ..Options::default() };
            assert_eq!(try_read("t.csv", SWALLOWED, &options).unwrap().table.n_rows(), n_rows);
        }
    }
    // Ditto marks; and cells with lines in them, which are none.
    let ditto = b"day,town\n1,Bonn\n2,\"\n3,\"\n4,Rome\n";
    let message = "t.csv: has 3 rows of 2 cells if `\"` quotes cells, but 4 rows of 2 cells if no character quotes cells";
    check(ditto, message);
    check_as("t.csv", ditto, &strictly(), message);
    let lines = b"day,note\n1,\"a\nb,c\"\n2,\"d\"\n";
    assert_eq!(try_read("t.csv", lines, &strictly()).unwrap().table.n_rows(), 2);
}

#[test]
fn a_swallowed_row_is_found_far_from_the_beginning() {
    let plain = "1,Bonn\n".repeat(20_000);
    let text = format!("age,town\n{plain}2,'\n3,Rome\n2,'\n{plain}");
    for options in [Options::default(), strictly()] {
        let error = try_read("t.csv", text.as_bytes(), &options).unwrap_err();
        assert!(matches!(error.kind(), Kind::TwoReadings { flag: "quote", .. }), "{error}");
    }
}

#[test]
fn a_strict_reader_looks_for_nothing() {
    let text = b"age;town\n1;Bonn\n2;Rome\n";
    let message = "t.csv: has 2 rows of 1 cell if `,` separates cells, but 2 rows of 2 cells if `;` separates cells";
    check_as("t.csv", text, &strictly(), message);
    let said = Options { separator: Some(b';'), ..strictly() };
    assert_eq!(try_read("t.csv", text, &said).unwrap().table.columns().len(), 2);
    // As many rows and cells, and not the same ones.
    check_as(
        "t.csv",
        b"a,b;c\n1,2;3\n",
        &strictly(),
        "t.csv: has 1 row of 2 cells if `,` separates cells, but 1 row of 2 cells if `;` separates cells",
    );
    check_as(
        "t.tsv",
        b"a,b\n1,2\n",
        &strictly(),
        "t.tsv: has 1 row of 1 cell if a tab separates cells, but 1 row of 2 cells if `,` separates cells",
    );
    // Quotes say that a separator inside of them is none; a quote inside of a cell says nothing.
    for (name, text) in [
        ("t.tsv", b"d\t\"kg, lb\"\na\t\"[1, 2]\"\nb\t\"[3, 4]\"\n".as_slice()),
        ("t.csv", b"d,\"kg; \"\"lb\"\"\"\na,\"1;2\"\n"),
    ] {
        assert_eq!(try_read(name, text, &strictly()).unwrap().table.columns().len(), 2, "{name}");
    }
    check_as(
        "t.csv",
        b"a,5\"b;c\n1,2\";3\n",
        &strictly(),
        "t.csv: has 1 row of 2 cells if `,` separates cells, but 1 row of 2 cells if `;` separates cells",
    );
    let read = try_read("t.csv", b"1,2\n3,4\n", &strictly()).unwrap();
    assert_eq!(read.table.n_rows(), 1);
    let latin = b"town,n\nK\xf6ln,1\n";
    check_as(
        "t.csv",
        latin,
        &strictly(),
        "t.csv, line 2, column 1 (`town`): a byte that is not UTF-8",
    );
    let declared = b"sep=,\na,b\n1,2\n";
    check_as(
        "t.csv",
        declared,
        &strictly(),
        "t.csv, line 1, column 2: the name is empty, though line 2 has a value there",
    );
}

#[test]
fn bytes_that_are_not_of_the_encoding_are_refused() {
    check(b"a,b\n1,\xc3\xb6\n2,\xff\n", "t.csv, line 3, column 2 (`b`): a byte that is not UTF-8");
    check(b"a,\xff\n", "t.csv, line 1, column 2: a byte that is not UTF-8");
    check(
        b"a,b\n\xc3\xb6,\"\r\n\r\n\xff\"\n",
        "t.csv, line 4, column 2 (`b`): a byte that is not UTF-8",
    );
    assert_eq!(
        hint(b"a,b\n1,\xff\n"),
        "if the file was saved by an older Windows program, say the encoding with `encoding = \"windows-1252\"`"
    );
    let mut bytes = b"a,b\n".to_vec();
    bytes.extend(b"1,x\n".repeat(300_000));
    bytes.extend(b"1,Jos\xe9\n");
    check(&bytes, "t.csv, line 300002, column 2 (`b`): a byte that is not UTF-8");
}

#[test]
fn texts_that_do_not_decode_are_refused() {
    let mut bytes: Vec<u8> =
        "\u{feff}a,b\n1,2\n3,".encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.extend([0x00, 0xd8, b'x', 0]);
    check(&bytes, "t.csv, line 3, column 2 (`b`): a byte that is not UTF-16");
    check(b"\xff\xfea\0,\0b\0\n\0x", "t.csv, line 2, column 1 (`a`): a byte that is not UTF-16");
    check(b"\xff\xfea\0,\0\x00\xdc", "t.csv, line 1, column 2: a byte that is not UTF-16");
    let options = Options { encoding: Some(Encoding::Windows1252), ..Options::default() };
    check_as(
        "t.csv",
        b"a,b\n\xe9,\x81\n",
        &options,
        "t.csv, line 2, column 2 (`b`): a byte that is not Windows-1252",
    );
}

#[test]
fn nul_bytes_are_refused() {
    check(b"a,b\n1,2\n3,4\0\n", "t.csv, line 3, column 2 (`b`): a NUL byte");
    check(b"a,b\0\n1,2\n", "t.csv, line 1, column 2: a NUL byte");
}

#[test]
fn records_that_are_too_long_are_refused() {
    let long = vec![b'x'; 10_000_000];
    let message = "t.csv, line 2: a record must be at most 4 MiB, but is longer";
    check(&[b"a,b\n", &long[..], b",1\n"].concat(), message);
    check(&[b"a,b\n", &long[..(4 << 20) - 2], b",1\n"].concat(), message);
    let fits = [b"a,b\n", &long[..(4 << 20) - 3], b",1\n"].concat();
    assert!(try_read("t.csv", &fits, &Options::default()).is_ok());
    let rows = b"1,2\n".repeat(2_000_000);
    check(
        &[b"a,b\n1,2\n3,\"4\n", &rows[..]].concat(),
        "t.csv, line 3, column 2 (`b`): a record must be at most 4 MiB, but is longer",
    );
    let blank = b"\n".repeat(9_000_000);
    check(
        &[b"a,b\n", &blank[..], b"1\n"].concat(),
        "t.csv, line 9000002: found 1 field, expected 2",
    );
    assert_eq!(
        hint(&long),
        "maybe a quote is not closed, or the separator is wrong: see `quote` and `separator`"
    );
}

#[test]
fn files_without_rows_are_refused() {
    check(b"", "t.csv: is empty");
    check(b"\n\r\n\n", "t.csv: is empty");
    check(b"\xef\xbb\xbf", "t.csv: is empty");
    check(b"a,b\n", "t.csv: has a header but no rows");
    check(b"1,2", "t.csv: has a header but no rows");
    assert!(hint(b"1,2").contains("`header = false`"));
}

#[test]
fn paths_that_are_no_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refuse = |path: &std::path::Path| {
        read_table(path.to_str().unwrap(), &Options::default(), &|_, _| {}).unwrap_err()
    };
    let error = refuse(folder.path());
    assert_eq!(
        error.to_string(),
        format!("{}: is a directory, not a file", folder.path().display())
    );
    let missing = folder.path().join("t.csv");
    let error = refuse(&missing);
    assert_eq!(error.to_string(), format!("{}: no such file", missing.display()));
    assert!(error.hint().is_some());
}

#[test]
fn damaged_compressed_files_are_refused() {
    check_as(
        "t.csv.gz",
        b"a,b\n1,2\n",
        &Options::default(),
        "t.csv.gz: is damaged, or is not gzip",
    );
    let message = "t.csv.zst: is damaged, or is not Zstandard";
    check_as("t.csv.zst", b"a,b\n1,2\n", &Options::default(), message);
    let zstd = zstd::encode_all(&b"a,b\n1,2\n".repeat(1000)[..], 1).unwrap();
    check_as("t.csv.zst", &zstd[..zstd.len() - 3], &Options::default(), message);
}

#[test]
fn options_that_cannot_be_are_refused() {
    let options = Options { separator: Some(b'\n'), ..Options::default() };
    check_as(
        "t.csv",
        b"a\n",
        &options,
        "`separator` must be one ASCII character that does not end a line, but is byte 10",
    );
    let options = Options { separator: Some(b'"'), quote: Some(b'"'), ..Options::default() };
    check_as("t.csv", b"a\n", &options, "`quote` must be other than `separator`, but is the same");
}

#[test]
fn kinds_carry_what_was_found() {
    let error = try_read("t.csv", b"a,b\n1\n", &Options::default()).unwrap_err();
    assert!(matches!(error.kind(), Kind::Ragged { found: 1, expected: 2, .. }));
}

#[test]
fn files_that_unpack_to_more_than_they_may_are_refused() {
    use std::io::Write;
    let text = format!("a\n{}", "1\n".repeat(2_000_000));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(text.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    assert!(gzip.len() < 10_000 && zstd.len() < 10_000);
    let limit = |mib: u64| Options { unpacked_limit: Some(mib << 20), ..Options::default() };
    for (name, bytes) in [("t.csv.gz", &gzip), ("t.csv.zst", &zstd), ("t.csv", &gzip)] {
        let error = try_read(name, bytes, &limit(3)).unwrap_err();
        assert_eq!(error.to_string(), format!("{name}: unpacks to more than 3 MiB"));
        assert!(error.hint().is_some_and(|hint| hint.contains("unpacked-limit")));
        assert_eq!(try_read(name, bytes, &limit(4)).unwrap().table.n_rows(), 2_000_000);
    }
    // A file that is not packed is as large as it looks.
    assert_eq!(try_read("t.csv", text.as_bytes(), &limit(1)).unwrap().table.n_rows(), 2_000_000);
}

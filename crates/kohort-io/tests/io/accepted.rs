//! Every variation of CSV that is read.

use std::cell::Cell;
use std::io::Write;

use kohort_core::{Missing, Place, ValueType};
use kohort_io::{Encoding, Options, read_table};

use crate::{read, shown, try_read};

const EXPECTED: [&str; 3] = ["name|age|town", "Ann|39|Bonn", "Bob|50|Köln"];

fn check(bytes: &[u8], expected: &[&str]) {
    let read = read("t.csv", bytes);
    assert_eq!(shown(&read.table), expected, "{}", String::from_utf8_lossy(bytes));
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

#[test]
fn each_separator_is_found_by_looking() {
    for separator in [",", ";", "\t", "|"] {
        let text = "name,age,town\nAnn,39,Bonn\nBob,50,Köln\n".replace(',', separator);
        let read = read("t.csv", text.as_bytes());
        assert_eq!(shown(&read.table), EXPECTED);
        assert!(read.notes.is_empty(), "{:?}", read.notes);
    }
}

#[test]
fn either_quote_is_found_by_looking() {
    let rows = ["a,b", "x,1;y|z", "it's,2"];
    check(b"\"a,b\";n\n\"x;1\";2\n", &["a,b|n", "x;1|2"]);
    check(
        b"a,b\n\"x\",\"1;y|z\"\n\"it's\",2\n",
        &rows.map(|row| row.replacen(',', "|", 1)).each_ref().map(String::as_str),
    );
    let read = read("t.csv", b"a,b\n'x, y','say \"no\"'\n'it''s',2\n");
    assert_eq!(shown(&read.table), ["a|b", "x, y|say \"no\"", "it's|2"]);
    assert_eq!(read.notes, ["cells are quoted with `'`; say `quote` to decide otherwise"]);
}

#[test]
fn an_apostrophe_that_is_no_quote_stays() {
    check(b"a,b\n's-Hertogenbosch,1\n'k,2\n", &["a|b", "'s-Hertogenbosch|1", "'k|2"]);
    check(b"a,b\n\"x\",'y'\n", &["a|b", "x|'y'"]);
}

#[test]
fn decimal_commas_do_not_pass_for_separators() {
    check(b"a;b\n1,5;2,5\n3,5;4,5\n", &["a|b", "1,5|2,5", "3,5|4,5"]);
    let read = read("t.csv", b"1,5;2\n3,5;4\n");
    assert_eq!(shown(&read.table), ["column1|column2", "1,5|2", "3,5|4"]);
    assert_eq!(
        read.notes[0],
        "fields are separated by `;`, though `,` would fit too; say `separator` to decide \
         otherwise"
    );
}

#[test]
fn each_line_end_is_read_and_blank_lines_are_skipped() {
    for end in ["\n", "\r\n", "\r"] {
        for last in ["", end] {
            let lines = ["", "name,age,town", "", "Ann,39,Bonn", "", "", "Bob,50,Köln"];
            let text = lines.join(end) + last;
            let read = read("t.csv", text.as_bytes());
            assert_eq!(shown(&read.table), EXPECTED, "{text:?}");
            let column = read.table.column("age").unwrap();
            assert_eq!(read.table.place(column, 0), Place::Line(4), "{text:?}");
            assert_eq!(read.table.place(column, 1), Place::Line(7), "{text:?}");
        }
    }
}

#[test]
fn lines_inside_quotes_count_and_belong_to_the_cell() {
    for end in ["\n", "\r\n", "\r"] {
        let text = "a,b\n\"x\ny\",1\n\"\"\"\",\"\nz\n\"\nlast,2\n".replace('\n', end);
        let read = read("t.csv", text.as_bytes());
        let cells = ["a|b", "x\ny|1", "\"|\nz\n", "last|2"].map(|row| row.replace('\n', end));
        assert_eq!(shown(&read.table), cells);
        let column = read.table.column("a").unwrap();
        let lines = [0, 1, 2].map(|entry| read.table.place(column, entry));
        assert_eq!(lines, [2, 4, 7].map(Place::Line));
    }
}

#[test]
fn one_column_is_a_table() {
    check(b"name\nAnn\n\"Bob, Jr\"\n\"\"\n", &["name", "Ann", "Bob, Jr", ""]);
    check(b"1\n2\n", &["column1", "1", "2"]);
    check(b"name\n'Ann'\n", &["name", "'Ann'"]);
}

#[test]
fn one_cell_in_the_first_line_that_looks_like_data_below_too_means_no_header() {
    let read = read("t.csv", b"Ann,39,Bonn\nBob,50,Rome\n");
    assert_eq!(shown(&read.table), ["column1|column2|column3", "Ann|39|Bonn", "Bob|50|Rome"]);
    assert_eq!(
        read.notes,
        ["no header found: columns are named column1 … column3; say `header = true` if the first \
          line names them"]
    );
    check(
        b"Ann,2024-01-31\nBob,\nEve,2024-02-01\n",
        &["column1|column2", "Ann|2024-01-31", "Bob|", "Eve|2024-02-01"],
    );
    check(b"id,2019\nAnn,high\n", &["id|2019", "Ann|high"]);
    check(b"a,b\nc,d\n", &["a|b", "c|d"]);
}

#[test]
fn a_header_can_be_said() {
    let options = |header| Options { header: Some(header), ..Options::default() };
    let yes = try_read("t.csv", b"2019,2020\n1,2\n", &options(true)).unwrap();
    assert_eq!(shown(&yes.table), ["2019|2020", "1|2"]);
    let no = try_read("t.csv", b"a,b\nc,d\n", &options(false)).unwrap();
    assert_eq!(shown(&no.table), ["column1|column2", "a|b", "c|d"]);
    assert!(no.notes.is_empty());
}

#[test]
fn a_separator_and_a_quote_can_be_said() {
    let options = Options { separator: Some(b':'), quote: Some(b'~'), ..Options::default() };
    let read = try_read("t.csv", b"a:b\n~x:y~:\"\n", &options).unwrap();
    assert_eq!(shown(&read.table), ["a|b", "x:y|\""]);
}

#[test]
fn names_lose_the_space_around_them_and_cells_keep_it() {
    check(b" a , b\n x , y\n", &["a|b", " x | y"]);
}

#[test]
fn each_encoding_is_found_by_looking() {
    let text = "name,age,town\nAnn,39,Bonn\nBob,50,Köln\n";
    check(text.as_bytes(), &EXPECTED);
    check(format!("\u{feff}{text}").as_bytes(), &EXPECTED);
    for mark in ["", "\u{feff}"] {
        let marked = format!("{mark}{text}");
        for bytes in [utf16(&marked, u16::to_le_bytes), utf16(&marked, u16::to_be_bytes)] {
            let read = read("t.csv", &bytes);
            assert_eq!(shown(&read.table), EXPECTED);
            assert_eq!(read.notes, ["read as UTF-16; say `encoding` to decide otherwise"]);
        }
    }
    let read = read("t.csv", b"name,age,town\nAnn,39,Bonn\nBob,50,K\xf6ln\n");
    assert_eq!(shown(&read.table), EXPECTED);
    assert_eq!(read.notes, ["read as Windows-1252; say `encoding` to decide otherwise"]);
}

#[test]
fn an_encoding_can_be_said() {
    let options = Options { encoding: Some(Encoding::Windows1252), ..Options::default() };
    let read = try_read("t.csv", b"a,b\n1\xd72,\xc3\xb6\n", &options).unwrap();
    assert_eq!(shown(&read.table), ["a|b", "1×2|Ã¶"]);
    assert!(read.notes.is_empty());
}

#[test]
fn a_character_across_the_edge_of_the_sample_is_whole() {
    for shift in 0..4 {
        let mut text = format!("name,age\n{}", "x".repeat(shift));
        while text.len() < 1_200_000 {
            text.push_str("ö,1\nö");
        }
        text.push_str(",2\n");
        let read = read("t.csv", text.as_bytes());
        assert!(read.notes.is_empty());
    }
}

#[test]
fn a_record_longer_than_the_buffer_is_whole() {
    let long = "é".repeat(1 << 20);
    let text = format!("a,b\n{long},1\nshort,2\n\"{long}\",3\n");
    let read = read("t.csv", text.as_bytes());
    assert_eq!(read.table.columns()[0].dictionary().get(0), long);
    assert_eq!(read.table.columns()[0].codes().iter().collect::<Vec<_>>(), [0, 1, 0]);
}

#[test]
fn more_columns_than_one_would_expect_are_read() {
    let names: Vec<String> = (0..5000).map(|column| format!("c{column}")).collect();
    let cells = vec!["x"; 5000].join(",");
    let read = read("t.csv", format!("{}\n{cells}\n", names.join(",")).as_bytes());
    assert_eq!(read.table.columns().len(), 5000);
}

#[test]
fn compressed_files_are_read() {
    let text = "name,age,town\nAnn,39,Bonn\nBob,50,Köln\n";
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let gzip = encoder.finish().unwrap();
    assert_eq!(shown(&read("t.csv.gz", &gzip).table), EXPECTED);
    assert_eq!(shown(&read("T.CSV.GZ", &[gzip.clone(), gzip].concat()).table).len(), 6);
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    assert_eq!(shown(&read("t.tsv.zst", &zstd).table), EXPECTED);
    let lines = zstd::encode_all(&b"{\"a\": 1}\n"[..], 1).unwrap();
    assert_eq!(shown(&read("t.jsonl.zst", &lines).table), ["a", "1"]);
}

#[test]
fn the_table_knows_its_name_its_types_and_what_is_missing() {
    let options = Options { missing: Missing::new(vec!["-".into()]), ..Options::default() };
    let read = try_read("people.data", b"a,b\n1,x\n-,y\n", &options).unwrap();
    assert_eq!(read.table.name(), "people.data");
    assert_eq!(read.table.columns()[0].value_type(), ValueType::Integer);
    assert_eq!(read.table.missing().tokens(), ["-"]);
}

#[test]
fn progress_ends_at_the_size_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let text = "a,b\n1,2\n".repeat(300_000);
    std::fs::write(&path, &text).unwrap();
    let last = Cell::new((0, 0));
    let progress = |read, total| {
        assert!(read >= last.get().0);
        last.set((read, total));
    };
    let options = Options::default();
    read_table(path.to_str().unwrap(), &options, &progress).unwrap();
    assert_eq!(last.get(), (text.len() as u64, text.len() as u64));
}

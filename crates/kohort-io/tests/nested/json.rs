//! JSON of every shape.

use std::path::Path;

use kohort_core::{Empty, Place};
use kohort_io::{Encoding, NestedFormat, NestedOptions, looks_nested, read_nested, write_nested};

use super::{read, shown, try_read, written};

const PATIENTS: &str = r#"[
{"birth_year":1980,"name":null,"visits":[{"diagnosis":"flu","doctor":{"name":"A"}},{"diagnosis":"cold"}],"allergies":["nuts","milk"]},
{"birth_year":1990,"visits":[],"allergies":null,"matrix":[[1,2.50],[]]},
{"birth_year":"1990","visits":[{"diagnosis":"flu","doctor":{}}]}
]
"#;

#[test]
fn objects_and_arrays_become_branches() {
    let nested = read("patients.json", PATIENTS).nested;
    assert_eq!(
        shown(&nested),
        [
            "<> birth_year|name",
            "1980|",
            "1990|",
            "1990|",
            "<visits[]> visits[].diagnosis",
            "0: flu",
            "0: cold",
            "2: flu",
            "<visits[].doctor> visits[].doctor.name",
            "0: A",
            "2: ",
            "<allergies[]> allergies[]",
            "0: nuts",
            "0: milk",
            "<matrix[]> ",
            "1: ",
            "1: ",
            "<matrix[][]> matrix[][]",
            "0: 1",
            "0: 2.50",
        ]
    );
    assert_eq!(nested.find("visits[].doctor.name"), Some((2, 0)));
    let empty = |branch: usize| nested.branches()[branch].empty();
    assert_eq!(empty(1), [(1, Empty::Array)]);
    assert_eq!(empty(3), [(1, Empty::Null)]);
    assert_eq!(empty(5), [(1, Empty::Array)]);
}

#[test]
fn what_was_read_is_written_again() {
    let nested = read("patients.json", PATIENTS).nested;
    assert_eq!(written(&nested, NestedFormat::Json(None)), PATIENTS);
    let lines: String = PATIENTS
        .lines()
        .filter(|l| l.len() > 1)
        .map(|l| l.trim_end_matches(',').to_owned() + "\n")
        .collect();
    assert_eq!(written(&nested, NestedFormat::JsonLines(None)), lines);
    let again = read("patients.jsonl", &lines).nested;
    assert_eq!(written(&again, NestedFormat::Json(None)), PATIENTS);
}

#[test]
fn records_stand_in_a_member() {
    let text = r#"{"made":{"by":["x"]},"people":[{"a":1}],"n":1}"#;
    let one = read("p.json", text);
    assert_eq!(shown(&one.nested), ["<> a", "1"]);
    assert_eq!(one.notes, ["`made` and other content beside the records: left out"]);
    assert_eq!(one.nested.layout().left_out, ["`made` and other content beside the records"]);
    let text = r#"{"tags":[1],"people": [ {"a":1}],"none":[]}"#;
    assert_eq!(shown(&read("p.json", text).nested), ["<> a", "1"]);
    let text = r#"{"tags":[{"b":1}],"people":[{"a":1}]}"#;
    let named = NestedOptions { records: Some("people".into()), ..NestedOptions::default() };
    let read = try_read("p.json", text.as_bytes(), &named).unwrap();
    assert_eq!(shown(&read.nested), ["<> a", "1"]);
}

#[test]
fn a_folder_is_read_in_the_order_of_names() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("b.json", r#"{"a":2,"v":[{"x":1}]}"#);
    write("a.json", r#"[{"a":0},{"a":1}]"#);
    write("c.jsonl", "{\"a\":3}\n{\"a\":4}\n");
    write("README", "");
    let source = folder.path().to_str().unwrap();
    assert!(looks_nested(source).unwrap());
    let read = read_nested(source, &NestedOptions::default(), &|_, _| {}).unwrap();
    assert_eq!(shown(&read.nested), ["<> a", "0", "1", "2", "3", "4", "<v[]> v[].x", "2: 1"]);
    assert_eq!(read.notes, ["1 other entry of the folder left out"]);
}

#[test]
fn signs_in_names_are_escaped() {
    let text = "[\n{\"a.b\":1,\"c[]\":[{\"\\\\\":2}]}\n]\n";
    let read = read("p.json", text);
    assert_eq!(shown(&read.nested), ["<> a\\.b", "1", "<c\\[\\][]> c\\[\\][].\\\\", "0: 2"]);
    assert_eq!(written(&read.nested, NestedFormat::Json(None)), text);
}

#[test]
fn members_of_many_kinds_are_kept_apart() {
    let text =
        "[\n{\"a\":1},\n{\"a\":{\"b\":1}},\n{\"a\":[1,{\"b\":2},[3],{},null]},\n{\"a\":null}\n]\n";
    let read = read("p.json", text);
    assert_eq!(
        read.notes,
        [
            "`a` is a value here and an object or an array there: each is kept apart",
            "`a[]` is a value here and an array there: each is kept apart",
        ]
    );
    assert_eq!(written(&read.nested, NestedFormat::Json(None)), text);
}

#[test]
fn json_lines_are_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let look = |text: &str| {
        let path = folder.path().join("p.jsonl");
        std::fs::write(&path, text).unwrap();
        looks_nested(path.to_str().unwrap()).unwrap()
    };
    assert!(look("{\"a\":1}\n{\"a\":[]}\n"));
    assert!(look("{\"a\":{}}\n"));
    assert!(!look("{\"a\":1}\n{\"a\":2}\n"));
    assert!(!look("{\"a\":1}\n{\"a\":\n"));
    assert!(looks_nested("x.json").unwrap());
    assert!(looks_nested("x.xml.gz").unwrap());
    assert!(!looks_nested("x.csv").unwrap());
    assert!(!looks_nested("-").unwrap());
}

#[test]
fn packed_and_encoded_files_say_the_same() {
    let text = "[\n{\"a\":\"é\",\"v\":[{\"b\":1}]}\n]\n";
    let expected = shown(&read("p.json", text).nested);
    let check = |name: &str, bytes: &[u8]| {
        let read = try_read(name, bytes, &NestedOptions::default()).unwrap();
        assert_eq!(shown(&read.nested), expected, "{name}");
        read.notes
    };
    let utf16: Vec<u8> =
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(check("p.json", &utf16), ["read as UTF-16; say `encoding` to decide otherwise"]);
    check("p.json", format!("\u{feff}{text}").as_bytes());
    let windows: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let options =
        NestedOptions { encoding: Some(Encoding::Windows1252), ..NestedOptions::default() };
    assert_eq!(shown(&try_read("p.json", &windows, &options).unwrap().nested), expected);
    let nested = read("p.json", text).nested;
    for name in ["p.json.gz", "p.json.zst", "p.jsonl.gz", "p.ndjson.zst"] {
        let mut packed = Vec::new();
        write_nested(&nested, NestedFormat::of(Path::new(name)).unwrap(), &mut packed).unwrap();
        assert!(check(name, &packed).is_empty());
    }
    let mut packed = Vec::new();
    let gzip = NestedFormat::of(Path::new("p.json.gz")).unwrap();
    write_nested(&nested, gzip, &mut packed).unwrap();
    let notes = check("p.json", &packed);
    assert_eq!(notes, ["p.json: read as gzip, though its name does not say so"]);
}

#[test]
fn cells_are_told_by_their_line() {
    let read = read("p.json", "[\n{\"v\":[{\"a\":1},\n{\"a\":\"secret\"}]}\n]");
    let table = read.nested.branches()[1].table();
    let column = &table.columns()[0];
    assert_eq!(table.place(column, 1), Place::Line(3));
    assert!(!format!("{read:?}").contains("secret"));
}

#[test]
fn every_reader_of_json_refuses_what_programs_read_in_different_ways() {
    let tables = |line: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        std::fs::write(&path, format!("{line}\n")).unwrap();
        kohort_io::read_table(path.to_str().unwrap(), &kohort_io::Options::default(), &|_, _| {})
            .map(drop)
    };
    let records = |name: &str, text: &str| {
        try_read(name, text.as_bytes(), &NestedOptions::default()).map(drop)
    };
    let is_read = |line: &str| {
        [
            tables(line).is_ok(),
            records("t.jsonl", line).is_ok(),
            records("t.json", &format!("[{line}]")).is_ok(),
        ]
    };
    for line in [
        r#"{"a": 1e309}"#,
        r#"{"a": -1e309}"#,
        &format!(r#"{{"a": 1{}}}"#, "0".repeat(310)),
        r#"{"a": 1, "a": 2}"#,
        r#"{"a": 1, "\u0061": 1}"#,
        r#"{"a": "\ud800"}"#,
        r#"{"a": "\udc00\ud800"}"#,
        r#"{"\ud800": 1}"#,
    ] {
        assert_eq!(is_read(line), [false; 3], "{line}");
    }
    for line in
        [r#"{"a": 1e308}"#, r#"{"a": "1e309"}"#, r#"{"a": "\ud83d\ude00"}"#, r#"{"a": 1e-999}"#]
    {
        assert_eq!(is_read(line), [true; 3], "{line}");
    }
}

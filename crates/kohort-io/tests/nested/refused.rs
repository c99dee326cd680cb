//! Nested files that are refused: each message has the place and no cell.

use std::fmt::Write as _;
use std::io::Write as _;

use kohort_io::{Encoding, NestedOptions, read_nested};

use super::try_read;

#[track_caller]
fn check_bytes(name: &str, bytes: &[u8], expected: &str) {
    let error = try_read(name, bytes, &NestedOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), expected);
    assert!(!format!("{error} {error:?}").contains("secret"));
}

#[track_caller]
fn check(name: &str, text: &str, expected: &str) {
    check_bytes(name, text.as_bytes(), expected);
}

#[test]
fn truncated_json() {
    let at = |place: &str, problem: &str| format!("p.json, {place}: invalid JSON: {problem}");
    let early = "the text ends too early";
    check("p.json", "[", &at("line 1, character 2", early));
    check("p.json", "[{\"a\":\"secret\"}", &at("line 1, character 16", early));
    check("p.json", "[{\"a\":1},", &at("line 1, character 10", early));
    check("p.json", "[{\"a\"", &at("line 1, column `a`, character 6", early));
    check("p.json", "[{\"v\":[{\"a\":", &at("line 1, column `v[].a`, character 13", early));
    let open = "a string opens here and is never closed";
    check("p.json", "[\n{\"é\":\"secret", &at("line 2, column `é`, character 6", open));
    check("p.json", "[\n{\"v\":[\"secret", &at("line 2, column `v[]`, character 7", open));
    let line = "p.jsonl, line 1, character 1: invalid JSON: the object does not end on its line";
    check("p.jsonl", "{\"a\":\n", line);
    check("p.jsonl", "{\"a\":1,\n{\"a\":2}\n", line);
}

#[test]
fn json_that_is_none() {
    let at = |place: &str, problem: &str| format!("p.json, {place}: invalid JSON: {problem}");
    let bare = "neither a number nor true, false or null";
    check("p.json", "[{\"a\":secret}]", &at("line 1, column `a`, character 7", bare));
    check("p.json", "[{\"a\":01}]", &at("line 1, column `a`, character 7", bare));
    let value = "expected a value here";
    check("p.json", "[{\"a\":}]", &at("line 1, column `a`, character 7", value));
    check("p.json", "[{\"a\":[1,]}]", &at("line 1, column `a[]`, character 10", value));
    let name = "expected the name of a member here, in quotes";
    check("p.json", "[{\"a\":1,}]", &at("line 1, character 9", name));
    check("p.json", "[{secret:1}]", &at("line 1, character 3", name));
    check("p.json", "[{\"a\" 1}]", &at("line 1, column `a`, character 7", "expected a colon here"));
    let comma = "expected a comma or the end of the object here";
    check("p.json", "[{\"a\":1 \"b\":2}]", &at("line 1, character 9", comma));
    let escape = "an escape that is none";
    check("p.json", "[{\"a\":\"x\\q\"}]", &at("line 1, column `a`, character 9", escape));
    check("p.json", "[{\"a\":\"\\ud800\"}]", &at("line 1, column `a`, character 8", escape));
    let control = "a control character in a string";
    check("p.json", "[{\"a\":\"x\ny\"}]", &at("line 1, column `a`, character 9", control));
    let after = "there is something after the end of the records";
    check("p.json", "[{\"a\":1}]\nsecret", &at("line 2, character 1", after));
    let after = "p.jsonl, line 1, character 9: invalid JSON: there is something after the object";
    check("p.jsonl", "{\"a\":1} {\"a\":2}\n", after);
    check("p.json", "[{\"\":1}]", &at("line 1, character 3", "the name of a member is empty"));
}

#[test]
fn json_without_records() {
    check("p.json", " \n", "p.json: is empty");
    check("p.json", "", "p.json: is empty");
    check("p.json", "[]", "p.json: has no records");
    check("p.json", "5", "p.json: must be an array of objects");
    check("p.json", "[{\"a\":1},\n5]", "p.json, line 2: must be a JSON object");
    check("p.json", "[[1]]", "p.json, line 1: must be a JSON object");
    check("p.jsonl", "{\"a\":1}\n[1]\n", "p.jsonl, line 2: must be a JSON object");
    let one = "p.json: must be an array of objects, or an object with one";
    check("p.json", "{\"a\":1,\"b\":{}}", one);
    check("p.json", "{\"a\":[1],\"b\":[]}", one);
    let both = "p.json: both `a` and `b` have objects: say which are the records";
    check("p.json", "{\"a\":[{}],\"b\": [ {}]}", both);
    let options = NestedOptions { records: Some("c".to_owned()), ..NestedOptions::default() };
    let refuse =
        |name: &str, text: &str| try_read(name, text.as_bytes(), &options).unwrap_err().to_string();
    assert_eq!(refuse("p.json", "{\"a\":[]}"), "p.json: has no member `c`");
    assert_eq!(refuse("p.json", "{\"c\":1}"), "p.json: `c` must be an array of objects");
    let around = "must be an object with a member `c`";
    assert_eq!(refuse("p.json", "[{\"c\":1}]"), format!("p.json: {around}"));
    assert_eq!(refuse("p.jsonl", "{\"c\":1}"), format!("p.jsonl: {around}"));
    assert_eq!(refuse("p.json", "{\"c\":[{}],\"c\":[{}]}"), "p.json: `c` occurs twice");
}

#[test]
fn members_that_occur_twice() {
    let twice = "p.json, line 2, column `v[].a`: occurs twice in one object";
    check("p.json", "[{\"v\":[{\"a\":1},{\"a\":2,\n\"b\":1,\"a\":\"secret\"}]}]", twice);
    check(
        "p.json",
        "[{\"v\":[],\"v\":{}}]",
        "p.json, line 1, column `v`: occurs twice in one object",
    );
    let escaped = "p.json, line 1, column `a`: occurs twice in one object";
    check("p.json", "[{\"a\":1,\"\\u0061\":1}]", escaped);
}

#[test]
fn depth_is_limited() {
    let deep = |open: &str, n: usize| format!("[\n{{\"a\":{}", open.repeat(n));
    let limit = "p.json, line 2: is nested more than 64 deep";
    check("p.json", &deep("[", 10_000), limit);
    check("p.json", &deep("{\"a\":", 10_000), limit);
    check(
        "p.json",
        &format!("{{\"a\":{}", "[".repeat(10_000)),
        "p.json, line 1: is nested more than 64 deep",
    );
    check(
        "p.json",
        &format!("{{\"a\":{{\"a\":{}", "[".repeat(10_000)),
        "p.json, line 1: is nested more than 64 deep",
    );
    check("p.xml", &"<a>\n".repeat(10_000), "p.xml, line 65: is nested more than 64 deep");
    let nested = format!("[{{\"a\":{}{}}}]", "[".repeat(63), "]".repeat(63));
    assert!(try_read("p.json", nested.as_bytes(), &NestedOptions::default()).is_ok());
}

#[test]
fn the_number_of_paths_is_limited() {
    let mut json = "[{}".to_owned();
    let mut xml = "<r>".to_owned();
    for number in 0..1001 {
        write!(json, ",\n{{\"secret{number}\":1}}").unwrap();
        write!(xml, "\n<p><secret{number}/></p>").unwrap();
    }
    let limit = "line 1002: the records have more than 1000 different members";
    check("p.json", &format!("{json}]"), &format!("p.json, {limit}"));
    check("p.xml", &format!("{xml}</r>"), &format!("p.xml, {limit}"));
}

#[test]
fn a_record_is_limited() {
    let value = "x".repeat(1 << 20);
    let mut json = "[\n{\"v\":[".to_owned();
    let mut xml = "<r>\n<p>".to_owned();
    for _ in 0..17 {
        write!(json, "\"{value}\",").unwrap();
        write!(xml, "<v>{value}</v>").unwrap();
    }
    let limit = "a record must be at most 16 MiB, but is longer";
    check("p.json", &json, &format!("p.json, line 2, column `v[]`: {limit}"));
    check("p.xml", &xml, &format!("p.xml, line 2: {limit}"));
    let hollow = format!("[\n{{\"v\":[{}", "{},".repeat(6 << 20));
    check("p.json", &hollow, &format!("p.json, line 2, column `v[]`: {limit}"));
}

#[test]
fn a_value_is_limited() {
    let long = "x".repeat(6 << 20);
    let limit = "line 2: a record must be at most 4 MiB, but is longer";
    check("p.json", &format!("[\n{{\"a\":\"{long}\"}}]"), &format!("p.json, {limit}"));
    check("p.json", &format!("[\n{{\"a\":{}}}]", "1".repeat(6 << 20)), &format!("p.json, {limit}"));
    check("p.xml", &format!("<r>\n<p>{long}</p></r>"), &format!("p.xml, {limit}"));
    check("p.xml", &format!("<r>\n<p a='{long}'/></r>"), &format!("p.xml, {limit}"));
    check("p.xml", &format!("<r>\n<!--{long}--></r>"), &format!("p.xml, {limit}"));
}

#[test]
fn bytes_that_are_no_text() {
    check_bytes(
        "p.json",
        b"[\n{\"a\":\"Zo\xc3\xab \xff\"}]",
        "p.json, line 2, column `a`: a byte that is not UTF-8",
    );
    check_bytes(
        "p.json",
        b"[\n{\"v\":[{\"a\xff\xc3\xab\":1}]}]",
        "p.json, line 2, column `v[]`: a byte that is not UTF-8",
    );
    check_bytes(
        "p.xml",
        b"<r>\n<p>Zo\xc3\xab \xff</p></r>",
        "p.xml, line 2: a byte that is not UTF-8",
    );
    let nul = "p.json, line 1, column `a`: a NUL byte";
    check("p.json", "[{\"a\":\"x\\u0000\"}]", nul);
    let control =
        "p.json, line 1, column `a`, character 9: invalid JSON: a control character in a string";
    check("p.json", "[{\"a\":\"x\0\"}]", control);
    let options = NestedOptions { encoding: Some(Encoding::Utf16Le), ..NestedOptions::default() };
    let error = try_read("p.json", b"[\0\n\0\x00\xd8", &options).unwrap_err();
    assert_eq!(error.to_string(), "p.json, line 2: a byte that is not UTF-16");
}

#[test]
fn damaged_and_foreign_files() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let text = "[{\"a\":1}]".repeat(1000);
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let half = &packed[..packed.len() / 2];
    check_bytes("p.json.gz", half, "p.json.gz: is damaged, or is not gzip");
    check_bytes("p.xml.zst", b"<r/>", "p.xml.zst: is damaged, or is not Zstandard");
    check_bytes("p.json", b"PK\x03\x04", "p.json: is a ZIP file or an Excel workbook");
    let name = "nowhere.json";
    let error = read_nested(name, &NestedOptions::default(), &|_, _| {}).unwrap_err();
    assert_eq!(error.to_string(), "nowhere.json: no such file");
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().to_str().unwrap();
    let error = read_nested(source, &NestedOptions::default(), &|_, _| {}).unwrap_err();
    assert!(error.to_string().ends_with("has no .json, .jsonl or .xml files in it"));
    let error = try_read("p.csv", b"a\n1\n", &NestedOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("p.csv: the extension must be .json, .jsonl or .xml"));
}

#[test]
fn xml_that_is_none() {
    let at = |place: &str, problem: &str| format!("p.xml, {place}: invalid XML: {problem}");
    let ends = "the text ends before its elements do";
    check("p.xml", "<r>\n<p><a>secret", &at("line 2, column `a[]`, character 13", ends));
    check("p.xml", "<r>\n<p", &at("line 2, character 1", "a tag is never closed, or is none"));
    let mismatch = "an end tag that does not match its start tag";
    check("p.xml", "<r><p></secret></r>", &at("line 1, character 7", mismatch));
    check("p.xml", "<r></r></r>", &at("line 1, character 8", mismatch));
    let root = "an element after the end of the root element";
    check("p.xml", "<r><p/></r>\n<r/>", &at("line 2, character 1", root));
    let outside = "text outside of the root element";
    check("p.xml", "<r><p/></r>secret", &at("line 1, character 12", outside));
    check("p.xml", "secret<r/>", &at("line 1, character 1", outside));
    let entity = "an entity that is not known";
    check("p.xml", "<r><p>&secret;</p></r>", &at("line 1, character 7", entity));
    check("p.xml", "<r><p a='&secret;'/></r>", &at("line 1, character 4", entity));
    check(
        "p.xml",
        "<r><p>a & b</p></r>",
        &at("line 1, character 9", "a `&` that begins no entity"),
    );
    let character = "a character that XML does not allow";
    check("p.xml", "<r><p>a\u{1}</p></r>", &at("line 1, character 7", character));
    check("p.xml", "<r><p>&#1;</p></r>", &at("line 1, character 7", character));
    check("p.xml", "<r><p>a\0</p></r>", &at("line 1, character 7", character));
    let twice = "an attribute occurs twice in one element";
    check("p.xml", "<r><p a='1' a='secret'/></r>", &at("line 1, character 4", twice));
    let attribute = "an attribute must be a name, `=` and a value in quotes";
    check("p.xml", "<r><p a=secret/></r>", &at("line 1, character 4", attribute));
    check("p.xml", "<r><1/></r>", &at("line 1, character 4", "a tag whose name is none"));
    check("p.xml", "<r><!-- secret", &at("line 1, character 4", "a comment is never closed"));
    check(
        "p.xml",
        "<r><p/></r><![CDATA[secret",
        &at("line 1, character 12", "a CDATA section is never closed"),
    );
    check("p.xml", "<?xml version='1.0'?>\n", "p.xml: is empty");
    check("p.xml", "<r/>", "p.xml: has no records");
}

#[test]
fn entities_are_never_declared() {
    let bomb = "<!DOCTYPE r [\n<!ENTITY a \"secret\">\n<!ENTITY b \"&a;&a;&a;&a;&a;\">\n]>\n<r><p>&b;</p></r>";
    let refused =
        "p.xml, line 1, character 1: invalid XML: a DOCTYPE with declarations is not read";
    check("p.xml", bomb, refused);
}

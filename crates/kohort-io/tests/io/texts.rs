//! Whole text files.

use kohort_io::{Error, read_text};

fn read(bytes: &[u8]) -> Result<String, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, bytes).unwrap();
    read_text(&path)
}

#[test]
fn texts_of_every_encoding_are_read() {
    assert_eq!(read("Köln\r\n".as_bytes()).unwrap(), "Köln\r\n");
    assert_eq!(read("\u{feff}Köln".as_bytes()).unwrap(), "Köln");
    assert_eq!(read(b"K\xf6ln").unwrap(), "Köln");
    let utf16: Vec<u8> = "\u{feff}Köln".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(read(&utf16).unwrap(), "Köln");
    assert_eq!(read(b"").unwrap(), "");
}

#[test]
fn bad_texts_are_refused() {
    let message = |bytes| read(bytes).unwrap_err().to_string();
    assert_eq!(message(b"a\r\nb\xff"), "plan.toml, line 2: a byte that is not UTF-8");
    assert_eq!(message(b"a\nb\n\0"), "plan.toml, line 3: a NUL byte");
    assert_eq!(message(b"\xff\xfea\0\n\0\0\xd8"), "plan.toml, line 2: a byte that is not UTF-16");
}

#[test]
fn directories_and_files_that_are_too_large_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let message = |path: &std::path::Path| read_text(path).unwrap_err().to_string();
    assert!(message(folder.path()).ends_with(": is a directory, not a file"));
    let path = folder.path().join("huge.csv");
    std::fs::File::create(&path).unwrap().set_len((256 << 20) + 1).unwrap();
    assert_eq!(message(&path), "huge.csv: must be at most 256 MiB, but is larger");
}

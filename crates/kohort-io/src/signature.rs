//! What a file is by its first bytes, whatever its name says.

use crate::{Error, Kind};

/// How many bytes [`Content::of`] wants to see.
pub(crate) const HEAD: usize = 16;

/// What the first bytes of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Text, or something unknown.
    Text,
    Gzip,
    Zstd,
    Parquet,
    Arrow,
    Foreign(Foreign),
}

/// A kind of file that is not read, and the way on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    what: &'static str,
    hint: &'static str,
}

const ZIP: Foreign =
    Foreign { what: "a ZIP file or an Excel workbook", hint: "save the sheet as CSV" };
const OLD_EXCEL: Foreign =
    Foreign { what: "an old Excel or Office file", hint: "save the sheet as CSV" };
const PDF: Foreign = Foreign { what: "PDF", hint: "export the table as CSV where it was made" };
const SQLITE: Foreign =
    Foreign { what: "a SQLite database", hint: "export the table as CSV with `sqlite3 -csv`" };
const XML: Foreign = Foreign { what: "XML", hint: "XML is not read yet: save the table as CSV" };
const HTML: Foreign = Foreign { what: "HTML", hint: "save the table as CSV" };
pub(crate) const JSON: Foreign =
    Foreign { what: "JSON", hint: "one object per line (.jsonl) is read; an array is not yet" };
pub(crate) const PACKED: Foreign =
    Foreign { what: "packed twice", hint: "unpack it once, and read what is inside" };
pub(crate) const PIPED: Foreign =
    Foreign { what: "Parquet or Arrow", hint: "save it to a file: only text is read from a pipe" };

const SIGNATURES: [(&[u8], Content); 7] = [
    (b"\x1f\x8b", Content::Gzip),
    (b"\x28\xb5\x2f\xfd", Content::Zstd),
    (b"ARROW1\0", Content::Arrow),
    (b"PK\x03\x04", Content::Foreign(ZIP)),
    (b"\xd0\xcf\x11\xe0", Content::Foreign(OLD_EXCEL)),
    (b"%PDF-", Content::Foreign(PDF)),
    (b"SQLite format 3\0", Content::Foreign(SQLITE)),
];

impl Content {
    /// What begins with these bytes.
    pub(crate) fn of(head: &[u8]) -> Self {
        // A column may be named `PAR1`; what follows the magic in Parquet is no text.
        if let Some([next, ..]) = head.strip_prefix(b"PAR1")
            && next.is_ascii_control()
            && !next.is_ascii_whitespace()
        {
            return Self::Parquet;
        }
        let found = SIGNATURES.iter().find(|(magic, _)| head.starts_with(magic));
        found.map_or(Self::Text, |&(_, content)| content)
    }
}

impl Foreign {
    /// The error for a file of this kind.
    pub(crate) fn error(self, name: &str) -> Error {
        let Self { what, hint } = self;
        Kind::Foreign { name: name.to_owned(), what, hint }.into()
    }
}

/// Refuses a text that is decoded and yet no CSV.
pub(crate) fn check_text(name: &str, text: &[u8]) -> Result<(), Error> {
    let text = text.trim_ascii_start();
    let begins =
        |word: &[u8]| text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word);
    let then = |first: &[u8], second: &[u8]| {
        text.strip_prefix(first).is_some_and(|rest| rest.trim_ascii_start().starts_with(second))
    };
    let foreign = match Content::of(text) {
        Content::Foreign(foreign) => foreign,
        Content::Text if begins(b"<?xml") => XML,
        Content::Text if begins(b"<!doctype html") || begins(b"<html") => HTML,
        Content::Text if then(b"[", b"{") || then(b"{", b"\"") => JSON,
        Content::Text => return Ok(()),
        Content::Gzip | Content::Zstd | Content::Parquet | Content::Arrow => PACKED,
    };
    Err(foreign.error(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_may_be_named_as_a_magic() {
        for text in ["PAR1,PAR2\n", "PAR1\n", "PAR1", "PK,a\n", "ARROW1,b\n", "", "P"] {
            assert_eq!(Content::of(text.as_bytes()), Content::Text, "{text}");
            assert!(check_text("t.csv", text.as_bytes()).is_ok(), "{text}");
        }
        assert_eq!(Content::of(b"PAR1\x15\x04"), Content::Parquet);
    }
}

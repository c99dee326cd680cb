//! What nested records are written as and read from, told by the extension of a name.

use std::path::Path;

use crate::format::extension;
use crate::source::file_name;
use crate::{Compression, Error, Kind};

/// A kind of file that holds nested records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NestedFormat {
    /// An array of objects: `.json`, `.json.gz`, `.json.zst`.
    Json(Option<Compression>),
    /// One JSON object per line: `.jsonl`, `.ndjson`, also with `.gz` or `.zst`.
    JsonLines(Option<Compression>),
    /// XML: `.xml`, `.xml.gz`, `.xml.zst`.
    Xml(Option<Compression>),
}

impl NestedFormat {
    /// The format in which records are written to this path.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let (extension, compression) = extension(&file_name(path));
        Ok(match extension.as_str() {
            "json" => Self::Json(compression),
            "jsonl" | "ndjson" => Self::JsonLines(compression),
            "xml" => Self::Xml(compression),
            _ => return Err(Kind::UnknownNestedFormat { path: path.display().to_string() }.into()),
        })
    }

    /// How the file is packed.
    pub(super) fn compression(self) -> Option<Compression> {
        let (Self::Json(compression) | Self::JsonLines(compression) | Self::Xml(compression)) =
            self;
        compression
    }
}

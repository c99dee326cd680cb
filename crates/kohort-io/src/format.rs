//! What a table is written as and read from, told by the extension of a name.

use std::path::Path;

use kohort_core::Told;

use crate::source::file_name;
use crate::{Error, Kind};

/// A kind of file that holds a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values: `.csv`, `.csv.gz`, `.csv.zst`.
    Csv(Option<Compression>),
    /// The same with tabs: `.tsv`, `.tsv.gz`, `.tsv.zst`.
    Tsv(Option<Compression>),
    /// One JSON object per line: `.jsonl`, `.ndjson`, also with `.gz` or `.zst`.
    JsonLines(Option<Compression>),
    /// Parquet: `.parquet`.
    Parquet,
    /// Arrow's file format: `.arrow`, `.ipc`, `.feather`.
    Arrow,
}

/// How a text is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// `.gz`.
    Gzip,
    /// `.zst`.
    Zstd,
}

impl Format {
    /// The format in which a table is written to this path.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let name = file_name(path);
        let (extension, compression) = extension(&name);
        Self::named(&extension, compression)
            .ok_or_else(|| Kind::UnknownFormat { path: path.display().to_string() }.into())
    }

    /// The format that an extension names.
    pub(crate) fn named(extension: &str, compression: Option<Compression>) -> Option<Self> {
        Some(match (extension, compression) {
            ("csv", _) => Self::Csv(compression),
            ("tsv", _) => Self::Tsv(compression),
            ("jsonl" | "ndjson", _) => Self::JsonLines(compression),
            ("parquet", None) => Self::Parquet,
            ("arrow" | "ipc" | "feather", None) => Self::Arrow,
            _ => return None,
        })
    }

    /// What a file of this format tells of a value besides its text.
    pub fn tells(self) -> Told {
        match self {
            Self::Csv(_) | Self::Tsv(_) => Told::Nothing,
            Self::Parquet | Self::Arrow => Told::Nulls,
            Self::JsonLines(_) => Told::Kinds,
        }
    }

    /// What stands between two cells of a text format.
    pub(crate) fn separator(self) -> u8 {
        if matches!(self, Self::Tsv(_)) { b'\t' } else { b',' }
    }
}

/// The extension of a name in lower case, and how the file is packed.
pub(crate) fn extension(name: &str) -> (String, Option<Compression>) {
    let name = name.to_ascii_lowercase();
    let (name, compression) = if let Some(inner) = name.strip_suffix(".gz") {
        (inner, Some(Compression::Gzip))
    } else if let Some(inner) = name.strip_suffix(".zst") {
        (inner, Some(Compression::Zstd))
    } else {
        (name.as_str(), None)
    };
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    (extension.to_owned(), compression)
}

//! The way on after an error, where there is one.

use std::path::Path;

use kohort_core::{Message, Setting, message};

use crate::format::extension;
use crate::{At, Encoding, Kind, NestedFormat};

impl Kind {
    pub(crate) fn hint(&self) -> Option<Message> {
        self.hint_for_nested().map(Message::from).or_else(|| self.hint_for_tables())
    }

    fn hint_for_nested(&self) -> Option<&'static str> {
        Some(match self {
            Self::LongRecord { at, .. } if is_nested(at) => {
                "a record is one person; maybe a bracket or a tag is not closed"
            }
            Self::TooManyPaths { .. } => {
                "name members by what they are, not by a value such as a date: {\"2024-01-31\": …} is \
                 better written [{\"date\": \"2024-01-31\", …}]"
            }
            Self::UnknownNestedFormat { .. } => {
                ".ndjson is known too, and a folder of such files; .gz or .zst after it packs a file"
            }
            Self::NotXml { .. } => "write .json or .jsonl",
            Self::NotAnObject { at } if extension(&at.name).0 == "json" => {
                "JSON has an array of objects, such as [{\"age\": 39, \"visits\": []}]"
            }
            _ => return None,
        })
    }

    fn hint_for_tables(&self) -> Option<Message> {
        self.hint_for_files().or_else(|| self.hint_for_text()).or_else(|| {
            Some(Message::from(match self {
                Self::UnknownFormat { .. } => {
                    ".ndjson, .ipc and .feather are known too; .gz or .zst after .csv, .tsv or .jsonl packs it"
                }
                Self::Part { .. } => {
                    "name the files of the table by a pattern, such as `lake/part-*.parquet`, or another folder"
                }
                Self::PartColumn { .. } => {
                    "all parts of a table have the same columns, of the same types: write this one again, or \
                     leave it out with a pattern"
                }
                Self::PaddedName { .. } => "rename the column, or write .jsonl, .parquet or .arrow",
                Self::Foreign { hint, .. } => hint,
                Self::NulInName { .. } => "rename the column",
                Self::Nested { .. } | Self::ColumnType { found: "nested", .. } => {
                    "nested records are not read yet: write each member as a column of its own"
                }
                Self::ColumnType { .. } => "store the column as text, or leave it out",
                Self::NotAnObject { .. } | Self::Json { .. } => {
                    "JSON Lines has one object on each line, such as {\"age\": 39, \"sex\": \"F\"}"
                }
                _ => return None,
            }))
        })
    }

    /// The way on where a setting says how a text file is read.
    fn hint_for_text(&self) -> Option<Message> {
        let (separator, quote) = (Setting::Separator, Setting::Quote);
        let no_header = Setting::Header.to("no");
        Some(match self {
            Self::Title { first, last, .. } => {
                let them = if first == last { "it" } else { "them" };
                message!("remove {them}, or say {}", Setting::SkipLines.to(last))
            }
            Self::NoRows { header: true, .. } => {
                message!("if the first line is already data, say so with {no_header}")
            }
            Self::Ragged { closing: true, .. } => message!(
                "a closing line, such as one of totals, must be removed; if every line looks wrong, say how \
                 fields are set apart with {separator} and {quote}"
            ),
            Self::Ragged { .. } => message!(
                "if every line looks wrong, say how fields are set apart with {separator} and {quote}"
            ),
            Self::DuplicateColumn { header: Some(_), .. } => message!(
                "rename one of them, or, if the first line is already data, say {no_header}"
            ),
            Self::UnnamedColumn { header: Some(_), column: 1, .. } => message!(
                "R writes row names like this, which say whose row each is: write without them (`row.names = \
                 FALSE`), or name the column; if the first line is already data, say {no_header}"
            ),
            Self::UnnamedColumn { header: Some(_), .. } => {
                message!("name the column, or, if the first line is already data, say {no_header}")
            }
            Self::OpenQuote { .. } => {
                message!("close the quote, or say which character quotes cells with {quote}")
            }
            Self::TwoReadings { flag: "quote", .. } => message!(
                "say which character quotes cells with {quote}; where none does, name one that does not occur"
            ),
            Self::TwoReadings { .. } => {
                message!("say which character separates cells with {separator}")
            }
            Self::BadByte { encoding: Encoding::Utf8, .. } => message!(
                "if the file was saved by an older Windows program, say the encoding with {}",
                Setting::Encoding.to("windows-1252")
            ),
            Self::BadByte { .. } => message!(
                "say the encoding with {}, or save it as UTF-8",
                Setting::Encoding.to("utf-8")
            ),
            Self::Nul { .. } => {
                message!("if the file is UTF-16, say so with {}", Setting::Encoding.to("utf-16le"))
            }
            Self::LongRecord { .. } => message!(
                "maybe a quote is not closed, or the separator is wrong: see {quote} and {separator}"
            ),
            _ => return None,
        })
    }

    fn hint_for_files(&self) -> Option<Message> {
        if let Self::Unpacked { .. } = self {
            return Some(message!(
                "if it is yours and as large as that, allow more with {}",
                Setting::UnpackedLimit.to("MIB").or_in_plan()
            ));
        }
        Some(Message::from(match self {
            Self::NotFound { .. } => "check the path; `-` reads from standard input",
            Self::Permission { .. } => "check who may read the file and its folder",
            Self::OpenSecret { .. } => "take the others' permissions away: `chmod 600 FILE`",
            Self::Busy { .. } => "wait until the other one has ended, and try again",
            Self::Interrupted { .. } => "write the release again, to the same place",
            _ => return None,
        }))
    }
}

/// Whether a file is of JSON or XML, which have neither separators nor quotes to choose.
fn is_nested(at: &At) -> bool {
    NestedFormat::of(Path::new(&at.name)).is_ok()
}

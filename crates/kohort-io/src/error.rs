//! Why a file could not be read or written, and the way on.

use std::io;

use kohort_core::Message;

use crate::{At, Encoding};

/// Could not read or write: the kind says what, the text says where.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Kind>);

impl Error {
    /// An error of this kind.
    pub fn new(kind: Kind) -> Self {
        Self(Box::new(kind))
    }

    /// The kind, for callers that react to one.
    pub fn kind(&self) -> &Kind {
        &self.0
    }

    /// The way on, where there is one: a sentence for a `hint:` line.
    pub fn hint(&self) -> Option<Message> {
        self.0.hint()
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self::new(kind)
    }
}

/// For whoever fills a file: what the system said, or else the error itself.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match *error.0 {
            Kind::Write { source, .. } => source,
            kind => Self::other(Error::new(kind)),
        }
    }
}

/// The kinds of error. Parameters and column names are quoted, cells never are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Kind {
    /// An option that cannot be.
    #[error("`{name}` must be {expected}, but is {found}")]
    Parameter {
        /// The option.
        name: &'static str,
        /// What was given.
        found: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// A path where there is nothing.
    #[error("{path}: no such file")]
    NotFound {
        /// The path as given.
        path: String,
    },
    /// A path that may not be opened.
    #[error("{path}: permission denied")]
    Permission {
        /// The path as given.
        path: String,
    },
    /// A directory where a file is wanted.
    #[error("{path}: is a directory, not a file")]
    Directory {
        /// The path as given.
        path: String,
    },
    /// A pattern that no file matches.
    #[error("{pattern}: no file has such a name")]
    NoParts {
        /// The pattern as given.
        pattern: String,
    },
    /// A file or folder that is no part of a table.
    #[error("{path}: {problem}")]
    Part {
        /// The path.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// A part of a table with other columns than the first.
    #[error("{path}, column `{column}`: {problem}")]
    PartColumn {
        /// The part.
        path: String,
        /// The column.
        column: String,
        /// What is wrong.
        problem: String,
    },
    /// The system failed while reading.
    #[error("{name}: cannot be read")]
    Read {
        /// The file.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The system, or whoever fills the file, failed while writing.
    #[error("{path}: cannot be written")]
    Write {
        /// The path as given.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file that another process replaces, or reads, for too long.
    #[error("{path}: another process is using this file or its folder")]
    Busy {
        /// The path as given.
        path: String,
    },
    /// Files that belong together, of which some are of another version.
    #[error(
        "{path}: whoever wrote this release was interrupted, and not all of its files are in place"
    )]
    Interrupted {
        /// The path of the first file as given.
        path: String,
    },
    /// A path whose extension names no format that is written.
    #[error("{path}: the extension must be .csv, .tsv, .jsonl, .parquet or .arrow")]
    UnknownFormat {
        /// The path as given.
        path: String,
    },
    /// A name that a reader of CSV would take for another.
    #[error("column `{column}`: in CSV a name must not begin or end with a space")]
    PaddedName {
        /// The column.
        column: String,
    },
    /// A pipe or a device where a file is wanted.
    #[error("{path}: must be a regular file, to be looked at before it appears")]
    NotAFile {
        /// The path as given.
        path: String,
    },
    /// A file that holds a secret and that others may read.
    #[error("{name}: only its owner may read a file that holds a secret, but its mode is {mode:o}")]
    OpenSecret {
        /// The file.
        name: String,
        /// Its permissions.
        mode: u32,
    },
    /// A pipe, a device or a folder beside a file, where another file is wanted.
    #[error("{path}: must be a regular file")]
    NotRegular {
        /// The path.
        path: String,
    },
    /// A text file beyond what is read at once.
    #[error("{name}: must be at most {limit_mib} MiB, but is larger")]
    TooLarge {
        /// The file.
        name: String,
        /// The limit.
        limit_mib: u64,
    },
    /// A packed file beyond what is unpacked.
    #[error("{name}: unpacks to more than {limit_mib} MiB")]
    Unpacked {
        /// The file.
        name: String,
        /// The limit.
        limit_mib: u64,
    },
    /// A file that is not what its extension says, or is cut short.
    #[error("{name}: is damaged, or is not {format}")]
    Damaged {
        /// The file.
        name: String,
        /// What it should be, with its article where it has one.
        format: &'static str,
        /// What the format's reader said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file of a kind that is not read.
    #[error("{name}: is {what}")]
    Foreign {
        /// The file.
        name: String,
        /// What it is, with its article where it has one.
        what: &'static str,
        /// The way on.
        hint: &'static str,
    },
    /// A file without a record.
    #[error("{name}: is empty")]
    Empty {
        /// The file.
        name: String,
    },
    /// A file with column names and nothing else.
    #[error("{name}: has {}no rows", if *header { "a header but " } else { "" })]
    NoRows {
        /// The file.
        name: String,
        /// Whether a first record was taken as the header.
        header: bool,
    },
    /// A record with more or fewer fields than the first.
    #[error("{at}: found {}, expected {expected}", fields(*found))]
    Ragged {
        /// Where the record begins.
        at: At,
        /// Its number of fields.
        found: usize,
        /// The first record's number of fields.
        expected: usize,
        /// Whether no record of the expected number follows, though some stand before.
        closing: bool,
    },
    /// Lines of one field above the records.
    #[error("{name}, {}", title(*first, *last))]
    Title {
        /// The file.
        name: String,
        /// The first line.
        first: u64,
        /// The last line before the records.
        last: u64,
    },
    /// Two columns of one name. The name is not shown: a first line that is taken for a header may
    /// be data.
    #[error("{name}{}: columns {first} and {second} have the same name", line(*header))]
    DuplicateColumn {
        /// The file.
        name: String,
        /// The line of the header, where the file has one.
        header: Option<u64>,
        /// The first position, counted from 1.
        first: usize,
        /// The second position.
        second: usize,
    },
    /// A column without a name.
    #[error("{name}{}, column {column}: the name is empty{}", line(*header), though(*value))]
    UnnamedColumn {
        /// The file.
        name: String,
        /// The line of the header, where the file has one.
        header: Option<u64>,
        /// The position, counted from 1.
        column: usize,
        /// The line of the first value, for a column that would be left out if it had none.
        value: Option<u64>,
    },
    /// A NUL character in the name of a column: no text file could be read that has it.
    #[error("{name}{}, column {column}: the name has a NUL byte", line(*header))]
    NulInName {
        /// The file.
        name: String,
        /// The line of the header, where the file has one.
        header: Option<u64>,
        /// The position, counted from 1.
        column: usize,
    },
    /// A quoted cell without an end.
    #[error("{at}: a quote opens here and is never closed")]
    OpenQuote {
        /// Where the quote opens.
        at: At,
    },
    /// A text that is another table in another dialect.
    #[error("{name}: has {read}, but {other}")]
    TwoReadings {
        /// The file.
        name: String,
        /// How many rows and cells it has as it was read, and by what.
        read: String,
        /// How many it has otherwise.
        other: String,
        /// The flag that decides.
        flag: &'static str,
    },
    /// A byte that does not belong to the encoding.
    #[error("{at}: a byte that is not {encoding}")]
    BadByte {
        /// Where it is.
        at: At,
        /// How the file was read.
        encoding: Encoding,
    },
    /// A NUL character, which no text has.
    #[error("{at}: a NUL byte")]
    Nul {
        /// Where it is.
        at: At,
    },
    /// A record that passes the limit.
    #[error("{at}: a record must be at most {limit_mib} MiB, but is longer")]
    LongRecord {
        /// Where the record begins, or where the quote opens that it is still in.
        at: At,
        /// The limit.
        limit_mib: usize,
    },
    /// A line that is not JSON.
    #[error("{at}, character {character}: invalid JSON: {problem}")]
    Json {
        /// The line.
        at: At,
        /// The character, counted from 1.
        character: usize,
        /// What the parser expected.
        problem: String,
    },
    /// A line with JSON that is no object.
    #[error("{at}: must be a JSON object")]
    NotAnObject {
        /// The line.
        at: At,
    },
    /// A member that is an object or an array.
    #[error("{at}: is a nested {found}")]
    Nested {
        /// The line and member.
        at: At,
        /// `object` or `array`.
        found: &'static str,
    },
    /// A member that occurs twice in one object.
    #[error("{at}: occurs twice in one object")]
    DuplicateMember {
        /// The line and member.
        at: At,
    },
    /// A column of a type that has no text.
    #[error("{name}, column `{column}`: {found} values are not read")]
    ColumnType {
        /// The file.
        name: String,
        /// The column.
        column: String,
        /// `nested` or `binary`.
        found: &'static str,
    },
    /// A value outside what its type can show, such as a date in the year 300,000.
    #[error("{name}, column `{column}`: a value among rows {first} to {last} has no text")]
    Unprintable {
        /// The file.
        name: String,
        /// The column.
        column: String,
        /// The first row of the batch, counted from 1.
        first: u64,
        /// The last row of the batch.
        last: u64,
    },
    /// A table beyond what codes can number.
    #[error("{at}: more than {} {what}", u32::MAX)]
    TooMany {
        /// Where the limit is passed.
        at: At,
        /// What there is too much of.
        what: &'static str,
    },
    /// Text that does not follow its format, read as a stream.
    #[error("{at}, character {character}: invalid {format}: {problem}")]
    Malformed {
        /// The line, and the path of the member or element, where it is known.
        at: At,
        /// The character, counted from 1.
        character: u64,
        /// `JSON` or `XML`.
        format: &'static str,
        /// What is wrong; quotes nothing of the file but names.
        problem: String,
    },
    /// Objects, arrays or elements in one another beyond the limit.
    #[error("{at}: is nested more than {limit} deep")]
    TooDeep {
        /// Where the limit is passed.
        at: At,
        /// The limit.
        limit: usize,
    },
    /// A schema with more places than the limit.
    #[error("{at}: the records have more than {limit} different members")]
    TooManyPaths {
        /// Where the limit is passed.
        at: At,
        /// The limit.
        limit: usize,
    },
    /// A source whose people are not found.
    #[error("{name}: {problem}")]
    NoRecords {
        /// The file.
        name: String,
        /// What is there instead.
        problem: String,
    },
    /// A path whose extension names no format for nested records.
    #[error("{path}: the extension must be .json, .jsonl or .xml")]
    UnknownNestedFormat {
        /// The path as given.
        path: String,
    },
    /// A value that XML has no way to write.
    #[error("{name}, `{path}`: a value has a character that XML cannot hold")]
    NotXml {
        /// What the records are called.
        name: String,
        /// The column.
        path: String,
    },
    /// Related tables that do not fit together.
    #[error("{}: {problem}", table_at(path))]
    Relation {
        /// The place of the table among the others; empty for the people.
        path: String,
        /// What is wrong; quotes nothing but names.
        problem: String,
    },
    /// A key of a related table that is wrong.
    #[error("{at}: {problem}")]
    Key {
        /// The row or line, and the column.
        at: At,
        /// What is wrong.
        problem: String,
    },
}

fn table_at(path: &str) -> String {
    if path.is_empty() { "table of people".to_owned() } else { format!("table `{path}`") }
}

fn fields(n: usize) -> String {
    format!("{n} field{}", if n == 1 { "" } else { "s" })
}

fn line(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(", line {line}"))
}

fn though(value: Option<u64>) -> String {
    value.map_or_else(String::new, |line| format!(", though line {line} has a value there"))
}

fn title(first: u64, last: u64) -> String {
    if first == last {
        format!("line {first}: looks like a title")
    } else {
        format!("lines {first} to {last}: look like a title")
    }
}

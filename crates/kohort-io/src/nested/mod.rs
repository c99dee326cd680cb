//! Records inside records: JSON, XML and related tables, in and out.
//!
//! # Mapping
//! An object is a row of the branch at its path, and its scalars are the cells of that row, in columns
//! named by their full path (see [`path`]). An object in an object, an array of objects and an array of
//! scalars are branches of their own: `visits[].doctor`, `visits[]`, `allergies[]`. A member that is a
//! scalar here and an object or array there is a column and branches, kept apart.
//!
//! In XML an element is an item of an array, `visit[]`, since any element may be repeated; its attributes
//! are columns `visit[].@id` and its text is `visit[].#text`. An element that is never more than text and
//! never repeated in one parent is a column, `visit[].diagnosis`; one that is repeated but never more
//! than text is like an array of scalars, with the one column `allergy[]`.
//!
//! # Promise
//! What [`read_nested`] reads, [`write_nested`] writes again in the same format: the same members with
//! the same texts, null and absent apart, numbers in their digits, empty arrays, objects and arrays of
//! one. What has no meaning may change: spaces, the order of members in an object, and the order of
//! elements of different names.

mod finish;
mod format;
mod grow;
mod json_record;
mod json_tokens;
mod path;
mod position;
mod read_json;
mod read_xml;
mod relate;
mod settle;
mod walk;
mod write_json;
mod write_xml;
mod xml_encoding;
mod xml_events;
mod xml_names;

use std::fmt;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kohort_core::{Layout, Message, Missing, Nested, Place, message};

use crate::builder::bad_text;
use crate::parts::{is_folder_of_parts, parts_of};
use crate::signature::Content;
use crate::source::{Counted, Text, file_name, not_opened, open, read_head};
use crate::unpack::unpack;
use crate::{At, Compression, Encoding, Error, Kind};

use finish::{About, finish};
use grow::{Growth, PEOPLE};
use read_json::Top;
use read_xml::{TEXT, Wanted};
use settle::settle;

pub use format::NestedFormat;
pub(crate) use json_tokens::{TOO_LARGE, is_too_large};
pub use path::is_xml_path;
pub use relate::{Related, relate, tables_of};
pub use walk::write_nested;

/// The deepest that objects, arrays and elements may stand in one another.
const MAX_DEPTH: usize = 64;
/// The longest record.
const RECORD_LIMIT: u64 = 16 << 20;
const RECORD_LIMIT_MIB: usize = 16;

/// How to read nested records. What is `None` is found by looking.
#[derive(Clone, Debug, Default)]
pub struct NestedOptions {
    /// The texts that stand for a missing value.
    pub missing: Missing,
    /// How characters are written as bytes.
    pub encoding: Option<Encoding>,
    /// How many bytes a packed file may unpack to: 512 MiB where nothing is said.
    pub unpacked_limit: Option<u64>,
    /// The element of a record in XML, or the member that has the records in JSON.
    pub records: Option<String>,
    /// Columns that are known, such as those of a plan or of the original of a release. An element of XML
    /// whose column is `allergy[]` or `allergy[].#text` is a branch, even where none is repeated and
    /// looking at the file would make it a column.
    pub paths: Vec<String>,
}

/// Nested records and what a person may want to know about how they were read.
pub struct ReadNested {
    /// The records.
    pub nested: Nested,
    /// What was decided by looking, in sentences without a closing stop.
    pub notes: Vec<Message>,
}

// Cells must not reach a log by way of `{:?}`; `Nested` shows none.
impl fmt::Debug for ReadNested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nested, notes } = self;
        f.debug_struct("ReadNested").field("nested", nested).field("notes", notes).finish()
    }
}

/// Whether a source is read by [`read_nested`] rather than [`crate::read_table`]: a folder without Parquet
/// files, JSON, XML, or JSON Lines with an object or array in one of the first records.
pub fn looks_nested(source: &str) -> Result<bool, Error> {
    let path = Path::new(source);
    if fs::metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(!is_folder_of_parts(path));
    }
    if !path.exists() && parts_of(source)?.is_some() {
        return Ok(false);
    }
    let Ok(format) = NestedFormat::of(path) else { return Ok(false) };
    if !matches!(format, NestedFormat::JsonLines(_)) {
        return Ok(true);
    }
    let file = File::of(path.to_owned(), file_name(path), format)?;
    Ok(read_json::has_nested(file.text((None, None), 0, 0, &|_, _| {})?))
}

/// Reads the records at a path: a file of JSON, JSON Lines or XML, packed or not, or a folder of such
/// files in the order of their names. `progress` is called with the bytes read and the size of all
/// files.
pub fn read_nested(
    source: &str,
    options: &NestedOptions,
    progress: &dyn Fn(u64, u64),
) -> Result<ReadNested, Error> {
    let path = Path::new(source);
    let is_folder = fs::metadata(path).map_err(|error| not_opened(path, error))?.is_dir();
    let mut notes = Vec::new();
    let files = if is_folder {
        files_of(path, &mut notes)?
    } else {
        vec![File::of(path.to_owned(), file_name(path), NestedFormat::of(path)?)?]
    };
    read_files(&files, (file_name(path), is_folder), options, notes, progress)
}

/// Reads the records of a text of JSON that a program holds: an array, or an object per line. `name` is what
/// messages call it.
pub fn read_nested_json(
    name: &str,
    text: &Arc<[u8]>,
    options: &NestedOptions,
) -> Result<ReadNested, Error> {
    let is_array = text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    let format = if is_array { NestedFormat::Json } else { NestedFormat::JsonLines }(None);
    let (held, size) = (Some(Arc::clone(text)), text.len() as u64);
    let file = File { path: PathBuf::new(), held, name: name.to_owned(), format, size };
    read_files(&[file], (name.to_owned(), false), options, Vec::new(), &|_, _| {})
}

/// Reads the records of files, or of a folder of such files.
fn read_files(
    files: &[File],
    (name, is_folder): (String, bool),
    options: &NestedOptions,
    mut notes: Vec<Message>,
    progress: &dyn Fn(u64, u64),
) -> Result<ReadNested, Error> {
    let total = files.iter().map(|file| file.size).sum();
    let mut growth = Growth::new();
    let asked = options.records.clone();
    let mut wanted = Wanted { asked, is_root: is_folder, numbered: is_folder, ..Wanted::default() };
    let (mut before, mut left_out) = (0, Vec::new());
    for file in files {
        let asked = (options.encoding, options.unpacked_limit);
        let mut text = file.text(asked, before, total, progress)?;
        notes.append(&mut text.notes);
        let top = match file.format {
            NestedFormat::Xml(_) => None,
            NestedFormat::JsonLines(_) => Some(Top::Lines),
            NestedFormat::Json(_) if is_folder => Some(Top::OneOrMore),
            NestedFormat::Json(_) => Some(Top::Records),
        };
        match top {
            None => read_xml::read(text, &mut wanted, &mut growth)?,
            Some(top) => {
                let records = options.records.as_deref();
                read_json::read(text, top, records, is_folder, &mut growth, &mut left_out)?;
            }
        }
        before += file.size;
    }
    left_out.extend(wanted.left_out.iter().map(|what| (*what).to_owned()));
    notes.extend(left_out.iter().map(|what| message!("{what}: left out")));
    if growth.places[PEOPLE].n_rows == 0 {
        let problem = match &options.records {
            Some(records) if wanted.found.is_some() => format!("has no element `{records}`"),
            _ => "has no records".to_owned(),
        };
        return Err(Kind::NoRecords { name, problem }.into());
    }
    let last = Place::Row(u64::from(growth.places[PEOPLE].n_rows));
    let at = At { name: name.clone(), place: last, column: None, column_name: None };
    let layout = Layout { order: Vec::new(), elements: wanted.found, left_out };
    let about = About { name, has_lines: !is_folder, missing: &options.missing, notes, layout };
    let settled =
        if about.layout.elements.is_some() { settle(&mut growth, &options.paths) } else { Ok(()) };
    let finished = settled.and_then(|()| finish(growth, about));
    finished.map_err(|problem| bad_text(problem, at, Encoding::Utf8))
}

/// A file with records.
struct File {
    path: PathBuf,
    /// Its bytes, where a program holds them.
    held: Option<Arc<[u8]>>,
    /// What messages call it.
    name: String,
    format: NestedFormat,
    size: u64,
}

/// The files of a folder in the order of their names.
fn files_of(folder: &Path, notes: &mut Vec<Message>) -> Result<Vec<File>, Error> {
    let fail = |error| not_opened(folder, error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        paths.push(entry.map_err(fail)?.path());
    }
    paths.sort_unstable();
    let mut n_others = 0;
    let mut files = Vec::new();
    for path in paths {
        match NestedFormat::of(&path) {
            Ok(format) if path.is_file() => {
                let name = format!("{}/{}", file_name(folder), file_name(&path));
                files.push(File::of(path, name, format)?);
            }
            _ => n_others += 1,
        }
    }
    let name = file_name(folder);
    if files.is_empty() {
        let problem = "has no .json, .jsonl or .xml files in it".to_owned();
        return Err(Kind::NoRecords { name, problem }.into());
    }
    let is_xml = |file: &&File| matches!(file.format, NestedFormat::Xml(_));
    if files.iter().any(|file| is_xml(&file)) && !files.iter().all(|file| is_xml(&file)) {
        let problem = "has JSON and XML side by side: read one of them at a time".to_owned();
        return Err(Kind::NoRecords { name, problem }.into());
    }
    if n_others > 0 {
        let files = if n_others == 1 { "entry" } else { "entries" };
        notes.push(message!("{n_others} other {files} of the folder left out"));
    }
    Ok(files)
}

impl File {
    fn of(path: PathBuf, name: String, format: NestedFormat) -> Result<Self, Error> {
        let size = fs::metadata(&path).map_err(|error| not_opened(&path, error))?.len();
        Ok(Self { path, held: None, name, format, size })
    }

    /// The file as UTF-8.
    fn text<'a>(
        &self,
        (encoding, limit): (Option<Encoding>, Option<u64>),
        before: u64,
        total: u64,
        progress: &'a dyn Fn(u64, u64),
    ) -> Result<Text<'a>, Error> {
        let mut file: Box<dyn Read> = match &self.held {
            Some(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            None => Box::new(open(&self.path)?.0),
        };
        let head = read_head(&mut file, &self.name)?;
        let named = self.format.compression();
        let (compression, surprise) = match (named, Content::of(&head)) {
            (None, Content::Gzip) => (Some(Compression::Gzip), Some("gzip")),
            (None, Content::Zstd) => (Some(Compression::Zstd), Some("Zstandard")),
            (None, Content::Foreign(foreign)) => return Err(foreign.error(&self.name)),
            _ => (named, None),
        };
        let inner = Cursor::new(head).chain(file);
        let file = Counted { inner, n_bytes: before, total, progress };
        let bytes = unpack(&self.name, file, compression, limit)?;
        let (encoding, bytes) = match (self.format, encoding) {
            (NestedFormat::Xml(_), None) => xml_encoding::look(&self.name, bytes)?,
            (_, encoding) => (encoding, bytes),
        };
        let mut text = Text::new(self.name.clone(), bytes, compression, encoding)?;
        let name = &self.name;
        text.notes.extend(
            surprise
                .map(|title| message!("{name}: read as {title}, though its name does not say so")),
        );
        Ok(text)
    }
}

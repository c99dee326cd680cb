//! Where a table comes from: a path or standard input, its format told by its extension or
//! its first bytes.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Cursor, ErrorKind, Read as _, Seek as _};
use std::path::Path;

use kohort_core::{Message, Missing, Setting, Table, message};

use crate::encoding::{Malformed, Transcoder, decide};
use crate::format::extension;
use crate::parts::{parts_of, read_parts};
use crate::signature::{self, Content};
use crate::unpack::{PastLimit, past_limit, unpack};
use crate::{Compression, Encoding, Error, Format, Kind, columnar, csv, json_lines};

/// How much of a text is looked at to find its encoding.
const ENCODING_SAMPLE: usize = 1 << 20;

/// How to read a text file. What is `None` is found by looking, or, with `strict`, is as
/// [`crate::write_table`] writes.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The byte between two fields.
    pub separator: Option<u8>,
    /// The byte around a quoted field.
    pub quote: Option<u8>,
    /// Whether the first record names the columns.
    pub header: Option<bool>,
    /// How characters are written as bytes.
    pub encoding: Option<Encoding>,
    /// The texts that stand for a missing value.
    pub missing: Missing,
    /// How many lines to skip at the beginning of a text.
    pub skip_lines: u64,
    /// How many bytes a packed file may unpack to: 512 MiB where nothing is said. Cells of Parquet and Arrow
    /// count with their texts.
    pub unpacked_limit: Option<u64>,
    /// Whether nothing is found by looking, and a text that another separator or quote would cut into
    /// another table is refused, unless they are given.
    pub strict: bool,
}

impl Options {
    /// How to read what [`crate::write_table`] writes in a format: nothing is left to looking.
    pub fn as_written(format: Format) -> Self {
        Self {
            separator: Some(format.separator()),
            quote: Some(b'"'),
            header: Some(true),
            encoding: Some(Encoding::Utf8),
            unpacked_limit: Some(u64::MAX),
            ..Self::default()
        }
    }
}

/// A table and what a person may want to know about how it was read.
pub struct Read {
    /// The table.
    pub table: Table,
    /// What was decided by looking, in sentences without a closing stop.
    pub notes: Vec<Message>,
    /// The names of what a Parquet or Arrow file says beside its table and [`crate::write_table`] never writes:
    /// key-value metadata of the file, its schema or a column. It may say anything.
    pub metadata: Vec<String>,
}

// A table's cells must not reach a log by way of `{:?}`.
impl fmt::Debug for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Read")
            .field("table", &self.table.name())
            .field("n_columns", &self.table.columns().len())
            .field("n_rows", &self.table.n_rows())
            .field("notes", &self.notes)
            .field("metadata", &self.metadata)
            .finish()
    }
}

/// Reads the table at a path, which may be a folder or pattern of several files, or CSV from standard input for
/// `-`. `progress` is called with the
/// bytes read and the size of the file, or 0 where that is not known.
pub fn read_table(
    source: &str,
    options: &Options,
    progress: &dyn Fn(u64, u64),
) -> Result<Read, Error> {
    check(options)?;
    if source == "-" {
        let name = "stdin".to_owned();
        let mut stdin = io::stdin().lock();
        let head = read_head(&mut stdin, &name)?;
        let found = Found::by_looking(&name, &head)?;
        let inner = Cursor::new(head).chain(stdin);
        return found.read(name, Counted { inner, n_bytes: 0, total: 0, progress }, options);
    }
    match parts_of(source)? {
        Some(files) => read_parts(source, &files, options, progress),
        None => read_file(Path::new(source), options, progress),
    }
}

/// Reads the table in one file.
pub(crate) fn read_file(
    path: &Path,
    options: &Options,
    progress: &dyn Fn(u64, u64),
) -> Result<Read, Error> {
    let (mut file, total) = open(path)?;
    let name = file_name(path);
    let head = read_head(&mut file, &name)?;
    let found = Found::by_looking(&name, &head)?;
    if matches!(found.format, Format::Csv(_) | Format::Tsv(_) | Format::JsonLines(_)) {
        let inner = Cursor::new(head).chain(file);
        return found.read(name, Counted { inner, n_bytes: 0, total, progress }, options);
    }
    file.rewind().map_err(|source| Kind::Read { name: name.clone(), source })?;
    let read = if found.format == Format::Parquet {
        columnar::read_parquet(file, &name, total, options, progress)
    } else {
        let file = Counted { inner: file, n_bytes: 0, total, progress };
        columnar::read_arrow(file, &name, total, options)
    };
    found.noted(read)
}

pub(crate) fn read_head(source: &mut impl io::Read, name: &str) -> Result<Vec<u8>, Error> {
    let mut head = Vec::new();
    let limit = signature::HEAD as u64;
    match source.take(limit).read_to_end(&mut head) {
        Ok(_) => Ok(head),
        Err(source) => Err(Kind::Read { name: name.to_owned(), source }.into()),
    }
}

/// What a file is.
struct Found {
    format: Format,
    /// What it turned out to be, where its name does not say so.
    surprise: Option<&'static str>,
}

impl Found {
    /// What the name says; where that is a plain text or nothing, what the first bytes say.
    fn by_looking(name: &str, head: &[u8]) -> Result<Self, Error> {
        let (extension, compression) = extension(name);
        if extension == "json" {
            return Err(signature::JSON.error(name));
        }
        let format = Format::named(&extension, compression).unwrap_or(Format::Csv(compression));
        let packed = |compression| match format {
            Format::JsonLines(_) => Format::JsonLines(Some(compression)),
            _ => Format::Csv(Some(compression)),
        };
        let named = Self { format, surprise: None };
        if compression.is_some() || matches!(format, Format::Parquet | Format::Arrow) {
            return Ok(named);
        }
        let surprise = |format, title| Self { format, surprise: Some(title) };
        Ok(match Content::of(head) {
            Content::Text => named,
            Content::Gzip => surprise(packed(Compression::Gzip), "gzip"),
            Content::Zstd => surprise(packed(Compression::Zstd), "Zstandard"),
            Content::Parquet => surprise(Format::Parquet, "Parquet"),
            Content::Arrow => surprise(Format::Arrow, "Arrow"),
            Content::Foreign(foreign) => return Err(foreign.error(name)),
        })
    }

    /// Reads a text; the other formats are not read from front to back.
    fn read<'a>(
        &self,
        name: String,
        file: impl io::Read + 'a,
        options: &Options,
    ) -> Result<Read, Error> {
        let (Format::Csv(compression) | Format::Tsv(compression) | Format::JsonLines(compression)) =
            self.format
        else {
            return Err(signature::PIPED.error(&name));
        };
        let bytes = unpack(&name, file, compression, options.unpacked_limit)?;
        let encoding = options.encoding.or(options.strict.then_some(Encoding::Utf8));
        let text = Text::new(name, bytes, compression, encoding)?;
        self.noted(if matches!(self.format, Format::JsonLines(_)) {
            json_lines::read(text, options)
        } else {
            csv::read(text, options, self.format.separator())
        })
    }

    fn noted(&self, read: Result<Read, Error>) -> Result<Read, Error> {
        let mut read = read?;
        if let Some(title) = self.surprise {
            read.notes.insert(0, message!("read as {title}, though its name does not say so"));
        }
        Ok(read)
    }
}

/// A parser cannot work with a separator that also quotes or ends a line.
fn check(options: &Options) -> Result<(), Error> {
    let usable = |byte: u8| byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | 0);
    for (name, byte) in [("separator", options.separator), ("quote", options.quote)] {
        if let Some(byte) = byte.filter(|&byte| !usable(byte)) {
            let expected = "one ASCII character that does not end a line";
            return Err(Kind::Parameter { name, found: format!("byte {byte}"), expected }.into());
        }
    }
    if options.quote.is_some() && options.quote == options.separator {
        let found = "the same".into();
        return Err(
            Kind::Parameter { name: "quote", found, expected: "other than `separator`" }.into()
        );
    }
    Ok(())
}

/// The last part of a path, for messages.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Opens a file for reading and says its size, or 0 for what has none, such as a pipe.
pub(crate) fn open(path: &Path) -> Result<(File, u64), Error> {
    let fail = |error| not_opened(path, error);
    let metadata = fs::metadata(path).map_err(fail)?;
    if metadata.is_dir() {
        return Err(Kind::Directory { path: path.display().to_string() }.into());
    }
    if metadata.is_file() && metadata.len() == 0 {
        return Err(Kind::Empty { name: file_name(path) }.into());
    }
    #[expect(clippy::disallowed_methods, reason = "kohort-io is the opener of files")]
    let file = File::open(path).map_err(fail)?;
    Ok((file, metadata.len()))
}

pub(crate) fn not_opened(path: &Path, error: io::Error) -> Error {
    let path = path.display().to_string();
    Error::new(match error.kind() {
        ErrorKind::NotFound => Kind::NotFound { path },
        ErrorKind::PermissionDenied => Kind::Permission { path },
        _ => Kind::Read { name: path, source: error },
    })
}

/// Reports how far a file has been read.
pub(crate) struct Counted<'a, R> {
    pub(crate) inner: R,
    pub(crate) n_bytes: u64,
    pub(crate) total: u64,
    pub(crate) progress: &'a dyn Fn(u64, u64),
}

impl<R: io::Read> io::Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        kohort_core::alive();
        let n = self.inner.read(buffer)?;
        self.n_bytes += n as u64;
        (self.progress)(self.n_bytes, self.total);
        Ok(n)
    }
}

impl<R: io::Seek> io::Seek for Counted<'_, R> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// A text as UTF-8 bytes: decompressed, transcoded, without its byte order mark. UTF-8 itself is
/// passed on unchecked.
pub(crate) struct Text<'a> {
    pub(crate) name: String,
    pub(crate) encoding: Encoding,
    pub(crate) notes: Vec<Message>,
    compression: Option<Compression>,
    bytes: Box<dyn io::Read + 'a>,
}

/// Why there are no more bytes.
pub(crate) enum Fault {
    /// The next byte does not belong to the encoding.
    Malformed,
    /// The record passes the limit.
    TooLong,
    /// Anything whose place does not matter.
    Error(Error),
}

impl<'a> Text<'a> {
    pub(crate) fn new(
        name: String,
        mut bytes: Box<dyn io::Read + 'a>,
        compression: Option<Compression>,
        asked: Option<Encoding>,
    ) -> Result<Self, Error> {
        let mut sample = Vec::new();
        if let Err(error) = (&mut bytes).take(ENCODING_SAMPLE as u64).read_to_end(&mut sample) {
            return Err(failed(name, compression, error));
        }
        let (encoding, mark) = decide(whole_lines(&sample), asked);
        let mut notes = Vec::new();
        if encoding != Encoding::Utf8 && asked.is_none() {
            notes.push(message!(
                "read as {encoding}; say {} to decide otherwise",
                Setting::Encoding
            ));
        }
        let mut sample = Cursor::new(sample);
        sample.set_position(mark as u64);
        let bytes = sample.chain(bytes);
        let bytes: Box<dyn io::Read + 'a> = match encoding {
            Encoding::Utf8 => Box::new(bytes),
            _ => Box::new(Transcoder::new(bytes, encoding)),
        };
        Ok(Self { name, encoding, notes, compression, bytes })
    }

    /// The next bytes; none at the end.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        loop {
            match self.bytes.read(buffer) {
                Ok(n) => return Ok(n),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if Malformed::is(&error) => return Err(Fault::Malformed),
                Err(error) => {
                    return Err(Fault::Error(failed(self.name.clone(), self.compression, error)));
                }
            }
        }
    }
}

/// A full sample may end inside a character, which must not pass for a stray byte.
fn whole_lines(sample: &[u8]) -> &[u8] {
    let end = sample.iter().rposition(|&byte| byte == b'\n').map_or(sample.len(), |at| at + 1);
    if sample.len() < ENCODING_SAMPLE { sample } else { &sample[..end] }
}

/// An error without a system code comes from the decompressor.
fn failed(name: String, compression: Option<Compression>, error: io::Error) -> Error {
    if let Some(limit) = PastLimit::of(&error) {
        return past_limit(name, limit);
    }
    let format = match compression {
        Some(Compression::Gzip) => "gzip",
        Some(Compression::Zstd) => "Zstandard",
        None => return Kind::Read { name, source: error }.into(),
    };
    if error.raw_os_error().is_some() {
        return Kind::Read { name, source: error }.into();
    }
    Kind::Damaged { name, format, source: error.into() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    // A file that the superuser may not read cannot be made.
    #[test]
    fn a_denied_permission_is_told_by_the_path() {
        let error = not_opened(Path::new("a/b.csv"), ErrorKind::PermissionDenied.into());
        assert_eq!(error.to_string(), "a/b.csv: permission denied");
        assert!(error.hint().is_some());
    }

    #[test]
    fn a_failing_disk_is_no_damage() {
        let error = failed("a.gz".into(), Some(Compression::Gzip), io::Error::from_raw_os_error(5));
        assert!(matches!(error.kind(), Kind::Read { .. }));
    }
}

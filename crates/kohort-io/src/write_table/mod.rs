//! Tables out: the texts of a table, byte for byte, in any of the formats that are read.
//!
//! # Promise
//! What [`write_table`] writes, [`crate::read_table`] reads back cell for cell: text formats with
//! [`crate::Options::as_written`], since a reader that looks can be mistaken about a header. The one
//! limit is the reader's, on the length of a record. How values stood in their file comes back too, as far
//! as the format tells it ([`crate::Format::tells`]).
//!
//! # What is written
//! Only what the rows hold: a text of the dictionary that stands in no row reaches no file, and no type
//! depends on it.

mod columnar;
mod csv;
mod json_lines;

use std::io::{self, Write};

use flate2::write::GzEncoder;
use kohort_core::{Column, Table, Told, Written, alive_at};

pub(crate) use columnar::counted_field_of;
pub use columnar::write_parquet_rows;
pub(crate) use json_lines::is_number_column;

use crate::{Compression, Error, Format, Kind};

/// How many bytes are handed on at once.
const CHUNK: usize = 64 << 10;

/// Writes a table in a format. An empty cell is null where the format has one, unless it stood in its file
/// as an empty text and the format tells the two apart: CSV does not.
pub fn write_table(table: &Table, format: Format, out: &mut dyn Write) -> Result<(), Error> {
    let written = match format {
        Format::Csv(compression) | Format::Tsv(compression) => {
            csv::check_names(table)?;
            packed(compression, out, &mut |out| csv::write(table, format.separator(), out))
        }
        Format::JsonLines(compression) => {
            packed(compression, out, &mut |out| json_lines::write(table, out))
        }
        Format::Parquet => columnar::write_parquet(table, out),
        Format::Arrow => columnar::write_arrow(table, out),
    };
    let written = written.and_then(|()| out.flush());
    written.map_err(|source| Kind::Write { path: table.name().to_owned(), source }.into())
}

/// The columns with cells that [`write_table`] puts an apostrophe before, because a spreadsheet would run them.
pub fn escaped_columns(table: &Table, format: Format) -> Vec<&str> {
    match format {
        Format::Csv(_) | Format::Tsv(_) => csv::escaped(table),
        Format::JsonLines(_) | Format::Parquet | Format::Arrow => Vec::new(),
    }
}

pub(crate) fn packed(
    compression: Option<Compression>,
    out: &mut dyn Write,
    fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match compression {
        None => fill(out),
        Some(Compression::Gzip) => {
            let mut encoder = GzEncoder::new(out, flate2::Compression::default());
            fill(&mut encoder)?;
            encoder.finish().map(drop)
        }
        Some(Compression::Zstd) => {
            let mut encoder = zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
            fill(&mut encoder)?;
            encoder.finish().map(drop)
        }
    }
}

/// A column of a text format: every distinct text as it stands in the file with what goes before it, a
/// separator or a name, made once; for each way in which it can stand where it stood in several.
struct Cells<'a> {
    bytes: Vec<u8>,
    /// The cell of entry `i` is `bytes[bounds[i]..bounds[i + 1]]`; `i` of each way are one after the other.
    bounds: Vec<usize>,
    n_ways: usize,
    column: &'a Column,
}

impl<'a> Cells<'a> {
    fn new(
        column: &'a Column,
        told: Told,
        print: impl Fn(&str, Option<Written>, &mut Vec<u8>),
    ) -> Self {
        let is_by_row = told == Told::Kinds && column.writing().is_by_row();
        let n_ways = if is_by_row { Written::ALL.len() } else { 1 };
        let mut bytes = Vec::new();
        let mut bounds = vec![0];
        for (entry, text) in (0..).zip(column.dictionary().iter()) {
            alive_at(entry as usize);
            for way in Written::ALL.into_iter().take(n_ways) {
                let way = if is_by_row { Some(way) } else { column.writing().of_entry(entry) };
                print(text, way, &mut bytes);
                bounds.push(bytes.len());
            }
        }
        Self { bytes, bounds, n_ways, column }
    }

    #[inline]
    fn get(&self, row: usize) -> &[u8] {
        let mut at = self.column.codes().get(row) as usize;
        if self.n_ways > 1 {
            at = self.n_ways * at + self.column.written(row).map_or(0, |way| way as usize);
        }
        &self.bytes[self.bounds[at]..self.bounds[at + 1]]
    }
}

/// Writes row after row, each closed by `end`.
fn write_rows(
    columns: &[Cells<'_>],
    n_rows: usize,
    end: &[u8],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(2 * CHUNK);
    for row in 0..n_rows {
        alive_at(row);
        for column in columns {
            buffer.extend_from_slice(column.get(row));
        }
        buffer.extend_from_slice(end);
        if buffer.len() >= CHUNK {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)
}

/// Whether every value of a column fits a type; a column without any value fits none.
fn all_values(column: &Column, counts: &[u32], fits: impl Fn(&str) -> bool) -> bool {
    let mut values = column
        .dictionary()
        .iter()
        .zip(counts)
        .filter(|&(text, &n_rows)| n_rows > 0 && !text.is_empty())
        .map(|(text, _)| text)
        .peekable();
    values.peek().is_some() && values.all(fits)
}

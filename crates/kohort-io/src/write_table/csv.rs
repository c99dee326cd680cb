//! CSV: commas or tabs, LF, UTF-8 and a header. No cell is a formula to a spreadsheet.
//!
//! # Quotes
//! Besides what the format asks for, a cell is quoted where a reader that guesses could be mistaken: it
//! holds another separator, or begins with an apostrophe. The first name is quoted where it could pass
//! for something else, such as a byte order mark, `sep=;` or the beginning of HTML, and where a cell has
//! lines in it: a quoted name shows that these quotes quote.

use std::io::{self, Write};

use kohort_core::{Column, Table, Told};

use super::{Cells, write_rows};
use crate::csv::needs_escape;
use crate::{Error, Kind};

/// Refuses a name that the reader would trim.
pub(super) fn check_names(table: &Table) -> Result<(), Error> {
    let padded = table.columns().iter().find(|column| column.name() != column.name().trim());
    padded
        .map_or(Ok(()), |column| Err(Kind::PaddedName { column: column.name().to_owned() }.into()))
}

/// The columns with cells that are written behind an apostrophe.
pub(super) fn escaped(table: &Table) -> Vec<&str> {
    let is_escaped = |column: &&Column| {
        let mut texts = column.dictionary().iter().zip(column.counts());
        texts.any(|(text, n_rows)| n_rows > 0 && needs_escape(text))
    };
    table.columns().iter().filter(is_escaped).map(Column::name).collect()
}

pub(super) fn write(table: &Table, separator: u8, out: &mut dyn Write) -> io::Result<()> {
    // What stands before a cell.
    let before = |position| if position == 0 { None } else { Some(separator) };
    let mut header = Vec::new();
    let ends_line = |text: &str| text.contains(['\r', '\n']);
    let has_lines = table.columns().iter().any(|column| column.dictionary().iter().any(ends_line));
    for (position, column) in table.columns().iter().enumerate() {
        header.extend(before(position));
        let quotes = position == 0 && (has_lines || is_misleading(column.name()));
        print(column.name(), quotes, &mut header);
    }
    header.push(b'\n');
    out.write_all(&header)?;

    // A line with nothing on it is no record.
    let is_alone = table.columns().len() == 1;
    let columns: Vec<Cells<'_>> = table
        .columns()
        .iter()
        .enumerate()
        .map(|(position, column)| {
            Cells::new(column, Told::Nothing, |text, _, out| {
                out.extend(before(position));
                print(text, is_alone && text.is_empty(), out);
            })
        })
        .collect();
    write_rows(&columns, table.n_rows(), b"\n", out)
}

/// Whether a file that begins with this name could be taken for something else.
fn is_misleading(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || c == '_';
    let declares = name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("sep="));
    !name.starts_with(is_plain) || name.contains(char::is_control) || declares
}

fn print(text: &str, force_quotes: bool, out: &mut Vec<u8>) {
    let escape = if needs_escape(text) { "'" } else { "" };
    let is_special = |byte: u8| b",\"\r\n;\t|".contains(&byte);
    let quotes = force_quotes
        || !escape.is_empty()
        || text.starts_with('\'')
        || text.bytes().any(is_special);
    if !quotes {
        return out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
    out.extend_from_slice(escape.as_bytes());
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

//! CSV in all its variations, interned cell by cell as it is read.

mod cache;
mod dialect;
mod doubt;
mod formula;
mod records;

use crate::builder::{check_names, check_rows, finish};
use crate::lines::Window;
use crate::notes::decimal_commas;
use crate::signature::check_text;
use crate::source::Text;
use crate::{Error, Kind, Options, Read};

use cache::Cached;
use dialect::{Dialect, SAMPLE, declared};
use doubt::Doubts;
pub(crate) use formula::needs_escape;
use kohort_core::{Message, Setting, message};
use records::Records;

/// How many records a title can have, and how many after a fault are looked at.
const FEW: usize = 5;

/// Reads a text as CSV; what `options` leaves open is found by looking at the beginning, or, where they are
/// strict, is as this library writes with `separator`.
pub(crate) fn read(text: Text<'_>, options: &Options, separator: u8) -> Result<Read, Error> {
    let (mut records, dialect, mut notes) = open(text, options, separator)?;
    if !records.advance()? {
        return Err(Kind::Empty { name: records.name() }.into());
    }
    let mut shape = Shape { width: records.width(), first_line: records.line(), n_above: 0 };
    if dialect.header {
        records.names = header_names(&records)?;
        shape.n_above = 1;
        if !records.advance()? {
            return Err(Kind::NoRows { name: records.name(), header: true }.into());
        }
    } else {
        let n = records.width();
        records.names = (1..=n).map(|column| format!("column{column}")).collect();
        if options.header.is_none() {
            notes.push(no_header(n));
        }
    }
    let columns = read_rows(&mut records, &shape)?;
    match shape.width - columns.len() {
        0 => {}
        1 => notes.push("1 unnamed empty column at the end is left out".into()),
        n => notes.push(message!("{n} unnamed empty columns at the end are left out")),
    }
    let name = records.name();
    let names = std::mem::take(&mut records.names);
    let n_rows = columns.first().map_or(0, |column| column.builder.codes.len());
    records.settle((n_rows + shape.n_above) as u64, shape.width)?;
    let builders = columns.into_iter().map(|column| column.builder).collect();
    let mut read = finish(name, names, builders, true, &options.missing, notes);
    if dialect.separator != b',' {
        read.notes.extend(decimal_commas(&read.table).map(Message::from));
    }
    Ok(read)
}

/// The records of a text, how they are cut, and what to tell about that.
fn open<'a>(
    text: Text<'a>,
    options: &Options,
    written: u8,
) -> Result<(Records<'a>, Dialect, Vec<Message>), Error> {
    let mut window = Window::new(text);
    window.skip_lines(options.skip_lines)?;
    window.peek(SAMPLE)?;
    check_text(&window.text.name, window.bytes())?;
    let mut line = options.skip_lines + 1;
    let mut options = options.clone();
    // The declaration is Excel's own: to others it is a first row.
    let declared = declared(window.bytes(), &options)
        .filter(|&(separator, _)| !options.strict || options.separator == Some(separator));
    if let Some((separator, length)) = declared {
        options.separator.get_or_insert(separator);
        window.drop_first(length);
        line += 1;
    }
    let found = Dialect::find(window.bytes(), window.ended(), &options, written);
    let doubts = Doubts::new(found.dialect, &options);
    let mut notes = std::mem::take(&mut window.text.notes);
    notes.extend(found.notes);
    Ok((Records::new(window, found.dialect, doubts, line), found.dialect, notes))
}

fn no_header(n: usize) -> Message {
    let last = if n > 1 { format!(" … column{n}") } else { String::new() };
    message!(
        "no header found: columns are named column1{last}; say {} if the first line names them",
        Setting::Header.to("yes")
    )
}

/// The names in the header, without the empty ones at its end.
fn header_names(records: &Records<'_>) -> Result<Vec<String>, Error> {
    // A dictionary refuses what is not a text, with its offset.
    let mut dictionary = kohort_core::Dictionary::default();
    let name = |(column, cell)| {
        let entry = dictionary
            .intern(cell, records.line())
            .map_err(|problem| records.bad_cell(column, problem))?;
        Ok(dictionary.get(entry).trim().to_owned())
    };
    let mut names: Vec<String> =
        records.cells().enumerate().map(name).collect::<Result<_, Error>>()?;
    let n_named = names.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
    names.truncate(n_named.max(1));
    check_names(&records.name(), Some(records.line()), &names)?;
    Ok(names)
}

/// What the first record says of the others.
struct Shape {
    width: usize,
    first_line: u64,
    /// How many records stand above the first row: a header or none.
    n_above: usize,
}

/// Reads the rows into the columns that have a name.
fn read_rows(records: &mut Records<'_>, shape: &Shape) -> Result<Vec<Cached>, Error> {
    let mut columns: Vec<Cached> = records.names.iter().map(|_| Cached::new()).collect();
    let n_named = columns.len();
    let mut n_rows = 0;
    loop {
        check_rows(n_rows, || records.at(None))?;
        if records.width() != shape.width {
            return Err(ragged(records, shape, n_rows));
        }
        if n_named < shape.width
            && let Some(column) = records.value_after(n_named)
        {
            return Err(unnamed(records, shape, column, &columns));
        }
        records.push(&mut columns)?;
        n_rows += 1;
        if !records.advance()? {
            return Ok(columns);
        }
    }
}

/// The error for a record of another width than the first, by what follows it.
#[cold]
fn ragged(records: &mut Records<'_>, shape: &Shape, n_rows: u64) -> Error {
    let (at, found, line) = (records.at(None), records.width(), records.line());
    let mut after = Vec::new();
    let mut ended = false;
    while after.len() < FEW && !ended {
        match records.advance() {
            Ok(true) => after.push(records.width()),
            Ok(false) => ended = true,
            // The fault at hand comes first.
            Err(_) => break,
        }
    }
    let n_before = n_rows + shape.n_above as u64;
    let is_title = shape.width == 1
        && n_before <= FEW as u64
        && !after.is_empty()
        && after.iter().all(|&width| width == found);
    if is_title {
        return title(records, shape, line);
    }
    let closing = ended && n_rows > 0 && after.iter().all(|&width| width != shape.width);
    Kind::Ragged { at, found, expected: shape.width, closing }.into()
}

/// The error for a value in a column that has no name. A spreadsheet fills the line of a title with
/// separators, and blank lines below it too.
#[cold]
fn unnamed(records: &Records<'_>, shape: &Shape, column: usize, columns: &[Cached]) -> Error {
    let is_blank = |column: &Cached| {
        column.builder.codes.len() <= FEW
            && column.builder.dictionary.iter().all(|text| text.trim().is_empty())
    };
    if let [first] = columns
        && shape.width > 2
        && is_blank(first)
    {
        return title(records, shape, records.line());
    }
    let (name, header) = (records.name(), Some(shape.first_line));
    let value = Some(records.line());
    Kind::UnnamedColumn { name, header, column: column + 1, value }.into()
}

/// The error for lines above the record that begins on `line`.
fn title(records: &Records<'_>, shape: &Shape, line: u64) -> Error {
    Kind::Title { name: records.name(), first: shape.first_line, last: line - 1 }.into()
}

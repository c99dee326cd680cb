//! CSV in all its variations, interned cell by cell as it is read.

mod cache;
mod dialect;
mod records;

use crate::builder::{check_names, check_rows, finish};
use crate::lines::Window;
use crate::source::Text;
use crate::{Error, Kind, Options, Read};

use cache::Cached;
use dialect::{Dialect, SAMPLE};
use records::Records;

/// Reads a text as CSV; what `options` leaves open is found by looking at the beginning.
pub(crate) fn read(text: Text<'_>, options: &Options) -> Result<Read, Error> {
    let mut window = Window::new(text);
    window.peek(SAMPLE)?;
    let found = Dialect::find(window.bytes(), window.ended(), options);
    let mut records = Records::new(window, found.dialect);
    if !records.advance()? {
        return Err(Kind::Empty { name: records.name() }.into());
    }
    let header = found.dialect.header;
    let mut notes = records.take_notes();
    notes.extend(found.notes);
    if header {
        let names = header_names(&records)?;
        check_names(&records.name(), &names)?;
        records.names = names;
        if !records.advance()? {
            return Err(Kind::NoRows { name: records.name(), header }.into());
        }
    } else {
        let n = records.cells().len();
        records.names = (1..=n).map(|column| format!("column{column}")).collect();
        if options.header.is_none() {
            let last = if n > 1 { format!(" … column{n}") } else { String::new() };
            notes.push(format!(
                "no header found: columns are named column1{last}; say `--header yes` if the \
                 first line names them"
            ));
        }
    }
    let mut columns: Vec<Cached> = records.names.iter().map(|_| Cached::new()).collect();
    let mut n_rows = 0;
    loop {
        check_rows(n_rows, || records.at(None))?;
        records.push(&mut columns)?;
        n_rows += 1;
        if !records.advance()? {
            break;
        }
    }
    let name = records.name();
    let builders = columns.into_iter().map(|column| column.builder).collect();
    Ok(finish(name, records.names, builders, true, &options.missing, notes))
}

fn header_names(records: &Records<'_>) -> Result<Vec<String>, Error> {
    // A dictionary refuses what is not a text, with its offset.
    let mut dictionary = kohort_core::Dictionary::default();
    let name = |(column, cell)| {
        let entry = dictionary
            .intern(cell, records.line())
            .map_err(|problem| records.bad_cell(column, problem))?;
        Ok(dictionary.get(entry).trim().to_owned())
    };
    records.cells().enumerate().map(name).collect()
}

//! Files of every kind, made in a temporary folder and read back.
#![expect(clippy::disallowed_methods, reason = "the tests make the files they read")]
#![expect(clippy::unwrap_used, reason = "a test that cannot make its file fails")]

mod accepted;
mod columnar;
mod json_lines;
mod kinds;
mod laws;
mod parts;
mod refused;
mod spreadsheets;
mod staged;
mod texts;
mod written;

use kohort_core::{Codes, Column, Dictionary, Missing, Table};
use kohort_io::{Error, Options, Read, read_table};

/// Reads these bytes as a file of this name.
fn try_read(name: &str, bytes: &[u8], options: &Options) -> Result<Read, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_table(path.to_str().unwrap(), options, &|_, _| {})
}

fn read(name: &str, bytes: &[u8]) -> Read {
    try_read(name, bytes, &Options::default()).unwrap()
}

/// The header and the rows, cells set apart by `|`.
fn shown(table: &Table) -> Vec<String> {
    let names: Vec<&str> = table.columns().iter().map(Column::name).collect();
    let row = |row| {
        let cell = |column: &Column| column.dictionary().get(column.codes().get(row)).to_owned();
        table.columns().iter().map(cell).collect::<Vec<String>>().join("|")
    };
    std::iter::once(names.join("|")).chain((0..table.n_rows()).map(row)).collect()
}

/// A table of these rows, the first of which holds the names.
fn table(rows: &[Vec<String>]) -> Table {
    let column = |(position, name): (usize, &String)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, row) in (2..).zip(&rows[1..]) {
            codes.push(dictionary.intern(row[position].as_bytes(), line).unwrap());
        }
        Column::new(name.clone(), dictionary, codes, &Missing::default())
    };
    let columns = rows[0].iter().enumerate().map(column).collect();
    Table::new("release".into(), columns, true, Missing::default())
}

/// The names and the rows of a table.
fn rows(table: &Table) -> Vec<Vec<String>> {
    let names = table.columns().iter().map(|column| column.name().to_owned()).collect();
    let cell = |column: &Column, row| column.dictionary().get(column.codes().get(row)).to_owned();
    let row = |row| table.columns().iter().map(|column| cell(column, row)).collect();
    std::iter::once(names).chain((0..table.n_rows()).map(row)).collect()
}

//! Files of every kind, made in a temporary folder and read back.
#![expect(clippy::disallowed_methods, reason = "the tests make the files they read")]
#![expect(clippy::unwrap_used, reason = "a test that cannot make its file fails")]

mod accepted;
mod columnar;
mod json_lines;
mod laws;
mod refused;
mod spreadsheets;
mod texts;
mod write;

use kohort_core::Table;
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
    let names: Vec<&str> = table.columns().iter().map(kohort_core::Column::name).collect();
    let row = |row| {
        let cell = |column: &kohort_core::Column| {
            column.dictionary().get(column.codes().get(row)).to_owned()
        };
        table.columns().iter().map(cell).collect::<Vec<String>>().join("|")
    };
    std::iter::once(names.join("|")).chain((0..table.n_rows()).map(row)).collect()
}

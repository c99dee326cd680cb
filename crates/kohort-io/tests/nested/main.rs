//! Records inside records: read, refused, and written again.
#![expect(clippy::disallowed_methods, reason = "the tests make the files they read")]
#![expect(clippy::unwrap_used, reason = "a test that cannot make its file fails")]

mod json;
mod laws;
mod refused;
mod related;
mod xml;

use kohort_core::{Column, Nested};
use kohort_io::{Error, NestedFormat, NestedOptions, ReadNested, read_nested, write_nested};

/// Reads these bytes as a file of this name.
fn try_read(name: &str, bytes: &[u8], options: &NestedOptions) -> Result<ReadNested, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_nested(path.to_str().unwrap(), options, &|_, _| {})
}

fn read(name: &str, text: &str) -> ReadNested {
    try_read(name, text.as_bytes(), &NestedOptions::default()).unwrap()
}

/// The branches: path, columns, and for each row the row it stands in and its cells.
fn shown(nested: &Nested) -> Vec<String> {
    let mut lines = Vec::new();
    for branch in nested.branches() {
        let columns = branch.table().columns();
        let names: Vec<&str> = columns.iter().map(Column::name).collect();
        lines.push(format!("<{}> {}", branch.path(), names.join("|")));
        for row in 0..branch.n_rows() {
            let cell =
                |column: &Column| column.dictionary().get(column.codes().get(row)).to_owned();
            let cells: Vec<String> = columns.iter().map(cell).collect();
            let inside = branch.inside().map_or(String::new(), |i| format!("{}: ", i.rows[row]));
            lines.push(format!("{inside}{}", cells.join("|")));
        }
    }
    lines
}

fn written(nested: &Nested, format: NestedFormat) -> String {
    let mut out = Vec::new();
    write_nested(nested, format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

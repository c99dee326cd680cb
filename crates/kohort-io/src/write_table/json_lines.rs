//! JSON Lines: one object per row, its members in the order of the columns.
//!
//! # Types
//! A value of a JSON Lines file stays what it was there: a number or truth value with its characters, a
//! string (its escapes may change), or null, whatever else its column has; a member that was not there is
//! null. A string of a Parquet or Arrow file is one. Any other column is of numbers where every value is a number that comes out of a
//! program as it went in: `5`, `5.0` and `0.25`, but not `1.50`, `-0`, `1e3` or more digits than a double
//! holds; one of `true` and `false` is of truth values; else it is of strings, and an
//! empty cell is null.

use std::io::{self, Write};

use kohort_core::{Column, Table, Told, Written};

use super::{Cells, all_values, write_rows};

pub(super) fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let mut columns = Vec::new();
    for column in table.columns() {
        let mut before = if columns.is_empty() { b"{".to_vec() } else { b",".to_vec() };
        string(column.name(), &mut before);
        before.push(b':');
        let is_bare = column.writing().told() == Told::Nothing
            && (is_number_column(column)
                || all_values(column, &column.counts(), |text| text.parse::<bool>().is_ok()));
        columns.push(Cells::new(column, Told::Kinds, |text, written, out| {
            out.extend_from_slice(&before);
            match (written, text) {
                (Some(Written::Null), _) | (None, "") => out.extend_from_slice(b"null"),
                (Some(Written::Bare), _) => out.extend_from_slice(text.as_bytes()),
                (None, _) if is_bare => out.extend_from_slice(text.as_bytes()),
                _ => string(text, out),
            }
        }));
    }
    write_rows(&columns, table.n_rows(), b"}\n", out)
}

/// Whether a column is written as numbers.
pub(crate) fn is_number_column(column: &Column) -> bool {
    all_values(column, &column.counts(), is_canonical)
}

/// Whether a text is the shortest way to write its double without an exponent, with a point or without.
fn is_canonical(text: &str) -> bool {
    let whole = text.strip_suffix(".0").filter(|whole| !whole.contains('.'));
    let shortest = whole.unwrap_or(text);
    let is_same = |number: f64| number.is_finite() && number.to_string() == shortest;
    shortest != "-0" && shortest.parse().is_ok_and(is_same)
}

fn string(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("a string is written to memory");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_print_as_they_are_read() {
        for text in
            ["0", "5", "-5", "5.0", "0.25", "-1.5", "9007199254740992", "100000000000000000000"]
        {
            assert!(is_canonical(text), "{text}");
            assert!(serde_json::from_str::<f64>(text).is_ok(), "{text}");
        }
        let others = [
            "",
            "-0",
            "05",
            "+5",
            "1.50",
            "1.5.0",
            "-0.0",
            ".5",
            "5.",
            "1e3",
            "9007199254740993",
            "NaN",
            "inf",
        ];
        for text in others {
            assert!(!is_canonical(text), "{text}");
        }
    }
}

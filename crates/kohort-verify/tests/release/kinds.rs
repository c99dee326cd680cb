//! Cells that say the same and stand otherwise: `1` and `"1"`, `""` and null.

use kohort_core::{
    Attribute, Codes, Column, Dataset, Dictionary, Domain, Missing, Role, Table, Told, Writing,
    Written,
};
use kohort_verify::truth;

/// A column whose cells stand as in JSON: `"1"`, `1` or `null`; in a format that tells so much.
fn column(name: &str, cells: &[&str], told: Told) -> Column {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    let mut writing = Writing::new(told);
    for (line, cell) in (1..).zip(cells) {
        let text = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let (text, written) = match (text, *cell) {
            (Some(text), _) => (text, Written::Text),
            (None, "null") => ("", Written::Null),
            (None, bare) => (bare, Written::Bare),
        };
        let entry = dictionary.intern(text.as_bytes(), line).unwrap();
        if told > Told::Nothing {
            writing.push(&codes, entry, written);
        }
        codes.push(entry);
    }
    Column::new(name.into(), dictionary, codes, &Missing::default()).with_writing(writing)
}

fn table(ages: &[&str], sensitive: &[&str], notes: &[&str], told: Told) -> Table {
    let columns =
        vec![column("age", ages, told), column("s", sensitive, told), column("note", notes, told)];
    Table::new("t".into(), columns, true, Missing::default())
}

const AGES: [&str; 6] = ["1", "1", "1", "2", "2", "2"];
const SENSITIVE: [&str; 6] = ["\"\"", "null", "\"a\"", "1", "\"1\"", "null"];
const NOTES: [&str; 6] = ["true", "\"true\"", "1.50", "null", "\"\"", "\"x\""];

fn original() -> Dataset {
    let table = table(&AGES, &SENSITIVE, &NOTES, Told::Kinds);
    let attribute = |name: &str, role| {
        let domain = Domain::new(&table, table.column(name).unwrap(), None, &|_| false).unwrap();
        Attribute::new(&table, name, role, domain, None).unwrap()
    };
    let attributes = vec![attribute("age", Role::Quasi), attribute("s", Role::Sensitive)];
    Dataset::new(table, attributes).unwrap()
}

/// The columns that a comparison calls changed, with a certificate and without.
fn check(sensitive: &[&str], notes: &[&str], told: Told, expected: &[&str]) {
    let original = original();
    let release = table(&AGES, sensitive, notes, told);
    for certificate in [Some(&[0, 1, 2, 3, 4, 5][..]), None] {
        let found = truth(&release, &original, certificate, None).unwrap();
        let names: Vec<&str> = found.changed().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected, "{certificate:?}");
        assert_eq!(found.holds(), expected.is_empty(), "{certificate:?}");
    }
}

/// The cells with one exchanged for another.
fn with(cells: &[&'static str; 6], row: usize, cell: &'static str) -> [&'static str; 6] {
    let mut cells = *cells;
    cells[row] = cell;
    cells
}

#[test]
fn a_cell_that_stands_otherwise_is_another_where_both_files_tell() {
    check(&SENSITIVE, &NOTES, Told::Kinds, &[]);
    for (row, cell) in [(0, "null"), (1, "\"\""), (3, "\"1\""), (4, "1")] {
        check(&with(&SENSITIVE, row, cell), &NOTES, Told::Kinds, &["s"]);
    }
    for (row, cell) in [(0, "\"true\""), (2, "\"1.50\""), (3, "\"\""), (4, "null")] {
        check(&SENSITIVE, &with(&NOTES, row, cell), Told::Kinds, &["note"]);
    }
}

#[test]
fn what_one_of_them_does_not_tell_is_not_compared() {
    // A column of strings tells the empty one from null, and no string from a number.
    let texts = ["\"\"", "null", "\"a\"", "\"1\"", "\"1\"", "null"];
    check(&texts, &NOTES, Told::Nulls, &[]);
    check(&with(&texts, 0, "null"), &NOTES, Told::Nulls, &["s"]);
    check(&with(&texts, 1, "\"\""), &NOTES, Told::Nulls, &["s"]);
    let empty = ["null", "null", "\"a\"", "1", "1", "null"];
    check(&empty, &NOTES, Told::Nothing, &[]);
    check(&with(&empty, 3, "2"), &NOTES, Told::Nothing, &["s"]);
}

#[test]
fn cells_that_changed_rows_are_found() {
    let original = original();
    let mut sensitive = SENSITIVE;
    sensitive.swap(1, 3);
    sensitive.swap(0, 5);
    let release = table(&AGES, &sensitive, &NOTES, Told::Kinds);
    let found = truth(&release, &original, None, None).unwrap();
    assert!(!found.holds() && found.changed().is_empty());
    assert_eq!(found.uncovered_rows(), 4);
}

#[test]
fn a_missing_value_may_be_written_in_another_way_than_the_empty_one() {
    check(&with(&SENSITIVE, 1, "\"NA\""), &with(&NOTES, 3, "\"?\""), Told::Kinds, &[]);
}

//! Small tables for the tests, built in memory.

use kohort_core::{Attribute, Codes, Column, Dictionary, Domain, Missing, Role, Table};

/// A table with these column names and rows of texts.
pub(crate) fn table(names: &[&str], rows: &[Vec<String>]) -> Table {
    let columns = names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
            for (line, row) in (2..).zip(rows) {
                codes.push(dictionary.intern(row[index].as_bytes(), line).unwrap());
            }
            Column::new((*name).into(), dictionary, codes, &Missing::default())
        })
        .collect();
    Table::new("test.csv".into(), columns, true, Missing::default())
}

/// Columns of a table as attributes with flat taxonomies.
pub(crate) fn attributes(table: &Table, names: &[&str], role: Role) -> Vec<Attribute> {
    names
        .iter()
        .map(|name| {
            let domain = Domain::new(table, table.column(name).unwrap(), None, &|_| false).unwrap();
            Attribute::new(table, name, role, domain, None).unwrap()
        })
        .collect()
}

//! Anonymizes rows that a program holds, without any file.
//!
//! `cargo run --example anonymize_rows`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use kohort::plan::{Goal, Plan};
use kohort::{Cx, Stop, Table};

fn main() -> Result<(), Stop> {
    let rows = [
        ["Ann", "31", "02139", "flu"],
        ["Bob", "34", "02139", "asthma"],
        ["Eve", "36", "02138", "flu"],
        ["Joe", "52", "10025", "asthma"],
        ["Kim", "55", "10025", "flu"],
        ["Liz", "58", "10027", "gout"],
    ];
    let table = Table::from_rows(["name", "age", "zip", "disease"], rows)?;
    let plan = Plan::new()
        .identifiers(["name"])
        .quasi(["age", "zip"])
        .sensitive(["disease"])
        .goal(Goal { k_anonymity: Some(3), ..Goal::default() });
    let release = kohort::anonymize(&table, &plan, &Cx::default())?;
    for row in 0..release.table().n_rows() {
        let columns = release.table().columns().iter();
        let cells = columns.map(|column| column.dictionary().get(column.codes().get(row)));
        println!("{}", cells.collect::<Vec<_>>().join("\t"));
    }
    // The receipt is for the owner of the data: it tells about people who were left out.
    print!("\n{}", release.receipt());
    Ok(())
}

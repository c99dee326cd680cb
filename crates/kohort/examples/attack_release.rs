//! Makes a release and attacks it: how many people are singled out, and whose values are learned?
//!
//! `cargo run --example attack_release`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use kohort::attack::text;
use kohort::plan::{Goal, Plan};
use kohort::{Cx, Stop, Table};

fn main() -> Result<(), Stop> {
    let rows = (0..120_u32).map(|n| {
        let disease = ["flu", "gout", "asthma", "ulcer"][(n * 7 % 4) as usize];
        [(20 + n % 40).to_string(), (2130 + n % 9).to_string(), disease.to_owned()]
    });
    let table = Table::from_rows(["age", "zip", "disease"], rows)?;
    let plan = Plan::new()
        .quasi(["age", "zip"])
        .sensitive(["disease"])
        .goal(Goal { k_anonymity: Some(4), ..Goal::default() });
    let release = kohort::anonymize(&table, &plan, &Cx::default())?;
    let before = kohort::attack(&table, &plan, Some(&table), &Cx::default())?;
    let after = kohort::attack(&release, &plan, Some(&table), &Cx::default())?;
    println!("the raw table: {}", if before.refuted { "refuted" } else { "not refuted" });
    println!("the release: {}\n", if after.refuted { "refuted" } else { "not refuted" });
    print!("{}", text(&after));
    Ok(())
}

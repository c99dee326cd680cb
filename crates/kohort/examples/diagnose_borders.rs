//! Which k, l and t a table has, and which sets of attributes are safe: the largest safe and the smallest
//! dangerous ones.
//!
//! `cargo run --example diagnose_borders`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use kohort::diagnose::{Question, text};
use kohort::plan::Plan;
use kohort::{Cx, Stop, Table};

fn main() -> Result<(), Stop> {
    let rows = (0..200_u32).map(|n| {
        let (age, zip) = (20 + n % 12, 2130 + n % 5);
        let sex = if n % 3 == 0 { "f" } else { "m" };
        let disease = ["flu", "gout", "asthma"][(n / 7 % 3) as usize];
        [age.to_string(), zip.to_string(), sex.to_owned(), disease.to_owned()]
    });
    let table = Table::from_rows(["age", "zip", "sex", "disease"], rows)?;
    for proposal in kohort::inspect(&table) {
        let role = proposal.role.map_or("no role", kohort::Role::id);
        println!("{}: {role}, since {}", proposal.column, proposal.reason);
    }
    let plan = Plan::new().quasi(["age", "zip", "sex"]).sensitive(["disease"]);
    let question = Question { subsets: true, k: Some(5), ..Question::default() };
    let found = kohort::diagnose(&table, &plan, &question, &Cx::default())?;
    print!("\n{}", text(&found));
    if let Some(borders) = &found.borders {
        println!("largest safe sets: {:?}", borders.positive_border);
        println!("smallest dangerous sets: {:?}", borders.negative_border);
    }
    Ok(())
}

//! Judges somebody's release: does it keep what was promised, and does it say what the original says?
//!
//! `cargo run --example verify_release`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use kohort::plan::{Goal, Plan};
use kohort::{Cx, Stop, Table};

fn main() -> Result<(), Stop> {
    let original = Table::from_rows(
        ["age", "disease"],
        [["31", "flu"], ["34", "gout"], ["36", "flu"], ["52", "gout"], ["58", "flu"]],
    )?;
    let release = Table::from_rows(
        ["age", "disease"],
        [["30-39", "flu"], ["30-39", "gout"], ["30-39", "flu"], ["50-59", "gout"], ["58", "flu"]],
    )?;
    let plan = Plan::new()
        .quasi(["age"])
        .sensitive(["disease"])
        .goal(Goal { k_anonymity: Some(2), ..Goal::default() });
    let verdict = kohort::verify(&release, &plan, Some(&original), &Cx::default())?;
    print!("{verdict}");
    for reason in &verdict.reasons {
        println!("because {reason}");
    }
    Ok(())
}

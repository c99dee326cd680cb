//! Publishes two releases about the same people, which keep their promise together, with a ledger.
//!
//! `cargo run --example publish_series`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::path::Path;

use kohort::plan::Plan;
use kohort::series::{KeptHead, Secret, SeriesOrder, publish};
use kohort::{Ctx, Stop, Table};

const PLAN: &str = r#"
[attributes]
person = "identifier"
age = "quasi"
zip = "quasi"
disease = "sensitive"

[series]
key = "person"
method = "m-invariance"
m = 2
"#;

/// The patients of a year: some left, others came.
fn patients(year: u32) -> Result<Table, Stop> {
    let rows = (year * 10..100 + year * 10).map(|n| {
        let disease = ["flu", "gout", "asthma", "ulcer"][(n % 4) as usize];
        let (age, zip) = (20 + n * 7 % 50 + year, 2130 + n % 9);
        [format!("p{n}"), age.to_string(), zip.to_string(), disease.to_owned()]
    });
    Ok(Table::from_rows(["person", "age", "zip", "disease"], rows)?)
}

fn main() -> Result<(), Stop> {
    let folder = std::env::temp_dir().join(format!("kohort-series-{}", std::process::id()));
    kohort::create_folder(&folder).map_err(kohort::Error::from)?;
    let plan = Plan::parse("plan.toml", PLAN)?;
    let order = SeriesOrder {
        plan: &plan,
        series: "patients",
        ledger: &folder.join("kohort.ledger"),
        // A program reads its passphrase or its key from where secrets are kept.
        secret: &Secret::passphrase("only for this example").map_err(kohort::Error::from)?,
        head: &KeptHead::Nowhere,
        target: &|number| folder.join(format!("release-{number}.csv")),
        report: &|_| None::<std::path::PathBuf>,
        force: false,
        inputs: &[],
        now: 1_800_000_000,
    };
    for year in 0..2 {
        let dataset = kohort::load::assign_roles(&plan, patients(year)?)?.value;
        let receipt = publish(&order, &dataset, &Ctx::quiet())?;
        let name = receipt.files.first().map(Path::new).and_then(Path::file_name);
        println!("release {}: {:?}, verified: {}", receipt.release, name, receipt.verified);
    }
    Ok(())
}

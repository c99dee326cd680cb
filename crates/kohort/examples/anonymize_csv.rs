//! Anonymizes a CSV file by a plan, and writes the release and its report beside it.
//!
//! `cargo run --example anonymize_csv`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use kohort::demo::{Data, write_csv};
use kohort::plan::Plan;
use kohort::{Cx, Stop};

const PLAN: &str = r#"
input = "patients.csv"

[attributes]
name = "identifier"
age = { role = "quasi", taxonomy = { widths = [5, 10, 20] } }
sex = "quasi"
zip = { role = "quasi", taxonomy = "mask" }
disease = "sensitive"

[goal]
k-anonymity = 5
suppression = 0.02
"#;

fn main() -> Result<(), Stop> {
    let folder = std::env::temp_dir().join(format!("kohort-example-{}", std::process::id()));
    kohort::create_folder(&folder).map_err(kohort::Error::from)?;
    let input = folder.join("patients.csv");
    let mut bytes = Vec::new();
    write_csv(Data::Hospital, 500, 7, &mut bytes).expect("memory can be written");
    kohort::write_atomically(&input, &mut |out| out.write_all(&bytes))?;

    let plan = Plan::parse("plan.toml", PLAN)?.in_folder(&folder);
    let table = kohort::load::load_table(&plan, &|_, _| {})?.value;
    let release = kohort::anonymize(&table, &plan, &Cx::default())?;
    let receipt = release.write(folder.join("release.csv"))?;
    print!("{receipt}");
    let page = release.report();
    kohort::write_atomically(&folder.join("release.html"), &mut |out| {
        out.write_all(page.as_bytes())
    })?;
    Ok(())
}

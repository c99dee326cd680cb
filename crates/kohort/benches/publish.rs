//! What publishing in series costs, and what independent releases give away.
//!
//! `cargo bench -p kohort --bench publish -- people=100000 releases=10 m=3` prints a line per release:
//! seconds, size of the ledger, loss, counterfeits, people held back, highest belief; beside it, of
//! releases that are made by the same method without a history, the loss and the share of the people whose
//! value is one of fewer than m, or known, to whoever intersects the classes of all releases so far.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock and writes its own tables"
)]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use kohort::plan::Plan;
use kohort::series::{Secret, SeriesOrder, publish};
use kohort::{Ctx, Dataset};
use kohort_algorithms::Space;
use kohort_core::History;
use kohort_models::CellMetric;
use kohort_models::series::MInvariance;
use kohort_series::{MInvariantMaker, SeriesMethod, Surplus, Turn};

const VALUES: u64 = 40;

fn main() {
    let given: BTreeMap<String, u64> = std::env::args()
        .filter_map(|text| {
            let (name, number) = text.split_once('=')?;
            Some((name.to_owned(), number.parse().ok()?))
        })
        .collect();
    let number = |name: &str, default| given.get(name).copied().unwrap_or(default);
    let (people, releases, m) = (number("people", 2000), number("releases", 3), number("m", 3));
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "input = \"table.csv\"\n[attributes]\nperson = \"identifier\"\nage = \"quasi\"\n\
         zip = {{ role = \"quasi\", type = \"integer\" }}\nsex = \"quasi\"\ndisease = \"sensitive\"\n\
         [series]\nkey = \"person\"\nm = {m}\n"
    );
    let plan = Plan::parse("plan.toml", &text).expect("it is a plan");
    let mut crowd = Crowd::new(people);
    let mut alone = Alone::new(u32::try_from(m).expect("m is small"));
    println!(
        "release  rows     seconds  ledger MiB  loss    fakes  held  belief | alone: loss    <m      known"
    );
    for release in 1..=releases {
        crowd.pass(release);
        std::fs::write(folder.path().join("table.csv"), crowd.table()).expect("it can be written");
        let started = Instant::now();
        let loaded = kohort::load::load(&plan, folder.path(), &|_, _| {});
        let dataset = loaded.expect("it is a table").value;
        let receipt = publish_next(&plan, folder.path(), &dataset);
        let seconds = started.elapsed().as_secs_f64();
        let size = folder.path().join("kohort.ledger").metadata().map_or(0, |found| found.len());
        let (loss, few, known) = alone.next(&dataset, &crowd);
        println!(
            "{release:>7}  {:>7}  {seconds:>7.2}  {:>10.1}  {:.4}  {:>5}  {:>4}  {:.4} | {loss:>12.4}  {few:.4}  {known:.4}",
            dataset.n_rows(),
            size as f64 / 1_048_576.0,
            receipt.loss.unwrap_or(f64::NAN),
            receipt.counterfeits,
            receipt.held_back,
            receipt.max_posterior,
        );
    }
}

fn publish_next(plan: &Plan, folder: &Path, dataset: &Dataset) -> kohort::series::SeriesReceipt {
    let order = SeriesOrder {
        plan,
        base: folder,
        series: "bench",
        ledger: &folder.join("kohort.ledger"),
        secret: &Secret::passphrase("a passphrase").expect("it is long enough"),
        target: &|release| folder.join(format!("release-{release}.csv")),
        force: false,
        inputs: &[],
        now: 1_800_000_000,
        hidden: [7; 32],
    };
    let answer = publish(&order, dataset, &Ctx::quiet(), &|_| {}).expect("it can be published");
    answer.expect("it is feasible")
}

/// People who come, leave and come back; one in ten changes.
struct Crowd {
    n: u64,
    is_here: Vec<bool>,
}

impl Crowd {
    fn new(n: u64) -> Self {
        Self { n, is_here: Vec::new() }
    }

    fn pass(&mut self, release: u64) {
        for (person, here) in (0..).zip(&mut self.is_here) {
            let draw = mix(person * 1000 + release) % 100;
            *here = if *here { draw >= 10 } else { draw < 25 };
        }
        let n_here = self.is_here.iter().filter(|here| **here).count() as u64;
        let n_new = self.n.saturating_sub(n_here);
        self.is_here.extend((0..n_new).map(|_| true));
    }

    /// The people who are in the table, in the order of its rows.
    fn rows(&self) -> impl Iterator<Item = u64> {
        (0..).zip(&self.is_here).filter(|(_, here)| **here).map(|(person, _)| person)
    }

    fn table(&self) -> String {
        let mut text = String::from("person,age,zip,sex,disease\n");
        for person in self.rows() {
            let draw = mix(person);
            let (age, zip) = (18 + draw % 70, 10_000 + (draw >> 8) % 900);
            let sex = if draw >> 20 & 1 == 0 { "F" } else { "M" };
            let _ = writeln!(text, "p{person:07},{age},{zip},{sex},d{:02}", disease(person));
        }
        text
    }
}

/// Low numbers are more frequent.
fn disease(person: u64) -> u64 {
    let draw = mix(person ^ 0xd15e);
    (draw % VALUES).min((draw >> 16) % VALUES)
}

fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Releases without a history, and what is left of each person's candidates.
struct Alone {
    m: u32,
    candidates: BTreeMap<u64, Vec<u32>>,
}

impl Alone {
    fn new(m: u32) -> Self {
        Self { m, candidates: BTreeMap::new() }
    }

    fn next(&mut self, dataset: &Dataset, crowd: &Crowd) -> (f64, f64, f64) {
        let quasi = dataset.quasi();
        let space = Space::new(&quasi, CellMetric::Ncp, &vec![1.0; quasi.len()]);
        let person_of_row: Vec<u32> = (0..).take(dataset.n_rows()).collect();
        let values = crowd.rows().map(disease);
        let value_of_row: Vec<u32> =
            values.map(|value| u32::try_from(value).unwrap_or(0)).collect();
        let turn = Turn {
            data: dataset,
            space: &space,
            person_of_row: &person_of_row,
            value_of_row: &value_of_row,
            history: &History { n_values: 40, releases: Vec::new() },
            seed: mix(self.candidates.len() as u64),
        };
        let model = MInvariance::new(self.m).expect("m is at least 2");
        let maker = MInvariantMaker { model, surplus: Surplus::HoldBack };
        let made = maker.make(&Ctx::quiet(), &turn).expect("it is feasible");
        let released = made.released(&turn);
        let mut boxes =
            vec![(vec![u32::MAX; quasi.len()], vec![0; quasi.len()]); released.classes.len()];
        for (row, person) in (0..).zip(crowd.rows()) {
            let Some(class) = released.class_of(row) else { continue };
            let signature = released.classes[class as usize].signature();
            let known = self.candidates.entry(person).or_insert_with(|| signature.clone());
            known.retain(|value| signature.contains(value));
            let (lo, hi) = &mut boxes[class as usize];
            for (axis, attribute) in quasi.iter().enumerate() {
                let code = attribute.codes().get(row as usize);
                (lo[axis], hi[axis]) = (lo[axis].min(code), hi[axis].max(code));
            }
        }
        let shown = released.class_of.iter().filter_map(|class| boxes.get(*class as usize));
        let losses: Vec<f64> = shown.map(|(lo, hi)| space.cost(lo, hi)).collect();
        let share = |most: usize| {
            let few = self.candidates.values().filter(|known| known.len() <= most).count();
            few as f64 / self.candidates.len() as f64
        };
        let loss = losses.iter().sum::<f64>() / losses.len() as f64;
        (loss, share(self.m as usize - 1), share(1))
    }
}

//! An adversary who runs the methods of a series again, on every way to give the people their values.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]
#![expect(clippy::disallowed_methods, reason = "a test writes its own tables")]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use kohort::attack::{Answer, Given, Publication, attack, read};
use kohort::plan::Plan;
use kohort::series::{Hardness, KeptHead, Secret, SeriesOrder, publish};
use kohort::{Ctx, Options, Stop, Table, read_table};

/// Somebody: age, zip, value, and the tables that the person is in.
type Person = (u32, u32, u32, Vec<bool>);

/// Numbers that look drawn.
fn numbers(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
    move |n| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((state >> 33) % u64::from(n)).unwrap()
    }
}

/// So many people with so many values, who come and go.
fn people(seed: u64, n: u32, n_values: u32, n_releases: usize) -> Vec<Person> {
    let mut below = numbers(seed);
    let mut all: Vec<Person> = (0..n)
        .map(|at| {
            let there = (0..n_releases).map(|_| below(5) > 0).collect();
            (20 + below(12), below(4), at % n_values, there)
        })
        .collect();
    // Everybody is in the first table or in the last.
    for (at, one) in all.iter_mut().enumerate() {
        one.3[at % n_releases] = true;
    }
    all
}

fn secret() -> Secret {
    Secret::passphrase("a passphrase").unwrap().with_hardness(Hardness::LIGHT)
}

fn plan(folder: &Path, asked: &str) -> Plan {
    let text = format!(
        "input = \"table.csv\"\n[attributes]\nperson = \"identifier\"\ndisease = \"sensitive\"\n\
         age = \"quasi\"\nzip = \"quasi\"\n[series]\nkey = \"person\"\n{asked}\n"
    );
    Plan::parse("plan.toml", &text).unwrap().in_folder(folder)
}

fn table_of(folder: &Path, at: usize) -> PathBuf {
    folder.join(format!("table-{at}.csv"))
}

/// Publishes the tables one after the other; none where there is a no.
fn published(folder: &Path, plan: &Plan, people: &[Person]) -> Option<usize> {
    let n_releases = people[0].3.len();
    for at in 0..n_releases {
        let mut text = String::from("person,age,zip,disease\n");
        for (person, (age, zip, value, there)) in people.iter().enumerate() {
            if there[at] {
                let _ = writeln!(text, "p{person},{age},{zip},d{value}");
            }
        }
        std::fs::write(table_of(folder, at), &text).unwrap();
        std::fs::write(folder.join("table.csv"), &text).unwrap();
        let dataset = kohort::load::load(plan, &|_, _| {}).unwrap().value;
        let order = SeriesOrder {
            plan,
            series: "small",
            ledger: &folder.join("kohort.ledger"),
            secret: &secret(),
            head: &KeptHead::Nowhere,
            target: &|release| folder.join(format!("release-{release}.csv")),
            report: &|_| None,
            force: false,
            inputs: &[],
            now: 1_800_000_000,
        };
        match publish(&order, &dataset, &Ctx::quiet()) {
            Ok(_) => {}
            Err(Stop::No(_)) => return None,
            Err(stop) => panic!("{stop:?}"),
        }
    }
    Some(n_releases)
}

/// What re-execution finds, by the tables of all releases.
fn attacked(folder: &Path, plan: &Plan, n_releases: usize) -> Answer {
    let release = |number: usize| -> Publication {
        let path = folder.join(format!("release-{number}.csv"));
        read(plan, &path, &["disease".to_owned()], true, &|_, _| {}).unwrap().value
    };
    let table = |at: usize| -> Table {
        let path = table_of(folder, at);
        read_table(&path.to_string_lossy(), &Options::default(), &|_, _| {}).unwrap().table
    };
    let given = Given {
        others: (1..n_releases).map(release).collect(),
        earlier: (0..n_releases - 1).map(table).collect(),
        original: Some(table(n_releases - 1)),
        is_series: n_releases > 1,
        key: Some("person".to_owned()),
        only: vec!["re-execution".to_owned()],
        ..Given::new(plan, release(n_releases))
    };
    attack(given, &Ctx::quiet()).unwrap()
}

/// How many of some small series are attacked and refuted, and how many have no release.
fn tried(asked: &str, n_values: u32, n_releases: usize) -> (usize, usize, usize) {
    let (mut n_attacked, mut n_refuted, mut n_none) = (0, 0, 0);
    for seed in 0..6 {
        let home = tempfile::tempdir().unwrap();
        let plan = plan(home.path(), asked);
        let people = people(seed, 7, n_values, n_releases);
        let Some(n_releases) = published(home.path(), &plan, &people) else {
            n_none += 1;
            continue;
        };
        let answer = attacked(home.path(), &plan, n_releases);
        assert!(answer.not_run.is_empty(), "{:?}", answer.not_run);
        let found = &answer.attacks[0].score;
        println!("{asked:?} {seed}: {:?}", found);
        n_attacked += 1;
        n_refuted += usize::from(answer.refuted);
    }
    println!(
        "{asked:?}, {n_releases} releases: {n_attacked} attacked, {n_refuted} refuted, {n_none} none"
    );
    (n_attacked, n_refuted, n_none)
}

#[test]
fn small_series_are_run_again() {
    for n_releases in [1, 2] {
        for (asked, n_values) in [
            ("method = \"m-invariance\"\nm = 2", 2),
            ("method = \"m-invariance\"\nm = 2", 3),
            ("method = \"m-invariance\"\nm = 2\nsurplus = \"counterfeits\"", 3),
            ("method = \"e-equivalence\"\nm = 2\ne = 2\nsurplus = \"counterfeits\"", 3),
            ("method = \"xy-linkability\"\nconfidence = 0.5", 3),
        ] {
            tried(asked, n_values, n_releases);
        }
    }
}

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
            Err(stop) => unreachable!("{stop:?}"),
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

/// How many of six small series are refuted, how many have no release, and what is said of the others.
fn tried(asked: &str, n_values: u32, n_releases: usize) -> (usize, usize, Vec<String>) {
    let (mut n_refuted, mut n_none, mut told) = (0, 0, Vec::new());
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
        assert!(found.notes[0].contains("runs lead to the release"), "{:?}", found.notes);
        told.push(format!("{:.3}, {}", found.max_probability, found.notes[0]));
        n_refuted += usize::from(answer.refuted);
    }
    (n_refuted, n_none, told)
}

#[test]
fn small_series_are_run_again() {
    const M_INVARIANCE: &str = "method = \"m-invariance\"\nm = 2";
    let counterfeits = format!("{M_INVARIANCE}\nsurplus = \"counterfeits\"");
    let e_equivalence = "method = \"e-equivalence\"\nm = 2\ne = 2\nsurplus = \"counterfeits\"";
    let xy_linkability = "method = \"xy-linkability\"\nconfidence = 0.5";
    let mut refuted = Vec::new();
    for (asked, n_values, n_releases) in [
        (M_INVARIANCE, 3, 1),
        (M_INVARIANCE, 2, 2),
        (&counterfeits, 3, 2),
        (e_equivalence, 3, 2),
        (xy_linkability, 3, 1),
    ] {
        let (n_refuted, n_none, told) = tried(asked, n_values, n_releases);
        println!("{asked:?}, {n_releases}: {n_refuted} refuted, {n_none} without\n{told:#?}");
        refuted.push(n_refuted);
    }
    // Classes of near people with the right values were chosen with a look at values, and that tells.
    let mut n_opaque = 0;
    for (asked, n_releases) in [(M_INVARIANCE, 1), (&counterfeits, 2)] {
        let opaque = format!("{asked}\n[method]\ntransparent = false");
        let (n_refuted, _, told) = tried(&opaque, 3, n_releases);
        println!("{opaque:?}: {n_refuted} refuted\n{told:#?}");
        n_opaque += n_refuted;
    }
    assert!(refuted[0] + refuted[2] < n_opaque, "{refuted:?}, {n_opaque}");
}

#[test]
fn a_series_whose_values_change_is_not_run_again() {
    let home = tempfile::tempdir().unwrap();
    let plan = plan(home.path(), "method = \"global-guarantee\"\nl = 2\nhorizon = 2");
    let mut people = people(3, 40, 8, 2);
    for one in &mut people {
        one.3 = vec![true, true];
    }
    assert_eq!(published(home.path(), &plan, &people), Some(2));
    let answer = attacked(home.path(), &plan, 2);
    assert!(answer.attacks.is_empty());
    let needs = answer.not_run[0].needs.to_string();
    assert!(needs.contains("change independently"), "{needs}");
}

//! Every algorithm that keeps its goal against every attack that a promise bounds, on random tables; and
//! the raw table, where they must win.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::fmt::Write as _;
use std::path::Path;

use kohort::attack::{Answer, Given, attack, read};
use kohort::load::{load, load_table};
use kohort::plan::Plan;
use kohort::release::{Order, anonymize};
use kohort::{Ctx, write_atomically};
use kohort_algorithms::ALGORITHMS;
use proptest::prelude::*;

/// A number, a place and two answers of everybody.
type Row = (u8, u8, u8, u8);

const K: u32 = 3;
const L: u32 = 2;

fn plan(algorithm: &str) -> Plan {
    let text = format!(
        "input = 't.csv'\n[attributes]\nname = 'identifier'\nage = 'quasi'\nplace = 'quasi'\n\
         s = 'sensitive'\nt = 'sensitive'\n[goal]\nk-anonymity = {K}\nl-mdiversity = {L}\n\
         suppression = 0.5\n[method]\nalgorithm = '{algorithm}'\nseed = 7\n"
    );
    Plan::parse("plan.toml", &text).unwrap()
}

fn written(rows: &[Row]) -> tempfile::TempDir {
    let mut text = String::from("name,age,place,s,t\n");
    for (number, (age, place, s, t)) in rows.iter().enumerate() {
        let _ = writeln!(text, "n{number},{age},p{place},s{s},t{t}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    write_atomically(&file, &mut |out| out.write_all(text.as_bytes())).unwrap();
    folder
}

/// What attacks find that see `release` and are scored by the original.
fn attacked(plan: &Plan, release: &Path) -> Answer {
    let sensitive = ["s".to_owned(), "t".to_owned()];
    let given = Given {
        plan,
        release: read(plan, release, &sensitive, false, &|_, _| {}).unwrap().value,
        others: Vec::new(),
        public: None,
        earlier: Vec::new(),
        is_series: false,
        original: Some(load_table(plan, &|_, _| {}).unwrap().value),
        key: None,
        knowledge: None,
        presence: Vec::new(),
        correlations: None,
        sampled: None,
        secret: None,
        only: Vec::new(),
    };
    attack(given, &Ctx::quiet()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn no_promise_of_ours_is_refuted(
        rows in prop::collection::vec((0_u8..12, 0_u8..3, 0_u8..5, 0_u8..5), 12..40),
    ) {
        let folder = written(&rows);
        let base = folder.path();
        for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.facts().is_safe) {
            let id = algorithm.spec().id;
            let plan = plan(id).in_folder(base);
            let dataset = load(&plan, &|_, _| {}).unwrap().value;
            let target = base.join(format!("{id}.csv"));
            let order = Order { plan: &plan, target: &target, secret: [7; 32] };
            // A method may be for one sensitive attribute, or find nothing.
            let Ok(_) = anonymize(order, &dataset, &Ctx::quiet()) else { continue };
            let answer = attacked(&plan, &target);
            prop_assert!(!answer.refuted, "{id}: {:?}", answer.attacks);
            let found = |attack: &str| answer.attacks.iter().find(|found| found.id == attack);
            let homogeneity = found("homogeneity").unwrap();
            for score in &homogeneity.per_attribute {
                prop_assert!(score.max_probability <= 1.0 / f64::from(L) + 1e-9, "{id}");
            }
            let worst = found("non-membership").unwrap().score.max_probability;
            prop_assert!(worst <= 1.0 / f64::from(L - 1) + 1e-9, "{id}: {worst}");
            // An anatomized or microaggregated release does not hide whose row is whose by its cells.
            let hides = algorithm.facts().is_truthful && !algorithm.facts().is_anatomized;
            let linked = found("prosecutor").unwrap().score.max_probability;
            prop_assert!(!hides || linked <= 1.0 / f64::from(K) + 1e-9, "{id}: {linked}");
        }
    }
}

#[test]
fn the_raw_table_is_refuted() {
    let rows: Vec<Row> = (0..30).map(|n| (n, n % 3, n % 5, n / 6)).collect();
    let folder = written(&rows);
    let base = folder.path();
    let answer = attacked(&plan("mondrian").in_folder(base), &base.join("t.csv"));
    assert!(answer.refuted);
    for id in ["prosecutor", "homogeneity"] {
        let found = answer.attacks.iter().find(|found| found.id == id).unwrap();
        assert_eq!((found.score.verdict, found.score.above.certain), ("refuted", 30), "{id}");
        assert!((found.score.success - 1.0).abs() < 1e-9);
    }
}

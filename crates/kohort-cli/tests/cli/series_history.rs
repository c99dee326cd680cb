//! Publishing against a history: what all releases say together, and promises that earlier ones break.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use crate::harness::Folder;

const KEY: &str = "--key-file ledger.key";

fn plan(quasi: &[&str], left_out: &[&str]) -> String {
    let mut text =
        String::from("[attributes]\npatient = \"identifier\"\ndisease = \"sensitive\"\n");
    for name in quasi {
        let _ = writeln!(text, "{name} = {{ role = \"quasi\", type = \"integer\" }}");
    }
    for name in left_out {
        let _ = writeln!(text, "{name} = \"identifier\"");
    }
    text + "[series]\nname = \"stays\"\nkey = \"patient\"\n[output]\nrelease = \"release-{release}.csv\"\n"
}

fn folder() -> Folder {
    Folder::new().and("ledger.key", "0123456789abcdef0123456789abcdef")
}

/// A table of people: an age, a zip and a disease of each.
fn table(people: impl IntoIterator<Item = (usize, usize, &'static str)>) -> String {
    let mut text = String::from("patient,age,zip,disease\n");
    for (number, (age, zip, disease)) in people.into_iter().enumerate() {
        let _ = writeln!(text, "p{number:03},{age},{zip},{disease}");
    }
    text
}

/// The diseases beside the number, in a release of one column of numbers.
fn beside(release: &str, number: usize) -> Vec<&str> {
    let mut found = Vec::new();
    for line in release.lines().skip(1) {
        let mut fields = line.rsplitn(3, ',').skip(1);
        let mut field = || fields.next().expect("a release has three columns");
        let (disease, cell) = (field(), field());
        let cell = cell.trim_matches(['"', '[', ']']);
        let (lo, hi) = cell.split_once(", ").unwrap_or((cell, cell));
        let edge = |text: &str| text.parse().expect("edges are numbers");
        if (edge(lo)..=edge(hi)).contains(&number) {
            found.push(disease);
        }
    }
    found
}

fn notes(answer: &Value) -> String {
    let notes = answer["notes"].as_array().expect("a list").iter();
    notes.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

const DISEASES: [&str; 5] = ["flu", "gastritis", "asthma", "angina", "migraine"];

#[test]
fn who_knows_age_and_zip_finds_k_diseases_in_both_releases_together() {
    let people: Vec<_> =
        (0..60).map(|n| (20 + n * 7 % 60, 10_000 + n * 37 % 900, DISEASES[n % 5])).collect();
    for (method, least) in [("xy-anonymity --k 3", 3), ("xy-linkability --confidence 0.6", 2)] {
        let folder = folder()
            .and("table.csv", table(people.clone()))
            .and("ages.toml", plan(&["age"], &["zip"]))
            .and("zips.toml", plan(&["zip"], &["age"]));
        let ask = |plan: &str| format!("publish {plan} --input table.csv {KEY} --method {method}");
        folder.json(&ask("ages.toml"));
        let second = folder.json(&ask("zips.toml"));
        assert_eq!(second["release"], 2, "{second}");
        assert!(second["classes"].as_u64().unwrap() > 1, "{second}");
        let [ages, zips] = [1, 2].map(|n| folder.text(&format!("release-{n}.csv")).unwrap());
        for &(age, zip, _) in &people {
            let (by_age, by_zip) = (beside(&ages, age), beside(&zips, zip));
            let counts = DISEASES.map(|disease| {
                let n = |found: &[&str]| found.iter().filter(|other| **other == disease).count();
                n(&by_age).min(n(&by_zip))
            });
            let n_left = counts.iter().filter(|n| **n > 0).count();
            assert!(n_left >= least, "{method}: {age} {zip} {counts:?}");
            if method.starts_with("xy-l") {
                let all: usize = counts.iter().sum();
                assert!(counts.iter().all(|n| n * 10 <= all * 6), "{age} {zip} {counts:?}");
            }
        }
    }
}

#[test]
fn a_method_whose_promise_an_earlier_release_breaks_is_refused_unless_it_is_named() {
    let all = (0..13).map(|n| (20 + n, n, if n < 10 { "flu" } else { "hiv" }));
    let people = table(all);
    let (without_last, _) = people.trim_end().rsplit_once('\n').unwrap();
    let folder = folder()
        .and("plan.toml", plan(&["age"], &["zip"]))
        .and("1.csv", people.as_str())
        .and("2.csv", format!("{without_last}\n"));
    let first = folder
        .json(&format!("publish plan.toml --input 1.csv {KEY} --method bcf-anonymity --k 13"));
    assert_eq!(first["classes"], 1);
    let ask = format!("publish plan.toml --input 2.csv {KEY} --m 2 --surplus counterfeits");
    let text = folder.says_no(&ask, &[]);
    assert!(text.contains("release 1 does not keep the promise of `m-invariance`"), "{text}");
    assert!(text.contains("hint: ") && text.contains("--method m-invariance"), "{text}");
    let shown = folder.json(&format!("series show stays {KEY}"));
    assert_eq!(shown.as_array().unwrap().len(), 1, "nothing was recorded");
    let mut before = first["max_posterior"].as_f64().unwrap();
    for more in ["--method m-invariance", ""] {
        let answer = folder.json(&format!("{ask} {more}"));
        assert_eq!(answer["goal"][0]["holds"], false, "{answer}");
        assert!(notes(&answer).contains("release 1 does not keep"), "{answer}");
        let belief = answer["max_posterior"].as_f64().unwrap();
        assert!(belief >= before && belief > 0.76, "{answer}");
        before = belief;
    }
}

#[test]
fn more_is_not_promised_of_a_series_than_its_first_release_kept() {
    let people = (0..40).map(|n| (20 + n, n, DISEASES[n % 5]));
    let folder = folder().and("plan.toml", plan(&["age"], &["zip"])).and("1.csv", table(people));
    let ask = |m: u32| format!("publish plan.toml --input 1.csv {KEY} --m {m}");
    assert_eq!(folder.json(&ask(2))["goal"][0]["holds"], true);
    let text = folder.says_no(&ask(5), &[]);
    assert!(text.contains("release 1 does not keep the promise of `m-invariance`"), "{text}");
    assert_eq!(folder.json(&ask(2))["goal"][0]["holds"], true);
}

#[test]
fn a_series_of_correlated_values_asks_for_the_correlations() {
    let people: Vec<_> = (0..60).map(|n| (20 + n * 7 % 60, n, DISEASES[n % 5])).collect();
    let folder = folder()
        .and("plan.toml", plan(&["age"], &["zip"]))
        .and("1.csv", table(people))
        .and("follows.csv", "from,to,probability\nflu,flu,0.5\nasthma,asthma,0.6\n");
    let ask = format!("publish plan.toml --input 1.csv {KEY} --rho 0.5 --m 2");
    for release in 1..=2 {
        let answer = folder.json(&format!("{ask} --correlations follows.csv"));
        assert_eq!(
            (&answer["method"], &answer["release"]),
            (&"rho-different".into(), &release.into())
        );
    }
    let text = folder.refused(&ask);
    assert!(
        text.contains("`rho-different`") && text.contains("no correlations are given"),
        "{text}"
    );
    assert!(text.contains("--correlations"), "{text}");
    assert_eq!(folder.refused(&format!("{ask} --method rho-different")), text);
    let third = folder.json(&format!("{ask} --correlations follows.csv"));
    assert_eq!(third["release"], 3);
}

#[test]
fn what_two_releases_say_together_is_in_the_highest_belief() {
    let first = [(20, 0, "hiv"), (21, 0, "hiv"), (60, 0, "flu")];
    let more = [(20, 0, "cold"), (21, 0, "cold"), (60, 0, "hiv"), (61, 0, "gout")];
    let folder = folder()
        .and("plan.toml", plan(&["age"], &["zip"]))
        .and("1.csv", table(first))
        .and("2.csv", table(first.into_iter().chain(more)));
    let ask = |release: u32| {
        let table = format!("{release}.csv");
        folder
            .json(&format!("publish plan.toml --input {table} {KEY} --method bcf-anonymity --k 2"))
    };
    assert_eq!((&ask(1)["classes"], &ask(2)["classes"]), (&1.into(), &2.into()));
    let shown = folder.json(&format!("series show stays {KEY}"));
    let beliefs: Vec<f64> =
        shown.as_array().unwrap().iter().map(|it| it["max_posterior"].as_f64().unwrap()).collect();
    assert!((beliefs[0] - 2.0 / 3.0).abs() < 1e-9, "{beliefs:?}");
    assert!((beliefs[1] - 1.0).abs() < 1e-9, "{beliefs:?}");
    let ages: BTreeSet<&str> = BTreeSet::from(["cold", "hiv"]);
    let second = folder.text("release-2.csv").unwrap();
    assert_eq!(beside(&second, 20).into_iter().collect::<BTreeSet<_>>(), ages);
}

//! `kohort attack` on records inside records: it must win on raw records and on what flattens them, and stay
//! within the promises of verified releases.

use serde_json::Value;

use crate::harness::Folder;

/// Forty students with courses and books, and a plan that promises l = 2.
fn students() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data students --rows 40 -o students.json").code, 0);
    folder
}

const ORIGINAL: &str = "--plan plan.toml --original students.json";

/// Every score of an attack, the weakest first.
fn scores<'a>(attacks: &'a Value, id: &str) -> &'a Vec<Value> {
    let of = |attack: &&Value| attack["id"] == id;
    let attack = attacks.as_array().and_then(|all| all.iter().find(of)).expect("it ran");
    attack["per_attribute"].as_array().expect("there are several")
}

fn score<'a>(attacks: &'a Value, attribute: &Value, way: &str) -> &'a Value {
    let is = |score: &&Value| score["attribute"] == *attribute && score["way"] == way;
    scores(attacks, "structural").iter().find(is).expect("it was tried")
}

fn number(score: &Value, name: &str) -> f64 {
    score[name].as_f64().expect("a score has this number")
}

#[test]
fn raw_records_give_everybody_away() {
    let folder = students();
    let output = folder.run(&format!("attack students.json {ORIGINAL} --format json"));
    assert_eq!(output.code, 1, "a promise is refuted");
    let answer = output.json();
    assert_eq!(answer["refuted"], true);
    let whole = score(&answer["attacks"], &Value::Null, "by the whole tree");
    assert!((number(whole, "success") - 1.0).abs() < 1e-9, "{whole}");
    assert_eq!((&whole["verdict"], &whole["above"]["1.0"]), (&"refuted".into(), &40.into()));
    assert!((number(whole, "baseline") - 1.0 / 40.0).abs() < 1e-9);
    // Two courses that somebody took are enough.
    let two = score(&answer["attacks"], &"gpa".into(), "by 2 labels");
    assert!(number(two, "success") > 0.9, "{two}");
}

#[test]
fn flattening_gives_people_away() {
    let folder = students();
    for algorithm in ["each-table-alone", "universal-relation"] {
        let made = format!(
            "anonymize plan.toml --transparent no --algorithm {algorithm} --allow-unsafe --force"
        );
        assert_eq!(folder.run(&made).code, 0);
        let answer = folder.json(&format!("attack release.json {ORIGINAL}"));
        assert_eq!(answer["refuted"], true, "{algorithm}");
        let whole = score(&answer["attacks"], &Value::Null, "by the whole tree");
        assert!(number(whole, "success") > 0.9, "{algorithm}: {whole}");
        // The number of courses and books is published as it is.
        let counts = score(&answer["attacks"], &Value::Null, "by child counts");
        assert_eq!(counts["verdict"], "refuted", "{algorithm}: {counts}");
    }
}

#[test]
fn verified_releases_bound_every_knowledge() {
    let folder = students();
    for algorithm in ["ctoff", "dmiracle", "tree-anatomy", "vertex-anatomy"] {
        let made = format!(
            "anonymize plan.toml --transparent no --algorithm {algorithm} -o {algorithm}.json"
        );
        assert_eq!(folder.run(&made).code, 0, "{algorithm}");
        let output = folder.run(&format!("attack {algorithm}.json {ORIGINAL} --format json"));
        assert_eq!(output.code, 0, "{algorithm}\n{output}");
        let answer = output.json();
        let found = scores(&answer["attacks"], "structural");
        // Five kinds of knowledge: links, and three sensitive attributes where something is said of them.
        assert!(found.len() >= 15, "{algorithm}: {}", found.len());
        for score in found {
            assert!(number(score, "max_probability") <= 0.5 + 1e-9, "{algorithm}: {score}");
            assert!((number(score, "bound") - 0.5).abs() < 1e-9);
            let [low, high] = [0, 1].map(|at| score["interval"][at].as_f64().unwrap_or(-1.0));
            let success = number(score, "success");
            assert!(low <= success && success <= high, "{score}");
            let gain = number(score, "advantage") - (success - number(score, "baseline"));
            assert!(gain.abs() < 1e-9);
        }
        let raw = score(&answer["raw"], &Value::Null, "by the whole tree");
        assert!((number(raw, "success") - 1.0).abs() < 1e-9, "{raw}");
        assert_eq!(raw["bound"], Value::Null, "nothing is promised of raw records");
    }
}

#[test]
fn rules_bound_values_that_occur_often() {
    let folder = students();
    let rule =
        r#"{ value = "A", at-least = 2, probability = "1/2", attribute = "courses[].grade" }"#;
    let made = folder.run_with(
        "anonymize plan.toml --transparent no --algorithm vertex-anatomy --rules",
        &[rule],
    );
    assert_eq!(made.code, 0, "{made}");
    let words =
        format!("attack release.json {ORIGINAL} --only multi-occurrence --format json --rules");
    let answer = folder.run_with(&words, &[rule]).json();
    let attacks = answer["attacks"].as_array().expect("a list");
    assert_eq!(attacks.len(), 1);
    assert_eq!(
        (&attacks[0]["way"], &attacks[0]["verdict"]),
        (&"by rule 1".into(), &"not refuted".into())
    );
    assert_eq!(attacks[0]["attribute"], "courses[].grade");
    assert!(number(&attacks[0], "max_probability") <= 0.5 + 1e-9);
    // Classes of whole trees keep no rule: who has the value twice is seen.
    assert_eq!(folder.run("anonymize plan.toml --transparent no -o classes.json").code, 0);
    let words =
        format!("attack classes.json {ORIGINAL} --only multi-occurrence --format json --rules");
    let output = folder.run_with(&words, &[rule]);
    assert_eq!(output.code, 1, "{output}");
    assert_eq!(output.json()["attacks"][0]["verdict"], "refuted");
    // Without a rule: the most frequent value of each sensitive attribute, of which nothing is promised.
    let answer = folder.json(&format!("attack classes.json {ORIGINAL}"));
    let often = scores(&answer["attacks"], "multi-occurrence");
    assert_eq!(often.len(), 3);
    assert!(often.iter().all(|score| score["way"] == "twice or more" && score["bound"].is_null()));
}

#[test]
fn a_missing_value_is_no_value_that_occurs_often() {
    let visits =
        |value: &str| format!("[{{\"dx\": null}}, {{\"dx\": null}}, {{\"dx\": \"{value}\"}}]");
    let person =
        |age: u32, value: &str| format!("{{\"age\": {age}, \"visits\": {}}}", visits(value));
    let records = format!("[{}, {}]", person(20, "a"), person(21, "b"));
    let plan = "input = \"o.json\"\n[attributes]\nage = \"quasi\"\n\"visits[].dx\" = \"sensitive\"\n\
                [goal]\nk-anonymity = 2\n";
    let folder = Folder::with(&[("o.json", &records), ("p.toml", plan)]);
    assert_eq!(folder.run("anonymize p.toml --transparent no -o r.json").code, 0);
    let words = "attack r.json --plan p.toml --original o.json --only multi-occurrence";
    // Everybody has a missing value twice, and nobody a value.
    let answer = folder.json(words);
    assert!(number(&answer["raw"][0], "max_probability").abs() < 1e-9, "{answer}");
}

#[test]
fn without_the_original_whoever_is_in_the_release_is_looked_for() {
    let folder = students();
    assert_eq!(folder.run("anonymize plan.toml --transparent no").code, 0);
    let answer = folder.json("attack release.json --plan plan.toml");
    assert_eq!((&answer["targets"], &answer["rows"]), (&"rows".into(), &40.into()));
    let found = &answer["attacks"][0];
    assert_eq!((&found["id"], &found["known"]), (&"structural".into(), &"expected".into()));
    assert!((number(found, "max_probability") - 0.5).abs() < 1e-9);
    assert_eq!(answer["not_run"][0]["id"], "multi-occurrence");
    assert!(answer.get("raw").is_none());
}

#[test]
fn related_tables_are_attacked_as_the_records_they_are() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data patients --rows 40 -o patients.csv").code, 0);
    assert_eq!(folder.run("anonymize plan.toml --transparent no").code, 0);
    let words = "attack release.csv --plan plan.toml --original patients.csv --report attack.html";
    let output = folder.run(words);
    assert_eq!(output.code, 0, "{output}");
    assert!(output.stdout.contains("structural by the whole tree"), "{output}");
    let page = folder.text("attack.html").expect("it was written");
    assert!(page.contains("structural") && page.contains("multi-occurrence"));
}

#[test]
fn what_is_known_about_tables_only_is_refused() {
    let folder = students();
    assert_eq!(folder.run("anonymize plan.toml --transparent no").code, 0);
    for (words, told) in [
        ("attack release.json", "the roles of paths are not known"),
        ("attack release.json --plan plan.toml --sampled 10%", "`sampled` is for tables"),
        ("attack release.json --plan plan.toml --only prosecutor", "`prosecutor` is for tables"),
        ("attack release.json --plan plan.toml --only structura", "did you mean `structural`?"),
    ] {
        let said = folder.refused(words);
        assert!(said.contains(told), "{told}\n{said}");
    }
}

#[test]
fn nested_attacks_and_metrics_are_listed_as_such() {
    let folder = Folder::new();
    for (what, ids) in [
        ("attacks", &["structural", "multi-occurrence"][..]),
        ("metrics", &["suppression-accuracy", "query-accuracy"][..]),
    ] {
        let listed = folder.json(&format!("list {what}"));
        for id in ids {
            let is = |item: &&Value| item["id"] == *id;
            let item = listed.as_array().and_then(|all| all.iter().find(is)).expect("it is listed");
            let facts = item["facts"].as_str().unwrap_or_default();
            assert!(facts.contains("for nested records"), "{item}");
        }
    }
}

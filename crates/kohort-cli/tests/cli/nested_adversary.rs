//! An adversary who knows the method, and releases of records inside records.

use serde_json::{Value, json};

use crate::harness::Folder;

const PLAN: &str = "input = \"people.json\"\n[attributes]\nage = \"quasi\"\n\"visits[].day\" = \"quasi\"\n\
                    \"visits[].ill\" = \"sensitive\"\n[goal]\nfrequency-l-diversity = 2\n";

/// Some people with this many visits each; there is as much of each of three illnesses, up to one.
fn drawn(seed: u64, n_visits: &[usize]) -> Folder {
    let mut state = seed;
    let mut below = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % n
    };
    let mut ills: Vec<usize> = (0..n_visits.iter().sum()).map(|visit| visit % 3).collect();
    for last in (1..ills.len()).rev() {
        ills.swap(last, below(last + 1));
    }
    let person = |&n: &usize| {
        let visit = |ill: usize| json!({ "day": 10 + below(80), "ill": format!("d{ill}") });
        let visits: Vec<Value> = ills.drain(..n).map(visit).collect();
        visits
    };
    let visits: Vec<Vec<Value>> = n_visits.iter().map(person).collect();
    let with_age = |visits: Vec<Value>| json!({ "age": 20 + below(60), "visits": visits });
    let people: Vec<Value> = visits.into_iter().map(with_age).collect();
    Folder::with(&[("people.json", &Value::from(people).to_string()), ("plan.toml", PLAN)])
}

/// What the attack says about a release of `people.json`; none where there is no release.
fn attacked(folder: &Folder, flags: &str) -> Option<Value> {
    let ask = format!("anonymize plan.toml {flags} -o r.json --force");
    if folder.run(&ask).code != 0 {
        return None;
    }
    folder.put("p.toml", folder.run(&format!("{ask} --print-plan")).stdout);
    let only = "--original people.json --only re-execution";
    Some(folder.json(&format!("attack r.json --plan p.toml {only}")))
}

// Six people with one visit each: every assignment of the illnesses is tried. The methods as they are without the mode
// break their promise in some of these, often with certainty; the transparent mode in none.
#[test]
fn running_the_method_again_refutes_opaque_releases_and_no_transparent_one() {
    let methods = ["auto", "ctoff", "tree-anatomy", "vertex-anatomy"];
    let (mut refuted, mut certain, mut n_transparent) = ([0; 4], [0; 4], 0);
    for seed in 0..8 {
        let folder = drawn(seed, &[1; 6]);
        for (at, method) in methods.iter().enumerate() {
            let flags = format!("--algorithm {method} --transparent no");
            let Some(found) = attacked(&folder, &flags) else { continue };
            let found = &found["attacks"][0];
            refuted[at] += usize::from(found["verdict"] == "refuted");
            certain[at] += usize::from(found["max_probability"] == 1.0);
        }
    }
    let folder = drawn(0, &[1; 6]);
    for flags in ["", "--algorithm vertex-anatomy"] {
        let found = attacked(&folder, flags).expect("a release");
        assert_eq!(found["refuted"], false, "{flags}: {found}");
        n_transparent += found["attacks"].as_array().map_or(0, Vec::len);
    }
    let is_found = refuted.iter().all(|&n| n >= 2) && certain[0] >= 2 && n_transparent > 0;
    assert!(is_found, "refuted {refuted:?}, certain {certain:?}, transparent {n_transparent}");
}

#[test]
fn what_cannot_be_run_again_says_what_is_needed() {
    let folder = drawn(1, &[2; 30]);
    let answer = attacked(&folder, "--transparent no").expect("a release");
    let needs = answer["not_run"][0]["needs"].to_string();
    assert!(needs.contains("at most 5,000 ways to give the values to them"), "{answer}");
}

#[test]
fn a_receipt_and_a_page_say_against_whom_promises_hold() {
    let folder = drawn(2, &[2; 40]);
    let opaque = "an adversary who finds a person&#39;s class, not against one who also runs the method again";
    let transparent =
        "an adversary who knows the program, the plan and everybody&#39;s quasi-identifiers";
    let rule = "[[rules]]\nvalue = \"d1\"\nat-least = 2\nprobability = \"1/2\"\n";
    folder.put("rules.toml", format!("{PLAN}{rule}"));
    for (flags, is_transparent, note) in [
        ("plan.toml", true, ""),
        ("plan.toml --algorithm vertex-anatomy", true, ""),
        ("plan.toml --suppression 0.1", true, "the transparent mode leaves nobody out"),
        ("plan.toml --algorithm tree-anatomy --partitions 2", true, "`partitions` is not used"),
        ("plan.toml --algorithm ctoff --suppression 0.2", false, "`ctoff` has no transparent mode"),
        (
            "rules.toml",
            false,
            "with rules about how often a value occurs there is no transparent mode",
        ),
        ("plan.toml --transparent no", false, ""),
        ("plan.toml --algorithm ctoff --suppression 0.2 --transparent no", false, ""),
    ] {
        let is_apart = flags.contains("anatomy") || flags.contains("rules");
        let name = if is_apart { "a.json" } else { "r.json" };
        let ask = format!("anonymize {flags} -o {name} --report r.html --force");
        let ran = folder.run(&format!("{ask} --format json"));
        assert_eq!(ran.code, 0, "{flags}: {ran}");
        let receipt = ran.json();
        assert_eq!(receipt["transparent"], is_transparent, "{flags}");
        let notes = receipt["notes"].to_string();
        assert!(notes.contains(note), "{flags}: {notes}");
        assert_eq!(note.is_empty(), !notes.contains("transparent mode"), "{flags}: {notes}");
        let against = if is_transparent { transparent } else { opaque };
        let told = format!("promises about sensitive values hold against {against}");
        let page = folder.text("r.html").expect("a page was written").to_lowercase();
        assert!(page.contains(&told.to_lowercase()), "{flags}");
        let text = folder.run(&ask).stdout;
        assert!(text.contains(&told.replace("&#39;", "'")), "{flags}: {text}");
    }
    for (flags, told) in [
        ("plan.toml --algorithm ctoff", "`ctoff` has no transparent mode"),
        ("rules.toml", "the transparent mode keeps no rule"),
    ] {
        let said = folder.refused(&format!("anonymize {flags} --transparent yes -o s.json"));
        assert!(said.contains(told), "{said}");
    }
    let compared = folder.json("compare plan.toml --algorithms auto,ctoff --l 2");
    let modes = [0, 1].map(|at: usize| &compared["cells"][at]["release"]["transparent"]);
    assert_eq!(modes, [&json!(true), &json!(false)]);
}

// One secret, one release; and where there is none, the answer names the mode.
#[test]
fn a_transparent_release_is_drawn_from_a_secret() {
    let folder = drawn(3, &[2; 40]);
    folder.secret("a.key", 1);
    let made = |flags: &str| {
        let ran = folder.run(&format!("anonymize plan.toml -o r.json --force {flags}"));
        assert_eq!(ran.code, 0, "{ran}");
        folder.text("r.json")
    };
    let first = made("--secret-file a.key");
    assert_eq!(first, made("--secret-file a.key"));
    assert!((0..8).any(|_| made("") != first));
    // Four of seven people have one illness, as far as one visit of each is shown.
    let ills = ["d0", "d0", "d0", "d0", "d1", "d2"];
    let one =
        |(at, ill): (usize, &str)| json!({ "age": 20 + at, "visits": [{ "day": at, "ill": ill }] });
    let mut people: Vec<Value> = ills.into_iter().enumerate().map(one).collect();
    let many: Vec<Value> = (3..8).map(|at| json!({ "day": at, "ill": format!("d{at}") })).collect();
    people.push(json!({ "age": 50, "visits": many }));
    folder.put("people.json", Value::from(people).to_string());
    let said = folder.says_no("anonymize plan.toml -o s.json", &[]);
    assert!(said.contains("with `--transparent no` there may be one"), "{said}");
    // What is unsafe is made where that is allowed, and then it is opaque.
    let made = folder.json("anonymize plan.toml --allow-unsafe --suppression 0.9 -o s.json");
    assert_eq!(made["transparent"], false, "{made}");
}

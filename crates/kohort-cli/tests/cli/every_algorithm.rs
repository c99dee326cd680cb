//! What holds for every algorithm in the box.

use serde_json::Value;

use crate::harness::Folder;

/// These show quasi-identifiers as they are: no k can be asked of them.
const ANATOMIZED: [&str; 4] = ["anatomy", "mmdcf", "mbf", "msdcf"];

/// The plan, the same plan without k, and the same people in another order in both.
fn folder() -> Folder {
    let folder = Folder::hospital();
    let plan = folder.text("plan.toml").unwrap_or_default();
    let table = folder.text("h.csv").unwrap_or_default();
    let (header, rows) = table.split_once('\n').unwrap_or_default();
    let rows: Vec<&str> = rows.lines().collect();
    let mixed: Vec<&str> = (0..rows.len()).map(|row| rows[row * 37 % rows.len()]).collect();
    assert_ne!(mixed, rows);
    folder.put("mixed.csv", format!("{header}\n{}\n", mixed.join("\n")));
    folder.put("mixed.toml", plan.replace("\"h.csv\"", "\"mixed.csv\""));
    for name in ["plan", "mixed"] {
        let plan = folder.text(&format!("{name}.toml")).unwrap_or_default();
        let without = plan.replace("\nk-anonymity = 5\n", "\n");
        assert_ne!(without, plan);
        folder.put(&format!("{name}-without-k.toml"), without);
    }
    folder
}

/// What is asked of an algorithm.
fn ask(plan: &str, id: &str) -> String {
    let asked = if ANATOMIZED.contains(&id) {
        format!("{plan}-without-k.toml")
    } else {
        format!("{plan}.toml --k 4")
    };
    format!("anonymize {asked} --frequency-l 2 --quiet --algorithm {id}")
}

/// The algorithms for tables, and what is said about each.
fn algorithms(folder: &Folder) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let listed = folder.json("list algorithms");
    let all: Vec<(String, String)> = (listed.as_array().into_iter().flatten())
        .map(|item| (text(&item["id"]), text(&item["facts"])))
        .filter(|(_, facts)| !facts.contains("for nested records"))
        .collect();
    assert!(all.len() >= 18, "{all:?}");
    all
}

#[test]
fn one_for_records_inside_records_is_refused_for_a_table() {
    let said = Folder::hospital().refused("anonymize plan.toml --algorithm clustree -o r.csv");
    assert!(said.contains("`clustree` is for nested records"), "{said}");
}

#[test]
fn makes_what_verifies_or_refuses_to() {
    let folder = folder();
    for (id, facts) in algorithms(&folder) {
        let ask = ask("plan", &id);
        if facts.contains("unsafe") {
            let said = folder.refused(&format!("{ask} -o {id}.csv"));
            assert!(said.contains("does not keep the goal for everybody"), "{id}\n{said}");
            continue;
        }
        let answer = folder.json(&format!("{ask} -o {id}.csv"));
        assert_eq!(answer["verified"], true, "{id}");
        assert_eq!(answer["truthful"], !facts.contains("not truthful"), "{id}");
        assert!(answer["suppressed"].as_u64() <= Some(1), "{id}: 2 % of 80 rows is one");
        let name = format!("{id}.toml");
        folder.put(&name, folder.run(&format!("{ask} --print-plan")).stdout);
        let verdict = folder.json(&format!("verify {id}.csv --plan {name} --original h.csv"));
        assert_eq!(verdict["verified"], true, "{id}\n{verdict}");
        assert_eq!(verdict["k"], answer["k"], "{id}");
        assert_eq!(verdict["original"]["truthful"], answer["truthful"], "{id}");
        if answer["truthful"] == true {
            for metric in ["ncp", "lm", "dm", "c_avg"] {
                let found = &verdict["original"]["metrics"][metric];
                assert_eq!(found, &answer["metrics"][metric], "{id} {metric}");
            }
        }
    }
}

#[test]
fn gives_the_same_bytes_whatever_the_threads_and_the_order_of_rows() {
    let folder = folder();
    folder.secret("3.key", 3);
    folder.secret("4.key", 4);
    for (id, facts) in algorithms(&folder) {
        if facts.contains("unsafe") {
            continue;
        }
        let made = |plan: &str, flags: &str| {
            let ask = format!("{} {flags} -o r.csv", ask(plan, &id));
            assert_eq!(folder.run(&ask).code, 0, "{ask}");
            let values = folder.text("r.sensitive.csv").unwrap_or_default();
            folder.text("r.csv").unwrap_or_default() + &values
        };
        let expected = made("plan", "--secret-file 3.key --seed 3");
        assert_eq!(
            made("plan", "--secret-file 3.key --seed 3 --threads 1"),
            expected,
            "{id}: one thread"
        );
        assert_eq!(
            made("plan", "--secret-file 3.key --seed 3 --threads 2"),
            expected,
            "{id}: two threads"
        );
        assert_eq!(made("mixed", "--secret-file 3.key --seed 3"), expected, "{id}: mixed rows");
        assert_ne!(
            made("plan", "--secret-file 4.key --seed 4"),
            expected,
            "{id}: the seed or the secret is used"
        );
    }
}

//! Records inside records: the same commands as for tables, on Özalp 2017's two students and on made-up
//! patients.

use serde_json::Value;

use crate::harness::Folder;

/// Özalp et al., Figure 1.3: two students and their courses.
const STUDENTS: &str = r#"[
{"id": "S1", "major": "Computer Science", "birth_year": 1992, "gpa": 3.25, "courses": [{"course": "CS201", "grade": "A"}, {"course": "CS202", "grade": "A-"}]},
{"id": "S2", "major": "Computer Science", "birth_year": 1993, "gpa": 2.67, "courses": [{"course": "CS401", "grade": "B"}, {"course": "CS404", "grade": "B+"}]}
]
"#;

const COURSES: &str = "CS201;CS2**;CS\nCS202;CS2**;CS\nCS401;CS4**;CS\nCS404;CS4**;CS\n";

const PLAN: &str = r#"input = "students.json"

[attributes]
id = "identifier"
major = "quasi"
birth_year = { role = "quasi", taxonomy = { widths = [10] } }
gpa = "sensitive"
"courses[].course" = { role = "quasi", taxonomy = "courses.csv" }
"courses[].grade" = "sensitive"

[goal]
frequency-l-diversity = 2

[output]
release = "release.json"
"#;

fn students() -> Folder {
    Folder::with(&[("students.json", STUDENTS), ("courses.csv", COURSES), ("plan.toml", PLAN)])
}

fn read(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.text(name).expect("it was written")).expect("it is JSON")
}

/// A plan with another line in the place of one.
fn with(folder: &Folder, line: &str, other: &str) {
    assert!(PLAN.contains(line), "{line}");
    folder.put("plan.toml", PLAN.replacen(line, other, 1));
}

#[test]
fn the_two_students_of_the_thesis_are_one_class() {
    let folder = students();
    let receipt = folder.json("anonymize plan.toml --transparent no");
    let counts = ["records_in", "records_out", "vertices_in", "vertices_out", "classes", "k", "l"];
    assert_eq!(counts.map(|name| receipt[name].as_u64()), [2, 2, 6, 6, 1, 2, 2].map(Some));
    assert_eq!(receipt["verified"], true);
    assert_eq!(receipt["algorithm"], "auto");
    // Two of three leaves of CS for each course, and one of two years: 1 each.
    assert_eq!(receipt["metrics"]["suppression_accuracy"], 100.0);
    assert!(receipt["metrics"]["lm"].is_number() && receipt["metrics"]["kl"].is_number());
    assert!(receipt["seconds"]["anonymize"].is_number());
    let release = read(&folder, "release.json");
    for student in release.as_array().expect("a list") {
        assert_eq!(student["major"], "Computer Science");
        assert_eq!(student["birth_year"], "[1990, 1999]");
        assert!(student.get("id").is_none());
        for course in student["courses"].as_array().expect("a list") {
            assert_eq!(course["course"], "CS");
        }
    }
    let text = release.to_string();
    for value in ["3.25", "2.67", "\"A\"", "\"A-\"", "\"B\"", "\"B+\""] {
        assert!(text.contains(value), "{value}");
    }
    let verdict = folder.json("verify release.json --plan plan.toml --original students.json");
    assert_eq!(
        (&verdict["verified"], &verdict["original"]["truthful"]),
        (&Value::from(true), &Value::from(true))
    );
}

#[test]
fn anatomy_keeps_labels_and_sets_values_apart() {
    let folder = students();
    for (algorithm, member) in [("tree-anatomy", "group"), ("vertex-anatomy", "gpa_group")] {
        let receipt = folder.json(&format!(
            "anonymize plan.toml --transparent no --algorithm {algorithm} -o a.json --force"
        ));
        assert_eq!(receipt["form"], algorithm);
        assert_eq!(receipt["files"], serde_json::json!(["a.json", "a.sensitive.json"]));
        let trees = folder.text("a.json").expect("it was written");
        assert!(trees.contains("CS201") && trees.contains("1992") && !trees.contains("3.25"));
        assert!(read(&folder, "a.json")[0].get(member).is_some());
        let values = folder.text("a.sensitive.json").expect("it was written");
        assert!(values.contains("3.25") && !values.contains("CS201"));
        assert_eq!(folder.run("verify a.json --plan plan.toml --original students.json").code, 0);
        // A value that is everybody's.
        folder.put("a.sensitive.json", values.replace("2.67", "3.25"));
        let output = folder.run("verify a.json --plan plan.toml");
        assert_eq!(output.code, 1, "{output}");
        assert!(output.stdout.contains("FAILS"), "{output}");
    }
}

#[test]
fn a_release_that_shows_more_than_it_may_is_rejected() {
    let folder = students();
    assert_eq!(folder.run("anonymize plan.toml --transparent no").code, 0);
    let release = folder.text("release.json").expect("it was written");
    for (changed, told) in [
        (release.replacen("\"CS\"", "\"CS2**\"", 1), "`frequency-l-diversity`"),
        (release.replacen("2.67", "3.25", 1), "`frequency-l-diversity` of `gpa`"),
        (release.replacen("{\"major\"", "{\"id\":\"S1\",\"major\"", 1), "the identifier `id`"),
        (release.replacen("{\"major\"", "{\"note\":1,\"major\"", 1), "`note` has no role"),
    ] {
        assert_ne!(changed, release);
        folder.put("changed.json", changed);
        let output = folder.run("verify changed.json --plan plan.toml");
        assert_eq!(output.code, 1, "{output}");
        assert!(output.stdout.contains(told), "{told}\n{output}");
    }
    // Truthful is what covers the original.
    folder.put("changed.json", release.replace("[1990, 1999]", "[2000, 2009]"));
    let output = folder.run("verify changed.json --plan plan.toml --original students.json");
    assert_eq!(output.code, 1, "{output}");
}

#[test]
fn rules_are_kept_and_say_what_they_reach() {
    let folder = students();
    let rule =
        r#"{ value = "A", at-least = 1, probability = "1/2", attribute = "courses[].grade" }"#;
    let answer =
        folder.run_with("anonymize plan.toml --transparent no --format json --rules", &[rule]);
    assert_eq!(answer.code, 0, "{answer}");
    assert_eq!(answer.json()["algorithm"], "auto");
    let form = answer.json()["form"].as_str().unwrap_or_default().to_owned();
    assert!(form.ends_with("-anatomy"), "generalized classes keep no rule, {form}");
    let said = format!("by {} is published", form.trim_end_matches("-anatomy"));
    assert!(answer.stderr.contains(&said), "{said}\n{answer}");
    let rules = &answer.json()["rules"];
    assert_eq!(rules[0]["reached"], 0.5);
    assert_eq!(rules[0]["reached_exact"], serde_json::json!({ "num": 1, "den": 2 }));
    assert_eq!(rules[0]["holds"], true);
    let printed = folder.run_with("anonymize plan.toml --print-plan --rules", &[rule]).stdout;
    assert!(
        printed.contains("[[rules]]") && printed.contains("probability = \"1/2\""),
        "{printed}"
    );
}

#[test]
fn patients_as_json_and_as_three_tables_give_the_same_release() {
    let folder = Folder::new();
    for name in ["j/patients.json", "t/patients.csv"] {
        assert_eq!(folder.run(&format!("demo --data patients --rows 40 -o {name}")).code, 0);
    }
    for (plan, release) in [("j/plan.toml", "j.json"), ("t/plan.toml", "t.json")] {
        let receipt = folder.json(&format!("anonymize {plan} --transparent no -o {release}"));
        assert_eq!(receipt["verified"], true);
    }
    assert_eq!(folder.text("j.json"), folder.text("t.json"));
    let receipt = folder.json("anonymize t/plan.toml --transparent no");
    let files = ["t/release.csv", "t/release.visits.csv", "t/release.visits.diagnoses.csv"];
    assert_eq!(receipt["files"], serde_json::json!(files));
    let verified = folder.run("verify t/release.csv --plan t/plan.toml --original t/patients.csv");
    assert_eq!(verified.code, 0, "{verified}");
    let people = folder.text("t/release.csv").expect("it was written");
    assert!(people.starts_with("patient_id,birth_year,sex,zip\n1,"), "keys are issued again");
    // The same seed gives the same bytes.
    assert_eq!(folder.run("anonymize j/plan.toml --transparent no -o again.json").code, 0);
    assert_eq!(folder.text("again.json"), folder.text("j.json"));
}

#[test]
fn records_are_inspected_and_diagnosed() {
    let folder = students();
    let answer = folder.json("inspect students.json --plan starter.toml");
    let roles: Vec<(&str, &str)> = (answer["columns"].as_array().expect("a list").iter())
        .map(|column| {
            (column["name"].as_str().unwrap_or(""), column["role"].as_str().unwrap_or(""))
        })
        .collect();
    assert!(roles.contains(&("birth_year", "quasi")), "{roles:?}");
    assert!(roles.iter().any(|(path, _)| *path == "courses[].grade"));
    assert_eq!((&answer["rows"], &answer["vertices"]), (&Value::from(2), &Value::from(6)));
    assert_eq!(folder.run("diagnose starter.toml").code, 0);
    let answer = folder.json("diagnose plan.toml --k 2");
    assert_eq!(answer["uniques"], serde_json::json!({ "shape": 0, "labels": 2, "both": 2 }));
    assert_eq!((&answer["k"], &answer["holds"]), (&Value::from(1), &Value::from(false)));
    assert_eq!(folder.run("diagnose plan.toml --k 2").code, 1);
    assert_eq!(folder.run("diagnose plan.toml").code, 0);
}

#[test]
fn related_tables_are_inspected_together() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data patients --rows 30 -o patients.csv").code, 0);
    let visits = r#"visits={ input = "visits.csv", foreign-key = "patient_id" }"#;
    let words = "inspect patients.csv --key patient_id --plan starter.toml --format json --tables";
    let output = folder.run_with(words, &[visits]);
    assert_eq!(output.code, 0, "{output}");
    let answer = output.json();
    let columns = answer["columns"].as_array().expect("a list");
    assert!(columns.iter().any(|column| column["name"] == "visits[].month"), "{answer}");
    let plan = folder.text("starter.toml").expect("it was written");
    assert!(
        plan.contains("[tables.\"visits\"]") && plan.contains("key = \"patient_id\""),
        "{plan}"
    );
    assert_eq!(folder.run("diagnose starter.toml").code, 0);
}

#[test]
fn a_related_table_is_named_by_its_file_where_the_key_has_the_same_name() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data patients --rows 30 -o patients.csv").code, 0);
    let words = "inspect patients.csv --key patient_id --format json --tables";
    for (table, path) in [("visits.csv", "visits[].month"), ("stays=visits.csv", "stays[].month")] {
        let output = folder.run_with(words, &[table]);
        assert_eq!(output.code, 0, "{output}");
        let answer = output.json();
        let columns = answer["columns"].as_array().expect("a list");
        assert!(columns.iter().any(|column| column["name"] == path), "{answer}");
    }
    let said = folder.refused("inspect patients.csv --tables visits.csv");
    assert!(said.contains("say `--key COLUMN`"), "{said}");
}

#[test]
fn nothing_is_written_when_the_answer_is_no() {
    let folder = students();
    with(&folder, "frequency-l-diversity = 2", "frequency-l-diversity = 3");
    let said = folder.says_no("anonymize plan.toml --transparent no", &[]);
    assert!(said.contains("a class needs 3 records, and there are 2"), "{said}");
}

#[test]
fn plans_that_nested_records_cannot_keep_are_refused() {
    let folder = students();
    for (line, other, told) in [
        ("frequency-l-diversity = 2", "average-risk = 0.2", "all classes together"),
        ("frequency-l-diversity = 2", "", "the goal is empty"),
        ("frequency-l-diversity = 2", "frequency-l-diversity = 2.5", "must be a whole number"),
        (
            "frequency-l-diversity = 2",
            "frequency-l-diversity = { l = 2, attribute = \"courses[].grades\" }",
            "did you mean `courses[].grade`?",
        ),
        ("\"courses[].grade\"", "\"courses[].grad\"", "did you mean `courses[].grade`?"),
        ("\"courses[].grade\"", "\"courses[]\"", "has members, and only they have roles"),
        ("[output]", "[method]\nalgorithm = \"mondrian\"\n[output]", "`mondrian` is for tables"),
        ("[output]", "[method]\nalgorithm = \"ctof\"\n[output]", "did you mean `ctoff`?"),
        ("[output]", "[method]\ncenter = \"mean\"\n[output]", "`center` has no meaning"),
        ("release.json", "release.csv", "nested records are not one table"),
    ] {
        with(&folder, line, other);
        let said = folder.refused("anonymize plan.toml --transparent no");
        assert!(said.contains(told), "{told}\n{said}");
    }
}

#[test]
fn what_is_about_nested_records_is_refused_for_a_table() {
    let folder = Folder::hospital();
    let plan = folder.text("plan.toml").expect("it is there");
    let rule = "[[rules]]\nvalue = \"influenza\"\nat-least = 1\nprobability = \"1/2\"\n";
    folder.put("rules.toml", format!("{plan}\n{rule}"));
    let said = folder.refused("anonymize rules.toml --transparent no");
    assert!(said.contains("`rules` is about nested records"), "{said}");
    folder.put("rules.toml", format!("{plan}\n{}", rule.replace("1/2", "3/2")));
    let said = folder.refused("anonymize rules.toml --transparent no");
    assert!(said.contains("`probability` must be a share above 0, at most 1"), "{said}");
}

#[test]
fn related_tables_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data patients --rows 20 -o patients.csv").code, 0);
    let plan = folder.text("plan.toml").expect("it is there");
    for (line, other, told) in [
        ("within = \"visits\"", "within = \"visit\"", "did you mean `visits`?"),
        ("within = \"visits\"", "within = \"diagnoses\"", "is within itself"),
        ("foreign-key = \"visit_id\"", "foreign-key = \"visit\"", "no column `visit`"),
        ("key = \"patient_id\"\n", "", "must name its key"),
    ] {
        assert!(plan.contains(line), "{line}");
        folder.put("changed.toml", plan.replacen(line, other, 1));
        let said = folder.refused("anonymize changed.toml --transparent no");
        assert!(said.contains(told), "{told}\n{said}");
    }
}

#[test]
fn commands_for_tables_say_so() {
    let folder = students();
    for (words, told) in [
        ("diagnose plan.toml --subsets", "`subsets` cannot be asked"),
        ("diagnose plan.toml --report r.html", "no report for the diagnosis of nested records"),
    ] {
        let said = folder.refused(words);
        assert!(said.contains(told), "{told}\n{said}");
    }
}

#[test]
fn a_file_that_is_no_release_is_not_overwritten() {
    let folder = students().and("release.json", STUDENTS);
    let said = folder.refused("anonymize plan.toml --transparent no");
    assert!(said.contains("is not a release of these records"), "{said}");
    assert_eq!(folder.run("anonymize plan.toml --transparent no --force").code, 0);
    assert_eq!(
        folder.run("anonymize plan.toml --transparent no").code,
        0,
        "a release may be replaced by the next"
    );
}

#[test]
fn a_release_has_a_report_without_a_value() {
    let folder = students();
    let rule = r#"{ value = "A", at-least = 1, probability = "1/2" }"#;
    let made =
        folder.run_with("anonymize plan.toml --transparent no --report r.html --rules", &[rule]);
    assert_eq!(made.code, 0, "{made}");
    assert!(made.stderr.contains("report written to r.html"), "{made}");
    let page = folder.text("r.html").expect("it was written");
    for told in ["The release keeps every promise", "rule 1", "reaches 50 %", "courses[].course"] {
        assert!(page.contains(told), "{told}");
    }
    for value in ["CS201", "3.25", "B+", "1992"] {
        assert!(!page.contains(value), "{value}");
    }
    // A plan may name it.
    with(&folder, "release = \"release.json\"", "release = \"n.json\"\nreport = \"n.html\"");
    assert_eq!(folder.run("anonymize plan.toml --transparent no").code, 0);
    assert!(folder.text("n.html").is_some_and(|page| page.contains("Loss by path")));
}

#[test]
fn the_tour_of_students_goes_from_inspection_to_attacks() {
    let folder = Folder::new();
    let answer = folder.json("demo --data students --rows 12 --depth 2 --tour");
    let parts = ["inspection", "diagnosis", "release", "verdict", "attack"];
    assert!(parts.iter().all(|part| answer[part].is_object()), "{answer}");
    assert_eq!(answer["verdict"]["verified"], true);
    assert_eq!(answer["attack"]["refuted"], false);
}

#[test]
fn k_anonymity_is_not_promised_of_a_release_that_shows_labels() {
    let folder = students();
    with(&folder, "frequency-l-diversity = 2", "k-anonymity = 2");
    for algorithm in ["tree-anatomy", "vertex-anatomy"] {
        let said = folder
            .refused(&format!("anonymize plan.toml --transparent no --algorithm {algorithm}"));
        let told = format!("`{algorithm}` shows quasi-identifiers as they are");
        assert!(said.contains(&told), "{said}");
    }
    let rule = "[[rules]]\nvalue = \"A\"\nat-least = 1\nprobability = \"1/2\"\n";
    folder.put("rules.toml", folder.text("plan.toml").expect("it is there") + rule);
    let said = folder.refused("anonymize rules.toml --transparent no");
    assert!(said.contains("rules are kept by anatomy, by `auto` as well"), "{said}");
    // One group of everybody is no class where nothing is sensitive.
    let records = STUDENTS.replace("{\"id\"", "{\"group\": 1, \"id\"");
    folder.put("grouped.json", &records);
    folder.put("grouped.sensitive.json", "[{\"group\":1},{\"group\":1}]");
    let plan = "[attributes]\nmajor = \"quasi\"\nbirth_year = \"quasi\"\n[goal]\nk-anonymity = 2\n";
    folder.put("k.toml", plan);
    let output = folder.run("verify grouped.json --plan k.toml");
    assert_eq!(output.code, 1, "{output}");
    assert!(output.stdout.contains("`group` has no role in the plan"), "{output}");
}

#[test]
fn rules_alone_make_groups_of_more_than_one() {
    let folder = students();
    let records = STUDENTS.trim().trim_matches(['[', ']']);
    let more = records.replace("\"A\"", "\"C\"");
    folder.put("students.json", format!("[{records},{more}]"));
    for (probability, size) in [("1/2", 2), ("1/3", 3), ("1", 2)] {
        let rule = format!("{{ value = \"A\", at-least = 1, probability = \"{probability}\" }}");
        with(&folder, "frequency-l-diversity = 2", "suppression = 0.5");
        let words = "anonymize plan.toml --transparent no --format json --force --rules";
        let answer = folder.run_with(words, &[&rule]);
        assert_eq!(answer.code, 0, "{answer}");
        let smallest = answer.json()["class_sizes"][0]["size"].as_u64();
        assert!(smallest.is_some_and(|found| found >= size), "{answer}");
    }
}

#[test]
fn a_rule_about_a_value_that_nobody_has_is_refused() {
    let folder = students();
    let rule = |more: &str| {
        let rule = "[[rules]]\nvalue = \"a\"\nat-least = 1\nprobability = \"1/2\"\n";
        folder.put("rules.toml", format!("{PLAN}{rule}{more}"));
    };
    rule("");
    let said = folder.refused("anonymize rules.toml --transparent no");
    assert!(said.contains("rule 1 is about a value that does not occur in a sensitive"), "{said}");
    rule("attribute = \"courses[].grade\"\n");
    let said = folder.refused("anonymize rules.toml --transparent no");
    assert!(said.contains("does not occur in `courses[].grade`"), "{said}");
    assert_eq!(folder.run("anonymize plan.toml --transparent no").code, 0);
    let output = folder.run("verify release.json --plan rules.toml");
    assert_eq!(output.code, 0, "{output}");
    let told = "note: rule 1 is about a value that does not occur in the release";
    assert!(output.stderr.contains(told), "{output}");
}

#[test]
fn a_rule_about_more_occurrences_than_there_are_holds() {
    let folder = students();
    let rule = "[[rules]]\nvalue = \"A\"\nat-least = 4000000000\nprobability = \"1/2\"\n";
    folder.put("rules.toml", format!("{PLAN}{rule}"));
    let receipt = folder.json("anonymize rules.toml --transparent no");
    assert_eq!(receipt["rules"][0]["reached"], 0.0);
}

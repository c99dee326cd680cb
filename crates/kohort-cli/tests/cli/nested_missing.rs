//! What is missing, null, empty or cut off in releases of records inside records.

use serde_json::{Value, json};

use crate::harness::Folder;

const PLAN: &str = "input = \"o.json\"\n[attributes]\nage = \"quasi\"\nn = \"quasi\"\n\
    \"visits[].dept\" = \"quasi\"\n\"visits[].dx\" = \"sensitive\"\n\"visits[].drugs[]\" = \"quasi\"\n[goal]\n\
    frequency-l-diversity = 2\n";

fn folder(people: &Value) -> Folder {
    Folder::with(&[("o.json", &people.to_string()), ("plan.toml", PLAN)])
}

/// The people of a release.
fn people(folder: &Folder, file: &str) -> Vec<Value> {
    let text = folder.text(file).expect("it was written");
    serde_json::from_str(&text).expect("it is an array")
}

/// Anonymizes, and judges the release by itself.
fn released(folder: &Folder, algorithm: &str) -> Vec<Value> {
    let words =
        format!("anonymize plan.toml --transparent no --algorithm {algorithm} -o r.json --force");
    let output = folder.run(&words);
    assert_eq!(output.code, 0, "{output}");
    let output = folder.run("verify r.json --plan plan.toml --original o.json");
    assert_eq!(output.code, 0, "{output}");
    people(folder, "r.json")
}

#[test]
fn an_unmodified_record_is_written_as_it_was_read() {
    let person = |first: Value, second: Value| {
        json!({
            "age": 30, "never": [], "n": null,
            "visits": [
                {"dept": "A", "dx": first, "drugs": []},
                {"dept": "B", "dx": second, "drugs": ["x"]},
                {"dept": "C", "drugs": null}
            ],
        })
    };
    let mut given = [person("Flu".into(), "Cold".into()), person("Asthma".into(), Value::Null)];
    given[1]["visits"][2]["dx"] = "Gout".into();
    let folder = folder(&Value::from(given.to_vec()));
    // A missing diagnosis is a value here: nobody is to know who has none.
    let dx = "dx\" = { role = \"sensitive\", missing = \"value\" }";
    folder.put("plan.toml", PLAN.replace("dx\" = \"sensitive\"", dx));
    for algorithm in ["auto", "clustree"] {
        let found = released(&folder, algorithm);
        assert_eq!(found.len(), 2);
        for person in &given {
            assert!(found.contains(person), "{algorithm}: {found:?}");
        }
    }
}

#[test]
fn a_missing_value_makes_no_class_diverse_unless_it_is_a_value() {
    let person = |dx: Value| json!({"age": 30, "visits": [{"dept": "A", "dx": dx}]});
    let folder = folder(&json!([person("Flu".into()), person(Value::Null)]));
    let as_value = PLAN
        .replace("dx\" = \"sensitive\"", "dx\" = { role = \"sensitive\", missing = \"value\" }")
        .replace("n = \"quasi\"\n", "")
        .replace("\"visits[].drugs[]\" = \"quasi\"\n", "");
    let plain = as_value.replace(", missing = \"value\"", "");
    folder.put("value.toml", &as_value);
    folder.put("plain.toml", &plain);
    folder.put("hides.toml", as_value.replace("\"value\"", "\"unprotected\""));
    assert_eq!(folder.run("verify o.json --plan value.toml").code, 0);
    let output = folder.run("verify o.json --plan plain.toml");
    assert_eq!(output.code, 1, "the only value is known\n{output}");
    // Nobody makes classes by the values that are there: that is said, and nothing is written.
    let said = folder.refused("anonymize plain.toml --transparent no -o r.json");
    assert!(said.contains("`visits[].dx` has missing values"), "{said}");
    assert_eq!(folder.run("anonymize value.toml --transparent no -o r.json").code, 0);
    let said = folder.refused("anonymize hides.toml --transparent no -o s.json");
    assert!(said.contains("cannot be unprotected"), "{said}");
}

#[test]
fn a_sensitive_cell_that_is_not_one_value_is_refused() {
    let person = |dx: &str| json!({"age": 30, "visits": [{"dept": "A", "dx": dx}]});
    let folder = folder(&json!([]));
    let plan =
        PLAN.replace("n = \"quasi\"\n", "").replace("\"visits[].drugs[]\" = \"quasi\"\n", "");
    folder.put("plan.toml", plan);
    for shown in ["{Flu, Cold}", "F**"] {
        folder.put("r.json", json!([person("Flu"), person(shown)]).to_string());
        let said = folder.refused("verify r.json --plan plan.toml");
        assert!(said.contains("does not show one value"), "{said}");
    }
    folder.put("r.json", json!([person("Flu"), person("Flu\u{200b}")]).to_string());
    assert_eq!(folder.run("verify r.json --plan plan.toml").code, 1);
    // Where the original has such a text, it is a value.
    folder.put("o.json", json!([person("Flu"), person("A*02")]).to_string());
    assert_eq!(folder.run("anonymize plan.toml --transparent no -o s.json").code, 0);
    assert_eq!(folder.run("verify s.json --plan plan.toml --original o.json").code, 0);
}

#[test]
fn what_only_some_of_a_class_have_empty_is_left_out_for_all() {
    let person = |dx: &str| json!({"age": 30, "visits": [{"dept": "A", "dx": dx}]});
    let (mut first, mut second) = (person("Flu"), person("Cold"));
    first["visits"][0]["drugs"] = json!([]);
    first["n"] = Value::Null;
    let found = released(&folder(&json!([first, second])), "auto");
    assert!(found.contains(&person("Flu")) && found.contains(&person("Cold")), "{found:?}");
    // What was cut off is not said to be empty.
    second["visits"][0]["drugs"] = json!(["x"]);
    let folder = folder(&json!([first, second]));
    let found = released(&folder, "auto");
    assert!(found.contains(&person("Flu")) && found.contains(&person("Cold")), "{found:?}");
    let mut lie = found;
    for person in &mut lie {
        person["visits"][0]["drugs"] = json!([]);
    }
    folder.put("lie.json", Value::from(lie).to_string());
    let output = folder.run("verify lie.json --plan plan.toml --original o.json");
    assert_eq!(output.code, 1, "{output}");
    assert!(output.stdout.contains("covers no record of the original"), "{output}");
}

#[test]
fn objects_that_never_have_a_member_are_told_to_be_left_out() {
    let person = |dx: &str| json!({"age": 30, "n": 1, "o": {}, "visits": [{"dept": "A", "dx": dx, "drugs": ["x"]}]});
    let folder = folder(&json!([person("Flu"), person("Cold")]));
    let output = folder.run("anonymize plan.toml --transparent no -o r.json");
    assert!(output.stderr.contains("left out of the release: `o`"), "{output}");
    assert!(people(&folder, "r.json").iter().all(|person| person.get("o").is_none()));
    folder.put("plan.toml", PLAN.replace("n =", "o ="));
    let said = folder.refused("anonymize plan.toml --transparent no -o r.json --force");
    assert!(said.contains("`o` has no members in any record"), "{said}");
}

#[test]
fn null_and_nothing_are_no_labels_of_somebody_who_has_a_value() {
    let person = |age: u32, dx: &str| json!({"age": age, "n": 1, "visits": [{"dept": "A", "dx": dx, "drugs": ["x"]}]});
    let folder = folder(&json!([
        person(20, "Flu"),
        person(20, "Cold"),
        person(40, "Gout"),
        person(40, "Burn")
    ]));
    let found = released(&folder, "auto");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut people = found.clone();
        let of_class = people.iter_mut().filter(|person| person["age"] == 20);
        of_class.for_each(change);
        folder.put("changed.json", Value::from(people).to_string());
        folder.run("verify changed.json --plan plan.toml --original o.json")
    };
    assert_eq!(changed(&|person| person["age"] = "*".into()).code, 0);
    let nulled = changed(&|person| person["age"] = Value::Null);
    let removed = changed(&|person| drop(person.as_object_mut().map(|all| all.remove("age"))));
    for output in [nulled, removed] {
        assert_eq!(output.code, 1, "{output}");
        assert!(
            output.stdout.contains("2 released records cover no record of the original"),
            "{output}"
        );
    }
}

#[test]
fn values_that_are_cut_off_are_counted_and_told() {
    let person = |age: u32, dx: &str, cost: u32| json!({"age": age, "n": 1, "visits": [{"dept": "A", "dx": dx, "cost": cost, "drugs": ["x"]}]});
    let folder = folder(&json!([person(20, "Flu", 7), person(20, "Cold", 7)]));
    // The first by name is the objects' own, and the other is cut off where it is the same for both.
    folder.put("plan.toml", PLAN.replace("n =", "\"visits[].zcost\" = \"sensitive\"\nn ="));
    let text = folder.text("o.json").expect("it is there").replace("cost", "zcost");
    folder.put("o.json", text);
    let output = folder.run("anonymize plan.toml --transparent no -o r.json --format json");
    assert_eq!(output.code, 0, "{output}");
    let receipt = output.json();
    let counts = ["values_in", "values_out", "values_cut"].map(|name| receipt[name].as_u64());
    assert_eq!(counts, [4, 2, 2].map(Some), "{receipt}");
    let note = json!(["no value of `visits[].zcost` is left in the release"]);
    assert_eq!(receipt["notes"], note);
    assert!(people(&folder, "r.json").iter().all(|person| person["visits"][0]["zcost"] == "*"));
    let output = folder.run("verify r.json --plan plan.toml --original o.json");
    assert_eq!(output.code, 0, "{output}");
    assert!(output.stderr.contains("no value of `visits[].zcost` is left"), "{output}");
    let output = folder.run("anonymize plan.toml --transparent no -o r.json");
    assert!(output.stdout.contains("2 sensitive values were cut from vertices"), "{output}");
}

#[test]
fn values_of_other_people_in_an_anatomized_release_are_found() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data patients --rows 60 -o patients.json").code, 0);
    for algorithm in ["tree-anatomy", "vertex-anatomy"] {
        let words = format!(
            "anonymize plan.toml --transparent no --algorithm {algorithm} -o r.json --force"
        );
        assert_eq!(folder.run(&words).code, 0);
        let verify = || folder.run("verify r.json --plan plan.toml --original patients.json");
        assert_eq!(verify().code, 0);
        // The groups of values change places with the next of their size.
        let mut values = people(&folder, "r.sensitive.json");
        let sizes = |values: &[Value], group: &Value| {
            let of_group = values.iter().filter(|row| row["group"] == *group);
            of_group.map(|row| row.to_string().matches("disease").count()).collect::<Vec<_>>()
        };
        let before = values.clone();
        let is_twin = |row: &&Value| {
            let group = &before[0]["group"];
            row["group"] != *group && sizes(&before, &row["group"]) == sizes(&before, group)
        };
        let (one, other) = (
            before[0]["group"].clone(),
            before.iter().rfind(is_twin).expect("a group of the same size")["group"].clone(),
        );
        for row in &mut values {
            if row["group"] == one {
                row["group"] = other.clone();
            } else if row["group"] == other {
                row["group"] = one.clone();
            }
        }
        folder.put("r.sensitive.json", Value::from(values).to_string());
        let output = verify();
        assert_eq!(output.code, 1, "{algorithm} {output}");
        assert!(output.stdout.contains("do not belong to the people of their groups"), "{output}");
    }
}

#[test]
fn roles_come_from_the_last_name_of_a_path() {
    let folder = Folder::with(&[(
        "o.json",
        r#"[{"tags":["red","blue"],"visits":[{"dx":"flu","note":"x"}],"diagnoses":[{"code":"A1","name":"b"}]},
            {"tags":["red"],"visits":[{"dx":"cold","note":"y"}],"diagnoses":[{"code":"B2","name":"c"}]}]"#,
    )]);
    let answer = folder.json("inspect o.json");
    let columns = answer["columns"].as_array().expect("a list");
    let of = |path: &str| {
        let column = columns.iter().find(|column| column["name"] == path).expect(path);
        (column["role"].as_str().unwrap_or_default(), column["reason"].to_string())
    };
    assert_eq!(of("visits[].dx").0, "sensitive");
    for path in ["visits[].note", "tags[]"] {
        let (role, reason) = of(path);
        assert!(role.is_empty() && !reason.contains("the header says"), "{path}: {reason}");
    }
    // Where a name says nothing of what, a sensitive parent does.
    assert_eq!(of("diagnoses[].code").0, "sensitive");
}

#[test]
fn made_up_people_are_written_as_xml_where_the_name_says_so() {
    for data in ["patients", "students"] {
        let folder = Folder::new();
        assert_eq!(folder.run(&format!("demo --data {data} --rows 40 -o made.xml")).code, 0);
        let text = folder.text("made.xml").expect("it was written");
        assert!(text.starts_with("<?xml"), "{text}");
        let receipt = folder.json("anonymize plan.toml --transparent no --suppression 0.2");
        assert_eq!((&receipt["verified"], &receipt["records_in"]), (&true.into(), &40.into()));
        let same = folder.run(&format!("demo --data {data} --rows 40 -o j/made.json"));
        assert_eq!(same.code, 0, "{same}");
        let json = folder.json("anonymize j/plan.toml --transparent no --suppression 0.2");
        assert_eq!(receipt["metrics"], json["metrics"]);
    }
}

// JSON has no key for a path that is missing in every vertex left; tables have a column without a value.
#[test]
fn a_path_without_a_key_left_is_missing_and_not_lost() {
    let people = json!([
        {"q": "a", "s": "S1", "v": [{"d": "D1"}]},
        {"q": "a", "s": "S2", "v": [{"d": "D2"}]},
        {"q": "b", "s": "S1", "v": [{"w": "k", "d": "D1"}, {"w": "l", "d": "D3"}]},
        {"q": "b", "s": "S2"}
    ]);
    let goal = "[goal]\nk-anonymity = 2\n[method]\nalgorithm = \"ctoff\"\n";
    let json_plan = format!(
        "input = \"o.json\"\n[attributes]\nq = \"quasi\"\n\"v[].w\" = \"quasi\"\ns = \"sensitive\"\n\
         \"v[].d\" = \"sensitive\"\n{goal}"
    );
    let table_plan = format!(
        "input = \"people.csv\"\nkey = \"id\"\n[tables.v]\ninput = \"v.csv\"\nforeign-key = \"person\"\n\
         [attributes]\nq = \"quasi\"\n\"v[].w\" = \"quasi\"\ns = \"sensitive\"\n\"v[].d\" = \"sensitive\"\n{goal}"
    );
    let folder = Folder::with(&[
        ("o.json", &people.to_string()),
        ("json.toml", &json_plan),
        ("people.csv", "id,q,s\n1,a,S1\n2,a,S2\n3,b,S1\n4,b,S2\n"),
        ("v.csv", "person,w,d\n1,,D1\n2,,D2\n3,k,D1\n3,l,D3\n"),
        ("tables.toml", &table_plan),
    ]);
    // Two of eight labels are lost: those of the vertices of the third person.
    let of_tables = folder.json("anonymize tables.toml --transparent no -o r.csv");
    let of_json = folder.json("anonymize json.toml --transparent no -o r.json");
    assert_eq!(of_tables["metrics"]["lm"], json!(0.25), "{of_tables}");
    assert_eq!(of_json["metrics"], of_tables["metrics"]);
    assert!(!folder.text("r.json").expect("it was written").contains("\"w\""));
    let verdict = folder.json("verify r.json --plan json.toml --original o.json");
    assert_eq!(verdict["original"]["metrics"]["lm"], json!(0.25), "{verdict}");
}

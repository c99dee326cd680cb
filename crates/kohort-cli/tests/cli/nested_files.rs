//! The files of releases of records inside records: what they may have in them, and beside them.

use crate::harness::Folder;

const PEOPLE: &str = "pid,age\nSSN-111,20\nSSN-222,30\nSSN-333,40\nSSN-444,50\n";
const VISITS: &str = "pid,dx\nSSN-111,flu\nSSN-222,hiv\nSSN-333,cold\nSSN-444,flu\n";

const TABLES: &str = r#"input = "people.csv"
key = "pid"

[tables.visits]
input = "visits.csv"
foreign-key = "pid"

[attributes]
age = "quasi"
"visits[].dx" = "sensitive"

[goal]
frequency-l-diversity = 2
"#;

/// People and their visits, as two tables.
fn people() -> Folder {
    Folder::with(&[("people.csv", PEOPLE), ("visits.csv", VISITS), ("plan.toml", TABLES)])
}

/// What `verify` says about a release that it must reject.
fn rejected(folder: &Folder, words: &str) -> String {
    let output = folder.run(words);
    assert_eq!(output.code, 1, "{words}\n{output}");
    output.stdout
}

fn verified(folder: &Folder, words: &str) {
    let output = folder.run(words);
    assert_eq!(output.code, 0, "{words}\n{output}");
}

#[test]
fn keys_of_a_release_that_are_no_row_numbers_are_rejected() {
    let folder = people();
    let ids = [("1", "SSN-111"), ("2", "SSN-222"), ("3", "SSN-333"), ("4", "SSN-444")];
    for algorithm in ["ctoff", "tree-anatomy", "vertex-anatomy"] {
        let folder = people();
        let made = folder.json(&format!(
            "anonymize plan.toml --transparent no --algorithm {algorithm} -o r.csv"
        ));
        verified(&folder, "verify r.csv --plan plan.toml");
        for file in made["files"].as_array().expect("a list").iter().filter_map(|f| f.as_str()) {
            let text = folder.text(file).expect("it was written");
            let Some(lines) = text.strip_prefix("pid") else { continue };
            let lines = lines.lines().map(|line| {
                let named = ids.iter().find(|(id, _)| {
                    line.strip_prefix(id).is_some_and(|r| r.is_empty() || r.starts_with(','))
                });
                named.map_or(line.to_owned(), |(id, name)| line.replacen(id, name, 1)) + "\n"
            });
            folder.put(file, format!("pid{}", lines.collect::<String>()));
        }
        let told = rejected(&folder, "verify r.csv --plan plan.toml");
        assert!(told.contains("keys in `pid` that are not the numbers of their rows"), "{told}");
    }
    // The list of values has no key at all.
    folder.json("anonymize plan.toml --transparent no --algorithm vertex-anatomy -o v.csv");
    let list = folder.text("v.sensitive.csv").expect("it was written");
    assert!(list.starts_with("group,attribute,value\n"), "{list}");
    let with_names = list.lines().zip(["pid", "SSN-111", "SSN-222", "SSN-333", "SSN-444"]);
    let with_names = with_names.map(|(line, name)| format!("{name},{line}\n"));
    folder.put("v.sensitive.csv", with_names.collect::<String>());
    let told = rejected(&folder, "verify v.csv --plan plan.toml");
    assert!(told.contains("`pid` has no role in the plan"), "{told}");
}

#[test]
fn what_stands_beside_released_records_is_rejected() {
    let records = r#"[{"age":"[20, 30]","visits":[{"dx":"hiv"}]},{"age":"[20, 30]","visits":[{"dx":"flu"}]}]"#;
    let plan = "[attributes]\nage = \"quasi\"\n\"visits[].dx\" = \"sensitive\"\n[goal]\n\
                frequency-l-diversity = 2\n";
    let folder = Folder::with(&[("p.toml", plan)]);
    let xml = "<records><record><age>*</age><visits><dx>hiv</dx></visits></record>\
               <record><age>*</age><visits><dx>flu</dx></visits></record></records>";
    for (name, sound, changes) in [
        (
            "r.json",
            format!("{{\"records\":{records}}}"),
            vec![(
                "{\"records\"",
                "{\"names\":[\"Alice\"],\"records\"",
                "`names` beside the records",
            )],
        ),
        (
            "r.xml",
            xml.to_owned(),
            vec![
                ("<records>", "<records source=\"Alice\">", "attributes of elements around"),
                ("<records>", "<records><!-- Alice -->", "comments"),
                ("<age>", "<!-- Alice --><age>", "comments"),
                ("<records>", "<records><?who Alice?>", "processing instructions"),
                ("<records>", "<records>Alice", "text beside the records"),
                ("<records>", "<!DOCTYPE Alice><records>", "the DOCTYPE"),
            ],
        ),
    ] {
        folder.put(name, &sound);
        verified(&folder, &format!("verify {name} --plan p.toml"));
        for (from, to, told) in changes {
            folder.put(name, sound.replacen(from, to, 1));
            let said = rejected(&folder, &format!("verify {name} --plan p.toml"));
            assert!(said.contains(&format!("a file has more than records: {told}")), "{said}");
        }
    }
    folder.put("p.toml", format!("{plan}[read]\nrecords = \"record\"\n"));
    folder.put("r.xml", xml.replacen("<record>", "<key>Alice is the first</key><record>", 1));
    let said = rejected(&folder, "verify r.xml --plan p.toml");
    assert!(said.contains("elements beside the records"), "{said}");
}

#[test]
fn lists_of_values_of_arrays_are_told_from_values() {
    let folder = Folder::with(&[
        (
            "o.json",
            r#"[{"age":20,"allergies":["nuts","dust"]},{"age":30,"allergies":["milk","soy"]}]"#,
        ),
        (
            "p.toml",
            "input = \"o.json\"\n[attributes]\nage = \"quasi\"\n\"allergies[]\" = \"sensitive\"\n[goal]\n\
             frequency-l-diversity = 2\n",
        ),
    ]);
    for (algorithm, form) in [("vertex-anatomy", true), ("ctoff", false)] {
        let words = format!(
            "anonymize p.toml --transparent no --algorithm {algorithm} -o {algorithm}.json"
        );
        assert_eq!(folder.run(&words).code, 0);
        let words = format!("verify {algorithm}.json --plan p.toml --original o.json");
        verified(&folder, &words);
        assert_eq!(folder.path(&format!("{algorithm}.sensitive.json")).exists(), form);
    }
}

#[test]
fn an_empty_cell_of_a_release_of_tables_is_a_missing_value() {
    let folder = people();
    // Two of four have no value, which is a value like any other where the plan says so.
    let as_value = "dx\" = { role = \"sensitive\", missing = \"value\" }";
    folder.put("plan.toml", TABLES.replace("dx\" = \"sensitive\"", as_value));
    folder.put("visits.csv", "pid,dx\nSSN-111,flu\nSSN-222,\nSSN-333,cold\nSSN-444,\n");
    for algorithm in ["ctoff", "tree-anatomy", "vertex-anatomy"] {
        let words = format!(
            "anonymize plan.toml --transparent no --algorithm {algorithm} -o {algorithm}.csv"
        );
        let made = folder.json(&words);
        assert_eq!(made["sensitive"][0]["values"], 4, "{made}");
        let words = format!("verify {algorithm}.csv --plan plan.toml --original people.csv");
        verified(&folder, &words);
    }
    folder.put("n.csv", "pid,age\n1,*\n2,*\n");
    folder.put("n.visits.csv", "pid,dx\n1,\n2,\n");
    let told = rejected(&folder, "verify n.csv --plan plan.toml");
    assert!(
        told.contains("`frequency-l-diversity` of `visits[].dx` fails: the least l is 1"),
        "{told}"
    );
    folder.put("visits.csv", "pid,dx\nSSN-111,flu\nSSN-222,*\nSSN-333,cold\nSSN-444,*\n");
    let said = folder.refused("anonymize plan.toml --transparent no -o r.csv");
    assert!(said.contains("`visits[].dx` has a value `*`"), "{said}");
}

#[test]
fn a_further_value_that_is_cut_off_has_a_mark_in_tables() {
    let folder = people();
    let treatment = "\"visits[].treatment\" = \"sensitive\"\nage =";
    folder.put("plan.toml", TABLES.replace("age =", treatment));
    // The two oldest have the same treatment: it cannot be published.
    let visits = "pid,dx,treatment\nSSN-111,flu,a\nSSN-222,hiv,b\nSSN-333,cold,b\nSSN-444,flu,b\n";
    folder.put("visits.csv", visits);
    // Both that are cut off have it, and three of four: who lacks it would be known to.
    let said = folder.says_no("anonymize plan.toml --transparent no -o r.csv", &[]);
    assert!(said.contains("one value fills 75.0 % of `visits[].treatment`"), "{said}");
    assert!(said.contains("at most l = 1 is feasible"), "{said}");
    let made = folder.json("anonymize plan.toml --transparent no -o r.csv --allow-unsafe");
    let visits = folder.text("r.visits.csv").expect("it was written");
    assert_eq!((&made["verified"], visits.matches(",*").count()), (&false.into(), 2), "{visits}");
    // What was cut off is no value that the original does not have.
    assert!(made["metrics"]["kl"].is_number(), "{made}");
    let told = rejected(&folder, "verify r.csv --plan plan.toml --original people.csv");
    assert!(told.contains("fails for the 2 values not in the release"), "{told}");
    verified(&folder, "verify r.csv --plan plan.toml");
    let made = folder.json(
        "anonymize plan.toml --transparent no --algorithm tree-anatomy -o t.csv --allow-unsafe",
    );
    assert!(made["metrics"]["kl"].is_number(), "{made}");
}

#[test]
fn a_table_of_which_nothing_is_left_is_not_written() {
    let folder = people();
    folder.put("visits.csv", "pid,dx\nSSN-111,flu\nSSN-222,flu\nSSN-333,flu\nSSN-444,flu\n");
    let made = folder.json("anonymize plan.toml --transparent no -o r.csv");
    assert_eq!(made["files"], serde_json::json!(["r.csv"]));
    verified(&folder, "verify r.csv --plan plan.toml --original people.csv");
}

const PERSONS: &str = "<people>\
<person><age>20</age><allergy>nuts</allergy><allergy>dust</allergy><visit><dx>flu</dx></visit></person>\
<person><age>30</age><allergy>milk</allergy><allergy>soy</allergy><visit><dx>hiv</dx></visit></person>\
<person><age>40</age><allergy>wheat</allergy><visit><dx>cold</dx></visit></person>\
<person><age>50</age><allergy>eggs</allergy><visit><dx>flu</dx></visit></person>\
</people>";

#[test]
fn every_form_of_a_release_is_written_as_xml() {
    let plan = |of_allergies: &str| {
        format!(
            "input = \"o.xml\"\n[attributes]\nage = \"quasi\"\n\"allergy[]\" = \"{of_allergies}\"\n\
             \"visit[].dx\" = \"sensitive\"\n[goal]\nfrequency-l-diversity = 2\nsuppression = 0.5\n\
             [read]\nrecords = \"person\"\n"
        )
    };
    let folder = Folder::with(&[("o.xml", PERSONS)]);
    for role in ["sensitive", "quasi"] {
        folder.put("p.toml", plan(role));
        for algorithm in ["auto", "tree-anatomy", "vertex-anatomy"] {
            for name in ["r.xml", "r.json"] {
                let made = folder.json(&format!(
                    "anonymize p.toml --transparent no --algorithm {algorithm} -o {role}-{algorithm}-{name}"
                ));
                assert_eq!(made["verified"], true, "{role} {algorithm} {made}");
                verified(
                    &folder,
                    &format!("verify {role}-{algorithm}-{name} --plan p.toml --original o.xml"),
                );
            }
        }
    }
}

#[test]
fn paths_that_xml_cannot_hold_are_refused() {
    let folder = Folder::with(&[(
        "o.json",
        r#"[{"age":20,"dr":{"city":"x"},"first name":1,"dx":"a"},{"age":30,"dr":{"city":"y"},"first name":2,"dx":"b"}]"#,
    )]);
    for path in ["dr.city", "first name"] {
        let plan = format!(
            "input = \"o.json\"\n[attributes]\nage = \"quasi\"\n\"{path}\" = \"quasi\"\ndx = \"sensitive\"\n\
             [goal]\nfrequency-l-diversity = 2\n"
        );
        folder.put("p.toml", plan);
        let output = folder.run("anonymize p.toml --transparent no -o r.xml");
        assert_eq!(output.code, 2, "{output}");
        let told = format!("error: XML cannot represent `{path}`");
        assert!(output.stderr.contains(&told), "{output}");
        assert_eq!(folder.run("anonymize p.toml --transparent no -o r.json --force").code, 0);
    }
}

#[test]
fn a_file_of_an_earlier_release_is_not_left_beside_the_next() {
    let folder = people();
    assert_eq!(
        folder.run("anonymize plan.toml --transparent no --algorithm tree-anatomy -o s.csv").code,
        0
    );
    for (algorithm, file) in
        [("ctoff", "s.sensitive.csv"), ("vertex-anatomy", "s.visits.sensitive.csv")]
    {
        let said = folder.refused(&format!(
            "anonymize plan.toml --transparent no --algorithm {algorithm} -o s.csv"
        ));
        assert!(said.contains(&format!("{file} would pass for a part of this release")), "{said}");
    }
    verified(&folder, "verify s.csv --plan plan.toml --original people.csv");
    assert_eq!(
        folder.run("anonymize plan.toml --transparent no --algorithm tree-anatomy -o s.csv").code,
        0
    );
}

#[test]
fn arrays_in_arrays_stay_arrays() {
    let folder = Folder::with(&[
        ("o.json", r#"[{"age":1,"m":[[1,2],[3]]},{"age":2,"m":[[4],[5,6]]}]"#),
        (
            "p.toml",
            "input = \"o.json\"\n[attributes]\nage = \"quasi\"\n\"m[][]\" = \"sensitive\"\n[goal]\n\
             frequency-l-diversity = 2\n",
        ),
    ]);
    for algorithm in ["ctoff", "vertex-anatomy", "tree-anatomy"] {
        let words = format!(
            "anonymize p.toml --transparent no --algorithm {algorithm} -o {algorithm}.json"
        );
        assert_eq!(folder.run(&words).code, 0);
        let words = format!("verify {algorithm}.json --plan p.toml --original o.json");
        verified(&folder, &words);
    }
    folder.put("o.json", r#"[{"age":1,"m":[[1,2],[3]]},{"age":2,"m":[[],[5,6]]}]"#);
    assert_eq!(
        folder.run("anonymize p.toml --transparent no --algorithm vertex-anatomy -o v.json").code,
        0
    );
    let text = folder.text("v.json").expect("it was written");
    assert!(text.contains("[]") && !text.contains("{}"), "{text}");
}

#[test]
fn names_that_an_anatomized_release_has_for_itself_are_refused() {
    let folder = people();
    folder.put("visits.csv", "pid,dx,dx_group\nSSN-111,flu,1\nSSN-222,hiv,2\n");
    folder.put("plan.toml", TABLES.replace("age =", "\"visits[].dx_group\" = \"quasi\"\nage ="));
    let said =
        folder.refused("anonymize plan.toml --transparent no --algorithm vertex-anatomy -o r.csv");
    assert!(said.contains("has a member `visits[].dx_group` of its own"), "{said}");
}

#[test]
fn a_key_may_be_called_an_identifier() {
    let folder = people();
    let named = |role: &str| {
        let of_people = format!("pid = \"{role}\"\n\"visits[].pid\" = \"identifier\"\nage =");
        folder.put("plan.toml", TABLES.replace("age =", &of_people));
    };
    named("identifier");
    assert_eq!(folder.run("anonymize plan.toml --transparent no -o r.csv").code, 0);
    verified(&folder, "verify r.csv --plan plan.toml --original people.csv");
    named("quasi");
    let said = folder.refused("anonymize plan.toml --transparent no -o q.csv");
    assert!(said.contains("`pid` is a key"), "{said}");
}

#[test]
fn too_much_suppression_is_told_with_how_much_it_takes() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data students --rows 60 -o s.json").code, 0);
    // The two who are left out have one value.
    let ask = "anonymize plan.toml --transparent no --algorithm clustree -o r.json --allow-unsafe";
    let said = folder.says_no(&format!("{ask} --suppression 0.03"), &[]);
    assert!(said.contains("3.3 % of the records are missing, but `suppression` is 3 %"), "{said}");
    assert!(
        said.contains("hint: try another algorithm, or allow as much with `--suppression 0.04`"),
        "{said}"
    );
    assert_eq!(folder.run(&format!("{ask} --suppression 0.04")).code, 0);
}

//! Tables in which people have several rows: what counts rows is refused until the plan decides.

use std::fmt::Write;

use serde_json::Value;

use crate::harness::Folder;

const ROLES: &str = "[attributes]\nid = 'identifier'\nbirth = 'quasi'\nsex = 'quasi'\n\
                     event = 'sensitive'\n[goal]\nk-anonymity = 4\n[output]\nrelease = 'r.csv'\n";

/// Events of 12 people: the even ones have five rows each, the odd ones one. What people are does not
/// differ between their rows, the year and the event do.
fn events() -> Folder {
    let mut text = String::from("id,birth,sex,year,event\n");
    for person in 0..12_u32 {
        let (birth, sex) = (1950 + person / 2 * 5, ["f", "m"][person as usize / 2 % 2]);
        for row in 0..if person % 2 == 0 { 5 } else { 1 } {
            let event = ["flu", "cold", "gout"][(person + row) as usize % 3];
            let _ = writeln!(text, "p{person},{birth},{sex},{},{event}", 2000 + row % 2);
        }
    }
    let nested = "input = 'events.csv'\nkey = 'id'\n[tables.events]\nforeign-key = 'id'\n[attributes]\n\
                  birth = 'quasi'\nsex = 'quasi'\n'events[].year' = 'quasi'\n\
                  'events[].event' = 'sensitive'\n[goal]\nk-anonymity = 3\n[output]\nrelease = 'n.csv'\n";
    Folder::with(&[
        ("events.csv", &text),
        ("plan.toml", &format!("input = 'events.csv'\n{ROLES}")),
        ("rows.toml", &format!("input = 'events.csv'\nunit = 'row'\n{ROLES}")),
        ("nested.toml", nested),
    ])
}

const NOT_PEOPLE: &str = "rows are not people: `id` names 12 people in 36 rows";

#[test]
fn a_release_of_a_table_in_which_people_have_several_rows_is_refused() {
    let folder = events();
    let output = folder.run("anonymize plan.toml");
    assert_eq!((output.code, folder.text("r.csv")), (2, None), "{output}");
    insta::assert_snapshot!(output.stderr, @r#"
    note: columns without a role are left out of the release: `year`
    error: rows are not people: `id` names 12 people in 36 rows, and promises about a table count rows, so a class of k rows can be fewer than k people

    hint: if rows with the same `id` are one person, nest them: `key = "id"`, and `[tables.rows]` with `foreign-key = "id"`; if another column identifies people, name it with `key`; to protect rows instead of people, say `unit = "row"`
    "#);
    assert!(folder.run("compare plan.toml").stderr.contains(NOT_PEOPLE));
    let flags = "--quasi birth,sex --sensitive event --k 4 -o r.csv";
    for column in ["--identifier id", "--key id"] {
        let output = folder.run(&format!("anonymize events.csv {column} {flags}"));
        assert!(output.code == 2 && output.stderr.contains(NOT_PEOPLE), "{output}");
    }
    // Without a role or a name that says so nobody knows, and the program says what it seems to be.
    let output = folder.run(&format!("anonymize events.csv {flags}"));
    assert_eq!(output.code, 0, "{output}");
    assert!(
        output.stderr.contains("`id`, a column without a role, has 12 values in 36 rows"),
        "{output}"
    );
    let output = folder.run(&format!("anonymize events.csv --insensitive id {flags} --force"));
    let told = "`id`, which is insensitive, has 12 values in 36 rows";
    assert!(output.stderr.contains(told), "{output}");
    for name in ["pid", "Case No", "participant"] {
        let events = folder.text("events.csv").expect("it is there").replacen("id", name, 1);
        folder.put("named.csv", events);
        let output = folder.run(&format!("anonymize named.csv {flags} --force"));
        let told = format!("`{name}`, a column without a role, has 12 values in 36 rows");
        assert!(output.stderr.contains(&told), "{output}");
    }
}

#[test]
fn where_the_plan_says_so_rows_are_protected_and_the_receipt_repeats_it() {
    let folder = events();
    let receipt = folder.json("anonymize rows.toml --report r.html");
    let notes = receipt["notes"].to_string();
    let told = "promises count rows, as the plan says: `id` names 12 people in 36 rows";
    assert!(notes.contains(told), "{notes}");
    assert!(notes.contains("the class with the fewest people has 2 people"), "{notes}");
    assert!(folder.text("r.html").expect("it was written").contains(told));
    let verdict = folder.json("verify r.csv --plan rows.toml --original events.csv");
    assert_eq!(verdict["verified"], true);
    assert!(verdict["notes"].to_string().contains(told), "{verdict}");
    let answer = folder.json("attack r.csv --plan rows.toml --original events.csv");
    assert!(answer["notes"].to_string().contains(told), "{answer}");
    let plan = folder.run("anonymize plan.toml --unit row --print-plan");
    assert!(plan.stdout.contains("unit = \"row\""), "{plan}");
    // The same release is not verified for a plan that is about people, nor attacked as if it were.
    for command in ["verify", "attack"] {
        let words = format!("{command} r.csv --plan plan.toml --original events.csv");
        assert!(folder.refused(&words).contains(NOT_PEOPLE));
    }
    let alone = folder.json("verify r.csv --plan plan.toml");
    let untold = "without `--original` it is not known whether a person has several";
    assert!(alone["notes"].to_string().contains(untold), "{alone}");
}

#[test]
fn rows_are_nested_by_the_key_and_then_people_are_counted() {
    let folder = events();
    let receipt = folder.json("anonymize nested.toml");
    let figure = |name: &str| receipt[name].as_u64();
    assert_eq!((figure("records_in"), receipt["verified"].as_bool()), (Some(12), Some(true)));
    assert!(figure("k") >= Some(3), "{receipt}");
    let people = folder.text("n.csv").expect("the people are written");
    assert_eq!(people.lines().count() as u64, 1 + figure("records_out").expect("it is told"));
    assert!(people.starts_with("id,birth,sex\n"), "{people}");
    let rows = folder.text("n.events.csv").expect("their rows are written");
    assert!(rows.lines().next().is_some_and(|head| head.contains("event")), "{rows}");
    let verdict = folder.json("verify n.csv --plan nested.toml --original events.csv");
    assert_eq!(verdict["verified"], true, "{verdict}");
    let answer = folder.json("attack n.csv --plan nested.toml --original events.csv");
    assert_eq!(answer["refuted"], false, "{answer}");
}

#[test]
fn a_column_that_differs_between_the_rows_of_a_person_is_not_the_persons() {
    let folder = events();
    let plan = folder.text("nested.toml").expect("it is there");
    folder.put("wrong.toml", plan.replace("'events[].year'", "year"));
    let text = folder.refused("anonymize wrong.toml");
    assert!(text.contains("column `year` differs between rows 1 and 2"), "{text}");
    assert!(text.contains("give its role to `\"events[].year\"`"), "{text}");
    folder.put("keyless.toml", plan.replace("key = 'id'\n[t", "[t"));
    assert!(folder.refused("anonymize keyless.toml").contains("no `key` says"));
}

#[test]
fn diagnosis_counts_people() {
    let folder = events();
    let answer = folder.json("diagnose plan.toml");
    let people: Value = serde_json::from_str(
        r#"{"column": "id", "people": 12, "k": 2, "alone": 0, "sensitive": [{"attribute": "event",
            "frequency_l": {"num": 1, "den": 1}, "frequency_l_value": 1.0, "people_disclosed": 12}]}"#,
    )
    .expect("it is JSON");
    assert_eq!((&answer["people"], &answer["k"]), (&people, &6.into()), "{answer}");
    let text = folder.run("diagnose plan.toml").stdout;
    let top = text.lines().take(9).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(top, @r"
    All 12 people give away their event: everybody like them has the same value

    events.csv: 36 rows of 12 people, quasi-identifiers birth, sex

    People
      k, counting people    k = 2  nobody can be narrowed down to fewer than 2 people
      frequency l of event  1      up to 100 % of the people of a class have one value
      - rows with the same `id` are one person's; all other figures here count rows
    ");
    let text = folder.refused("diagnose plan.toml --k 5");
    assert!(text.contains("a level is asked for, and rows are not people"), "{text}");
    // Counting rows is what the plan asks for here, and then nothing calls them people.
    assert!(folder.json("diagnose rows.toml")["people"].is_null());
    let output = folder.run("diagnose rows.toml");
    assert!(output.stdout.starts_with("No row is unique: every row looks like"), "{output}");
    assert!(output.stdout.contains("of all pairs of rows"), "{output}");
    assert!(output.stderr.contains("`id` names 12 people in 36 rows"), "{output}");
    assert_eq!(folder.run("diagnose plan.toml --k 5 --unit row").code, 0);
}

#[test]
fn a_key_of_its_own_in_every_row_settles_it_and_names_prove_nothing() {
    let folder = Folder::new();
    let mut text = String::from("ssn,ward,name,age\n");
    for row in 0..40 {
        let name = ["Ann", "Bob", "Eve"][row % 3];
        let _ = writeln!(text, "{row:09},w{},{name},{}", row % 5, row % 4);
    }
    folder.put("t.csv", &text);
    let flags = "--quasi age --k 5 -o r.csv";
    // `ward` has digits and repeats: it could be the number of a person.
    let all = format!("anonymize t.csv --identifier ssn,ward,name {flags}");
    let text = folder.refused(&all);
    assert!(text.contains("`ward` names 5 people in 40 rows"), "{text}");
    assert_eq!(folder.run(&format!("{all} --key ssn")).code, 0);
    let output = folder.run(&format!("anonymize t.csv --identifier ssn,name {flags}"));
    assert_eq!((output.code, output.stderr.contains("one person")), (0, false), "{output}");
    // Names that most rows share are told.
    let output = folder.run(&format!("anonymize t.csv --identifier name {flags}"));
    assert_eq!(output.code, 0, "{output}");
    assert!(output.stderr.contains("`name`, an identifier, has 3 values in 40 rows"), "{output}");
    assert!(folder.refused(&format!("{all} --key age")).contains("`key` must be an identifier"));
}

#[test]
fn inspect_says_how_to_nest_and_proposes_a_plan_that_does() {
    let folder = events();
    let told = folder.run("inspect events.csv").stderr;
    assert!(told.contains("`id` has 12 values in 36 rows"), "{told}");
    let rows = ["--tables", "rows={ foreign-key = \"id\" }"];
    let plan = folder.run_with("inspect events.csv --key id --plan -", &rows).stdout;
    assert!(plan.contains("key = \"id\"\n\n[tables.\"rows\"]\nforeign-key = \"id\"\n"), "{plan}");
    let is_there = |line: &str| plan.lines().any(|found| found.contains(line));
    assert!(is_there("birth = ") && is_there("\"rows[].year\" = "), "{plan}");
    assert!(!is_there("rows[].birth") && !is_there("\nyear = "), "{plan}");
}

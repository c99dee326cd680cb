//! `kohort attack`: what a figure is of, and when an attack succeeds or refutes a promise.

use serde_json::{Value, json};

use crate::harness::Folder;

fn attack<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let attacks = answer["attacks"].as_array().expect("it is a list");
    attacks.iter().find(|attack| attack["id"] == id).unwrap_or(&Value::Null)
}

fn is_close(found: &Value, expected: f64) -> bool {
    found.as_f64().is_some_and(|found| (found - expected).abs() < 1e-9)
}

/// Rows of a class, one for each value.
fn class(shown: &str, values: &[&str]) -> String {
    values.iter().map(|value| format!("{shown},{value}\n")).collect::<Vec<_>>().concat()
}

#[test]
fn membership_in_overlapping_classes_is_no_sum() {
    // Two of the four people of 20 to 29 and three of the four of 25 to 35 are in the release. Who is of 26 or
    // 27 may be of either: 1 - (1 - 1/2)(1 - 3/4), where the sum would be above 1.
    let release =
        format!("age,s\n{}{}", class("20-29", &["a", "b"]), class("25-35", &["a", "b", "c"]));
    let folder = Folder::with(&[
        ("r.csv", &release),
        ("p.csv", "id,age\n1,21\n2,22\n3,26\n4,27\n5,33\n6,34\n"),
        // Who of 26 is not in the table.
        ("t.csv", "id,age,s\n1,21,a\n4,27,b\n5,33,a\n6,34,b\n7,30,c\n"),
    ]);
    let ask = "attack r.csv --quasi age --sensitive s --public p.csv --only membership";
    let answer = folder.json(ask);
    let found = attack(&answer, "membership");
    assert!(is_close(&found["max_probability"], 0.875), "{found}");
    assert_eq!(found["above"], json!({ "0.5": 4, "0.8": 2, "1.0": 0 }));
    let note = "the probability of being in the table goes from 0.500 to 0.875";
    assert_eq!(found["notes"][0], note);
    // Nobody is said to be in it for sure, so nobody is wrongly.
    let answer = folder.json(&format!("{ask} --original t.csv --key id"));
    let found = attack(&answer, "membership");
    assert_eq!((&found["known"], &found["above"]["1.0"]), (&json!("measured"), &json!(0)));
    // A class with as many rows as people is sure.
    folder.put("p.csv", "id,age\n1,21\n2,22\n3,31\n4,32\n5,33\n");
    let answer = folder.json(ask);
    assert_eq!(attack(&answer, "membership")["above"]["1.0"], 5);
}

#[test]
fn an_attack_that_gains_nothing_does_not_succeed() {
    // Every class has one value, and both releases are the same: the second adds nothing.
    let classes: Vec<String> =
        (1..7).map(|n| class(&format!("{n}0-{n}9"), &[format!("d{n}").as_str(); 3])).collect();
    let release = format!("age,s\n{}", classes.concat());
    let table: String =
        (1..7).flat_map(|n| (0..3).map(move |of| format!("p{n}{of},{n}{of},d{n}\n"))).collect();
    let folder = Folder::with(&[
        ("r.csv", &release),
        ("r2.csv", &release),
        ("t.csv", &format!("id,age,s\n{table}")),
    ]);
    let ask = "--quasi age --sensitive s --original t.csv";
    let answer = folder.json(&format!("attack r.csv --release2 r2.csv {ask}"));
    assert_eq!(attack(&answer, "homogeneity")["verdict"], "succeeds");
    for id in ["temporal", "complementary-release", "record-linking", "value-association"] {
        let found = attack(&answer, id);
        let all = found["per_attribute"].as_array().expect("it is a list");
        for found in all.iter().chain([found]) {
            // Certain of everybody, and so was who has the newest alone.
            assert!(is_close(&found["advantage"], 0.0), "{id}: {found}");
            assert_eq!(found["verdict"], "not refuted", "{id}: {found}");
        }
        let certain = all.iter().chain([found]).filter_map(|found| found["above"]["1.0"].as_u64());
        assert_eq!(certain.max(), Some(18), "{id}: {found}");
    }
    // Below the blind guess it does not succeed either: all are in the table, which nobody can tell.
    let people: Vec<String> = (0..40).map(|n| format!("q{n},{}\n", 10 + n)).collect();
    folder.put("v.csv", format!("id,age\n{}", people.concat()));
    let answer = folder
        .json("attack r.csv --quasi age --sensitive s --public v.csv --original t.csv --key id");
    let found = attack(&answer, "membership");
    assert!(found["advantage"].as_f64() <= Some(0.0), "{found}");
    assert_eq!(found["verdict"], "not refuted", "{found}");
}

#[test]
fn every_figure_at_the_top_is_of_the_attribute_that_it_names() {
    // What everybody has is certain and gains nothing; a gain comes first, and is less sure.
    let rows = |age: &str, values: [&str; 3]| values.map(|s| format!("{age},{s},x\n")).concat();
    let release = format!(
        "age,s,x\n{}{}{}{}",
        rows("10-19", ["a", "a", "b"]),
        rows("20-29", ["c", "c", "d"]),
        rows("30-39", ["e", "e", "f"]),
        rows("40-49", ["g", "g", "h"])
    );
    let folder = Folder::with(&[("r.csv", &release)]);
    let answer = folder.json("attack r.csv --quasi age --sensitive s,x --only homogeneity");
    let found = attack(&answer, "homogeneity");
    assert_eq!(found["attribute"], "s", "{found}");
    let of = |name: &str| {
        let all = found["per_attribute"].as_array().expect("it is a list");
        all.iter().find(|score| score["attribute"] == name).unwrap_or(&Value::Null)
    };
    assert!(is_close(&of("s")["max_probability"], 2.0 / 3.0), "{found}");
    assert!(is_close(&of("x")["max_probability"], 1.0), "{found}");
    assert_eq!(of("s")["above"], json!({ "0.5": 12, "0.8": 0, "1.0": 0 }));
    assert_eq!(of("x")["above"], json!({ "0.5": 12, "0.8": 12, "1.0": 12 }));
    // Every figure at the top is of the attribute that it names.
    for figure in ["success", "max_probability", "above"] {
        assert_eq!(found[figure], of("s")[figure], "{figure}");
    }
}

/// A plan of a series that promises this.
fn plan(promise: &str) -> String {
    format!(
        "[attributes]\nid = 'identifier'\nage = 'quasi'\ns = 'sensitive'\n[series]\nname = 'x'\n\
         key = 'id'\n{promise}\n"
    )
}

#[test]
fn the_promise_of_a_series_bounds_the_attacks_on_it() {
    let release = |values: &[&str]| format!("age,s\n{}", class("20-29", values));
    let folder = Folder::with(&[
        ("p.toml", &plan("method = 'm-invariance'\nm = 2")),
        ("r1.csv", &release(&["a", "b"])),
        ("r2.csv", &release(&["a", "c"])),
        ("same.csv", &release(&["a", "b"])),
        ("t.csv", "id,age\n1,21\n2,22\n3,23\n"),
        ("k.csv", "person,attribute,relation,value\n2,,not-in-release,2\n3,,not-in-release,1\n"),
    ]);
    let ask = "--plan p.toml --public t.csv --key id --only value-association";
    // Whoever stays has a; but it is not known who does.
    let assumed = folder.json(&format!("attack r1.csv r2.csv {ask} --knowledge k.csv"));
    let found = attack(&assumed, "value-association");
    assert_eq!((&assumed["refuted"], &found["verdict"]), (&json!(false), &json!("succeeds")));
    assert_eq!(found["max_probability"], json!(1.0));
    let known = folder.text("k.csv").unwrap_or_default();
    let present = [(1, 1), (1, 2), (2, 1), (3, 2)];
    let present = present.map(|(person, release)| format!("{person},,in-release,{release}\n"));
    folder.put("k.csv", known + &present.concat());
    let broken = folder.run(&format!("attack r1.csv r2.csv {ask} --knowledge k.csv --format json"));
    let answer = broken.json();
    let found = attack(&answer, "value-association");
    assert_eq!((broken.code, &answer["refuted"]), (1, &json!(true)), "{broken}");
    assert_eq!((&found["bound"], &found["max_probability"]), (&json!(0.5), &json!(1.0)));
    assert_eq!(
        (&found["verdict"], &answer["promised"]),
        (&json!("refuted"), &json!(["m-invariance"]))
    );
    // The same values again keep it.
    folder.put("t.csv", "id,age\n1,21\n2,22\n");
    let kept = folder.run(&format!("attack r1.csv same.csv {ask} --format json"));
    let answer = kept.json();
    let found = attack(&answer, "value-association");
    assert_eq!((kept.code, &found["verdict"]), (0, &json!("not refuted")), "{kept}");
    assert_eq!((&found["bound"], &found["max_probability"]), (&json!(0.5), &json!(0.5)));
}

#[test]
fn the_correlations_of_a_plan_are_read_and_its_rho_bounds_them() {
    // g never ends: who has f or d later had f (t5 of Table 41).
    let release = |values: &[&str]| format!("age,s\n{}", class("20-29", values));
    let promise = "method = 'rho-different'\nrho = 0.5\ncorrelations = 'follows.csv'";
    let folder = Folder::with(&[
        ("plans/p.toml", &plan(promise)),
        ("plans/follows.csv", "from,to,probability\ng,g,1\n"),
        ("r1.csv", &release(&["f", "g"])),
        ("r2.csv", &release(&["f", "d"])),
        ("t.csv", "id,age,in\n1,21,1\n2,22,1\n"),
    ]);
    let ask = "attack r1.csv r2.csv --plan plans/p.toml --public t.csv --presence in,in \
               --only correlation";
    let broken = folder.run(&format!("{ask} --format json"));
    let answer = broken.json();
    let found = attack(&answer, "correlation");
    assert_eq!((broken.code, &found["verdict"]), (1, &json!("refuted")), "{broken}");
    assert_eq!((&found["bound"], &found["max_probability"]), (&json!(0.5), &json!(1.0)));
    assert_eq!(found["above"]["1.0"], 2);
    // A flag is asked before the plan, and the file of the plan must be there.
    folder.put("other.csv", "from,to,probability\nd,d,1\n");
    let other = folder.json(&format!("{ask} --correlations other.csv"));
    assert_ne!(attack(&other, "correlation")["success"], found["success"]);
    folder.put("plans/p.toml", plan(&promise.replace("follows", "nowhere")));
    assert!(folder.refused(ask).contains("nowhere.csv"));
    // Without any it is not run.
    folder.put("plans/p.toml", plan("method = 'rho-different'\nrho = 0.5"));
    assert_eq!(folder.json(ask)["not_run"][0]["id"], "correlation");
}

#[test]
fn guesses_that_are_right_more_often_than_is_allowed_do_not_pass_for_harmless() {
    // Who is 2 may be in either class, and their likeliest value together is that of everybody who is 2.
    let five = |line: &str| format!("{line}\n").repeat(5);
    let rows = |lines: [&str; 4]| format!("age,dis\n{}", lines.map(five).concat());
    let original = rows(["1,a", "2,x", "2,x", "3,b"]);
    let release = rows(["\"[1, 2]\",a", "\"[1, 2]\",x", "\"[2, 3]\",x", "\"[2, 3]\",b"]);
    let plan =
        "[attributes]\nage = 'quasi'\ndis = 'sensitive'\n[goal]\nfrequency-l-diversity = 2\n";
    let folder = Folder::with(&[("t.csv", &original), ("r.csv", &release), ("plan.toml", plan)]);
    assert_eq!(folder.run("verify r.csv --plan plan.toml --original t.csv").code, 0);
    let answer = folder.json("attack r.csv --plan plan.toml --original t.csv");
    let found = attack(&answer, "homogeneity");
    assert_eq!((&found["success"], &found["bound"]), (&json!(1.0), &json!(0.5)), "{found}");
    assert_eq!(found["verdict"], "succeeds", "{found}");
    assert!(found["notes"].to_string().contains("right more often than 50 %"), "{found}");
    let text = folder.run("attack r.csv --plan plan.toml --original t.csv").stdout;
    let told = "right more often than a promise about single classes allows";
    assert!(text.lines().next().is_some_and(|line| line.contains(told)), "{text}");
}

//! `kohort attack`: what attacks find, with what they are given.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Folder, SECRET};

const PLAN: &str = "[attributes]\nid = \"identifier\"\nage = \"quasi\"\n\
                    zip = { role = \"quasi\", taxonomy = \"mask\" }\ndisease = \"sensitive\"\n\
                    [goal]\nk-anonymity = 2\nfrequency-l-diversity = 2\n";

const ORIGINAL: &str = "id,age,zip,disease\np1,21,123,flu\np2,29,124,cold\np3,30,125,flu\np4,38,126,gout\n\
                        p5,55,227,flu\np6,66,228,cold\n";

const RELEASE: &str = "age,zip,disease\n\"[21, 29]\",12*,flu\n\"[30, 38]\",12*,gout\n\
                       \"[55, 66]\",22*,cold\n\"[21, 29]\",12*,cold\n\"[55, 66]\",22*,flu\n\
                       \"[30, 38]\",12*,flu\n";

/// Two of the six, and two whom the table does not have.
const PUBLIC: &str = "id,age,zip\np1,21,123\np6,66,228\nq1,25,124\nq2,80,999\n";

fn folder() -> Folder {
    Folder::with(&[("p.toml", PLAN), ("t.csv", ORIGINAL), ("r.csv", RELEASE), ("v.csv", PUBLIC)])
}

fn attack<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let attacks = answer["attacks"].as_array().expect("it is a list");
    attacks.iter().find(|attack| attack["id"] == id).unwrap_or(&Value::Null)
}

fn notes(answer: &Value) -> String {
    let notes = answer["notes"].as_array().expect("it is a list");
    notes.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

fn needs(answer: &Value) -> Vec<&str> {
    let not_run = answer["not_run"].as_array().expect("it is a list");
    assert!(not_run.iter().all(|attack| attack["needs"].is_string()));
    not_run.iter().filter_map(|attack| attack["id"].as_str()).collect()
}

#[test]
fn attacks_have_their_fields() {
    let answer = folder().json("attack r.csv --plan p.toml --original t.csv");
    for list in ["attacks", "raw"] {
        for attack in answer[list].as_array().expect("it is a list") {
            for field in ["id", "title", "criterion", "verdict", "known", "meaning"] {
                assert!(attack[field].is_string(), "{list} {field}");
            }
            for field in ["success", "baseline", "advantage", "max_probability"] {
                assert!(attack[field].is_f64(), "{list} {field}");
            }
            assert!(attack["targets"].is_u64());
            for above in ["0.5", "0.8", "1.0"] {
                assert!(attack["above"][above].is_u64(), "{list} {above}");
            }
            assert!(attack["interval"][0].is_f64() && attack["interval"][1].is_f64());
            assert!(attack["bound"].is_null() || attack["bound"].is_f64());
            assert!(attack["notes"].is_array() && attack["per_attribute"].is_array());
        }
    }
    assert_eq!(answer["refuted"], false);
    assert_eq!(answer["criteria"].as_array().map(Vec::len), Some(3));
}

#[test]
fn every_attack_of_the_list_runs_or_says_what_it_needs() {
    let folder = folder();
    let listed = folder.json("list attacks");
    let is_nested = |item: &Value| {
        item["facts"].as_str().is_some_and(|facts| facts.ends_with("for nested records"))
    };
    let items = listed.as_array().into_iter().flatten().filter(|item| !is_nested(item));
    let ids: Vec<&str> = items.filter_map(|item| item["id"].as_str()).collect();
    assert!(ids.len() >= 4);
    let answer = folder.json("attack r.csv --plan p.toml");
    let not_run = needs(&answer);
    for id in ids {
        let ran = !attack(&answer, id).is_null();
        assert!(ran != not_run.contains(&id), "{id}");
    }
    assert!(answer.get("raw").is_none());
}

#[test]
fn a_release_that_keeps_its_promise_bounds_the_attacks() {
    let answer = folder().json("attack r.csv --plan p.toml --original t.csv");
    let prosecutor = attack(&answer, "prosecutor");
    assert_eq!(prosecutor["max_probability"], 0.5);
    assert_eq!((&prosecutor["bound"], &prosecutor["known"]), (&json!(0.5), &json!("measured")));
    assert_eq!(prosecutor["verdict"], "not refuted");
    let homogeneity = attack(&answer, "homogeneity");
    assert_eq!(
        (&homogeneity["attribute"], &homogeneity["success"]),
        (&json!("disease"), &json!(0.5))
    );
    let raw = answer["raw"].as_array().expect("it is a list");
    let before = raw.iter().find(|attack| attack["id"] == "prosecutor").expect("it ran");
    assert_eq!((&before["success"], &before["verdict"]), (&json!(1.0), &json!("succeeds")));
}

#[test]
fn a_refuted_promise_is_a_no_and_comes_first() {
    let folder = folder();
    let output = folder.run("attack t.csv --plan p.toml --format json");
    let answer = output.json();
    assert_eq!((output.code, &answer["refuted"]), (1, &json!(true)));
    assert_eq!(answer["attacks"][0]["verdict"], "refuted");
    // Without a promise there is nothing to refute.
    let output = folder.run("attack t.csv --quasi age,zip --sensitive disease --format json");
    assert_eq!((output.code, output.json()["refuted"].as_bool()), (0, Some(false)));
    let output = folder.run("attack t.csv --quasi age,zip --sensitive disease --k 2 --format json");
    assert_eq!(output.code, 1);
}

#[test]
fn two_attacks_read_well() {
    let ask = "attack r.csv --plan p.toml --original t.csv --only prosecutor,homogeneity";
    assert_snapshot!(folder().run(ask), @r"
    exit 0
    --- stdout
    r.csv: no attack refutes a promise

      6 rows, 2 attacks. Targets: the people of t.csv, known to be in the table. Before is the raw
        table without its identifiers, after is the release.

    risk          weakest attack          before  after   blind    verdict
    singling out  prosecutor               100 %   50 %  16.7 %    not refuted
    inference     homogeneity of disease   100 %   50 %    50 %    not refuted
    linkability   none ran                     –      –       –    –

    attack                  before  after   blind   gain  largest  allowed    verdict
    prosecutor               100 %   50 %  16.7 %  +33.3     50 %     50 %    not refuted
    homogeneity of disease   100 %   50 %    50 %   +0.0     50 %     50 %    not refuted

    after: the share of targets guessed right; blind: the same without what the attack adds; gain:
    the difference in percentage points; largest: the highest probability of a guess; allowed: the
    highest that the promises allow.

    What it means
      prosecutor: an adversary who knows that somebody is in the table picks out the record with
        probability 0.500 on average, and at most 0.500.
        6 targets, success from 18.8 to 81.2 % with 95 % confidence; probability above 0.5 for 0,
          above 0.8 for 0, 1 for 0.
      homogeneity of disease: the most frequent value of the matching records is right for 50.0 % of
        the targets, and 0 have no other possible value.
        6 targets, success from 18.8 to 81.2 % with 95 % confidence; probability above 0.5 for 0,
          above 0.8 for 0, 1 for 0.

    What this does not show
      Not refuted does not mean safe: these attacks, with what was given to them, stay within the
        promises or gain nothing over a blind guess.
      An adversary who knows a column that is not named here, another release of the same people, or
        more about a person, can do better.
      Without the truth to compare with, a success is what the adversary expects (marked ~), not a
        measurement.
      The largest probability is that of the most exposed person; the success is an average over all
        targets.
      An attack report shows where a release is weak: store it like the microdata.
    ");
}

#[test]
fn people_of_a_public_table_are_compared_with_the_original() {
    let folder = folder();
    let ask = "attack r.csv --plan p.toml --public v.csv --original t.csv --only prosecutor";
    let answer = folder.json(ask);
    // Two of the four are in the table; the key of the plan tells who.
    assert_eq!(attack(&answer, "prosecutor")["targets"], 2);
    assert!(notes(&answer).contains("are found in the original by `id`"), "{}", notes(&answer));
    // Without a key, those whose quasi-identifiers are theirs alone.
    folder.put("p.toml", PLAN.replace("id = \"identifier\"\n", ""));
    let by_quasi = folder.json(ask);
    assert!(notes(&by_quasi).contains("by equal quasi-identifiers"), "{}", notes(&by_quasi));
    assert_eq!(attack(&by_quasi, "prosecutor")["targets"], 2);
    let by_key = folder.json(&format!("{ask} --key id"));
    assert_eq!(by_key["attacks"], answer["attacks"]);
    // Without the original nobody knows, and the figures are expectations.
    let alone = folder.json("attack r.csv --plan p.toml --public v.csv --only prosecutor");
    assert_eq!(attack(&alone, "prosecutor")["known"], "expected");
    assert_eq!(attack(&alone, "prosecutor")["targets"], 4);
    folder.put("v.csv", PUBLIC.replace("p1", "x1").replace("p6", "x6"));
    let strangers = folder.json(&format!("{ask} --key id"));
    assert!(notes(&strangers).contains("nobody of v.csv is found in the original that way"));
    assert_eq!(needs(&strangers), ["prosecutor"]);
    assert!(folder.refused(&format!("{ask} --key none")).contains("no column `none` in v.csv"));
}

#[test]
fn people_who_cannot_be_told_apart_are_left_out() {
    let folder = folder();
    folder.put("v.csv", format!("{PUBLIC}p1,21,123\n,29,124\n"));
    let ask = "attack r.csv --plan p.toml --public v.csv --original t.csv --only prosecutor";
    let answer = folder.json(ask);
    assert_eq!(attack(&answer, "prosecutor")["targets"], 1);
    assert!(
        notes(&answer).contains("3 people cannot be distinguished from others that way"),
        "{}",
        notes(&answer)
    );
    folder.put("v.csv", "id,age,zip\n,29,124\n");
    let answer = folder.json(ask);
    assert_eq!(attack(&answer, "prosecutor")["known"], "expected");
    assert!(notes(&answer).contains("success is what the adversary expects"));
}

#[test]
fn a_public_table_may_lack_a_column() {
    let folder = folder();
    folder.put("v.csv", "id,age\np1,21\np6,66\n");
    let answer = folder.json("attack r.csv --plan p.toml --public v.csv --only prosecutor");
    assert!(notes(&answer).contains("v.csv lacks `zip`"), "{}", notes(&answer));
    assert_eq!(attack(&answer, "prosecutor")["targets"], 2);
    folder.put("v.csv", "id,name\np1,x\n");
    let refused = folder.refused("attack r.csv --plan p.toml --public v.csv");
    assert!(refused.contains("v.csv has no quasi-identifier"), "{refused}");
}

#[test]
fn people_whom_no_record_covers_are_told() {
    let folder = folder();
    let without: Vec<&str> = RELEASE.lines().filter(|line| !line.contains("[55, 66]")).collect();
    folder.put("r.csv", without.join("\n") + "\n");
    let answer = folder.json("attack r.csv --plan p.toml --original t.csv");
    assert!(
        notes(&answer).contains("no record covers 2 of 6 people of t.csv"),
        "{}",
        notes(&answer)
    );
    folder.put("v.csv", "age,zip\n99,999\n");
    let answer = folder.json("attack r.csv --plan p.toml --public v.csv");
    assert!(notes(&answer).contains("covers anybody of v.csv"), "{}", notes(&answer));
}

#[test]
fn an_empty_release_gives_nothing_to_attack() {
    let folder = folder();
    folder.put("r.csv", "age,zip,disease\n");
    let refused = folder.refused("attack r.csv --plan p.toml");
    assert!(refused.starts_with("error: r.csv: has a header but no rows"), "{refused}");
}

#[test]
fn an_anatomized_release_is_read_from_one_file_or_two() {
    let folder = folder();
    let plan = PLAN.replace("k-anonymity = 2\n", "");
    folder.put("p.toml", format!("input = \"t.csv\"\n{plan}[method]\nalgorithm = \"anatomy\"\n"));
    // The same deal for both.
    folder.secret("secret", 1);
    let ask = "anonymize p.toml --secret-file secret";
    let made = folder.run(&format!("{ask} -o two.csv"));
    assert_eq!(made.code, 0, "{made}");
    assert!(folder.text("two.sensitive.csv").is_some());
    assert_eq!(folder.run(&format!("{ask} -o one.csv --anatomy one-file")).code, 0);
    let attacked = |words: &str| folder.json(&format!("attack {words} --original t.csv"));
    let two = attacked("two.csv --plan p.toml");
    assert_eq!(two["attacks"], attacked("one.csv --plan p.toml")["attacks"]);
    // Without a plan a column of groups tells.
    let flags = "--quasi age,zip --taxonomy zip=mask --sensitive disease --frequency-l 2";
    let bare = attacked(&format!("two.csv {flags}"));
    let homogeneity = attack(&bare, "homogeneity");
    assert_eq!(homogeneity["success"], attack(&two, "homogeneity")["success"]);
    assert!(homogeneity["max_probability"].as_f64().is_some_and(|p| p <= 0.5));
    // Which row has which value says nothing, so nothing is measured without the original.
    let alone = folder.json("attack two.csv --plan p.toml");
    assert_eq!(attack(&alone, "homogeneity")["known"], "expected");
    let refused = folder.refused("attack r.csv --plan p.toml");
    assert!(refused.contains("this one has no column `group`"), "{refused}");
}

#[test]
fn several_sensitive_attributes_are_told_apart() {
    let folder = Folder::with(&[("r.csv", "a,s,t\n1,x,y\n1,x,z\n2,x,y\n2,w,y\n")]);
    let answer = folder.json("attack r.csv --quasi a --sensitive s,t");
    let homogeneity = attack(&answer, "homogeneity");
    let parts = homogeneity["per_attribute"].as_array().expect("it is a list");
    let names: Vec<&str> = parts.iter().filter_map(|part| part["attribute"].as_str()).collect();
    assert_eq!((names.len(), &homogeneity["attribute"]), (2, &parts[0]["attribute"]));
    assert!(names.contains(&"s") && names.contains(&"t"));
}

#[test]
fn other_releases_are_read() {
    let folder = folder();
    folder.put("r2.csv", RELEASE.replace(",12*", ",1**"));
    let answer = folder.json("attack r.csv --plan p.toml --release2 r2.csv --release2 r.csv");
    assert_eq!(answer["rows"], 6);
    let refused = folder.refused("attack r.csv --plan p.toml --release2 none.csv");
    assert!(refused.contains("none.csv"), "{refused}");
}

#[test]
fn joins_with_several_releases_are_told_apart() {
    let folder = folder();
    folder.put("r2.csv", RELEASE.replace(",12*", ",1**"));
    let ask = "attack r.csv --plan p.toml --release2 r2.csv --release2 r3.csv";
    folder.put("r3.csv", RELEASE);
    let answer = folder.json(ask);
    let found = attack(&answer, "complementary-release")["per_attribute"].as_array().cloned();
    let ways: Vec<Value> = found.iter().flatten().map(|score| score["way"].clone()).collect();
    assert_eq!(ways.len(), 4, "{ways:?}");
    assert!(ways.contains(&json!("with r2.csv")) && ways.contains(&json!("with r3.csv")));
    let text = folder.run(ask).stdout;
    assert!(text.contains("complementary-release of disease with r2.csv"), "{text}");
}

#[test]
fn groups_of_anatomized_releases_are_joined() {
    let rows = |groups: [&str; 4]| {
        let lines: Vec<String> =
            (21..).zip(groups).map(|(age, group)| format!("{age},{group}\n")).collect();
        format!("age,group\n{}", lines.concat())
    };
    let values = |pairs: [&str; 2]| {
        let line = |(group, values): (usize, &str)| {
            let lines: Vec<String> =
                values.split('+').map(|value| format!("{group},{value},1\n")).collect();
            lines.concat()
        };
        let lines: Vec<String> = (1..).zip(pairs).map(line).collect();
        format!("group,disease,count\n{}", lines.concat())
    };
    let folder = Folder::with(&[("t.csv", "age,disease\n21,flu\n22,cold\n23,gout\n24,cough\n")]);
    folder.put("a.csv", rows(["1", "1", "2", "2"]));
    folder.put("a.sensitive.csv", values(["flu+cold", "gout+cough"]));
    folder.put("b.csv", rows(["1", "2", "1", "2"]));
    folder.put("b.sensitive.csv", values(["flu+gout", "cold+cough"]));
    let ask = "attack a.csv --quasi age --sensitive disease --frequency-l 2 --release2 b.csv";
    let made = folder.run(&format!("{ask} --original t.csv --format json"));
    assert_eq!(made.code, 1, "{made}");
    let answer: Value = serde_json::from_str(&made.stdout).expect("it is JSON");
    let found = attack(&answer, "complementary-release");
    assert_eq!((&found["success"], &found["baseline"]), (&json!(1.0), &json!(0.5)), "{found}");
    assert_eq!((&found["verdict"], &found["known"]), (&json!("refuted"), &json!("measured")));
}

#[test]
fn elimination_says_whom_it_needs_beside_a_public_table() {
    let ask = "attack r.csv --plan p.toml --public v.csv --original t.csv --key id";
    let answer = folder().json(ask);
    let not_run = answer["not_run"].as_array().expect("it is a list");
    let elimination = not_run.iter().find(|attack| attack["id"] == "elimination");
    let needs = elimination.map(|attack| attack["needs"].clone());
    let expected = "people of the public table who are known to be in the released one (`--knowledge`), or \
                    `--original` alone";
    assert_eq!(needs, Some(json!(expected)));
}

#[test]
fn unknown_names_are_refused_with_the_likely_one() {
    let folder = folder();
    assert_snapshot!(folder.refused("attack r.csv --plan p.toml --only prosecuter"), @r"
    error: there is no attack `prosecuter`; did you mean `prosecutor`?

    hint: `kohort list attacks` lists them
    ");
    assert_snapshot!(folder.refused("attack r.csv --plan p.toml --algorithm magic"), @r"
    error: there is no algorithm `magic`

    hint: `kohort list algorithms` lists them; leave it out if yours is not among them
    ");
    assert_snapshot!(folder.refused("attack r.csv"), @r"
    error: no quasi-identifier is named

    hint: name them with `--quasi age,sex,zip`, or write a plan to start from with `kohort inspect DATA --plan plan.toml`
    ");
    let refused = folder.refused("attack r.csv --plan p.toml --quasi wage");
    assert!(refused.contains("no column `wage` in r.csv"), "{refused}");
}

const KNOWN: &str = "person,attribute,relation,value\np1,disease,is-not,flu\np1,,in-table,\n\
                     p2,disease,is,cold\n";

#[test]
fn knowledge_is_read_as_csv_and_as_toml() {
    let folder = folder().and("k.csv", KNOWN);
    let toml = "[[person]]\nkey = \"p1\"\nmember = true\nis-not = { disease = [\"flu\"] }\n\
                [[person]]\nkey = \"p2\"\nis = { disease = \"cold\" }\n";
    folder.put("k.toml", toml);
    let ask = "attack r.csv --plan p.toml --original t.csv --knowledge";
    let csv = folder.json(&format!("{ask} k.csv"));
    assert_eq!(csv, folder.json(&format!("{ask} k.toml")));
    // p1 has the flu, whatever the file says.
    assert_snapshot!(notes(&csv), @"what the knowledge file says about 1 person is not true in t.csv: they are guessed wrong");
    folder.put("k.csv", format!("{KNOWN}p9,disease,is,flu\np3,disease,is-not,plague\n"));
    let more = folder.json(&format!("{ask} k.csv"));
    assert_snapshot!(notes(&more), @r"
    what the knowledge file says about 1 person is not true in t.csv: they are guessed wrong
    what k.csv says about 1 person is not used: column `id` of t.csv has no such name, or has it in several rows
    k.csv names 1 value that nobody in the release has
    ");
}

/// What is said about a knowledge file.
fn knowledge_refused(name: &str, text: &str) -> String {
    let folder = folder().and(name, text);
    let words = format!("attack r.csv --plan p.toml --original t.csv --knowledge {name}");
    let refused = folder.refused(&words);
    refused.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn errors_of_a_knowledge_file_name_the_place_and_no_cell() {
    let csv = |rows: &str| {
        let text = format!("person,attribute,relation,value\np1,disease,is,flu\n{rows}\n");
        knowledge_refused("k.csv", &text)
    };
    let cases = [
        csv(&format!("p2,disease,{SECRET},flu")),
        csv(&format!("p2,{SECRET},is,flu")),
        csv("p2,disease,is,"),
        csv("p2,,is-not,flu"),
        csv(",disease,is,flu"),
        csv("p1,disease,is,cold"),
        csv("p1,disease,is-not,flu"),
        csv("p3,,in-table,\np3,,not-in-table,"),
        knowledge_refused("k.csv", "person,attribute,value\np1,disease,flu\n"),
        knowledge_refused("k.csv", "person,attribute,relation,value\n"),
        knowledge_refused(
            "k.csv",
            &format!("person,attribute,relation,value\n{SECRET},,in-table,\n"),
        ),
    ];
    assert_snapshot!(cases.join("\n"), @r"
    error: k.csv, row 2, column `relation`: must be is, is-not, in-table, not-in-table, in-release, not-in-release or same-as
    error: k.csv, row 2: `attribute` must be a sensitive column (`disease`), but is not
    error: k.csv, row 2, column `value`: is required for this relation, but is empty
    error: k.csv, row 2, column `attribute`: is required for this relation, but is empty
    error: k.csv, row 2, column `person`: names nobody
    error: k.csv, row 2: contradicts what was said about the same person before
    error: k.csv, row 2: contradicts what was said about the same person before
    error: k.csv, row 3: contradicts what was said about the same person before
    error: no column `relation` in k.csv
    error: k.csv: has a header but no rows
    error: k.csv names nobody whom column `id` of t.csv names once
    ");
    let toml = |text: &str| knowledge_refused("k.toml", text);
    let cases = [
        toml("[[person]]\nmember = true\n"),
        toml(&format!("[[person]]\nkey = \"p1\"\nmember = \"{SECRET}\"\n")),
        toml("[[person]]\nkey = \"p1\"\nmembr = true\n"),
        toml(&format!("[[person]]\nkey = \"p1\"\nis = {{ disease = {{ x = \"{SECRET}\" }} }}\n")),
        toml(&format!("[[person]]\nkey = \"p1\"\n\nis = {{ {SECRET} = \"flu\" }}\n")),
        toml(&format!("[[person]]\nkey = {SECRET}\n")),
        toml("[[person]]\nkey = [\"p1\", \"p2\"]\n"),
        toml(""),
    ];
    assert_snapshot!(cases.join("\n"), @r"
    error: k.toml, line 1: missing field `key`
    error: k.toml, line 3: expected a boolean
    error: k.toml, line 3: unknown field `membr`, expected one of `key`, `member`, `is`, `is-not`, `in-release`, `not-in-release`, `same-as`
    error: k.toml, line 3: must be a text or a number, or a list of them
    error: k.toml, line 4: `attribute` must be a sensitive column (`disease`), but is not
    error: k.toml, line 2: not TOML
    error: k.toml, line 2: `key` must be one text
    error: k.toml says nothing about anybody
    ");
}

#[test]
fn knowledge_needs_people_with_names() {
    let folder = folder().and("k.csv", KNOWN);
    assert_snapshot!(folder.refused("attack r.csv --plan p.toml --knowledge k.csv"), @r"
    error: `--knowledge` is about people, but nothing says who they are

    hint: give a table of people with `--public` or `--original`, and the column that names them with `--key COLUMN`
    ");
    folder.put("p.toml", PLAN.replace("id = \"identifier\"\n", ""));
    let ask = "attack r.csv --plan p.toml --original t.csv --knowledge k.csv";
    assert!(folder.refused(ask).contains("nothing says who they are"));
    assert_eq!(folder.run(&format!("{ask} --key id")).code, 0);
}

#[test]
fn no_cell_is_shown_anywhere() {
    let marked = |text: &str| {
        let cells =
            [("flu", "aflu"), ("cold", "bcold"), ("gout", "cgout"), ("p1", "p1"), ("p6", "p6")];
        cells
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, &format!("{SECRET}{to}")))
    };
    let folder = folder();
    for (name, text) in [("t.csv", ORIGINAL), ("r.csv", RELEASE), ("v.csv", PUBLIC)] {
        folder.put(name, marked(text));
    }
    folder.put("k.csv", marked(KNOWN));
    let ask = "attack r.csv --plan p.toml --original t.csv --public v.csv --knowledge k.csv \
               --release2 r.csv --sampled 0.5 --report a.html";
    let output = folder.run(ask);
    assert_eq!(output.code, 0, "{output}");
    folder.run(&format!("{ask} --format json"));
    let page = folder.text("a.html").unwrap_or_default();
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(!page.contains(SECRET) && page.contains("Store it like the microdata"));
    for risk in ["Singling out", "Linkability", "Inference"] {
        assert!(page.contains(risk), "{risk}");
    }
}

#[test]
fn a_report_overwrites_no_input_and_no_other_file() {
    let folder = folder();
    let refused = folder.refused("attack r.csv --plan p.toml --original t.csv --report t.csv");
    assert!(refused.contains("inputs are not overwritten"), "{refused}");
    folder.put("mine.html", "mine");
    let ask = "attack r.csv --plan p.toml --report mine.html";
    assert!(folder.refused(ask).contains("is not a kohort report"));
    assert_eq!(folder.run(&format!("{ask} --force")).code, 0);
    assert_eq!(folder.run(ask).code, 0);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = Folder::hospital();
    assert_eq!(folder.run("anonymize plan.toml -o r.csv --quiet").code, 0);
    let ask = "attack r.csv --plan plan.toml --original h.csv";
    assert_eq!(folder.json(&format!("{ask} --threads 1")), folder.json(ask));
}

#[test]
fn a_table_that_the_release_was_not_made_from_is_doubted() {
    let fewer = ORIGINAL.replace("p6,66,228,cold\n", "");
    let files = [("p.toml", PLAN), ("t.csv", ORIGINAL), ("r.csv", RELEASE), ("fewer.csv", &fewer)];
    let folder = Folder::with(&files);
    let said = |original: &str| {
        let answer = folder.json(&format!("attack r.csv --plan p.toml --original {original}"));
        notes(&answer).lines().filter(|note| note.contains("another table")).collect::<String>()
    };
    assert_eq!(said("t.csv"), "");
    assert_eq!(
        said("fewer.csv"),
        "fewer.csv has fewer rows than the release: was the release made from another table?"
    );
    let swapped = RELEASE.replace("gout", "cold");
    let folder = Folder::with(&[("p.toml", PLAN), ("t.csv", ORIGINAL), ("r.csv", &swapped)]);
    let answer = folder.json("attack r.csv --plan p.toml --original t.csv");
    assert!(
        notes(&answer)
            .contains("the release shows some value of `disease` more often than t.csv has it"),
        "{}",
        notes(&answer)
    );
}

#[test]
fn knowledge_that_is_not_so_draws_a_note() {
    let said = |value: &str| {
        let known = format!("person,attribute,relation,value\np1,disease,is-not,{value}\n");
        let files = [("p.toml", PLAN), ("t.csv", ORIGINAL), ("r.csv", RELEASE), ("k.csv", &known)];
        let ask = "attack r.csv --plan p.toml --original t.csv --knowledge k.csv";
        notes(&Folder::with(&files).json(ask))
    };
    assert!(!said("cold").contains("is not true"));
    assert!(said("flu").contains("about 1 person is not true in t.csv"));
}

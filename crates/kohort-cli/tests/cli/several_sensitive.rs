//! Several sensitive attributes at once: l-pdiversity and l-mdiversity, asked for, made and judged.

use insta::assert_snapshot;
use serde_json::json;

use crate::harness::{Folder, SECRET};

/// Abdalaal 2012's voters, Table 4 with t8 = (b, x).
const VOTERS: &str = "age,zip,i1,i2\n20,3000,a,w\n25,3500,b,z\n25,4000,d,x\n30,6500,a,x\n40,5000,b,y\n\
                      45,5500,a,y\n45,4500,c,z\n40,6500,b,x\n55,5000,c,w\n";

const ASK: &str = "anonymize t.csv --quasi age,zip --sensitive i1,i2 --algorithm mondrian";

fn voters() -> Folder {
    Folder::with(&[("t.csv", VOTERS)])
}

#[test]
fn flags_ask_for_them_and_l_is_short_for_l_mdiversity() {
    let plan = |flags: &str| voters().run(&format!("{ASK} {flags} --print-plan")).stdout;
    let goal = |flags: &str| {
        let plan = plan(flags);
        plan.split_once("[goal]\n").and_then(|(_, goal)| goal.lines().next()).map(str::to_owned)
    };
    assert_eq!(goal("--l 3").as_deref(), Some("l-mdiversity = 3"));
    assert_eq!(plan("--l 3"), plan("--l-mdiversity 3"));
    assert_eq!(goal("--l-pdiversity 2").as_deref(), Some("l-pdiversity = 2"));
}

#[test]
fn what_is_promised_of_all_is_made_and_judged() {
    let folder = voters();
    let answer = folder.json(&format!("{ASK} --l 3 --l-pdiversity 2 -o r.csv"));
    assert_eq!(answer["verified"], true);
    let models: Vec<&str> = answer["goal"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|p| p["model"].as_str())
        .collect();
    assert_eq!(models, ["l-pdiversity", "l-mdiversity"]);
    // The judge refuses Table 22: of its second class two of four have c.
    let plan = folder.run(&format!("{ASK} --l 3 --suppression 0.3 --print-plan")).stdout;
    let folder = folder.and("plan.toml", plan).and("table_22.csv", TABLE_22);
    let said = folder.run("verify table_22.csv --plan plan.toml");
    assert_eq!(said.code, 1);
    assert!(
        said.stdout.contains("l-mdiversity, l = 3: FAILS in 1 of 2 classes, with 4 rows"),
        "{said}"
    );
}

/// Table 42 as a table: its classes are the rows with equal quasi-identifiers.
const TABLE_42: &str = "age,zip,i1,i2\n20-25,30-40,a,w\n20-25,30-40,b,z\n20-25,30-40,d,x\n\
                        40-55,50-65,a,y\n40-55,50-65,b,x\n40-55,50-65,c,w\n\
                        30-45,45-65,a,x\n30-45,45-65,b,y\n30-45,45-65,c,z\n";

/// Table 22 without the rows that it suppresses.
const TABLE_22: &str = "age,zip,i1,i2\n20-25,30-40,a,w\n20-25,30-40,b,z\n20-25,30-40,d,x\n\
                        40-55,50-65,a,y\n40-55,50-65,c,z\n40-55,50-65,b,x\n40-55,50-65,c,w\n";

#[test]
fn a_receipt_says_how_likely_values_are_guessed() {
    let folder = Folder::with(&[("t.csv", TABLE_42)]);
    let made = format!("{ASK} --l 3 --transparent no -o r.csv --report r.html");
    let answer = folder.json(&made);
    assert_eq!(answer["max_disclosure_exact"], json!({"num": 1, "den": 3}));
    assert_eq!(answer["max_disclosure"], json!(1.0 / 3.0));
    let third = json!({"num": 1, "den": 3});
    assert_eq!(
        answer["disclosure"],
        json!([{"probability": third, "probability_value": 1.0 / 3.0, "rows": 9}])
    );
    assert_eq!(answer["m_diversity"]["l"], 3);
    let guessing = answer["guessing"].as_array().map_or(0, Vec::len);
    assert_eq!((guessing, &answer["guessing"][1]["attribute"]), (2, &json!("i2")));
    assert_eq!(answer["guessing"][1]["l"], 3);
    let evidence = json!({"by_construction": 3, "decided": 0, "bounded": 0});
    assert_eq!(answer["goal"][0]["evidence"], evidence);
    let page = folder.text("r.html").unwrap_or_default();
    assert!(page.contains("holds</span> <span class=\"aside\">decided: 3 classes by construction"));
    assert!(page.contains("up to 1/3: 9 rows"), "the histogram is drawn");
    let text = folder.run(&format!("{made} --force")).stdout;
    let lines: Vec<&str> = text.lines().skip(2).take(4).collect();
    assert_snapshot!(lines.join("\n"), @r"
      9 of 9 rows in 3 classes, the smallest of 3; 0 suppressed
      l-mdiversity, l = 3: holds (decided: 3 classes by construction)
      promises about sensitive values hold against an adversary who finds a person's class, not against one who also runs the method again and compares what comes out
      the most likely value of a class, harmless or not, is guessed with probability 33.3 % at most: i1 33.3 %, i2 33.3 %
    ");
}

#[test]
fn one_sensitive_attribute_has_no_such_figures_unless_they_are_promised() {
    let ask = "anonymize t.csv --quasi age,zip --sensitive i1 --algorithm mondrian -o r.csv";
    let folder = voters();
    let answer = folder.json(&format!("{ask} --frequency-l 2"));
    assert!(answer.get("max_disclosure").is_none() && answer.get("guessing").is_none());
    let answer = folder.json(&format!("{ask} --l 2"));
    assert!(answer["max_disclosure"].as_f64().is_some_and(|share| share <= 0.5));
}

#[test]
fn a_diagnosis_has_both_levels_and_the_worst_posteriors() {
    let ask = "diagnose t.csv --quasi age,zip --sensitive i1,i2 --report d.html --force";
    let folder = Folder::with(&[("t.csv", TABLE_22)]);
    let answer = folder.json(ask);
    assert_eq!(answer["p_diversity"], json!({"l": 2, "evidence": "decided"}));
    let found = &answer["m_diversity"];
    assert_eq!((&found["l"], &found["evidence"]), (&json!(2), &json!("decided")));
    let posterior: Vec<String> = (found["posterior"].as_array().into_iter().flatten())
        .map(|one| format!("{} {} {}", one["bits"], one["probability"], one["evidence"]))
        .collect();
    assert_snapshot!(posterior.join("\n"), @r#"
    0 {"den":2,"num":1} "decided"
    1 {"den":3,"num":2} "decided"
    2 {"den":1,"num":1} "decided"
    "#);
    let text = folder.run(ask).stdout;
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("diversity")).take(2).collect();
    assert_snapshot!(lines.join("\n"), @r"
    l-pdiversity   l = 2   an adversary who finds the class guesses some sensitive value of somebody with probability 50 %
    l-mdiversity   l = 2   guessed with probability 66.7 % after ruling out one value, 100 % after ruling out two
    ");
    let page = folder.text("d.html").unwrap_or_default();
    assert!(page.contains("66.7 % after ruling out one value"));
    let one = folder.json("diagnose t.csv --quasi age,zip --sensitive i1");
    assert!(one.get("p_diversity").is_none() && one.get("m_diversity").is_none());
    let asked = format!("{ask} --l 3");
    assert_eq!(folder.run(&asked).code, 1);
    let table_42 = Folder::with(&[("t.csv", TABLE_42)]);
    assert_eq!(table_42.run(&asked).code, 0);
    assert_eq!(table_42.json(ask)["m_diversity"]["evidence"], "by-construction");
}

#[test]
fn what_stands_in_the_way_is_named_without_a_cell() {
    let folder = voters().and("t.csv", VOTERS.replace(",b,x", &format!(",a,{SECRET}")));
    let said = folder.says_no(&format!("{ASK} --l 3 -o r.csv"), &[]);
    assert_snapshot!(said, @r"
    error: no release reaches the goal
      caused by: `l-mdiversity` with l = 3 cannot be reached: one value of `i1` fills 44.4 % of the rows
      caused by: at most l = 2 is feasible

    hint: ask for less, or see what the table has: `kohort diagnose`
    ");
}

#[test]
fn without_a_sensitive_attribute_they_are_refused() {
    let output = voters().run("anonymize t.csv --quasi age,zip --l 3 -o r.csv");
    assert_eq!(output.code, 2);
    assert_snapshot!(output.stderr, @r"
    note: columns without a role are left out of the release: `i1`, `i2`
    error: `l-mdiversity` is about a sensitive attribute, and none is named

    hint: name it with `--sensitive disease`
    ");
    let said = voters().refused(&format!("{ASK} --l 1 -o r.csv"));
    assert!(said.contains("`l` must be at least 2, but is 1"), "{said}");
}

#[test]
fn a_comparison_varies_the_l_of_the_plan() {
    let folder = voters();
    let plan = folder.run(&format!("{ASK} --l 3 --print-plan")).stdout;
    let folder = folder.and("plan.toml", plan);
    let answer = folder.json("compare plan.toml --algorithms mondrian --k 2 --l 2,3,4");
    assert_eq!(answer["promised"], serde_json::json!([]));
    let reasons: Vec<bool> =
        answer["cells"].as_array().into_iter().flatten().map(|c| c["reason"].is_null()).collect();
    assert_eq!(reasons, [true, true, false]);
    assert!(answer["cells"][2]["reason"].to_string().contains("`l-mdiversity` with l = 4 cannot"));
    let said = folder.refused("compare plan.toml --algorithms mondrian --k 2 --l 2.5");
    assert!(said.contains("`l` of `l-mdiversity` must be a whole number, but is 5/2"), "{said}");
}

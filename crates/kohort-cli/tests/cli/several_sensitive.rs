//! Several sensitive attributes at once: l-pdiversity and l-mdiversity, asked for, made and judged.

use insta::assert_snapshot;

use crate::harness::{Folder, SECRET};

/// The thesis's voters, Table 4 with t8 = (b, x).
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
    let table = "age,zip,i1,i2\n20-25,3000-4000,a,w\n20-25,3000-4000,b,z\n20-25,3000-4000,d,x\n\
                 40-55,5000-6500,a,y\n40-55,5000-6500,c,z\n40-55,5000-6500,b,x\n40-55,5000-6500,c,w\n";
    let folder = folder.and("plan.toml", plan).and("table_22.csv", table);
    let said = folder.run("verify table_22.csv --plan plan.toml");
    assert_eq!(said.code, 1);
    assert!(said.stdout.contains("l-mdiversity, l = 3: fails in 1 class, 4 rows"), "{said}");
}

#[test]
fn what_stands_in_the_way_is_named_without_a_cell() {
    let folder = voters().and("t.csv", VOTERS.replace(",b,x", &format!(",a,{SECRET}")));
    let said = folder.says_no(&format!("{ASK} --l 3 -o r.csv"), &[]);
    assert_snapshot!(said, @r"
    error: no release reaches the goal
      caused by: `l-mdiversity` with l = 3 cannot be reached: one value of `i1` fills 44.4 % of the rows
      caused by: at most l = 2 is feasible

    hint: ask for less, allow more suppression with `--suppression 0.02`, or see what the table has: `kohort diagnose`
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

//! Sensitive cells that do not show one value: masked, missing, or spelled with characters nobody sees.

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::Folder;

const PLAN: &str = "[attributes]\nage = \"quasi\"\ndis = \"sensitive\"\n[goal]\nk-anonymity = 4\n\
                    distinct-l-diversity = 2\nfrequency-l-diversity = 2\nentropy-l-diversity = 2\n";

const ORIGINAL: &str = "age,dis\n1,HIV\n1,HIV\n1,HIV\n1,HIV\n2,flu\n2,flu\n2,HIV\n2,HIV\n";

/// The original with two of the four HIV shown in another way.
fn release(shown: &str) -> String {
    format!("age,dis\n1,HIV\n1,HIV\n1,{shown}\n1,{shown}\n2,flu\n2,flu\n2,HIV\n2,HIV\n")
}

fn folder(shown: &str) -> Folder {
    Folder::with(&[("p.toml", PLAN), ("t.csv", ORIGINAL), ("r.csv", &release(shown))])
}

/// The models that hold, by the release alone and with its original.
fn holding(folder: &Folder, flags: &str) -> Vec<String> {
    let answer = folder.json(&format!("verify r.csv --plan p.toml {flags}"));
    let goal = answer["goal"].as_array().expect("it is a list");
    let holds = goal.iter().filter(|one| one["holds"] == true);
    holds.filter_map(|one| one["model"].as_str()).map(str::to_owned).collect()
}

#[test]
fn a_masked_sensitive_cell_is_no_value_of_its_own() {
    assert_snapshot!(folder("*").run("verify r.csv --plan p.toml --original t.csv"), @r"
    exit 1
    --- stdout
    rejected

      8 rows in 2 classes, the smallest of 4
      k-anonymity, k = 4: holds (decided)
      distinct-l-diversity of dis, l = 2: FAILS in 1 of 2 classes, with 4 rows; masked cells of 1 class could be filled so that it fails
      frequency-l-diversity of dis, l = 2: FAILS in 1 of 2 classes, with 4 rows; masked cells of 1 class could be filled so that it fails
      entropy-l-diversity of dis, l = 2: FAILS in 1 of 2 classes, with 4 rows; masked cells of 1 class could be filled so that it fails

      against the original: every row covers a row of it
      0 of 8 rows are not in the release
      NCP: information lost per cell             0 %
      LM: information lost per cell              0 %
      Prec: precision left                       100 %
      DM: rows that look alike, summed           32
      C_AVG: average class over the smallest     1.000
      KL: distance from the original             0.000
    ");
}

#[test]
fn no_way_to_hide_a_value_makes_a_class_diverse() {
    for shown in
        ["*", "\"{HIV, flu}\"", "", "NA", "HIV\u{200b}", "H\u{ad}IV ", "HIV\u{2800}", "\u{2060}"]
    {
        let folder = folder(shown);
        for flags in ["", "--original t.csv"] {
            assert_eq!(holding(&folder, flags), ["k-anonymity"], "{shown:?} {flags}");
            let output = folder.run(&format!("verify r.csv --plan p.toml {flags}"));
            assert_eq!(output.code, 1, "{shown:?} {flags}");
        }
    }
}

#[test]
fn one_text_composed_in_two_ways_makes_no_class_diverse() {
    let plan = "[attributes]\nage = \"quasi\"\ndis = \"sensitive\"\n[goal]\n\
                k-anonymity = 4\ndistinct-l-diversity = 2\n";
    for (other, kept) in [("fie\u{300}vre", false), ("fievre", true)] {
        let release = format!("age,dis\n1,fi\u{e8}vre\n1,fi\u{e8}vre\n1,{other}\n1,{other}\n");
        let folder = Folder::with(&[("p.toml", plan), ("r.csv", &release)]);
        let expected =
            if kept { vec!["k-anonymity", "distinct-l-diversity"] } else { vec!["k-anonymity"] };
        assert_eq!(holding(&folder, ""), expected, "{other}");
    }
}

#[test]
fn masked_cells_that_cannot_break_a_promise_leave_it_standing() {
    // Whatever {flu, gout} is, two of four are no more than a half.
    let folder = folder("\"{flu, gout}\"");
    let all =
        ["k-anonymity", "distinct-l-diversity", "frequency-l-diversity", "entropy-l-diversity"];
    assert_eq!(holding(&folder, ""), all);
}

#[test]
fn a_missing_cell_stands_for_a_missing_one_only() {
    let plan = PLAN.replace("\"sensitive\"", "{ role = \"sensitive\", missing = \"value\" }");
    let folder = Folder::with(&[("p.toml", &plan), ("t.csv", ORIGINAL), ("r.csv", &release(""))]);
    assert_eq!(folder.run("verify r.csv --plan p.toml").code, 0);
    let output = folder.run("verify r.csv --plan p.toml --original t.csv --format json");
    let answer = output.json();
    assert_eq!((output.code, &answer["original"]["truthful"]), (1, &Value::Bool(false)));
}

#[test]
fn one_masked_cell_does_not_switch_off_the_comparison_with_the_original() {
    // The classes are like one another, and not like the table: its flu is gone.
    let plan = "[attributes]\nage = \"quasi\"\ndis = \"sensitive\"\n[goal]\nk-anonymity = 2\n\
                t-closeness = { t = 0.2 }\nsuppression = 0.5\n";
    let original = "age,dis\n1,HIV\n1,HIV\n2,HIV\n2,HIV\n3,flu\n3,flu\n3,flu\n3,flu\n";
    for shown in ["HIV", "*"] {
        let release = format!("age,dis\n1,HIV\n1,{shown}\n2,HIV\n2,HIV\n");
        let folder = Folder::with(&[("p.toml", plan), ("t.csv", original), ("r.csv", &release)]);
        assert_eq!(holding(&folder, "--original t.csv"), ["k-anonymity"], "{shown}");
    }
    // Without the original nobody knows how a table with masked cells is distributed.
    let release = "age,dis\n1,HIV\n1,*\n2,HIV\n2,HIV\n";
    let folder = Folder::with(&[("p.toml", plan), ("r.csv", release)]);
    assert_eq!(holding(&folder, ""), ["k-anonymity"]);
}

fn attack<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let attacks = answer["attacks"].as_array().expect("it is a list");
    attacks.iter().find(|attack| attack["id"] == id).unwrap_or(&Value::Null)
}

#[test]
fn an_adversary_guesses_the_value_that_a_class_leaves_most_likely() {
    for shown in ["*", "\"{HIV, flu}\"", "", "HIV\u{200b}"] {
        let answer = folder(shown).json("attack r.csv --plan p.toml --original t.csv");
        let homogeneity = attack(&answer, "homogeneity");
        // All four of the first class, and two of the four of the second.
        assert_eq!(homogeneity["success"], 0.75, "{shown:?}");
        assert_eq!(homogeneity["max_probability"], 1.0, "{shown:?}");
        assert_eq!(homogeneity["verdict"], "refuted", "{shown:?}");
    }
}

#[test]
fn a_range_between_numbers_may_be_any_of_them() {
    let plan = "[attributes]\nage = \"quasi\"\npay = \"sensitive\"\n[goal]\nk-anonymity = 2\n\
                ke-anonymity = { k = 2, e = 10, attribute = \"pay\" }\n";
    let check = |shown: &str, expected: &[&str]| {
        let release = format!("age,pay\n1,20\n1,\"{shown}\"\n2,20\n2,35\n");
        let folder = Folder::with(&[("p.toml", plan), ("r.csv", &release)]);
        assert_eq!(holding(&folder, ""), expected, "{shown}");
    };
    check("[25, 35]", &["k-anonymity"]);
    check("[30, 40]", &["k-anonymity", "ke-anonymity"]);
    check("*", &["k-anonymity"]);
}

#[test]
fn the_label_of_a_node_may_be_any_value_below_it() {
    let plan = "[attributes]\nage = \"quasi\"\ndis = { role = \"sensitive\", taxonomy = \"d.csv\" }\n\
                [goal]\nk-anonymity = 2\nalpha-k-anonymity = { alpha = 0.5, k = 2, values = [\"HIV\"], \
                attribute = \"dis\" }\n";
    let taxonomy = "HIV;virus;*\nflu;virus;*\ngout;other;*\n";
    let check = |shown: &str, expected: &[&str]| {
        let release = format!("age,dis\n1,gout\n1,{shown}\n1,{shown}\n");
        let folder = Folder::with(&[("p.toml", plan), ("d.csv", taxonomy), ("r.csv", &release)]);
        assert_eq!(holding(&folder, ""), expected, "{shown}");
    };
    // HIV stands nowhere in the release, and may be behind `virus` and `*`.
    check("virus", &["k-anonymity"]);
    check("*", &["k-anonymity"]);
    check("other", &["k-anonymity", "alpha-k-anonymity"]);
}

const ASKED: &str = "age,sad\n8,\n8,\n9,\n9,\n30,yes\n30,no\n31,yes\n31,no\n";

fn asked(missing: &str) -> Folder {
    let plan = format!(
        "input = \"t.csv\"\n[attributes]\nage = \"quasi\"\nsad = {{ role = \"sensitive\"{missing} }}\n[goal]\n\
         k-anonymity = 2\nfrequency-l-diversity = 2\n"
    );
    Folder::with(&[("p.toml", &plan), ("t.csv", ASKED), ("r.csv", ASKED)])
}

#[test]
fn children_who_were_not_asked_need_no_protection_unless_missing_is_a_value() {
    for missing in ["", ", missing = \"ignored\"", ", missing = \"unprotected\""] {
        let folder = asked(missing);
        assert_eq!(holding(&folder, ""), ["k-anonymity", "frequency-l-diversity"], "{missing}");
        let made = folder.json("anonymize p.toml --transparent no -o o.csv");
        assert_eq!(made["metrics"]["ncp"], 0.0, "{missing}: {made}");
        let answer = folder.json("attack r.csv --plan p.toml");
        let homogeneity = attack(&answer, "homogeneity");
        assert_eq!(
            (&homogeneity["max_probability"], &homogeneity["targets"]),
            (&0.5.into(), &4.into())
        );
    }
    let folder = asked(", missing = \"value\"");
    assert_eq!(holding(&folder, ""), ["k-anonymity"]);
    let answer = folder.json("attack r.csv --plan p.toml");
    assert_eq!(attack(&answer, "homogeneity")["max_probability"], 1.0);
    // A flag says the same.
    let folder = asked("");
    assert_eq!(holding(&folder, ""), ["k-anonymity", "frequency-l-diversity"]);
    let found = folder.json("diagnose t.csv --quasi age --sensitive sad --missing-as sad=value");
    assert_eq!(found["sensitive"][0]["distinct_l"], 1);
    let found = folder.json("diagnose t.csv --quasi age --sensitive sad");
    assert_eq!(found["sensitive"][0]["distinct_l"], 2);
}

#[test]
fn readings_of_missing_differ_where_only_some_of_a_class_have_a_value() {
    let table = "age,sad\n1,yes\n1,\n1,\n1,\n";
    let check = |missing: &str, expected: &[&str]| {
        let plan = format!(
            "[attributes]\nage = \"quasi\"\nsad = {{ role = \"sensitive\", missing = \"{missing}\" }}\n\
             [goal]\nk-anonymity = 4\nfrequency-l-diversity = 1.3\n"
        );
        let folder = Folder::with(&[("p.toml", &plan), ("r.csv", table)]);
        assert_eq!(holding(&folder, ""), expected, "{missing}");
    };
    check("value", &["k-anonymity", "frequency-l-diversity"]);
    check("ignored", &["k-anonymity"]);
    check("unprotected", &["k-anonymity", "frequency-l-diversity"]);
}

#[test]
fn a_reading_of_missing_that_has_no_meaning_for_a_model_is_refused() {
    let plan = "[attributes]\nage = \"quasi\"\nsad = { role = \"sensitive\", missing = \"unprotected\" }\n\
                [goal]\nk-anonymity = 2\nentropy-l-diversity = 2\n";
    let folder = Folder::with(&[("p.toml", plan), ("r.csv", ASKED)]);
    assert_snapshot!(folder.run("verify r.csv --plan p.toml"), @r"
    exit 2
    --- stderr
    error: missing cells of column `sad` are unprotected and hide the others, but `entropy-l-diversity` is about how values are spread: rows without one hide nothing from it

    hint: let missing cells of `sad` be ignored, or ask for a bound on shares, such as frequency l-diversity
    ");
    let output = folder.run("diagnose r.csv --quasi age --sensitive sad --missing-as sad=none");
    assert_snapshot!(output, @r"
    exit 2
    --- stderr
    error: `missing` of column `sad` must be value, ignored or unprotected, but is `none`

    hint: write `--missing-as sad=ignored`, `sad=value` or `sad=unprotected`
    ");
}

#[test]
fn what_is_not_missing_is_masked_by_msa_as_quasi_and_promises_nothing() {
    let table = "age,job,dis\n1,a,c\n1,b,c\n2,a,d\n2,b,d\n3,a,c\n3,b,d\n4,a,d\n4,b,c\n";
    let plan = "input = \"t.csv\"\n[attributes]\nage = \"quasi\"\njob = \"sensitive\"\ndis = \"sensitive\"\n[goal]\n\
                l-pdiversity = 2\n[method]\nalgorithm = \"msa-as-quasi\"\nallow-unsafe = true\n";
    let folder = Folder::with(&[("p.toml", plan), ("t.csv", table)]);
    let output = folder.run("anonymize p.toml -o o.csv --format json");
    let answer = output.json();
    assert_eq!(answer["goal"][0]["holds"], false, "{answer}");
}

#[test]
fn an_original_with_stars_is_refused_and_so_is_a_reading_of_what_is_not_sensitive() {
    let folder = Folder::with(&[("t.csv", &release("*"))]);
    let ask = "anonymize t.csv --quasi age --sensitive dis --k 2 --distinct-l 2 -o o.csv";
    let said = folder.refused(ask);
    assert!(said.contains("sensitive column `dis` has cells `*`"), "{said}");
    let levels = "diagnose t.csv --quasi age --sensitive dis";
    assert!(folder.refused(levels).contains("has cells `*`"));
    // As missing cells they make nothing diverse.
    let found = folder.run_with(levels, &["--missing", "*", "--format", "json"]).json();
    assert_eq!(found["sensitive"][0]["distinct_l"], 1);
    let output = folder.run_with(ask, &["--missing", "*"]);
    assert_eq!(output.code, 0, "{output}");
    // Nobody of whom a value is known stays alone with it.
    assert!(folder.text("o.csv").is_some_and(|text| !text.contains("\n1,HIV")), "{output}");
    // What a missing cell says is asked of sensitive columns alone.
    folder.put("t.csv", ORIGINAL);
    let output = folder.run("diagnose t.csv --quasi age --sensitive dis --missing-as age=value");
    assert!(output.stderr.contains("`--missing-as` of column `age` is not used"), "{output}");
    let plan = "[attributes]\nage = { role = \"quasi\", missing = \"value\" }\n";
    folder.put("p.toml", format!("input = \"t.csv\"\n{plan}[goal]\nk-anonymity = 2\n"));
    let said = folder.refused("anonymize p.toml -o p.csv");
    assert!(said.contains("`age` says what a missing cell is, and is not sensitive"), "{said}");
}

#[test]
fn masked_cells_of_an_attribute_with_buckets_may_be_in_the_buckets_of_what_they_cover() {
    let plan = "[attributes]\nage = \"quasi\"\npay = { role = \"sensitive\", buckets = { widths = 10 } }\n\
                [goal]\nk-anonymity = 2\ndistinct-l-diversity = 2\n";
    let check = |cells: [&str; 2], expected: &[&str]| {
        let release = format!("age,pay\n1,\"{}\"\n1,\"{}\"\n2,5\n2,25\n", cells[0], cells[1]);
        let original = "age,pay\n1,21\n1,33\n2,5\n2,25\n";
        let files = [("p.toml", plan), ("t.csv", original), ("r.csv", &release)];
        let folder = Folder::with(&files);
        for flags in ["", "--original t.csv"] {
            assert_eq!(holding(&folder, flags), expected, "{cells:?} {flags}");
        }
    };
    let both: &[&str] = &["k-anonymity", "distinct-l-diversity"];
    check(["21", "33"], both);
    check(["21", "*"], &["k-anonymity"]);
    check(["21", "[20, 29]"], &["k-anonymity"]);
    check(["21", "[30, 39]"], both);
    check(["21", "{5, 33}"], both);
    check(["21", "{25, 33}"], &["k-anonymity"]);
    check(["21", ""], &["k-anonymity"]);
}

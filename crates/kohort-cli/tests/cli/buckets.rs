//! Numbers as sensitive values: what diversity of single numbers is worth, and what buckets change.

use serde_json::{Value, json};

use crate::harness::Folder;

/// Sixty people whose salary follows from their age but for the last digits: no two earn the same, and
/// neighbors nearly do.
fn salaries() -> String {
    let row = |i: u32| format!("{},{}\n", 20 + i / 2, 1000 * (2 + i / 6) + 7 * (i % 6));
    format!("age,salary\n{}", (0..60).map(row).collect::<String>())
}

fn folder() -> Folder {
    Folder::with(&[("t.csv", &salaries())])
}

const ASK: &str = "anonymize t.csv --quasi age --sensitive salary --frequency-l 5 -o r.csv";
const WIDTHS: &str = "salary={ widths = 1000 }";
const ATTACK: &str = "attack r.csv --quasi age --sensitive salary --frequency-l 5 --original t.csv \
                      --only similarity,homogeneity";

fn attack<'a>(answer: &'a Value, id: &str) -> &'a Value {
    answer["attacks"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|attack| attack["id"] == id)
        .expect(id)
}

#[test]
fn diversity_of_single_numbers_is_warned_of_and_the_similarity_attack_shows_why() {
    let folder = folder();
    let made = folder.json(&format!("{ASK} --transparent no --report r.html"));
    assert_eq!(made["verified"], json!(true));
    assert!(made["metrics"]["lm"].as_f64().unwrap() < 0.1, "{made}");
    let notes = made["notes"].to_string();
    assert!(
        notes.contains("diversity of `salary` counts every number as a value of its own"),
        "{notes}"
    );
    assert!(notes.contains("`buckets = { widths = 1000 }`"), "{notes}");
    assert!(folder.text("r.html").unwrap().contains("counts every number as a value of its own"));
    let answer = folder.json(ATTACK);
    let similarity = attack(&answer, "similarity");
    assert_eq!(similarity["way"], "by window");
    assert!(similarity["success"].as_f64().unwrap() > 0.9, "{similarity}");
    assert!(answer["notes"].to_string().contains("counts every number"));
}

#[test]
fn diversity_of_buckets_bounds_the_similarity_attack() {
    let folder = folder();
    let output = folder.run_with(&format!("{ASK} --report r.html"), &["--buckets", WIDTHS]);
    assert_eq!(output.code, 0, "{output}");
    let promise = "frequency-l-diversity of salary (in buckets of 1,000), l = 5: holds (decided)";
    assert!(output.stdout.contains(promise), "{output}");
    assert!(!output.to_string().contains("counts every number"), "{output}");
    assert!(folder.text("r.html").unwrap().contains("(in buckets of 1,000)"));
    // The numbers are published as they are.
    let (release, original) = (folder.text("r.csv").unwrap(), salaries());
    let column = |text: &str| {
        let mut all: Vec<String> =
            text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().to_owned()).collect();
        all.sort();
        all
    };
    assert_eq!(column(&release), column(&original));
    let answer = folder.run_with(&format!("{ATTACK} --format json"), &["--buckets", WIDTHS]).json();
    for id in ["similarity", "homogeneity"] {
        let found = attack(&answer, id);
        assert_eq!(found["bound"], json!(0.2), "{found}");
        assert!(found["max_probability"].as_f64().unwrap() <= 0.2, "{found}");
        assert!(found["success"].as_f64().unwrap() <= 0.2, "{found}");
        assert_ne!(found["verdict"], json!("refuted"));
    }
    assert_eq!(attack(&answer, "similarity")["way"], json!("by bucket"));
    assert_eq!(answer["buckets"], json!({ "salary": "buckets of 1,000" }));
}

#[test]
fn a_release_that_is_diverse_in_numbers_alone_is_rejected_where_buckets_are_promised() {
    let folder = folder();
    assert_eq!(folder.run(ASK).code, 0);
    let plan = |buckets: &str| {
        format!(
            "input = 't.csv'\n[attributes]\nage = 'quasi'\nsalary = {{ role = 'sensitive'{buckets} }}\n\
             [goal]\nfrequency-l-diversity = 5\n"
        )
    };
    folder.put("plain.toml", plan(""));
    folder.put("buckets.toml", plan(", buckets = { widths = 1000 }"));
    let plain = folder.json("verify r.csv --plan plain.toml --original t.csv");
    assert_eq!(plain["verified"], json!(true));
    assert!(plain["notes"].to_string().contains("counts every number"), "{plain}");
    let buckets = folder.json("verify r.csv --plan buckets.toml --original t.csv");
    assert_eq!(buckets["verified"], json!(false));
    assert_eq!(buckets["goal"][0]["buckets"], json!("buckets of 1,000"));
    let reasons = buckets["reasons"].to_string();
    assert!(reasons.contains("of `salary` (in buckets of 1,000) with l = 5 fails"), "{reasons}");
    // The attack refutes the promise as well.
    let answer =
        folder.json("attack r.csv --plan buckets.toml --original t.csv --only homogeneity");
    assert_eq!(answer["refuted"], json!(true), "{answer}");
    // A value that was changed within its bucket is no value of the original.
    let changed = folder.text("r.csv").unwrap().replacen(",2000\n", ",2001\n", 1);
    folder.put("changed.csv", changed);
    let changed = folder.json("verify changed.csv --plan buckets.toml --original t.csv");
    assert_eq!(changed["original"]["truthful"], json!(false), "{changed}");
}

#[test]
fn quantiles_are_those_of_the_original_and_the_receipt_names_their_cuts() {
    let folder = folder();
    let quantiles = "salary={ quantiles = 5 }";
    let made = folder.run_with(&format!("{ASK} --format json"), &["--buckets", quantiles]).json();
    assert_eq!(made["verified"], json!(true), "{made}");
    let form = made["goal"][0]["buckets"].as_str().unwrap();
    assert_eq!(form, "buckets cut at 4000, 6000, 8000, 10000");
    let plan = |buckets: &str| {
        format!(
            "input = 't.csv'\n[attributes]\nage = 'quasi'\n\
             salary = {{ role = 'sensitive', buckets = {buckets} }}\n[goal]\nfrequency-l-diversity = 5\n"
        )
    };
    folder.put("quantiles.toml", plan("{ quantiles = 5 }"));
    folder.put("cuts.toml", plan("{ cuts = [4000, 6000, 8000, 10000] }"));
    let refused = folder.refused("verify r.csv --plan quantiles.toml");
    assert!(
        refused.contains("`quantiles` of column `salary` are those of the original"),
        "{refused}"
    );
    assert!(refused.contains("`cuts`"), "{refused}");
    for judged in [
        "verify r.csv --plan quantiles.toml --original t.csv",
        "verify r.csv --plan cuts.toml",
        "verify r.csv --plan cuts.toml --original t.csv",
    ] {
        let verdict = folder.json(judged);
        assert_eq!(verdict["verified"], json!(true), "{verdict}");
        assert_eq!(verdict["goal"][0]["buckets"], json!(form));
    }
}

#[test]
fn diagnosis_counts_buckets() {
    let folder = Folder::with(&[("t.csv", "a,s\n1,10\n1,12\n1,14\n2,10\n2,20\n2,30\n")]);
    let ask = "diagnose t.csv --quasi a --sensitive s --format json --distinct-l 2";
    let plain = folder.run(ask).json();
    assert_eq!(plain["sensitive"][0]["distinct_l"], json!(3));
    let found = folder.run_with(ask, &["--buckets", "s={ widths = 10 }"]).json();
    let of = &found["sensitive"][0];
    assert_eq!((&of["distinct_l"], &of["values"]), (&json!(1), &json!(3)));
    assert_eq!(of["buckets"], json!("buckets of 10"));
    assert_eq!(found["holds"], json!(false));
    let text =
        folder.run_with(&ask.replace("--format json", ""), &["--buckets", "s={ widths = 10 }"]);
    assert!(text.stdout.contains("Sensitive: s (3 buckets, in buckets of 10)"), "{text}");
}

#[test]
fn a_level_of_the_taxonomy_is_a_bucket_and_so_are_months() {
    let folder = Folder::with(&[(
        "t.csv",
        "a,d,when\n1,flu,2024-01-02\n1,cold,2024-01-30\n2,flu,2024-01-05\n2,HIV,2024-02-01\n",
    )]);
    let plan = |column: &str, settings: &str| {
        format!(
            "input = 't.csv'\n[attributes]\na = 'quasi'\n{column} = {{ role = 'sensitive', {settings} }}\n\
             [goal]\ndistinct-l-diversity = 2\n"
        )
    };
    let tree = "taxonomy = { tree = { lungs = ['flu', 'cold'], blood = ['HIV'] } }, buckets = { level = 1 }";
    folder.put("d.toml", plan("d", tree));
    let months = "taxonomy = ['month', 'year'], buckets = { level = 1 }";
    folder.put("when.toml", plan("when", months));
    for file in ["d.toml", "when.toml"] {
        let found = folder.json(&format!("diagnose {file}"));
        let goal = &found["goal"][0];
        assert_eq!(goal["buckets"], json!("buckets of level 1 of its taxonomy"), "{found}");
        assert_eq!(
            (&goal["holds"], &goal["violating_rows"]),
            (&json!(false), &json!(2)),
            "{found}"
        );
    }
    folder.put("none.toml", plan("d", "buckets = { level = 1 }"));
    assert!(
        folder.refused("diagnose none.toml").contains("`level` is of a taxonomy, and it has none")
    );
    folder.put("high.toml", plan("d", &tree.replace("level = 1", "level = 2")));
    assert!(
        folder.refused("diagnose high.toml").contains("`level` is 2, but its taxonomy has 1 below")
    );
    folder.put("mask.toml", plan("d", "taxonomy = 'mask', buckets = { level = 1 }"));
    assert!(
        folder
            .refused("diagnose mask.toml")
            .contains("levels of `mask` depend on the longest value")
    );
}

#[test]
fn buckets_that_are_none_are_refused_with_the_rule() {
    let folder = folder();
    let refused = |buckets: &str| {
        let output = folder.run_with(ASK, &["--buckets", buckets]);
        assert_eq!(output.code, 2, "{output}");
        output.stderr
    };
    for (buckets, problem) in [
        ("salary={ widths = 0 }", "`widths` must be positive"),
        ("salary={ width = 10 }", "did you mean `widths`?"),
        (
            "salary={}",
            "`buckets` must be one of `widths`, `ranges`, `cuts`, `quantiles` and `level`",
        ),
        ("salary={ widths = 10, level = 1 }", "`buckets` must be one of"),
        ("salary={ cuts = [5, 5] }", "`cuts` must be one or more rising numbers"),
        ("salary={ quantiles = 1 }", "`quantiles` must be at least 2"),
        ("salary={ level = 0 }", "`level` must be at least 1"),
        ("salary={ origin = 3 }", "`origin` without `widths`"),
        (
            "salary={ ranges = [[0, 5000]] }",
            "buckets of column `salary`: 41 values are in none of them",
        ),
        ("age={ widths = 10 }", "column `age` has `buckets`, and is not sensitive"),
    ] {
        let said = refused(buckets);
        assert!(said.contains(problem), "{buckets}\n{said}");
    }
    let masked = folder.run_with(
        &format!("{ASK} --algorithm msa-as-quasi --allow-unsafe"),
        &["--buckets", WIDTHS],
    );
    assert_eq!(masked.code, 2, "{masked}");
    assert!(masked.stderr.contains("does not show every sensitive value in its row"), "{masked}");
}

#[test]
fn inspect_proposes_buckets_for_sensitive_numbers_and_its_plan_runs() {
    let folder = folder();
    let found = folder.json("inspect t.csv");
    let salary = &found["columns"][1];
    assert_eq!((&salary["role"], &salary["buckets"]), (&json!(null), &json!("{ widths = 1000 }")));
    assert_eq!(folder.run("inspect t.csv --plan plan.toml").code, 0);
    let plan = folder.text("plan.toml").unwrap();
    // Nearly everybody has a salary of their own: it has its role once a person says so.
    let line =
        "# salary = { role = \"sensitive\", type = \"integer\", buckets = { widths = 1000 } }";
    assert!(plan.contains(line), "{plan}");
    let confirmed = ["salary", "frequency-l-diversity"]
        .iter()
        .fold(plan, |plan, line| plan.replace(&format!("# {line} ="), &format!("{line} =")));
    folder.put("plan.toml", confirmed);
    let made = folder.json("anonymize plan.toml");
    assert_eq!(made["goal"][1]["buckets"], json!("buckets of 1,000"), "{made}");
    // Where most are near one end, widths would put them in one bucket.
    let skewed: Vec<String> = (1..60).map(|i| format!("{},{}", 20 + i, i * i * i)).collect();
    folder.put("skewed.csv", format!("age,salary\n{}\n", skewed.join("\n")));
    let found = folder.json("inspect skewed.csv");
    let buckets = found["columns"][1]["buckets"].as_str().unwrap();
    assert!(buckets.starts_with("{ cuts = ["), "{buckets}");
}

#[test]
fn numbers_near_one_another_are_kept_apart_by_epsilon_m_anonymity() {
    let folder = folder();
    let ask = "anonymize t.csv --quasi age --sensitive salary -o r.csv --format json";
    let asked = "{ epsilon = 500, m = 5, attribute = \"salary\" }";
    let made = folder.run_with(ask, &["--epsilon-m-anonymity", asked]).json();
    assert_eq!(made["verified"], json!(true), "{made}");
    assert_eq!(made["goal"][0]["parameters"], json!("epsilon = 500, m = 5"));
    // By the definition, written out.
    let release = folder.text("r.csv").unwrap();
    let rows: Vec<(&str, i64)> = (release.lines().skip(1))
        .map(|line| line.rsplit_once(',').unwrap())
        .map(|(shown, number)| (shown, number.parse().unwrap()))
        .collect();
    for (shown, x) in &rows {
        let class = || rows.iter().filter(|(other, _)| other == shown);
        let near = class().filter(|(_, y)| (x - y).abs() <= 500).count();
        assert!(5 * near <= class().count(), "{near} of {} near {x} in {shown}", class().count());
    }
    let relative = "{ epsilon = 0.05, relative = true, m = 4, attribute = \"salary\" }";
    let made =
        folder.run_with(&format!("{ask} --force"), &["--epsilon-m-anonymity", relative]).json();
    assert_eq!(made["goal"][0]["parameters"], json!("epsilon = 0.05 of the number, m = 4"));
    assert_eq!(made["verified"], json!(true), "{made}");
    let both = folder.run_with(
        &format!("{ask} --force"),
        &["--epsilon-m-anonymity", asked, "--buckets", WIDTHS],
    );
    assert_eq!(both.code, 2, "{both}");
    assert!(
        both.stderr.contains("is about the numbers of column `salary`, which has buckets"),
        "{both}"
    );
}

/// Twelve people with two bills each: at one place all bills of a person are nearly the same as those of
/// the next.
fn bills() -> String {
    let person = |i: u32| {
        let bill = |j: u32| json!({ "month": j, "amount": 1000 * (1 + i / 3) + 10 * i + j });
        json!({ "age": 20 + i, "bills": [bill(1), bill(2)] })
    };
    Value::Array((0..12).map(person).collect()).to_string()
}

/// The amounts of a nested release with the class of their person: who shows the same age and months.
fn amounts_by_class(release: &Value) -> std::collections::BTreeMap<String, Vec<u64>> {
    let mut classes: std::collections::BTreeMap<String, Vec<u64>> =
        std::collections::BTreeMap::new();
    for person in release.as_array().expect("a list") {
        for bill in person["bills"].as_array().expect("a list") {
            let shown = format!("{} {}", person["age"], bill["month"]);
            classes.entry(shown).or_default().push(bill["amount"].as_u64().expect("a number"));
        }
    }
    classes
}

#[test]
fn records_inside_records_are_diverse_in_buckets() {
    let plan = |buckets: &str| {
        format!(
            "input = 'b.json'\n[attributes]\nage = 'quasi'\n'bills[].month' = 'quasi'\n\
             'bills[].amount' = {{ role = 'sensitive'{buckets} }}\n[goal]\nfrequency-l-diversity = 3\n\
             [output]\nrelease = 'r.json'\n"
        )
    };
    let folder = Folder::with(&[("b.json", &bills()), ("plain.toml", &plan(""))]);
    folder.put("buckets.toml", plan(", buckets = { widths = 1000 }"));
    let plain = folder.run("anonymize plain.toml --format json");
    assert_eq!(plain.code, 0, "{plain}");
    assert!(plain.stderr.contains("counts every number as a value of its own"), "{plain}");
    let narrow = amounts_by_class(&serde_json::from_str(&folder.text("r.json").unwrap()).unwrap());
    let share = |amounts: &[u64]| {
        let most = amounts.iter().map(|a| amounts.iter().filter(|b| a / 1000 == *b / 1000).count());
        (most.max().unwrap(), amounts.len())
    };
    assert!(narrow.values().any(|amounts| share(amounts).0 * 3 > share(amounts).1), "{narrow:?}");
    // The judge counts buckets in the same files.
    let rejected = folder.json("verify r.json --plan buckets.toml --original b.json");
    assert_eq!(rejected["verified"], json!(false), "{rejected}");
    assert_eq!(rejected["goal"][0]["buckets"], json!("buckets of 1,000"));
    let made = folder.run("anonymize buckets.toml --force");
    assert_eq!(made.code, 0, "{made}");
    let promise =
        "frequency-l-diversity of bills[].amount (in buckets of 1,000), l = 3: holds (decided)";
    assert!(made.stdout.contains(promise), "{made}");
    assert!(!made.stderr.contains("counts every number"), "{made}");
    let wide = amounts_by_class(&serde_json::from_str(&folder.text("r.json").unwrap()).unwrap());
    for (shown, amounts) in &wide {
        assert!(share(amounts).0 * 3 <= share(amounts).1, "{shown}: {amounts:?}");
    }
    for ask in
        ["verify r.json --plan buckets.toml", "verify r.json --plan buckets.toml --original b.json"]
    {
        let verdict = folder.json(ask);
        assert_eq!(verdict["verified"], json!(true), "{verdict}");
    }
    let answer = folder.json("attack r.json --plan buckets.toml --original b.json");
    assert_eq!(answer["refuted"], json!(false), "{answer}");
    assert_eq!(answer["buckets"], json!({ "bills[].amount": "buckets of 1,000" }));
    let found = folder.json("diagnose buckets.toml");
    assert_eq!(found["sensitive"][0]["buckets"], json!("buckets of 1,000"), "{found}");
    // A value that was changed within its bucket is not true.
    let amount = wide.values().next().unwrap()[0];
    let changed =
        folder.text("r.json").unwrap().replacen(&amount.to_string(), &(amount + 5).to_string(), 1);
    folder.put("changed.json", changed);
    let verdict = folder.json("verify changed.json --plan buckets.toml --original b.json");
    assert_eq!(verdict["verified"], json!(false), "{verdict}");
    // Quantiles are those of the original.
    folder.put("quantiles.toml", plan(", buckets = { quantiles = 4 }"));
    assert_eq!(folder.run("anonymize quantiles.toml --force").code, 0);
    assert!(
        folder.refused("verify r.json --plan quantiles.toml").contains("depend on the original")
    );
    let verdict = folder.json("verify r.json --plan quantiles.toml --original b.json");
    assert_eq!(verdict["verified"], json!(true), "{verdict}");
}

/// People of a series with their salaries; some come and go.
fn paid(who: impl Iterator<Item = u32>) -> String {
    let row = |i: u32| format!("p{i:02},{},{}\n", 20 + i, 1000 * (i % 4) + 7 * i);
    format!("patient,age,salary\n{}", who.map(row).collect::<String>())
}

#[test]
fn a_series_shows_buckets_and_promises_them() {
    let plan = |buckets: &str| {
        format!(
            "[attributes]\npatient = 'identifier'\nage = 'quasi'\n\
             salary = {{ role = 'sensitive'{buckets} }}\n[series]\nname = 's'\nkey = 'patient'\n\
             method = 'm-invariance'\nm = 3\n[output]\nrelease = 'release-{{release}}.csv'\n"
        )
    };
    let folder = Folder::with(&[("1.csv", &paid(0..24)), ("2.csv", &paid(4..32))]);
    folder.put("ledger.key", "0123456789abcdef0123456789abcdef");
    folder.put("plan.toml", plan(", buckets = { widths = 1000 }"));
    let publish = |table: &str, plan: &str| {
        folder.run(&format!("publish {plan} --input {table} --key-file ledger.key --format json"))
    };
    for table in ["1.csv", "2.csv"] {
        let made = publish(table, "plan.toml");
        assert_eq!(made.code, 0, "{made}");
        let made = made.json();
        assert_eq!(made["goal"][0]["buckets"], json!("buckets of 1,000"), "{made}");
        assert!(
            made["notes"].to_string().contains("`salary` is shown in buckets of 1,000"),
            "{made}"
        );
    }
    let release = folder.text("release-2.csv").unwrap();
    assert!(release.lines().skip(1).all(|line| line.contains("000)")), "{release}");
    // The judge looks at labels, with the tables and without.
    let both = "verify release-1.csv release-2.csv --plan plan.toml";
    assert_eq!(folder.json(both)["verified"], json!(true));
    let with = format!("{both} --original 1.csv --original 2.csv");
    assert_eq!(folder.json(&with)["verified"], json!(true));
    let answer = folder.json(
        "attack release-1.csv release-2.csv --plan plan.toml --original 1.csv --original 2.csv",
    );
    assert_eq!(answer["refuted"], json!(false), "{answer}");
    // What shows values, or labels of other buckets, is no release of this promise.
    let values = release.replacen("[1000, 2000)", "1007", 1);
    folder.put("values.csv", values);
    let refused = folder.run("verify release-1.csv values.csv --plan plan.toml");
    assert_eq!(refused.code, 2, "{refused}");
    folder.put("others.csv", release.replace("[1000, 2000)", "[1000, 1500)"));
    let refused = folder.run("verify release-1.csv others.csv --plan plan.toml");
    assert_eq!(refused.code, 2, "{refused}");
    // Other buckets in the same series are refused, and so are quantiles.
    folder.put("other.toml", plan(", buckets = { widths = 500 }"));
    let refused = publish("2.csv", "other.toml");
    assert_eq!(refused.code, 2, "{refused}");
    assert!(refused.stderr.contains("what the two have in common is narrower"), "{refused}");
    folder.put("quantiles.toml", plan(", buckets = { quantiles = 4 }"));
    let refused = publish("2.csv", "quantiles.toml");
    assert!(refused.stderr.contains("are others in every table of a series"), "{refused}");
}

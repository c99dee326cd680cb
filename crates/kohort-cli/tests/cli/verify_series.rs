//! Releases of a series judged by their files: each by itself, and after one another where it is known who
//! is in which.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::harness::Folder;
use crate::series::{DISEASES, KEY, PLAN, folder, number, people, publish};

/// The plan with the promise of a series.
fn promising(promise: &str) -> String {
    PLAN.replace("key = \"patient\"\n", &format!("key = \"patient\"\n{promise}\n"))
}

/// Judges the releases with these numbers against `promise.toml`, each with its table.
fn judged(folder: &Folder, numbers: &[&str]) -> Value {
    let mut ask = String::from("verify --plan promise.toml");
    for n in numbers {
        let _ = write!(ask, " release-{n}.csv --original {n}.csv");
    }
    folder.json(&ask)
}

#[test]
fn masked_and_missing_sensitive_cells_of_a_series_are_refused() {
    let folder = folder()
        .and("promise.toml", promising("method = \"m-invariance\"\nm = 3"))
        .and("1.csv", people(0..30, &DISEASES));
    publish(&folder, "1.csv", "--m 3");
    let release = folder.text("release-1.csv").expect("it was published");
    let first = release.lines().nth(1).expect("it has a row");
    let disease = DISEASES.iter().find(|disease| first.contains(**disease)).expect("it has one");
    let tampered = |shown: &str| release.replacen(first, &first.replacen(disease, shown, 1), 1);
    for (shown, what) in [
        ("*", "does not show one value"),
        ("\"{flu, gout}\"", "does not show one value"),
        ("", "has missing cells"),
    ] {
        folder.put("bad.csv", tampered(shown));
        for ask in ["", " --original 1.csv"] {
            let said = folder.refused(&format!("verify bad.csv --plan promise.toml{ask}"));
            assert!(said.contains(what), "{shown}: {said}");
        }
    }
    // A character that nobody sees makes no second value.
    let of_group: Vec<&str> = release.lines().filter(|line| line.ends_with(",1")).collect();
    let twin = DISEASES.iter().find(|disease| of_group[1].contains(**disease));
    let unseen = format!("{}\u{200b}", twin.expect("it has one"));
    let own = DISEASES.iter().find(|disease| of_group[0].contains(**disease)).expect("it has one");
    folder.put("bad.csv", release.replacen(of_group[0], &of_group[0].replacen(own, &unseen, 1), 1));
    let output = folder.run("verify bad.csv --plan promise.toml");
    assert_eq!(output.code, 1, "{output}");
    // Nor is a table published that has such cells.
    let table = folder.text("1.csv").expect("it is there");
    let line = table.lines().nth(1).expect("it has a row");
    let disease = DISEASES.iter().find(|disease| line.contains(**disease)).expect("it has one");
    folder.put("2.csv", table.replacen(line, &line.replacen(disease, "", 1), 1));
    let said = folder.refused(&format!("publish plan.toml --input 2.csv {KEY} --m 3"));
    assert!(said.contains("has missing cells"), "{said}");
}

/// A release may always show less: what is not there is as good as `*`.
#[test]
fn a_quasi_identifier_without_a_column_is_judged_like_one_that_shows_nothing() {
    let folder = folder()
        .and("promise.toml", promising("method = \"m-invariance\"\nm = 3"))
        .and("1.csv", people(0..30, &DISEASES));
    publish(&folder, "1.csv", "--m 3");
    let release = folder.text("release-1.csv").expect("it was published");
    // The first cell of a line, with the comma; a range is quoted.
    let end_of_first = |line: &str| match line.strip_prefix('"') {
        Some(rest) => rest.find('"').expect("it is quoted") + 3,
        None => line.find(',').expect("there are several cells") + 1,
    };
    let header = release.lines().next().expect("it has a header");
    assert!(header.split(',').count() > 3, "another quasi-identifier is left");
    let mut verdicts = Vec::new();
    for shown in ["*,", ""] {
        let less = |line: &str| format!("{shown}{}", &line[end_of_first(line)..]);
        let name = if shown.is_empty() { "" } else { &header[..end_of_first(header)] };
        let header = format!("{name}{}\n", &header[end_of_first(header)..]);
        let rows = release.lines().skip(1).map(|line| less(line) + "\n");
        folder.put("less.csv", header + &rows.collect::<String>());
        let judged = folder.run("verify less.csv --plan promise.toml --original 1.csv");
        assert_eq!(judged.code, 0, "{judged}");
        verdicts.push(judged.to_string());
    }
    assert_eq!(verdicts[0], verdicts[1]);
}

/// Exchanges the first row with this end for one with another end.
fn with_row(release: &str, end: &str, other: &str) -> String {
    let row = release.lines().find(|line| line.ends_with(end)).expect("there is such a row");
    release.replacen(row, &row.replace(end, other), 1)
}

#[test]
fn a_release_alone_is_judged_by_its_classes() {
    let folder = folder()
        .and("promise.toml", promising("method = \"m-invariance\"\nm = 3"))
        .and("1.csv", people(0..30, &DISEASES));
    publish(&folder, "1.csv", "--m 3");
    let output = folder.run("verify release-1.csv --plan promise.toml");
    insta::assert_snapshot!(output, @r"
    exit 0
    --- stdout
    nothing that was judged fails

      m-invariance of disease, m = 3: not refuted

      release 1, release-1.csv: 30 rows in 10 classes, the smallest of 3; 0 counterfeits

      not judged:
      - what the release says together with others of its series: name all in their order, `kohort verify R1 R2 … --plan PLAN`
    ");
    let release = folder.text("release-1.csv").expect("it was published");
    // The class of the first row shows the value of its second row twice.
    let mut of_group: Vec<&str> = release.lines().filter(|line| line.ends_with(",1")).collect();
    of_group.truncate(2);
    let tampered = release.replacen(of_group[0], of_group[1], 1);
    folder.put("bad.csv", tampered);
    let output = folder.run("verify bad.csv --plan promise.toml");
    insta::assert_snapshot!(output, @r"
    exit 1
    --- stdout
    rejected

      m-invariance of disease, m = 3: FAILS

      release 1, bad.csv: 30 rows in 10 classes, the smallest of 3; 0 counterfeits
        FAILS: 1 class without 3 or more rows, all with different values

      not judged:
      - what the release says together with others of its series: name all in their order, `kohort verify R1 R2 … --plan PLAN`
    ");
}

#[test]
fn a_series_is_judged_after_one_another() {
    let folder = folder()
        .and("promise.toml", promising("method = \"m-invariance\"\nm = 3"))
        .and("1.csv", people(0..60, &DISEASES))
        .and("2.csv", people((0..60).filter(|n| n % 6 != 0).chain(60..75), &DISEASES))
        .and("3.csv", people((0..90).filter(|n| n % 7 != 0), &DISEASES));
    for table in ["1.csv", "2.csv", "3.csv"] {
        publish(&folder, table, "--m 3");
    }
    let verdict = judged(&folder, &["1", "2", "3"]);
    assert_eq!((&verdict["verified"], &verdict["reasons"]), (&json!(true), &json!([])));
    assert!(number(&verdict["releases"][0]["original"], "placed") > 30, "{verdict}");
    // Without who is in which, the files alone are not refuted, and that is said.
    let alone = folder.json("verify release-1.csv release-2.csv --plan promise.toml");
    assert_eq!(alone["verified"], true);
    let left = alone["not_judged"][0].as_str().expect("something is left");
    assert!(left.starts_with("whether everybody keeps the signature"), "{left}");
    // The second table published for itself is m-unique and true, and people change their classes.
    folder
        .json(&format!("publish plan.toml --series other --input 2.csv {KEY} --m 3 -o alone.csv"));
    let asked =
        "verify release-1.csv alone.csv --plan promise.toml --original 1.csv --original 2.csv";
    let verdict = folder.json(asked);
    assert_eq!((folder.run(asked).code, &verdict["verified"]), (1, &json!(false)), "{verdict}");
    let reason = verdict["reasons"][0].as_str().expect("there is a reason");
    assert!(reason.starts_with("release 2: after those before it, "), "{reason}");
    assert!(reason.ends_with("whose signature is not that of their last release"), "{reason}");
    let text =
        folder.refused("verify release-1.csv release-2.csv --plan promise.toml --original 1.csv");
    assert!(text.contains("`original` must be given once for each release"), "{text}");
}

// Abdalaal 2012: Tables 33 and 35, and a second release that puts Bob into {a, c} after {a, b}.
#[test]
fn a_tampered_series_is_rejected() {
    let [first, second] = crate::series::TABLES_33_AND_34;
    // With whom Bob is depends on the draws, another for each ledger: here with somebody else.
    let published = || {
        let folder = folder()
            .and("promise.toml", promising("method = \"m-invariance\"\nm = 2"))
            .and("1.csv", first)
            .and("2.csv", second);
        publish(&folder, "1.csv", "--m 2");
        publish(&folder, "2.csv", "--m 2");
        let release = folder.text("release-2.csv").expect("it was published");
        release.contains("\n\"[20, ").then_some(folder)
    };
    let folder = (0..40).find_map(|_| published()).expect("one of forty draws");
    let verdict = judged(&folder, &["1", "2"]);
    assert_eq!(verdict["verified"], true, "{verdict}");
    assert_eq!(number(&verdict["releases"][1], "counterfeits"), 1);
    let release = folder.text("release-2.csv").expect("it was published");
    let told = folder.text("release-2.counterfeits.csv").expect("there is a counterfeit");
    let rejected = |name: &str, release: &str, told: Option<&str>| {
        folder.put(&format!("release-{name}.csv"), release);
        folder.put(&format!("{name}.csv"), second);
        if let Some(told) = told {
            folder.put(&format!("release-{name}.counterfeits.csv"), told);
        }
        let verdict = judged(&folder, &["1", name]);
        assert_eq!(verdict["verified"], false, "{verdict}");
        verdict["reasons"].to_string()
    };
    // Nobody tells of the counterfeit.
    let reason = rejected("untold", &release, None);
    assert!(reason.contains("1 row covers nobody of the original with that value"), "{reason}");
    // Beside Bob's a there is c in the place of b, or b in the place of c.
    let bob = release.lines().find(|line| line.starts_with("\"[20, ")).expect("Bob has a class");
    let group = bob.rsplit(',').next().expect("it has a number");
    let [b, c] = ["b", "c"].map(|value| format!(",{value},{group}"));
    let is_b = release.lines().any(|line| line.ends_with(&b));
    let tampered = if is_b { with_row(&release, &b, &c) } else { with_row(&release, &c, &b) };
    let reason = rejected("bob", &tampered, Some(&told));
    assert!(reason.contains("release 2: "), "{reason}");
    // A class that is not there has a counterfeit, and a class two.
    let reason = rejected("more", &release, Some(&format!("{told}99,1\n")));
    assert!(reason.contains("counterfeits are counted of 1 group that are not there"), "{reason}");
}

#[test]
fn every_method_keeps_its_promise_by_its_files() {
    let from_to = "from,to,probability\nflu,asthma,0.5\nasthma,asthma,0.8\n";
    let methods = [
        ("e-equivalence", "--m 2 --e 2", "m = 2\ne = 2"),
        ("bcf-anonymity", "--k 4", "k = 4"),
        ("global-guarantee", "--l 2 --horizon 3", "l = 2\nhorizon = 3"),
        ("rho-different", "--rho 0.6", "rho = 0.6"),
    ];
    for (method, flags, promise) in methods {
        let is_rho = method == "rho-different";
        let follows = if is_rho { "\ncorrelations = \"follows.csv\"" } else { "" };
        let promise = format!("method = \"{method}\"\n{promise}{follows}");
        let folder = folder()
            .and("plan.toml", promising(&promise))
            .and("promise.toml", promising(&promise))
            .and("follows.csv", from_to)
            .and("1.csv", people(0..60, &DISEASES))
            .and("2.csv", people(0..80, &DISEASES))
            .and("bad.csv", people(0..80, &DISEASES));
        publish(&folder, "1.csv", flags);
        publish(&folder, "2.csv", flags);
        let verdict = judged(&folder, &["1", "2"]);
        assert_eq!(verdict["verified"], true, "{verdict}");
        assert_eq!(verdict["goal"][0]["model"], method);
        // Every row of a class shows the same value.
        let release = folder.text("release-2.csv").expect("it was published");
        let first = release.lines().nth(1).expect("it has rows");
        let group = first.rsplit(',').next().expect("it has a number");
        let of_group = |line: &&str| line.ends_with(&format!(",{group}"));
        let end = |line: &str| line.rsplitn(3, ',').nth(2).map(str::len).expect("three cells");
        let same = |line: &str| format!("{},flu,{group}", &line[..end(line)]);
        let tampered: Vec<String> = (release.lines())
            .map(|line| if of_group(&line) { same(line) } else { line.to_owned() })
            .collect();
        folder.put("release-bad.csv", tampered.join("\n"));
        let asked = "verify release-1.csv release-bad.csv --plan promise.toml";
        let verdict = folder.json(asked);
        // BCF says nothing about values: only with the table is it seen that these are wrong.
        assert_eq!(verdict["verified"], method == "bcf-anonymity", "{verdict}");
        assert_eq!(judged(&folder, &["1", "bad"])["verified"], false, "{method}");
    }
}

#[test]
fn what_is_no_release_of_the_series_is_refused() {
    let folder = folder()
        .and("promise.toml", promising("m = 3"))
        .and("1.csv", people(0..30, &DISEASES))
        .and("none.csv", "age,zip,group\n20,10000,1\n");
    publish(&folder, "1.csv", "--m 3");
    let text = folder.refused("verify 1.csv --plan promise.toml");
    assert!(text.contains("1.csv shows the identifier `patient`"), "{text}");
    let text = folder.refused("verify none.csv --plan promise.toml");
    assert!(text.contains("shows one sensitive attribute, but none.csv shows 0"), "{text}");
    // The method is not named: what is judged is said.
    let verdict = folder.json("verify release-1.csv --plan promise.toml");
    let notes = verdict["notes"].to_string();
    assert!(notes.contains("the plan leaves the method open: `m-invariance` is judged"), "{notes}");
}

/// Everybody of `people` with a job, and the plan of all columns.
fn of_other_columns() -> (Folder, String) {
    let workers = people(0..60, &DISEASES);
    let jobs = workers.lines().enumerate().map(|(at, line)| {
        let cells: Vec<&str> = line.split(',').collect();
        let job = if at == 0 { "job".to_owned() } else { format!("job {}", at * 5 % 4) };
        format!("{},{},{job}\n", cells[0], cells[1])
    });
    let other = PLAN
        .replace("zip = { role = \"quasi\", type = \"integer\" }", "job = \"sensitive\"")
        .replace("disease = \"sensitive\"\n", "");
    let all = PLAN.replace("disease =", "job = \"sensitive\"\ndisease =");
    let folder = folder()
        .and("jobs.toml", other)
        .and("2.csv", jobs.collect::<String>())
        .and("1.csv", workers);
    (folder, all)
}

#[test]
fn releases_of_other_columns_are_judged_and_attacked() {
    for (method, level) in [("xy-anonymity", "k = 3"), ("xy-linkability", "confidence = 0.6")] {
        let (folder, all) = of_other_columns();
        let promise = format!("key = \"patient\"\nmethod = \"{method}\"\n{level}\n");
        folder.put("promise.toml", all.replace("key = \"patient\"\n", &promise));
        let with = format!("--method {method} --{}", level.replace(" = ", " "));
        publish(&folder, "1.csv", &with);
        folder.json(&format!("publish jobs.toml --input 2.csv {KEY} {with}"));
        let verdict = judged(&folder, &["1", "2"]);
        assert_eq!(verdict["verified"], true, "{verdict}");
        let attributes: Vec<&Value> =
            verdict["goal"].as_array().unwrap().iter().map(|goal| &goal["attribute"]).collect();
        assert_eq!(attributes, ["disease", "job"], "{verdict}");
        // A job is no other disease.
        assert!(!verdict["notes"].to_string().contains("value changed"), "{verdict}");
        for ask in [
            "attack release-1.csv release-2.csv --plan promise.toml",
            "attack release-1.csv release-2.csv --plan plan.toml",
            "attack release-1.csv release-2.csv --plan promise.toml --original 1.csv --original 2.csv",
            "attack release-1.csv --release2 release-2.csv --plan promise.toml --original 1.csv",
            "attack release-2.csv --plan jobs.toml --original 2.csv",
        ] {
            let output = folder.run(ask);
            assert!(output.code < 2, "{ask}\n{output}");
        }
        // People are known by the columns of all tables.
        let ask = "attack release-1.csv release-2.csv --plan promise.toml --original 1.csv --original 2.csv";
        let answer = folder.json(ask);
        assert!(!answer["notes"].to_string().contains("lacks"));
        // Something is promised, also where it bounds no probability.
        assert_eq!(answer["promised"], serde_json::json!([method]), "{answer}");
        assert!(!folder.run(ask).stdout.contains("nothing was promised;"), "{ask}");
        let is_said = answer["notes"].to_string().contains("no attack is measured by it");
        assert_eq!(is_said, method == "xy-anonymity", "{answer}");
        // One class of everybody of one job says it of all.
        let release = folder.text("release-2.csv").expect("it was published");
        let mut groups = std::collections::BTreeMap::new();
        for line in release.lines().skip(1) {
            let (cells, group) = line.rsplit_once(',').unwrap();
            let (age, job) = cells.rsplit_once(',').unwrap();
            groups.entry(group.to_owned()).or_insert((age.to_owned(), job.to_owned()));
        }
        let tampered: String = release
            .lines()
            .map(|line| {
                let group = line.rsplit_once(',').unwrap().1;
                match groups.get(group) {
                    Some((age, job)) => format!("{age},{job},{group}\n"),
                    None => format!("{line}\n"),
                }
            })
            .collect();
        folder.put("release-2.csv", tampered);
        assert_eq!(judged(&folder, &["1", "2"])["verified"], false);
    }
}

#[test]
fn a_row_that_is_nobodys_is_a_no_unless_the_plan_allows_a_counterfeit() {
    let follows = "from,to,probability\nflu,flu,0.5\nflu,cold,0.5\n";
    let promise = "method = \"rho-different\"\nrho = 0.6\ncorrelations = \"follows.csv\"";
    let folder = folder()
        .and("follows.csv", follows)
        .and("promise.toml", promising(promise))
        .and("allows.toml", promising(&format!("{promise}\nmost-counterfeits = 1")))
        .and("1.csv", people(0..30, &DISEASES));
    publish(&folder, "1.csv", "--method rho-different --rho 0.6 --correlations follows.csv");
    let ask = "verify release-1.csv --original 1.csv --plan";
    assert_eq!(folder.json(&format!("{ask} promise.toml"))["verified"], true);
    let release = folder.text("release-1.csv").expect("it was published");
    // Somebody's value is another.
    let row = release.lines().nth(1).expect("there is a row");
    let other = DISEASES.iter().find(|disease| !row.contains(*disease)).expect("there are many");
    let own = DISEASES.iter().find(|disease| row.contains(*disease)).expect("it has one");
    folder.put("release-1.csv", release.replacen(row, &row.replace(own, other), 1));
    let verdict = folder.json(&format!("{ask} promise.toml"));
    assert_eq!(verdict["verified"], false, "{verdict}");
    let reason = verdict["reasons"][0].as_str().expect("there is a reason");
    assert!(reason.contains("1 row covers nobody of the original with that value"), "{reason}");
    assert!(reason.contains("`most-counterfeits`"), "{reason}");
    assert_eq!(folder.json(&format!("{ask} allows.toml"))["verified"], true);
}

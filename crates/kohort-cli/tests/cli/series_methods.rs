//! Methods of series beyond the default: people who only join, other columns, a planned horizon.

use std::fmt::Write;

use serde_json::json;

use crate::series::{DISEASES, KEY, PLAN, folder, number, people, publish};

#[test]
fn bcf_goes_on_while_people_only_join() {
    let folder = folder()
        .and("1.csv", people(0..40, &DISEASES))
        .and("2.csv", people(0..70, &DISEASES))
        .and("3.csv", people(5..80, &DISEASES));
    let with = "--method bcf-anonymity --k 4";
    let first = publish(&folder, "1.csv", with);
    let second = publish(&folder, "2.csv", with);
    assert_eq!((number(&first, "release"), number(&second, "release")), (1, 2));
    assert_eq!((number(&second, "inserted"), number(&second, "deleted")), (30, 0));
    for answer in [&first, &second] {
        assert_eq!(answer["method"], "bcf-anonymity");
        assert!(number(answer, "k") >= 4 && number(answer, "classes") > 1, "{answer}");
        assert_eq!((number(answer, "counterfeits"), number(answer, "held_back")), (0, 0));
    }
    // From both releases, F, C and B leave four rows for anybody.
    let attack = folder.json(
        "attack release-1.csv release-2.csv --plan plan.toml --public 2.csv --key patient --only correspondence",
    );
    let notes = attack["attacks"][0]["notes"].to_string();
    assert!(number(&attack["attacks"][0], "targets") > 0, "{notes}");
    let ask = format!("publish plan.toml --input 3.csv {KEY} {with}");
    let text = folder.says_no(&ask, &[]);
    assert!(text.contains("here people left or came back"), "{text}");
}

#[test]
fn where_a_value_is_certain_it_is_said_so() {
    let folder = folder().and("1.csv", people(0..40, &["flu"]));
    let output =
        folder.run(&format!("publish plan.toml --input 1.csv {KEY} --method bcf-anonymity --k 4"));
    assert_eq!(output.code, 0, "{output}");
    assert!(output.stdout.contains("at least one person's value is certain"), "{output}");
    assert!(!output.stdout.contains("more than 100 %"), "{output}");
    assert!(output.stdout.contains("follows all correspondences at once"), "{output}");
}

/// People with a job beside the columns of the others.
fn workers(n: usize) -> String {
    let mut text = String::from("patient,age,zip,job,disease\n");
    for number in 0..n {
        let (age, zip) = (20 + number * 7 % 60, 10_000 + number * 37 % 900);
        let (job, disease) = (number * 5 % 4, DISEASES[number % DISEASES.len()]);
        let _ = writeln!(text, "p{number:03},{age},{zip},job {job},{disease}");
    }
    text
}

#[test]
fn other_columns_of_the_same_people_are_judged_by_their_join() {
    let jobs = PLAN
        .replace("zip = { role = \"quasi\", type = \"integer\" }", "job = \"sensitive\"")
        .replace("disease = \"sensitive\"\n", "");
    let folder = folder().and("jobs.toml", jobs).and("w.csv", workers(60));
    for (method, level) in [("xy-anonymity", "--k 3"), ("xy-linkability", "--confidence 0.6")] {
        let with =
            format!("--method {method} {level} --series {method} -o {method}-{{release}}.csv");
        let first = publish(&folder, "w.csv", &with);
        assert_eq!(first["method"], method);
        let second = folder.json(&format!("publish jobs.toml --input w.csv {KEY} {with}"));
        assert_eq!((number(&second, "release"), &second["method"]), (2, &json!(method)));
        // A job is no other disease.
        assert_eq!((number(&second, "updated"), number(&second, "inserted")), (0, 0), "{second}");
        let release = folder.text(&format!("{method}-2.csv")).expect("it was published");
        assert!(release.starts_with("age,job,group\n"), "{release}");
        let same = format!("publish jobs.toml --input w.csv {KEY} --method m-invariance --m 2");
        let text = folder.says_no(&format!("{same} --series {method}"), &[]);
        assert!(text.contains("here other columns of the same people"), "{text}");
    }
}

#[test]
fn the_default_for_other_columns_is_linkability() {
    let jobs = PLAN.replace("zip = { role = \"quasi\", type = \"integer\" }", "job = \"quasi\"");
    let folder = folder().and("jobs.toml", jobs).and("w.csv", workers(60));
    publish(&folder, "w.csv", "--m 2");
    let second = folder.json(&format!("publish jobs.toml --input w.csv {KEY} --confidence 0.6"));
    assert_eq!(second["method"], "xy-linkability");
    let notes = second["notes"].to_string();
    assert!(notes.contains("the release before was made with `m-invariance`"), "{notes}");
}

#[test]
fn a_planned_horizon_is_kept_and_then_over() {
    let turned = |by: usize| {
        let mut diseases = DISEASES;
        diseases.rotate_left(by);
        people(0..50, &diseases)
    };
    let folder = folder().and("1.csv", turned(0)).and("2.csv", turned(1)).and("3.csv", turned(3));
    let with = "--method global-guarantee --l 2 --horizon 2";
    let first = publish(&folder, "1.csv", with);
    let second = publish(&folder, "2.csv", with);
    assert_eq!((number(&second, "updated"), number(&second, "release")), (50, 2));
    for answer in [&first, &second] {
        assert!(answer["max_posterior"].as_f64().expect("a number") <= 0.5, "{answer}");
        // (1 - 1/4)² ≥ 1/2 and (1 - 1/3)² < 1/2: four values or more.
        assert!(number(answer, "k") >= 4, "{answer}");
    }
    let text = folder.says_no(&format!("publish plan.toml --input 3.csv {KEY} {with}"), &[]);
    assert!(text.contains("`horizon` is 2, and as many releases are published"), "{text}");
}

#[test]
fn a_value_is_compared_with_the_last_that_was_shown() {
    // Everybody has a value in the second table that nobody had; one is too frequent, and some wait.
    let first = people(0..50, &DISEASES);
    let others = ["burn", "colic", "acne", "ulcer", "eczema", "burn"];
    let second = people(0..50, &[&others[..], &["eczema"; 4]].concat());
    let folder = folder().and("1.csv", first).and("2.csv", second);
    let with = "--method global-guarantee --l 2 --horizon 3 --surplus hold-back";
    publish(&folder, "1.csv", with);
    let said = folder.says_no(&format!("publish plan.toml --input 2.csv {KEY} {with}"), &[]);
    assert!(said.contains("held back: anybody who sees that somebody waits learns more"), "{said}");
    folder.put("plan.toml", format!("{PLAN}[method]\nallow-unsafe = true\n"));
    let second = publish(&folder, "2.csv", with);
    assert_eq!(number(&second, "updated"), 50);
    assert_eq!(second["verified"], false, "{second}");
    let third = publish(&folder, "2.csv", with);
    let n_waited = number(&second, "held_back");
    assert!(0 < n_waited && n_waited < 50, "{second}");
    assert_eq!((number(&third, "updated"), number(&third, "returned")), (n_waited, n_waited));
}

#[test]
fn who_is_held_back_is_new_once() {
    // Three in five have one value, and m = 3 allows one in three: others wait.
    let values = ["flu", "flu", "flu", "cold", "gout"];
    let folder = folder().and("1.csv", people(0..50, &values)).and("2.csv", people(0..55, &values));
    folder.put("plan.toml", format!("{PLAN}[method]\nallow-unsafe = true\n"));
    let with = "--method m-invariance --m 3 --surplus hold-back";
    let first = publish(&folder, "1.csv", with);
    assert_eq!((number(&first, "inserted"), number(&first, "held_back")), (50, 20));
    // All who wait have the flu, and the belief counts them.
    assert_eq!((&first["verified"], &first["max_posterior"]), (&json!(false), &json!(1.0)));
    let second = publish(&folder, "2.csv", with);
    assert_eq!((number(&second, "inserted"), number(&second, "returned")), (5, 0));
    assert!(number(&second, "held_back") > 20, "{second}");
}

#[test]
fn parquet_releases_are_read_back_and_judged_like_others() {
    let folder = folder()
        .and("1.csv", people(0..60, &DISEASES))
        .and("2.csv", people((0..60).filter(|n| n % 6 != 0).chain(60..65), &DISEASES));
    let with = "--m 3 -o stays-{release}.parquet";
    publish(&folder, "1.csv", with);
    let second = publish(&folder, "2.csv", with);
    assert_eq!(second["history_checked"], true);
    let inspected = folder.json("inspect stays-2.parquet");
    assert_eq!(number(&inspected, "rows"), number(&second, "rows_out"));
    let has_counterfeits = number(&second, "counterfeits") > 0;
    assert_eq!(folder.path("stays-2.counterfeits.parquet").exists(), has_counterfeits);
    let attack = "attack stays-1.parquet stays-2.parquet --plan plan.toml --original 1.csv";
    let only = "--original 2.csv --key patient --only value-association";
    let answer = folder.json(&format!("{attack} {only}"));
    assert_eq!(answer["attacks"][0]["targets"], 65, "{answer}");
    let exact = answer["attacks"][0]["max_probability"].as_f64().expect("a number");
    assert!(exact <= 0.5, "{answer}");
}

#[test]
fn insensitive_columns_are_left_out_and_it_is_said() {
    let plan =
        PLAN.replace("zip = { role = \"quasi\", type = \"integer\" }", "zip = \"insensitive\"");
    let folder = folder().and("notes.toml", plan).and("1.csv", people(0..30, &DISEASES));
    let answer = folder.json(&format!("publish notes.toml --input 1.csv {KEY} --m 2"));
    let columns = &answer["columns"];
    assert_eq!(
        (&columns["insensitive"], &columns["left_out"]),
        (&json!([]), &json!(["patient", "zip"]))
    );
    assert!(
        answer["notes"][0].as_str().expect("a note").starts_with("`zip` is left out"),
        "{answer}"
    );
    let release = folder.text("release-1.csv").expect("it was published");
    assert!(release.starts_with("age,disease,group\n"), "{release}");
}

#[test]
fn a_column_is_sensitive_in_all_releases_or_in_none() {
    let zip = "zip = { role = \"quasi\", type = \"integer\" }";
    let known = PLAN.replace(zip, "job = \"quasi\"");
    let hidden = PLAN.replace(zip, "job = \"sensitive\"");
    let folder = folder()
        .and("w.csv", workers(60))
        .and("known.toml", known)
        .and("hidden.toml", hidden.replace("disease = \"sensitive\"\n", ""))
        .and("turned.toml", hidden.replace("disease = \"sensitive\"", "disease = \"quasi\""));
    for (first, second, column) in
        [("plan.toml", "turned.toml", "disease"), ("known.toml", "hidden.toml", "job")]
    {
        let with = format!("--input w.csv {KEY} --series {column} -o {column}-{{release}}.csv");
        folder.json(&format!("publish {first} {with} --m 2"));
        for method in ["auto --confidence 0.6", "xy-anonymity --k 2"] {
            let text =
                folder.refused(&format!("publish {second} {with} --method {method} --quiet"));
            let both = format!(
                "column `{column}` is sensitive in one release and a quasi-identifier in another: release 1 \
                 and this one"
            );
            assert!(text.contains(&both) && text.contains("hint: "), "{text}");
        }
        let shown = folder.json(&format!("series show {column} {KEY}"));
        assert_eq!(shown.as_array().map(Vec::len), Some(1), "nothing was recorded");
    }
}

#[test]
fn a_table_of_other_people_or_keys_is_noted() {
    let folder = folder()
        .and("1.csv", people(0..40, &DISEASES))
        .and("2.csv", people(10..45, &DISEASES))
        .and("3.csv", people((40..42).chain(100..150), &DISEASES));
    let notes = |table: &str| publish(&folder, table, "--m 2")["notes"].to_string();
    let [first, second, third] = ["1.csv", "2.csv", "3.csv"].map(notes);
    for few in [first, second] {
        assert!(!few.contains("new to the series") && !few.contains("not in the table"), "{few}");
    }
    assert!(third.contains("50 of 52 keys are new to the series"), "{third}");
    assert!(
        third.contains("33 of the 35 people of the previous release are not in the table"),
        "{third}"
    );
}

#[test]
fn other_columns_are_published_where_people_leave() {
    let jobs = PLAN.replace("zip = { role = \"quasi\", type = \"integer\" }", "job = \"quasi\"");
    let (all, some) = (workers(60), workers(60));
    let stay = |line: &&str| !line.starts_with("p00") || line.starts_with("p000");
    let some: Vec<&str> = some.lines().filter(stay).collect();
    let folder = folder().and("jobs.toml", jobs).and("w.csv", all).and("x.csv", some.join("\n"));
    for (method, level) in [("xy-anonymity", "--k 3"), ("xy-linkability", "--confidence 0.4")] {
        let with =
            format!("--method {method} {level} --series {method} -o {method}-{{release}}.csv");
        publish(&folder, "w.csv", &with);
        let second = folder.json(&format!("publish jobs.toml --input x.csv {KEY} {with}"));
        assert_eq!((number(&second, "release"), number(&second, "deleted")), (2, 9), "{second}");
        // Those whom linkability would hold back have one value too often.
        assert_eq!(number(&second, "counterfeits") > 0, method == "xy-linkability", "{second}");
        let (held_back, classes) = (number(&second, "held_back"), number(&second, "classes"));
        assert!(classes > 5 && held_back < 20, "{second}");
        assert!(second["loss"].as_f64().expect("a number") < 0.6, "{second}");
    }
}

//! What is told about a series: its report, figures as fractions, files that are not what was published, and
//! people who were forgotten.

use serde_json::json;

use crate::harness::SECRET;
use crate::series::{DISEASES, KEY, PLAN, folder, number, people, publish};

#[test]
fn a_report_tells_of_all_releases_and_shows_no_cell() {
    let diseases = [SECRET, "gastritis", "asthma", "angina", "migraine"];
    let folder = folder()
        .and(
            "plan.toml",
            PLAN.replace("[output]\n", "[output]\nreport = \"page-{release}.html\"\n"),
        )
        .and("1.csv", people(0..60, &diseases))
        .and("2.csv", people((0..60).filter(|n| n % 6 != 0).chain(60..75), &diseases));
    publish(&folder, "1.csv", "--m 3");
    let second = publish(&folder, "2.csv", "--m 3");
    let [first, page] = [1, 2].map(|n| folder.text(&format!("page-{n}.html")).expect("a page"));
    assert!(!first.contains("id=\"releases\""), "one release is no series to look at");
    for word in
        ["Release 2 of <bdi>stays</bdi>", "m-invariance", "came back", "Highest belief so far"]
    {
        assert!(page.contains(word), "{word}");
    }
    for part in ["promised", "people", "releases", "cost", "risk", "sizes", "not-promised", "check"]
    {
        assert!(page.contains(&format!("<section id=\"{part}\"")), "{part}");
    }
    let held_back = format!("<td class=\"number\">{}</td>", number(&second, "held_back"));
    assert!(page.contains(&held_back), "{page}");
    for cell in ["p001", "gastritis", "[2", SECRET] {
        assert!(!page.contains(cell), "a cell is on the page: {cell}");
    }
    assert!(!page.contains("src=") && !page.contains("href=\"http"), "it loads nothing");
}

#[test]
fn a_report_over_another_file_is_refused_before_anything_is_published() {
    let folder = folder()
        .and("1.csv", people(0..30, &DISEASES))
        .and("notes.html", "<p>mine</p>")
        .and("empty.html", "");
    let ask =
        |report: &str| format!("publish plan.toml --input 1.csv {KEY} --m 3 --report {report}");
    let text = folder.run(&ask("notes.html"));
    assert!(text.code == 2 && text.stderr.contains("is not a kohort report"), "{text}");
    for same in ["release-1.csv", "1.csv"] {
        assert_eq!(folder.run(&ask(same)).code, 2, "{same}");
    }
    assert_eq!(folder.text("release-1.csv"), None);
    assert_eq!(folder.run(&ask("empty.html")).code, 0);
    let printed = folder.run(&format!("{} --print-plan", ask("page.html")));
    assert!(printed.stdout.contains("report = \"page.html\""), "{printed}");
}

#[test]
fn the_highest_belief_is_a_fraction_where_it_is_one() {
    let turned = |by: usize| {
        let mut diseases = DISEASES;
        diseases.rotate_left(by);
        people(0..50, &diseases)
    };
    let folder = folder().and("1.csv", turned(0)).and("2.csv", turned(1));
    let first = publish(&folder, "1.csv", "--method global-guarantee --l 2 --horizon 3");
    let second = publish(&folder, "2.csv", "--method global-guarantee --l 2 --horizon 3");
    assert_eq!((&first["max_posterior"], &second["max_posterior"]), (&json!(0.2), &json!(0.36)));
    assert_eq!(second["max_posterior_exact"], json!({ "num": 9, "den": 25 }));
    let shown = folder.json(&format!("series show stays {KEY}"));
    assert_eq!(shown[0]["max_posterior_exact"], json!({ "num": 1, "den": 5 }));
    let third = publish(&folder, "1.csv", "--series other --m 3 -o other.csv");
    assert_eq!(third["max_posterior_exact"], json!({ "num": 1, "den": 3 }));
}

#[test]
fn a_published_file_that_was_altered_is_named() {
    let folder =
        folder().and("1.csv", people(0..30, &DISEASES)).and("2.csv", people(0..40, &DISEASES));
    publish(&folder, "1.csv", "--m 3");
    publish(&folder, "2.csv", "--m 3");
    let check = format!("series check stays {KEY}");
    assert_eq!(folder.run(&check).code, 0);
    let release = folder.text("release-1.csv").expect("it was published");
    folder.put("release-1.csv", release.replacen("flu", "gout", 1));
    let output = folder.run(&check);
    assert_eq!(output.code, 1, "{output}");
    assert!(output.stdout.contains("release-1.csv is NOT WHAT WAS PUBLISHED"), "{output}");
    let answer = folder.json(&check);
    assert_eq!(
        (&answer[0]["holds"], number(&answer[0]["altered_files"][0], "release")),
        (&json!(false), 1)
    );
    // One that was moved away is noted.
    folder.put("release-1.csv", &release);
    std::fs::rename(folder.path("release-2.csv"), folder.path("moved.csv")).expect("it is there");
    let output = folder.run(&check);
    assert_eq!(output.code, 0, "{output}");
    assert!(output.stderr.contains("of release 2 of `stays`, is not there"), "{output}");
    // A release in the place of another is what is looked at.
    let other = format!("publish plan.toml --series other {KEY} --m 3 -o same.csv --force");
    for table in ["1.csv", "2.csv"] {
        folder.json(&format!("{other} --input {table}"));
    }
    assert_eq!(folder.run(&format!("series check other {KEY}")).code, 0);
}

#[cfg(unix)]
#[test]
fn a_ledger_that_others_may_read_is_noted() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder().and("1.csv", people(0..30, &DISEASES));
    publish(&folder, "1.csv", "--m 3");
    let open = |mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(folder.path("kohort.ledger"), permissions).expect("it is ours");
        folder.run(&format!("series list {KEY}")).stderr
    };
    assert_eq!(open(0o600), "");
    let told = open(0o640);
    assert!(told.contains("(mode 640)") && told.contains("`chmod 600 kohort.ledger`"), "{told}");
    let output = folder.run(&format!("publish plan.toml --input 1.csv {KEY} --m 3"));
    assert!(output.code == 0 && output.stderr.contains("chmod 600"), "{output}");
}

#[test]
fn series_are_for_tables() {
    let folder = folder().and("p.json", r#"[{"patient": "a", "visits": [{"dx": "flu"}]}]"#);
    let text = folder.refused(&format!("publish p.json --series s --key patient {KEY}"));
    assert!(text.contains("series are for tables"), "{text}");
    let help = folder.run("publish --help").stdout;
    assert!(!help.contains("inside records") && !help.contains("--tables"), "{help}");
}

#[test]
fn a_hint_leads_to_a_release() {
    let folder = folder().and("1.csv", people(0..30, &DISEASES));
    publish(&folder, "1.csv", "--m 3");
    let text = folder.says_no(&format!("publish plan.toml --input 1.csv {KEY} --m 4"), &[]);
    assert!(text.contains("ask for what the earlier releases kept (m = 3)"), "{text}");
    assert!(!text.contains("--method"), "{text}");
}

// Ann is with Bea, then forgotten, then with Eva: her value is what both classes show.
#[test]
fn who_was_forgotten_is_not_covered_and_that_is_told() {
    let folder = folder()
        .and(
            "1.csv",
            "patient,age,zip,disease\nAnn,20,1,HIV\nBea,21,1,flu\nCid,60,9,gout\nDan,61,9,cold\n",
        )
        .and(
            "2.csv",
            "patient,age,zip,disease\nAnn,20,1,HIV\nEva,22,1,acne\nCid,60,9,gout\nDan,61,9,cold\n",
        );
    let first = publish(&folder, "1.csv", "--m 2");
    assert_eq!(first["not_promised"].as_array().map(Vec::len), Some(3));
    assert!(first["not_promised"].to_string().contains("runs it again on values that fit"));
    assert_eq!(folder.run(&format!("series forget stays --person Ann {KEY}")).code, 0);
    let output = folder.run(&format!("publish plan.toml --input 2.csv {KEY} --m 2"));
    assert_eq!(output.code, 0, "{output}");
    let note = "1 person was forgotten: those of them who are in the table are new to the ledger, and nothing is promised about what earlier releases say about them";
    assert!(output.stderr.contains(note), "{output}");
    assert!(output.stdout.contains("- nothing about people who were forgotten"), "{output}");
}

// Three in five have one value, and m = 2 allows one in two.
#[test]
fn who_waits_is_seen_to_wait_and_that_is_told() {
    let values = ["flu", "flu", "flu", "cold", "gout"];
    let folder = folder().and("1.csv", people(0..50, &values));
    let waiting = |answer: &serde_json::Value| {
        let told = answer["not_promised"].to_string();
        told.contains("who waits is likely to have a value that is too frequent")
            && told.contains("`surplus = counterfeits` avoids it")
    };
    for (number_of, flags) in [("m", "--m 2"), ("e", "--m 2 --e 2")] {
        // Nobody asked for people to wait: they stand beside counterfeits.
        let more = format!("{flags} --series {number_of} -o {number_of}.csv");
        let shown = publish(&folder, "1.csv", &more);
        assert!(number(&shown, "held_back") == 0 && !waiting(&shown), "{shown}");
        assert!(shown["notes"].to_string().contains("published with counterfeits"), "{shown}");
        // Who asks for it is refused, unless what is unsafe is allowed.
        let more = format!("{flags} --series {number_of}-held -o {number_of}-held.csv");
        let more = format!("{more} --surplus hold-back");
        let said = folder.says_no(&format!("publish plan.toml --input 1.csv {KEY} {more}"), &[]);
        assert!(
            said.contains("one value fills 100 % of the 10 people who are held back"),
            "{said}"
        );
        let plan = PLAN.replace("[output]", "m = 2\n[output]");
        folder.put("unsafe.toml", format!("{plan}[method]\nallow-unsafe = true\n"));
        let held = folder.json(&format!(
            "publish unsafe.toml --input 1.csv {KEY} {more} --report h.html --force"
        ));
        // Losses by column are shares of the whole table, and would tell about who waits.
        let page = folder.text("h.html").unwrap_or_default();
        assert!(page.contains("held back") && !page.contains("zip: "), "{page}");
        assert!(number(&held, "held_back") > 0 && waiting(&held), "{held}");
        assert_eq!((&held["verified"], held["max_posterior"].as_f64()), (&false.into(), Some(1.0)));
        let attack = format!("attack {number_of}-held.csv --plan unsafe.toml --original 1.csv");
        let found = folder.json(&format!("{attack} --key patient --only suppression"));
        assert_eq!(found["attacks"][0]["verdict"], "refuted", "{found}");
        let attack = format!("attack {number_of}.csv --plan unsafe.toml --original 1.csv");
        let found = folder.json(&format!("{attack} --key patient --only suppression"));
        assert_eq!(found["attacks"].as_array().map(Vec::len), Some(0), "{found}");
    }
    let shown = publish(&folder, "1.csv", "--m 2 --surplus counterfeits");
    assert!(number(&shown, "held_back") == 0 && !waiting(&shown), "{shown}");
    assert!(number(&shown, "counterfeits") > 0, "{shown}");
    assert_eq!(shown["truthful"], false, "counterfeits are made up");
}

#[test]
fn the_rule_of_the_thesis_is_a_figure_and_not_a_promise() {
    let folder = folder()
        .and("1.csv", people(0..60, &DISEASES))
        .and("2.csv", people(5..70, &DISEASES))
        .and("follows.csv", "from,to,probability\nflu,flu,50%\nasthma,asthma,0.6\n");
    let with = "--correlations follows.csv --rho 0.5";
    assert!(publish(&folder, "1.csv", with).get("thesis_rule").is_none(), "there is one release");
    let second = publish(&folder, "2.csv", &format!("{with} --report page.html"));
    let figure = second["thesis_rule"].as_f64().expect("a number");
    assert!(0.0 < figure && figure < 1.0, "{second}");
    let page = folder.text("page.html").expect("a page");
    let text = folder.run(&format!("publish plan.toml --input 2.csv {KEY} {with}")).stdout;
    for told in [page, text] {
        assert!(told.contains(
            "rule of Abdalaal 2012, which looks at this release and the one before alone"
        ));
        assert!(told.contains("a figure to compare with, not a promise"), "{told}");
    }
}

#[test]
fn a_series_refuses_the_transparent_mode() {
    let folder = folder().and("1.csv", people(0..30, &DISEASES));
    let plan = format!("{PLAN}[method]\ntransparent = true\n");
    folder.put("transparent.toml", plan);
    let said = folder.refused(&format!("publish transparent.toml --input 1.csv {KEY} --m 3"));
    assert!(said.contains("a release of a series has no transparent mode"), "{said}");
}

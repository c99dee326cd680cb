//! What a goal asks for and what is said about it: promises that ask for nothing, that need others beside
//! them, and the figures they are given with.

use serde_json::json;

use crate::harness::Folder;

/// Ten people; the first two digits of the zip code, the age and four diseases.
const PEOPLE: &str = "zip,age,disease,cost\n11,20,flu,10\n11,21,flu,20\n11,22,cold,30\n12,23,HIV,40\n\
                      12,24,flu,50\n12,40,cold,60\n21,41,flu,70\n21,42,asthma,80\n21,43,flu,90\n\
                      22,44,cold,100\n";

const ASK: &str = "anonymize t.csv --quasi zip,age --sensitive disease -o r.csv --format json";

fn folder() -> Folder {
    Folder::with(&[("t.csv", PEOPLE)])
}

// Rows with low values are never exempt from k.
#[test]
fn a_bound_on_high_values_needs_a_k_and_may_name_the_low_ones() {
    let folder = folder();
    let run = |ask: &str, alpha: &str, more: &str| {
        let bound =
            format!("{{ attribute = \"disease\", high = [\"HIV\"], alpha = {alpha}{more} }}");
        folder.run_with(ask, &["--sensitivity-classes", &bound])
    };
    let refused = run(ASK, "0.5", "");
    assert_eq!((refused.code, folder.text("r.csv")), (2, None));
    assert!(refused.stderr.contains("without a k rows with low values"), "{refused}");
    let made = run(&format!("{ASK} --k 2"), "0.3", "").json();
    assert_eq!((&made["verified"], &made["goal"][1]["vacuous"]), (&json!(true), &json!(null)));
    // What is called neither counts as high: five of ten, where three may be.
    let low = ", low = [\"flu\"]";
    let made = run(&format!("{ASK} --k 2 --force"), "0.5", low).json();
    let notes = made["notes"].to_string();
    assert!(notes.contains("neither high nor low, and count as high: 2"), "{notes}");
    let strict = run(&format!("{ASK} --k 2 --force"), "0.3", low);
    assert_eq!(strict.code, 1, "{strict}");
    let both = run(&format!("{ASK} --k 2 --force"), "0.5", ", low = [\"HIV\"]");
    assert_eq!(both.code, 2);
    assert!(both.stderr.contains("both high and low"), "{both}");
}

#[test]
fn a_promise_about_values_that_do_not_occur_is_told_apart() {
    let folder = folder();
    let misspelt = "{ attribute = \"disease\", values = [\"hiv\"], alpha = 0.1, k = 2 }";
    let made = folder.run_with(ASK, &["--alpha-k-anonymity", misspelt]).json();
    assert_eq!(made["goal"][0]["vacuous"], json!(true));
    let text = ASK.replace("--format json", "--force");
    let output = folder.run_with(&text, &["--alpha-k-anonymity", misspelt]);
    let said = "holds (has no effect: none of the values it names occurs)";
    assert!(output.stdout.contains(said), "{output}");
}

#[test]
fn levels_are_numbers_with_the_fraction_that_decides() {
    let asked = "{ attribute = \"disease\", values = [\"flu\"], alpha = 0.6, k = 3 }";
    let made = folder().run_with(ASK, &["--alpha-k-anonymity", asked]).json();
    let levels = json!({ "alpha": { "value": 0.6, "num": 3, "den": 5 }, "k": 3 });
    assert_eq!(made["goal"][0]["levels"], levels);
}

#[test]
fn a_goal_that_hides_nobody_says_who_stands_alone() {
    let folder = folder();
    let guards = "{ attribute = \"disease\", p = 0.5, guards = { HIV = \"HIV\" } }";
    let ask = format!("{ASK} --transparent no");
    let made = folder.run_with(&ask, &["--personalized-privacy", guards]).json();
    assert_eq!(made["k"], json!(1));
    let notes = made["notes"].to_string();
    assert!(notes.contains("nothing in the goal hides people among others"), "{notes}");
    let made =
        folder.run_with(&format!("{ASK} --k 2 --force"), &["--personalized-privacy", guards]);
    assert!(!made.json()["notes"].to_string().contains("who is who"));
}

// Five of ten have the flu: four in nine and three in eight are left where one and two rows are dropped.
#[test]
fn rows_under_a_guard_are_dropped_where_that_is_allowed_by_name() {
    let folder = folder();
    let guards = "{ attribute = \"disease\", p = 0.4, guards = { flu = \"flu\" } }";
    let ask = format!("{ASK} --k 2");
    let refused = folder.run_with(&ask, &["--personalized-privacy", guards]);
    assert_eq!(refused.code, 1, "{refused}");
    let with = format!("{ask} --suppression 0.2");
    let refused = folder.run_with(&with, &["--personalized-privacy", guards]);
    assert_eq!(refused.code, 1, "who is dropped has the flu\n{refused}");
    let with = format!("{with} --allow-unsafe");
    let made = folder.run_with(&with, &["--personalized-privacy", guards]).json();
    assert_eq!((&made["verified"], &made["suppressed"]), (&json!(false), &json!(2)));
}

#[test]
fn a_range_out_of_reach_names_one_that_is_not_and_no_cell() {
    let folder = folder();
    let ask = "anonymize t.csv --quasi zip,age --sensitive cost -o r.csv --format json";
    let asked = "{ attribute = \"cost\", k = 2, e = 1000 }";
    let no = folder.run_with(ask, &["--ke-anonymity", asked]);
    assert_eq!(no.code, 1, "{no}");
    assert_eq!(no.json()["nearest"], json!("at most e = 90 is feasible"));
}

#[test]
fn any_metric_can_be_asked_for_and_its_bound_is_in_its_unit() {
    let ages: Vec<String> = (20..45).map(|age| format!("{age};{}x;*", age / 10)).collect();
    let folder = Folder::with(&[("t.csv", PEOPLE), ("age.csv", &ages.join("\n"))]);
    let ask =
        "anonymize t.csv --quasi zip,age --insensitive cost --k 3 -o r.csv --force --format json";
    let refused = folder.run(&format!("{ask} --metric prec"));
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("counts levels of taxonomies"), "{refused}");
    let by_node = format!("{ask} --taxonomy age=age.csv --taxonomy zip=mask --numeric taxonomy");
    let figure = |value: &serde_json::Value| value.as_f64().expect("it is a number");
    let metrics = ["prec", "whd", "whd-beta", "dm", "c-avg", "lm", "ncp", "kl", "kl-attribute"];
    let made = metrics.map(|metric| {
        let made = folder.run(&format!("{by_node} --algorithm optimal --metric {metric}")).json();
        assert_eq!(made["verified"], json!(true), "{metric}");
        made["metrics"].clone()
    });
    // None of the others has less of a metric than the release that was made for it.
    for (metric, own) in metrics.iter().zip(&made) {
        let id = metric.replace('-', "_");
        for (asked, other) in metrics.iter().zip(&made) {
            let least = figure(&own[&id]) <= figure(&other[&id]) + 1e-9;
            assert!(least, "{asked} has less {metric}: {} {}", own[&id], other[&id]);
        }
    }
    let made = folder.run(&format!("{ask} --metric byun-il")).json();
    let (bound, found) = (figure(&made["lower_bound"]), figure(&made["metrics"]["byun_il"]));
    assert!(bound <= found && bound > found / 10.0, "{bound} of {found}");
}

#[test]
fn auto_is_the_best_in_metrics_that_are_no_sum_over_cells_and_others_say_that_they_are_not() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data census --rows 300 -o c.csv").code, 0);
    let ask = "anonymize c.csv --quasi age,sex,education --k 3 -o r.csv --force --format json";
    for metric in ["dm", "c-avg", "kl-attribute"] {
        let of = |algorithm: &str| {
            folder.run(&format!("{ask} --metric {metric} --algorithm {algorithm}")).json()
        };
        let id = metric.replace('-', "_");
        let auto = of("auto");
        let figure =
            |answer: &serde_json::Value| answer["metrics"][&id].as_f64().expect("it has it");
        assert_eq!(auto["loss"], auto["metrics"][&id]);
        for other in ["k-member", "oka", "mondrian", "hilbert", "optimal"] {
            let found = of(other);
            assert!(figure(&auto) <= figure(&found) + 1e-9, "{other} has less {metric}");
            let note = format!("`{other}` cannot minimize `{metric}`");
            let is_told = found["notes"].to_string().contains(&note);
            assert_eq!(is_told, other != "optimal", "{found}");
        }
    }
}

// Three of six rows are infections, but HIV can stand with two ulcers.
#[test]
fn a_promise_that_the_whole_table_does_not_keep_may_be_kept_by_its_classes() {
    let people = "age,disease\n20,HIV\n21,ulcer\n22,ulcer\n60,flu\n61,flu\n62,cold\n";
    let tree = "flu;resp;infection;any\ncold;resp;infection;any\nHIV;viral;infection;any\n\
                ulcer;stomach;other;any\n";
    let folder = Folder::with(&[("p.csv", people), ("dis.csv", tree)]);
    let ask = "anonymize p.csv --quasi age --sensitive disease --taxonomy disease=dis.csv --k 3 \
               --transparent no -o r.csv --force --format json";
    let widths = "age={ widths = [10, 20] }";
    let guarded = "{ p = 0.4, attribute = 'disease', guards = { HIV = 'infection' } }";
    for more in [&[][..], &["--suppression", "0.5"]] {
        let flags = [&["--taxonomy", widths, "--personalized-privacy", guarded], more].concat();
        let made = folder.run_with(ask, &flags).json();
        let found = (&made["verified"], &made["suppressed"], &made["k"]);
        assert_eq!(found, (&json!(true), &json!(0), &json!(3)), "{made}");
    }
    let no = folder.run_with(
        &format!("{ask} --algorithm mondrian"),
        &["--taxonomy", widths, "--personalized-privacy", guarded],
    );
    assert!(no.json()["nearest"].to_string().contains("in any case"), "{no}");
    assert!(no.json()["hint"].to_string().contains("--algorithm auto"), "{no}");
}

// Of twelve rows three have a. Of the four that are left by dropping all others three have it too, and two of
// them alone would be near those four.
#[test]
fn dropping_rows_brings_no_class_nearer_to_the_table() {
    let rows = "age,d\n20,a\n20,a\n30,a\n30,b\n41,c\n42,d\n43,c\n44,d\n45,c\n46,d\n47,c\n48,d\n";
    let folder = Folder::with(&[("t.csv", rows), ("hand.csv", "age,d\n20,a\n20,a\n30,a\n30,b\n")]);
    let goal = "--quasi age --sensitive d --k 2 --t 0.3 --suppression 0.7";
    for algorithm in ["optimal", "samarati", "auto", "mondrian"] {
        let ask = format!("anonymize t.csv {goal} --algorithm {algorithm} -o r.csv --force");
        if folder.run(&ask).code == 0 {
            let text = folder.text("r.csv").unwrap_or_default();
            let of_20: Vec<&str> = text.lines().filter(|line| line.starts_with("20,")).collect();
            assert!(of_20.is_empty(), "{algorithm}: {text}");
        }
    }
    let plan = "input = 't.csv'\n[attributes]\nage = 'quasi'\nd = 'sensitive'\n[goal]\n\
                k-anonymity = 2\nt-closeness = { t = 0.3, attribute = 'd' }\nsuppression = 0.7\n";
    folder.put("p.toml", plan);
    let alone = folder.run("verify hand.csv --plan p.toml");
    assert_eq!(alone.code, 0, "{alone}");
    let compared = folder.run("verify hand.csv --plan p.toml --original t.csv");
    assert_eq!(compared.code, 1, "{compared}");
}

#[test]
fn the_root_has_a_name_only_where_nothing_is_missing() {
    let towns = "Rome;Europe\nOslo;Europe\n";
    let ask = "anonymize t.csv --quasi town --insensitive n --taxonomy town=towns.csv --k 3 -o r.csv --force";
    for (missing, shown) in [("Oslo", "Europe"), ("", "*")] {
        let rows = format!("town,n\nRome,1\nOslo,2\n{missing},3\n");
        let folder = Folder::with(&[("t.csv", &rows), ("towns.csv", towns)]);
        let made = folder.run(ask);
        assert_eq!(made.code, 0, "{made}");
        let text = folder.text("r.csv").unwrap_or_default();
        assert!(text.lines().skip(1).all(|line| line.starts_with(shown)), "{text}");
    }
}

#[test]
fn numbers_too_large_to_be_compared_are_texts() {
    let folder = Folder::with(&[("n.csv", "q,s\n1e308,x\n-1e308,y\n0,z\n1,x\n")]);
    for algorithm in ["auto", "k-member", "hilbert", "two-phase-b", "mdav"] {
        let ask = format!(
            "anonymize n.csv --quasi q --sensitive s --k 2 --algorithm {algorithm} -o r.csv --force \
             --format json"
        );
        let made = folder.run(&ask);
        assert_eq!(made.code, 0, "{algorithm}: {made}");
    }
    // Above 2⁵³ neighbors are one float, and two values all the same.
    folder.put("b.csv", "q\n9007199254740992\n9007199254740993\n");
    let made = folder.run("anonymize b.csv --quasi q --k 2 -o r.csv --force --format json").json();
    assert_eq!((&made["metrics"]["ncp"], &made["metrics"]["lm"]), (&json!(1.0), &json!(1.0)));
}

#[test]
fn the_loss_is_in_the_unit_of_its_bound() {
    let ages: Vec<String> = (20..45).map(|age| format!("{age};{}x;*", age / 10)).collect();
    let folder = Folder::with(&[("t.csv", PEOPLE), ("age.csv", &ages.join("\n"))]);
    let ask = "anonymize t.csv --quasi zip,age --insensitive cost --k 3 -o r.csv --force --format json \
               --taxonomy age=age.csv --taxonomy zip=mask --numeric taxonomy";
    for metric in ["ncp", "lm", "byun-il", "whd", "whd-beta"] {
        let made = folder.run(&format!("{ask} --metric {metric}")).json();
        let figure = |value: &serde_json::Value| value.as_f64().expect("it is a number");
        let (loss, bound) = (figure(&made["loss"]), figure(&made["lower_bound"]));
        let own = figure(&made["metrics"][metric.replace('-', "_")]);
        assert!((loss - own).abs() < 1e-9 && bound <= loss, "{metric}: {bound} {loss} {own}");
    }
}

// One class is `*` because it is wide, and nothing may be suppressed.
#[test]
fn a_class_that_shows_nothing_is_not_suppressed() {
    let rows = "age,sex,d\n20,M,a\n21,M,b\n22,M,c\n90,F,a\n5,M,b\n140,M,a\n40,F,b\n41,F,c\n42,F,a\n43,F,b\n";
    let folder = Folder::with(&[("s.csv", rows)]);
    let ask = "anonymize s.csv --quasi age,sex --sensitive d --k 3 -o r.csv --force --format json";
    let of = |suppressed: &str| {
        let flags = ["--taxonomy", "age={ widths = [10, 20] }", "--suppressed", suppressed];
        folder.run_with(ask, &flags).json()
    };
    let (keep, drop) = (of("keep"), of("drop"));
    for field in ["classes", "suppressed", "metrics"] {
        assert_eq!(keep[field], drop[field], "{field}");
    }
}

#[test]
fn a_setting_that_an_algorithm_does_not_use_is_named() {
    let made = folder().run(&format!("{ASK} --k 2 --algorithm mondrian --tau 0.5")).json();
    assert!(made["notes"].to_string().contains("`mondrian` does not use `tau`"), "{made}");
}

#[test]
fn too_many_combinations_of_levels_are_refused_before_the_work() {
    let names: Vec<String> = (0..24).map(|n| format!("c{n}")).collect();
    let row = |n: usize| (0..24).map(|c| ((n * 7 + c * c) % 5).to_string()).collect::<Vec<_>>();
    let lines: Vec<String> = (0..30).map(|n| row(n).join(",")).collect();
    let table = format!("{}\n{}\n", names.join(","), lines.join("\n"));
    let folder = Folder::with(&[("w.csv", &table)]);
    let output = folder.run("anonymize w.csv --quasi * --k 2 --algorithm samarati -o r.csv");
    assert_eq!(output.code, 2, "{output}");
    assert!(output.stderr.contains("`optimal` need not try all of them"), "{output}");
}

// Of five leaves a reader must take `Internal medicine` for four, though two of them stand under a node of
// that name on a lower level: lines that are short repeat their last label.
#[test]
fn a_node_costs_what_its_label_can_stand_for() {
    let tree = "Cardiology;Heart;Internal medicine;*\nAngiology;Heart;Internal medicine;*\n\
                Gastroenterology;Internal medicine;*\nOncology;Internal medicine;*\nSurgery;Theatre;*\n";
    let table = "ward\nGastroenterology\nOncology\nCardiology\nCardiology\nSurgery\nSurgery\n";
    let folder = Folder::with(&[("t.csv", table), ("w.csv", tree)]);
    let made = folder.json("anonymize t.csv --quasi ward --taxonomy ward=w.csv --k 2 -o r.csv");
    let text = folder.text("r.csv").unwrap_or_default();
    assert_eq!(text.matches("Internal medicine").count(), 2, "{text}");
    let ncp = made["metrics"]["ncp"].as_f64().unwrap_or_default();
    assert!((ncp - 2.0 * 0.8 / 6.0).abs() < 1e-12, "{ncp}");
}

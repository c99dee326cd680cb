//! `kohort compare` on records inside records: what each maker costs, and which ones fail.

use serde_json::Value;

use crate::harness::Folder;

fn students() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data students --rows 40 -o students.json").code, 0);
    folder
}

fn cells(answer: &Value) -> &Vec<Value> {
    answer["cells"].as_array().expect("a list")
}

#[test]
fn rivals_that_flatten_are_seen_to_fail() {
    let folder = students();
    let answer =
        folder.json("compare plan.toml --transparent no --l 2,3 --allow-unsafe --suppression 0.2");
    assert_eq!(cells(&answer).len(), 16, "eight algorithms at two levels");
    assert!((answer["raw_linked"].as_f64().expect("a share") - 1.0).abs() < 1e-9);
    for cell in cells(&answer) {
        let algorithm = cell["algorithm"].as_str().unwrap_or_default();
        let release = &cell["release"];
        let is_flat = ["each-table-alone", "universal-relation"].contains(&algorithm);
        let [linked, l] =
            [&release["linked"], &cell["l"]].map(|one| one.as_f64().expect("a number"));
        // What is unsafe is allowed here: who is left out of `clustree` may have one value.
        let fails = release["fails"].as_array().expect("a list");
        let is_missing = |said: &Value| said.to_string().contains("values not in the release");
        let is_safe = fails.iter().all(is_missing);
        assert_eq!(release["verified"], fails.is_empty(), "{cell}");
        assert_eq!(is_safe, !is_flat, "{cell}");
        if is_flat {
            assert!(linked > 0.9, "{cell}");
        } else {
            assert!(linked <= 1.0 / l + 1e-9, "{cell}");
        }
        for metric in ["lm", "suppression_accuracy", "kl", "query_accuracy"] {
            assert!(release["metrics"][metric].is_number(), "{metric}: {cell}");
        }
    }
}

#[test]
fn the_legend_counts_the_families_of_queries_that_were_asked() {
    for (data, told) in [("students", "mean of 10 families"), ("patients", "mean of 7 families")] {
        let folder = Folder::new();
        assert_eq!(folder.run(&format!("demo --data {data} --rows 40 -o made.json")).code, 0);
        let words = "compare plan.toml --transparent no --algorithms ctoff --l 2 --suppression 0.2 --report r.html";
        let output = folder.run(words);
        assert!(output.stdout.contains(told), "{output}");
        let page = folder.text("r.html").expect("it was written");
        let told = told.replace("mean of", "measured for");
        assert!(page.contains(&told), "{told}");
    }
}

#[test]
fn figures_are_those_of_the_release() {
    let folder = students();
    let receipt = folder.json("anonymize plan.toml --transparent no --algorithm tree-anatomy");
    let answer = folder.json("compare plan.toml --transparent no --algorithms tree-anatomy --l 2");
    let release = &cells(&answer)[0]["release"];
    assert_eq!(release["metrics"], receipt["metrics"]);
    assert_eq!(release["vertices_out"], receipt["vertices_out"]);
    assert_eq!(release["records_out"], receipt["records_out"]);
}

#[test]
fn a_maker_that_keeps_no_rule_says_so() {
    let folder = students();
    let plan = folder.text("plan.toml").expect("it is there");
    let rule = "\n[[rules]]\nvalue = \"A\"\nattribute = \"courses[].grade\"\nat-least = 2\nprobability = \"1/4\"\n";
    folder.put("rules.toml", format!("{plan}{rule}"));
    let answer =
        folder.json("compare rules.toml --transparent no --algorithms ctoff,vertex-anatomy --l 2 --suppression 1");
    assert_eq!(cells(&answer)[1]["release"]["verified"], true);
    assert!(cells(&answer)[0]["release"].is_null());
    assert!(
        cells(&answer)[0]["reason"].as_str().is_some_and(|told| told.contains("rule")),
        "{answer}"
    );
}

#[test]
fn a_level_out_of_reach_is_a_result() {
    let folder = students();
    let answer = folder.json("compare plan.toml --transparent no --algorithms ctoff --l 2,50");
    let reason = cells(&answer)[1]["reason"].as_str().expect("a reason");
    assert_eq!(reason, "a class needs 50 records, and there are 40");
    assert_eq!(folder.run("compare plan.toml --transparent no --algorithms ctoff --l 50").code, 1);
}

#[test]
fn the_sheet_has_a_row_for_each_cell_and_may_be_replaced() {
    let folder = students();
    for _ in 0..2 {
        let words = "compare plan.toml --transparent no --algorithms ctoff,vertex-anatomy --l 2,3 --csv sheet.csv";
        assert_eq!(folder.run(words).code, 0);
    }
    let sheet = folder.text("sheet.csv").expect("it was written");
    assert!(sheet.starts_with("algorithm,k,l,seed,records_in,vertices_in,seconds,"), "{sheet}");
    assert_eq!(sheet.lines().count(), 5);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = students();
    for (words, told) in [
        (
            "compare plan.toml --transparent no --algorithms universal-relation",
            "does not keep the goal for everybody",
        ),
        ("compare plan.toml --transparent no --algorithms mondrian", "`mondrian` is for tables"),
        ("compare plan.toml --transparent no --l 2.5", "`l` must be a whole number"),
        (
            "compare plan.toml --transparent no --folds 3",
            "nothing is predicted from nested records",
        ),
        (
            "compare plan.toml --transparent no --partitions 5",
            "`partitions` is for anatomies, and `auto` is not one here",
        ),
        (
            "compare plan.toml --transparent no --algorithms tree-anatomy --partitions 0",
            "`partitions` must be at least 1, but is 0",
        ),
    ] {
        let said = folder.refused(words);
        assert!(said.contains(told), "{told}\n{said}");
    }
}

#[test]
fn seeds_draw_orders_of_the_people_and_figures_have_intervals() {
    let folder = students();
    let words = "compare plan.toml --transparent no --algorithms tree-anatomy,ctoff --l 2 --suppression 0.2 --seeds 3";
    let answer = folder.json(words);
    let seeds: Vec<Option<u64>> = cells(&answer).iter().map(|cell| cell["seed"].as_u64()).collect();
    assert_eq!(seeds, [1, 2, 3, 1, 2, 3].map(Some));
    assert!(cells(&answer).iter().all(|cell| cell["release"]["verified"] == true), "{answer}");
    let points = answer["points"].as_array().expect("a list");
    assert_eq!(points.len(), 2);
    for (point, cells) in points.iter().zip(cells(&answer).chunks(3)) {
        assert_eq!((&point["algorithm"], &point["releases"]), (&cells[0]["algorithm"], &3.into()));
        let [mean, low, high] = ["mean", "low", "high"].map(|name| &point["figures"]["lm"][name]);
        let all: Vec<f64> = (cells.iter())
            .map(|cell| cell["release"]["metrics"]["lm"].as_f64().expect("a number"))
            .collect();
        let mean_of_all = all.iter().sum::<f64>() / 3.0;
        assert!((mean.as_f64().expect("a number") - mean_of_all).abs() < 1e-12);
        assert_eq!(low.as_f64(), all.iter().copied().reduce(f64::min));
        assert_eq!(high.as_f64(), all.iter().copied().reduce(f64::max));
        assert_ne!(low, high, "the order of people decides between equals");
    }
    let said = folder.run(words).stdout;
    assert!(said.contains("min – max") && said.contains("means over 3 orders"), "{said}");
}

#[test]
fn the_report_draws_every_figure_and_names_what_fails() {
    let folder = students();
    let words = "compare plan.toml --transparent no --algorithms tree-anatomy,universal-relation --allow-unsafe --l 2,3 \
                 --seeds 2 --suppression 0.2 --report compare.html";
    assert_eq!(folder.run(words).code, 0);
    let page = folder.text("compare.html").expect("it was written");
    for part in [
        "LM by l",
        "Query accuracy, % by l",
        "Seconds by l",
        "universal-relation †",
        "id=\"fails\"",
        "orders of the people drawn by 1, 2",
        "tree-anatomy, l = 2 loses least",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("http") || page.contains("http://www.w3.org"), "it loads nothing");
}

#[test]
fn more_partitions_lose_no_less_and_are_the_plans_as_well() {
    let folder = students();
    let kept = |words: &str| {
        let answer = folder
            .json(&format!("compare {words} --transparent no --algorithms tree-anatomy --l 2"));
        cells(&answer)[0]["release"]["vertices_out"].as_u64().expect("a number")
    };
    let plan = folder.text("plan.toml").expect("it is there");
    folder.put("parts.toml", plan.replace("[method]", "[method]\npartitions = 8"));
    assert_eq!(kept("parts.toml"), kept("plan.toml --partitions 8"));
    assert_ne!(kept("parts.toml"), kept("plan.toml"));
}

#[test]
fn k_alone_is_compared_as_well() {
    let folder = students();
    let plan = folder.text("plan.toml").expect("it is there");
    folder.put("k.toml", plan.replace("frequency-l-diversity = 2", "k-anonymity = 2"));
    let answer = folder.json("compare k.toml --transparent no --algorithms ctoff --k 2,4");
    let ks: Vec<Option<u64>> = cells(&answer).iter().map(|cell| cell["k"].as_u64()).collect();
    assert_eq!(ks, [Some(2), Some(4)]);
    assert!(cells(&answer).iter().all(|cell| cell["release"]["verified"] == true));
}

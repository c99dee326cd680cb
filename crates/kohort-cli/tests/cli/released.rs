//! What stands in a release: which cells, in which spelling, for odd tables too.

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{Folder, SECRET};

/// The rows of a release in JSON Lines.
fn rows(folder: &Folder, file: &str) -> Vec<Value> {
    let text = folder.text(file).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// Cells that a careless program would change: sensitive, insensitive, insensitive.
const ODD: [(&str, &str, &str); 12] = [
    ("flu", " leading", "1.50"),
    ("he said \"x\"", "=1+1", "1.5"),
    ("flu", "-x", "01.50"),
    ("naïve café", "+3", "1e3"),
    ("flu", "@home", ""),
    ("ß", "a,b", "NA"),
    ("=cmd", "two\nlines", "?"),
    ("flu", "tab\tinside", "-0"),
    ("gut", "trailing ", "3"),
    ("gut", "", "7"),
    ("日本", "'quoted'", "TRUE"),
    ("Flu", "\u{1f600}", "0x1F"),
];

fn odd_csv() -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let row = |(at, (disease, note, amount)): (usize, &(&str, &str, &str))| {
        let (age, zip) = (20 + at * 7 % 12, ["02138", "02139"][at % 2]);
        let cells = [quoted(disease), quoted(note), quoted(amount)].join(",");
        format!("{SECRET}{at},{age},{zip},{cells}\n")
    };
    let rows: String = ODD.iter().enumerate().map(row).collect();
    format!("name,age,zip,disease,note,amount\n{rows}")
}

#[test]
fn cells_that_are_not_made_coarser_keep_every_byte() {
    let folder = Folder::with(&[("t.csv", &odd_csv())]);
    let ask = "anonymize t.csv --identifier name --quasi age,zip --sensitive disease \
               --insensitive note,amount --k 3 --distinct-l 2";
    let mut expected: Vec<[String; 3]> =
        ODD.iter().map(|&(a, b, c)| [a.to_owned(), b.to_owned(), c.to_owned()]).collect();
    expected.sort();
    for file in ["r.jsonl", "r.parquet", "r.arrow", "r.csv"] {
        assert_eq!(folder.run(&format!("{ask} -o {file}")).code, 0);
        // Classes that are large enough are published as they are: a copy in another format.
        let copy =
            format!("anonymize {file} --quasi age,zip --insensitive disease,note,amount --k 3");
        let read = "copy.jsonl";
        assert_eq!(folder.run(&format!("{copy} -o {read}")).code, 0, "{file}");
        for found in [read, "r.jsonl"] {
            let cell = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let mut cells: Vec<[String; 3]> = (rows(&folder, found).iter())
                .map(|row| [cell(row, "disease"), cell(row, "note"), cell(row, "amount")])
                .collect();
            cells.sort();
            assert_eq!(cells, expected, "{file}");
        }
    }
    let csv = folder.text("r.csv").unwrap_or_default();
    assert!(csv.starts_with("\"age\",zip,disease,note,amount\n") && !csv.contains(SECRET));
    // A spreadsheet executes none of them.
    for dangerous in ["=1+1", "-x", "@home", "=cmd"] {
        assert!(csv.contains(&format!("'{dangerous}")), "{dangerous}");
    }
}

#[test]
fn columns_without_a_role_are_named() {
    let folder = Folder::with(&[("t.csv", "a,b,c,d\n1,2,3,4\n1,2,3,4\n")]);
    let output = folder.run("anonymize t.csv --quasi a --insensitive c --k 2 -o r.csv");
    assert_snapshot!(output.stderr, @"note: columns without a role are left out of the release: `b`, `d`");
    assert_eq!(folder.text("r.csv").as_deref(), Some("a,c\n1,3\n1,3\n"));
}

#[test]
fn missing_quasi_identifiers_are_a_value_of_their_own() {
    let table = "age,zip,s\n,02138,a\nNA,02138,b\n?,02138,a\n30,02139,a\n31,02139,b\n32,NA,a\n30,NA,b\n31,02139,a\n";
    let folder = Folder::with(&[("t.csv", table)]);
    let ask = "anonymize t.csv --quasi age,zip --sensitive s --k 3 --seed 1";
    assert_eq!(folder.run(&format!("{ask} -o r.csv")).code, 0);
    let text = folder.text("r.csv").unwrap_or_default();
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    lines.sort_unstable();
    assert_snapshot!(lines.join("\n"), @r#"
    "[30, 32]",*,a
    "[30, 32]",*,a
    "[30, 32]",*,a
    "[30, 32]",*,b
    "[30, 32]",*,b
    ,02138,a
    ,02138,a
    ,02138,b
    "#);
    folder.put("p.toml", folder.run(&format!("{ask} --print-plan")).stdout);
    assert_eq!(folder.json("verify r.csv --plan p.toml --original t.csv")["verified"], true);
}

#[test]
fn a_value_that_stands_for_missing_is_one_in_the_release_as_well() {
    // Two spellings of missing are one sensitive value: no class has two values.
    let table = "age,s\n1,-\n1,\n2,-\n2,\n";
    let folder = Folder::with(&[("t.csv", table)]);
    let ask = "anonymize t.csv --quasi age --sensitive s --k 2 --missing - --distinct-l 2 -o r.csv";
    let as_value = format!("{ask} --missing-as s=value");
    assert!(folder.says_no(&as_value, &[]).contains("the table has 1 different value"));
    folder.put("p.toml", folder.run(&format!("{as_value} --print-plan")).stdout);
    assert_eq!(folder.json("verify t.csv --plan p.toml")["verified"], false);
    // Where missing says nothing, nobody has a value to protect.
    assert_eq!(folder.run(ask).code, 0);
}

#[test]
fn dates_decimals_and_booleans_are_ranges_or_values() {
    let mut table = "day,size,member,s\n".to_owned();
    for row in 0..24 {
        let (month, day) = (1 + row % 12, 1 + row * 7 % 28);
        let size = f64::from(row * 37 % 100) / 4.0;
        let line = format!("2024-{month:02}-{day:02},{size:.2},{},v{}\n", row % 3 == 0, row % 4);
        table.push_str(&line);
    }
    let folder = Folder::with(&[("t.csv", &table)]);
    let ask = "anonymize t.csv --quasi day,size,member --sensitive s --k 4";
    assert_eq!(folder.run(&format!("{ask} -o r.csv")).code, 0);
    let text = folder.text("r.csv").unwrap_or_default();
    let mut lines: Vec<&str> =
        text.lines().skip(1).filter_map(|line| line.rsplit_once(',')).map(|l| l.0).collect();
    lines.sort_unstable();
    lines.dedup();
    assert_snapshot!(lines.join("\n"), @r#"
    "[2024-01-01, 2024-04-30]","[0, 14]",true
    "[2024-02-01, 2024-06-30]","[18, 23]",false
    "[2024-02-01, 2024-06-30]","[4, 12]",false
    "[2024-07-01, 2024-10-31]","[5, 20]",true
    "[2024-08-01, 2024-12-31]","[0, 10]",false
    "[2024-08-01, 2024-12-31]","[12, 24]",false
    "#);
    folder.put("p.toml", folder.run(&format!("{ask} --print-plan")).stdout);
    assert_eq!(folder.json("verify r.csv --plan p.toml --original t.csv")["verified"], true);
}

#[test]
fn a_large_taxonomy_gives_its_labels() {
    let leaf = |v: usize| format!("v{v:03};tens {};hundreds {};*", v / 10, v / 100);
    let taxonomy: Vec<String> = (0..200).map(leaf).collect();
    let row = |row: usize| format!("v{:03},{}", row * 7 % 200, row % 3);
    let rows: Vec<String> = (0..300).map(row).collect();
    let (rows, taxonomy) = (rows.join("\n"), taxonomy.join("\n"));
    let folder = Folder::with(&[("t.csv", &format!("v,s\n{rows}")), ("v.csv", &taxonomy)]);
    let ask = "anonymize t.csv --quasi v --sensitive s --k 5 --taxonomy v=v.csv -o r.csv";
    assert_eq!(folder.json(ask)["verified"], true);
    let release = folder.text("r.csv").unwrap_or_default();
    let is_label =
        |line: &str| ["tens ", "hundreds ", "*", "v"].iter().any(|l| line.starts_with(l));
    assert!(release.lines().all(is_label) && release.contains("\ntens "));
}

#[test]
fn a_taxonomy_that_lacks_values_is_refused_with_its_place() {
    let folder = Folder::with(&[
        ("t.csv", &format!("v,s\na,1\n{SECRET},1\nb,2\n")),
        ("v.csv", "a;x;*\nb;x;*\n"),
    ]);
    let ask = "anonymize t.csv --quasi v --sensitive s --k 2 --taxonomy v=v.csv -o r.csv";
    assert_snapshot!(folder.refused(ask), @r"
    error: v.csv: 1 value of column `v` has no leaf in this taxonomy

    hint: add them to the taxonomy; `kohort taxonomy check FILE --data DATA --column NAME --show-values` lists them
    ");
}

#[test]
fn many_columns_of_which_few_are_quasi_identifiers() {
    let names: Vec<String> = (0..300).map(|column| format!("c{column}")).collect();
    let row = |row: usize| {
        (0..300).map(|c| (row * (c + 3) % 7).to_string()).collect::<Vec<_>>().join(",")
    };
    let rows: Vec<String> = (0..30).map(row).collect();
    let table = format!("{}\n{}\n", names.join(","), rows.join("\n"));
    let folder = Folder::with(&[("t.csv", &table)]);
    let ask = "anonymize t.csv --quasi c0,c1,c2,c3,c4 --k 3 -o r.csv";
    let output = folder.run(&format!("{ask} --insensitive {}", names[5..].join(",")));
    assert_eq!(output.code, 0, "{output}");
    let release = folder.text("r.csv").unwrap_or_default();
    assert_eq!(release.lines().next(), Some(names.join(",").as_str()));
    let mut kept: Vec<String> = release.lines().skip(1).map(|l| tail(l, 295)).collect();
    let mut expected: Vec<String> = rows.iter().map(|line| tail(line, 295)).collect();
    kept.sort();
    expected.sort();
    assert_eq!(kept, expected);
}

/// The last columns of a row.
fn tail(line: &str, n_columns: usize) -> String {
    let cells: Vec<&str> = line.split(',').collect();
    cells[cells.len() - n_columns..].join(",")
}

#[test]
fn tables_that_are_alike_are_published_as_they_are() {
    let folder = Folder::with(&[("t.csv", "a,b,s\n1,x,2\n1,x,3\n1,x,2\n1,x,3\n")]);
    let ask = "anonymize t.csv --quasi a,b --sensitive s --k 2 --frequency-l 2 -o r.csv";
    for algorithm in ["auto", "mondrian", "optimal", "k-member", "hilbert", "bucket", "top-down"] {
        let answer = folder.json(&format!("{ask} --algorithm {algorithm}"));
        assert_eq!(answer["metrics"]["ncp"], 0.0, "{algorithm}");
        let release = folder.text("r.csv").unwrap_or_default();
        assert_eq!(release.lines().filter(|line| line.starts_with("1,x,")).count(), 4);
    }
}

#[test]
fn the_order_of_the_rows_is_another() {
    let rows: Vec<String> = (0..60).map(|row| format!("1,{row}")).collect();
    let folder = Folder::with(&[("t.csv", &format!("a,n\n{}\n", rows.join("\n")))]);
    assert_eq!(folder.run("anonymize t.csv --quasi a --insensitive n --k 5 -o r.csv").code, 0);
    let release = folder.text("r.csv").unwrap_or_default();
    let found: Vec<&str> = release.lines().skip(1).collect();
    let in_place = found.iter().zip(&rows).filter(|(found, row)| found == row).count();
    assert!(in_place < 10, "{in_place} of 60 rows are where they were");
    // Nor do neighbors stay together.
    let number = |line: &str| line[2..].parse::<i32>().unwrap_or(0);
    let together = found.windows(2).filter(|w| (number(w[0]) - number(w[1])).abs() == 1).count();
    assert!(together < 10, "{together}");
}

#[test]
fn blanks_around_a_text_make_no_other_value() {
    let rows = "city,disease\nRome,flu\nRome,flu \n\"Rome \",flu\n\" Rome\",cold\nParis,flu\n";
    let folder = Folder::with(&[("t.csv", rows)]);
    for algorithm in ["auto", "mondrian", "hilbert", "optimal"] {
        let ask = "anonymize t.csv --quasi city --sensitive disease --k 2 --seed 1 --force";
        let found = folder.json(&format!("{ask} --algorithm {algorithm} -o r.csv"));
        assert_eq!(found["verified"], true, "{algorithm}");
    }
    // Sensitive cells stay as they were, and are one value all the same.
    assert!(folder.text("r.csv").is_some_and(|text| text.contains(",flu \n")));
    let ask = "anonymize t.csv --quasi city --sensitive disease --k 2 --distinct-l 3 -o x.csv";
    let refused = folder.run(ask);
    assert_eq!(refused.code, 1, "{refused}");
}

/// The figures of a release that hang on what is suppressed, as who makes it and who judges it says.
fn figures(folder: &Folder, options: &str) -> [Value; 2] {
    let made = folder.json(&format!("anonymize p.toml {options} -o r.csv --force"));
    let judged = folder.json("verify r.csv --plan p.toml --original t.csv");
    assert_eq!(judged["verified"], true, "{judged}");
    let of = |found: &Value, metrics: &Value| {
        let ids = ["ncp", "lm", "dm", "c_avg", "suppressed"];
        let metrics: Vec<&Value> = ids.iter().map(|id| &metrics[id]).collect();
        serde_json::json!([found["classes"], metrics])
    };
    [of(&made, &made["metrics"]), of(&judged, &judged["original"]["metrics"])]
}

#[test]
fn maker_and_judge_agree_on_what_is_lost() {
    // Two rows may be told as missing, or as suppressed by another tool.
    let plan = "input = \"t.csv\"\n[attributes]\nq = \"quasi\"\ns = \"sensitive\"\n[goal]\nk-anonymity = 2\n";
    let folder = Folder::with(&[("t.csv", "q,s\na,x\nb,y\n,x\n,y\nc,x\nc,y\n"), ("p.toml", plan)]);
    let [made, judged] = figures(&folder, "--algorithm mondrian");
    assert_eq!(made, judged);
    assert_eq!(made[1][0], 2.0 / 6.0);

    // A class as coarse as can be looks like rows that are suppressed and stay.
    let keep = "suppression = 0.02\n[output]\nsuppressed = \"keep\"\n";
    let folder = Folder::with(&[
        ("t.csv", "q,s\na,x\na,y\nb,x\nc,y\nd,x\n"),
        ("p.toml", &format!("{plan}{keep}")),
    ]);
    let [made, judged] = figures(&folder, "--algorithm mondrian");
    assert_eq!(made, judged);
    assert_eq!((&made[0], &made[1][4]), (&Value::from(2), &Value::from(0.0)));
    let [made, judged] = figures(&folder, "--algorithm mondrian --suppression 0.6");
    assert_eq!(made[1][0], judged[1][0]);
}

#[test]
fn every_metric_is_kept_small_where_suppressed_rows_stay() {
    let folder = Folder::with(&[("t.csv", "age,s\n2,b\n29,b\n2,a\n2,a\n1,a\n")]);
    for metric in ["ncp", "dm", "c-avg", "kl", "kl-attribute"] {
        let found = folder.json(&format!(
            "anonymize t.csv --quasi age --sensitive s --k 2 --suppression 0.5 --suppressed keep \
             --metric {metric} -o r.csv --force"
        ));
        assert_eq!(found["verified"], true, "{metric}");
    }
    let cities = "city,age,s\nRome,20,a\nRome,20,b\nRome,30,a\nRome,30,b\nOslo,40,c\nBern,50,d\n";
    let folder = Folder::with(&[("t.csv", cities)]);
    let found = folder.json(
        "anonymize t.csv --quasi city,age --sensitive s --lkc-privacy {l=1,k=2,c=0.6,attribute=\"s\"} \
         --suppression 0.34 --suppressed keep -o r.csv",
    );
    assert_eq!(found["verified"], true);
}

#[test]
fn promises_about_values_that_were_dropped_are_judged() {
    let plan = "input = \"t.csv\"\n[attributes]\ncity = \"quasi\"\n\
                s = { role = \"sensitive\", taxonomy = \"s.csv\" }\n[goal]\nk-anonymity = 2\n\
                t-closeness = { t = 0.8, attribute = \"s\" }\nsuppression = 0.3\n\
                personalized-privacy = { p = 0.6, attribute = \"s\", guards = { flu = \"flu\" } }\n";
    let folder = Folder::with(&[
        ("t.csv", "city,s\nRome,flu\nRome,cold\nRome,flu\nRome,cold\nOslo,angina\n"),
        ("s.csv", "angina;heart;*\nflu;resp;*\ncold;resp;*\n"),
        ("p.toml", plan),
        ("r.csv", "city,s\nRome,flu\nRome,cold\nRome,flu\nRome,cold\n"),
    ]);
    assert_eq!(folder.json("verify r.csv --plan p.toml --original t.csv")["verified"], true);
    assert_eq!(folder.json("anonymize p.toml -o out.csv")["verified"], true);
}

#[test]
fn what_an_algorithm_does_not_use_is_told() {
    let folder = Folder::with(&[("t.csv", "age,s\n21,a\n22,b\n38,a\n39,b\n")]);
    let ask = "anonymize t.csv --quasi age --sensitive s --k 2 -o r.csv --force";
    let notes = |options: &str| folder.json(&format!("{ask} {options}"))["notes"].to_string();
    for (options, told) in [
        ("--center median", "`auto` does not use `center`, which is for mdav"),
        ("--policy least-loss", "`auto` does not use `policy`, which is for samarati"),
        ("--noise 3", "`auto` does not use `noise`, which is for additive-noise"),
        ("--keep 0.5", "`auto` does not use `keep`, which is for randomized-response"),
        ("--swap 0.1", "`auto` does not use `swap`, which is for rank-swapping"),
        ("--anatomy one-file", "`anatomy` is for anatomized releases"),
        (
            "--algorithm optimal --numeric exact --taxonomy age={widths=[10]}",
            "`optimal` shows `age` as they are or not at all",
        ),
    ] {
        let found = notes(options);
        assert!(found.contains(told), "{options}: {found}");
    }
    assert!(!notes("--algorithm mdav --center median").contains("does not use"));
    // The name of a figure is the id of its metric.
    let found = folder.json(&format!("{ask} --metric c_avg"));
    assert_eq!((&found["metric"], &found["loss"]), (&"c-avg".into(), &found["metrics"]["c_avg"]));
}

#[test]
fn figures_of_means_are_not_left_out_without_a_word() {
    let plan = "input = \"t.csv\"\n[attributes]\nage = \"quasi\"\ns = \"sensitive\"\n[goal]\nk-anonymity = 2\n\
                [method]\nalgorithm = \"mdav\"\n";
    let rows = "age,s\n21,a\n22,b\n38,a\n39,b\n";
    let folder = Folder::with(&[("t.csv", rows), ("p.toml", plan)]);
    assert_eq!(folder.run("anonymize p.toml -o r.csv").code, 0);
    let found = folder.json("verify r.csv --plan p.toml --original t.csv");
    let why = found["original"]["undefined"]["ncp"].as_str();
    assert!(why.is_some_and(|why| why.contains("averaged")), "{found}");
}

#[test]
fn full_domain_releases_say_which_levels_they_are_on() {
    let folder = Folder::with(&[
        ("t.csv", "age,sex,dis\n20,m,a\n24,f,b\n31,m,a\n38,f,c\n"),
        (
            "plan.toml",
            "input = \"t.csv\"\n[attributes]\nage = { role = \"quasi\", taxonomy = { widths = [5, 20] } }\n\
             sex = \"quasi\"\ndis = \"sensitive\"\n[goal]\nk-anonymity = 2\n",
        ),
    ]);
    for algorithm in ["optimal", "samarati", "datafly", "incognito"] {
        let ask = format!("anonymize plan.toml --algorithm {algorithm} -o r.csv --force");
        let answer = folder.json(&ask);
        let level = |at: usize| {
            let level = &answer["levels"][at];
            (level["attribute"].clone(), level["level"].as_u64(), level["highest"].as_u64())
        };
        // Ages of 20 to 39 are one range, and the sexes stay or not.
        let cells = folder.text("r.csv").unwrap_or_default();
        let is_sex_shown = cells.lines().skip(1).all(|row| !row.contains(",*,"));
        assert_eq!(level(0), ("age".into(), Some(2), Some(3)), "{algorithm}: {answer}");
        assert_eq!(level(1), ("sex".into(), Some(u64::from(!is_sex_shown)), Some(1)));
        let text = folder.run(&format!("{ask} --report r.html")).stdout;
        let line = format!("  levels: age 2 of 3, sex {} of 1\n", u64::from(!is_sex_shown));
        assert!(text.contains(&line), "{text}");
        let page = folder.text("r.html").unwrap_or_default();
        assert!(page.contains("age 2 of 3, sex "), "{algorithm}");
    }
    let answer = folder.json("anonymize plan.toml --algorithm mondrian -o r.csv --force");
    assert_eq!(answer["levels"], Value::Null);
}

/// A column of codes with labels as ARX writes them: five codes and three.
fn codes() -> Folder {
    let codes = [0, 1, 2, 3, 4, 5, 90, 99];
    let taxonomy = codes.map(|code| {
        let low = if code < 5 { "[0, 5[" } else { "[5, 100[" };
        format!("{code};{low};*\n")
    });
    let rows = codes.map(|code| format!("{code},a\n{code},b\n"));
    let plan = |taxonomy: &str, kind: &str| {
        format!(
            "input = \"t.csv\"\n[attributes]\ncode = {{ role = \"quasi\"{kind}, taxonomy = {taxonomy} }}\n\
             dis = \"sensitive\"\n[goal]\nk-anonymity = 3\n[method]\nalgorithm = \"optimal\"\nmetric = \"lm\"\n"
        )
    };
    Folder::with(&[
        ("t.csv", &format!("code,dis\n{}", rows.concat())),
        ("code.csv", &taxonomy.concat()),
        ("leaves.toml", &plan("\"code.csv\"", "")),
        ("text.toml", &plan("\"code.csv\"", ", type = \"text\"")),
        ("width.toml", &plan("{ file = \"code.csv\", labels = \"intervals\" }", "")),
    ])
}

/// The receipt of a plan, whose LM is checked as the maker, the judge and `compare` tell it.
fn with_lm(folder: &Folder, plan: &str, expected: f64) -> Value {
    let answer = folder.json(&format!("anonymize {plan} -o r.csv --force"));
    let verdict = folder.json(&format!("verify r.csv --plan {plan} --original t.csv"));
    let compared = folder.json(&format!("compare {plan} --algorithms optimal --k 3"));
    let metrics = [
        &answer["metrics"],
        &verdict["original"]["metrics"],
        &compared["cells"][0]["release"]["metrics"],
    ];
    for metrics in metrics {
        let lm = metrics["lm"].as_f64().unwrap_or(-1.0);
        assert!((lm - expected).abs() < 1e-9, "{plan}: {lm} in {metrics}");
    }
    answer
}

#[test]
fn labels_that_look_like_intervals_cost_the_leaves_they_cover() {
    let folder = codes();
    // 10 rows lose 4 of 7 other leaves, 6 rows 2 of 7.
    let expected = (10.0 * 4.0 / 7.0 + 6.0 * 2.0 / 7.0) / 16.0;
    let by_text = with_lm(&folder, "text.toml", expected);
    let by_leaves = with_lm(&folder, "leaves.toml", expected);
    assert_eq!(
        (&by_leaves["metrics"], &by_leaves["levels"]),
        (&by_text["metrics"], &by_text["levels"])
    );
    assert_eq!(by_leaves["columns"]["intervals"], serde_json::json!([]));
    let notes = by_leaves["notes"].to_string();
    assert!(notes.contains("labels of `code` look like intervals"), "{notes}");
}

#[test]
fn labels_that_are_said_to_be_intervals_cost_their_width() {
    let folder = codes();
    // 10 rows lose 5 of 99, 6 rows 95 of 99.
    let expected = (10.0 * 5.0 / 99.0 + 6.0 * 95.0 / 99.0) / 16.0;
    let answer = with_lm(&folder, "width.toml", expected);
    assert_eq!(answer["columns"]["intervals"], serde_json::json!(["code"]));
    assert!(!answer["notes"].to_string().contains("look like intervals"));
}

#[test]
fn labels_that_are_no_intervals_are_refused_where_the_plan_says_so() {
    let folder = Folder::with(&[
        ("t.csv", "age,sex\n20,m\n24,f\n31,m\n38,f\n"),
        ("age.csv", "20;20-29;*\n24;20-29;*\n31;30-39;*\n38;30-39;*\n"),
    ]);
    let ask = |words: &str| {
        folder.refused(&format!("anonymize t.csv --quasi age --k 2 -o r.csv {words}"))
    };
    let said = ask("--taxonomy age={file=\"age.csv\",labels=\"intervals\"}");
    assert!(said.contains("every label must be an interval in brackets"), "{said}");
    let said = ask("--taxonomy age={file=\"age.csv\",labels=\"intervals\"} --type age=text");
    assert!(said.contains("is for numbers, but the column is read as text"), "{said}");
    let said = ask("--taxonomy age={widths=[10],labels=\"intervals\"}");
    assert!(said.contains("`labels` without `file`"), "{said}");
}

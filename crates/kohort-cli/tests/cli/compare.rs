//! `kohort compare`: a grid of releases as a table, a sheet and a page.

use insta::assert_snapshot;

use crate::harness::Folder;

/// A folder with a hospital of 150 patients.
fn hospital() -> Folder {
    let folder = Folder::new();
    let made = folder.run("demo --data hospital --rows 150 --seed 7 -o patients.csv");
    assert_eq!(made.code, 0, "{made}");
    folder
}

const COLUMNS: &str = "compare patients.csv --quasi age,sex,zip --sensitive disease";

/// The text without the times: the last figure of each line of the first table.
fn timeless(text: &str) -> String {
    let mut lines = Vec::new();
    let mut is_timed = false;
    for line in text.lines() {
        is_timed = line.ends_with("seconds") || (is_timed && !line.is_empty());
        let is_figure = is_timed && !line.ends_with("seconds");
        let time = line.rsplit(' ').next().unwrap_or_default();
        let start = &line[..line.len() - time.len()];
        lines.push(if is_figure { format!("{start}?.??") } else { line.to_owned() });
    }
    lines.join("\n")
}

#[test]
fn algorithms_and_levels_side_by_side() {
    let output = hospital().run(&format!("{COLUMNS} --algorithms mondrian,optimal --k 3,10,151"));
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert_snapshot!(timeless(&output.stdout), @r"
    patients.csv: 150 rows, 3 quasi-identifiers, loss ncp

    algorithm   k    loss  bound  C_AVG    pMSE   corr.  classes  suppressed  utility    risk  front  seconds
    mondrian    3  0.3340      –   1.35  0.0386  0.2491       37           0   0.6660  0.3333      *     ?.??
    mondrian   10  0.4657      –   1.88  0.0495  0.3752        8           0   0.5343  0.0588      *     ?.??
    optimal     3  1.0000      –  50.00  0.0997  0.5644        1           0   0.0000  0.0067      *     ?.??
    optimal    10  1.0000      –  15.00  0.0997  0.5644        1           0   0.0000  0.0067      *     ?.??

    pMSE: how well a simple model tells its rows from those of the original, 0 to 0.25
    corr.: the average error of the correlation of two columns
    utility: 1 − NCP: the share of information that cells keep
    risk: the risk of the most exposed row: one over the smallest class
    *: no other release here has more utility and less risk

    Without a release
      mondrian, k = 151; optimal, k = 151: `k-anonymity` asks for k = 151, but the table has 150 rows; at most k = 150 is feasible

    Balance of utility and privacy (1 − risk): k, with utility / risk
      algorithm  crossing             maximin               Nash                   knee  risk up to 20 %
      mondrian   none, nearest k = 3  k = 3, 0.666 / 0.333  k = 10, 0.534 / 0.059  –     k = 10, 0.534 / 0.059
      optimal    none, nearest k = 3  k = 3, 0.000 / 0.007  k = 3, 0.000 / 0.007   –     k = 3, 0.000 / 0.007

    Most utility with a risk of at most 20 %: mondrian, k = 10 (utility 0.534, risk 0.059)
    Privacy % of Tandon and Jain 2010: 44.7 to 100.0; this is a share of lost cells, not a protection: it ignores the size of the classes and the sensitive values, and a release can reach 100 % and still disclose everybody's sensitive value
    ");
}

#[test]
fn seeds_give_intervals_and_l_is_a_level() {
    let ask = format!("{COLUMNS} --algorithms mondrian --k 3 --l 2,3 --seeds 2 --transparent no");
    assert_snapshot!(timeless(&hospital().run(&ask).stdout), @r"
    patients.csv: 150 rows, 3 quasi-identifiers, loss ncp

    algorithm  k  l  transparent    loss        min – max  bound  C_AVG    pMSE   corr.  classes  suppressed  utility    risk  front  seconds
    mondrian   3  2           no  0.3343  0.3343 – 0.3343      –   1.35  0.0388  0.2495       37           0   0.6657  0.3333      *     ?.??
    mondrian   3  3           no  0.3377  0.3377 – 0.3377      –   1.56  0.0420  0.2573       32           0   0.6623  0.3333            ?.??

    transparent: whether promises about sensitive values hold against an adversary who runs the method again
    pMSE: how well a simple model tells its rows from those of the original, 0 to 0.25
    corr.: the average error of the correlation of two columns
    utility: 1 − NCP: the share of information that cells keep
    risk: the risk of the most exposed row: one over the smallest class
    *: no other release here has more utility and less risk
    figures are means over 2 seeds; min – max is their range

    Balance of utility and privacy (1 − risk): l, with utility / risk
      algorithm  k  crossing             maximin               Nash                  knee  risk up to 20 %
      mondrian   3  none, nearest l = 2  l = 2, 0.666 / 0.333  l = 2, 0.666 / 0.333  –     –

    No release here has a risk of at most 20 %
    Privacy % of Tandon and Jain 2010: 44.7; this is a share of lost cells, not a protection: it ignores the size of the classes and the sensitive values, and a release can reach 100 % and still disclose everybody's sensitive value
    ");
}

#[test]
fn json_has_the_same_figures() {
    let answer = hospital().json(&format!("{COLUMNS} --algorithms mondrian --k 3,151"));
    let cells = answer["cells"].as_array().expect("there are cells");
    assert_eq!(cells.len(), 2);
    assert_eq!(
        (&cells[0]["algorithm"], &cells[0]["k"], &cells[0]["seed"]),
        (&"mondrian".into(), &3.into(), &7.into())
    );
    assert_eq!(cells[0]["release"]["verified"], true);
    let (ncp, utility) =
        (&cells[0]["release"]["metrics"]["ncp"], &cells[0]["release"]["utility"]["ncp"]);
    let sum = ncp.as_f64().unwrap_or_default() + utility.as_f64().unwrap_or_default();
    assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    assert!(cells[1]["release"].is_null());
    assert_eq!(answer["points"][0]["loss"]["mean"], *ncp);
    assert_eq!(answer["curves"][0]["algorithm"], "mondrian");
}

#[test]
fn the_knee_is_shown_where_the_front_bends() {
    let folder = hospital();
    let ask = format!("{COLUMNS} --algorithms mondrian --k 2,3,5,10");
    let knee = folder.json(&ask)["curves"][0]["knee"]["k"].as_f64().expect("there is a knee");
    let said = folder.run(&format!("{ask} --report c.html")).stdout;
    assert!(said.contains(&format!("  k = {knee:.0}, ")), "{said}");
    assert!(folder.text("c.html").is_some_and(|page| page.contains(">knee</th>")));
}

#[test]
fn files_are_written_and_only_comparisons_are_overwritten() {
    let folder = hospital();
    let ask = format!("{COLUMNS} --algorithms mondrian --k 3 --csv c.csv --report c.html");
    let output = folder.run(&ask);
    assert_eq!(output.code, 0, "{output}");
    assert_eq!(output.stderr, "note: figures written to c.csv\nnote: report written to c.html\n");
    let sheet = folder.text("c.csv").unwrap_or_default();
    assert!(sheet.starts_with("algorithm,k,l,seed,metric,suppression,"), "{sheet}");
    assert_eq!(sheet.lines().count(), 2);
    assert!(
        folder.text("c.html").unwrap_or_default().contains("<title>Comparison on patients.csv")
    );
    assert_eq!(folder.run(&ask).code, 0);
    assert_snapshot!(folder.refused(&format!("{COLUMNS} --csv patients.csv --force")), @r"
    error: patients.csv is an input of this command, and inputs are not overwritten

    hint: name another file
    ");
    let folder = folder.and("c.csv", "a,b\n1,2\n").and("c.html", "mine");
    assert_snapshot!(folder.refused(&format!("{COLUMNS} --csv c.csv")), @r"
    error: c.csv already exists and is not a kohort comparison

    hint: name another file, or overwrite it with `--force`
    ");
    assert_snapshot!(folder.refused(&format!("{COLUMNS} --report c.html")), @r"
    error: c.html already exists and is not a kohort report

    hint: name another file, or overwrite it with `--force`
    ");
    assert_eq!(folder.run(&format!("{ask} --force")).code, 0);
}

#[test]
fn no_release_at_all_is_a_no() {
    let output = hospital().run(&format!("{COLUMNS} --algorithms mondrian --k 151,200"));
    assert_snapshot!(output, @r"
    exit 1
    --- stdout
    patients.csv: 150 rows, 3 quasi-identifiers, loss ncp


    Without a release
      mondrian, k = 151: `k-anonymity` asks for k = 151, but the table has 150 rows; at most k = 150 is feasible
      mondrian, k = 200: `k-anonymity` asks for k = 200, but the table has 150 rows; at most k = 150 is feasible
    ");
}

#[test]
fn what_no_cell_could_answer_is_refused() {
    let folder = hospital();
    assert_snapshot!(folder.refused(&format!("{COLUMNS} --algorithms mondrain")), @r"
    error: there is no algorithm `mondrain`; did you mean `mondrian`?

    hint: `kohort list algorithms` lists them
    ");
    assert_snapshot!(folder.refused(&format!("{COLUMNS} --target age")), @r"
    error: `target` must not be a quasi-identifier, but `age` is one

    hint: name a column that is published as it is: once values are generalized completely, every guess is right
    ");
    assert_snapshot!(folder.refused(&format!("{COLUMNS} --folds 1")), @r"
    error: `folds` must be 2 to 150, the number of rows, but is 1

    hint: try `--folds 5`
    ");
    assert_snapshot!(folder.refused(&format!("{COLUMNS} --utility joy")), @r"
    error: invalid value 'joy' for '--utility <NAME>': expected one of ncp, queries, naive-bayes, stump, cart, logistic, pmse, correlations

    For more information, try '--help'.
    ");
    assert_snapshot!(folder.refused("compare patients.csv --quasi age --l 2"), @r"
    error: `frequency-l-diversity` is about a sensitive attribute, and none is named

    hint: name it with `--sensitive disease`
    ");
}

#[test]
fn the_help_ends_with_examples_that_run() {
    let folder = hospital();
    let help = folder.run("compare --help").stdout;
    let (_, examples) = help.split_once("Examples:\n").expect("there are examples");
    let examples = examples.replace("\\\n", " ");
    let commands = examples.lines().filter_map(|line| line.strip_prefix("    kohort "));
    // The algorithm is named so that the test is quick.
    let mut n_examples = 0;
    for command in commands {
        let quick = if command.contains("--algorithms") {
            command.to_owned()
        } else {
            format!("{command} --algorithms mondrian")
        };
        let output = folder.run(&quick);
        assert_eq!(output.code, 0, "{command}\n{output}");
        n_examples += 1;
    }
    assert_eq!(n_examples, 5);
}

/// Abdalaal 2012's voters, Table 4 with t8 = (b, x).
const VOTERS: &str = "age,zip,i1,i2\n20,3000,a,w\n25,3500,b,z\n25,4000,d,x\n30,6500,a,x\n40,5000,b,y\n\
                      45,5500,a,y\n45,4500,c,z\n40,6500,b,x\n55,5000,c,w\n";
const SEVERAL: &str = "compare t.csv --quasi age,zip --sensitive i1,i2 --l 2,3";

#[test]
fn the_number_of_sensitive_attributes_is_a_level() {
    let folder = Folder::with(&[("t.csv", VOTERS)]);
    let ask = format!("{SEVERAL} --attributes 1,2 --algorithms mondrian --transparent no");
    assert_snapshot!(timeless(&folder.run(&ask).stdout), @r"
    t.csv: 9 rows, 2 quasi-identifiers, loss ncp

    algorithm  l  attributes  transparent    loss  bound  DM    AvRE    pMSE   corr.  classes  suppressed  disclosure  utility    risk  front  seconds
    mondrian   2           1           no  0.4079      –  33  0.4705  0.0080  0.2509        3           0      0.5000   0.5921  0.5000      *     ?.??
    mondrian   3           1           no  0.5047      –  45  0.4856  0.0084  0.3557        2           0      0.3333   0.4953  0.3333      *     ?.??
    mondrian   2           2           no  0.5635      –  41  0.6585  0.0119  0.2449        2           0      0.5000   0.4365  0.2500      *     ?.??
    mondrian   3           2           no  0.5047      –  45  0.5389  0.0084  0.2449        2           0      0.3333   0.4953  0.3333      *     ?.??

    AvRE: the average relative error of counts of rows around a person
    disclosure: the largest probability with which anybody's sensitive value is guessed
    transparent: whether promises about sensitive values hold against an adversary who runs the method again
    pMSE: how well a simple model tells its rows from those of the original, 0 to 0.25
    corr.: the average error of the correlation of two columns
    utility: 1 − NCP: the share of information that cells keep
    risk: the risk of the most exposed row: one over the smallest class
    *: no other release here of as many attributes has more utility and less risk

    Balance of utility and privacy (1 − risk): l, with utility / risk
      algorithm  attributes  crossing             maximin               Nash                  knee  risk up to 20 %
      mondrian   1           l = 2.35 at 0.558    l = 2, 0.592 / 0.500  l = 3, 0.495 / 0.333  –     –
      mondrian   2           none, nearest l = 3  l = 3, 0.495 / 0.333  l = 3, 0.495 / 0.333  –     –

    No release here has a risk of at most 20 %
    ");
    let answer = folder.json(&ask);
    let last = &answer["cells"][3];
    assert_eq!(
        (&last["k"], &last["l"], &last["attributes"]),
        (&serde_json::Value::Null, &3.0.into(), &2.into())
    );
    let release = &last["release"];
    assert_eq!((&release["verified"], &release["m_diversity"]), (&true.into(), &3.into()));
    assert_eq!(release["max_disclosure"], 1.0 / 3.0);
    assert_eq!(release["disclosure"][0]["probability"]["den"], 3);
    // The sheet begins as it does without the level, and has it at the end.
    assert_eq!(folder.run(&format!("{ask} --csv c.csv")).code, 0);
    let sheet = folder.text("c.csv").unwrap_or_default();
    assert!(sheet.starts_with("algorithm,k,l,seed,metric,suppression,promised,target,"), "{sheet}");
    let head = sheet.lines().next().unwrap_or_default();
    assert!(head.contains(",on_front,attributes,max_disclosure,m_diversity,violating_classes,"));
    assert!(sheet.lines().nth(4).is_some_and(|row| row.starts_with("mondrian,,3,7,ncp,0,")));
    assert_snapshot!(folder.refused(&format!("{SEVERAL} --attributes 3")), @r"
    error: `attributes` must be 1 to 2, the number of sensitive attributes, but is 3

    hint: name sensitive attributes with `--sensitive a,b,c`
    ");
}

#[test]
fn what_breaks_the_goal_is_measured_and_named() {
    let folder = Folder::with(&[("t.csv", VOTERS)]);
    let ask = format!("{SEVERAL} --algorithms mondrian,rank-swapping --allow-unsafe");
    let said = folder.run(&ask);
    assert_eq!(said.code, 0, "{said}");
    // Nine voters of nine kinds: each is a class of one.
    let fails = |l: u64| {
        format!(
            "  rank-swapping, l = {l}: l-mdiversity, l = {l}, fails in 9 classes, 9 rows; one sensitive value has up to 1.000 of a class\n"
        )
    };
    let broken = format!("Broken promises\n{}{}\n", fails(2), fails(3));
    assert!(said.stdout.contains(&broken), "{said}");
    let answer = folder.json(&ask);
    let release = &answer["cells"][2]["release"];
    assert_eq!((&release["verified"], &release["max_disclosure"]), (&false.into(), &1.0.into()));
    assert_eq!(release["goal"][0]["violating_classes"], 9);
}

//! Where a release may go, and what is there before and after.

use insta::assert_snapshot;

use crate::harness::Folder;

const ROWS: &str = "a,s\n1,x\n1,y\n2,x\n2,y\n";
const ASK: &str = "anonymize t.csv --quasi a --sensitive s --k 2";

fn folder() -> Folder {
    Folder::with(&[("t.csv", ROWS), ("folder.csv/in.txt", "kept")])
}

#[test]
fn an_input_is_not_overwritten() {
    let folder = folder();
    assert_snapshot!(folder.refused(&format!("{ASK} -o t.csv")), @r"
    error: t.csv is an input of this command, and inputs are not overwritten

    hint: name another file
    ");
    assert_eq!(folder.refused(&format!("{ASK} -o ./t.csv")).lines().count(), 3);
    assert_eq!(folder.text("t.csv").as_deref(), Some(ROWS));
    let tree = "1;*\n2;*\n";
    let folder = folder.and("a.csv", tree);
    folder.refused(&format!("{ASK} --taxonomy a=a.csv -o a.csv"));
    assert_eq!(folder.text("a.csv").as_deref(), Some(tree));
    folder.refused(&format!("{ASK} -o r.csv --report t.csv --force"));
    assert_eq!(folder.text("t.csv").as_deref(), Some(ROWS));
}

#[cfg(unix)]
#[test]
fn an_input_behind_a_link_is_not_overwritten() {
    let folder = folder();
    std::os::unix::fs::symlink(folder.path("t.csv"), folder.path("link.csv")).expect("a link");
    folder.refused(&format!("{ASK} -o link.csv"));
    assert_eq!(folder.text("t.csv").as_deref(), Some(ROWS));
}

#[test]
fn standard_output_is_refused() {
    assert_snapshot!(folder().refused(&format!("{ASK} -o -")), @r"
    error: a release is verified before it appears, which standard output does not allow

    hint: name a file with `-o release.csv`
    ");
}

#[test]
fn a_folder_is_refused() {
    assert_snapshot!(folder().refused(&format!("{ASK} -o folder.csv")), @"error: folder.csv: is a directory, not a file");
}

#[test]
fn an_unknown_extension_is_refused() {
    assert_snapshot!(folder().refused(&format!("{ASK} -o r.xlsx")), @r"
    error: r.xlsx: the extension must be .csv, .tsv, .jsonl, .parquet or .arrow

    hint: .ndjson, .ipc and .feather are known too; .gz or .zst after .csv, .tsv or .jsonl packs it
    ");
    let said = folder().refused(&format!("{ASK} -o r"));
    assert!(said.contains("the extension must be"), "{said}");
}

#[test]
fn a_release_with_tabs_is_read_back() {
    let folder = folder();
    for name in ["r.tsv", "r.tsv.gz"] {
        assert_eq!(folder.run(&format!("{ASK} -o {name}")).code, 0, "{name}");
        let plan = "[attributes]\na = \"quasi\"\ns = \"sensitive\"\n[goal]\nk-anonymity = 2\n";
        folder.put("p.toml", plan);
        let verdict = folder.json(&format!("verify {name} --plan p.toml --original t.csv"));
        assert_eq!(verdict["verified"], true, "{name}");
    }
    assert!(folder.text("r.tsv").is_some_and(|text| text.starts_with("a\ts\n")));
}

#[test]
fn a_place_that_is_not_there_is_refused_before_the_work() {
    assert_snapshot!(folder().refused(&format!("{ASK} -o nowhere/r.csv")), @r"
    error: nowhere/r.csv: cannot be written
      caused by: No such file or directory (os error 2)
    ");
    // Also where there is no answer.
    folder().refused("anonymize t.csv --quasi a --sensitive s --k 5 -o nowhere/r.csv");
}

#[test]
fn no_file_at_all_is_refused() {
    assert_snapshot!(folder().refused(ASK), @r"
    error: no file is named for the release

    hint: name it with `-o release.csv`
    ");
}

#[test]
fn a_no_leaves_the_file_that_is_there() {
    let before = "s,a\nx,*\ny,*\n";
    let folder = folder().and("r.csv", before);
    folder.says_no("anonymize t.csv --quasi a --sensitive s --k 5 -o r.csv", &[]);
    assert_eq!(folder.text("r.csv").as_deref(), Some(before));
    assert_eq!(folder.run(&format!("{ASK} -o r.csv")).code, 0);
    assert!(folder.text("r.csv").is_some_and(|text| text.starts_with("a,s\n")));
    assert_eq!(folder.names(), ["folder.csv", "r.csv", "t.csv"]);
}

#[test]
fn a_file_that_is_no_release_is_kept() {
    // No table, another table, one with an identifier, and one in which somebody stands alone.
    let ask = format!("{ASK} --identifier name -o r.csv");
    let rows = "name,a,s\nA,1,x\nB,1,y\nC,2,x\nD,2,y\n";
    for mine in ["mine", "b,c\n1,2\n1,2\n", rows, "a,s\n1,x\n1,y\n2,x\n"] {
        let folder = Folder::with(&[("t.csv", rows), ("r.csv", mine)]);
        let said = "error: r.csv already exists and is not a release of this table\n\n\
                    hint: name another file with `-o`, or overwrite it with `--force`\n";
        assert_eq!(folder.refused(&ask), said);
        assert_eq!(folder.text("r.csv").as_deref(), Some(mine));
        assert_eq!(folder.run(&format!("{ask} --force")).code, 0);
        assert!(folder.text("r.csv").is_some_and(|text| text.starts_with("a,s\n")));
        // The same again, and for another goal.
        assert_eq!(folder.run(&ask).code, 0);
        assert_eq!(folder.run(&ask.replace("--k 2", "--k 4")).code, 0);
        assert_eq!(folder.run(&ask).code, 0);
    }
    let folder = folder().and("r.csv", "");
    assert_eq!(folder.run(&format!("{ASK} -o r.csv")).code, 0, "an empty file holds nothing");
}

#[test]
fn the_files_of_an_anatomized_release_give_way_to_the_next_one() {
    let ask = "anonymize t.csv --quasi a --sensitive s --distinct-l 2 --algorithm anatomy -o r.csv";
    let folder = folder().and("r.sensitive.csv", "mine");
    assert!(folder.refused(ask).starts_with("error: r.sensitive.csv already exists"));
    for words in ["--force", "", ""] {
        let output = folder.run(&format!("{ask} {words}"));
        assert_eq!(output.code, 0, "{output}");
    }
}

#[test]
fn inputs_are_kept_whatever_is_forced() {
    let folder = folder().and("a.csv", "1;*\n2;*\n").and("public.csv", ROWS);
    let plan = "input = 't.csv'\n[attributes]\na = { role = 'quasi', taxonomy = 'a.csv' }\n\
                [goal]\nk-anonymity = 2\n\
                delta-presence = { min = 0, max = 1, public = 'public.csv' }\n";
    let folder = folder.and("p.toml", plan);
    for output in ["t.csv", "a.csv", "public.csv", "p.toml"] {
        for flag in ["-o", "-o r.csv --report"] {
            let said = folder.refused(&format!("anonymize p.toml --force {flag} {output}"));
            assert!(said.contains("inputs are not overwritten"), "{said}");
        }
    }
}

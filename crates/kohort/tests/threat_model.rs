//! The tests that `docs/concepts/threat-model.md` names are there, and each of its lines names one or says what is open.

#![expect(clippy::disallowed_methods, reason = "a test reads the page and the tests it names")]

use std::path::{Path, PathBuf};

/// The Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("it is a folder").flatten() {
        let path = entry.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_line_names_tests_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page =
        std::fs::read_to_string(root.join("docs/concepts/threat-model.md")).expect("the page");
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    let mut n_named = 0;
    for line in page.lines().filter(|line| line.starts_with("| ") && !line.contains("| shown by |"))
    {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [_, _, _, shown_by] = cells[..] else { panic!("four cells: {line}") };
        let names: Vec<&str> =
            shown_by.split('`').skip(1).step_by(2).filter(|name| name.contains("::")).collect();
        assert!(!names.is_empty() || shown_by.contains("**"), "a test, or what is open: {line}");
        for name in names {
            let (file, test) = name.split_once("::").expect("it has two parts");
            let is_there = |path: &&PathBuf| {
                path.file_stem().is_some_and(|stem| stem == file)
                    && (test == "*"
                        || std::fs::read_to_string(path)
                            .is_ok_and(|text| text.contains(&format!("fn {test}("))))
            };
            assert!(files.iter().any(|path| is_there(&path)), "no test `{name}`");
            n_named += 1;
        }
    }
    assert!(n_named >= 20, "{n_named}");
}

//! Every console block of the README is run, in order, in one folder. `...` stands for any lines.

#![expect(clippy::disallowed_methods, reason = "a test reads the README")]

use std::path::Path;
use std::process::Command;

/// A command and what it prints.
struct Block {
    command: String,
    expected: Vec<String>,
}

fn blocks(readme: &str) -> Vec<Block> {
    readme
        .split("```console\n")
        .skip(1)
        .map(|rest| {
            let mut lines = rest.split("```").next().unwrap_or_default().lines();
            let command = lines.next().and_then(|line| line.strip_prefix("$ kohort "));
            let command = command.expect("a block starts with `$ kohort`").to_owned();
            Block { command, expected: lines.map(str::to_owned).collect() }
        })
        .collect()
}

/// Whether the lines match, `...` standing for any number of them.
fn matches(expected: &[String], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=found.len()).any(|skipped| matches(rest, &found[skipped..]))
        }
        Some((line, rest)) => found.first() == Some(&line.as_str()) && matches(rest, &found[1..]),
    }
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let blocks = blocks(&readme);
    assert!(blocks.len() >= 5, "the worked example has {} blocks", blocks.len());
    for Block { command, expected } in blocks {
        let output = Command::new(env!("CARGO_BIN_EXE_kohort"))
            .args(command.split_whitespace())
            .current_dir(folder.path())
            .output()
            .expect("the program runs");
        let stdout = String::from_utf8(output.stdout).expect("UTF-8");
        let found: Vec<&str> = stdout.lines().collect();
        assert!(matches(&expected, &found), "`kohort {command}` printed\n{stdout}");
        assert!(output.status.success(), "`kohort {command}` failed");
    }
}

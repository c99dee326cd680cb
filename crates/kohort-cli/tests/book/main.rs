//! The README and the book in `docs/`: their examples run, their links lead somewhere, and the pages of the
//! reference say what the program says of itself.

#![expect(clippy::disallowed_methods, reason = "these tests read and write pages")]

mod examples;
mod links;
mod reference;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a file of the project.
fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect(path)
}

/// The pages of the book in the order of its table of contents, as paths from the project's folder.
fn pages() -> Vec<String> {
    let summary = text("docs/SUMMARY.md");
    let linked = summary.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    linked.map(|(page, _)| format!("docs/{page}")).collect()
}

/// The program, about to run in a folder where its output does not depend on the user.
fn kohort() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kohort"));
    command.env("NO_COLOR", "1").env("COLUMNS", "100");
    command
}

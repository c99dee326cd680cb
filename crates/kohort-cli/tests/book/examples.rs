//! Every console block of the README and the book is run by a shell. A page is run from its top in a folder of its own;
//! the chapters of the guide share one, as they tell one story. `...` stands for any lines. A block that
//! names a file, such as ` ```csv file=ward.csv `, is written to that file. `UPDATE=1` puts the figures that the
//! program prints in the place of the page's.

use std::path::Path;
use std::process::Command;

use crate::{pages, text};

/// A fenced block of a page: the words after the fence, and its lines.
struct Block<'a> {
    info: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let lines = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block { info, lines });
        }
    }
    blocks
}

/// Whether the lines match, `...` standing for any number of them.
fn matches(expected: &[&str], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((&"...", rest)) => (0..=found.len()).any(|skipped| matches(rest, &found[skipped..])),
        Some((line, rest)) => found.first() == Some(line) && matches(rest, &found[1..]),
    }
}

/// The expected lines with the figures of those found that are alike but for their figures.
fn with_figures<'a>(expected: &[&'a str], found: &[&'a str]) -> Vec<&'a str> {
    let words = |line: &str| line.replace(|c: char| c.is_ascii_digit() || " .,~".contains(c), "");
    let mut rest = found.iter();
    let lines = expected.iter().map(|line| {
        let alike = |other: &&&str| *line != "..." && words(line) == words(other);
        let mut ahead = rest.clone();
        let Some(found) = ahead.find(alike) else { return *line };
        rest = ahead;
        *found
    });
    lines.collect()
}

/// The commands of a console block, each with what it prints. A line that ends in `\` goes on.
fn commands<'a>(lines: &[&'a str]) -> Vec<(String, Vec<&'a str>)> {
    let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        match line.strip_prefix("$ ") {
            Some(command) => commands.push((command.to_owned(), Vec::new())),
            None if goes_on => {
                let (command, _) = commands.last_mut().expect("a block starts with `$`");
                command.push('\n');
                command.push_str(line);
            }
            None => commands.last_mut().expect("a block starts with `$`").1.push(line),
        }
        goes_on = line.ends_with('\\') && (goes_on || line.starts_with("$ "));
    }
    commands
}

/// Puts a `kohort` into a folder that draws from a fixed secret what readers draw from the system, so that the
/// figures of a page are those of one draw.
fn put_program(folder: &Path) {
    let (program, secret) = (folder.join("bin/kohort"), folder.join("secret"));
    std::fs::write(&secret, (1..=32).collect::<Vec<u8>>()).expect("a secret");
    let real = env!("CARGO_BIN_EXE_kohort");
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in\nanonymize) shift; exec '{real}' anonymize --secret-file '{}' \"$@\" ;;\nesac\n\
         exec '{real}' \"$@\"\n",
        secret.display()
    );
    std::fs::write(&program, script).expect("a program");
    for (path, mode) in [(secret, 0o600), (program, 0o700)] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(path, mode).expect("it is ours");
    }
}

/// Runs a command as a reader would, with `kohort` on the path.
fn run(command: &str, folder: &Path) -> String {
    let bin = folder.join("bin");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder.join("work"))
        .env("PATH", path)
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("NO_COLOR", "1")
        .env_remove("KOHORT_LEDGER_PASSPHRASE")
        .output()
        .expect("the shell runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "`{command}` failed\n{stdout}{errors}");
    stdout
}

/// Runs the blocks of pages that share a folder; the number of commands.
fn check(pages: &[&str]) -> usize {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["work", "state", "bin"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    put_program(folder.path());
    let mut n_commands = 0;
    for page in pages {
        for Block { info, lines } in blocks(&text(page)) {
            if let Some((_, name)) = info.split_once(" file=") {
                let content = lines.join("\n") + "\n";
                let path = folder.path().join("work").join(name);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                std::fs::write(path, content).expect("a file of the page");
            } else if info == "console" {
                for (command, expected) in commands(&lines) {
                    let stdout = run(&command, folder.path());
                    let found: Vec<&str> = stdout.lines().map(str::trim_end).collect();
                    if !matches(&expected, &found) && std::env::var_os("UPDATE").is_some() {
                        let shown = |lines: &[&str]| format!("$ {command}\n{}", lines.join("\n"));
                        let (old, new) =
                            (shown(&expected), shown(&with_figures(&expected, &found)));
                        let fresh = text(page).replace(&old, &new);
                        std::fs::write(crate::root().join(page), fresh)
                            .expect("the page is written");
                        continue;
                    }
                    assert!(matches(&expected, &found), "{page}: `{command}` printed\n{stdout}");
                    n_commands += 1;
                }
            }
        }
    }
    n_commands
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    assert!(check(&["README.md"]) >= 5);
}

#[test]
fn the_guide_shows_what_the_program_prints() {
    let pages = pages();
    let guide: Vec<&str> =
        pages.iter().map(String::as_str).filter(|page| page.starts_with("docs/guide/")).collect();
    assert!(guide.len() >= 6, "{guide:?}");
    assert!(check(&guide) >= 20);
}

#[test]
fn the_concepts_show_what_the_program_prints() {
    let pages = pages();
    let n_commands: usize = (pages.iter())
        .filter(|page| !page.starts_with("docs/guide/"))
        .map(|page| check(&[page]))
        .sum();
    assert!(n_commands >= 8, "{n_commands}");
}

#[test]
fn figures_are_taken_from_lines_that_are_alike() {
    let found = with_figures(&["a 1", "...", "c  12 %", "d"], &["x", "a 22", "b", "c 3.5 %", "e"]);
    assert_eq!(found, ["a 22", "...", "c 3.5 %", "d"]);
}

#[test]
fn dots_stand_for_any_lines() {
    assert!(matches(&["a", "...", "d"], &["a", "b", "c", "d"]));
    assert!(matches(&["..."], &[]));
    assert!(!matches(&["a", "...", "d"], &["a", "b"]));
    assert!(!matches(&[], &["a"]));
}

//! Settings are declared once: plans have them under the names that texts give them, and no text of a library
//! names a flag.

#![expect(clippy::disallowed_methods, reason = "a test reads the sources")]

use std::path::{Path, PathBuf};

use kohort::{Setting, ValueForm};
use serde_json::Value;

/// A part of the schema, behind its references.
fn resolved<'a>(schema: &'a Value, part: &'a Value) -> &'a Value {
    let options = part.get("anyOf").and_then(Value::as_array);
    let part = options.map_or(part, |options| &options[0]);
    match part.get("$ref").and_then(Value::as_str) {
        Some(reference) => schema.pointer(&reference[1..]).expect("a definition"),
        None => part,
    }
}

#[test]
fn plans_have_every_setting_that_says_so() {
    let schema = serde_json::to_value(kohort::plan::schema()).unwrap();
    let attribute = ["FullAttribute"].map(|name| &schema["$defs"][name])[0];
    let mut n_found = 0;
    for setting in Setting::ALL {
        let Some((table, key)) = setting.in_plan() else { continue };
        let found = match (setting.form(), table) {
            (ValueForm::Role, _) => {
                let roles = serde_json::to_string(&schema["$defs"]["RoleName"]).unwrap();
                roles.contains(&format!("\"{key}\""))
            }
            (ValueForm::OfColumn, _) => attribute["properties"].get(key).is_some(),
            (_, "") => schema["properties"].get(key).is_some(),
            (_, table) => {
                let part = resolved(&schema, &schema["properties"][table]);
                part["properties"].get(key).is_some()
            }
        };
        assert!(found, "{setting:?}: a plan has no `{key}` in `[{table}]`");
        n_found += 1;
    }
    assert!(n_found > 30, "{n_found}");
}

/// The sources of the libraries; the other crates are programs.
fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut left: Vec<PathBuf> = std::fs::read_dir(crates)
        .expect("the folder of the crates")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| !path.ends_with("kohort-cli") && !path.ends_with("kohort-campaign"))
        .map(|path| path.join("src"))
        .collect();
    let mut files = Vec::new();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                std::fs::read_dir(&path)
                    .expect("a folder")
                    .map(|entry| entry.expect("an entry").path()),
            );
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The string literals of a source, without comments and without the tests in it.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let (text, after) = (&rest[at..], &rest[at + 1..]);
        if text.starts_with("//") {
            rest = after.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(character) =
            ["'\"'", "'\\''", "'\\\"'", "'/'", "b'\"'"].iter().find(|c| text.starts_with(**c))
        {
            rest = &text[character.len()..];
        } else if text.starts_with('"') {
            let is_raw = rest[..at].ends_with("r#");
            let mut literal = String::new();
            let mut characters = after.char_indices();
            let mut end = after.len();
            while let Some((index, character)) = characters.next() {
                match character {
                    '\\' if !is_raw => {
                        characters.next();
                    }
                    '"' if !is_raw || after[index..].starts_with("\"#") => {
                        end = index;
                        break;
                    }
                    _ => literal.push(character),
                }
            }
            found.push(literal);
            rest = after.get(end + 1..).unwrap_or_default();
        } else {
            rest = after;
        }
    }
    found
}

/// Whether a text has a flag in it: two dashes, and a name or what is written in its place.
fn names_flag(text: &str) -> bool {
    text.match_indices("--").any(|(at, _)| {
        let is_first = !text[..at].ends_with(|c: char| c == '-' || c.is_alphanumeric());
        is_first && text[at + 2..].starts_with(|c: char| c.is_ascii_lowercase() || c == '{')
    })
}

#[test]
fn no_text_of_a_library_names_a_flag() {
    // Where a setting is worded for the command line.
    let wording = "kohort-core/src/message.rs";
    let is_test = |path: &Path| {
        let name = path.to_string_lossy().replace('\\', "/");
        name.ends_with("tests.rs") || name.contains("/tests/") || name.ends_with(wording)
    };
    let mut n_literals = 0;
    for path in sources().iter().filter(|path| !is_test(path)) {
        let source = std::fs::read_to_string(path).unwrap();
        for literal in literals(&source) {
            n_literals += 1;
            assert!(!names_flag(&literal), "{} names a flag: {literal}", path.display());
        }
    }
    assert!(n_literals > 3000, "{n_literals}");
    assert!(names_flag("say `--k 5`") && names_flag("say --{name}") && !names_flag("-- a comment"));
    let found = literals("let a = '\"'; // \"--no\"\nf(\"say \\\"--k\\\"\", r#\"--\"x\"#);");
    assert_eq!(found, ["say --k", "--\"x"]);
}

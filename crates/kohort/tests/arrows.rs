//! The arrows between our crates that are allowed, and no other.

#![expect(clippy::disallowed_methods, reason = "a test reads the manifests")]

use std::collections::BTreeMap;
use std::path::Path;

/// Each crate with those of ours that it may name.
const ALLOWED: &[(&str, &[&str])] = &[
    ("kohort-core", &[]),
    ("kohort-models", &["kohort-core"]),
    ("kohort-algorithms", &["kohort-core", "kohort-models"]),
    ("kohort-nested", &["kohort-core", "kohort-models", "kohort-algorithms"]),
    ("kohort-series", &["kohort-core", "kohort-models", "kohort-algorithms"]),
    ("kohort-ledger", &["kohort-core"]),
    ("kohort-verify", &["kohort-core", "kohort-models"]),
    ("kohort-io", &["kohort-core"]),
    ("kohort-db", &["kohort-core", "kohort-io"]),
    // It takes answers, never tables: no reader, no ledger, and none of the steps.
    (
        "kohort-report",
        &["kohort-core", "kohort-models", "kohort-algorithms", "kohort-series", "kohort-verify"],
    ),
    (
        "kohort",
        &[
            "kohort-core",
            "kohort-models",
            "kohort-algorithms",
            "kohort-nested",
            "kohort-series",
            "kohort-ledger",
            "kohort-verify",
            "kohort-io",
            "kohort-db",
            "kohort-report",
        ],
    ),
    ("kohort-cli", &["kohort"]),
    ("kohort-py", &["kohort"]),
    // It judges the program from outside: whatever it shared with it could be wrong in both.
    ("kohort-campaign", &[]),
];

/// The rooms of `kohort`, each with those that it may name: the lower ones first, and none in a circle.
const ROOMS: &[(&str, &[&str])] = &[
    ("balance", &[]),
    ("demo", &[]),
    ("error", &[]),
    ("context", &["error"]),
    ("taxonomy", &["error"]),
    ("goal", &["error", "taxonomy"]),
    ("plan", &["error", "goal", "taxonomy"]),
    ("permit", &["plan"]),
    ("classify", &["goal", "plan", "taxonomy"]),
    ("job", &["error", "goal", "permit", "plan"]),
    ("preset", &["classify", "job", "plan", "taxonomy"]),
    ("load", &["error", "job", "plan", "preset", "taxonomy"]),
    ("catalog", &["classify", "error", "load", "plan"]),
    ("people", &["classify", "error", "job", "plan"]),
    ("public", &["error", "job", "load", "plan"]),
    ("diagnose", &["error", "goal", "load", "people"]),
    ("sql", &["diagnose", "error", "goal"]),
    ("in_place", &["diagnose", "error", "goal", "load", "people", "plan", "sql", "taxonomy"]),
    (
        "release",
        &[
            "diagnose", "error", "goal", "job", "load", "people", "permit", "plan", "public",
            "taxonomy",
        ],
    ),
    ("series", &["diagnose", "error", "job", "load", "permit", "plan", "release", "taxonomy"]),
    (
        "attack",
        &[
            "error", "goal", "job", "load", "people", "plan", "preset", "release", "series",
            "taxonomy",
        ],
    ),
    (
        "compare",
        &[
            "balance", "diagnose", "error", "goal", "job", "load", "people", "plan", "public",
            "release",
        ],
    ),
    (
        "nested",
        &[
            "attack", "classify", "compare", "context", "diagnose", "error", "goal", "job", "load",
            "permit", "plan", "preset", "release",
        ],
    ),
    ("report", &["goal", "release"]),
    (
        "library",
        &[
            "attack", "compare", "context", "diagnose", "goal", "load", "nested", "plan",
            "release", "series",
        ],
    ),
];

fn manifests() -> BTreeMap<String, toml::Table> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::read_dir(crates)
        .expect("the folder of the crates")
        .map(|entry| {
            let folder = entry.expect("an entry").path();
            let text = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
            let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
            (name, text.parse().expect("TOML"))
        })
        .collect()
}

fn dependencies(manifest: &toml::Table, kind: &str) -> Vec<String> {
    let table = manifest.get(kind).and_then(toml::Value::as_table);
    table.map_or(Vec::new(), |table| table.keys().cloned().collect())
}

#[test]
fn crates_name_only_what_they_may() {
    let manifests = manifests();
    let known: Vec<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    for (name, manifest) in &manifests {
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(known, _)| known == name)
            .unwrap_or_else(|| panic!("{name} is not in the table of arrows"));
        for dependency in dependencies(manifest, "dependencies") {
            let is_ours = known.contains(&dependency.as_str());
            assert!(
                !is_ours || allowed.contains(&dependency.as_str()),
                "{name} names {dependency}"
            );
        }
    }
    assert_eq!(manifests.len(), ALLOWED.len());
}

/// The room that a file of `kohort` is in, and the code of the file without its tests and comments.
fn rooms() -> Vec<(String, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&source, &mut files);
    let room = |file: &std::path::PathBuf| {
        let inside = file.strip_prefix(&source).expect("it is in the folder");
        let first = inside.components().next().expect("a name").as_os_str().to_string_lossy();
        let text = std::fs::read_to_string(file).expect("a source file");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        (first.trim_end_matches(".rs").to_owned(), code.collect::<Vec<_>>().join("\n"))
    };
    files.iter().map(room).filter(|(room, _)| room != "lib").collect()
}

#[test]
fn rooms_of_kohort_name_only_what_they_may() {
    let known: Vec<&str> = ROOMS.iter().map(|(name, _)| *name).collect();
    for (room, code) in rooms() {
        let (_, allowed) = ROOMS
            .iter()
            .find(|(known, _)| **known == room)
            .unwrap_or_else(|| panic!("{room} is not in the table of rooms"));
        for named in code.split("crate::").skip(1) {
            let end = named.find(|c: char| !c.is_alphanumeric() && c != '_');
            let named = &named[..end.unwrap_or(named.len())];
            let is_other = known.contains(&named) && named != room;
            assert!(!is_other || allowed.contains(&named), "{room} names {named}");
        }
    }
}

#[test]
fn no_rooms_of_kohort_name_each_other_in_a_circle() {
    for (at, (room, allowed)) in ROOMS.iter().enumerate() {
        let is_below = |name: &&str| ROOMS[..at].iter().any(|&(lower, _)| lower == *name);
        let above = allowed.iter().find(|name| !is_below(name));
        assert!(above.is_none(), "{room} may name {above:?}, which is not below it in the table");
    }
}

#[test]
fn every_dependency_is_used() {
    for (name, manifest) in manifests() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&name).join("src");
        let text = all_text(&source);
        for dependency in dependencies(&manifest, "dependencies") {
            let as_code = dependency.replace('-', "_");
            assert!(text.contains(&as_code), "{name} does not use {dependency}");
        }
    }
}

#[test]
fn every_source_file_opens_with_its_purpose_and_stays_short() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    source_files(&crates, &mut files);
    assert!(files.len() > 40, "only {} source files were found", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        assert!(text.starts_with("//!"), "{} has no opening comment", file.display());
        let most =
            if file.components().any(|part| part.as_os_str() == "tests") { 1000 } else { 600 };
        assert!(code.lines().count() <= most, "{} is longer than {most} lines", file.display());
    }
}

fn source_files(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn all_text(folder: &Path) -> String {
    let mut files = Vec::new();
    source_files(folder, &mut files);
    files.iter().map(|file| std::fs::read_to_string(file).expect("a source file")).collect()
}

/// What the project cites, a reader can find: no notes of ours, and no paper by a number.
#[test]
fn sources_are_cited_by_authors_and_year() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    source_files(&crates, &mut files);
    for name in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"] {
        files.push(crates.join("..").join(name));
    }
    // Written in parts, so that this file may be looked at, too.
    let private = [concat!("spec", "s/0"), concat!("spec", "s/1"), concat!("document ", "00")];
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file").to_lowercase();
        for cited in private {
            assert!(!text.contains(cited), "{} cites `{cited}`", file.display());
        }
    }
}

/// Files of a release are put in place with the judge's permit, and in no other way.
#[test]
fn one_door_puts_files_in_place() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&source, &mut files);
    let names = |what: &str| {
        let has = |file: &&std::path::PathBuf| {
            std::fs::read_to_string(file).expect("a source file").contains(what)
        };
        let found = files.iter().filter(has);
        let name = |file: &std::path::PathBuf| {
            file.strip_prefix(&source).expect("in it").to_string_lossy().into_owned()
        };
        found.map(name).collect::<Vec<String>>()
    };
    assert_eq!(names("commit_together("), ["permit.rs"]);
    assert_eq!(names("commit_all("), ["permit.rs"]);
}

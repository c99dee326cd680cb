//! Links between pages lead to a page that is there, and every page is in the table of contents.

use std::path::{Path, PathBuf};

use crate::{pages, root, text};

/// The Markdown files below a folder, as paths from the project's folder.
fn markdown(folder: &Path, found: &mut Vec<String>) {
    for entry in folder.read_dir().expect("a folder").flatten() {
        let path: PathBuf = entry.path();
        if path.is_dir() {
            markdown(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let inside = path.strip_prefix(root()).expect("it is in the project");
            found.push(inside.to_string_lossy().replace('\\', "/"));
        }
    }
}

/// The anchor that GitHub and mdBook make of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn has_anchor(page: &str, wanted: &str) -> bool {
    let headings = page.lines().filter_map(|line| line.strip_prefix('#'));
    headings.map(|heading| anchor(heading.trim_start_matches('#').trim())).any(|a| a == wanted)
}

#[test]
fn links_lead_to_a_page_and_a_heading() {
    let mut files = vec!["README.md".to_owned(), "ARCHITECTURE.md".to_owned()];
    markdown(&root().join("docs"), &mut files);
    let mut n_links = 0;
    for file in &files {
        let page = text(file);
        let folder = Path::new(file).parent().expect("a folder");
        let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (link, _) in links.filter(|(link, _)| !link.starts_with("http")) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if path.is_empty() { root().join(file) } else { root().join(folder).join(path) };
            assert!(target.exists(), "{file} links to {link}");
            if !heading.is_empty() {
                let other = std::fs::read_to_string(target).expect("a page");
                assert!(has_anchor(&other, heading), "{file} links to {link}");
            }
            n_links += 1;
        }
    }
    assert!(n_links >= 40, "{n_links}");
}

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let mut files = Vec::new();
    markdown(&root().join("docs"), &mut files);
    files.retain(|file| file != "docs/SUMMARY.md");
    files.sort();
    let mut listed = pages();
    listed.sort();
    assert_eq!(files, listed);
}

/// The glossary gives each term a type; a type that is renamed must be renamed there.
#[test]
fn types_of_the_glossary_are_in_the_code() {
    let mut sources = String::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push_str(&std::fs::read_to_string(path).expect("a source file"));
            }
        }
    }
    let glossary = text("docs/glossary.md");
    let mut n_types = 0;
    for line in glossary.lines().filter(|line| line.starts_with("| **")) {
        let cell = line.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap_or_default();
        for name in cell.split('`').skip(1).step_by(2) {
            let name = name.rsplit("::").next().unwrap_or_default();
            let kinds = ["struct", "enum", "trait", "fn", "static", "const"];
            let is_there = kinds.iter().any(|kind| {
                [" ", "<", "(", ":", ";"]
                    .iter()
                    .any(|end| sources.contains(&format!("pub {kind} {name}{end}")))
            });
            assert!(is_there, "the glossary names `{name}`");
            n_types += 1;
        }
    }
    assert!(n_types >= 30, "{n_types}");
}

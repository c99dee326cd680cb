//! What a campaign found: counts, and a folder for each finding with all that reproduces it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folders are kept for the first findings of one kind only.
const MOST_FOLDERS: u64 = 5;

/// The findings and counts of all campaigns.
pub(crate) struct Findings {
    folder: PathBuf,
    kinds: BTreeMap<String, u64>,
    counts: BTreeMap<&'static str, u64>,
}

/// What was expected of the program and what it did.
pub(crate) struct Finding<'a> {
    /// The kind of finding, in a few words that hold no value of the case.
    pub(crate) kind: &'a str,
    /// What shows it: the expectation, what was found, and the seed.
    pub(crate) details: String,
    /// The folder with the files.
    pub(crate) files: &'a Path,
    /// The command lines, in that folder.
    pub(crate) commands: Vec<String>,
}

impl Findings {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, kinds: BTreeMap::new(), counts: BTreeMap::new() }
    }

    /// Counts something that was done.
    pub(crate) fn count(&mut self, what: &'static str, n: u64) {
        *self.counts.entry(what).or_default() += n;
    }

    /// Takes down a finding.
    pub(crate) fn add(&mut self, finding: &Finding<'_>) -> std::io::Result<()> {
        let n = self.kinds.entry(finding.kind.to_owned()).or_default();
        *n += 1;
        if *n > MOST_FOLDERS {
            return Ok(());
        }
        let name: String =
            finding.kind.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let folder = self.folder.join(format!("{name}-{n}"));
        copy(finding.files, &folder)?;
        let Finding { kind, details, commands, .. } = finding;
        let text = format!("# {kind}\n\n{details}\n\n```sh\n{}\n```\n", commands.join("\n"));
        std::fs::write(folder.join("FINDING.md"), text)?;
        eprintln!("finding: {kind}: {}", folder.display());
        Ok(())
    }

    /// The number of findings.
    pub(crate) fn total(&self) -> u64 {
        self.kinds.values().sum()
    }

    /// The counts and the kinds of findings, one on each line.
    pub(crate) fn summary(&self) -> String {
        let mut lines: Vec<String> =
            self.counts.iter().map(|(what, n)| format!("{n:>9} {what}")).collect();
        lines.push(format!("{:>9} findings", self.total()));
        lines.extend(self.kinds.iter().map(|(kind, n)| format!("{n:>9}   {kind}")));
        lines.join("\n")
    }
}

/// Copies a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

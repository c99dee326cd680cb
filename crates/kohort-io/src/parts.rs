//! Several files that are one table: a folder of Parquet files, or the files that a pattern matches.
//!
//! # Promise
//! The table is that of one file with the rows of all, in the order of the files' names. Files whose columns
//! differ are refused by file and column: in their names, and in Parquet in their types. A file without rows
//! adds nothing.
//!
//! # Which files
//! Of a folder all `.parquet` files; what begins with `_` or `.` is not looked at, as writers of lakes put notes
//! there. In a pattern `*` stands for any characters of a name and `?` for one, also in the names of folders.

use std::fs;
use std::path::{Path, PathBuf};

use kohort_core::{Place, Table, Told, Written};

use crate::builder::{Builder, bad_text, check_rows, finish};
use crate::format::extension;
use crate::source::{file_name, not_opened, read_file};
use crate::unpack::{UNPACKED_LIMIT, past_limit};
use crate::{At, Encoding, Error, Kind, Options, Read, columnar};

/// The files of a source that are several, in the order of their names; none where it is one file.
///
/// # Errors
/// When there is none, or a folder holds something else.
pub fn parts_of(source: &str) -> Result<Option<Vec<PathBuf>>, Error> {
    let path = Path::new(source);
    if path.is_dir() {
        return if is_folder_of_parts(path) { Ok(Some(of_folder(path)?)) } else { Ok(None) };
    }
    if !is_pattern(source) || path.exists() {
        return Ok(None);
    }
    let found = matching(path);
    if found.is_empty() {
        return Err(Kind::NoParts { pattern: source.to_owned() }.into());
    }
    Ok(Some(found))
}

/// Whether a folder is a table in parts, and no folder of nested records: it holds Parquet files, or folders that
/// are named for a value.
pub(crate) fn is_folder_of_parts(path: &Path) -> bool {
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_of_value = || name.contains('=') && entry.path().is_dir();
        !is_hidden(&name) && (extension(&name).0 == "parquet" || is_of_value())
    })
}

/// Whether a file would be read as a part of a source once it is there, or is the folder of its parts.
pub fn would_be_part(source: &Path, target: &Path) -> bool {
    let same = |one: &Path, other: &Path| {
        let real = |path: &Path| fs::canonicalize(path).ok();
        real(one).is_some_and(|found| real(other) == Some(found))
    };
    let beside = crate::folder::folder(target);
    if source.is_dir() {
        return is_folder_of_parts(source) && (same(source, beside) || same(source, target));
    }
    let (Some(pattern), Some(name)) = (source.file_name(), target.file_name()) else {
        return false;
    };
    let text = source.to_string_lossy();
    if !is_pattern(&text) || source.exists() {
        return false;
    }
    let folders = crate::folder::folder(source);
    let folders = if is_pattern(&folders.to_string_lossy()) {
        matching(folders)
    } else {
        vec![folders.to_owned()]
    };
    let is_named = fits(&pattern.to_string_lossy(), &name.to_string_lossy());
    is_named && folders.iter().any(|folder| same(folder, beside))
}

/// Reads files as one table.
pub(crate) fn read_parts(
    source: &str,
    files: &[PathBuf],
    options: &Options,
    progress: &dyn Fn(u64, u64),
) -> Result<Read, Error> {
    let name = file_name(Path::new(source));
    let kind = extension(&file_name(&files[0]));
    if let Some(other) = files.iter().find(|file| extension(&file_name(file)) != kind) {
        return Err(Kind::Part {
            path: other.display().to_string(),
            problem: format!("is not of the format of {}", file_name(&files[0])),
        }
        .into());
    }
    if kind.0 == "parquet" {
        same_types(files)?;
    }
    let is_packed =
        kind.1.is_some() || !matches!(kind.0.as_str(), "csv" | "tsv" | "jsonl" | "ndjson");
    let limit = options.unpacked_limit.unwrap_or(UNPACKED_LIMIT);
    let sizes: Vec<u64> =
        files.iter().map(|file| fs::metadata(file).map_or(0, |found| found.len())).collect();
    let total = sizes.iter().sum();
    let mut merged = Merged::default();
    let mut done = 0;
    for (file, size) in files.iter().zip(sizes) {
        let left = limit.saturating_sub(merged.n_bytes);
        let options = Options { unpacked_limit: is_packed.then_some(left), ..options.clone() };
        let read = read_file(file, &options, &|part, _| progress(done + part.min(size), total));
        done += size;
        match read {
            Ok(read) => merged.add(file, &read)?,
            // Writers of lakes leave parts without rows.
            Err(error) if matches!(error.kind(), Kind::NoRows { .. }) => {}
            Err(error) if matches!(error.kind(), Kind::Unpacked { .. }) => {
                return Err(past_limit(name, limit));
            }
            Err(error) => return Err(error),
        }
    }
    merged.finish(name, options)
}

/// Refuses Parquet files with columns of other types, before any row is read.
fn same_types(files: &[PathBuf]) -> Result<(), Error> {
    let first = columnar::parquet_types(&files[0])?;
    for file in &files[1..] {
        let types = columnar::parquet_types(file)?;
        for (column, found) in &types {
            let expected =
                first.iter().find(|(name, _)| name == column).map(|(_, expected)| expected);
            if let Some(expected) = expected.filter(|expected| *expected != found) {
                let problem = format!(
                    "is of type {found}, but of type {expected} in {}",
                    file_name(&files[0])
                );
                return Err(differs(file, column, problem));
            }
        }
        let names = |types: &[(String, String)]| {
            types.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        same_names((&names(&first), &files[0]), (&names(&types), file))?;
    }
    Ok(())
}

fn same_names(
    (expected, first): (&[String], &Path),
    (found, file): (&[String], &Path),
) -> Result<(), Error> {
    if let Some(column) = expected.iter().find(|name| !found.contains(name)) {
        return Err(differs(file, column, format!("is in {}, and not here", file_name(first))));
    }
    match found.iter().find(|name| !expected.contains(name)) {
        Some(column) => {
            Err(differs(file, column, format!("is here, and not in {}", file_name(first))))
        }
        None => Ok(()),
    }
}

fn differs(file: &Path, column: &str, problem: String) -> Error {
    let (path, column) = (file.display().to_string(), column.to_owned());
    Kind::PartColumn { path, column, problem }.into()
}

/// The rows of the files so far.
#[derive(Default)]
struct Merged {
    first: PathBuf,
    names: Vec<String>,
    builders: Vec<Builder>,
    n_rows: u64,
    n_bytes: u64,
    notes: Vec<kohort_core::Message>,
    metadata: Vec<String>,
}

impl Merged {
    fn add(&mut self, file: &Path, read: &Read) -> Result<(), Error> {
        let table = &read.table;
        let names: Vec<String> =
            table.columns().iter().map(|column| column.name().to_owned()).collect();
        if self.names.is_empty() {
            file.clone_into(&mut self.first);
            let told = table.columns().iter().map(|column| column.writing().told());
            self.builders = told.map(Builder::new).collect();
            self.names = names;
        } else {
            same_names((&self.names, &self.first), (&names, file))?;
        }
        let at = |row: u64| At {
            name: file_name(file),
            place: Place::Row(row + 1),
            column: None,
            column_name: None,
        };
        let last = self.n_rows + table.n_rows() as u64;
        check_rows(last.saturating_sub(1), || at(table.n_rows() as u64))?;
        for (name, builder) in self.names.iter().zip(&mut self.builders) {
            self.n_bytes += add_column(builder, (table, name), self.n_rows, &at)?;
        }
        self.n_rows = last;
        for note in &read.notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
        self.metadata.extend(read.metadata.iter().cloned());
        Ok(())
    }

    fn finish(mut self, name: String, options: &Options) -> Result<Read, Error> {
        if self.n_rows == 0 {
            return Err(Kind::NoRows { name, header: false }.into());
        }
        self.metadata.sort_unstable();
        self.metadata.dedup();
        let Self { names, builders, notes, metadata, .. } = self;
        let read = finish(name, names, builders, false, &options.missing, notes);
        Ok(Read { metadata, ..read })
    }
}

/// Adds the cells of a part to a column, whose first row has this number, and says how many bytes they are.
fn add_column(
    builder: &mut Builder,
    (table, name): (&Table, &str),
    first: u64,
    at: &impl Fn(u64) -> At,
) -> Result<u64, Error> {
    let column = table.column(name).expect("the names were compared");
    let dictionary = column.dictionary();
    let mut codes: Vec<Option<u32>> = vec![None; dictionary.len() as usize];
    let mut n_bytes = 0;
    for (row, entry) in column.codes().iter().enumerate() {
        let text = dictionary.get(entry);
        n_bytes += text.len() as u64 + 1;
        let code = &mut codes[entry as usize];
        if code.is_none() {
            let line = first + row as u64 + 1;
            let found = builder.dictionary.intern(text.as_bytes(), line);
            let bad = |problem| bad_text(problem, at(row as u64), Encoding::Utf8);
            *code = Some(found.map_err(bad)?);
        }
        let written = match column.written(row) {
            Some(written) => written,
            None if builder.writing.told() == Told::Nothing => Written::Text,
            None => Written::Bare,
        };
        builder.push_code(code.expect("it was just found"), written);
    }
    Ok(n_bytes)
}

fn of_folder(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let refused = |entry: &Path, problem: &str| -> Error {
        Kind::Part { path: entry.display().to_string(), problem: problem.to_owned() }.into()
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(|error| not_opened(path, error))? {
        let file = entry.map_err(|error| not_opened(path, error))?.path();
        let name = file_name(&file);
        if is_hidden(&name) {
            continue;
        }
        if file.is_dir() {
            return Err(refused(&file, "is a folder, and values in names of folders are not read"));
        }
        if extension(&name).0 != "parquet" {
            return Err(refused(&file, "is no Parquet file, but others in its folder are"));
        }
        files.push(file);
    }
    files.sort();
    Ok(files)
}

fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '_'])
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// The paths that a pattern matches, sorted.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let part = component.as_os_str().to_string_lossy();
        if !is_pattern(&part) {
            for path in &mut found {
                path.push(component);
            }
            continue;
        }
        let within = |folder: &PathBuf| {
            let here =
                if folder.as_os_str().is_empty() { Path::new(".") } else { folder.as_path() };
            let entries = fs::read_dir(here).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name());
            let fitting = names.filter(|name| {
                let name = name.to_string_lossy();
                (!is_hidden(&name) || part.starts_with(['.', '_'])) && fits(&part, &name)
            });
            fitting.map(|name| folder.join(name)).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(within).collect();
    }
    found.retain(|path| path.exists());
    found.sort();
    found
}

/// Whether a name fits a pattern.
fn fits(pattern: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    // Which beginnings of the name fit the pattern so far.
    let mut fitting = vec![false; name.len() + 1];
    fitting[0] = true;
    for step in pattern.chars() {
        if step == '*' {
            for at in 1..=name.len() {
                fitting[at] |= fitting[at - 1];
            }
            continue;
        }
        for at in (1..=name.len()).rev() {
            fitting[at] = fitting[at - 1] && (step == '?' || step == name[at - 1]);
        }
        fitting[0] = false;
    }
    fitting[name.len()]
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn names_fit_patterns() {
        for (pattern, name, expected) in [
            ("part-*.parquet", "part-0.parquet", true),
            ("part-*.parquet", "part-.parquet", true),
            ("part-*.parquet", "part-0.parquet.crc", false),
            ("*", "", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*a*b", "xaab", true),
            ("*a*b", "xaac", false),
            ("?", "é", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}

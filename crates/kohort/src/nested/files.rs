//! The files of a nested release: one of records, or several of related tables; and those of sensitive
//! values, where they are published apart.

use std::path::{Path, PathBuf};

use kohort_core::{Column, Nested, Role, Scalar, Table};
use kohort_io::{
    Format, NestedFormat, NestedOptions, Options, Related, Staged, read_nested, read_table, relate,
    tables_of, write_nested, write_table,
};
use kohort_nested::NestedForm;
use kohort_verify::nested::{GROUP, group_path};

use super::judge::Files;
use super::render::Rendered;
use super::source::{known_paths, path_of_table, related_of, with_scalars};
use crate::Error;
use crate::load::{options, refused};
use crate::plan::Plan;
use crate::release::{names, values_file};

/// How a release is laid out in files.
#[derive(Clone, Copy, Debug)]
pub(super) enum Layout {
    /// Records inside records, in one file.
    Records(NestedFormat),
    /// A table for each place of the schema.
    Tables(Format),
}

impl Layout {
    /// The layout that the name of a release tells. Related tables are written as such only if they were
    /// read as such: then their keys have names.
    pub(super) fn of(plan: &Plan, target: &Path) -> Result<Self, Error> {
        match NestedFormat::of(target) {
            Ok(format) => Ok(Self::Records(format)),
            Err(_) if !plan.tables.is_empty() => Ok(Self::Tables(Format::of(target)?)),
            Err(error) => {
                Format::of(target).map_err(|_| error)?;
                Err(refused(
                    format!("{}: records inside records are not one table", target.display()),
                    "name a file that ends in .json, .jsonl or .xml",
                ))
            }
        }
    }
}

/// The file of a related table: `release.csv` has the people, `release.visits.csv` their visits.
pub(super) fn table_file(target: &Path, path: &str) -> PathBuf {
    if path.is_empty() {
        return target.to_owned();
    }
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = name.split_once('.').unwrap_or((&name, "csv"));
    target.with_file_name(format!("{stem}.{}.{extension}", path.replace("[]", "")))
}

/// A release beside its target.
pub(super) struct Staging {
    layout: Layout,
    trees: Vec<File>,
    values: Option<Vec<File>>,
}

/// A file beside its target. A table of related ones knows its place and its keys.
struct File {
    target: PathBuf,
    staged: Staged,
    related: Option<(String, Option<String>, Option<String>)>,
}

impl Staging {
    /// Writes the files of a release beside their targets.
    pub(super) fn write(
        plan: &Plan,
        layout: Layout,
        target: &Path,
        rendered: &Rendered,
    ) -> Result<Self, Error> {
        let trees = stage(plan, layout, target, &rendered.trees)?;
        let values = rendered.values.as_ref();
        let values = values.map(|values| stage(plan, layout, &values_file(target), values));
        Ok(Self { layout, trees, values: values.transpose()? })
    }

    /// The targets.
    pub(super) fn names(&self) -> Vec<String> {
        let files = self.trees.iter().chain(self.values.iter().flatten());
        files.map(|file| file.target.display().to_string()).collect()
    }

    /// The files, to be put in place.
    pub(super) fn into_files(self) -> Vec<Staged> {
        let files = self.trees.into_iter().chain(self.values.into_iter().flatten());
        files.map(|file| file.staged).collect()
    }

    /// Reads the files as anybody would.
    pub(super) fn read_back(&self, plan: &Plan, original: &Nested) -> Result<Files, Error> {
        let missing = original.branches()[0].table().missing();
        let records = original.layout().elements.as_ref().map(|names| names.record.clone());
        let read = |files: &[File]| match self.layout {
            Layout::Records(format) => {
                let is_xml = matches!(format, NestedFormat::Xml(_));
                let records = records.clone().filter(|_| is_xml);
                let (missing, paths) = (missing.clone(), known_paths(plan));
                let options = NestedOptions { missing, encoding: None, records, paths };
                let path = files[0].staged.path().to_string_lossy();
                Ok::<Nested, Error>(read_nested(&path, &options, &|_, _| {})?.nested)
            }
            Layout::Tables(format) => {
                let options = Options { missing: missing.clone(), ..Options::as_written(format) };
                let mut tables = Vec::new();
                for file in files {
                    let path = file.staged.path().to_string_lossy();
                    let table = read_table(&path, &options, &|_, _| {})?.table;
                    let related = file.related.clone().unwrap_or_default();
                    let (path, key, foreign_key) = related;
                    tables.push(Related { path, table, key, foreign_key });
                }
                Ok(without_cut_off(plan, &relate(tables)?))
            }
        };
        let values = self.values.as_ref().map(|files| read(files)).transpose()?;
        Ok(Files { trees: read(&self.trees)?, values })
    }
}

/// Writes records beside their target, or tables beside theirs.
fn stage(plan: &Plan, layout: Layout, target: &Path, nested: &Nested) -> Result<Vec<File>, Error> {
    match layout {
        Layout::Records(format) => {
            let staged = Staged::write(target, &mut |out| {
                write_nested(nested, format, out).map_err(std::io::Error::other)
            })?;
            Ok(vec![File { target: target.to_owned(), staged, related: None }])
        }
        Layout::Tables(format) => {
            let mut files = Vec::new();
            for related in tables_of(nested) {
                let related = with_keys_of(plan, related);
                let target = table_file(target, &related.path);
                let staged = Staged::write(&target, &mut |out| {
                    write_table(&related.table, format, out).map_err(std::io::Error::other)
                })?;
                let related = Some((related.path, related.key, related.foreign_key));
                files.push(File { target, staged, related });
            }
            Ok(files)
        }
    }
}

/// A table whose keys are named as in the plan.
fn with_keys_of(plan: &Plan, related: Related) -> Related {
    let (planned_key, planned_foreign_key) = related_of(plan, &related.path);
    let renames = [(&related.key, planned_key), (&related.foreign_key, planned_foreign_key)];
    let name = |name: &str| {
        let found = renames.iter().find(|(own, _)| own.as_deref() == Some(name));
        found.and_then(|(_, planned)| planned.clone()).unwrap_or_else(|| name.to_owned())
    };
    let missing = related.table.missing();
    let columns = related.table.columns().iter().map(|column| {
        let (dictionary, codes) = (column.dictionary().clone(), column.codes().clone());
        Column::new(name(column.name()), dictionary, codes, missing)
    });
    let table = related.table.name().to_owned();
    Related {
        table: Table::new(table, columns.collect(), false, missing.clone()),
        key: related.key.as_deref().map(name),
        foreign_key: related.foreign_key.as_deref().map(name),
        path: related.path,
    }
}

/// A table has no way to leave one cell out: a sensitive one that is empty was cut off, or had no value.
fn without_cut_off(plan: &Plan, nested: &Nested) -> Nested {
    let sensitive = names(plan, Role::Sensitive);
    with_scalars(nested, |path, scalar| match scalar {
        Scalar::Null if sensitive.iter().any(|known| known == path) => Scalar::Absent,
        other => other,
    })
}

/// Reads somebody's release. What the plan says about reading is about the release.
pub(super) fn read_release(plan: &Plan, release: &Path) -> Result<(Files, Vec<String>), Error> {
    let layout = Layout::of(plan, release)?;
    let mut notes = Vec::new();
    let trees = read_one(plan, layout, release, &mut notes)?;
    let is_apart = form_of(plan, &trees) != NestedForm::Generalized;
    let values = is_apart.then(|| read_one(plan, layout, &values_file(release), &mut notes));
    Ok((Files { trees, values: values.transpose()? }, notes))
}

fn read_one(
    plan: &Plan,
    layout: Layout,
    file: &Path,
    notes: &mut Vec<String>,
) -> Result<Nested, Error> {
    let options = options(&plan.read)?;
    if let Layout::Records(_) = layout {
        let asked = NestedOptions {
            missing: options.missing,
            encoding: options.encoding,
            records: plan.read.records.clone(),
            paths: known_paths(plan),
        };
        let read = read_nested(&file.to_string_lossy(), &asked, &|_, _| {})?;
        notes.extend(read.notes);
        return Ok(read.nested);
    }
    let mut tables = Vec::new();
    let paths = plan.tables.keys().map(|name| path_of_table(plan, name));
    for path in std::iter::once(Ok(String::new())).chain(paths) {
        let path = path?;
        let file = table_file(file, &path);
        // A table of which nothing is published is not there.
        if path.is_empty() || file.exists() {
            let read = read_table(&file.to_string_lossy(), &options, &|_, _| {})?;
            notes.extend(read.notes);
            let (key, foreign_key) = related_of(plan, &path);
            let has = |name: &String| read.table.column(name).is_ok();
            let (key, foreign_key) = (key.filter(has), foreign_key.filter(has));
            tables.push(Related { path, table: read.table, key, foreign_key });
        }
    }
    Ok(without_cut_off(plan, &relate(tables)?))
}

/// The form of a release, which its members tell: a group of trees, or groups in the place of sensitive
/// values.
pub(super) fn form_of(plan: &Plan, trees: &Nested) -> NestedForm {
    let is_there = |path: &str| trees.find(path).is_some() && !plan.attributes.contains_key(path);
    let sensitive = names(plan, Role::Sensitive);
    if is_there(GROUP) {
        NestedForm::TreeAnatomy
    } else if sensitive.iter().any(|path| is_there(&group_path(path))) {
        NestedForm::VertexAnatomy
    } else {
        NestedForm::Generalized
    }
}

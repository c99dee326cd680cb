//! The files of a nested release: one of records, or several of related tables; and those of sensitive
//! values, where they are published apart.

use std::path::{Path, PathBuf};

use kohort_core::{Column, Message, Nested, Role, Setting, Table, message};
use kohort_io::{
    Format, NestedFormat, NestedOptions, Options, Reading, Related, Staged, is_file_there,
    read_nested, read_table, relate, tables_of, write_nested, write_table,
};
use kohort_nested::NestedForm;
use kohort_verify::nested::{GROUP, group_path};

use super::cells::{settled, unmarked};
use super::judge::Files;
use super::render::Rendered;
use super::schema::Schema;
use crate::Error;
use crate::error::refused;
use crate::load::options;
use crate::plan::Reading as PlannedReading;
use crate::release::{ReleaseFile, values_file};

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
    pub(super) fn of(schema: &Schema, target: &Path) -> Result<Self, Error> {
        match NestedFormat::of(target) {
            Ok(format) => Ok(Self::Records(format)),
            Err(_) if schema.has_tables() => Ok(Self::Tables(Format::of(target)?)),
            Err(error) => {
                Format::of(target).map_err(|_| error)?;
                Err(refused(
                    format!("{}: nested records are not one table", target.display()),
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

/// The files beside the first one that a release can have.
pub(super) fn companions(
    schema: &Schema,
    layout: Layout,
    target: &Path,
) -> Result<Vec<PathBuf>, Error> {
    let mut paths = vec![String::new()];
    if let Layout::Tables(_) = layout {
        for place in schema.places() {
            paths.push(place?);
        }
    }
    let stems = [target.to_owned(), values_file(target)];
    let files = stems.iter().flat_map(|stem| paths.iter().map(|path| table_file(stem, path)));
    Ok(files.skip(1).collect())
}

/// A release beside its target.
pub(super) struct Staging {
    layout: Layout,
    form: NestedForm,
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
    /// Writes the files of a release in a form beside their targets.
    pub(super) fn write(
        schema: &Schema,
        layout: Layout,
        target: &Path,
        (rendered, form): (&Rendered, NestedForm),
    ) -> Result<Self, Error> {
        let trees = stage(schema, layout, target, (&rendered.trees, Content::Trees))?;
        let apart = Content::apart(form);
        let values = rendered.values.as_ref().map(|values| (values, apart));
        let values = values.map(|values| stage(schema, layout, &values_file(target), values));
        Ok(Self { layout, form, trees, values: values.transpose()? })
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
    pub(super) fn read_back(&self, schema: &Schema, original: &Nested) -> Result<Files, Error> {
        let missing = original.branches()[0].table().missing();
        let records = original.layout().elements.as_ref().map(|names| names.record.clone());
        let read = |files: &[File], content: Content| match self.layout {
            Layout::Records(format) => {
                let missing = missing.clone();
                let unpacked_limit = Some(u64::MAX);
                let options = NestedOptions { missing, unpacked_limit, ..NestedOptions::default() };
                let options = content.options(schema, format, records.clone(), options);
                let path = files[0].staged.path().to_string_lossy();
                let nested = read_nested(&path, &options, &|_, _| {})?.nested;
                Ok::<Nested, Error>(content.unmarked(schema, nested))
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
                Ok(content.unmarked(schema, relate(tables)?))
            }
        };
        let apart = Content::apart(self.form);
        let values = self.values.as_ref().map(|files| read(files, apart)).transpose()?;
        Ok(settled(&schema.roles, self.form, read(&self.trees, Content::Trees)?, values))
    }

    /// Refuses to leave a file beside the release that would pass for a part of it.
    pub(super) fn check_beside(&self, schema: &Schema, target: &Path) -> Result<(), Error> {
        let files = companions(schema, self.layout, target)?;
        let is_written = |file: &PathBuf| {
            let mut written = self.trees.iter().chain(self.values.iter().flatten());
            written.any(|own| own.target == *file)
        };
        match files.iter().find(|file| !is_written(file) && file.exists()) {
            None => Ok(()),
            Some(file) => Err(refused(
                format!("{} would pass for a part of this release", file.display()),
                message!(
                    "remove it if it belongs to an earlier release, or name another file with {}",
                    Setting::Output
                ),
            )),
        }
    }
}

/// What a file of a release has in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Trees of people.
    Trees,
    /// The values of groups: `group`, `attribute` and `value`. It has no keys, and paths are no members of
    /// it.
    Lists,
}

impl Content {
    /// What stands apart from the trees of a form.
    fn apart(form: NestedForm) -> Self {
        if form == NestedForm::VertexAnatomy { Self::Lists } else { Self::Trees }
    }

    /// How such a file is read, where `records` is the element of a record.
    fn options(
        self,
        schema: &Schema,
        format: NestedFormat,
        records: Option<String>,
        options: NestedOptions,
    ) -> NestedOptions {
        if self == Self::Lists {
            return options;
        }
        let records = records.filter(|_| matches!(format, NestedFormat::Xml(_)));
        NestedOptions { records, paths: schema.known_paths(), ..options }
    }

    /// What was read, without the marks of what was cut off.
    fn unmarked(self, schema: &Schema, nested: Nested) -> Nested {
        match self {
            Self::Trees => unmarked(&schema.roles, &nested),
            Self::Lists => nested,
        }
    }
}

/// Writes records beside their target, or tables beside theirs.
fn stage(
    schema: &Schema,
    layout: Layout,
    target: &Path,
    (nested, content): (&Nested, Content),
) -> Result<Vec<File>, Error> {
    match layout {
        Layout::Records(format) => {
            let staged = Staged::write(target, &mut |out| {
                write_nested(nested, format, out).map_err(std::io::Error::other)
            })?;
            Ok(vec![File { target: target.to_owned(), staged, related: None }])
        }
        Layout::Tables(format) => {
            let mut files = Vec::new();
            let tables = match content {
                Content::Trees => tables_of(nested),
                Content::Lists => vec![list(nested.branches()[0].table().clone())],
            };
            // A table of which nothing is published is not there.
            for related in tables.into_iter().filter(|table| table.table.n_rows() > 0) {
                let related = with_keys_of(schema, related);
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

/// The only table of a file of lists.
fn list(table: Table) -> Related {
    Related { path: String::new(), table, key: None, foreign_key: None }
}

/// A table whose keys are named as in the plan.
fn with_keys_of(schema: &Schema, related: Related) -> Related {
    let (planned_key, planned_foreign_key) = schema.keys_at(&related.path);
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

/// Reads somebody's release, and tells its form.
pub(super) fn read_release(
    schema: &Schema,
    file: &ReleaseFile<'_>,
) -> Result<(Files, NestedForm, Vec<Message>), Error> {
    let release = file.path;
    let layout = Layout::of(schema, release)?;
    let _reading = Reading::new(release, &companions(schema, layout, release)?)?;
    let mut reader = ReleaseReader::new(schema, layout, file)?;
    let trees = reader.read(release, Content::Trees)?;
    let file = values_file(release);
    let form = form_of(schema, &trees);
    let mut apart = |form| reader.read(&file, Content::apart(form));
    let (values, form) = match form {
        Some(NestedForm::Generalized) => (None, NestedForm::Generalized),
        Some(form) => {
            is_file_there(&file)?;
            (Some(apart(form)?), form)
        }
        None if is_file_there(&file)? => {
            let lists = apart(NestedForm::VertexAnatomy)?;
            let is_list = ["group", "attribute", "value"].iter().all(|&c| lists.find(c).is_some());
            let form = if is_list { NestedForm::VertexAnatomy } else { NestedForm::Generalized };
            (is_list.then_some(lists), form)
        }
        None => (None, NestedForm::Generalized),
    };
    Ok((settled(&schema.roles, form, trees, values), form, reader.notes))
}

/// Reads the files of somebody's release.
struct ReleaseReader<'a> {
    schema: &'a Schema,
    layout: Layout,
    /// How tables are read, as the first of them is.
    options: Options,
    /// The element of XML that each record is.
    records: Option<String>,
    notes: Vec<Message>,
}

impl<'a> ReleaseReader<'a> {
    fn new(schema: &'a Schema, layout: Layout, file: &ReleaseFile<'_>) -> Result<Self, Error> {
        let planned = &schema.roles.reading;
        let reading = file.reading(planned);
        let options = match layout {
            Layout::Records(_) => {
                let encoding = file.said.encoding.clone();
                options(&PlannedReading { encoding, ..reading.clone() })?
            }
            Layout::Tables(_) => {
                let paths = schema.known_paths();
                let expected: Vec<String> = schema.roles.key.iter().cloned().chain(paths).collect();
                file.read(planned, &expected, &|_, _| {})?.options
            }
        };
        // The member that has the records of JSON is no element of a release in XML.
        let records = reading.records.filter(|_| schema.names_elements);
        Ok(Self { schema, layout, options, records, notes: Vec::new() })
    }

    fn read(&mut self, file: &Path, content: Content) -> Result<Nested, Error> {
        let Self { schema, layout, .. } = *self;
        if let Layout::Records(format) = layout {
            let Options { missing, encoding, unpacked_limit, .. } = self.options.clone();
            let asked =
                NestedOptions { missing, encoding, unpacked_limit, ..NestedOptions::default() };
            let asked = content.options(schema, format, self.records.clone(), asked);
            let read = read_nested(&file.to_string_lossy(), &asked, &|_, _| {})?;
            self.notes.extend(read.notes);
            return Ok(content.unmarked(schema, read.nested));
        }
        if content == Content::Lists {
            return Ok(relate(vec![list(self.table(file)?)])?);
        }
        let mut tables = Vec::new();
        for path in std::iter::once(Ok(String::new())).chain(schema.places()) {
            let path = path?;
            let file = table_file(file, &path);
            // A table of which nothing is published is not there.
            if path.is_empty() || is_file_there(&file)? {
                let table = self.table(&file)?;
                let (key, foreign_key) = schema.keys_at(&path);
                let has = |name: &String| table.column(name).is_ok();
                let (key, foreign_key) = (key.filter(has), foreign_key.filter(has));
                tables.push(Related { path, table, key, foreign_key });
            }
        }
        Ok(content.unmarked(schema, relate(tables)?))
    }

    fn table(&mut self, file: &Path) -> Result<Table, Error> {
        let read = read_table(&file.to_string_lossy(), &self.options, &|_, _| {})?;
        self.notes.extend(read.notes);
        Ok(read.table)
    }
}

/// The form of a release, which its members tell: a group of trees, or groups in the place of sensitive
/// values. They do not where the items of arrays are all that is sensitive: groups stand in their place.
fn form_of(schema: &Schema, trees: &Nested) -> Option<NestedForm> {
    let is_there = |path: &str| trees.find(path).is_some() && !schema.roles.has(path);
    let sensitive = schema.roles.names(Role::Sensitive);
    let mut shown = sensitive.iter().filter(|path| trees.find(path).is_some()).peekable();
    if is_there(GROUP) && !sensitive.is_empty() {
        Some(NestedForm::TreeAnatomy)
    } else if sensitive.iter().any(|path| is_there(&group_path(path))) {
        Some(NestedForm::VertexAnatomy)
    } else if shown.peek().is_some() && shown.all(|path| group_path(path) == *path) {
        None
    } else {
        Some(NestedForm::Generalized)
    }
}

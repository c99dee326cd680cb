//! Where a release goes: into files, a folder of parts, tables of a database, or memory. Either way it is put aside, read from there as anybody
//! would read it, judged, and only then handed out.

use std::path::Path;

use kohort_core::{Missing, Table, Told};
use kohort_io::{
    Format, Options, Staged, StagedFolder, escaped_columns, read_table, settle, write_parquet_rows,
    write_table,
};

use super::judge::joined;
use super::render::Rendered;
use super::values_file;
use crate::Error;
use crate::error::refused;
use crate::job::is_anatomized;
use crate::permit::{Permit, publish, publish_folder, publish_in_database};
use crate::plan::Plan;

/// A place for a release.
pub(super) trait Sink {
    /// What is handed out at the end.
    type Published;

    /// What its readers are told of a value besides its text.
    fn tells(&self) -> Told;

    /// Puts the tables aside, where nobody finds them, and says which row of the original each row is.
    fn stage(&mut self, rendered: Rendered) -> Result<Vec<u32>, Error>;

    /// What anybody will read there.
    fn read(&mut self, missing: &Missing) -> Result<Table, Error>;

    /// What a person should know of how the release is written.
    fn note(&self, release: &Table) -> Option<String>;

    /// Hands out what was put aside.
    fn publish(self, permit: Permit) -> Result<Self::Published, Error>;
}

/// A file, or two.
pub(super) struct Files<'a> {
    target: &'a Path,
    format: Format,
    staged: Vec<Staged>,
}

impl<'a> Files<'a> {
    /// A place that can be written. What a killed process left there is settled.
    pub(super) fn new(target: &'a Path) -> Result<Self, Error> {
        let format = Format::of(target)?;
        drop(Staged::write(target, &mut |_| Ok(()))?);
        settle(target, &[values_file(target)])?;
        Ok(Self { target, format, staged: Vec::new() })
    }
}

impl Sink for Files<'_> {
    /// The names of the files.
    type Published = Vec<String>;

    fn tells(&self) -> Told {
        self.format.tells()
    }

    fn stage(&mut self, rendered: Rendered) -> Result<Vec<u32>, Error> {
        let write = |path: &Path, table: &Table| {
            Staged::write(path, &mut |out| Ok(write_table(table, self.format, out)?))
        };
        self.staged = vec![write(self.target, &rendered.table)?];
        if let Some(values) = &rendered.values {
            self.staged.push(write(&values_file(self.target), values)?);
        }
        Ok(rendered.rows)
    }

    fn read(&mut self, missing: &Missing) -> Result<Table, Error> {
        let options = Options { missing: missing.clone(), ..Options::as_written(self.format) };
        let read = |file: &Staged| read_table(&file.path().to_string_lossy(), &options, &|_, _| {});
        let table = read(&self.staged[0])?.table;
        match self.staged.get(1) {
            Some(values) => joined(&table, &read(values)?.table),
            None => Ok(table),
        }
    }

    fn note(&self, release: &Table) -> Option<String> {
        let columns = escaped_columns(release, self.format);
        (!columns.is_empty()).then(|| {
            format!(
                "cells of `{}` that a spreadsheet would run as a formula are written with an apostrophe before them",
                columns.join("`, `")
            )
        })
    }

    fn publish(self, permit: Permit) -> Result<Vec<String>, Error> {
        let values = (self.staged.len() > 1).then(|| values_file(self.target));
        let files = std::iter::once(self.target.to_owned()).chain(values);
        let names = files.map(|file| file.display().to_string()).collect();
        publish(self.staged, permit)?;
        Ok(names)
    }
}

/// A folder of Parquet files that together are the release.
pub(super) struct Parts<'a> {
    target: &'a Path,
    n_files: usize,
    folder: StagedFolder,
}

impl<'a> Parts<'a> {
    /// The most parts of a release.
    const MOST: u32 = 10_000;

    /// A place that can be written.
    pub(super) fn new(target: &'a Path, plan: &Plan, n_parts: u32) -> Result<Self, Error> {
        if n_parts == 0 || n_parts > Self::MOST {
            return Err(refused(
                format!("`parts` must be from 1 to {}, but is {n_parts}", Self::MOST),
                "leave it out for a release that is one file",
            ));
        }
        if target.extension().is_some() && Format::of(target)? != Format::Parquet {
            return Err(refused(
                format!("{}: a release in parts is a folder of Parquet files", target.display()),
                "name a folder, or leave `parts` out",
            ));
        }
        if is_anatomized(plan) {
            return Err(refused(
                "a release in parts is one table, and an anatomized one is two",
                "leave `parts` out, or let the release be generalized",
            ));
        }
        let folder = StagedFolder::create(target)?;
        Ok(Self { target, n_files: n_parts as usize, folder })
    }
}

impl Sink for Parts<'_> {
    /// The name of the folder.
    type Published = Vec<String>;

    fn tells(&self) -> Told {
        Format::Parquet.tells()
    }

    fn stage(&mut self, rendered: Rendered) -> Result<Vec<u32>, Error> {
        if rendered.values.is_some() {
            return Err(refused(
                "a release in parts is one table, and this one is two",
                "leave `parts` out",
            ));
        }
        let n_rows = rendered.table.n_rows();
        let n_parts = self.n_files.min(n_rows).max(1);
        for part in 0..n_parts {
            let rows = n_rows * part / n_parts..n_rows * (part + 1) / n_parts;
            self.folder.write(&format!("part-{part:05}.parquet"), &mut |out| {
                write_parquet_rows(&rendered.table, rows.clone(), out)
            })?;
        }
        Ok(rendered.rows)
    }

    fn read(&mut self, missing: &Missing) -> Result<Table, Error> {
        let options = Options { missing: missing.clone(), ..Options::as_written(Format::Parquet) };
        Ok(read_table(&self.folder.path().to_string_lossy(), &options, &|_, _| {})?.table)
    }

    fn note(&self, _: &Table) -> Option<String> {
        None
    }

    fn publish(self, permit: Permit) -> Result<Vec<String>, Error> {
        publish_folder(self.folder, permit)?;
        Ok(vec![self.target.display().to_string()])
    }
}

/// Tables of a database.
impl Sink for kohort_db::Target {
    /// The names of the tables.
    type Published = Vec<String>;

    fn tells(&self) -> Told {
        Told::Nulls
    }

    fn stage(&mut self, rendered: Rendered) -> Result<Vec<u32>, Error> {
        kohort_db::Target::stage(self, &rendered.table, rendered.values.as_ref())?;
        Ok(rendered.rows)
    }

    fn read(&mut self, missing: &Missing) -> Result<Table, Error> {
        let mut tables = kohort_db::Target::read(self, missing)?;
        match tables.pop() {
            Some(values) if tables.len() == 1 => joined(&tables[0], &values),
            only => Ok(only.expect("it was staged")),
        }
    }

    fn note(&self, _: &Table) -> Option<String> {
        None
    }

    fn publish(self, permit: Permit) -> Result<Vec<String>, Error> {
        publish_in_database(self, permit)
    }
}

/// The tables of a release in memory.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// The release itself.
    pub(super) table: Table,
    /// The sensitive values by group, where they are published apart.
    pub(super) values: Option<Table>,
}

/// Memory: what is judged is what is handed out.
#[derive(Default)]
pub(super) struct Memory {
    tables: Option<Tables>,
}

impl Sink for Memory {
    type Published = Tables;

    fn tells(&self) -> Told {
        Told::Nulls
    }

    fn stage(&mut self, rendered: Rendered) -> Result<Vec<u32>, Error> {
        // Only texts of published rows are left.
        let alone = |table: &Table| {
            let rows: Vec<u32> = (0..).take(table.n_rows()).collect();
            table.among(&rows)
        };
        let values = rendered.values.as_ref().map(alone);
        self.tables = Some(Tables { table: alone(&rendered.table), values });
        Ok(rendered.rows)
    }

    fn read(&mut self, _: &Missing) -> Result<Table, Error> {
        let Tables { table, values } = self.tables.as_ref().expect("it was staged");
        match values {
            Some(values) => joined(table, values),
            None => Ok(table.clone()),
        }
    }

    fn note(&self, _: &Table) -> Option<String> {
        None
    }

    fn publish(self, _: Permit) -> Result<Tables, Error> {
        Ok(self.tables.expect("it was staged"))
    }
}

//! Where a release is: a file, or a table of a database; and what may be replaced there.

use std::path::{Path, PathBuf};

use kohort::attack::Publication;
use kohort::load::Loaded;
use kohort::plan::{Plan, RoleName};
use kohort::release::{Order, anonymize, anonymize_into_database, is_anatomized, is_release};
use kohort::release::{Receipt, is_release_table, values_file};
use kohort::{Address, Ctx, DatabaseTarget, Dataset, Stop, Table};

use super::{passwords, read_input};
use crate::args::Common;
use crate::printer::{Failure, Printer, usage};

/// Where a release goes, as it was named.
pub(super) enum Place {
    File(PathBuf),
    Database(Box<Address>),
}

/// The same, looked at: nothing of somebody else is replaced there.
pub(super) enum Target {
    File(PathBuf),
    Database(Box<DatabaseTarget>),
}

/// What was there before.
pub(super) struct Earlier {
    /// Where, if it was a release of the same table.
    place: Option<String>,
    /// Its text, where it was one.
    text: Option<String>,
}

impl Place {
    /// Where a flag says, from here; or where the plan says, from its folder.
    pub(super) fn of(flag: Option<&String>, plan: &Plan) -> Result<Option<Self>, Failure> {
        let address = |text: &str, folder: &Path| {
            let address = Address::parse(text, folder).map_err(kohort::Error::from)?;
            Ok(Some(Self::Database(Box::new(address))))
        };
        match (flag, &plan.output.release) {
            (Some(text), _) if Address::is_address(text) => address(text, Path::new("")),
            (Some(file), _) => Ok(Some(Self::File(file.into()))),
            (None, Some(text)) if Address::is_address(text) => address(text, &plan.folder),
            (None, Some(file)) => Ok(Some(Self::File(plan.path(file)))),
            (None, None) => Ok(None),
        }
    }

    /// The file, of a release that is one.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file),
            Self::Database(_) => None,
        }
    }

    /// The file that is written, also that of SQLite.
    pub(super) fn written_file(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file),
            Self::Database(address) => address.file(),
        }
    }

    /// Looks at what is there: only an earlier release of the same table is replaced, unless that is forced.
    pub(super) fn open(
        self,
        is_forced: bool,
        (plan, table): (&Plan, &Table),
    ) -> Result<(Target, Earlier), Failure> {
        match self {
            Self::File(file) => {
                if !is_forced {
                    keep_release(&file, plan, table)?;
                }
                let earlier = Earlier::in_file(&file, plan, table);
                Ok((Target::File(file), earlier))
            }
            Self::Database(address) => open_database(&address, is_forced, (plan, table)),
        }
    }
}

fn open_database(
    address: &Address,
    is_forced: bool,
    (plan, table): (&Plan, &Table),
) -> Result<(Target, Earlier), Failure> {
    let shown = || format!("{address}#{}", address.table.as_deref().unwrap_or_default());
    if is_input(address, plan) {
        return Err(usage(
            format!("{} is an input of this command, and inputs are not overwritten", shown()),
            "name another table",
        ));
    }
    let mut target =
        passwords::opening(address, |password| DatabaseTarget::open(address, password))?;
    let earlier = target.earlier(table.missing()).map_err(kohort::Error::from)?;
    let are_releases = earlier.iter().all(|found| is_release_table(found, plan, table));
    if !is_forced && !are_releases {
        return Err(usage(
            format!("{} already exists and is not a release of this table", shown()),
            "name another table with `-o`, or overwrite it with `--force`",
        ));
    }
    let place = (!earlier.is_empty() && are_releases).then(shown);
    Ok((Target::Database(Box::new(target)), Earlier { place, text: None }))
}

/// Whether the table is the one that the plan reads.
fn is_input(address: &Address, plan: &Plan) -> bool {
    let input = plan.input.as_ref().and_then(|input| input.database(&plan.folder).ok().flatten());
    input.is_some_and(|(other, rows)| {
        let table = address.table.as_deref().unwrap_or_default();
        address.is_same_database(&other) && rows.are_of(table)
    })
}

impl Target {
    /// Makes a release and puts it there.
    pub(super) fn fill(
        self,
        plan: &Plan,
        secret: [u8; 32],
        dataset: &Dataset,
        ctx: &Ctx<'_>,
    ) -> Result<Receipt, Stop> {
        match self {
            Self::File(target) => anonymize(Order { plan, target: &target, secret }, dataset, ctx),
            Self::Database(target) => {
                anonymize_into_database(*target, (plan, secret), dataset, ctx)
            }
        }
    }
}

impl Earlier {
    fn in_file(target: &Path, plan: &Plan, table: &Table) -> Self {
        let is_release = is_there(target, plan) && is_release(target, plan, table);
        let place = is_release.then(|| target.display().to_string());
        Self { place, text: kohort::read_text(target).ok() }
    }

    /// What to know where there was another release: who has both can lay them side by side.
    pub(super) fn replaced(&self) -> Option<String> {
        let place = self.place.as_ref()?;
        let is_same = self.text.is_some() && self.text == kohort::read_text(Path::new(place)).ok();
        (!is_same).then(|| {
            format!(
                "{place} replaces another release of this table. Anybody who has both learns more \
                 than each of them promises; `kohort publish` makes releases that keep their \
                 promises together"
            )
        })
    }
}

/// Whether a file has something in it, or a folder where the release is one. A folder in the place of a file is
/// refused by whoever writes.
fn is_there(file: &Path, plan: &Plan) -> bool {
    let has_entries = || file.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    file.metadata().is_ok_and(|found| {
        found.is_file() && found.len() > 0
            || found.is_dir() && plan.output.parts.is_some() && has_entries()
    })
}

/// Refuses a release over a file that is no earlier release. An empty file holds nothing to lose.
fn keep_release(target: &Path, plan: &Plan, table: &Table) -> Result<(), Failure> {
    let is_apart = is_anatomized(plan);
    let values = is_apart.then(|| values_file(target));
    for file in std::iter::once(target).chain(values.as_deref()) {
        if is_there(file, plan) && !is_release(file, plan, table) {
            return Err(usage(
                format!("{} already exists and is not a release of this table", file.display()),
                "name another file with `-o`, or overwrite it with `--force`",
            ));
        }
    }
    Ok(())
}

/// The release in a table of a database; nothing where the name is that of a file. The sensitive values of an
/// anatomized one are in a table beside it.
pub(super) fn in_database(
    name: &str,
    plan: &Plan,
    (common, printer): (&Common, &Printer),
) -> Result<Option<(Table, Option<Table>)>, Failure> {
    if !Address::is_address(name) {
        return Ok(None);
    }
    let read = |address: String| {
        let plan = Plan { input: Some(address.into()), read: plan.read.clone(), ..Plan::default() };
        read_input(&plan, common, printer)
    };
    let table = read(name.to_owned())?;
    let is_sensitive = |name: &str| {
        plan.attributes.get(name).is_some_and(|found| found.full().role == RoleName::Sensitive)
    };
    let shows_values = table.columns().iter().any(|column| is_sensitive(column.name()));
    let is_apart = is_anatomized(plan) && !shows_values;
    let values = is_apart.then(|| read(kohort::values_table(name))).transpose()?;
    Ok(Some((table, values)))
}

/// The same as an attack sees it.
pub(super) fn published(
    name: &str,
    plan: &Plan,
    surface: (&Common, &Printer),
) -> Result<Option<Publication>, Failure> {
    let Some((table, values)) = in_database(name, plan, surface)? else { return Ok(None) };
    let Loaded { value, notes } = Publication::of_tables(plan, &table, values.as_ref())?;
    surface.1.notes(&notes);
    Ok(Some(value))
}

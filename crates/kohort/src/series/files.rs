//! The files of releases: where they go, and what the ledger asks of them when it settles what an
//! interrupted process left behind.

use kohort_core::{Setting, message};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kohort_io::{Format, Staged, write_table};
use kohort_ledger::Files;

use super::SeriesOrder;
use super::render::Rendered;
use crate::Error;
use crate::error::refused;
use crate::release::counterfeits_file;

/// The files of the disk.
pub(super) struct DiskFiles;

impl Files for DiskFiles {
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Read>>> {
        let file = kohort_io::open_if_there(Path::new(path))?;
        Ok(file.map(|file| Box::new(file) as Box<dyn Read>))
    }

    fn put_in_place(&self, staged: &str, target: &str) -> io::Result<()> {
        kohort_io::put_in_place(Path::new(staged), Path::new(target))
    }

    fn remove(&self, staged: &str) -> io::Result<()> {
        kohort_io::remove_file(Path::new(staged))
    }
}

/// Refuses to write over a file that is read, or that is there.
pub(super) fn keep(target: &Path, order: &SeriesOrder<'_>) -> Result<(), Error> {
    for file in [target.to_owned(), counterfeits_file(target)] {
        let mut read = order.inputs.iter().map(PathBuf::as_path).chain([order.ledger]);
        if read.any(|input| kohort_io::is_same_file(&file, input)) {
            let problem = format!(
                "{} is read by this command, and an input is not overwritten",
                file.display()
            );
            return Err(refused(problem, message!("name another file with {}", Setting::Output)));
        }
        if kohort_io::is_there(&file) && !order.force {
            return Err(refused(
                format!("{} already exists", file.display()),
                message!(
                    "name another file with {}: `{{release}}` in its name is the number of the release; or \
                     overwrite it with {}",
                    Setting::Output,
                    Setting::Force
                ),
            ));
        }
    }
    Ok(())
}

/// Refuses to write a report over the release, a file that is read, or somebody's file.
pub(super) fn keep_report(
    report: Option<&Path>,
    target: &Path,
    order: &SeriesOrder<'_>,
) -> Result<(), Error> {
    let Some(report) = report else { return Ok(()) };
    let file = report.display();
    let hint = message!("name another file with {}", Setting::Report);
    if [target.to_owned(), counterfeits_file(target)].iter().any(|release| release == report) {
        return Err(refused(format!("{file} is where the release goes"), hint));
    }
    let mut read = order.inputs.iter().map(PathBuf::as_path).chain([order.ledger]);
    if read.any(|input| kohort_io::is_same_file(report, input)) {
        let problem = format!("{file} is read by this command, and an input is not overwritten");
        return Err(refused(problem, hint));
    }
    let is_ours = |text: &str| text.is_empty() || crate::release::is_report(text);
    if kohort_io::is_there(report)
        && !order.force
        && !kohort_io::read_text(report).is_ok_and(|text| is_ours(&text))
    {
        return Err(refused(
            format!("{file} already exists and is not a kohort report"),
            message!("name another file, or overwrite it with {}", Setting::Force),
        ));
    }
    Ok(())
}

/// Writes the files of a release beside their targets.
pub(super) fn stage(
    target: &Path,
    format: Format,
    rendered: &Rendered,
) -> Result<Vec<Staged>, Error> {
    let write = |path: &Path, table: &kohort_core::Table| {
        Staged::write(path, &mut |out| Ok(write_table(table, format, out)?))
    };
    let mut staged = vec![write(target, &rendered.table)?];
    let beside = counterfeits_file(target);
    if let Some(counterfeits) = &rendered.counterfeits {
        staged.push(write(&beside, counterfeits)?);
    } else if kohort_io::is_there(&beside) {
        return Err(refused(
            format!(
                "{} counts for another release, and would be read for this one",
                beside.display()
            ),
            message!("take it away, or name another file with {}", Setting::Output),
        ));
    }
    Ok(staged)
}

/// Where the files of a release go, as many as were staged.
pub(super) fn targets(target: &Path, n_staged: usize) -> Vec<PathBuf> {
    [target.to_owned(), counterfeits_file(target)].into_iter().take(n_staged).collect()
}

//! The files of releases, for the ledger to settle what an interrupted process left behind.

use std::io::{self, Read};
use std::path::Path;

use kohort_ledger::Files;

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

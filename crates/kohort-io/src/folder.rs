//! Folders that files go into.

use std::path::Path;

use crate::{Error, Kind};

/// Creates a folder and those above it, unless it is there.
pub fn create_folder(path: &Path) -> Result<(), Error> {
    if path.as_os_str().is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(path)
        .map_err(|source| Error::new(Kind::Write { path: path.display().to_string(), source }))
}

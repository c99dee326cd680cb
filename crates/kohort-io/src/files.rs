//! Files as they are: what the books of a series need to settle what an interrupted process left behind.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::source::open;
use crate::{Error, Kind};

/// The most that a file of bytes may hold.
const LIMIT: u64 = 1 << 20;

/// A file, if there is one.
pub fn open_if_there(path: &Path) -> io::Result<Option<File>> {
    match OpenOptions::new().read(true).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Moves a file to its place in the same folder, so that it is there after the machine stops.
pub fn put_in_place(staged: &Path, target: &Path) -> io::Result<()> {
    fs::rename(staged, target)?;
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Not every system can tell; the file is complete in any case.
    let folder = OpenOptions::new().read(true).open(folder.unwrap_or(Path::new(".")));
    let _ = folder.map(|folder| folder.sync_all());
    Ok(())
}

/// Removes a file.
pub fn remove_file(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// All bytes of a small file that holds a secret. It must be a file or a pipe, not a device, and nobody but
/// its owner may read it.
pub fn read_secret(path: &Path) -> Result<Vec<u8>, Error> {
    let (file, size) = open(path)?;
    let name = crate::source::file_name(path);
    let metadata = file.metadata().map_err(|source| Kind::Read { name: name.clone(), source })?;
    refuse_open_secret(&metadata, &name)?;
    let mut bytes = Vec::new();
    if size <= LIMIT {
        let read = file.take(LIMIT).read_to_end(&mut bytes);
        read.map_err(|source| Kind::Read { name: name.clone(), source })?;
        return Ok(bytes);
    }
    Err(Kind::TooLarge { name, limit_mib: LIMIT >> 20 }.into())
}

#[cfg(unix)]
fn refuse_open_secret(metadata: &fs::Metadata, name: &str) -> Result<(), Error> {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    let kind = metadata.file_type();
    if kind.is_block_device() || kind.is_char_device() {
        return Err(Kind::NotAFile { path: name.to_owned() }.into());
    }
    let mode = metadata.permissions().mode() & 0o777;
    if kind.is_file() && mode & 0o077 != 0 {
        return Err(Kind::OpenSecret { name: name.to_owned(), mode }.into());
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_open_secret(_: &fs::Metadata, _: &str) -> Result<(), Error> {
    Ok(())
}

/// Whether a path leads to anything, also to a link that leads nowhere or a file that cannot be read.
pub fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether two paths lead to one file that is there.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(one).is_some_and(|found| real(other) == Some(found))
}

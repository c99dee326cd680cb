//! Files as they are: what the books of a series need to settle what an interrupted process left behind.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::folder::Locked;
use crate::source::open;
use crate::staged::sync_folder;
use crate::{Error, Kind};

/// The most that a file of bytes may hold.
const LIMIT: u64 = 1 << 20;

/// A regular file, if there is one. What is something else, such as a pipe that nobody writes to, is none.
pub fn open_if_there(path: &Path) -> io::Result<Option<File>> {
    match open_regular(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Opens a regular file. Waits for nobody: [`ErrorKind::InvalidInput`] for a pipe or whatever else it is.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Opening a pipe would wait for somebody who writes to it.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(ErrorKind::InvalidInput.into()) }
}

/// Whether a path is a regular file, and no link to one, of the user who runs this process.
pub(crate) fn is_own(path: &Path) -> bool {
    let Ok(metadata) = fs::symlink_metadata(path) else { return false };
    #[cfg(unix)]
    let is_mine =
        std::os::unix::fs::MetadataExt::uid(&metadata) == rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    let is_mine = true;
    metadata.is_file() && is_mine
}

/// Moves a file to its place in the same folder, so that it is there after the machine stops. Only a
/// regular file of the user's own is moved.
pub fn put_in_place(staged: &Path, target: &Path) -> io::Result<()> {
    if !is_own(staged) {
        return Err(ErrorKind::InvalidInput.into());
    }
    // A rename is whole in any case: where a file system has no locks, it goes on without.
    let locked = Locked::to_write([target]);
    if matches!(&locked, Err(error) if error.kind() == ErrorKind::WouldBlock) {
        return locked.map(drop);
    }
    fs::rename(staged, target)?;
    sync_folder(target);
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
        return Err(Kind::NotRegular { path: name.to_owned() }.into());
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

/// Whether a path leads to a regular file. Refused for a pipe or whatever else is neither that nor nothing:
/// reading it would wait for somebody who writes to it.
pub fn is_file_there(path: &Path) -> Result<bool, Error> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(true),
        Ok(_) => Err(Kind::NotRegular { path: path.display().to_string() }.into()),
        Err(_) => Ok(false),
    }
}

/// Whether two paths lead to one file that is there.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(one).is_some_and(|found| real(other) == Some(found))
}

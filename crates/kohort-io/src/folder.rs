//! Folders that files go into: made, and locked while files in them are replaced.
//!
//! # Locks
//! One process at a time puts files in a folder, and none does while files that belong together are read.
//! The folder itself is locked, by the system: nothing is written for that, and a process that ends in
//! whatever way gives its locks back. Several folders are locked in the order of their paths, and who waits
//! too long is refused, so that nobody waits forever.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::{Error, Kind};

/// How often a lock is tried before it is given up, and how long to wait in between: ten seconds in all.
const TRIES: u32 = 500;
const PAUSE: Duration = Duration::from_millis(20);

/// Creates a folder and those above it, unless it is there.
pub fn create_folder(path: &Path) -> Result<(), Error> {
    if path.as_os_str().is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(path)
        .map_err(|source| Error::new(Kind::Write { path: path.display().to_string(), source }))
}

/// Creates a folder that its owner alone may look into, and those above it, unless it is there.
pub fn create_private_folder(path: &Path) -> Result<(), Error> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(path)
        .map_err(|source| Error::new(Kind::Write { path: path.display().to_string(), source }))
}

/// Who else may put files into a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// Whoever uses the machine, or whoever owns the folder, who is neither the user nor the superuser.
    Others,
    /// The members of the folder's group.
    Group,
}

/// The folder of a file that is to be written, and who else may put files there: they could be taken for
/// those of this program. None where nobody can, or the folder is not there.
pub fn other_writers(file: &Path) -> Option<(PathBuf, Writers)> {
    let folder = folder(file).canonicalize().ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let found = std::fs::metadata(&folder).ok()?;
        let is_foreign = ![0, rustix::process::geteuid().as_raw()].contains(&found.uid());
        let writers = match found.mode() {
            mode if is_foreign || mode & 0o002 != 0 => Writers::Others,
            mode if mode & 0o020 != 0 => Writers::Group,
            _ => return None,
        };
        Some((folder, writers))
    }
    #[cfg(not(unix))]
    None
}

/// The folder of a file.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Folders that are locked as long as this lives.
#[must_use = "once it is dropped, others go on"]
#[derive(Debug)]
pub(crate) struct Locked {
    _folders: Vec<File>,
}

impl Locked {
    /// Locks the folders of files, for the one process that replaces them. [`ErrorKind::WouldBlock`] where
    /// another has them for too long.
    pub(crate) fn to_write<'a>(files: impl IntoIterator<Item = &'a Path>) -> io::Result<Self> {
        Self::lock(files, File::try_lock)
    }

    /// Locks the folders of files against whoever replaces them; others may read.
    pub(crate) fn to_read<'a>(files: impl IntoIterator<Item = &'a Path>) -> io::Result<Self> {
        Self::lock(files, File::try_lock_shared)
    }

    fn lock<'a>(
        files: impl IntoIterator<Item = &'a Path>,
        try_lock: fn(&File) -> Result<(), TryLockError>,
    ) -> io::Result<Self> {
        let real = |file| folder(file).canonicalize();
        let folders: BTreeSet<PathBuf> = files.into_iter().map(real).collect::<io::Result<_>>()?;
        let mut locked = Vec::new();
        for folder in folders {
            let folder = OpenOptions::new().read(true).open(folder)?;
            let mut n_left = TRIES;
            while let Err(refusal) = try_lock(&folder) {
                match refusal {
                    TryLockError::Error(error) => return Err(error),
                    TryLockError::WouldBlock if n_left == 0 => {
                        return Err(ErrorKind::WouldBlock.into());
                    }
                    TryLockError::WouldBlock => {}
                }
                n_left -= 1;
                thread::sleep(PAUSE);
            }
            locked.push(folder);
        }
        Ok(Self { _folders: locked })
    }
}

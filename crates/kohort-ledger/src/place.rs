//! A new ledger appears with all it has, or not at all.
//!
//! # Method
//! The bytes are written under a hidden name beside the target, for its owner alone, and are on the disk
//! before the target is a second name of them. Such a name is given to nothing that is there, so that one of
//! several processes makes the ledger and the others find it. Then the hidden name goes.
//!
//! # What a killed process leaves
//! At most a file under a hidden name, which blocks nobody and is removed by the next use: a process that
//! lives keeps its own locked.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::keys::random;
use crate::{Error, Kind};

/// What the hidden names begin with.
const PREFIX: &str = ".kohort-ledger-";

/// How many hexadecimal digits follow.
const N_DIGITS: usize = 32;

/// Puts a file with these bytes where there is none.
pub(crate) fn put_in_place(target: &Path, bytes: &[u8]) -> Result<(), Error> {
    remove_leftovers(target);
    if fs::symlink_metadata(target).is_ok() {
        return Err(Kind::Exists.into());
    }
    let hidden = Hidden::create(target)?;
    hidden.put_in_place(target, bytes).map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => Kind::Exists.into(),
        _ => Kind::Create { source }.into(),
    })
}

/// A file under a hidden name, locked as long as it is open and removed when it is dropped.
struct Hidden {
    path: PathBuf,
    file: File,
}

impl Hidden {
    fn create(target: &Path) -> Result<Self, Error> {
        let failed = |source: io::Error| Error::from(Kind::Create { source });
        let name = target.file_name().ok_or_else(|| failed(ErrorKind::InvalidInput.into()))?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        loop {
            let number = u128::from_le_bytes(random()?);
            let mut hidden = OsString::from(format!("{PREFIX}{number:0N_DIGITS$x}-"));
            hidden.push(name);
            let path = target.with_file_name(hidden);
            let file = options.open(&path).map_err(failed)?;
            // Where a file system has no locks, what a killed process leaves behind stays.
            let is_locked = file.lock().is_ok();
            let found = Self { path, file };
            // Another process may have removed the file as long as it was not locked.
            if !is_locked || found.path.exists() {
                return Ok(found);
            }
        }
    }

    fn put_in_place(mut self, target: &Path, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.file.sync_all()?;
        match fs::hard_link(&self.path, target) {
            Err(error) if has_no_links(&error) => self.file_without_links(target)?,
            linked => linked?,
        }
        // The name is on the disk once its folder is. Not every system can tell.
        let _ = OpenOptions::new().read(true).open(folder(target)).map(|it| it.sync_all());
        Ok(())
    }

    /// Moves the file where the file system gives no second names: there, two processes that make a
    /// ledger at the same instant are not kept apart.
    fn file_without_links(&self, target: &Path) -> io::Result<()> {
        if fs::symlink_metadata(target).is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        fs::rename(&self.path, target)
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // Nothing more can be done about a file that cannot be removed.
        let _ = fs::remove_file(&self.path);
    }
}

fn has_no_links(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::PermissionDenied)
}

/// Removes the hidden names for this ledger that no process holds locked.
pub(crate) fn remove_leftovers(target: &Path) {
    let Some(name) = target.file_name().and_then(|name| name.to_str()) else { return };
    let Ok(entries) = fs::read_dir(folder(target)) else { return };
    for entry in entries.flatten() {
        let found = entry.file_name();
        // Opening a pipe would wait for somebody who writes to it.
        let is_file = entry.file_type().is_ok_and(|file_type| file_type.is_file());
        if is_file
            && found.to_str().is_some_and(|found| is_hidden(found, name))
            && let Ok(file) = OpenOptions::new().read(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            // Nothing more can be done about a file that cannot be removed.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_hidden(found: &str, name: &str) -> bool {
    let digits = found.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(name));
    let digits = digits.and_then(|digits| digits.strip_suffix('-'));
    digits.is_some_and(|digits| {
        digits.len() == N_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_hidden_ones() {
        let digits = "0123456789abcdef0123456789abcdef";
        for (found, expected) in [
            (format!(".kohort-ledger-{digits}-l"), true),
            (format!(".kohort-ledger-{digits}-other-l"), false),
            (format!(".kohort-ledger-{digits}-m"), false),
            (format!(".kohort-ledger-{}-l", &digits[1..]), false),
            ("l".to_owned(), false),
        ] {
            assert_eq!(is_hidden(&found, "l"), expected, "{found}");
        }
    }
}

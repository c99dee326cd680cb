//! Files that appear whole or not at all, and can be looked at before they do.
//!
//! # Promise
//! A target is at every moment what it was or what it becomes, also when the process is killed or the
//! machine stops: the bytes are on the disk before the name leads to them. Two files are two renames,
//! one after the other, and not one: a machine that stops in between leaves one of each. Files that say
//! something false beside another version of their fellows are put in place by
//! [`commit_together`](crate::commit_together).
//!
//! # Temporary files
//! A file is written under a hidden name in the folder of its target, for its owner alone until it is to be
//! seen. It goes when it is dropped, or by
//! [`remove_temporaries`], for whoever handles signals. A killed process leaves it behind: the next
//! write to the same target removes it. As long as a process lives it keeps its file locked, so that
//! one that is still being written is left alone, whatever machine or container it is written from.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::folder::folder;
use crate::together::lock_to_write;
use crate::{Error, Kind};

/// What the name of every temporary file begins with.
pub(crate) const PREFIX: &str = ".kohort-tmp-";

/// The temporary files of this process.
static TEMPORARIES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

pub(crate) fn temporaries() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Held while something must not be interrupted. Taken before [`TEMPORARIES`], never after.
static WORKING: Mutex<()> = Mutex::new(());

fn working() -> MutexGuard<'static, ()> {
    WORKING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file written beside its target, which it replaces by [`Staged::commit`]. Dropped without, it is
/// removed and the target untouched.
#[derive(Debug)]
#[must_use = "what is not committed is removed"]
pub struct Staged {
    /// The target as it was given, for messages.
    shown: PathBuf,
    /// A link stays a link: the file it leads to is replaced.
    target: PathBuf,
    path: PathBuf,
    // Locked as long as it is open.
    file: File,
    /// What others may do with it once it is in its place.
    permissions: Permissions,
    is_committed: bool,
}

/// Who may read a file once it is in its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    /// Who could read the file that it replaces, or whoever may read a new file.
    AsUsual,
    /// Its owner alone.
    Owner,
}

impl Staged {
    /// Writes a file beside `target`, which will have the permissions of the file that it replaces.
    pub fn write(
        target: &Path,
        fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, Error> {
        Self::write_for(Readers::AsUsual, target, fill)
    }

    /// Writes a file beside `target` that its owner alone may read, also once it is there.
    pub fn write_private(
        target: &Path,
        fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, Error> {
        Self::write_for(Readers::Owner, target, fill)
    }

    fn write_for(
        readers: Readers,
        target: &Path,
        fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, Error> {
        let real = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let existing = fs::metadata(&real).ok();
        let shown = || target.display().to_string();
        match &existing {
            Some(metadata) if metadata.is_dir() => {
                return Err(Kind::Directory { path: shown() }.into());
            }
            Some(metadata) if !metadata.is_file() => {
                return Err(Kind::NotAFile { path: shown() }.into());
            }
            _ => {}
        }
        let existing = existing.map(|metadata| metadata.permissions());
        let staged = Self::create(target, &real, (readers, existing));
        let staged = staged.map_err(|source| failed(target, source))?;
        staged.fill(fill).map_err(|source| failed(target, source))?;
        Ok(staged)
    }

    /// An empty file that is locked and will be removed.
    fn create(
        target: &Path,
        real: &Path,
        (readers, existing): (Readers, Option<Permissions>),
    ) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = target.file_name().ok_or(ErrorKind::InvalidInput)?;
        remove_leftovers(real, name);
        for _ in 0..1000 {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let mut hidden = OsString::from(format!("{PREFIX}{}-{number}-", process::id()));
            hidden.push(name);
            let path = real.with_file_name(hidden);
            let mut temporaries = temporaries();
            let file = match create_new(&path, readers, existing.clone()) {
                // Another container can have a process of the same number.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                created => created?,
            };
            temporaries.insert(path.clone());
            drop(temporaries);
            let (file, permissions) = file;
            // Where a file system has no locks, what a killed process leaves behind stays.
            let _ = file.lock();
            let (shown, target) = (target.to_owned(), real.to_owned());
            let staged = Self { shown, target, path, file, permissions, is_committed: false };
            // Another process may have removed the file as long as it was not locked.
            if staged.path.exists() {
                return Ok(staged);
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    fn fill(&self, fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut writer = BufWriter::new(&self.file);
        fill(&mut writer)?;
        writer.flush()?;
        self.file.sync_all()
    }

    /// Lets others read the file as far as they may once it is in its place: for whoever has looked at it,
    /// where another process may put it there.
    pub fn set_permissions(&self) -> io::Result<()> {
        self.file.set_permissions(self.permissions.clone())
    }

    /// Where the file stands. Its name ends with the target's, so that the extension tells the format.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file in the place of its target.
    pub fn commit(mut self) -> Result<(), Error> {
        commit_all(std::slice::from_mut(&mut self))
    }

    /// Lets the file stand where it is, for whoever knows of it by other means.
    pub fn leave(mut self) {
        self.keep(&mut temporaries());
    }

    /// The target as it was given, for messages.
    pub(crate) fn shown(&self) -> &Path {
        &self.shown
    }

    /// The file that is replaced.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Puts the file in the place of its target. Where that fails it stays where it is.
    pub(crate) fn rename(&mut self, temporaries: &mut BTreeSet<PathBuf>) -> io::Result<()> {
        fs::rename(&self.path, &self.target)?;
        self.is_committed = true;
        temporaries.remove(&self.path);
        sync_folder(&self.target);
        Ok(())
    }

    /// Lets the file stand where it is when it is dropped.
    pub(crate) fn keep(&mut self, temporaries: &mut BTreeSet<PathBuf>) {
        self.is_committed = true;
        temporaries.remove(&self.path);
    }

    /// Gives the file another name as long as it is not committed.
    pub(crate) fn rename_aside(
        &mut self,
        path: PathBuf,
        temporaries: &mut BTreeSet<PathBuf>,
    ) -> io::Result<()> {
        fs::rename(&self.path, &path)?;
        temporaries.remove(&self.path);
        temporaries.insert(path.clone());
        self.path = path;
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.is_committed {
            let mut temporaries = temporaries();
            // Nothing more can be done about a file that cannot be removed.
            let _ = fs::remove_file(&self.path);
            temporaries.remove(&self.path);
        }
    }
}

/// Puts files in the place of their targets, one after the other. Where one cannot be, those before it
/// have been and those after it are not. [`remove_temporaries`] waits until all are.
pub fn commit_all(files: &mut [Staged]) -> Result<(), Error> {
    let Some(shown) = files.first().map(|first| first.shown.clone()) else { return Ok(()) };
    let _locked = lock_to_write(&shown, files.iter().map(Staged::target), files.len())?;
    let mut temporaries = temporaries();
    for file in files {
        let renamed = file.set_permissions().and_then(|()| file.rename(&mut temporaries));
        renamed.map_err(|source| failed(&file.shown, source))?;
    }
    Ok(())
}

/// Writes a file beside its target and moves it there once `fill` has succeeded and the bytes are on
/// the disk. On failure the target is untouched. A target that is no file, such as a pipe, is
/// written directly.
pub fn write_atomically(
    path: &Path,
    fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    write_for(Readers::AsUsual, path, fill)
}

/// As [`write_atomically`], for a file that its owner alone may read, whatever was there before.
pub fn write_privately(
    path: &Path,
    fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    write_for(Readers::Owner, path, fill)
}

fn write_for(
    readers: Readers,
    path: &Path,
    fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    match Staged::write_for(readers, path, fill) {
        Err(error) if matches!(error.kind(), Kind::NotAFile { .. }) => {
            write_directly(path, fill).map_err(|source| failed(path, source))
        }
        staged => staged?.commit(),
    }
}

fn write_directly(
    path: &Path,
    fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::new(OpenOptions::new().write(true).open(path)?);
    fill(&mut writer)?;
    writer.flush()
}

/// As long as the answer lives, [`remove_temporaries`] waits: for work that must be done to its end once
/// it is begun, such as files and the books that say they are there.
pub fn uninterrupted() -> Uninterrupted {
    Uninterrupted { _working: working() }
}

/// What [`uninterrupted`] answers.
#[must_use = "once it is dropped, the process may be ended"]
#[derive(Debug)]
pub struct Uninterrupted {
    _working: MutexGuard<'static, ()>,
}

/// Removes what this process has staged and not committed, for a process that is about to end. As long
/// as the answer lives, no file is staged or committed.
pub fn remove_temporaries() -> Removed {
    let working = working();
    let mut temporaries = temporaries();
    while let Some(path) = temporaries.pop_first() {
        // Nothing more can be done about a file or folder that cannot be removed.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    Removed { _temporaries: temporaries, _working: working }
}

/// What [`remove_temporaries`] answers, to be kept until the process ends.
#[must_use = "once it is dropped, files are staged and committed again"]
#[derive(Debug)]
pub struct Removed {
    _temporaries: MutexGuard<'static, BTreeSet<PathBuf>>,
    _working: MutexGuard<'static, ()>,
}

/// Creates a file that its owner alone may read, and says what others may do with it in the end.
fn create_new(
    path: &Path,
    readers: Readers,
    existing: Option<Permissions>,
) -> io::Result<(File, Permissions)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let usual = match (readers, existing) {
        (Readers::Owner, _) => None,
        (Readers::AsUsual, Some(existing)) => Some(existing),
        // What a new file may be read by is the system's to say, of one that has nothing to be read.
        (Readers::AsUsual, None) => {
            let usual = options.open(path)?.metadata()?.permissions();
            // Another process may have taken it for what a killed one left behind.
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => Some(usual),
            }
        }
    };
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    let own: Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    #[cfg(not(unix))]
    let own = file.metadata()?.permissions();
    // Whatever the umask takes away.
    file.set_permissions(own.clone())?;
    Ok((file, usual.unwrap_or(own)))
}

/// Removes the temporary files of this target that no process holds locked.
fn remove_leftovers(target: &Path, name: &OsStr) {
    let Ok(entries) = fs::read_dir(folder(target)) else { return };
    for entry in entries.flatten() {
        let is_file = entry.file_type().is_ok_and(|file_type| file_type.is_file());
        if is_file
            && is_temporary(&entry.file_name(), name)
            && let Ok(file) = OpenOptions::new().read(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            // Nothing more can be done about a file that cannot be removed.
            let _ = fs::remove_file(entry.path());
        }
    }
}

pub(crate) fn is_temporary(found: &OsStr, name: &OsStr) -> bool {
    let (Some(found), Some(name)) = (found.to_str(), name.to_str()) else { return false };
    let numbers = found
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(name)?.strip_suffix('-')?.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// A name is on the disk, or gone from it, once its folder is. Not every system can tell; a file is complete
/// in any case.
pub(crate) fn sync_folder(path: &Path) {
    let _ = OpenOptions::new().read(true).open(folder(path)).map(|it| it.sync_all());
}

pub(crate) fn failed(path: &Path, source: io::Error) -> Error {
    Kind::Write { path: path.display().to_string(), source }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_temporary() {
        let check = |found: &str, expected| {
            assert_eq!(is_temporary(found.as_ref(), "a.csv".as_ref()), expected, "{found}");
        };
        check(".kohort-tmp-12-0-a.csv", true);
        check(".kohort-tmp-12-0-0-a.csv", false);
        check(".kohort-tmp-12-0-b-a.csv", false);
        check(".kohort-tmp-12-a.csv", false);
        check(".kohort-tmp--0-a.csv", false);
        check(".tmp-12-0-a.csv", false);
        check("a.csv", false);
    }
}

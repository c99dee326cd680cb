//! Folders that appear whole or not at all, and can be looked at before they do.
//!
//! # Promise
//! A target is at every moment what it was or what it becomes: the folder is written under a hidden name beside
//! its target, and one rename puts it there. An earlier folder changes places with it in one step, and only then
//! its files go. Only a folder of nothing but Parquet files is ever replaced. A killed process leaves the hidden
//! folder behind, and the next write to the same target removes it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::folder::{Locked, folder};
use crate::format::extension;
use crate::source::file_name;
use crate::staged::{PREFIX, failed, is_temporary, sync_folder, temporaries};
use crate::{Error, Kind};

/// A folder written beside its target, which it becomes by [`StagedFolder::commit`]. Dropped without, it is
/// removed and the target untouched.
#[derive(Debug)]
#[must_use = "what is not committed is removed"]
pub struct StagedFolder {
    /// The target as it was given, for messages.
    shown: PathBuf,
    target: PathBuf,
    path: PathBuf,
    // Locked as long as it is open.
    _lock: Option<File>,
    /// What others may do with it once it is in its place.
    permissions: Permissions,
    is_committed: bool,
}

impl StagedFolder {
    /// An empty folder beside `target`.
    ///
    /// # Errors
    /// When the target is no folder of Parquet files, or nothing can be written beside it.
    pub fn create(target: &Path) -> Result<Self, Error> {
        let real = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        refuse_others(target, &real)?;
        Self::beside(target, real).map_err(|source| failed(target, source))
    }

    fn beside(target: &Path, real: PathBuf) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = real.file_name().ok_or(ErrorKind::InvalidInput)?.to_owned();
        remove_leftovers(&real, &name);
        for _ in 0..1000 {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let mut hidden = OsString::from(format!("{PREFIX}{}-{number}-", process::id()));
            hidden.push(&name);
            let path = real.with_file_name(hidden);
            let mut temporaries = temporaries();
            match fs::create_dir(&path) {
                // Another container can have a process of the same number.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                created => created?,
            }
            temporaries.insert(path.clone());
            drop(temporaries);
            let fresh = fs::metadata(&path)?.permissions();
            #[cfg(unix)]
            let own: Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            #[cfg(not(unix))]
            let own = fresh.clone();
            fs::set_permissions(&path, own)?;
            let permissions = fs::metadata(&real).map_or(fresh, |found| found.permissions());
            // Where a file system has no locks, what a killed process leaves behind stays.
            let lock = OpenOptions::new().read(true).open(&path).ok();
            let _ = lock.as_ref().map(File::lock);
            let shown = target.to_owned();
            return Ok(Self {
                shown,
                target: real,
                path,
                _lock: lock,
                permissions,
                is_committed: false,
            });
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// Writes a file into the folder.
    ///
    /// # Errors
    /// When the system, or `fill`, fails.
    pub fn write(
        &self,
        name: &str,
        fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        let mut write = || {
            let path = self.path.join(name);
            let file = OpenOptions::new().write(true).create_new(true).open(path)?;
            let mut writer = BufWriter::new(&file);
            fill(&mut writer)?;
            writer.flush()?;
            drop(writer);
            file.sync_all()
        };
        write().map_err(|source| failed(&self.shown, source))
    }

    /// Where the folder stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the folder in the place of its target.
    ///
    /// # Errors
    /// When the target is not what it was, or the system fails: then it is untouched.
    pub fn commit(mut self) -> Result<(), Error> {
        let shown = self.shown.clone();
        refuse_others(&shown, &self.target)?;
        let locked = Locked::to_write([self.target.as_path()]);
        if matches!(&locked, Err(error) if error.kind() == ErrorKind::WouldBlock) {
            return Err(Kind::Busy { path: shown.display().to_string() }.into());
        }
        self.put_in_place().map_err(|source| failed(&shown, source))
    }

    fn put_in_place(&mut self) -> io::Result<()> {
        // The names of its files are on the disk before its own leads to them.
        OpenOptions::new().read(true).open(&self.path).and_then(|folder| folder.sync_all())?;
        fs::set_permissions(&self.path, self.permissions.clone())?;
        let mut temporaries = temporaries();
        let is_there = self.target.exists();
        if is_there {
            exchange(&self.path, &self.target)?;
        } else {
            fs::rename(&self.path, &self.target)?;
        }
        self.is_committed = true;
        temporaries.remove(&self.path);
        sync_folder(&self.target);
        if is_there {
            remove_parts(&self.path);
        }
        Ok(())
    }
}

impl Drop for StagedFolder {
    fn drop(&mut self) {
        if !self.is_committed {
            let mut temporaries = temporaries();
            // Nothing more can be done about a folder that cannot be removed.
            let _ = fs::remove_dir_all(&self.path);
            temporaries.remove(&self.path);
        }
    }
}

/// Refuses a target that holds anything but Parquet files: it would go with them. `shown` is its name for
/// messages.
fn refuse_others(shown: &Path, target: &Path) -> Result<(), Error> {
    let Ok(metadata) = fs::metadata(target) else { return Ok(()) };
    let refused = |path: &Path, problem: &str| -> Error {
        Kind::Part { path: path.display().to_string(), problem: problem.to_owned() }.into()
    };
    if !metadata.is_dir() {
        return Err(refused(shown, "is a file, and a release in parts is a folder"));
    }
    for entry in fs::read_dir(target).map_err(|source| failed(shown, source))? {
        let entry = entry.map_err(|source| failed(shown, source))?;
        let is_file = entry.file_type().is_ok_and(|found| found.is_file());
        let name = entry.file_name().to_string_lossy().into_owned();
        if !is_file || extension(&name).0 != "parquet" {
            let problem = "is no part of a release, and would be deleted with its folder";
            return Err(refused(&shown.join(entry.file_name()), problem));
        }
    }
    Ok(())
}

/// Two folders change places in one step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::new(ErrorKind::Unsupported, "a folder cannot be replaced in one step here"))
}

/// Removes an earlier release in parts. What somebody put there meanwhile stays.
fn remove_parts(path: &Path) {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| extension(&file_name(&entry.path())).0 == "parquet") {
        // Nothing more can be done about a file that cannot be removed.
        let _ = fs::remove_file(entry.path());
    }
    let _ = fs::remove_dir(path);
}

/// Removes the hidden folders of this target that no process holds locked.
fn remove_leftovers(target: &Path, name: &OsStr) {
    let Ok(entries) = fs::read_dir(folder(target)) else { return };
    for entry in entries.flatten() {
        let is_folder = entry.file_type().is_ok_and(|found| found.is_dir());
        if is_folder
            && is_temporary(&entry.file_name(), name)
            && let Ok(file) = OpenOptions::new().read(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            remove_parts(&entry.path());
        }
    }
}

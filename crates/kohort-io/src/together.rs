//! Files that are read together, such as the two tables of an anatomized release: all are replaced or none.
//!
//! # Promise
//! At no moment a file stands beside another version of its companions. Two processes that replace the same
//! files do so one after the other. A process that is killed in between leaves some of them aside: who reads
//! them is refused ([`Reading`]), and who writes them again calls [`settle`] first, which makes them one
//! version: the complete new one where the first file is of it, the complete old one where it is not.
//!
//! # Method
//! The folders are locked. Then
//! 1. the new files but the first go aside, under names that say which first file they belong to, by its name
//!    and its bytes, and what their own bytes are;
//! 2. so do the old ones;
//! 3. the first file is replaced, and that decides;
//! 4. the new files take their places, and the old ones are removed.
//!
//! # What is settled
//! Only a companion that the caller names, a regular file of the user's own, with the bytes that its name
//! says. Anything else that lies about is left alone.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::files::{is_own, open_regular};
use crate::folder::{Locked, folder};
use crate::staged::{Staged, failed, sync_folder, temporaries};
use crate::{Error, Kind};

/// What the name of a new file begins with that is aside.
const NEXT: &str = ".kohort-next-";

/// What the name of an old file begins with that is aside.
const LAST: &str = ".kohort-last-";

/// How much of a hash stands in a name: 128 bits.
const HASH_LENGTH: usize = 32;

/// Puts files in the place of their targets that are read together. Where a target cannot be replaced
/// because it is a folder, all are as they were.
pub fn commit_together(files: &mut [Staged]) -> Result<(), Error> {
    let Some(shown) = files.first().map(|first| first.shown().to_owned()) else { return Ok(()) };
    let _locked = lock_to_write(&shown, files.iter().map(Staged::target), files.len())?;
    let mut temporaries = temporaries();
    if let Some(folder) = files.iter().find(|file| file.target().is_dir()) {
        return Err(failed(folder.shown(), ErrorKind::IsADirectory.into()));
    }
    for file in files.iter() {
        file.set_permissions().map_err(|source| failed(file.shown(), source))?;
    }
    let Some((first, others)) = files.split_first_mut() else { return Ok(()) };
    if others.is_empty() {
        return first.rename(&mut temporaries).map_err(|source| failed(first.shown(), source));
    }
    let targets: Vec<&Path> = others.iter().map(Staged::target).collect();
    settle_locked(first.target(), &targets);
    let mark = mark(first.target(), first.path());
    let mark = mark.map_err(|source| failed(first.shown(), source))?;
    for file in others.iter_mut() {
        let next = beside(NEXT, &mark, file.path(), file.target());
        let aside = next.and_then(|next| file.rename_aside(next, &mut temporaries));
        aside.map_err(|source| failed(file.shown(), source))?;
    }
    let mut old = Vec::new();
    let decided = set_aside(others, &mark, &mut old).and_then(|()| {
        first.rename(&mut temporaries).map_err(|source| failed(first.shown(), source))
    });
    if let Err(error) = decided {
        for (last, target) in &old {
            // Nothing more can be done about a file that cannot be put back.
            let _ = fs::rename(last, target);
        }
        return Err(error);
    }
    // From here on they go to their places: by this process, or by whoever settles.
    for file in others.iter_mut() {
        file.keep(&mut temporaries);
    }
    for file in others {
        file.rename(&mut temporaries).map_err(|source| failed(file.shown(), source))?;
    }
    for (last, _) in old {
        // Nothing more can be done about a file that cannot be removed.
        let _ = fs::remove_file(last);
    }
    Ok(())
}

/// Locks the folders of targets. One file is replaced whole in any case: where a file system has no locks,
/// only several are refused.
pub(crate) fn lock_to_write<'a>(
    shown: &Path,
    targets: impl IntoIterator<Item = &'a Path>,
    n_files: usize,
) -> Result<Option<Locked>, Error> {
    match Locked::to_write(targets) {
        Ok(locked) => Ok(Some(locked)),
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            Err(Kind::Busy { path: shown.display().to_string() }.into())
        }
        Err(_) if n_files == 1 => Ok(None),
        Err(source) => Err(failed(shown, source)),
    }
}

/// Puts the old files aside, as far as there are some; `old` has where they are and where they were.
fn set_aside(files: &[Staged], mark: &str, old: &mut Vec<(PathBuf, PathBuf)>) -> Result<(), Error> {
    for file in files {
        sync_folder(file.target());
        let moved = beside(LAST, mark, file.target(), file.target()).and_then(|last| {
            fs::rename(file.target(), &last)?;
            old.push((last, file.target().to_owned()));
            sync_folder(file.target());
            Ok(())
        });
        match moved {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            moved => moved.map_err(|source| failed(file.shown(), source))?,
        }
    }
    Ok(())
}

/// Puts in place what a killed process left aside when it replaced files that are read together: `first` and
/// its companions. Where nothing is aside, nothing happens.
pub fn settle(first: &Path, companions: &[PathBuf]) -> Result<(), Error> {
    let shown = first;
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let first = real(first);
    let companions: Vec<PathBuf> = companions.iter().map(|path| real(path)).collect();
    let companions: Vec<&Path> = companions.iter().map(PathBuf::as_path).collect();
    if companions.iter().all(|companion| asides(companion).is_empty()) {
        return Ok(());
    }
    let targets = companions.iter().copied().chain([first.as_path()]);
    let _locked = lock_to_write(shown, targets, 1 + companions.len())?;
    settle_locked(&first, &companions);
    Ok(())
}

fn settle_locked(first: &Path, companions: &[&Path]) {
    let is_ours = |aside: &Aside| is_own(&aside.path) && aside.is_whole();
    let found: Vec<Aside> =
        companions.iter().flat_map(|companion| asides(companion)).filter(is_ours).collect();
    let mark = if found.is_empty() { None } else { mark(first, first).ok() };
    let is_decided = |aside: &&Aside| Some(&aside.mark) == mark.as_ref();
    // Each step may be the last one of this process as well, and what is left is settled in the same way.
    // Nothing more can be done about a file that cannot be moved or removed.
    let (new, old): (Vec<&Aside>, Vec<&Aside>) = found.iter().partition(|aside| aside.is_new);
    for aside in old.iter().filter(|aside| !is_decided(aside) && !aside.target.exists()) {
        let _ = fs::rename(&aside.path, &aside.target);
    }
    for aside in new {
        let _ = if is_decided(&aside) {
            fs::rename(&aside.path, &aside.target)
        } else {
            fs::remove_file(&aside.path)
        };
    }
    for aside in old.iter().filter(|aside| aside.target.exists()) {
        let _ = fs::remove_file(&aside.path);
    }
    for aside in &found {
        sync_folder(&aside.target);
    }
}

/// As long as it lives, nobody replaces a file or its companions: they are read as one version. Nothing is
/// changed for that.
#[must_use = "once it is dropped, the files may be replaced"]
#[derive(Debug)]
pub struct Reading {
    // None where a file system has no locks, or the folder may not be read.
    _locked: Option<Locked>,
}

impl Reading {
    /// Refused where another process replaces the files for too long, or was killed while it did.
    pub fn new(first: &Path, companions: &[PathBuf]) -> Result<Self, Error> {
        let path = || first.display().to_string();
        let locked = match Locked::to_read([first]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                return Err(Kind::Busy { path: path() }.into());
            }
            locked => locked.ok(),
        };
        let is_aside = |companion: &PathBuf| asides(companion).iter().any(Aside::is_whole);
        if companions.iter().any(is_aside) {
            return Err(Kind::Interrupted { path: path() }.into());
        }
        Ok(Self { _locked: locked })
    }
}

/// Which first file a file belongs to: a hash of its name and of the bytes that stand at `path`.
fn mark(first: &Path, path: &Path) -> io::Result<String> {
    let name = first.file_name().ok_or(ErrorKind::InvalidInput)?.as_encoded_bytes();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(name.len() as u64).to_le_bytes()).update(name);
    hash(hasher, path)
}

/// The hash of a file's bytes.
fn hash(mut hasher: blake3::Hasher, path: &Path) -> io::Result<String> {
    hasher.update_reader(open_regular(path)?)?;
    Ok(hasher.finalize().to_hex()[..HASH_LENGTH].to_owned())
}

/// Where a file with the bytes at `path` stands aside of its target.
fn beside(prefix: &str, mark: &str, path: &Path, target: &Path) -> io::Result<PathBuf> {
    let own = hash(blake3::Hasher::new(), path)?;
    let mut hidden = OsString::from(format!("{prefix}{mark}-{own}-"));
    hidden.push(target.file_name().ok_or(ErrorKind::InvalidInput)?);
    Ok(target.with_file_name(hidden))
}

/// A file that is called as one that was left aside.
struct Aside {
    path: PathBuf,
    target: PathBuf,
    is_new: bool,
    mark: String,
    own: String,
}

/// What is called as if it had been left aside of a target.
fn asides(target: &Path) -> Vec<Aside> {
    let Ok(entries) = fs::read_dir(folder(target)) else { return Vec::new() };
    let found = entries.flatten().filter_map(|entry| Aside::named(&entry.file_name(), target));
    found.collect()
}

impl Aside {
    /// None for a file that is something else.
    fn named(name: &OsStr, target: &Path) -> Option<Self> {
        let text = name.to_str()?;
        let is_new = text.starts_with(NEXT);
        let text = text.strip_prefix(if is_new { NEXT } else { LAST })?;
        let (mark, text) = text.split_at_checked(HASH_LENGTH)?;
        let (own, text) = text.strip_prefix('-')?.split_at_checked(HASH_LENGTH)?;
        let is_ours = text.strip_prefix('-').map(OsStr::new) == target.file_name();
        is_ours.then(|| Self {
            path: target.with_file_name(name),
            target: target.to_owned(),
            is_new,
            mark: mark.to_owned(),
            own: own.to_owned(),
        })
    }

    /// Whether it is a regular file with the bytes that its name says.
    fn is_whole(&self) -> bool {
        let is_file = |metadata: fs::Metadata| metadata.is_file();
        fs::symlink_metadata(&self.path).is_ok_and(is_file)
            && hash(blake3::Hasher::new(), &self.path).is_ok_and(|own| own == self.own)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests make the files they read")]
mod tests {
    use super::*;

    /// Two old files, and two new ones that were put in place up to a step; then what is settled.
    fn settled(n_steps: usize) -> [String; 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (first, other, staged) = (path("a.csv"), path("b.csv"), path("staged"));
        let new = path("new");
        for path in [&first, &other] {
            fs::write(path, "old").unwrap();
        }
        for path in [&staged, &new] {
            fs::write(path, "new").unwrap();
        }
        let mark = mark(&first, &staged).unwrap();
        let next = beside(NEXT, &mark, &new, &other).unwrap();
        let last = beside(LAST, &mark, &other, &other).unwrap();
        let steps: [&dyn Fn() -> io::Result<()>; 5] = [
            &|| fs::rename(&new, &next),
            &|| fs::rename(&other, &last),
            &|| fs::rename(&staged, &first),
            &|| fs::rename(&next, &other),
            &|| fs::remove_file(&last),
        ];
        steps[..n_steps].iter().for_each(|step| step().unwrap());
        let is_aside = (1..=4).contains(&n_steps);
        assert_eq!(Reading::new(&first, std::slice::from_ref(&other)).is_err(), is_aside);
        for _ in 0..2 {
            settle(&first, std::slice::from_ref(&other)).unwrap();
        }
        assert!(Reading::new(&first, std::slice::from_ref(&other)).is_ok());
        for path in [staged, new] {
            let _ = fs::remove_file(path);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "after {n_steps} steps");
        [first, other].map(|path| fs::read_to_string(path).unwrap())
    }

    #[test]
    fn what_is_left_at_any_step_becomes_one_version() {
        for n_steps in 0..=2 {
            assert_eq!(settled(n_steps), ["old", "old"], "after {n_steps} steps");
        }
        for n_steps in 3..=5 {
            assert_eq!(settled(n_steps), ["new", "new"], "after {n_steps} steps");
        }
    }

    /// A folder with `a.csv` and, aside of each name, a file of these bytes that belongs to it; their paths.
    fn with_asides(names: &[&str], bytes: &str) -> (tempfile::TempDir, Vec<PathBuf>) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.csv"), "new").unwrap();
        fs::write(path("source"), bytes).unwrap();
        let mark = mark(&path("a.csv"), &path("a.csv")).unwrap();
        let aside = |name: &&str| {
            let aside = beside(NEXT, &mark, &path("source"), &path(name)).unwrap();
            fs::copy(path("source"), &aside).unwrap();
            aside
        };
        let asides = names.iter().map(aside).collect();
        (folder, asides)
    }

    #[test]
    fn only_the_named_companion_is_settled() {
        let (folder, asides) = with_asides(&["b.csv", ".bashrc"], "planted");
        let path = |name: &str| folder.path().join(name);
        fs::write(path(".bashrc"), "mine").unwrap();
        settle(&path("a.csv"), &[path("b.csv")]).unwrap();
        assert_eq!(fs::read_to_string(path("b.csv")).unwrap(), "planted");
        assert_eq!(fs::read_to_string(path(".bashrc")).unwrap(), "mine");
        assert!(!asides[0].exists() && asides[1].exists());
        settle(&path("missing/a.csv"), &[path("missing/b.csv")]).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_or_a_file_of_other_bytes_is_not_settled() {
        let (folder, asides) = with_asides(&["b.csv", "c.csv"], "new");
        let path = |name: &str| folder.path().join(name);
        fs::remove_file(&asides[0]).unwrap();
        std::os::unix::fs::symlink(path("source"), &asides[0]).unwrap();
        fs::write(&asides[1], "other").unwrap();
        let companions = [path("b.csv"), path("c.csv")];
        settle(&path("a.csv"), &companions).unwrap();
        assert!(companions.iter().all(|companion| !companion.exists()));
        assert!(Reading::new(&path("a.csv"), &companions).is_ok());
    }
}

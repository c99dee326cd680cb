//! Files that are read together, such as the two tables of an anatomized release: all are replaced or none.
//!
//! # Promise
//! At no moment a file stands beside another version of its fellows. A process that is killed in between
//! leaves some of them aside, and [`settle`] puts them in place: the complete new version where the first
//! file is of it, the complete old one where it is not. Who reads such files settles first, and
//! [`Staged::write`] does before the first of them is written again.
//!
//! # Method
//! 1. The new files but the first go aside, under names that say which first file they belong to: its name
//!    and its bytes.
//! 2. So do the old ones.
//! 3. The first file is replaced. That decides.
//! 4. The new files take their places, and the old ones are removed.
//!
//! A process that lives keeps its new files locked: what it is doing is not settled by another. Files in
//! another folder than the first are put in place in the same way, and not found again by [`settle`].

use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use flate2::CrcReader;

use crate::Error;
use crate::staged::{Staged, failed, folder, sync_folder, temporaries};

/// What the name of a new file begins with that is aside.
const NEXT: &str = ".kohort-next-";

/// What the name of an old file begins with that is aside.
const LAST: &str = ".kohort-last-";

/// Puts files in the place of their targets that are read together. Where a target cannot be replaced
/// because it is a folder, all are as they were.
pub fn commit_together(files: &mut [Staged]) -> Result<(), Error> {
    let mut temporaries = temporaries();
    if let Some(folder) = files.iter().find(|file| file.target().is_dir()) {
        return Err(failed(folder.shown(), ErrorKind::IsADirectory.into()));
    }
    let Some((first, others)) = files.split_first_mut() else { return Ok(()) };
    if others.is_empty() {
        return first.rename(&mut temporaries).map_err(|source| failed(first.shown(), source));
    }
    let mark = Mark::of(first.target(), first.path());
    let mark = mark.map_err(|source| failed(first.shown(), source))?;
    for file in others.iter_mut() {
        let next = mark.beside(NEXT, file.target());
        let aside = next.and_then(|next| file.rename_aside(next, &mut temporaries));
        aside.map_err(|source| failed(file.shown(), source))?;
    }
    let mut old = Vec::new();
    let decided = set_aside(others, mark, &mut old).and_then(|()| {
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

/// Puts the old files aside, as far as there are some; `old` has where they are and where they were.
fn set_aside(files: &[Staged], mark: Mark, old: &mut Vec<(PathBuf, PathBuf)>) -> Result<(), Error> {
    for file in files {
        sync_folder(file.target());
        let moved = mark.beside(LAST, file.target()).and_then(|last| {
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

/// Puts in place what a killed process left aside when it replaced files that are read together, of which
/// this is the first: see the promise of this module. Where nothing is aside, nothing happens.
pub fn settle(first: &Path) {
    let first = fs::canonicalize(first).unwrap_or_else(|_| first.to_owned());
    let Some(name) = first.file_name() else { return };
    let Ok(entries) = fs::read_dir(folder(&first)) else { return };
    let is_ours = |aside: &Aside| aside.mark.name == checksum(name.as_encoded_bytes());
    let found: Vec<Aside> =
        entries.flatten().filter_map(|entry| Aside::new(&entry.path())).filter(is_ours).collect();
    // Held until all is settled.
    let mut locked = Vec::new();
    for aside in found.iter().filter(|aside| aside.is_new) {
        let Ok(file) = OpenOptions::new().read(true).open(&aside.path) else { return };
        if file.try_lock().is_err() {
            return;
        }
        locked.push(file);
    }
    let mark = if found.is_empty() { None } else { Mark::of(&first, &first).ok() };
    let is_decided = |aside: &&Aside| Some(aside.mark) == mark;
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
    if !found.is_empty() {
        sync_folder(&first);
    }
}

/// Which first file a file belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// A checksum of its name.
    name: u32,
    /// Its length, and a checksum of its bytes.
    content: (u64, u32),
}

impl Mark {
    /// The mark of a first file, with the bytes that stand at `path`.
    fn of(first: &Path, path: &Path) -> io::Result<Self> {
        let name = first.file_name().ok_or(ErrorKind::InvalidInput)?;
        let mut reader = CrcReader::new(OpenOptions::new().read(true).open(path)?);
        let length = io::copy(&mut reader, &mut io::sink())?;
        let content = (length, reader.crc().sum());
        Ok(Self { name: checksum(name.as_encoded_bytes()), content })
    }

    /// Where a file with this mark stands aside of its target.
    fn beside(self, prefix: &str, target: &Path) -> io::Result<PathBuf> {
        let Self { name, content: (length, sum) } = self;
        let mut hidden = OsString::from(format!("{prefix}{name:08x}-{length:016x}-{sum:08x}-"));
        hidden.push(target.file_name().ok_or(ErrorKind::InvalidInput)?);
        Ok(target.with_file_name(hidden))
    }
}

/// A file that was left aside.
struct Aside {
    path: PathBuf,
    target: PathBuf,
    is_new: bool,
    mark: Mark,
}

impl Aside {
    /// None for a file that is something else.
    fn new(path: &Path) -> Option<Self> {
        let found = path.file_name()?;
        let is_new = found.as_encoded_bytes().starts_with(NEXT.as_bytes());
        let prefix = if is_new { NEXT } else { LAST };
        let text = found.to_str()?.strip_prefix(prefix)?;
        let [name, length, sum, target] = text.splitn(4, '-').collect::<Vec<_>>()[..] else {
            return None;
        };
        let content = (u64::from_str_radix(length, 16).ok()?, u32::from_str_radix(sum, 16).ok()?);
        let mark = Mark { name: u32::from_str_radix(name, 16).ok()?, content };
        let target = path.with_file_name(OsStr::new(target));
        // Written in any other way it is not one of ours.
        let is_ours = mark.beside(prefix, &target).is_ok_and(|expected| expected == path);
        is_ours.then_some(Self { path: path.to_owned(), target, is_new, mark })
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
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
        for path in [&first, &other] {
            fs::write(path, "old").unwrap();
        }
        fs::write(&staged, "new").unwrap();
        let mark = Mark::of(&first, &staged).unwrap();
        let (next, last) = (mark.beside(NEXT, &other).unwrap(), mark.beside(LAST, &other).unwrap());
        let steps: [&dyn Fn() -> io::Result<()>; 5] = [
            &|| fs::write(&next, "new"),
            &|| fs::rename(&other, &last),
            &|| fs::rename(&staged, &first),
            &|| fs::rename(&next, &other),
            &|| fs::remove_file(&last),
        ];
        steps[..n_steps].iter().for_each(|step| step().unwrap());
        for _ in 0..2 {
            settle(&first);
        }
        let _ = fs::remove_file(staged);
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

    #[test]
    fn what_a_living_process_does_is_not_settled() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.csv"), "new").unwrap();
        let mark = Mark::of(&path("a.csv"), &path("a.csv")).unwrap();
        let next = mark.beside(NEXT, &path("b.csv")).unwrap();
        fs::write(&next, "new").unwrap();
        let file = OpenOptions::new().read(true).open(&next).unwrap();
        file.lock().unwrap();
        settle(&path("a.csv"));
        assert!(next.exists() && !path("b.csv").exists());
        drop(file);
        settle(&path("a.csv"));
        assert!(!next.exists() && path("b.csv").exists());
    }

    #[test]
    fn files_of_others_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.csv"), "new").unwrap();
        let mark = Mark::of(&path("c.csv"), &path("a.csv")).unwrap();
        let other = mark.beside(NEXT, &path("b.csv")).unwrap();
        for path in [&other, &path(".kohort-next-1-2-3-b.csv"), &path(".kohort-last-b.csv")] {
            fs::write(path, "new").unwrap();
        }
        settle(&path("a.csv"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
        settle(&path("missing/a.csv"));
    }
}

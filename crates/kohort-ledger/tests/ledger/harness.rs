//! A folder with a ledger, and people who are published in it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kohort_core::ReleasedClass;
use kohort_ledger::{
    Class, Counterfeit, Entry, Error, Facts, Files, Hardness, Hash, Ledger, Member, Published,
    Publishing, Secret, StagedFile, Standing,
};
use tempfile::TempDir;

pub(crate) const NOW: i64 = 1_800_000_000;
pub(crate) const VALUES: [&str; 4] = ["dyspepsia", "pneumonia", "flu-of-birds", "gastritis"];

/// Files as they are, without a look at who holds them.
pub(crate) struct Plain;

impl Files for Plain {
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Read>>> {
        match fs::File::open(path) {
            Ok(file) => Ok(Some(Box::new(file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn put_in_place(&self, staged: &str, target: &str) -> io::Result<()> {
        fs::rename(staged, target)
    }

    fn remove(&self, staged: &str) -> io::Result<()> {
        fs::remove_file(staged)
    }
}

pub(crate) fn secret() -> Secret {
    Secret::passphrase("correct horse").unwrap().with_hardness(Hardness::LIGHT)
}

/// What replaces it.
pub(crate) fn other_secret() -> Secret {
    Secret::key_file(&[7; 32]).unwrap().with_hardness(Hardness::LIGHT)
}

/// In memory where there is such a folder: a file that is damaged thousands of times needs no disk.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) fn create(folder: &Path) -> Ledger {
    Ledger::create(&folder.join("ledger"), &secret(), Box::new(Plain), NOW).unwrap()
}

pub(crate) fn open(folder: &Path) -> Result<Ledger, Error> {
    open_with(folder, &secret())
}

pub(crate) fn open_with(folder: &Path, secret: &Secret) -> Result<Ledger, Error> {
    Ledger::open(&folder.join("ledger"), secret, Box::new(Plain), NOW + 1)
}

/// The key of a person.
pub(crate) fn key(person: u32) -> String {
    format!("patient-{person:04}")
}

/// The numbers of people of a series.
pub(crate) fn numbers(ledger: &mut Ledger, series: &str, people: &[u32]) -> Vec<u32> {
    let keys: Vec<String> = people.iter().map(|&person| key(person)).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    ledger.begin(series).unwrap().people(&keys)
}

/// What a release is made of: people by their keys, in classes of two, the last held back where it is
/// alone.
pub(crate) fn entry(publishing: &mut Publishing<'_>, people: &[u32], folder: &Path) -> Entry {
    let keys: Vec<String> = people.iter().map(|&person| key(person)).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let numbers = publishing.people(&keys);
    let release = publishing.number();
    let texts: Vec<&str> =
        people.iter().map(|person| VALUES[(person + release) as usize % 4]).collect();
    let values = publishing.values(&texts);
    let n_classes = numbers.len() / 2;
    let mut members = Vec::new();
    let mut classes = vec![Vec::new(); n_classes];
    for (row, (&person, &value)) in numbers.iter().zip(&values).enumerate() {
        let standing = match classes.get_mut(row / 2) {
            Some(class) => {
                class.push(value);
                Standing::Shown { class: u32::try_from(row / 2).unwrap() }
            }
            None => Standing::HeldBack,
        };
        members.push(Member { person, standing, value });
    }
    let class = |mut values: Vec<u32>| {
        values.push(0);
        values.sort_unstable();
        let counterfeits = vec![Counterfeit { id: release, value: 0 }];
        let released = ReleasedClass { values, n_counterfeits: 1 };
        Class { cells: vec![format!("[{release}, 99]"), "*".into()], released, counterfeits }
    };
    let classes = classes.into_iter().map(class).collect();
    let states = vec![("union-find".to_owned(), vec![7; release as usize])];
    let facts = Facts { principle: "m-invariance".into(), seed: Some(7), ..Facts::default() };
    Entry { facts, members, classes, states, files: stage(folder, release) }
}

/// Two files of a release, staged.
pub(crate) fn stage(folder: &Path, release: u32) -> Vec<StagedFile> {
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    let file = |name: String| {
        let bytes = format!("the {name} of it").into_bytes();
        let staged = folder.join(format!(".staged-{name}"));
        fs::write(&staged, &bytes).unwrap();
        StagedFile { staged: text(staged), target: text(folder.join(name)), hash: Hash::of(&bytes) }
    };
    vec![file(format!("release-{release}.csv")), file(format!("release-{release}.html"))]
}

pub(crate) fn put_in_place(
    files: &[StagedFile],
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    for file in files {
        fs::rename(&file.staged, &file.target)?;
    }
    Ok(())
}

/// Publishes people as the next release.
pub(crate) fn publish(
    ledger: &mut Ledger,
    series: &str,
    people: &[u32],
    folder: &Path,
) -> Published {
    let mut publishing = ledger.begin(series).unwrap();
    let entry = entry(&mut publishing, people, folder);
    publishing.commit(&entry, || put_in_place(&entry.files)).unwrap()
}

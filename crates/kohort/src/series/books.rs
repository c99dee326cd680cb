//! What the ledger has: its series, their releases, its log; whether it is what was written; and erasure.

use kohort_core::{Message, message};
use std::collections::BTreeMap;
use std::path::Path;

use kohort_core::date::civil_from_days;
use kohort_ledger::{Broken, Hash, Ledger, Secret};
use serde::{Deserialize, Serialize};

use super::figures::{self, Figures};
use super::files::DiskFiles;
use super::kept_head::KeptHead;
use super::publish::not_kept;
use crate::Error;
use crate::release::No;
use crate::wording::count;
use crate::words::Words;

/// An open ledger, for whoever asks what is in it.
pub struct Books {
    ledger: Ledger,
    // What there is to say about the file.
    notes: Vec<Message>,
}

/// A series.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeriesAnswer {
    /// Its name.
    pub series: String,
    /// How many releases it has.
    pub releases: u32,
    /// How many people it has had.
    pub people: u32,
    /// When the last release was made.
    pub last: String,
    /// The hash of the last entry: it covers all before it.
    pub entry: String,
}

/// A release of a series.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReleaseAnswer {
    /// Its number, from 1.
    pub release: u32,
    /// When it was made.
    pub time: String,
    /// How.
    pub method: String,
    /// With which parameters.
    pub parameters: String,
    /// The people it shows.
    pub shown: u32,
    /// The people who were held back.
    pub held_back: u32,
    /// The classes.
    pub classes: u32,
    /// The rows that belong to nobody.
    pub counterfeits: u32,
    /// What changed and what it cost.
    #[serde(flatten)]
    pub figures: Figures,
    /// Its files and their hashes.
    pub files: BTreeMap<String, String>,
    /// The hash of its entry.
    pub entry: String,
}

/// Whether a series is what was written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckAnswer {
    /// The series; none where so much is wrong that none can be looked at.
    pub series: Option<String>,
    /// Whether it is.
    pub holds: bool,
    /// How many entries were looked at.
    pub entries: usize,
    /// How many people were forgotten.
    pub forgotten: u32,
    /// The first release whose entry is wrong; none where the log or the file is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_release: Option<u32>,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// Published files that stand where they were put and are not what was published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub altered_files: Vec<PublishedFile>,
    /// Published files that are not where they were put.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_files: Vec<PublishedFile>,
}

/// A file of a release.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PublishedFile {
    /// The release.
    pub release: u32,
    /// Where it was put.
    pub file: String,
}

/// A use of the ledger.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UseAnswer {
    /// When.
    pub time: String,
    /// What was done.
    pub what: String,
    /// With which outcome.
    pub outcome: String,
}

/// What forgetting a person costs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ForgottenAnswer {
    /// The series.
    pub series: String,
    /// The releases in which the person was, shown or not.
    pub releases: Vec<u32>,
    /// In how many of them a class shows a member whom nobody can follow.
    pub classes: usize,
    /// What that costs, in sentences without a closing stop.
    pub costs: Vec<String>,
}

/// Whether a series of a ledger, or every one, is what was written, and whether the ledger has been at
/// the head that is known. The notes say what became of releases that were interrupted.
pub fn check(
    (path, secret, now): (&Path, &Secret, i64),
    series: Option<&str>,
    head: &KeptHead,
) -> Result<(Vec<CheckAnswer>, Vec<Message>), Error> {
    let answers = || -> Result<_, Error> {
        let mut books = Books::open(path, secret, now)?;
        let mut notes = books.notes.clone();
        let mut answers = Vec::new();
        let older = head.older_copy(&books.ledger, path)?;
        answers.extend(older.iter().map(|no| CheckAnswer::broken(&no.causes[0])));
        notes.extend(head.unknown(&books.ledger)?);
        if !books.ledger.covers_unused_bytes()? {
            notes.push(UNUSED_NOT_COVERED.into());
        }
        let names = match series {
            Some(series) => vec![series.to_owned()],
            None => books.ledger.names()?,
        };
        if names.is_empty()
            && let Err(Broken { what, .. }) = books.ledger.check_file()?
        {
            answers.push(CheckAnswer::broken(&what));
        }
        for name in names {
            let (answer, missing) = books.check(&name)?;
            answers.push(answer);
            notes.extend(missing);
        }
        Ok((answers, notes))
    };
    answers().or_else(|error| match error.altered_ledger() {
        Some(what) => Ok((vec![CheckAnswer::broken(what)], Vec::new())),
        None => Err(error),
    })
}

/// What a build says whose SQLite does not show the pages of a file.
const UNUSED_NOT_COVERED: &str = "bytes of the ledger that nobody reads were not checked: this build's SQLite does not show them";

impl CheckAnswer {
    /// The ledger is not what was written.
    fn broken(what: &str) -> Self {
        Self { holds: false, broken: Some(what.to_owned()), ..Self::of(None) }
    }

    /// Nothing is wrong so far.
    fn of(series: Option<&str>) -> Self {
        Self {
            series: series.map(str::to_owned),
            holds: true,
            entries: 0,
            forgotten: 0,
            broken_release: None,
            broken: None,
            altered_files: Vec::new(),
            missing_files: Vec::new(),
        }
    }
}

/// What another secret does not do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RekeyedAnswer {
    /// Whether the ledger has another secret.
    pub rekeyed: bool,
    /// Whether everything was sealed anew under another key.
    pub resealed: bool,
    /// What to know about it, in sentences without a closing stop.
    #[serde(deserialize_with = "crate::words::read")]
    pub costs: Vec<Words>,
}

impl Books {
    /// Opens a ledger. `now` is the time of every use: seconds since 1970.
    pub fn open(path: &Path, secret: &Secret, now: i64) -> Result<Self, kohort_ledger::Error> {
        let ledger = Ledger::open(path, secret, Box::new(DiskFiles), now)?;
        let notes = found_at_opening(&ledger, path);
        Ok(Self { ledger, notes })
    }

    /// What became of releases that were interrupted, and that others may read the ledger.
    pub fn notes(&self) -> &[Message] {
        &self.notes
    }

    /// The head of the ledger.
    pub fn head(&self) -> Result<Hash, Error> {
        Ok(self.ledger.head()?)
    }

    /// The series.
    pub fn list(&mut self) -> Result<Vec<SeriesAnswer>, Error> {
        let answer = |found: kohort_ledger::Series| SeriesAnswer {
            series: found.name,
            releases: found.n_releases,
            people: found.n_people,
            last: time(found.time),
            entry: found.head.to_string(),
        };
        Ok(self.ledger.series()?.into_iter().map(answer).collect())
    }

    /// The releases of a series.
    pub fn show(&mut self, series: &str) -> Result<Vec<ReleaseAnswer>, Error> {
        let states: BTreeMap<String, Vec<u8>> = self.ledger.states(series)?.into_iter().collect();
        let answer = |(found, hash): (kohort_ledger::Release, Hash)| {
            let state = states.get(&figures::name(found.number));
            Ok(ReleaseAnswer {
                release: found.number,
                time: time(found.time),
                method: found.facts.principle,
                parameters: found.facts.parameters,
                shown: found.n_shown,
                held_back: found.n_held_back,
                classes: found.n_classes,
                counterfeits: found.n_counterfeits,
                figures: Figures::read(state.map_or(&[][..], Vec::as_slice))?,
                files: (found.files.into_iter())
                    .map(|(file, hash)| (file, hash.to_string()))
                    .collect(),
                entry: hash.to_string(),
            })
        };
        self.ledger.releases(series)?.into_iter().map(answer).collect()
    }

    /// The answer about a series, and notes about files that are not there.
    fn check(&mut self, series: &str) -> Result<(CheckAnswer, Vec<Message>), kohort_ledger::Error> {
        let none = CheckAnswer::of(Some(series));
        let found = match self.ledger.check(series)? {
            Ok(found) => found,
            Err(Broken { release, what }) => {
                let broken = Some(what);
                let answer = CheckAnswer { holds: false, broken_release: release, broken, ..none };
                return Ok((answer, Vec::new()));
            }
        };
        let (mut altered_files, mut missing_files) = (Vec::new(), Vec::new());
        let mut notes = Vec::new();
        for (release, file, hash) in found.files {
            let about = PublishedFile { release, file };
            let read = kohort_io::open_if_there(Path::new(&about.file));
            match read.and_then(|reader| reader.map(Hash::of_reader).transpose()) {
                Ok(Some(found)) if found == hash => {}
                Ok(Some(_)) => altered_files.push(about),
                Ok(None) => {
                    let file = &about.file;
                    notes
                        .push(message!("{file}, of release {release} of `{series}`, is not there"));
                    missing_files.push(about);
                }
                Err(error) => {
                    let file = &about.file;
                    notes.push(message!(
                        "{file}, of release {release} of `{series}`, cannot be read: {error}"
                    ));
                    missing_files.push(about);
                }
            }
        }
        let answer = CheckAnswer {
            holds: altered_files.is_empty(),
            entries: found.entries.len(),
            forgotten: found.n_forgotten,
            altered_files,
            missing_files,
            ..none
        };
        Ok((answer, notes))
    }

    /// Every use so far.
    pub fn uses(&mut self) -> Result<Vec<UseAnswer>, Error> {
        let answer = |found: kohort_ledger::Use| UseAnswer {
            time: time(found.time),
            what: found.what.to_string(),
            outcome: found.outcome,
        };
        Ok(self.ledger.uses()?.into_iter().map(answer).collect())
    }

    /// Gives the ledger another secret, and where everything `is_resealed` another key inside; says what to
    /// know about it, in sentences without a closing stop.
    pub fn rekey(&mut self, secret: &Secret, is_resealed: bool) -> Result<RekeyedAnswer, Error> {
        let mut costs = vec![
            "copies of the ledger that were made before still open with the secret of that time",
        ];
        if is_resealed {
            self.ledger.renew(secret)?;
            costs.push("every hash of the ledger is another one; heads of before are recognized");
            costs.push(
                "the key that people are recognized by and that releases are drawn from stays the same: whoever \
                 has such a copy and its secret can recognize people by their keys, and repeat the draws of \
                 later releases",
            );
        } else {
            self.ledger.rekey(secret)?;
            costs.push(
                "the key inside stays the same: if such a copy and its secret are in the wrong \
                 hands, what is written later can be read with them as well, unless everything \
                 is sealed again",
            );
        }
        Ok(RekeyedAnswer { rekeyed: true, resealed: is_resealed, costs })
    }

    /// Why the ledger is an older copy, where a head is known that it has never been at.
    pub fn older_copy(&self, head: &KeptHead, path: &Path) -> Result<Option<No>, Error> {
        head.older_copy(&self.ledger, path)
    }

    /// Keeps the head that the ledger has come to; what to know where it could not be kept.
    pub fn keep_head(&self, head: &KeptHead) -> Option<String> {
        not_kept(head.keep(&self.ledger))
    }

    /// Forgets a person of a series, by the person's key.
    pub fn forget(&mut self, series: &str, person: &str) -> Result<ForgottenAnswer, Error> {
        let found = self.ledger.forget(series, person)?;
        let n = found.classes.len();
        let mut costs = vec![
            "whoever stays in the table or comes back with this key is somebody new to the \
             series, for whom what was published before is not taken into account: keep the \
             person out of later tables"
                .to_owned(),
        ];
        if n > 0 {
            costs.push(format!(
                "{} the person's row, and later releases cannot be checked for this person",
                count(n as u64, "published class still shows", "published classes still show")
            ));
        }
        let series = series.to_owned();
        Ok(ForgottenAnswer { series, releases: found.releases, classes: n, costs })
    }
}

/// What became of releases that were interrupted, and that others may read the ledger.
pub(super) fn found_at_opening(ledger: &Ledger, path: &Path) -> Vec<Message> {
    let sentence = |found: &kohort_ledger::Recovered| {
        let (release, series) = (found.release, &found.series);
        let fate = match (found.is_published, &found.missing[..]) {
            (false, _) => "is undone: nobody has seen it".to_owned(),
            (true, []) => "is completed".to_owned(),
            (true, missing) => format!(
                "stays in the ledger: {} is not in its place, and somebody may have it",
                missing.join(", ")
            ),
        };
        message!("release {release} of `{series}` was interrupted, and {fate}")
    };
    let open = ledger.is_open_to_others().map(|mode| {
        let path = path.display();
        message!(
            "{path} is open to others than its owner (mode {mode:o}), and it is as sensitive as the data: \
             `chmod 600 {path}`"
        )
    });
    ledger.recovered().iter().map(sentence).chain(open).collect()
}

/// Seconds since 1970 as a date and a time of the day, in UTC.
fn time(seconds: i64) -> String {
    let days = i32::try_from(seconds.div_euclid(86_400)).unwrap_or_default();
    let (year, month, day) = civil_from_days(days);
    let of_day = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

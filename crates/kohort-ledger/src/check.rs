//! Is the ledger what was written? Every seal, every count and both chains.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, History, SeriesRelease};

use crate::book::{Book, Chained, count, states_of};
use crate::{Class, Error, Hash, Kind, LastShown, Ledger, Past, Standing, What, scrub};

/// A series whose books are as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The hash of each entry, the oldest first. One that a receipt names and that is not here was
    /// taken away: an older copy was put in the ledger's place.
    pub entries: Vec<Hash>,
    /// How many people the series has had.
    pub n_people: u32,
    /// How many of them were forgotten.
    pub n_forgotten: u32,
    /// How many rows of people and classes were looked at.
    pub n_rows: u64,
    /// The files that were published, by release: where each was put, and its hash. A release that was put in
    /// the place of an earlier one has it.
    pub files: Vec<(u32, String, Hash)>,
}

/// Where the books are not as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The first release whose entry is wrong; none where the log or the file is.
    pub release: Option<u32>,
    /// What is wrong.
    pub what: String,
}

impl Ledger {
    /// Reads all that is about a series, the log, the structure of the file and what says nothing in it. The
    /// answer is logged.
    pub fn check(&mut self, series: &str) -> Result<Result<Checked, Broken>, Error> {
        self.look_over(What::Checked { series: series.to_owned() }, |book| {
            Ok(book.look(series)?.map(|(checked, _)| checked))
        })
    }

    /// Reads the log, the structure of the file and what says nothing in it: for a ledger without a series.
    /// The answer is logged.
    pub fn check_file(&mut self) -> Result<Result<(), Broken>, Error> {
        self.look_over(What::Read { what: "the file".to_owned() }, |book| {
            book.uses()?;
            Ok(Ok(()))
        })
    }

    fn look_over<T>(
        &mut self,
        what: What,
        look: impl FnOnce(&Book<'_>) -> Result<Result<T, Broken>, Error>,
    ) -> Result<Result<T, Broken>, Error> {
        let now = self.now();
        // What this process remembers of the file is not what is there.
        self.connection().execute_batch("PRAGMA shrink_memory")?;
        let answer = self.transact(|book| {
            let answer = or_broken(book.look_at_structure().and_then(|()| look(book)))?;
            let unused = or_broken(book.look_at_unused().map(Ok))?;
            let is_scrubbed = unused.is_ok();
            // It comes last: who changed a row has left something there as well.
            let answer = answer.and_then(|answer| unused.map(|()| answer));
            let outcome = if answer.is_ok() { "holds" } else { "broken" };
            book.log(now, what.clone(), outcome)?;
            // What was found is there for the next who looks.
            if is_scrubbed {
                scrub::after_writing(book.connection, scrub::USED)?;
            }
            Ok(answer)
        });
        // What is so broken that nothing can be logged is broken all the same.
        or_broken(self.log_failed(what, answer))
    }
}

/// A finding where there is one, and not an error.
fn or_broken<T>(looked: Result<Result<T, Broken>, Error>) -> Result<Result<T, Broken>, Error> {
    looked.or_else(|error| Ok(Err(broken(error, None)?)))
}

/// What a finding is, or the error where there is none.
fn broken(error: Error, release: Option<u32>) -> Result<Broken, Error> {
    match error.kind() {
        Kind::Altered { what } => Ok(Broken { release, what: what.clone() }),
        _ => Err(error),
    }
}

impl Book<'_> {
    /// Whether the bytes that say nothing are as they were written.
    fn look_at_unused(&self) -> Result<(), Error> {
        scrub::look(self.connection, &self.head()?)
    }

    /// What was published of a series whose books are as they were written, in one pass over all of it.
    pub(crate) fn past(&self, series: &str) -> Result<Past, Error> {
        match self.look(series)? {
            Ok((_, past)) => Ok(past),
            Err(Broken { release: Some(release), what }) => {
                Err(Kind::altered(format!("release {release}: {what}")).into())
            }
            Err(Broken { release: None, what }) => Err(Kind::altered(what).into()),
        }
    }

    /// Reads every row of a series.
    fn look(&self, name: &str) -> Result<Result<(Checked, Past), Broken>, Error> {
        let logged = Logged::read(self, name)?;
        let series = match self.find_series(name) {
            // The log names what was in it.
            Err(error) if !logged.entries.is_empty() => {
                return Ok(Err(broken(error, Some(1))?));
            }
            series => series?,
        };
        let mut releases = Vec::new();
        if let Err(error) = self.read_releases(series, &mut releases) {
            return Ok(Err(broken(error, Some(count(releases.len()) + 1))?));
        }
        let entries: Vec<Hash> = releases.iter().map(|(_, hash)| *hash).collect();
        if entries != logged.entries {
            let same = entries.iter().zip(&logged.entries).take_while(|(a, b)| a == b).count();
            let what = "its entry is not the one that was logged".to_owned();
            return Ok(Err(Broken { release: Some(count(same) + 1), what }));
        }
        let n_values = releases.iter().map(|(release, _)| release.values.len()).sum();
        let history = History { n_values: count(n_values), releases: Vec::new() };
        let mut past = Past { history, last: Vec::new(), n_forgotten: 0 };
        let mut n_rows = 0;
        for (release, _) in &releases {
            let n_forgotten = logged.n_forgotten_in(release.number);
            match self.look_at_release(series, release, n_forgotten) {
                Ok(shown) => past.history.releases.push(shown),
                Err(error) => return Ok(Err(broken(error, Some(release.number))?)),
            }
            n_rows += u64::from(release.n_members()) + u64::from(release.n_classes);
        }
        self.look_at_states(series, &releases)?;
        self.look_for_more(series, &releases)?;
        let n_forgotten = count(logged.forgotten.len());
        past.n_forgotten = n_forgotten;
        let n_people = self.look_at_people(series, &releases, &mut past)?;
        let files = files_of(&releases);
        Ok(Ok((Checked { entries, n_people, n_forgotten, n_rows, files }, past)))
    }

    /// Refuses the number of a series that is about to begin where rows have it already: they are those
    /// of a series that was deleted, and would be its releases.
    pub(crate) fn look_for_none(&self, series: u32) -> Result<(), Error> {
        for table in ["entry", "member", "class", "erased", "state", "person"] {
            let sql = format!("SELECT EXISTS(SELECT 1 FROM {table} WHERE series >= ?1)");
            if self.connection.query_row(&sql, [series], |row| row.get(0))? {
                return Err(Kind::altered("there are rows of a series that is gone").into());
            }
        }
        Ok(())
    }

    fn look_at_structure(&self) -> Result<(), Error> {
        let found: String =
            self.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if found == "ok" { Ok(()) } else { Err(Kind::altered("the structure of the file").into()) }
    }

    /// What everybody has seen of a release whose rows are those of its entry.
    fn look_at_release(
        &self,
        series: u32,
        release: &crate::Release,
        n_forgotten: usize,
    ) -> Result<SeriesRelease, Error> {
        let altered = |what: &str| Err(Kind::altered(what).into());
        let (classes, hashes): (Vec<Class>, Vec<Hash>) =
            self.classes(series, release.number)?.into_iter().unzip();
        if count(hashes.len()) != release.n_classes || self.keys.root(&hashes) != release.classes {
            return altered("its classes are not those of the entry");
        }
        let mut members = self.erased(series, release.number)?;
        if members.len() != n_forgotten {
            return altered("more or fewer people are erased from it than were forgotten");
        }
        let mut class_of = vec![ABSENT; release.n_people as usize];
        let mut is_in_range = true;
        self.members(series, release.number, |member, hash| {
            members.push(hash);
            let person = member.person as usize;
            is_in_range &= person < class_of.len();
            if let Standing::Shown { class } = member.standing
                && is_in_range
            {
                is_in_range &= class < release.n_classes;
                class_of[person] = class;
            }
            Ok(())
        })?;
        let is_complete = count(members.len()) == release.n_members();
        if !is_complete || !is_in_range || self.root_of_all(members) != release.members {
            return altered("its people are not those of the entry");
        }
        let classes = classes.into_iter().map(|class| class.released).collect();
        Ok(SeriesRelease { class_of, classes })
    }

    fn look_at_states(&self, series: u32, releases: &[Chained]) -> Result<(), Error> {
        let states = states_of(releases);
        for (name, release, hash) in &states {
            if self.state(series, *release, name)?.map(|(_, found)| found) != Some(*hash) {
                return Err(
                    Kind::altered(format!("the state `{name}` of release {release}")).into()
                );
            }
        }
        let sql = "SELECT count(*) FROM state WHERE series = ?1";
        let found: u32 = self.connection.query_row(sql, [series], |row| row.get(0))?;
        if found != count(states.len()) {
            return Err(Kind::altered("there is a state that no entry has").into());
        }
        Ok(())
    }

    /// Rows of releases that there are not.
    fn look_for_more(&self, series: u32, releases: &[Chained]) -> Result<(), Error> {
        for table in ["member", "class", "erased"] {
            let sql = format!(
                "SELECT count(*) FROM {table} WHERE series = ?1 AND (release < ?3 OR release > ?2)"
            );
            // What is erased from the rows of people has no release.
            let first = u32::from(table != "erased");
            let found: u32 =
                self.connection
                    .query_row(&sql, [series, count(releases.len()), first], |row| row.get(0))?;
            if found > 0 {
                return Err(Kind::altered("there are rows of a release without an entry").into());
            }
        }
        Ok(())
    }

    /// Everybody who was ever numbered has one row, as the last entry says, or was forgotten. What it says is
    /// what was last published of the person.
    fn look_at_people(
        &self,
        series: u32,
        releases: &[Chained],
        past: &mut Past,
    ) -> Result<u32, Error> {
        let (n_people, root) = releases
            .last()
            .map_or((0, self.root_of_all(Vec::new())), |(last, _)| (last.n_people, last.people));
        let people = self.people(series)?;
        if count(people.len()) + past.n_forgotten != n_people {
            return Err(Kind::altered("a person is missing who was not forgotten").into());
        }
        let altered = || Kind::altered("the rows of people are not those of the last entry");
        let mut hashes = self.erased(series, 0)?;
        hashes.extend(people.iter().map(|(_, hash)| *hash));
        if self.root_of_all(hashes) != root {
            return Err(altered().into());
        }
        past.last = vec![None; n_people as usize];
        let mut is_there = vec![false; n_people as usize];
        for (row, _) in people {
            let person = row.person as usize;
            if is_there.get(person) != Some(&false) {
                return Err(altered().into());
            }
            is_there[person] = true;
            past.last[person] = row.value.map(|value| LastShown { release: row.release, value });
        }
        Ok(n_people)
    }
}

/// The files of releases, each place with the last that was put there.
fn files_of(releases: &[Chained]) -> Vec<(u32, String, Hash)> {
    let mut last: BTreeMap<&str, (u32, Hash)> = BTreeMap::new();
    for (release, _) in releases {
        for (file, hash) in &release.files {
            last.insert(file, (release.number, *hash));
        }
    }
    let mut files: Vec<(u32, String, Hash)> =
        last.into_iter().map(|(file, (release, hash))| (release, file.to_owned(), hash)).collect();
    files.sort_unstable();
    files
}

/// What the log says of a series.
struct Logged {
    entries: Vec<Hash>,
    /// For each person who was forgotten, the releases with a row.
    forgotten: Vec<Vec<u32>>,
}

impl Logged {
    fn read(book: &Book<'_>, name: &str) -> Result<Self, Error> {
        let mut logged = Self { entries: Vec::new(), forgotten: Vec::new() };
        for (entry, _) in book.uses()? {
            match entry.what {
                What::Published { series, entry, .. } if series == name => {
                    logged.entries.push(entry);
                }
                What::Forgot { series, releases } if series == name => {
                    logged.forgotten.push(releases);
                }
                _ => {}
            }
        }
        Ok(logged)
    }

    fn n_forgotten_in(&self, release: u32) -> usize {
        self.forgotten.iter().filter(|releases| releases.contains(&release)).count()
    }
}

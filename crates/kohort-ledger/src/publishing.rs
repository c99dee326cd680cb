//! The next release of a series, from the moment its maker looks at the books until it is on them.
//!
//! The lock of the ledger is kept from [`Ledger::begin`](crate::Ledger::begin) until this is dropped,
//! also between the two commits of [`Publishing::commit`] (`locking_mode = EXCLUSIVE`): a process that
//! dies gives it up, so whoever finds a pending release knows that nobody is at it.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::until_cancelled;

use crate::book::{Book, Chained, count, states_of};
use crate::records::{SealedMember, SealedPerson, Value};
use crate::recover::Pending;
use crate::{
    Class, Entry, Error, Hash, Kind, Ledger, Member, Past, Release, Standing, What, scrub,
};

/// The next release of a series. Dropped without [`Publishing::commit`], it leaves nothing.
#[must_use = "what is not committed is not recorded"]
pub struct Publishing<'a> {
    ledger: &'a mut Ledger,
    turn: Turn,
    is_in_transaction: bool,
}

/// What the books say as the release begins.
pub(crate) struct Turn {
    series: u32,
    name: String,
    releases: Vec<Chained>,
    past: Past,
    /// The sensitive values by number.
    domain: Vec<String>,
    number_of_value: BTreeMap<String, u32>,
    n_values_before: usize,
    /// The values whose texts the books do not have, by what the text becomes.
    hidden: BTreeMap<[u8; 16], u32>,
    /// Those of them that no release so far shows.
    unpublished: BTreeSet<u32>,
    /// What the books have of everybody, and what commits to it, by number.
    people: BTreeMap<u32, (SealedPerson, Hash)>,
    /// The number of everybody, by what the person's key becomes.
    number_of_tag: BTreeMap<[u8; 16], u32>,
    n_people: u32,
}

/// A release that is on the books and in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Its number in the series, from 1.
    pub release: u32,
    /// The hash of its entry, which covers all entries of the series before it.
    pub entry: Hash,
    /// The head of the ledger after it.
    pub head: Hash,
}

/// Begins a transaction and reads what a release needs to know: all of the series, whose books must be as
/// they were written.
pub(crate) fn begin(ledger: &mut Ledger, name: &str) -> Result<Turn, Error> {
    ledger.start()?;
    let read = || ledger.keep_lock().and_then(|()| Turn::read(&ledger.book(), name));
    let turn = until_cancelled(read);
    if !matches!(turn, Ok(Ok(_))) {
        ledger.connection().execute_batch("ROLLBACK")?;
    }
    turn.unwrap_or_else(|cancelled| cancelled.unwind())
}

/// The number of a series, where it has begun. One that was deleted does not begin again.
fn found(book: &Book<'_>, name: &str) -> Result<Option<u32>, Error> {
    match book.find_series(name) {
        Err(error) if matches!(error.kind(), Kind::UnknownSeries { .. }) => Ok(None),
        series => series.map(Some),
    }
}

impl Turn {
    fn read(book: &Book<'_>, name: &str) -> Result<Self, Error> {
        let (series, past) = if let Some(series) = found(book, name)? {
            (series, book.past(name)?)
        } else {
            let series = book.series()?.last().map_or(1, |(last, _)| last + 1);
            book.look_for_none(series)?;
            book.write_series(series, name)?;
            (series, Past::default())
        };
        let releases = book.releases(series)?;
        let people = book.people(series)?;
        let mut turn = Self {
            series,
            name: name.to_owned(),
            n_values_before: 0,
            number_of_value: BTreeMap::new(),
            hidden: BTreeMap::new(),
            unpublished: BTreeSet::new(),
            domain: Vec::new(),
            number_of_tag: people.iter().map(|(row, _)| (row.tag, row.person)).collect(),
            people: people.into_iter().map(|(row, hash)| (row.person, (row, hash))).collect(),
            n_people: releases.last().map_or(0, |(release, _)| release.n_people),
            releases: Vec::new(),
            past,
        };
        for (release, _) in &releases {
            turn.add_values(release);
        }
        turn.n_values_before = turn.domain.len();
        turn.unpublished = turn.hidden.values().copied().collect();
        turn.releases = releases;
        Ok(turn)
    }

    /// Numbers the values that a release has as the first.
    fn add_values(&mut self, release: &Release) {
        for value in &release.values {
            let number = count(self.domain.len());
            match value {
                Value::Published(text) => {
                    self.number_of_value.insert(text.clone(), number);
                    self.domain.push(text.clone());
                }
                Value::Hidden(tag) => {
                    self.hidden.insert(*tag, number);
                    // The text of no cell: who needs it has it in the table.
                    self.domain.push(format!("\0{number}"));
                }
            }
        }
        for (number, text) in &release.revealed {
            self.reveal(*number, text);
        }
    }

    /// The text of a value is known from here on.
    fn reveal(&mut self, number: u32, text: &str) {
        self.hidden.retain(|_, hidden| *hidden != number);
        self.number_of_value.insert(text.to_owned(), number);
        text.clone_into(&mut self.domain[number as usize]);
    }

    fn number(&self) -> u32 {
        count(self.releases.len()) + 1
    }
}

impl<'a> Publishing<'a> {
    pub(crate) fn new(ledger: &'a mut Ledger, turn: Turn) -> Self {
        Self { ledger, turn, is_in_transaction: true }
    }

    /// The number of the release that is being made, from 1.
    pub fn number(&self) -> u32 {
        self.turn.number()
    }

    /// The secret from which the release is drawn, for one purpose: the same whenever the release is asked for
    /// again, also after a no and in a copy of the ledger, and another one for every release, series and
    /// ledger. It is to stand in no file.
    pub fn secret(&self, purpose: &str) -> [u8; 32] {
        self.ledger.keys().draws(&self.turn.name, self.number(), purpose)
    }

    /// The releases so far, each with the hash of its entry.
    pub fn releases(&self) -> &[(Release, Hash)] {
        &self.turn.releases
    }

    /// The number of each person, by the person's key: the one the series has given, or a new one. New ones are
    /// given in an order that depends on the ledger's key alone. Who was forgotten gets a number like anybody
    /// who was never there.
    pub fn people(&mut self, keys: &[&str]) -> Vec<u32> {
        let book = self.ledger.book();
        let turn = &mut self.turn;
        let tags: Vec<[u8; 16]> = keys.iter().map(|key| book.keys.tag(turn.series, key)).collect();
        let new: BTreeSet<[u8; 16]> =
            tags.iter().filter(|tag| !turn.number_of_tag.contains_key(*tag)).copied().collect();
        for tag in new {
            turn.number_of_tag.insert(tag, turn.n_people);
            turn.n_people += 1;
        }
        tags.iter().map(|tag| turn.number_of_tag[tag]).collect()
    }

    /// The number of each sensitive value, by its text: the one the series has given, or the next.
    pub fn values(&mut self, texts: &[&str]) -> Vec<u32> {
        let book = self.ledger.book();
        let turn = &mut self.turn;
        let mut number = |text: &&str| {
            if let Some(&number) = turn.number_of_value.get(*text) {
                return number;
            }
            let tag = book.keys.value_tag(turn.series, text);
            let number = turn.hidden.get(&tag).copied().unwrap_or_else(|| {
                turn.domain.push(String::new());
                count(turn.domain.len() - 1)
            });
            turn.reveal(number, text);
            number
        };
        let numbers = texts.iter().map(&mut number).collect();
        turn.past.history.n_values = count(turn.domain.len());
        numbers
    }

    /// The sensitive values of the series by number, those of this release among them.
    pub fn domain(&self) -> &[String] {
        &self.turn.domain
    }

    /// What was published so far, with the values of this release numbered as well.
    pub fn past(&self) -> &Past {
        &self.turn.past
    }

    /// The classes of a release as they were published.
    pub fn classes(&self, release: u32) -> Result<Vec<Class>, Error> {
        let classes = self.ledger.book().classes(self.turn.series, release)?;
        Ok(classes.into_iter().map(|(class, _)| class).collect())
    }

    /// What the methods remember under a name, as the last release that set it did.
    pub fn state(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let states = states_of(&self.turn.releases);
        let Some(&(_, release, hash)) = states.iter().find(|(found, ..)| *found == name) else {
            return Ok(None);
        };
        match self.ledger.book().state(self.turn.series, release, name)? {
            Some((state, found)) if found == hash => Ok(Some(state)),
            _ => Err(Kind::altered(format!("the state `{name}`")).into()),
        }
    }

    /// Gives the release up, and logs why: a sentence without a cell of the table.
    pub fn abandon(mut self, why: &str) -> Result<(), Error> {
        self.ledger.connection().execute_batch("ROLLBACK")?;
        self.is_in_transaction = false;
        let (now, series) = (self.ledger.now(), self.turn.name.clone());
        self.ledger.use_(|book| book.log(now, What::Abandoned { series }, why))?;
        Ok(())
    }

    /// Puts the release on the books and in its place. `put_in_place` moves the staged files to their
    /// targets, so that they are there after the machine stops. On an error the release is undone,
    /// unless one of its files is in place: then it is on the books, or will be with the next use.
    pub fn commit(
        mut self,
        entry: &Entry,
        put_in_place: impl FnOnce() -> Result<(), Box<dyn std::error::Error + Send + Sync>>,
    ) -> Result<Published, Error> {
        self.validate(entry)?;
        let hash = self.write(entry)?;
        let (series, release) = (self.turn.series, self.turn.number());
        let (name, files) = (self.turn.name.clone(), entry.files.clone());
        let pending = Pending { series, name, release, entry: hash, files };
        self.ledger.book().set_pending(&pending)?;
        scrub::all(self.ledger.connection())?;
        kohort_core::alive();
        // Until here nothing is on the books; from here on nobody cancels it.
        let head = kohort_core::to_the_end(|| self.publish(&pending, put_in_place))?;
        Ok(Published { release, entry: hash, head })
    }

    /// Puts what is written on the books, its files in place, and that they are on the books.
    fn publish(
        &mut self,
        pending: &Pending,
        put_in_place: impl FnOnce() -> Result<(), Box<dyn std::error::Error + Send + Sync>>,
    ) -> Result<Hash, Error> {
        self.ledger.connection().execute_batch("COMMIT")?;
        self.is_in_transaction = false;
        if let Err(source) = put_in_place() {
            let is_published = self.ledger.settle()?.is_some_and(|settled| settled.is_published);
            let outcome = if is_published {
                "recorded in the ledger: some were"
            } else {
                "not recorded in the ledger"
            };
            return Err(Kind::NotInPlace { outcome: outcome.to_owned(), source }.into());
        }
        self.ledger.connection().execute_batch("BEGIN IMMEDIATE")?;
        self.is_in_transaction = true;
        let head = self.ledger.book().publish(pending, self.ledger.now(), "done")?;
        scrub::after_writing(self.ledger.connection(), scrub::PUBLISHED)?;
        self.ledger.connection().execute_batch("COMMIT")?;
        self.is_in_transaction = false;
        Ok(head)
    }

    /// Refuses an entry that does not fit together.
    fn validate(&self, entry: &Entry) -> Result<(), Error> {
        let no = |what: &str| Err(Kind::Entry { what: what.to_owned() }.into());
        let (n_classes, n_values) = (entry.classes.len(), self.turn.domain.len());
        let people: BTreeSet<u32> = entry.members.iter().map(|member| member.person).collect();
        let of_members = entry.members.iter().map(|member| &member.value);
        let of_classes = entry.classes.iter().flat_map(|class| {
            class.released.values.iter().chain(class.counterfeits.iter().map(|it| &it.value))
        });
        if people.len() < entry.members.len() {
            return no("a person is in it twice");
        }
        if people.last().is_some_and(|&last| last >= self.turn.n_people) {
            return no("a person has a number that the series has not given");
        }
        if of_members.chain(of_classes).any(|&value| value as usize >= n_values) {
            return no("a value has a number that the series has not given");
        }
        let is_in = |member: &Member| match member.standing {
            Standing::Shown { class } => (class as usize) < n_classes,
            _ => true,
        };
        if !entry.members.iter().all(is_in) {
            return no("a person is in a class that it does not have");
        }
        if entry.files.is_empty() {
            return no("it has no file");
        }
        Ok(())
    }

    /// Writes every row of the entry, and says what its hash is.
    fn write(&self, entry: &Entry) -> Result<Hash, Error> {
        let (turn, book) = (&self.turn, self.ledger.book());
        let (series, release) = (turn.series, turn.number());
        let stands = |is: fn(Standing) -> bool| {
            count(entry.members.iter().filter(|member| is(member.standing)).count())
        };
        let (values, revealed) = self.texts(entry);
        let mut members: Vec<SealedMember> = (entry.members.iter())
            .map(|&Member { person, standing, .. }| SealedMember { person, standing })
            .collect();
        members.sort_unstable_by_key(|member| member.person);
        let states = (entry.states.iter())
            .map(|(name, state)| {
                Ok((name.clone(), book.write_state(series, release, (name, state))?))
            })
            .collect::<Result<_, Error>>()?;
        let record = Release {
            number: release,
            time: self.ledger.now(),
            facts: entry.facts.clone(),
            files: entry.files.iter().map(|file| (file.target.clone(), file.hash)).collect(),
            previous: turn.releases.last().map_or(Hash::default(), |(_, hash)| *hash),
            n_shown: stands(|standing| matches!(standing, Standing::Shown { .. })),
            n_held_back: stands(|standing| standing == Standing::HeldBack),
            n_suppressed: stands(|standing| standing == Standing::Suppressed),
            n_classes: count(entry.classes.len()),
            n_counterfeits: count(entry.classes.iter().map(|class| class.counterfeits.len()).sum()),
            n_people: turn.n_people,
            values,
            revealed,
            // The order of what commits to the members tells nothing of them: when one is forgotten, the
            // commitment that stays has no number.
            members: book.root_of_all(book.write_members((series, release), &members)?),
            classes: book.keys.root(&book.write_classes((series, release), &entry.classes)?),
            states,
            people: self.write_people(&entry.members)?,
        };
        book.write_entry(series, &record)
    }

    /// The values that are new to the series, and those of before that the release is the first to show. A
    /// value that nobody has seen is on the books without its text.
    fn texts(&self, entry: &Entry) -> (Vec<Value>, Vec<(u32, String)>) {
        let (turn, book) = (&self.turn, self.ledger.book());
        let mut is_shown = vec![false; turn.domain.len()];
        for class in &entry.classes {
            let counterfeits = class.counterfeits.iter().map(|it| it.value);
            for value in class.released.values.iter().copied().chain(counterfeits) {
                is_shown[value as usize] = true;
            }
        }
        let (before, new) = turn.domain.split_at(turn.n_values_before);
        let values = new.iter().zip(&is_shown[before.len()..]).map(|(text, &is_shown)| {
            if is_shown {
                Value::Published(text.clone())
            } else {
                Value::Hidden(book.keys.value_tag(turn.series, text))
            }
        });
        let revealed = (0..)
            .zip(before)
            .zip(&is_shown)
            .filter(|((number, _), is_shown)| **is_shown && turn.unpublished.contains(number));
        let revealed = revealed.map(|((number, text), _)| (number, text.clone()));
        (values.collect(), revealed.collect())
    }

    /// Writes what is known of the people of the release from here on, beside what was known before, and says
    /// what commits to all people as they are then.
    fn write_people(&self, members: &[Member]) -> Result<Hash, Error> {
        let (turn, book) = (&self.turn, self.ledger.book());
        let release = turn.number();
        let n_before = turn.releases.last().map_or(0, |(last, _)| last.n_people);
        let value_of: BTreeMap<u32, u32> = (members.iter())
            .filter(|member| matches!(member.standing, Standing::Shown { .. }))
            .map(|member| (member.person, member.value))
            .collect();
        let is_new = |person: u32| person >= n_before || value_of.contains_key(&person);
        let rows: Vec<SealedPerson> = (turn.number_of_tag.iter())
            .filter(|&(_, &person)| is_new(person))
            .map(|(&tag, &person)| {
                let value = value_of.get(&person).copied();
                SealedPerson { person, tag, release, value }
            })
            .collect();
        let mut hashes = book.write_people(turn.series, &rows)?;
        let standing = turn.people.values().filter(|(row, _)| !is_new(row.person));
        hashes.extend(standing.map(|(_, hash)| *hash));
        Ok(book.root_of_all(hashes))
    }
}

impl Drop for Publishing<'_> {
    fn drop(&mut self) {
        if self.is_in_transaction {
            // Where it fails, SQLite has rolled back by itself.
            let _ = self.ledger.connection().execute_batch("ROLLBACK");
        }
        self.ledger.let_go();
    }
}

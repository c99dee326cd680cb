//! The next release of a series, from the moment its maker looks at the books until it is on them.
//!
//! The lock of the ledger is kept from [`Ledger::begin`](crate::Ledger::begin) until this is dropped,
//! also between the two commits of [`Publishing::commit`] (`locking_mode = EXCLUSIVE`): a process that
//! dies gives it up, so whoever finds a pending release knows that nobody is at it.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;

use crate::book::{Book, Chained, count, states_of};
use crate::keys::{Place, random};
use crate::records::SealedClass;
use crate::recover::Pending;
use crate::{
    Class, Entry, Error, Hash, Kind, Ledger, Member, Past, Release, Standing, What, scrub,
};

/// The next release of a series. Dropped without [`Publishing::commit`], it leaves nothing.
#[must_use = "what is not committed is not on the books"]
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
    n_people: u32,
    salt: [u8; 16],
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
    let turn = ledger.keep_lock().and_then(|()| Turn::read(&ledger.book(), name));
    if turn.is_err() {
        ledger.connection().execute_batch("ROLLBACK")?;
    }
    turn
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
            let sealed = book.keys.seal(&Place::Series { series }, &name)?;
            book.connection
                .execute("INSERT INTO series VALUES (?1, ?2)", params![series, sealed])?;
            (series, Past::default())
        };
        let releases = book.releases(series)?;
        let domain: Vec<String> =
            releases.iter().flat_map(|(release, _)| release.values.iter().cloned()).collect();
        let numbered =
            domain.iter().enumerate().map(|(number, text)| (text.clone(), count(number)));
        Ok(Self {
            series,
            name: name.to_owned(),
            n_values_before: domain.len(),
            number_of_value: numbered.collect(),
            domain,
            n_people: releases.last().map_or(0, |(release, _)| release.n_people),
            releases,
            past,
            salt: random()?,
        })
    }

    fn number(&self) -> u32 {
        count(self.releases.len()) + 1
    }

    /// What binds a person to the release of first appearance.
    fn salt_of(&self, person: u32) -> &[u8; 16] {
        let first = self.releases.partition_point(|(release, _)| release.n_people <= person);
        self.releases.get(first).map_or(&self.salt, |(release, _)| &release.salt)
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

    /// The releases so far, each with the hash of its entry.
    pub fn releases(&self) -> &[(Release, Hash)] {
        &self.turn.releases
    }

    /// The number of each person, by the person's key: the one the series has given, or the next. Who
    /// was forgotten gets a number like anybody who was never there.
    pub fn people(&mut self, keys: &[&str]) -> Result<Vec<u32>, Error> {
        keys.iter().map(|key| self.person(key)).collect()
    }

    fn person(&mut self, key: &str) -> Result<u32, Error> {
        let book = self.ledger.book();
        let turn = &mut self.turn;
        let tag = book.keys.tag(turn.series, key);
        if let Some((person, found)) = book.find_person(turn.series, &tag)? {
            if book.keys.binding(turn.series, person, &tag, turn.salt_of(person))[..] != found {
                return Err(Kind::altered(format!("person {person}")).into());
            }
            return Ok(person);
        }
        let person = turn.n_people;
        let binding = book.keys.binding(turn.series, person, &tag, &turn.salt);
        let sql = "INSERT INTO person VALUES (?1, ?2, ?3, ?4)";
        let mut statement = book.connection.prepare_cached(sql)?;
        statement.execute(params![turn.series, person, tag, binding])?;
        turn.n_people += 1;
        Ok(person)
    }

    /// The number of each sensitive value, by its text: the one the series has given, or the next.
    pub fn values(&mut self, texts: &[&str]) -> Vec<u32> {
        let Turn { domain, number_of_value, past, .. } = &mut self.turn;
        let mut number = |text: &&str| {
            if let Some(&number) = number_of_value.get(*text) {
                return number;
            }
            let number = count(domain.len());
            domain.push((*text).to_owned());
            number_of_value.insert((*text).to_owned(), number);
            number
        };
        let numbers = texts.iter().map(&mut number).collect();
        past.history.n_values = count(domain.len());
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
        self.ledger.connection().execute_batch("COMMIT")?;
        self.is_in_transaction = false;
        if let Err(source) = put_in_place() {
            let is_published = self.ledger.settle()?.is_some_and(|settled| settled.is_published);
            let outcome = if is_published { "on the books: some were" } else { "not on the books" };
            return Err(Kind::NotInPlace { outcome: outcome.to_owned(), source }.into());
        }
        self.ledger.connection().execute_batch("BEGIN IMMEDIATE")?;
        self.is_in_transaction = true;
        let head = self.ledger.book().publish(&pending, self.ledger.now(), "done")?;
        scrub::after_writing(self.ledger.connection(), scrub::PUBLISHED)?;
        self.ledger.connection().execute_batch("COMMIT")?;
        self.is_in_transaction = false;
        Ok(Published { release, entry: hash, head })
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
            values: turn.domain[turn.n_values_before..].to_vec(),
            members: self.write_members(&entry.members)?,
            classes: self.write_classes(&entry.classes)?,
            states: self.write_states(&entry.states)?,
            salt: turn.salt,
        };
        let place = Place::Entry { series, release };
        let sealed = book.keys.seal(&place, &record)?;
        let sql = "INSERT INTO entry VALUES (?1, ?2, ?3)";
        book.connection.execute(sql, params![series, release, sealed])?;
        Ok(book.keys.commitment(&place, &sealed))
    }

    /// What commits to the members is in an order that tells nothing of them: when one is forgotten,
    /// the commitment that stays has no number.
    fn write_members(&self, members: &[Member]) -> Result<Hash, Error> {
        let (book, series, release) = (self.ledger.book(), self.turn.series, self.turn.number());
        let mut in_order: Vec<&Member> = members.iter().collect();
        in_order.sort_unstable_by_key(|member| member.person);
        let sql = "INSERT INTO member VALUES (?1, ?2, ?3, ?4)";
        let mut statement = book.connection.prepare_cached(sql)?;
        let mut commitments = Vec::with_capacity(members.len());
        for member in in_order {
            let place = Place::Member { series, release, person: member.person };
            let sealed = book.keys.seal(&place, member)?;
            statement.execute(params![series, release, member.person, sealed])?;
            commitments.push(book.keys.commitment(&place, &sealed));
        }
        commitments.sort_unstable();
        Ok(book.keys.root(&commitments))
    }

    fn write_classes(&self, classes: &[Class]) -> Result<Hash, Error> {
        let (book, series, release) = (self.ledger.book(), self.turn.series, self.turn.number());
        let sql = "INSERT INTO class VALUES (?1, ?2, ?3, ?4)";
        let mut statement = book.connection.prepare_cached(sql)?;
        let mut commitments = Vec::with_capacity(classes.len());
        for (class, row) in (0..).zip(classes) {
            let place = Place::Class { series, release, class };
            let sealed = book.keys.seal(&place, &SealedClass::from(row))?;
            statement.execute(params![series, release, class, sealed])?;
            commitments.push(book.keys.commitment(&place, &sealed));
        }
        Ok(book.keys.root(&commitments))
    }

    fn write_states(&self, states: &[(String, Vec<u8>)]) -> Result<Vec<(String, Hash)>, Error> {
        let (book, series, release) = (self.ledger.book(), self.turn.series, self.turn.number());
        let sql = "INSERT INTO state VALUES (?1, ?2, ?3, ?4)";
        let write = |(name, state): &(String, Vec<u8>)| {
            let place = Place::State { series, release, name };
            let sealed = book.keys.seal(&place, state)?;
            book.connection.execute(sql, params![series, release, name, sealed])?;
            Ok((name.clone(), book.keys.commitment(&place, &sealed)))
        };
        states.iter().map(write).collect()
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

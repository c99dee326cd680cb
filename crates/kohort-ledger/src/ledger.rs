//! A ledger that is open: what is in it, and every use of it in its log.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use kohort_core::History;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::book::{Book, states_of};
use crate::contents::Contents;
use crate::keys::Keys;
use crate::{
    Error, Files, Hash, Kind, Publishing, Recovered, Release, Secret, Series, Use, What, legacy,
    place, publishing, schema, scrub,
};

/// How long to wait for another process.
const WAIT: Duration = Duration::from_secs(5);

/// An open ledger.
pub struct Ledger {
    connection: Connection,
    keys: Keys,
    files: Box<dyn Files>,
    now: i64,
    recovered: Vec<Recovered>,
}

impl Ledger {
    /// Makes a ledger where there is no file, to be read by its owner alone. It appears with all that a
    /// ledger has, or not at all; of several who make one at once, one does. `now` is the time of every use
    /// of it: seconds since 1970.
    pub fn create(
        path: &Path,
        secret: &Secret,
        files: Box<dyn Files>,
        now: i64,
    ) -> Result<Self, Error> {
        let keys = Keys::create()?;
        let lock = keys.lock(secret)?;
        let mut fresh = Connection::open_in_memory()?;
        schema::create(&fresh)?;
        fresh.execute("INSERT INTO lock VALUES (0, ?1)", params![lock])?;
        let book = Book { connection: &fresh, keys: &keys };
        book.create_head()?;
        book.log(now, What::Created, "done")?;
        scrub::all(&fresh)?;
        place::put_in_place(path, &fresh.serialize("main")?)?;
        let connection = schema::connect(path, WAIT)?;
        Ok(Self { connection, keys, files, now, recovered: Vec::new() })
    }

    /// Opens a ledger and settles what an interrupted process left behind. Nothing is changed in a file
    /// that is not a ledger, was altered, or does not open with this secret. `now` is the time of every
    /// use of it: seconds since 1970.
    pub fn open(
        path: &Path,
        secret: &Secret,
        files: Box<dyn Files>,
        now: i64,
    ) -> Result<Self, Error> {
        place::remove_leftovers(path);
        let connection = schema::connect(path, WAIT)?;
        schema::examine(&connection, path)?;
        let sql = "SELECT lock FROM lock WHERE id = 0";
        let lock: Vec<u8> = connection.query_row(sql, [], |row| row.get(0))?;
        let keys = Keys::unlock(secret, &lock)?;
        let mut ledger = Self { connection, keys, files, now, recovered: Vec::new() };
        let head = ledger.book().head()?;
        // Before version 3 the head did not say which lock is the last.
        if head.version >= 3 && head.lock != Hash::of(&lock) {
            return Err(Kind::altered("the lock").into());
        }
        ledger.migrate()?;
        let recovered = ledger.settle()?;
        ledger.recovered.extend(recovered);
        Ok(ledger)
    }

    /// How long to wait for another process before saying that the ledger is busy: five seconds unless
    /// said otherwise.
    pub fn set_wait(&mut self, wait: Duration) -> Result<(), Error> {
        Ok(self.connection.busy_timeout(wait)?)
    }

    /// The permissions of the file, where others than its owner have any.
    pub fn is_open_to_others(&self) -> Option<u32> {
        #[cfg(unix)]
        {
            let metadata = std::fs::metadata(self.connection.path()?).ok()?;
            let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
            (mode & 0o077 != 0).then_some(mode)
        }
        #[cfg(not(unix))]
        None
    }

    /// Whether [`Ledger::check`] also covers the bytes of the file that nobody reads. That needs a SQLite that
    /// shows them (`SQLITE_ENABLE_DBPAGE_VTAB`); everything else is covered in every build.
    pub fn covers_unused_bytes(&self) -> Result<bool, Error> {
        scrub::shows_pages(&self.connection)
    }

    /// The interrupted releases that were found, and what became of them.
    pub fn recovered(&self) -> &[Recovered] {
        &self.recovered
    }

    /// The hash that covers every use and every entry so far. Kept elsewhere, it tells later whether an
    /// older copy was put in the ledger's place: see [`Ledger::has_been_at`].
    pub fn head(&self) -> Result<Hash, Error> {
        Ok(self.book().head()?.hash)
    }

    /// Whether `head` was ever the head of this ledger, also before everything was sealed anew.
    pub fn has_been_at(&self, head: &Hash) -> Result<bool, Error> {
        let has = |(logged, after): &(Use, Hash)| match &logged.what {
            What::Resealed { heads, .. } => after == head || heads.contains(head),
            _ => after == head,
        };
        Ok(self.book().uses()?.iter().any(has))
    }

    /// A name of the ledger that stays the same, whatever its secret and its head: what is known of it
    /// elsewhere can be found by it. It tells nothing of what is in it.
    pub fn id(&self) -> String {
        let mut id = String::new();
        for byte in self.keys.id() {
            let _ = write!(id, "{byte:02x}");
        }
        id
    }

    /// The series, in the order in which they began.
    pub fn series(&mut self) -> Result<Vec<Series>, Error> {
        self.read("the list of series", |book| {
            let summary = |(series, name)| {
                let releases = book.releases(series)?;
                let last = releases.last();
                Ok(Series {
                    name,
                    n_releases: last.map_or(0, |(release, _)| release.number),
                    n_people: last.map_or(0, |(release, _)| release.n_people),
                    time: last.map_or(0, |(release, _)| release.time),
                    head: last.map_or(Hash::default(), |(_, hash)| *hash),
                })
            };
            book.series()?.into_iter().map(summary).collect()
        })
    }

    /// The names of the series, also of those that the log names and that are gone. Without an entry in
    /// the log: for whoever checks one after the other, which is logged.
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let book = self.book();
        let mut names: Vec<String> = book.series()?.into_iter().map(|(_, name)| name).collect();
        let logged = book.logged_series()?;
        let gone: Vec<String> = logged.into_keys().filter(|name| !names.contains(name)).collect();
        names.extend(gone);
        Ok(names)
    }

    /// The releases of a series, each with the hash of its entry.
    pub fn releases(&mut self, series: &str) -> Result<Vec<(Release, Hash)>, Error> {
        self.read(&format!("the releases of `{series}`"), |book| {
            book.releases(book.find_series(series)?)
        })
    }

    /// What everybody has seen of a series. It reads all of it, and refuses books that are not as they
    /// were written.
    pub fn history(&mut self, series: &str) -> Result<History, Error> {
        self.read(&format!("the history of `{series}`"), |book| Ok(book.past(series)?.history))
    }

    /// What the methods remember of a series, by name.
    pub fn states(&mut self, series: &str) -> Result<Vec<(String, Vec<u8>)>, Error> {
        self.read(&format!("the states of `{series}`"), |book| {
            let number = book.find_series(series)?;
            let releases = book.releases(number)?;
            let read = |(name, release, hash): (&str, u32, Hash)| match book
                .state(number, release, name)?
            {
                Some((state, found)) if found == hash => Ok((name.to_owned(), state)),
                _ => Err(Kind::altered(format!("the state `{name}`")).into()),
            };
            states_of(&releases).into_iter().map(read).collect()
        })
    }

    /// Every use so far, the oldest first.
    pub fn uses(&mut self) -> Result<Vec<Use>, Error> {
        self.read("the log", |book| {
            Ok(book.uses()?.into_iter().map(|(logged, _)| logged).collect())
        })
    }

    /// Gives the ledger another secret, in one commit: from then on the one so far does not open it. What
    /// is sealed stays as it is, under the same key: whoever has an older copy of the file and the secret
    /// of that time reads the copy, and what is written later as well. [`Ledger::renew`] takes that away.
    pub fn rekey(&mut self, secret: &Secret) -> Result<(), Error> {
        let (now, lock) = (self.now, self.keys.lock(secret)?);
        self.use_(|book| {
            book.set_lock(&lock)?;
            book.log(now, What::Rekeyed, "done")?;
            Ok(())
        })
    }

    /// Gives the ledger another secret and another master key, and seals everything anew, in one commit:
    /// whoever knows a secret or a key of before reads copies of that time and nothing that is written from
    /// then on. Every hash changes; [`Ledger::has_been_at`] recognizes those of before.
    pub fn renew(&mut self, secret: &Secret) -> Result<(), Error> {
        let (now, keys) = (self.now, self.keys.renewed()?);
        let lock = keys.lock(secret)?;
        self.transact(|book| {
            let contents = Contents::read(book)?;
            let sql = "UPDATE lock SET lock = ?1 WHERE id = 0";
            book.connection.execute(sql, params![lock])?;
            let book = Book { keys: &keys, ..*book };
            contents.write(&book, now, What::Rekeyed)
        })?;
        self.keys = keys;
        // What was sealed before is not to stay on pages that are not used.
        self.settle()?;
        Ok(())
    }

    /// Begins the next release of a series, and the series with its first. Until the answer is dropped
    /// nobody else can use the ledger.
    pub fn begin(&mut self, series: &str) -> Result<Publishing<'_>, Error> {
        let begun = publishing::begin(self, series);
        if begun.is_err() {
            self.let_go();
        }
        let turn = self.log_failed(What::Abandoned { series: series.to_owned() }, begun)?;
        Ok(Publishing::new(self, turn))
    }

    pub(crate) fn book(&self) -> Book<'_> {
        Book { connection: &self.connection, keys: &self.keys }
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    pub(crate) fn now(&self) -> i64 {
        self.now
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Keeps the lock that a transaction has from one commit to the next: see `Publishing`. Not before there
    /// is one: who waits in this mode for a lock keeps what others must wait for.
    pub(crate) fn keep_lock(&self) -> Result<(), Error> {
        Ok(self.connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?)
    }

    /// Gives back what `locking_mode` keeps.
    pub(crate) fn let_go(&self) {
        // The lock goes with the next read; where that fails it goes with the process.
        let sql = "PRAGMA locking_mode = NORMAL; SELECT count(*) FROM pending";
        let _ = self.connection.execute_batch(sql);
    }

    /// A transaction in which nothing is pending and nothing is left to be overwritten.
    pub(crate) fn start(&mut self) -> Result<(), Error> {
        loop {
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
            match self.is_settled() {
                Ok(true) => return Ok(()),
                settled => {
                    self.connection.execute_batch("ROLLBACK")?;
                    settled?;
                }
            }
            let recovered = self.settle()?;
            self.recovered.extend(recovered);
        }
    }

    fn is_settled(&self) -> Result<bool, Error> {
        let book = self.book();
        Ok(book.pending()?.is_none() && !self.is_rewrite_due()?)
    }

    /// Whether the file is to be written anew: it has what was erased, or what nobody has scrubbed.
    fn is_rewrite_due(&self) -> Result<bool, Error> {
        let head = self.book().head()?;
        Ok(head.is_vacuum_due || !head.is_scrubbed() && self.covers_unused_bytes()?)
    }

    /// Settles what an interrupted process left behind.
    pub(crate) fn settle(&mut self) -> Result<Option<Recovered>, Error> {
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let book = Book { connection: &transaction, keys: &self.keys };
        if let Some(pending) = book.pending()? {
            let mut recovered = book.settle(&pending, &*self.files, self.now)?;
            scrub::all(&transaction)?;
            transaction.commit()?;
            if !recovered.is_published {
                let staged = pending.files.into_iter().map(|file| file.staged);
                recovered.left = staged.filter(|file| self.files.remove(file).is_err()).collect();
            }
            return Ok(Some(recovered));
        }
        if self.is_rewrite_due()? {
            drop(transaction);
            self.connection.execute_batch("VACUUM")?;
            self.write(|book| {
                book.set_vacuumed()?;
                scrub::all(book.connection)
            })?;
        }
        Ok(None)
    }

    /// Takes the file to the last version of the schema. It is to be written anew then.
    fn migrate(&mut self) -> Result<(), Error> {
        let now = self.now;
        self.write(|book| {
            let (expected, from) = (book.head()?.version, schema::version_of(book.connection)?);
            if from != expected {
                return Err(Kind::altered("the version of the schema").into());
            }
            if from == schema::VERSION {
                return schema::update(book.connection);
            }
            let contents = legacy::contents(book)?;
            schema::update(book.connection)?;
            contents.write(book, now, What::Migrated { from })
        })
    }

    /// A transaction that is committed if all goes well.
    fn write<T>(&self, work: impl FnOnce(&Book<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let answer = work(&Book { connection: &transaction, keys: &self.keys })?;
        transaction.commit()?;
        Ok(answer)
    }

    /// A transaction in a settled ledger that writes to the log and is committed if all goes well.
    pub(crate) fn use_<T>(
        &mut self,
        work: impl FnOnce(&Book<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.transact(|book| {
            let answer = work(book)?;
            scrub::after_writing(book.connection, scrub::USED)?;
            Ok(answer)
        })
    }

    /// A transaction in a settled ledger that is committed if all goes well. What it writes leaves the bytes
    /// that say nothing as `scrub` makes them.
    pub(crate) fn transact<T>(
        &mut self,
        work: impl FnOnce(&Book<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.start()?;
        let answer = work(&self.book());
        self.connection.execute_batch(if answer.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        answer
    }

    fn read<T>(
        &mut self,
        what: &str,
        work: impl FnOnce(&Book<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (now, what) = (self.now, What::Read { what: what.to_owned() });
        let answer = self.use_(|book| {
            let answer = work(book)?;
            book.log(now, what.clone(), "done")?;
            Ok(answer)
        });
        self.log_failed(what, answer)
    }

    /// The same answer, and a use in the log where it is an error: who asks for what is not there has
    /// learned that. Where another process has the ledger nothing was learned.
    pub(crate) fn log_failed<T>(
        &mut self,
        what: What,
        answer: Result<T, Error>,
    ) -> Result<T, Error> {
        let now = self.now;
        match answer {
            Err(error) if !matches!(error.kind(), Kind::Busy) => {
                let logged = self.use_(|book| book.log(now, what, &error.to_string()));
                // Books that are not as they were written may not be fit for a log either.
                if !matches!(error.kind(), Kind::Altered { .. }) {
                    logged?;
                }
                Err(error)
            }
            answer => answer,
        }
    }
}

//! The books of a series: what was released, encrypted and chained.
//!
//! # Promise
//! - One file, as sensitive as the data it is about. Whoever has it without its secret learns what stands in
//!   plain: how many series, releases, classes and uses there are; how many people each release and each
//!   series has, and how many were forgotten; roughly how long the texts of a class are and how many rows it
//!   has, which its release shows as well. Nobody's name, key, value, class or number is among it, nor who
//!   was held back, stayed, left or came back: rows about people all have one length, and names that are not
//!   alike from release to release.
//! - Whoever changes, swaps, doubles or deletes anything in it without the secret is found out by
//!   [`Ledger::check`] of the series it was about, also where the whole series is gone: the log names every
//!   entry, and [`Ledger::names`] the series of all of them. No series begins again in the place of one
//!   that is gone. The lock of an earlier secret put back does not open it.
//! - An older copy of the whole file put back in its place is a ledger like any other: it is found where a head
//!   is known that the ledger must have been at, by [`Ledger::has_been_at`], and not otherwise.
//! - Whatever happens to the process or the machine: a release is on the books and in its place, or
//!   neither.
//! - Of people it keeps the least that publishing needs: who is in which class, what a person's key becomes
//!   under a key of the ledger, and the value that was last published of the person. The value of somebody
//!   who is held back, and the text of a value that was never published, are not in it.
//!
//! # Which bytes are covered
//! Every one. What is read is sealed, chained or compared: each column of each row, the schema, the structure
//! of the file and its header. What nobody reads (gaps and free blocks inside pages, free pages, what follows
//! the end of a long row) is zero in every commit, and the counters that SQLite keeps in the header are those
//! that the sealed head names or agree with each other. A flipped byte is found by [`Ledger::check`], or
//! before, when the file is opened; [`Ledger::check_file`] is for a ledger without a series. What a process
//! leaves that is killed at any moment is what the last commit wrote, so that nobody cries wolf after a crash.
//!
//! Who uses a ledger without checking it may put a flipped byte right that nobody reads: where a page is
//! written again, what says nothing there becomes zero again. Of a file beyond 1 GiB one page is not covered,
//! the one at 1 GiB on which SQLite keeps its locks and to which nothing is ever written.
//!
//! Bytes that nobody reads are covered where SQLite shows them, which it does if it was compiled with
//! `SQLITE_ENABLE_DBPAGE_VTAB`, as it is in this repository. A program elsewhere sets
//! `LIBSQLITE3_FLAGS = "-DSQLITE_ENABLE_DBPAGE_VTAB"` in the `[env]` of its own `.cargo/config.toml`, or goes
//! without: then everything that somebody reads is covered as above, and [`Ledger::covers_unused_bytes`] says
//! so. Builds of both kinds use the same ledgers.
//!
//! # How a release gets on the books
//! 1. [`Ledger::begin`] takes the ledger for itself, and settles what an interrupted process left.
//! 2. The entry and all its rows are committed, together with a note that it is pending and the
//!    names and hashes of its files.
//! 3. The caller puts the files in their places.
//! 4. The note is removed and the release is logged, in one commit.
//!
//! The ledger is held from 1 to 4, so that nobody else ever sees the note of a process that lives.
//! Where one is found, its process is dead: if any of the files is in place, the release has been seen
//! and is completed; otherwise nobody has seen anything and it is undone.
//!
//! # What draws come from
//! Releases depend on random draws, and nobody is to know them ([`Publishing::secret`]). They come from the key
//! that recognizes people: it is random, made with the ledger, sealed in it, and kept by [`Ledger::rekey`] and
//! [`Ledger::renew`]. So a release that is asked for again, after a no or in a copy of the ledger, is drawn as
//! before: whoever asks until there is one does not choose among draws.
//!
//! # What it does not promise
//! Whoever has the secret can write any history: only a head that is kept elsewhere tells. Blocks of
//! the disk that the file system gave back may still hold sealed rows of people who were forgotten.

mod book;
mod check;
mod contents;
mod error;
mod forget;
mod hash;
mod keys;
mod ledger;
mod legacy;
mod pages;
mod place;
mod publishing;
mod records;
mod recover;
mod schema;
mod scrub;

pub use check::{Broken, Checked};
pub use error::{Error, Kind};
pub use forget::Forgotten;
pub use hash::Hash;
pub use keys::{Hardness, Secret};
pub use ledger::Ledger;
pub use publishing::{Published, Publishing};
pub use records::{
    Class, Counterfeit, Entry, Facts, LastShown, Member, Past, Release, Series, StagedFile,
    Standing, Use, What,
};
pub use recover::{Files, Recovered};

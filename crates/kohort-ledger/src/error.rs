//! Why the ledger could not do it, and the way on.

use std::io;

use kohort_core::{Command, Message, message};
use rusqlite::ErrorCode;

/// Could not do it: the kind says what, the text says where.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Kind>);

impl Error {
    /// An error of this kind.
    pub fn new(kind: Kind) -> Self {
        Self(Box::new(kind))
    }

    /// The kind, for callers that react to one.
    pub fn kind(&self) -> &Kind {
        &self.0
    }

    /// The way on, where there is one: a sentence for a `hint:` line.
    pub fn hint(&self) -> Option<Message> {
        if let Kind::Planted { .. } = &*self.0 {
            return Some(message!(
                "look at it, remove it, and see who may write to the folder; then {}",
                Command::SeriesCheck
            ));
        }
        let hint = match &*self.0 {
            Kind::Busy => Some("try again when the other process is done"),
            Kind::WrongKey => Some("give the passphrase or the key file it was created with"),
            Kind::NewerSchema { .. } => Some("use the newer version of kohort that wrote it"),
            Kind::Altered { .. } | Kind::Truncated { .. } => Some(
                "restore the ledger from its newest copy, and compare its head with the last \
                 receipt: releases that were published after the copy was made are not in it, \
                 and the next release does not protect people against them",
            ),
            Kind::Empty => Some(
                "restore the ledger from its newest copy: releases that were published after the \
                 copy was made are not in it, and the next release does not protect people \
                 against them; if nothing was ever published with it, remove the file",
            ),
            Kind::Open { .. } | Kind::Journal { .. } => Some(
                "check the permissions of the file and its folder: you must be able to read and \
                 write both, because every use is logged",
            ),
            Kind::ReadOnly => Some("every use is logged in the ledger: make it writable"),
            _ => None,
        };
        hint.map(Message::from)
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self::new(kind)
    }
}

/// The kinds of error. Names of series are quoted; keys of people and values never are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Kind {
    /// A secret that is too easily guessed.
    #[error("`{name}` must have {expected}, but has {found}")]
    Secret {
        /// Which secret.
        name: &'static str,
        /// How much there is of it.
        found: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// There is no file.
    #[error("there is no ledger: no such file")]
    NotFound,
    /// Something is there where a ledger is to be made.
    #[error("a ledger cannot be made where a file already is")]
    Exists,
    /// A file without bytes: not one of a process that was killed, as a ledger appears with all it has.
    #[error("the ledger is a file of 0 bytes: all of it is missing")]
    Empty,
    /// The file, or its folder, may not be opened.
    #[error("the ledger may not be opened")]
    Open {
        /// What the system said.
        source: io::Error,
    },
    /// The database could not open the file or the journal beside it.
    #[error("no permission to open the ledger or its journal")]
    Journal {
        /// What the database said.
        source: rusqlite::Error,
    },
    /// A file of another kind.
    #[error("the file is not a ledger")]
    NotALedger,
    /// A pipe or a device.
    #[error("the ledger must be a regular file")]
    NotAFile,
    /// Something stands beside the ledger that no use of it left there.
    #[error(
        "the file next to the ledger with its name and `{suffix}` is not one of its journals: \
         somebody else put it there"
    )]
    Planted {
        /// What follows the ledger's name.
        suffix: &'static str,
    },
    /// The end of the file is missing.
    #[error("the ledger must have {expected} bytes, but has {found}: its end is missing")]
    Truncated {
        /// What its header says.
        expected: u64,
        /// What there is.
        found: u64,
    },
    /// The passphrase or the key file is not the one it was made with.
    #[error("the passphrase or key file does not open the ledger")]
    WrongKey,
    /// What is read is not what was written.
    #[error("the ledger was altered or damaged: {what}")]
    Altered {
        /// Where.
        what: String,
    },
    /// Written by a later version.
    #[error("the ledger's schema must be at most {known}, but is {found}")]
    NewerSchema {
        /// The version of the file.
        found: u32,
        /// The last version that is known.
        known: u32,
    },
    /// Not to be written.
    #[error("the ledger cannot be written: it is read-only")]
    ReadOnly,
    /// Another process is publishing.
    #[error("the ledger is in use by another process")]
    Busy,
    /// A series that the ledger does not have.
    #[error("no series `{series}` in the ledger")]
    UnknownSeries {
        /// The name asked for.
        series: String,
    },
    /// A person who is not in a series. The key is not shown.
    #[error("series `{series}` has no such person")]
    UnknownPerson {
        /// The series.
        series: String,
    },
    /// An entry that contradicts itself.
    #[error("the entry of a release cannot be recorded: {what}")]
    Entry {
        /// What is wrong with it.
        what: String,
    },
    /// The files of the release could not be put in their places.
    #[error("the files of the release could not be put in place, and it is {outcome}")]
    NotInPlace {
        /// What became of the entry.
        outcome: String,
        /// What the caller said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// What an interrupted release left behind could not be settled.
    #[error("{path}: cannot clean up after an interrupted release")]
    Leftover {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The system gives no random bytes.
    #[error("the system gives no random bytes")]
    Random {
        /// What the system said.
        source: getrandom::Error,
    },
    /// The ledger's file could not be made.
    #[error("the ledger cannot be created")]
    Create {
        /// What the system said.
        source: io::Error,
    },
    /// The database failed: no space, no memory, a disk that fails.
    #[error("the ledger cannot be read or written")]
    Database {
        /// What the database said.
        source: rusqlite::Error,
    },
}

impl Kind {
    pub(crate) fn altered(what: impl Into<String>) -> Self {
        Self::Altered { what: what.into() }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let kind = match error.sqlite_error_code() {
            // A row, a column or a text is not what it must be.
            None => Kind::altered("a row"),
            Some(ErrorCode::NotADatabase) => Kind::NotALedger,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) => Kind::altered("the database"),
            Some(ErrorCode::ConstraintViolation) => Kind::altered("a row that must be alone"),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Kind::Busy,
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Kind::Journal { source: error }
            }
            Some(ErrorCode::ReadOnly) => Kind::ReadOnly,
            Some(_) => Kind::Database { source: error },
        };
        kind.into()
    }
}

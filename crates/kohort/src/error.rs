//! What can go wrong between a plan and its answer.

use std::fmt::Write;

use kohort_core::{Cancelled, Command, Message, Ratio, Setting, message};

use serde::{Deserialize, Serialize};

use crate::words::Words;

/// The answer no: nothing was written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct No {
    /// What cannot be had.
    #[serde(rename = "error")]
    pub problem: String,
    /// Why not.
    pub causes: Vec<String>,
    /// The promise that is out of reach for every release, where it is one alone.
    #[serde(default, deserialize_with = "crate::words::read")]
    pub promise: Option<Words>,
    /// The nearest level of it that is not, where it is known.
    pub nearest: Option<String>,
    /// The goals that `nearest` tells of, as values.
    #[serde(skip)]
    pub nearest_goals: Option<Box<NearestGoals>>,
    /// What to try instead.
    pub hint: Message,
}

/// The goals nearest to one that is out of reach, promise by promise.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestGoals(pub Vec<Vec<WithinReach>>);

/// A promise with the numbers at which it is within reach.
#[derive(Clone, Debug, PartialEq)]
pub struct WithinReach {
    /// The id of its model.
    pub model: &'static str,
    /// The attribute it is about, where it is about one.
    pub attribute: Option<String>,
    /// Its numbers by the names that a plan has for them.
    pub numbers: Vec<(&'static str, Ratio)>,
}

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

    /// The way on, where there is one to name.
    pub fn hint(&self) -> Option<Message> {
        match self.kind() {
            Kind::Io(error) => error.hint(),
            Kind::Ledger(error) => error.hint(),
            Kind::Database(error) => error.hint(),
            Kind::Core(error) => hint_about_values(error.kind()),
            Kind::Plan { .. } => {
                Some(message!("{} prints what a plan may hold, for your editor", Command::Schema))
            }
            Kind::NothingAsked => Some(message!(
                "name them with {}, or write a plan to start from with {}",
                Setting::Quasi.to("age,sex,zip"),
                Command::Inspect.on("DATA").and(Setting::Plan.to("plan.toml"))
            )),
            Kind::Refused { hint, .. } => Some(hint.clone()),
        }
    }

    /// What is wrong with a ledger that is not what was written, where that is the error.
    pub(crate) fn altered_ledger(&self) -> Option<&str> {
        match self.kind() {
            Kind::Ledger(error) => match error.kind() {
                kohort_ledger::Kind::Altered { what } => Some(what),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a person on a terminal may see beyond the message, when they ask for values.
    pub fn values(&self) -> Option<String> {
        const SHOWN: usize = 20;
        let Kind::Core(error) = self.kind() else { return None };
        let (kohort_core::Kind::NoLeaf { values, .. } | kohort_core::Kind::NoBucket { values, .. }) =
            error.kind()
        else {
            return None;
        };
        let mut text = String::new();
        for value in values.iter().take(SHOWN) {
            let _ = writeln!(text, "  {value}");
        }
        if values.len() > SHOWN {
            let _ = writeln!(text, "  … and {} more", values.len() - SHOWN);
        }
        Some(text)
    }
}

impl<K: Into<Kind>> From<K> for Error {
    fn from(kind: K) -> Self {
        Self::new(kind.into())
    }
}

/// The kinds of error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Kind {
    /// A file could not be read or written.
    #[error(transparent)]
    Io(#[from] kohort_io::Error),
    /// A table, taxonomy or parameter is not as it must be.
    #[error(transparent)]
    Core(#[from] kohort_core::Error),
    /// A database gave no table.
    #[error(transparent)]
    Database(#[from] kohort_db::Error),
    /// The ledger of a series could not do it.
    #[error(transparent)]
    Ledger(#[from] kohort_ledger::Error),
    /// A plan that does not say what a plan may say.
    #[error("{file}, line {line}, column {column}: {problem}{}", suggestion(nearest.as_deref()))]
    Plan {
        /// The plan file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        problem: String,
        /// The field that was probably meant.
        nearest: Option<String>,
    },
    /// No quasi-identifier was named.
    #[error("no quasi-identifier is named")]
    NothingAsked,
    /// A question that has no answer, with the reason.
    #[error("{reason}")]
    Refused {
        /// Why not.
        reason: Message,
        /// What to ask instead.
        hint: Message,
    },
}

/// Why there is no release.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// The answer is no: the goal cannot be reached, or what was made does not keep it. Nothing was written.
    #[error("{}", .0.causes.join("; "))]
    No(Box<No>),
    /// Whoever asked does not want an answer any more. Nothing was written.
    #[error("cancelled, and nothing was written")]
    Cancelled,
    /// It could not be done.
    #[error(transparent)]
    Error(Error),
}

impl From<No> for Stop {
    fn from(no: No) -> Self {
        Self::No(Box::new(no))
    }
}

impl From<Box<No>> for Stop {
    fn from(no: Box<No>) -> Self {
        Self::No(no)
    }
}

impl From<Cancelled> for Stop {
    fn from(Cancelled: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

/// The name that was probably meant, as the end of a message.
pub(crate) fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

/// The way on after an error of a table, a taxonomy or a parameter.
fn hint_about_values(kind: &kohort_core::Kind) -> Option<Message> {
    Some(match kind {
        kohort_core::Kind::UnknownColumn { .. } => {
            message!("{} lists the columns", Command::Inspect.on("DATA"))
        }
        kohort_core::Kind::NoLeaf { .. } => message!(
            "add them to the taxonomy; {} lists them",
            Command::TaxonomyCheck
                .on("FILE")
                .and(Setting::Data.to("DATA"))
                .and(Setting::Column.to("NAME"))
                .and(Setting::ShowValues)
        ),
        kohort_core::Kind::NoBucket { .. } => {
            "widen the ranges, or write `cuts`: the first and the last of their buckets are open, and no \
             number is left out"
                .into()
        }
        kohort_core::Kind::Value { column, .. } => message!(
            "set another type with {} or in the plan, or name the text that means a missing value with {}",
            Setting::Type.to(format!("{column}=text")),
            Setting::Missing
        ),
        kohort_core::Kind::Published { .. } | kohort_core::Kind::Unreadable { .. } => {
            "give the column in the plan the type and the taxonomy that the release was made with".into()
        }
        kohort_core::Kind::Masked { .. } => {
            "show the values, or leave the column out: masked cells are judged in single tables".into()
        }
        _ => return None,
    })
}

/// Refuses what is asked, with the way on.
pub(crate) fn refused(reason: impl Into<Message>, hint: impl Into<Message>) -> Error {
    Error::new(Kind::Refused { reason: reason.into(), hint: hint.into() })
}

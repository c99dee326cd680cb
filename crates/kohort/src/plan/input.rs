//! Where a table is: a file, or rows of a database.

use std::fmt;
use std::ops::Deref;
use std::path::Path;

use kohort_db::{Address, Password, Rows};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::error::refused;

/// A file, or rows of a database. It dereferences to the path or address.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(from = "Written", into = "Written")]
#[schemars(with = "Written")]
pub struct Input {
    source: String,
    /// The table of a database, where its address does not name one.
    pub table: Option<String>,
    /// What is asked of a database.
    pub query: Option<String>,
    /// What opens the database. It is in no plan file.
    pub password: Option<Password>,
}

/// How an input stands in a plan.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a path, an address of a database, or a table with `url` and `query`"
)]
enum Written {
    /// A path, or an address such as `postgres://user@host/database#table` or `sqlite:FILE#table`.
    Source(String),
    /// Rows of a database.
    Database(Database),
}

/// Rows of a database.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Database {
    /// The address: `postgres://user@host:5432/database` or `sqlite:FILE`.
    url: String,
    /// The table, such as `patients` or `ward.patients`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    /// Or the query whose rows are the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    query: Option<String>,
}

impl From<Written> for Input {
    fn from(written: Written) -> Self {
        match written {
            Written::Source(source) => source.into(),
            Written::Database(Database { url, table, query }) => {
                Self { source: url, table, query, password: None }
            }
        }
    }
}

impl From<Input> for Written {
    fn from(Input { source, table, query, .. }: Input) -> Self {
        if table.is_none() && query.is_none() {
            return Self::Source(source);
        }
        Self::Database(Database { url: source, table, query })
    }
}

impl From<String> for Input {
    fn from(source: String) -> Self {
        Self { source, ..Self::default() }
    }
}

impl From<&str> for Input {
    fn from(source: &str) -> Self {
        source.to_owned().into()
    }
}

impl Deref for Input {
    type Target = str;

    fn deref(&self) -> &str {
        &self.source
    }
}

// An address may hold a password by mistake.
impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = if self.is_database() { "a database" } else { &self.source };
        f.debug_tuple("Input").field(&shown).finish()
    }
}

impl Input {
    /// Whether it is in a database, and not in a file.
    pub fn is_database(&self) -> bool {
        Address::is_address(&self.source)
    }

    /// This input, whose path is what `path` makes of it. A server stays where it is.
    #[must_use]
    pub fn with_path(mut self, path: impl FnOnce(&str) -> String) -> Self {
        if let Some(file) = self.source.strip_prefix("sqlite:") {
            let (file, table) = file.split_at(file.find('#').unwrap_or(file.len()));
            self.source = format!("sqlite:{}{table}", path(file));
        } else if !self.is_database() {
            self.source = path(&self.source);
        }
        self
    }

    /// How it stands in a plan.
    pub fn toml(&self) -> String {
        let written = toml::Value::try_from(self);
        written.map_or_else(|_| String::new(), |written| written.to_string())
    }

    /// The database and the rows in it; none for a file. SQLite's file is relative to `folder`.
    ///
    /// # Errors
    /// When the address is none, or names no rows.
    pub fn database(&self, folder: &Path) -> Result<Option<(Address, Rows)>, Error> {
        if !self.is_database() {
            if self.table.is_some() || self.query.is_some() {
                return Err(refused(
                    "a table or query is named, and the input is no database",
                    "the address of a database starts with `postgres://` or `sqlite:`",
                ));
            }
            return Ok(None);
        }
        if self.table.is_some() && self.query.is_some() {
            return Err(refused("both a table and a query are named", "name one of them"));
        }
        let address = Address::parse(&self.source, folder)?;
        let rows = address.rows(self.table.as_deref(), self.query.as_deref())?;
        Ok(Some((address, rows)))
    }
}

//! What a database says about its tables: their names, how many rows they have, and what somebody declared about
//! their columns.
//!
//! # Promise
//! Nothing is changed. What a comment or label says is handed on as it is: it is metadata that somebody wrote
//! about a column, and whoever shows it decides how much of it to quote.

use kohort_core::{Missing, Table};

use crate::address::Database;
use crate::{Address, Error, Password, Rows, postgres, sqlite};

/// What a database declares about one column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The column.
    pub column: String,
    /// Its comment.
    pub comment: Option<String>,
    /// Its security labels, in the order of their providers.
    pub labels: Vec<String>,
}

/// A first look at a table.
#[derive(Debug)]
pub struct Look {
    /// How many rows there are.
    pub n_rows: u64,
    /// The first rows, without the columns that are not read; none where there are no rows or no columns.
    pub table: Option<Table>,
    /// The columns whose values are no single values, each with its type.
    pub unread: Vec<(String, String)>,
    /// What is declared about the columns.
    pub declared: Vec<Declared>,
}

/// Which tables of a database are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tables {
    /// All that this user sees.
    All,
    /// Those of a schema.
    Of(String),
}

/// A connection for questions about tables.
pub struct Catalog(Inner);

enum Inner {
    Postgres(Box<postgres::Catalog>),
    Sqlite(Box<sqlite::Catalog>),
}

impl Catalog {
    /// Opens a database for questions about its tables.
    ///
    /// # Errors
    /// When the database is not there, or refuses.
    pub fn open(address: &Address, password: Option<&Password>) -> Result<Self, Error> {
        Ok(Self(match &address.database {
            Database::Postgres(server) => {
                Inner::Postgres(Box::new(postgres::Catalog::open((address, server), password)?))
            }
            Database::Sqlite(path) => {
                Inner::Sqlite(Box::new(sqlite::Catalog::open((address, path))?))
            }
        }))
    }

    /// The names of tables and views, sorted, each as it may stand after `#` in an address. What an extension
    /// or the database itself brings is left out.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn tables(&mut self, of: &Tables) -> Result<Vec<String>, Error> {
        match &mut self.0 {
            Inner::Postgres(catalog) => catalog.tables(of),
            Inner::Sqlite(catalog) => catalog.tables(of),
        }
    }

    /// The number of rows of a table, and the first of them.
    ///
    /// # Errors
    /// When the table is not there, or may not be read. The catalog can be asked again.
    pub fn look(&mut self, table: &str, most: u64, missing: &Missing) -> Result<Look, Error> {
        match &mut self.0 {
            Inner::Postgres(catalog) => catalog.look(table, most, missing),
            Inner::Sqlite(catalog) => catalog.look(table, most, missing),
        }
    }

    /// What is declared about the columns of some rows: for a query, about those that it takes from a table as
    /// they are. SQLite declares nothing.
    ///
    /// # Errors
    /// When the rows are not there.
    pub fn declared(&mut self, rows: &Rows) -> Result<Vec<Declared>, Error> {
        match &mut self.0 {
            Inner::Postgres(catalog) => catalog.declared(rows),
            Inner::Sqlite(_) => Ok(Vec::new()),
        }
    }
}

/// A name as it may stand in an address: in quotes where a part of it would be taken for two.
pub(crate) fn shown_name(parts: &[&str]) -> String {
    let is_plain = |part: &&str| !part.contains(['.', '"', '#', '*']);
    if parts.iter().all(is_plain) {
        return parts.join(".");
    }
    parts.iter().map(|part| crate::address::quoted(part)).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::shown_name;
    use crate::address::quoted_name;

    #[test]
    fn a_listed_name_leads_to_its_table() {
        for (parts, shown, sql) in [
            (["ward", "patients"], "ward.patients", "\"ward\".\"patients\""),
            (["a.b", "c\"d"], "\"a.b\".\"c\"\"d\"", "\"a.b\".\"c\"\"d\""),
        ] {
            assert_eq!(shown_name(&parts), shown);
            assert_eq!(quoted_name(shown), sql);
        }
    }
}

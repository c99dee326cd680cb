//! What is in a database: its tables with their rows and proposed roles, and what it declares about columns.
//!
//! ```no_run
//! use kohort::catalog::tables;
//! use kohort::plan::{Input, Plan};
//!
//! let plan = Plan { input: Some(Input::from("postgres://host/hospital".to_owned())), ..Plan::new() };
//! for listed in tables(&plan, &|_, _| {})?.unwrap_or_default() {
//!     if let Ok(seen) = listed.seen {
//!         println!("{}: {} rows", listed.name, seen.n_rows);
//!     }
//! }
//! # Ok::<(), kohort::Error>(())
//! ```

use kohort_db::{Address, Catalog, Declared};

use crate::Error;
use crate::classify::{Proposal, propose, propose_declared};
use crate::error::refused;
use crate::load::options;
use crate::plan::Plan;

/// How many rows of each table are looked at.
pub const FIRST_ROWS: u64 = 10_000;

/// A table of a database.
#[derive(Debug)]
pub struct Listed {
    /// Its name, as it may stand after `#` in an address.
    pub name: String,
    /// What was seen of it, or why nothing could be.
    pub seen: Result<Seen, Error>,
}

/// What the first rows of a table tell.
#[derive(Debug)]
pub struct Seen {
    /// The number of all rows.
    pub n_rows: u64,
    /// The proposed roles of the columns that can be read.
    pub proposals: Vec<Proposal>,
    /// The columns whose values are no single values, each with its type.
    pub unread: Vec<(String, String)>,
}

/// The tables of the database that a plan reads, where it names no single table: all of them, or with
/// `schema.*` those of a schema. `progress` is called with the tables that have been looked at and their number.
///
/// # Errors
/// When the database is not there, or refuses; a table that may not be read is listed.
pub fn tables(plan: &Plan, progress: &dyn Fn(u64, u64)) -> Result<Option<Vec<Listed>>, Error> {
    let Some(input) = plan.input.as_ref().filter(|input| input.is_database()) else {
        return Ok(None);
    };
    let address = Address::parse(input, &plan.folder)?;
    let Some(of) = address.tables(input.table.as_deref(), input.query.as_deref()) else {
        return Ok(None);
    };
    let missing = options(&plan.read)?.missing;
    let mut catalog = Catalog::open(&address, input.password.as_ref())?;
    let names = catalog.tables(&of)?;
    if names.is_empty() {
        return Err(refused(
            format!("{address}: there are no tables that you may see"),
            "name a schema as `schema.*`, or ask for `GRANT USAGE ON SCHEMA …`",
        ));
    }
    let n = names.len() as u64;
    let mut listed = Vec::new();
    for (done, name) in (0..).zip(names) {
        progress(done, n);
        let look = catalog.look(&name, FIRST_ROWS, &missing);
        let seen = look.map_err(Error::from).map(|look| Seen {
            n_rows: look.n_rows,
            proposals: look
                .table
                .map_or_else(Vec::new, |table| propose_declared(&table, &look.declared)),
            unread: look.unread,
        });
        listed.push(Listed { name, seen });
    }
    Ok(Some(listed))
}

/// The proposed roles of a table that was read from the input of a plan, with what a database declares about its
/// columns.
///
/// # Errors
/// When the database is not there any more.
pub fn proposals(plan: &Plan, table: &kohort_core::Table) -> Result<Vec<Proposal>, Error> {
    let declared: Vec<Declared> = match &plan.input {
        Some(input) => match input.database(&plan.folder)? {
            Some((address, rows)) => {
                Catalog::open(&address, input.password.as_ref())?.declared(&rows)?
            }
            None => Vec::new(),
        },
        None => Vec::new(),
    };
    Ok(if declared.is_empty() { propose(table) } else { propose_declared(table, &declared) })
}

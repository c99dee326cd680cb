//! What PostgreSQL says about its tables.

use kohort_core::Missing;
use postgres::{Client, Statement};

use super::{connect, failed, how, rows_of, tls};
use crate::address::{Server, quoted, quoted_name};
use crate::catalog::{Declared, Look, Tables, shown_name};
use crate::{Address, Error, Kind, Password, Rows};

/// Tables and views that this user sees, without those of PostgreSQL and of extensions. A part of a partitioned
/// table is no table of its own.
const TABLES: &str = "
    SELECT n.nspname::text, c.relname::text
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
        AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
        AND ($1::text IS NULL OR n.nspname = $1::text)
        AND NOT EXISTS (SELECT FROM pg_depend d
            WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ORDER BY n.nspname::text COLLATE \"C\", c.relname::text COLLATE \"C\"";

/// The comment and the security labels of a column of a table.
const DECLARED: &str = "
    SELECT col_description($1, $2), ARRAY(
        SELECT label FROM pg_seclabels
        WHERE classoid = 'pg_class'::regclass AND objoid = $1 AND objsubid = $2
        ORDER BY provider COLLATE \"C\")";

/// A transaction that is read-only and sees one state. It ends with the connection.
pub(crate) struct Catalog {
    client: Client,
    address: Address,
    was_given: bool,
}

impl Catalog {
    pub(crate) fn open(
        (address, server): (&Address, &Server),
        password: Option<&Password>,
    ) -> Result<Self, Error> {
        let was_given = password.is_some();
        let client = connect((address, server), password, tls(address, server)?)?;
        let mut catalog = Self { client, address: address.clone(), was_given };
        let timeout = server.statement_timeout.as_millis();
        catalog.run(&format!(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = {timeout}; SET \
             LOCAL idle_in_transaction_session_timeout = 0"
        ))?;
        Ok(catalog)
    }

    pub(crate) fn tables(&mut self, of: &Tables) -> Result<Vec<String>, Error> {
        let schema = match of {
            Tables::All => None,
            Tables::Of(schema) => Some(schema.as_str()),
        };
        let (address, was_given) = (&self.address, self.was_given);
        let found = self.client.query(TABLES, &[&schema]);
        let found = found.map_err(|error| failed(address, &error, was_given))?;
        Ok(found.iter().map(|row| shown_name(&[row.get(0), row.get(1)])).collect())
    }

    /// What goes wrong with one table does not end the transaction.
    pub(crate) fn look(
        &mut self,
        table: &str,
        most: u64,
        missing: &Missing,
    ) -> Result<Look, Error> {
        self.run("SAVEPOINT kohort_look")?;
        let look = self.look_at(table, most, missing);
        let back = if look.is_ok() { "RELEASE" } else { "ROLLBACK TO" };
        self.run(&format!("{back} SAVEPOINT kohort_look"))?;
        look
    }

    fn look_at(&mut self, table: &str, most: u64, missing: &Missing) -> Result<Look, Error> {
        let rows = Rows::Table(table.to_owned());
        let statement = self.prepare(&rows)?;
        let declared = self.declared_of(&statement)?;
        let (mut unread, mut list) = (Vec::new(), Vec::new());
        for column in statement.columns() {
            if how(column.type_()).is_some() {
                list.push(quoted(column.name()));
            } else {
                let found = column.type_().name().trim_start_matches('_').to_owned();
                unread.push((column.name().to_owned(), found));
            }
        }
        let name = quoted_name(table);
        let (address, was_given) = (&self.address, self.was_given);
        let of_server = |error: postgres::Error| failed(address, &error, was_given);
        let counted = self.client.query_one(&format!("SELECT count(*) FROM {name}"), &[]);
        let n_rows: i64 = counted.map_err(of_server)?.get(0);
        let n_rows = n_rows.unsigned_abs();
        let table = if n_rows == 0 || list.is_empty() {
            None
        } else {
            let first = format!("SELECT {} FROM {name} LIMIT {most}", list.join(", "));
            let given = (address, was_given);
            let first = Rows::Query(first);
            Some(rows_of(&mut self.client, given, &first, missing, &|_, _| {})?.table)
        };
        Ok(Look { n_rows, table, unread, declared })
    }

    pub(crate) fn declared(&mut self, rows: &Rows) -> Result<Vec<Declared>, Error> {
        let statement = self.prepare(rows)?;
        self.declared_of(&statement)
    }

    fn declared_of(&mut self, statement: &Statement) -> Result<Vec<Declared>, Error> {
        let (address, was_given) = (&self.address, self.was_given);
        let mut all = Vec::new();
        for column in statement.columns() {
            let mut declared = Declared { column: column.name().to_owned(), ..Declared::default() };
            if let (Some(table), Some(number)) = (column.table_oid(), column.column_id()) {
                let found = self.client.query_one(DECLARED, &[&table, &i32::from(number)]);
                let found = found.map_err(|error| failed(address, &error, was_given))?;
                (declared.comment, declared.labels) = (found.get(0), found.get(1));
            }
            all.push(declared);
        }
        Ok(all)
    }

    fn prepare(&mut self, rows: &Rows) -> Result<Statement, Error> {
        let prepared = self.client.prepare(&rows.sql());
        let statement = prepared.map_err(|error| failed(&self.address, &error, self.was_given))?;
        if statement.columns().is_empty() {
            return Err(Kind::Writes { address: self.address.to_string() }.into());
        }
        Ok(statement)
    }

    fn run(&mut self, sql: &str) -> Result<(), Error> {
        let done = self.client.batch_execute(sql);
        done.map_err(|error| failed(&self.address, &error, self.was_given))
    }
}

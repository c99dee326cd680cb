//! A table of PostgreSQL that is about to be written, in one transaction.
//!
//! # Method
//! 1. *Open.* A lock that lasts as long as the transaction keeps other writers of the same table out; rights
//!    are looked at before the work.
//! 2. *Stage.* New tables under names of their own. Nobody else sees them before the transaction ends.
//! 3. *Publish.* An earlier table of the name hands its owner, grants and comments on and is dropped; the new
//!    one takes its name; the transaction ends. Where views hang on the earlier table, PostgreSQL refuses.

use std::io::Write as _;

use arrow_array::Array as _;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use kohort_core::{Missing, Table};
use kohort_io::{RecordBatches, batches_of};
use postgres::Client;

use super::{connect, failed, rows_of, tls};
use crate::address::{Server, quoted, quoted_name};
use crate::target::names;
use crate::{Address, Error, Kind, Password, Rows};

/// The longest name that PostgreSQL does not cut.
const LONGEST_NAME: usize = 63;

/// How many bytes are handed on at once.
const CHUNK: usize = 64 << 10;

/// A table that is about to be written. The connection closes with it, and undoes what was not published.
pub(crate) struct Target {
    client: Client,
    address: Address,
    was_given: bool,
    schema: String,
    places: [Place; 2],
    /// How many of the places have been staged.
    n_staged: usize,
}

/// Where a table goes.
struct Place {
    name: String,
    staging: String,
    /// The table that has the name already.
    earlier: Option<u32>,
}

impl Target {
    pub(crate) fn open(
        (address, server): (&Address, &Server),
        name: &str,
        password: Option<&Password>,
    ) -> Result<Self, Error> {
        let was_given = password.is_some();
        let failed = |error: postgres::Error| failed(address, &error, was_given);
        let mut client = connect((address, server), password, tls(address, server)?)?;
        // The work may take longer than a server lets a transaction wait.
        let timeout = server.statement_timeout.as_millis();
        client
            .batch_execute(&format!(
                "BEGIN READ WRITE; SET LOCAL statement_timeout = {timeout}; \
                 SET LOCAL idle_in_transaction_session_timeout = 0"
            ))
            .map_err(failed)?;
        let row = client
            .query_one("SELECT parse_ident($1), current_schema()::text", &[&quoted_name(name)])
            .map_err(failed)?;
        let (mut parts, current): (Vec<String>, Option<String>) = (row.get(0), row.get(1));
        let table = parts.pop().unwrap_or_default();
        let schema = parts.pop().or(current);
        let target =
            format!("{}{table}", schema.as_ref().map_or(String::new(), |s| format!("{s}.")));
        let refuse = |problem: &str, hint: &'static str| -> Error {
            let (address, problem) = (address.to_string(), problem.to_owned());
            Kind::Target { address, table: target.clone(), problem, hint }.into()
        };
        let Some(schema) = schema.filter(|_| parts.is_empty()) else {
            return Err(refuse("no schema for it is named", "name it as `schema.table`"));
        };
        let pid: i32 = client.query_one("SELECT pg_backend_pid()", &[]).map_err(failed)?.get(0);
        let mut places = names(&table).map(|name| Place {
            staging: format!("kohort_staging_{pid}_{name}").chars().take(40).collect(),
            name,
            earlier: None,
        });
        if places.iter().any(|place| place.name.len() > LONGEST_NAME) {
            return Err(refuse("the name is too long", "choose a name of at most 53 bytes"));
        }
        places[1].staging.push_str("_values");
        let rights = client
            .query_opt(
                "SELECT has_schema_privilege(n.oid, 'CREATE'), \
                 pg_try_advisory_xact_lock(hashtextextended('kohort ' || $1 || '.' || $2, 0)) \
                 FROM pg_namespace n WHERE n.nspname = $1",
                &[&schema, &table],
            )
            .map_err(failed)?;
        let Some(rights) = rights else {
            return Err(refuse("there is no such schema", "create it, or name another"));
        };
        if !rights.get::<_, bool>(0) {
            return Err(refuse(
                "you may not create tables in this schema",
                "ask for `GRANT CREATE ON SCHEMA …`, or name another schema",
            ));
        }
        if !rights.get::<_, bool>(1) {
            return Err(Kind::Busy { address: address.to_string(), table: target }.into());
        }
        for place in &mut places {
            place.earlier = replaceable(&mut client, (&schema, &place.name), &failed, &refuse)?;
        }
        Ok(Self { client, address: address.clone(), was_given, schema, places, n_staged: 0 })
    }

    pub(crate) fn earlier(&mut self, missing: &Missing) -> Result<Vec<Table>, Error> {
        let there = self.places.iter().filter(|place| place.earlier.is_some());
        let names: Vec<String> = there.map(|place| self.full_name(&place.name)).collect();
        names.into_iter().map(|name| self.rows(name, missing)).collect()
    }

    pub(crate) fn stage(&mut self, tables: &[&Table]) -> Result<(), Error> {
        for (at, table) in tables.iter().enumerate() {
            let name = self.full_name(&self.places[at].staging);
            self.write(&name, table)?;
            self.n_staged = at + 1;
        }
        Ok(())
    }

    pub(crate) fn read(&mut self, missing: &Missing) -> Result<Vec<Table>, Error> {
        let staged = &self.places[..self.n_staged];
        let names: Vec<String> =
            staged.iter().map(|place| self.full_name(&place.staging)).collect();
        names.into_iter().map(|name| self.rows(name, missing)).collect()
    }

    pub(crate) fn publish(mut self) -> Result<Vec<String>, Error> {
        let mut published = Vec::new();
        for at in 0..self.n_staged {
            let Place { name, staging, earlier } = &self.places[at];
            let (name, earlier) = (name.clone(), *earlier);
            let staged = self.full_name(staging);
            self.refuse_another(&name, earlier)?;
            if let Some(earlier) = earlier {
                let handed_on = self.handed_on(earlier, &staged)?;
                let drop = format!("DROP TABLE {}", self.full_name(&name));
                self.execute(&[drop], &handed_on)?;
            }
            let rename = format!("ALTER TABLE {staged} RENAME TO {}", quoted(&name));
            self.execute(&[rename], &[])?;
            published.push(format!("{}#{}.{name}", self.address, self.schema));
        }
        self.commit(&published)?;
        Ok(published)
    }

    /// Where the connection breaks before the answer comes, nobody here can tell what became of it.
    fn commit(&mut self, published: &[String]) -> Result<(), Error> {
        let committed = self.execute(&["COMMIT".to_owned()], &[]);
        let Err(error) = &committed else { return Ok(()) };
        if !matches!(error.kind(), Kind::Connection { .. }) {
            return committed;
        }
        let table = published.first().and_then(|place| place.split_once('#'));
        Err(Kind::Target {
            address: self.address.to_string(),
            table: table.map_or_else(String::new, |(_, table)| table.to_owned()),
            problem: "the connection broke as the release was put in place: either all of it is there, or what \
                      was there before"
                .into(),
            hint: "look at the table, or run the command again: a release replaces another as a whole",
        }
        .into())
    }

    /// Refuses to replace a table that came after the one that was looked at. It waits for whoever is
    /// reading or writing there.
    fn refuse_another(&mut self, name: &str, earlier: Option<u32>) -> Result<(), Error> {
        let full_name = self.full_name(name);
        let (address, was_given) = (&self.address, self.was_given);
        let failed = |error: postgres::Error| failed(address, &error, was_given);
        let another = || -> Error {
            Kind::Target {
                address: address.to_string(),
                table: format!("{}.{name}", self.schema),
                problem: "somebody else has put another table there meanwhile".into(),
                hint: "look at it, and run the command again",
            }
            .into()
        };
        let found = "SELECT to_regclass($1)::oid";
        if self.client.query_one(found, &[&full_name]).map_err(failed)?.get::<_, Option<u32>>(0)
            != earlier
        {
            return Err(another());
        }
        if earlier.is_none() {
            return Ok(());
        }
        let lock = format!("LOCK TABLE {full_name} IN ACCESS EXCLUSIVE MODE");
        self.client.batch_execute(&lock).map_err(failed)?;
        let found = self.client.query_one(found, &[&full_name]).map_err(failed)?;
        if found.get::<_, Option<u32>>(0) == earlier { Ok(()) } else { Err(another()) }
    }

    fn full_name(&self, name: &str) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(name))
    }

    fn rows(&mut self, name: String, missing: &Missing) -> Result<Table, Error> {
        let given = (&self.address, self.was_given);
        Ok(rows_of(&mut self.client, given, &Rows::Table(name), missing, &|_, _| {})?.table)
    }

    fn execute(&mut self, first: &[String], then: &[String]) -> Result<(), Error> {
        let statements = [first, then].concat().join("; ");
        let answer = self.client.batch_execute(&statements);
        answer.map_err(|error| failed(&self.address, &error, self.was_given))
    }

    /// Makes a table and copies the rows into it.
    fn write(&mut self, name: &str, table: &Table) -> Result<(), Error> {
        let typed = typed(table)?;
        let mut columns = Vec::new();
        for (column, field) in table.columns().iter().zip(typed.schema.fields()) {
            let bytes = column.name().len();
            if bytes == 0 || bytes > LONGEST_NAME {
                return Err(Kind::ColumnName {
                    address: self.address.to_string(),
                    column: column.name().to_owned(),
                }
                .into());
            }
            columns.push(format!("{} {}", quoted(column.name()), type_of(field.data_type())));
        }
        self.execute(&[format!("CREATE TABLE {name} ({})", columns.join(", "))], &[])?;
        let cells: Vec<Vec<String>> = table
            .columns()
            .iter()
            .map(|column| column.dictionary().iter().map(escaped).collect())
            .collect();
        let (address, was_given) = (&self.address, self.was_given);
        let of_server = |error: postgres::Error| failed(address, &error, was_given);
        let of_stream = |error: std::io::Error| super::broken(address, &error);
        let mut writer =
            self.client.copy_in(&format!("COPY {name} FROM STDIN")).map_err(of_server)?;
        let mut line = Vec::with_capacity(CHUNK + 1024);
        let nulls = &typed.batches[0];
        for row in 0..table.n_rows() {
            kohort_core::alive_at(row);
            for (at, column) in table.columns().iter().enumerate() {
                if at > 0 {
                    line.push(b'\t');
                }
                if nulls.column(at).is_null(row) {
                    line.extend(b"\\N");
                } else {
                    line.extend(cells[at][column.codes().get(row) as usize].as_bytes());
                }
            }
            line.push(b'\n');
            if line.len() >= CHUNK {
                writer.write_all(&line).map_err(of_stream)?;
                line.clear();
            }
        }
        writer.write_all(&line).map_err(of_stream)?;
        writer.finish().map_err(of_server)?;
        Ok(())
    }

    /// The statements that give the staged table what the earlier one has: its owner, and the comments and
    /// grants on it and on columns that are there again; nobody else's.
    fn handed_on(&mut self, earlier: u32, staged: &str) -> Result<Vec<String>, Error> {
        let (address, was_given) = (&self.address, self.was_given);
        let failed = |error: postgres::Error| failed(address, &error, was_given);
        let rows = self.client.query(HANDED_ON, &[&earlier, &staged]).map_err(failed)?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }
}

/// What the table `$2` takes over from the table `$1`, as statements: it is revoked what a new table is granted
/// by default, and granted what the other one is.
const HANDED_ON: &str = "
    WITH of_table AS (SELECT * FROM pg_class WHERE oid = $1),
    fresh AS (SELECT * FROM pg_class WHERE oid = $2::text::regclass),
    of_column AS (
        SELECT one.attname, one.attnum, one.attacl
        FROM pg_attribute one JOIN pg_attribute other ON other.attname = one.attname
        WHERE one.attrelid = $1 AND other.attrelid = $2::text::regclass
            AND one.attnum > 0 AND other.attnum > 0 AND NOT one.attisdropped AND NOT other.attisdropped),
    granted AS (
        SELECT acl.privilege_type || '' AS what, acl.grantee, acl.is_grantable
        FROM of_table, aclexplode(relacl) AS acl
        UNION ALL
        SELECT acl.privilege_type || ' (' || quote_ident(attname) || ')', acl.grantee, acl.is_grantable
        FROM of_column, aclexplode(attacl) AS acl)
    SELECT statement FROM (
        SELECT 1 AS turn, format('REVOKE ALL ON %s FROM %s', $2::text,
            CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(acl.grantee)) END) AS statement
        FROM fresh, aclexplode(relacl) AS acl WHERE acl.grantee <> fresh.relowner
        UNION ALL
        SELECT 2, format('ALTER TABLE %s OWNER TO %I', $2::text, pg_get_userbyid(of_table.relowner))
        FROM of_table, fresh WHERE of_table.relowner <> fresh.relowner
        UNION ALL
        SELECT 3, format('GRANT %s ON %s TO %s%s', what, $2::text,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
            CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM granted WHERE grantee <> (SELECT relowner FROM of_table)
        UNION ALL
        SELECT 4, format('COMMENT ON TABLE %s IS %L', $2::text, obj_description($1, 'pg_class'))
        WHERE obj_description($1, 'pg_class') IS NOT NULL
        UNION ALL
        SELECT 4, format('COMMENT ON COLUMN %s.%I IS %L', $2::text, attname, col_description($1, attnum))
        FROM of_column WHERE col_description($1, attnum) IS NOT NULL
    ) AS statements ORDER BY turn, statement";

/// The table of that name, if there is one and it can be replaced.
fn replaceable(
    client: &mut Client,
    (schema, name): (&String, &String),
    failed: &impl Fn(postgres::Error) -> Error,
    refuse: &impl Fn(&str, &'static str) -> Error,
) -> Result<Option<u32>, Error> {
    let found = client
        .query_opt(
            "SELECT c.oid, c.relkind = 'r' AND NOT c.relispartition, pg_has_role(c.relowner, 'USAGE'), \
             c.relrowsecurity FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = $1 AND c.relname = $2",
            &[schema, name],
        )
        .map_err(failed)?;
    let Some(found) = found else { return Ok(None) };
    if !found.get::<_, bool>(1) {
        return Err(refuse("is no ordinary table", "name another table"));
    }
    if !found.get::<_, bool>(2) {
        return Err(refuse("belongs to somebody else", "name another table, or become its owner"));
    }
    if found.get::<_, bool>(3) {
        return Err(refuse(
            "has row security, which a new table would not have",
            "name another table, or drop this one first",
        ));
    }
    Ok(Some(found.get(0)))
}

/// The rows, with dates and times as such where every cell of a column is one.
fn typed(table: &Table) -> Result<RecordBatches, Error> {
    let mut found = batches_of(table, None)?;
    let time =
        |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
    for asked in [DataType::Date32, time(None), time(Some("+00:00"))] {
        let fields = found.schema.fields().iter().zip(found.batches[0].columns());
        let fields = fields.map(|(field, cells)| {
            let has_texts = cells.null_count() < cells.len();
            match field.data_type() {
                DataType::Utf8 if has_texts => Field::new(field.name(), asked.clone(), true),
                other => Field::new(field.name(), other.clone(), true),
            }
        });
        found = batches_of(table, Some(&Schema::new(fields.collect::<Vec<_>>())))?;
    }
    Ok(found)
}

/// The type of a column that holds every value of one of Arrow's and gives its text back.
fn type_of(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Boolean => "boolean",
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::UInt8 | DataType::UInt16 => {
            "integer"
        }
        DataType::Int64 | DataType::UInt32 => "bigint",
        DataType::Float64 => "double precision",
        DataType::Date32 => "date",
        DataType::Timestamp(
            TimeUnit::Second | TimeUnit::Millisecond | TimeUnit::Microsecond,
            zone,
        ) => {
            if zone.is_some() {
                "timestamptz"
            } else {
                "timestamp"
            }
        }
        _ => "text",
    }
}

/// A text as COPY takes it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            other => escaped.push(other),
        }
    }
    escaped
}

//! A transaction of PostgreSQL in which questions are asked.

use kohort_core::{Missing, ValueType};
use postgres::types::{Kind as TypeKind, Type};
use postgres::{Client, SimpleQueryMessage};

use super::{connect, failed, how, tls};
use crate::address::{Server, quoted};
use crate::copy::Sent;
use crate::session::{Answer, Reading};
use crate::{Address, Error, Kind, Password, Rows};

/// The characters that show nothing, as `kohort_core::visible` leaves them out.
const SHOWS_NOTHING: &str = "[\\u0001-\\u0008\\u000e-\\u001f\\u007f-\\u0084\\u0086-\\u009f\\u00ad\\u034f\\u061c\\u115f-\\u1160\\u17b4-\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]";

/// The characters that are blank, as Unicode has them.
const BLANK: &str = " \\t\\n\\x0b\\f\\r\\u0085\\u00a0\\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005\\u2006\\u2007\\u2008\\u2009\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/// A transaction that is read-only and sees one state. It ends with the connection.
pub(crate) struct Session {
    client: Client,
    address: Address,
    was_given: bool,
    missing: Missing,
}

impl Session {
    pub(crate) fn open(
        (address, server): (&Address, &Server),
        password: Option<&Password>,
        missing: &Missing,
    ) -> Result<Self, Error> {
        let was_given = password.is_some();
        let client = connect((address, server), password, tls(address, server)?)?;
        let missing = missing.clone();
        let mut session = Self { client, address: address.clone(), was_given, missing };
        let timeout = server.statement_timeout.as_millis();
        session.run(&format!(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = {timeout}; SET \
             LOCAL standard_conforming_strings = on; SET LOCAL idle_in_transaction_session_timeout = 0"
        ))?;
        let encoding = session.ask("SHOW server_encoding")?;
        match encoding.rows.first().and_then(|row| row[0].as_deref()) {
            Some("UTF8") => Ok(session),
            other => {
                let (address, found) = (address.to_string(), other.unwrap_or("unknown"));
                let problem = format!(
                    "texts are only compared in a database whose encoding is UTF8, and it is {found}"
                );
                Err(Kind::Query { address, problem }.into())
            }
        }
    }

    fn run(&mut self, sql: &str) -> Result<(), Error> {
        let done = self.client.batch_execute(sql);
        done.map_err(|error| failed(&self.address, &error, self.was_given))
    }

    fn types(&mut self, rows: &Rows) -> Result<Vec<(String, Type)>, Error> {
        let prepared = self.client.prepare(&rows.sql());
        let statement = prepared.map_err(|error| failed(&self.address, &error, self.was_given))?;
        if statement.columns().is_empty() {
            return Err(Kind::Writes { address: self.address.to_string() }.into());
        }
        let columns = statement.columns().iter();
        Ok(columns.map(|column| (column.name().to_owned(), column.type_().clone())).collect())
    }

    pub(crate) fn columns(&mut self, rows: &Rows) -> Result<Vec<String>, Error> {
        Ok(self.types(rows)?.into_iter().map(|(name, _)| name).collect())
    }

    pub(crate) fn reading(
        &mut self,
        rows: &Rows,
        column: &str,
        asked: Option<ValueType>,
    ) -> Result<Reading, Error> {
        let declared = self.types(rows)?.into_iter().find(|(name, _)| name == column);
        let (address, column) = (self.address.to_string(), column.to_owned());
        let Some((_, declared)) = declared else {
            return Err(Kind::NoColumn { address, column }.into());
        };
        let Some(sent) = how(&declared) else {
            let found = declared.name().trim_start_matches('_').to_owned();
            return Err(Kind::ColumnType { address, column, found }.into());
        };
        let found = value_type(&declared, sent);
        let name = quoted(&column);
        let sql = match found {
            ValueType::Text => self.text(&name),
            _ => self.without_missing(&name),
        };
        let sql = match (found, asked) {
            (ValueType::Text, Some(ValueType::Integer)) => format!("CAST({sql} AS bigint)"),
            (ValueType::Text, Some(ValueType::Decimal)) => format!("CAST({sql} AS numeric)"),
            (ValueType::Text, Some(ValueType::Date)) => {
                return Err(Kind::TextDates { address, column }.into());
            }
            _ => sql,
        };
        Ok(Reading { value_type: asked.unwrap_or(found), sql })
    }

    /// A text as a reader sees it; NULL where it stands for a missing value.
    fn text(&self, name: &str) -> String {
        let text = format!("{name}::text");
        let shown = format!(
            "CASE WHEN {text} ~ '[^ -~]|^ | $' THEN normalize(btrim(regexp_replace({text}, \
             '{SHOWS_NOTHING}', '', 'g'), E'{BLANK}'), NFC) ELSE {text} END"
        );
        let tokens = self.missing.tokens().iter().map(String::as_str);
        let tokens = std::iter::once("").chain(tokens);
        tokens.fold(shown, |inner, token| format!("NULLIF({inner}, {})", literal(token)))
    }

    /// A number, date or truth value; NULL where its text stands for a missing value.
    fn without_missing(&self, name: &str) -> String {
        let could_be = |token: &&String| {
            token.bytes().any(|byte| byte.is_ascii_digit())
                || ["nan", "true", "false"].contains(&token.to_lowercase().as_str())
        };
        let tokens = self.missing.tokens().iter().filter(could_be);
        let tokens: Vec<String> = tokens.map(|token| literal(token)).collect();
        if tokens.is_empty() {
            return name.to_owned();
        }
        format!("CASE WHEN {name}::text IN ({}) THEN NULL ELSE {name} END", tokens.join(", "))
    }

    pub(crate) fn ask(&mut self, sql: &str) -> Result<Answer, Error> {
        let asked = self.client.simple_query(sql);
        let messages = asked.map_err(|error| failed(&self.address, &error, self.was_given))?;
        let mut answer = Answer::default();
        for message in messages {
            match message {
                SimpleQueryMessage::RowDescription(columns) => {
                    answer.columns =
                        columns.iter().map(|column| column.name().to_owned()).collect();
                }
                SimpleQueryMessage::Row(row) => {
                    let cells = (0..row.len()).map(|at| row.get(at).map(str::to_owned));
                    answer.rows.push(cells.collect());
                }
                _ => {}
            }
        }
        Ok(answer)
    }
}

/// The type that a column is declared to have.
fn value_type(declared: &Type, sent: Sent) -> ValueType {
    if let TypeKind::Domain(base) = declared.kind() {
        return value_type(base, sent);
    }
    match sent {
        Sent::Bool => ValueType::Boolean,
        Sent::Int16 | Sent::Int32 | Sent::Int64 => ValueType::Integer,
        Sent::Float32 | Sent::Float64 => ValueType::Decimal,
        Sent::Date | Sent::Timestamp | Sent::TimestampWithZone => ValueType::Date,
        _ if *declared == Type::NUMERIC => ValueType::Decimal,
        _ => ValueType::Text,
    }
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

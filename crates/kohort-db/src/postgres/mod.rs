//! Rows of PostgreSQL: a query is prepared to learn its columns, then copied out in binary form, all in one
//! transaction that is read-only and sees one state of the database.

mod catalog;
mod session;
mod target;

pub(crate) use catalog::Catalog;
pub(crate) use session::Session;
pub(crate) use target::Target;

use std::error::Error as _;
use std::io;
use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use kohort_core::Missing;
use kohort_io::{Read, table_of_batches};
use postgres::error::SqlState;
use postgres::types::{Kind as TypeKind, Type};
use postgres::{CancelToken, Client, GenericClient, IsolationLevel};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::{Server, quoted};
use crate::copy::{Batches, Sent};
use crate::{Address, Error, Kind, Password, Rows};

pub(crate) fn read(
    (address, server): (&Address, &Server),
    rows: &Rows,
    password: Option<&Password>,
    missing: &Missing,
    progress: &dyn Fn(u64, u64),
) -> Result<Read, Error> {
    let tls = tls(address, server)?;
    let mut client = connect((address, server), password, tls.clone())?;
    let failed = |error: postgres::Error| failed(address, &error, password.is_some());
    let token = client.cancel_token();
    let mut transaction = client
        .build_transaction()
        .read_only(true)
        .isolation_level(IsolationLevel::RepeatableRead)
        .start()
        .map_err(failed)?;
    let timeout = server.statement_timeout.as_millis();
    transaction
        .batch_execute(&format!("SET LOCAL statement_timeout = {timeout}"))
        .map_err(failed)?;
    // Whoever leaves early does not wait for the rest of the rows.
    let mut rest = Rest { token, tls, is_wanted: false };
    let read = rows_of(&mut transaction, (address, password.is_some()), rows, missing, progress)?;
    rest.is_wanted = true;
    Ok(read)
}

/// The rows of a query, within the transaction that the client has open.
fn rows_of(
    client: &mut impl GenericClient,
    (address, was_given): (&Address, bool),
    rows: &Rows,
    missing: &Missing,
    progress: &dyn Fn(u64, u64),
) -> Result<Read, Error> {
    let failed = |error: postgres::Error| failed(address, &error, was_given);
    let query = rows.sql();
    let (schema, columns, list) = columns(client, address, &query, &failed)?;
    let copy = format!("COPY (SELECT {list} FROM (\n{query}\n) AS rows) TO STDOUT (FORMAT binary)");
    let reader = client.copy_out(&copy).map_err(failed)?;
    let of_stream = |error: io::Error| match error.get_ref().and_then(|inner| inner.downcast_ref())
    {
        Some(error) => self::failed(address, error, was_given),
        None => broken(address, &error),
    };
    let mut batches = Batches::new(
        reader,
        address.to_string(),
        (Arc::clone(&schema), &columns),
        &of_stream,
        progress,
    );
    let read = table_of_batches(rows.name(), &schema, &mut batches, missing.clone());
    match batches.fault {
        Some(fault) => Err(fault),
        None => Ok(read?),
    }
}

/// Tells the server to stop sending, unless everything has come.
struct Rest {
    token: CancelToken,
    tls: MakeRustlsConnect,
    is_wanted: bool,
}

impl Drop for Rest {
    fn drop(&mut self) {
        if !self.is_wanted {
            let _ = self.token.cancel_query(self.tls.clone());
        }
    }
}

fn connect(
    (address, server): (&Address, &Server),
    password: Option<&Password>,
    tls: MakeRustlsConnect,
) -> Result<Client, Error> {
    let mut config = server.config.clone();
    if let Some(password) = password {
        config.password(password.text());
    }
    config.connect(tls).map_err(|error| failed(address, &error, password.is_some()))
}

/// Trusts the certificates of a file, or else those of the system.
fn tls(address: &Address, server: &Server) -> Result<MakeRustlsConnect, Error> {
    let mut roots = RootCertStore::empty();
    if let Some(file) = &server.root_certificates {
        let wrong = || Kind::Certificate {
            address: address.to_string(),
            problem: format!("{} holds no certificates that can be read", file.display()),
        };
        let bytes = kohort_io::read_secret(file)?;
        for certificate in CertificateDer::pem_slice_iter(&bytes) {
            let certificate = certificate.map_err(|_| wrong())?;
            roots.add(certificate).map_err(|_| wrong())?;
        }
        if roots.is_empty() {
            return Err(wrong().into());
        }
    } else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has the versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// The columns of a query: their types here, how they are sent, and the list that asks for them so.
fn columns(
    client: &mut impl GenericClient,
    address: &Address,
    query: &str,
    failed: &impl Fn(postgres::Error) -> Error,
) -> Result<(SchemaRef, Vec<Sent>, String), Error> {
    let statement = client.prepare(query).map_err(failed)?;
    if statement.columns().is_empty() {
        return Err(Kind::Writes { address: address.to_string() }.into());
    }
    let mut fields = Vec::new();
    let mut sent = Vec::new();
    let mut list = Vec::new();
    for column in statement.columns() {
        let name = column.name();
        let how = how(column.type_()).ok_or_else(|| Kind::ColumnType {
            address: address.to_string(),
            column: name.to_owned(),
            found: column.type_().name().trim_start_matches('_').to_owned(),
        })?;
        // What has no simple form of its own comes in the words of the server.
        let cast = if how == Sent::Text { "::text" } else { "" };
        list.push(format!("{}{cast}", quoted(name)));
        fields.push(Field::new(name, how.data_type(), true));
        sent.push(how);
    }
    Ok((Arc::new(Schema::new(fields)), sent, list.join(", ")))
}

/// How a type is sent; nothing where it is not one value.
fn how(found: &Type) -> Option<Sent> {
    Some(match *found {
        Type::BOOL => Sent::Bool,
        Type::INT2 => Sent::Int16,
        Type::INT4 => Sent::Int32,
        Type::INT8 => Sent::Int64,
        Type::FLOAT4 => Sent::Float32,
        Type::FLOAT8 => Sent::Float64,
        Type::DATE => Sent::Date,
        Type::TIMESTAMP => Sent::Timestamp,
        Type::TIMESTAMPTZ => Sent::TimestampWithZone,
        Type::UUID => Sent::Uuid,
        Type::BYTEA | Type::JSON | Type::JSONB | Type::XML | Type::RECORD => return None,
        _ => match found.kind() {
            TypeKind::Simple | TypeKind::Enum(_) => Sent::Text,
            TypeKind::Domain(base) => return how(base),
            _ => return None,
        },
    })
}

/// What an error of the server or the connection is for whoever reads: what may quote a cell is left out.
fn failed(address: &Address, error: &postgres::Error, was_given: bool) -> Error {
    let address_text = address.to_string();
    let Some(told) = error.as_db_error() else {
        let source = error.source();
        if let Some(error) = source.and_then(|source| source.downcast_ref::<io::Error>()) {
            return broken(address, error);
        }
        let text = source.map_or_else(|| error.to_string(), ToString::to_string);
        if text.contains("password") {
            return Kind::Password { address: address_text, was_given }.into();
        }
        return Kind::Connection { address: address_text, problem: text }.into();
    };
    let code = told.code();
    if matches!(*code, SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION) {
        return Kind::Password { address: address_text, was_given }.into();
    }
    if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        return Kind::Writes { address: address_text }.into();
    }
    // Errors about data, constraints and functions quote what they stumbled over.
    let may_quote =
        ["22", "23", "P0", "XX", "38", "39"].iter().any(|class| code.code().starts_with(class));
    let problem = if may_quote {
        format!("the query failed on the data (SQLSTATE {})", code.code())
    } else {
        told.message().to_owned()
    };
    Kind::Query { address: address_text, problem }.into()
}

fn broken(address: &Address, error: &io::Error) -> Error {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let address = address.to_string();
    match inner {
        Some(tls) => Kind::Certificate { address, problem: tls.to_string() }.into(),
        None => Kind::Connection { address, problem: error.to_string() }.into(),
    }
}

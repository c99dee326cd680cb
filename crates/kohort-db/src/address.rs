//! Addresses of databases: `postgres://user@host:5432/database#schema.table` and `sqlite:FILE#table`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{Error, Kind, Tables};

/// How long a query may take where the address does not say.
const STATEMENT_TIMEOUT: Duration = Duration::from_hours(1);

/// Where a database is. It has no password; its display has no user and no parameters either.
#[derive(Clone, Debug)]
pub struct Address {
    pub(crate) database: Database,
    /// The table that the address names, after `#`.
    pub table: Option<String>,
    shown: String,
}

#[derive(Clone, Debug)]
pub(crate) enum Database {
    Postgres(Box<Server>),
    Sqlite(PathBuf),
}

/// A PostgreSQL server, and how to speak to it.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) config: postgres::Config,
    /// The certificates to trust, instead of the system's.
    pub(crate) root_certificates: Option<PathBuf>,
    pub(crate) statement_timeout: Duration,
}

/// Which rows are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// All rows of a table or view, named as the database lists it: `table` or `schema.table`.
    Table(String),
    /// What a query gives.
    Query(String),
}

impl Rows {
    /// The query.
    pub fn sql(&self) -> String {
        match self {
            Self::Table(name) => format!("SELECT * FROM {}", quoted_name(name)),
            Self::Query(sql) => sql.trim().trim_end_matches(';').to_owned(),
        }
    }

    /// Whether they are all rows of this table.
    pub fn are_of(&self, table: &str) -> bool {
        let whole = |name: &str| name.replace('"', "").to_lowercase();
        matches!(self, Self::Table(name) if whole(name) == whole(table))
    }

    /// What a message or a receipt calls the table.
    pub fn name(&self) -> &str {
        match self {
            Self::Table(name) => name,
            Self::Query(_) => "query",
        }
    }
}

/// `schema.table` with each part quoted; what is quoted already stays as it is.
pub(crate) fn quoted_name(name: &str) -> String {
    if name.contains('"') {
        return name.to_owned();
    }
    name.split('.').map(quoted).collect::<Vec<_>>().join(".")
}

pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Address {
    /// Whether a text is an address of a database, and no path.
    pub fn is_address(text: &str) -> bool {
        ["postgres:", "postgresql:", "sqlite:"].iter().any(|scheme| text.starts_with(scheme))
    }

    /// Reads an address. The file of SQLite is relative to `folder`.
    ///
    /// # Errors
    /// When it is none, or has a password in it.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, Error> {
        let (place, table) = match text.split_once('#') {
            Some((place, table)) => (place, Some(table.to_owned())),
            None => (text, None),
        };
        if let Some(path) = place.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if path.is_empty() {
                return Err(Kind::Address { problem: "it names no file".into() }.into());
            }
            let database = Database::Sqlite(folder.join(path));
            return Ok(Self { database, table, shown: format!("sqlite:{path}") });
        }
        let server = Server::parse(place, folder)?;
        let shown = server.shown();
        Ok(Self { database: Database::Postgres(Box::new(server)), table, shown })
    }

    /// The rows that are meant: a query, or else a table.
    ///
    /// # Errors
    /// When neither is named.
    pub fn rows(&self, table: Option<&str>, query: Option<&str>) -> Result<Rows, Error> {
        let table = table.or(self.table.as_deref());
        match (query, table) {
            (Some(query), _) => Ok(Rows::Query(query.to_owned())),
            (None, Some(table)) if !table.is_empty() => Ok(Rows::Table(table.to_owned())),
            _ => Err(Kind::NoRows { address: self.to_string() }.into()),
        }
    }

    /// The tables that are meant where no single one is: all of them, or with `schema.*` those of a schema.
    pub fn tables(&self, table: Option<&str>, query: Option<&str>) -> Option<Tables> {
        let table = table.or(self.table.as_deref()).unwrap_or_default();
        match (query, table) {
            (Some(_), _) => None,
            (None, "" | "*") => Some(Tables::All),
            (None, table) => table.strip_suffix(".*").map(|schema| Tables::Of(schema.to_owned())),
        }
    }

    /// The file, of SQLite.
    pub fn file(&self) -> Option<&Path> {
        match &self.database {
            Database::Sqlite(path) => Some(path),
            Database::Postgres(_) => None,
        }
    }

    /// Whether both are one database, as far as their names tell.
    pub fn is_same_database(&self, other: &Self) -> bool {
        match (&self.database, &other.database) {
            (Database::Postgres(one), Database::Postgres(other)) => one.shown() == other.shown(),
            (Database::Sqlite(one), Database::Sqlite(other)) => {
                one == other || kohort_io::is_same_file(one, other)
            }
            _ => false,
        }
    }

    /// Whom a password is for: host, port, database and user, as a pass file names them.
    pub fn account(&self) -> Option<(String, u16, String, String)> {
        let Database::Postgres(server) = &self.database else { return None };
        let user = server.config.get_user().unwrap_or_default().to_owned();
        let database = server.config.get_dbname().unwrap_or(&user).to_owned();
        Some((server.host(), server.port(), database, user))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Server {
    fn parse(place: &str, folder: &Path) -> Result<Self, Error> {
        let mut root_certificates = None;
        let mut statement_timeout = STATEMENT_TIMEOUT;
        let (base, parameters) = place.split_once('?').unwrap_or((place, ""));
        let mut others = Vec::new();
        let mut has_mode = false;
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslrootcert", file)) => root_certificates = Some(folder.join(file)),
                Some(("statement_timeout", seconds)) => {
                    let seconds = seconds.strip_suffix('s').unwrap_or(seconds).parse();
                    let seconds = seconds.ok().filter(|&seconds: &u64| seconds > 0);
                    statement_timeout = seconds.map(Duration::from_secs).ok_or_else(|| {
                        let problem = "`statement_timeout` is a number of seconds".into();
                        Kind::Address { problem }
                    })?;
                }
                Some(("password", _)) => return Err(Kind::PasswordInAddress.into()),
                other => {
                    has_mode |= other.is_some_and(|(name, _)| name == "sslmode");
                    others.push(parameter);
                }
            }
        }
        let separator = if others.is_empty() { "" } else { "?" };
        let url = format!("{base}{separator}{}", others.join("&"));
        let mut config: postgres::Config = url.parse().map_err(|error: postgres::Error| {
            // It says what is wrong with which parameter, and quotes no value.
            let problem = std::error::Error::source(&error).map(ToString::to_string);
            Kind::Address { problem: problem.unwrap_or_else(|| "it cannot be read".into()) }
        })?;
        if config.get_password().is_some() {
            return Err(Kind::PasswordInAddress.into());
        }
        let mut server = Self { config: config.clone(), root_certificates, statement_timeout };
        if !has_mode && !server.is_local() {
            config.ssl_mode(postgres::config::SslMode::Require);
        }
        config.application_name("kohort");
        server.config = config;
        Ok(server)
    }

    /// Whether nobody on the way could listen.
    fn is_local(&self) -> bool {
        self.config.get_hosts().iter().all(|host| match host {
            postgres::config::Host::Tcp(name) => {
                matches!(name.as_str(), "localhost" | "127.0.0.1" | "::1" | "[::1]")
            }
            #[cfg(unix)]
            postgres::config::Host::Unix(_) => true,
        })
    }

    fn host(&self) -> String {
        match self.config.get_hosts().first() {
            Some(postgres::config::Host::Tcp(name)) => name.clone(),
            _ => "localhost".into(),
        }
    }

    fn port(&self) -> u16 {
        self.config.get_ports().first().copied().unwrap_or(5432)
    }

    fn shown(&self) -> String {
        let database = self.config.get_dbname().unwrap_or_default();
        format!("postgres://{}:{}/{database}", self.host(), self.port())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Address, Error> {
        Address::parse(text, Path::new("plans"))
    }

    #[test]
    fn an_address_names_its_table() {
        let address =
            parse("postgres://me@db.example:6000/ward?connect_timeout=3#s.patients").unwrap();
        assert_eq!(address.table.as_deref(), Some("s.patients"));
        assert_eq!(address.to_string(), "postgres://db.example:6000/ward");
        let account = address.account().unwrap();
        assert_eq!(account, ("db.example".into(), 6000, "ward".into(), "me".into()));
        let sql = address.rows(None, None).unwrap().sql();
        assert_eq!(sql, "SELECT * FROM \"s\".\"patients\"");
        assert_eq!(address.tables(None, None), None);
        let whole = parse("postgres://db.example/ward").unwrap();
        assert_eq!(whole.tables(None, None), Some(Tables::All));
        assert_eq!(whole.tables(Some("s.*"), None), Some(Tables::Of("s".into())));
        assert_eq!(whole.tables(None, Some("SELECT 1")), None);
        let file = parse("sqlite:ward.db#a").unwrap();
        assert_eq!(file.file(), Some(Path::new("plans/ward.db")));
    }

    #[test]
    fn far_servers_are_asked_for_tls() {
        use postgres::config::SslMode;
        let mode = |text| match parse(text).unwrap().database {
            Database::Postgres(server) => server.config.get_ssl_mode(),
            Database::Sqlite(_) => unreachable!("an address of PostgreSQL"),
        };
        assert_eq!(mode("postgres://db.example/d"), SslMode::Require);
        assert_eq!(mode("postgres://localhost/d"), SslMode::Prefer);
        assert_eq!(mode("postgres:///d?host=/tmp"), SslMode::Prefer);
        assert_eq!(mode("postgres://db.example/d?sslmode=disable"), SslMode::Disable);
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for (text, message) in [
            ("postgres://me:secret@h/d", "there is a password in the address of the database"),
            (
                "postgres://h/d?password=secret",
                "there is a password in the address of the database",
            ),
            (
                "postgres://h/d?colour=red",
                "this is no address of a database: unknown option `colour`",
            ),
            ("sqlite:", "this is no address of a database: it names no file"),
            (
                "postgres://h/d?statement_timeout=soon",
                "this is no address of a database: `statement_timeout` is a number of seconds",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert!(error.hint().is_some_and(|hint| !hint.contains("secret")));
        }
        let error = parse("sqlite:a.db").unwrap().rows(None, None).unwrap_err();
        assert_eq!(error.to_string(), "sqlite:a.db: no table and no query is named");
    }
}

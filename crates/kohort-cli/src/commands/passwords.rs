//! Passwords of databases: of the environment, a pass file, or somebody on a terminal.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use kohort::plan::{Input, Plan};
use kohort::{Address, DatabaseError, DatabaseKind, Password, in_pass_file};

use super::secrets::{ask, variable};
use crate::printer::Failure;

/// Reads with the passwords that are known. Where the server wants one that is not, and there is a terminal,
/// it is asked for.
pub(super) fn reading<T>(
    plan: &Plan,
    read: impl Fn(&Plan) -> Result<T, kohort::Error>,
) -> Result<T, Failure> {
    if !inputs(&mut plan.clone()).any(|input| input.is_database()) {
        return Ok(read(plan)?);
    }
    let mut plan = plan.clone();
    let folder = plan.folder.clone();
    for input in inputs(&mut plan).filter(|input| input.is_database()) {
        let address = Address::parse(input, &folder).map_err(kohort::Error::from)?;
        input.password = known(&address);
    }
    match read(&plan) {
        Err(error) if is_password_wanted(&error) && is_somebody_there() => {
            let password = Password::new(ask("Password of the database: ")?);
            for input in inputs(&mut plan).filter(|input| input.is_database()) {
                input.password = Some(password.clone());
            }
            Ok(read(&plan)?)
        }
        answer => Ok(answer?),
    }
}

/// Opens a database with the password that is known, or else asks for it as [`reading`] does.
pub(super) fn opening<T>(
    address: &Address,
    open: impl Fn(Option<&Password>) -> Result<T, DatabaseError>,
) -> Result<T, Failure> {
    let is_wanted = |error: &DatabaseError| matches!(error.kind(), DatabaseKind::Password { .. });
    match open(known(address).as_ref()) {
        Err(error) if is_wanted(&error) && is_somebody_there() => {
            let password = Password::new(ask("Password of the database: ")?);
            Ok(open(Some(&password)).map_err(kohort::Error::from)?)
        }
        answer => Ok(answer.map_err(kohort::Error::from)?),
    }
}

fn inputs(plan: &mut Plan) -> impl Iterator<Item = &mut Input> {
    let tables = plan.tables.values_mut().filter_map(|table| table.input.as_mut());
    plan.input.as_mut().into_iter().chain(tables)
}

fn is_password_wanted(error: &kohort::Error) -> bool {
    let kohort::Kind::Database(error) = error.kind() else { return false };
    matches!(error.kind(), DatabaseKind::Password { .. })
}

fn is_somebody_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// The password of the environment, or else of the pass file.
fn known(address: &Address) -> Option<Password> {
    let (host, port, database, user) = address.account()?;
    if let Some(password) = variable("PGPASSWORD") {
        return Some(Password::new(password));
    }
    let in_home = || Some(PathBuf::from(variable("HOME")?).join(".pgpass"));
    let file = variable("PGPASSFILE").map(PathBuf::from).or_else(in_home)?;
    let text = kohort::read_secret(&file).ok()?;
    in_pass_file(str::from_utf8(&text).ok()?, (&host, port, &database, &user))
}

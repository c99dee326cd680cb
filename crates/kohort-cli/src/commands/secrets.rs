//! What opens a ledger: a file, the environment, or somebody on a terminal; and the time.

use std::io::{self, IsTerminal};
use std::path::Path;

use kohort::series::Secret;

use crate::args::LedgerKey;
use crate::printer::{Failure, usage};

/// The environment variable with the passphrase.
const VARIABLE: &str = "KOHORT_LEDGER_PASSPHRASE";

/// What opens the ledger. A passphrase for one that `is_made` is asked for twice.
pub(super) fn secret(key: &LedgerKey, is_made: bool) -> Result<Secret, Failure> {
    if let Some(file) = &key.key_file {
        return Ok(Secret::key_file(&kohort::read_bytes(Path::new(file))?)?);
    }
    if let Some(file) = &key.passphrase_file {
        let text = kohort::read_text(Path::new(file))?;
        return Ok(Secret::passphrase(text.lines().next().unwrap_or_default())?);
    }
    #[expect(clippy::disallowed_methods, reason = "the environment enters in the command line")]
    if let Ok(text) = std::env::var(VARIABLE) {
        return Ok(Secret::passphrase(&text)?);
    }
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(usage(
            "nothing is given that opens the ledger",
            format!("name a file with `--passphrase-file` or `--key-file`, or set {VARIABLE}"),
        ));
    }
    let text = ask("Passphrase of the ledger: ")?;
    if is_made && ask("The same again: ")? != text {
        return Err(usage("the two passphrases differ", "try again"));
    }
    Ok(Secret::passphrase(&text)?)
}

fn ask(question: &str) -> Result<String, Failure> {
    let terminal = console::Term::stderr();
    terminal.write_str(question).map_err(Failure::Output)?;
    terminal.read_secure_line().map_err(Failure::Output)
}

/// The time: seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the clock enters in the command line")]
pub(super) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_secs()).ok()).unwrap_or_default()
}

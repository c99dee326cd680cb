//! What opens a ledger: a file, the environment, or somebody on a terminal; and the time.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use kohort::series::{KeptHead, Secret};
use zeroize::Zeroizing;

use crate::args::LedgerKey;
use crate::printer::{Failure, usage};

/// What opens the ledger. A passphrase for one that `is_made` is asked for twice.
pub(super) fn secret(key: &LedgerKey, is_made: bool) -> Result<Secret, Failure> {
    Sources {
        passphrase_file: key.passphrase_file.as_deref(),
        key_file: key.key_file.as_deref(),
        variable: "KOHORT_LEDGER_PASSPHRASE",
        flags: "`--passphrase-file` or `--key-file`",
        nothing: "no passphrase or key is given for the ledger",
        question: "Passphrase of the ledger: ",
        is_made,
    }
    .read()
}

/// What opens the ledger from here on.
pub(super) fn next_secret(
    passphrase_file: Option<&str>,
    key_file: Option<&str>,
) -> Result<Secret, Failure> {
    Sources {
        passphrase_file,
        key_file,
        variable: "KOHORT_LEDGER_NEW_PASSPHRASE",
        flags: "`--new-passphrase-file` or `--new-key-file`",
        nothing: "no new passphrase or key is given for the ledger",
        question: "New passphrase of the ledger: ",
        is_made: true,
    }
    .read()
}

/// Where a secret may come from, the first that is given.
struct Sources<'a> {
    passphrase_file: Option<&'a str>,
    key_file: Option<&'a str>,
    variable: &'static str,
    flags: &'static str,
    nothing: &'static str,
    question: &'static str,
    is_made: bool,
}

impl Sources<'_> {
    fn read(&self) -> Result<Secret, Failure> {
        if let Some(file) = self.key_file {
            let bytes = Zeroizing::new(kohort::read_secret(Path::new(file))?);
            return Ok(Secret::key_file(&bytes)?);
        }
        if let Some(file) = self.passphrase_file {
            let bytes = Zeroizing::new(kohort::read_secret(Path::new(file))?);
            let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let line = str::from_utf8(line).map_err(|_| {
                usage(format!("{file}: a passphrase must be text in UTF-8"), "use it as a key file")
            })?;
            return Ok(Secret::passphrase(line.trim_end_matches('\r'))?);
        }
        if let Some(text) = variable(self.variable).map(Zeroizing::new) {
            return Ok(Secret::passphrase(&text)?);
        }
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            let hint = format!("name a file with {}, or set {}", self.flags, self.variable);
            return Err(usage(self.nothing, hint));
        }
        let text = Zeroizing::new(ask(self.question)?);
        if self.is_made && *Zeroizing::new(ask("The same again: ")?) != *text {
            return Err(usage("the two passphrases differ", "try again"));
        }
        Ok(Secret::passphrase(&text)?)
    }
}

pub(super) fn ask(question: &str) -> Result<String, Failure> {
    let terminal = console::Term::stderr();
    terminal.write_str(question).map_err(Failure::Output)?;
    terminal.read_secure_line().map_err(Failure::Output)
}

/// A variable of the environment.
#[expect(clippy::disallowed_methods, reason = "the environment enters in the command line")]
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Where the head of the ledger is kept outside of it: what a flag says, or in the user's state folder.
pub(super) fn kept_head(key: &LedgerKey) -> KeptHead {
    if let Some(head) = &key.head {
        return head.parse().map_or_else(|_| KeptHead::File(head.into()), KeptHead::Known);
    }
    let is_absolute = |folder: &PathBuf| folder.is_absolute();
    let state = variable("XDG_STATE_HOME").map(PathBuf::from).filter(is_absolute);
    let home = || Some(PathBuf::from(variable("HOME")?).join(".local/state")).filter(is_absolute);
    state
        .or_else(home)
        .map_or(KeptHead::Nowhere, |state| KeptHead::Folder(state.join("kohort/heads")))
}

/// The time: seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the clock enters in the command line")]
pub(super) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_secs()).ok()).unwrap_or_default()
}

//! Runs the program under test, and sees how it ends.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Nothing that a campaign asks for takes this long.
const LONGEST: Duration = Duration::from_mins(2);

/// The folder for what the program keeps of ledgers elsewhere.
pub(crate) const STATE: &str = "state";

/// The program under test.
pub(crate) struct Program {
    path: PathBuf,
    // What it prints goes here and not into the folder that it works in.
    logs: tempfile::TempDir,
}

/// How a run ended.
pub(crate) struct Ran {
    /// What was asked, to be pasted into a shell.
    pub(crate) command: String,
    /// The exit status, and none for a signal or a run without an end.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// What no run may do: end by a signal, with another status than 0, 1 and 2, or by a panic.
    pub(crate) fn crash(&self) -> Option<String> {
        if self.stderr.contains("panicked") {
            return Some("a panic".into());
        }
        match self.code {
            Some(0..=2) => None,
            Some(code) => Some(format!("exit status {code}")),
            None => Some("a signal, or no end within two minutes".into()),
        }
    }

    /// Standard output as JSON, and null where it is none.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_default()
    }
}

impl Program {
    pub(crate) fn new(path: &Path) -> std::io::Result<Self> {
        Ok(Self { path: path.canonicalize()?, logs: tempfile::tempdir()? })
    }

    /// The program, about to run in a folder.
    pub(crate) fn command(&self, folder: &Path, words: &[String]) -> Command {
        in_folder(Command::new(&self.path), folder, words)
    }

    /// The program, about to be run in a folder by something that takes a command line.
    pub(crate) fn limited(&self, mut runner: Command, folder: &Path, words: &[String]) -> Command {
        runner.arg(&self.path);
        in_folder(runner, folder, words)
    }

    /// Starts the program; its output goes nowhere.
    pub(crate) fn start(&self, folder: &Path, words: &[String]) -> std::io::Result<Child> {
        self.command(folder, words).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, folder: &Path, words: &[String]) -> std::io::Result<Ran> {
        self.finish(self.command(folder, words), words)
    }

    /// Runs a command that runs the program to its end.
    pub(crate) fn finish(&self, mut command: Command, words: &[String]) -> std::io::Result<Ran> {
        let [out, err] = ["stdout", "stderr"].map(|name| self.logs.path().join(name));
        command.stdout(File::create(&out)?).stderr(File::create(&err)?);
        let status = wait(command.spawn()?)?;
        let text = |path: &Path| {
            std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        let command = spelled(words);
        let code = status.and_then(|status| status.code());
        Ok(Ran { command, code, stdout: text(&out)?, stderr: text(&err)? })
    }
}

/// A command with these words, about to run in a folder.
fn in_folder(mut command: Command, folder: &Path, words: &[String]) -> Command {
    command.current_dir(folder).args(words).stdin(Stdio::null());
    command.env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    // What is known of a ledger is known in its folder: a copy of the folder is another ledger.
    command.env("XDG_STATE_HOME", folder.canonicalize().unwrap_or_default().join(STATE));
    command
}

/// Waits for a process, and ends it when it takes too long.
pub(crate) fn wait(mut child: Child) -> std::io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > LONGEST {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        // What was measured is a twentieth too long at most.
        let pause = started.elapsed() / 20;
        std::thread::sleep(pause.clamp(Duration::from_micros(500), Duration::from_millis(20)));
    }
}

/// A command line that a shell reads as these words.
pub(crate) fn spelled(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    let quoted = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    format!("kohort {}", quoted.collect::<Vec<_>>().join(" "))
}

/// Words as the arguments of the program.
pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

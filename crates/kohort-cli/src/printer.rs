//! Everything that is printed: data to standard output, the rest to standard error.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use kohort::Stop;
use kohort::diagnose::{visible_json, visible_text};
use kohort::release::No;
use serde::Serialize;
use serde_json::Value;

use crate::args::{Common, Format};

/// How a command ended that did what it was asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done, or the answer is yes.
    Done,
    /// The answer is no.
    No,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
            Outcome::No => Self::from(1),
        }
    }
}

/// Why a command could not do what it was asked.
pub(crate) enum Failure {
    /// An error of the library.
    Kohort(kohort::Error),
    /// Standard output could not be written.
    Output(io::Error),
    /// An argument that only this command can judge.
    Usage {
        /// What is wrong.
        problem: String,
        /// What to do instead.
        hint: String,
    },
}

impl<E: Into<kohort::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Kohort(error.into())
    }
}

pub(crate) fn usage(problem: impl Into<String>, hint: impl Into<String>) -> Failure {
    Failure::Usage { problem: problem.into(), hint: hint.into() }
}

/// Why a question has no answer that can have no no.
pub(crate) fn failed(stop: Stop) -> Failure {
    match stop {
        Stop::Error(error) => error.into(),
        other => usage(other.to_string(), "run the command again"),
    }
}

/// Prints for one run of the program.
pub(crate) struct Printer {
    pub(crate) format: Format,
    is_quiet: bool,
    shows_values: bool,
    /// The data of the steps of a command that prints them together.
    kept: Option<RefCell<Vec<Value>>>,
}

impl Printer {
    pub(crate) fn new(common: &Common) -> Self {
        let (format, is_quiet, shows_values) = (common.format, common.quiet, common.show_values);
        Self { format, is_quiet, shows_values, kept: None }
    }

    /// A printer that keeps data for programs instead of printing it.
    pub(crate) fn keeping(common: &Common) -> Self {
        Self { kept: Some(RefCell::default()), ..Self::new(common) }
    }

    /// What was kept, in order; nothing when data is for people.
    pub(crate) fn kept(self) -> Vec<Value> {
        self.kept.map(RefCell::into_inner).unwrap_or_default()
    }

    /// Prints data: as text, or the same as JSON.
    pub(crate) fn data(
        &self,
        json: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        match self.format {
            Format::Text => print(&visible_text(&text())),
            Format::Json => {
                let failed = |error: serde_json::Error| Failure::Output(error.into());
                if let Some(kept) = &self.kept {
                    kept.borrow_mut().push(serde_json::to_value(json).map_err(failed)?);
                    return Ok(());
                }
                let mut json = serde_json::to_string_pretty(json).map_err(failed)?;
                json.push('\n');
                print(&visible_json(&json))
            }
        }
    }

    /// Prints what a person may want to know beside the data.
    pub(crate) fn note(&self, text: &str) {
        if !self.is_quiet {
            error_line(format!("note: {text}").trim_end());
        }
    }

    pub(crate) fn notes(&self, notes: &[impl Display]) {
        for note in notes {
            self.note(&note.to_string());
        }
    }

    /// Prints that the answer is no, with the reasons and the way on; for programs also as data.
    pub(crate) fn no(&self, no: &No) -> Result<Outcome, Failure> {
        error_line(&format!("error: {}", no.problem));
        for cause in &no.causes {
            error_line(&format!("  caused by: {cause}"));
        }
        error_line(&format!("\nhint: {}", no.hint));
        if self.format == Format::Json {
            self.data(no, String::new)?;
        }
        Ok(Outcome::No)
    }

    /// Prints why there is no release.
    pub(crate) fn stopped(&self, stop: Stop) -> Result<Outcome, Failure> {
        match stop {
            Stop::No(no) => self.no(&no),
            other => Err(failed(other)),
        }
    }

    /// Prints why it could not be done, and the way on.
    pub(crate) fn failure(&self, failure: &Failure) -> ExitCode {
        let (problem, causes, hint) = match failure {
            Failure::Kohort(error) => {
                let mut causes = Vec::new();
                let mut source = std::error::Error::source(error);
                while let Some(cause) = source {
                    causes.push(cause.to_string());
                    source = cause.source();
                }
                (error.to_string(), causes, error.hint())
            }
            Failure::Output(error) => {
                (format!("standard output cannot be written: {error}"), Vec::new(), None)
            }
            Failure::Usage { problem, hint } => {
                (problem.clone(), Vec::new(), Some(hint.as_str().into()))
            }
        };
        let mut last = problem.clone();
        error_line(&format!("error: {problem}"));
        for cause in causes {
            if cause != last {
                error_line(&format!("  caused by: {cause}"));
            }
            last = cause;
        }
        if let Failure::Kohort(error) = failure
            && self.shows_values
            && let Some(values) = error.values()
        {
            error_line(values.trim_end());
        }
        if let Some(hint) = hint {
            error_line(&format!("\nhint: {hint}"));
        }
        ExitCode::from(2)
    }
}

/// Prints text to standard output, to a file as it is and to a terminal with nothing hidden in it. A reader
/// that has seen enough is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() { &visible_text(text) } else { text };
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

/// Prints what is wrong with the arguments, which may be names of files, or the help that was asked for.
pub(crate) fn wrong_arguments(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help of this program alone.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    error_line(error.render().to_string().trim_end());
    ExitCode::from(2)
}

/// Names of files and columns are somebody's texts: nothing in them reaches the terminal unseen. A closed
/// standard error leaves nobody to tell.
fn error_line(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", visible_text(line));
}

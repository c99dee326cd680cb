//! The kohort command line: the only crate that prints or exits.

mod args;
mod commands;
#[cfg(unix)]
mod interrupt;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod memory;
mod printer;
mod progress;
mod threads;

use std::process::ExitCode;

use clap::Parser;
use kohort::Surface;

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    memory::give_back_columns();
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => return printer::wrong_arguments(&error),
    };
    #[cfg(unix)]
    interrupt::watch();
    let printer = printer::Printer::new(&args.common);
    Surface::CommandLine.speak(|| match commands::run(args, &printer) {
        Ok(outcome) => outcome.into(),
        Err(failure) => printer.failure(&failure),
    })
}

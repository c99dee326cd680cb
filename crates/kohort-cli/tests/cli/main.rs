//! Whole commands as a user types them: exit code, standard output, standard error, written files.

mod bad_plans;
mod bad_tables;
mod compare;
mod contract;
mod demo;
mod diagnose;
mod harness;
mod inspect;
#[cfg(unix)]
mod interrupted;
mod list;
mod oracle;
mod refused;
mod taxonomy;

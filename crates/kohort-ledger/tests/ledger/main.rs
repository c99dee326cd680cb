//! The books of a series: what is read is what was written, whatever happens in between.
#![expect(clippy::disallowed_methods, reason = "the tests make and damage the files they read")]
#![expect(clippy::unwrap_used, reason = "a test ends where something fails")]

mod basics;
mod forget;
mod harness;
mod laws;
mod processes;
mod tampering;
mod versions;

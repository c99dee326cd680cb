//! Judging nested releases: verdicts, laws over random schemas, diagnosis, metrics and attacks.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod attack;
mod diagnosis;
mod given;
mod laws;
mod masked;
mod metrics;
mod models;
mod verdict;
mod whose;

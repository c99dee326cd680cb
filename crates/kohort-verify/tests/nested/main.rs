//! Judging nested releases: verdicts, laws over random schemas, diagnosis and attacks.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod given;
mod laws;
mod verdict;

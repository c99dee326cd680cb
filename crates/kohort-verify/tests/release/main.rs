//! Judging releases: cells read back, truthfulness against a plain matching, and verdicts.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod anatomy;
mod cells;
mod centers;
mod given;
mod kinds;
mod laws;
mod left_out;
mod lkc;
mod masked;
mod membership;
mod paper_002;
mod papers;
mod series;
mod verdict;

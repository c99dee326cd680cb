//! Attacks: the worked numbers of the papers, raw tables where they must win, releases where a model bounds
//! them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod complementary_release;
mod elimination;
#[path = "../release/given.rs"]
mod given;
mod homogeneity;
mod inference;
mod insensitive;
mod knowledge;
mod lab;
mod laws;
mod learning;
mod linking;
mod membership;
#[path = "../release/paper_002.rs"]
mod paper_002;
mod re_execution;
mod series;
mod series_laws;
mod suppression;
mod temporal;
mod unsorted_matching;

//! What a person or a program reads: the answers of every step, as values that go to JSON and back, as texts
//! for a terminal, and as pages of HTML.
//!
//! An answer has counts, levels, row numbers and the names of columns, and no cell of a table. The steps that
//! make answers are in `kohort`; nothing here takes a table, runs a step or reads a file.

pub mod attack;
pub mod compare;
pub mod diagnose;
pub mod nested;
pub mod page;
pub mod release;
pub mod series;
pub mod wording;
pub mod words;

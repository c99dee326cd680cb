//! Publish data about people without publishing the people: plans, goals, classification, diagnosis and
//! reports, in the order the steps run. This is the one crate that surfaces import.
//!
//! Start with [`anonymize`], [`verify()`], [`diagnose()`], [`attack()`] and [`compare()`]: they work on a
//! [`Table`] in memory and a [`plan::Plan`]. The modules beside them are the steps one by one, and what files
//! and ledgers need.

pub mod attack;
pub mod balance;
pub mod catalog;
pub mod classify;
pub mod compare;
mod context;
pub mod demo;
pub mod diagnose;
mod error;
pub mod goal;
pub mod in_place;
mod job;
mod library;
pub mod load;
pub mod nested;
pub mod people;
mod permit;
pub mod plan;
mod preset;
mod public;
pub mod release;
pub mod report;
pub mod series;
pub mod sql;
pub mod taxonomy;

use kohort_report::{wording, words};

pub use classify::propose as inspect;
pub use context::{Cx, Observer};
pub use error::{Error, Kind, Stop};
pub use kohort_algorithms::{ALGORITHMS, Algorithm};
pub use kohort_core::{
    Ask, Cancel, Cancelled, Column, Command, Ctx, Dataset, Message, Missing, Nested, Parameter,
    Ratio, Role, Setting, Spec, Surface, Table, ValueForm, ValueType, message, nearest,
};
pub use kohort_db::{
    Address, Error as DatabaseError, Kind as DatabaseKind, Password, Target as DatabaseTarget,
    in_pass_file, values_table,
};
pub use kohort_io::{
    Compression, Encoding, Format, Options, Read, RecordBatches, Removed, Staged, Writers,
    batches_of, commit_all, create_folder, other_writers, parts_of, read_secret, read_table,
    read_text, remove_temporaries, table_of_batches, would_be_part, write_atomically,
    write_privately, write_table,
};
pub use kohort_models::nested::{NESTED_METRICS, NestedMetric, OCCURRENCE_RULE};
pub use kohort_models::utility::{MEASURES, Measure};
pub use kohort_models::{Distance, METRICS, Metric, NOT_MONOTONE, SPECS as MODELS};
pub use kohort_nested::{NESTED_ALGORITHMS, NestedAlgorithm};
pub use kohort_series::SERIES_METHODS;
pub use kohort_verify::attack::{ATTACKS, Attack, Criterion};
pub use library::{
    attack, attack_with, compare, compare_nested, diagnose, diagnose_in, publish, read,
};
pub use release::{Published, Release, anonymize_table as anonymize, verify_published as verify};

/// The chapter of the book about programs: its examples run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/program.md")]
struct FromARustProgram;

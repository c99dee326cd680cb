//! Attacks on nested releases. Each has two halves that cannot see each other's input: a guess is made from
//! the release and what an adversary knows of people's trees (`NestedScene`), a score from guesses and the
//! truth.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^53, and risks are shown")]

mod insensitive_paths;
mod multi_occurrence;
mod pattern;
mod re_execution;
mod scene;
mod structural;
mod suppression;
mod tally;

pub use insensitive_paths::{INSENSITIVE_PATHS, insensitive_paths};
pub use multi_occurrence::{
    KnownValue, MULTI_OCCURRENCE, OccurrenceGuesses, multi_occurrence, score_occurrences,
};
pub use re_execution::{
    MOST_ASSIGNMENTS, NestedMethod, RE_EXECUTION, ReExecutionGuesses, ValuesOfKinds, re_execution,
    score_re_execution,
};
pub use scene::{NestedPeople, NestedScene, TruePeople};
pub use structural::{
    NestedGuess, NestedGuesses, NestedRate, STRUCTURAL, TreeKnowledge, ValueGuess, score,
    structural,
};
pub use suppression::{SUPPRESSION, suppression};

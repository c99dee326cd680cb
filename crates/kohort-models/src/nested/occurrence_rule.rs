//! (p,m)-privacy: nobody can tell with more than a stated probability that a value occurs often in the
//! records of one person.
//!
//! # Definition
//! A rule (s, m, p) holds for a group of people when, for every member, the probability that the value s
//! occurs at least m times in the member's tree is at most p.
//!
//! # Promise
//! Whoever knows all quasi-identifiers and the structure of a tree links it to m or more occurrences of s
//! with probability p at most.
//!
//! # What it does not promise
//! Nothing about values without a rule, nor about fewer than m occurrences.
//!
//! # Parameters
//! `value`, `at-least` (m), `probability` (p, a rational).
//!
//! # References
//! Özalp et al., hierarchical data, Definitions 18 and 19; specs/06 §5.1.

use kohort_core::Ratio;

/// A discriminatory rule about one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OccurrenceRule {
    /// The value's code in the sensitive attribute of each kind of vertex; none where it does not occur.
    pub code_of_kind: Vec<Option<u32>>,
    /// How many occurrences disclose: m.
    pub at_least: u32,
    /// How likely that may be: p.
    pub probability: Ratio,
}

impl OccurrenceRule {
    /// Whether a vertex of a kind with a sensitive code is an occurrence.
    pub fn is_occurrence(&self, kind: usize, code: u32) -> bool {
        self.code_of_kind[kind] == Some(code)
    }
}

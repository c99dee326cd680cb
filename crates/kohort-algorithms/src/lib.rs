//! Anonymizers: from a dataset and a goal to a candidate release, one file per algorithm.
//!
//! Nothing here judges a release: what an algorithm makes is a [`Candidate`], and whether it keeps its
//! promise is recomputed elsewhere from the bytes that were written.

#![expect(clippy::cast_precision_loss, reason = "numbers of rows are far below 2^53")]

mod additive_noise;
mod algorithm;
mod anatomy;
mod anonymize;
mod auto;
mod branches;
mod bucket;
mod candidate;
mod check;
mod codip;
mod datafly;
mod decomposition;
mod diversity;
mod drop_rows;
mod extent;
mod gal;
mod greedy;
mod hilbert;
mod hitting;
mod incognito;
mod k_member;
mod l_member;
mod lattice;
mod left_out;
mod li_ye;
mod mdav;
mod merge_equal_cells;
mod mmdcf;
mod mondrian;
mod msa_as_quasi;
mod msa_hilbert;
mod msa_naive;
mod msa_search;
mod oka;
mod optimal;
mod points;
mod pool;
mod problem;
mod randomized_response;
mod rank_swapping;
mod ranked;
mod registry;
mod remaining;
mod repair;
mod samarati;
mod scan;
mod sensitive_split;
mod shared_l;
mod space;
mod together;
mod top_down;
mod transparent;
mod tree;
mod two_phase;

#[cfg(test)]
mod tests;

pub use algorithm::{Algorithm, Facts, Failure};
pub use anonymize::anonymize;
pub use branches::{Branch, branches};
pub use candidate::{Candidate, Form, Perturbed, SUPPRESSED};
pub use hilbert::curve::hilbert_keys;
pub use kohort_models::Draw;
pub use points::Points;
pub use problem::{Center, High, Membership, Metric, Policy, Problem, Secret, Settings, Together};
pub use randomized_response::unbiased_count;
pub use registry::{ALGORITHMS, algorithm};
pub use space::{Axis, Space};
pub use transparent::can_be_transparent;

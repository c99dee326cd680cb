//! Proposed roles for the columns of a table, each with its reason.

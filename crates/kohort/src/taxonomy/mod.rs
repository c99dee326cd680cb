//! Taxonomies: where they come from, and what is wrong with one.

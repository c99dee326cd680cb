//! What is dropped, against every way to drop rows of small tables.

//! Mondrian against a plain one.

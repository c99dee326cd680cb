//! Realistic made-up tables, so that nothing depends on a download.

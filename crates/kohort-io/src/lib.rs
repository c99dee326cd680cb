//! Tables in and out: CSV, Parquet, JSON Lines and Arrow. The only opener of files.
//!
//! A reader judges nothing: it turns a source into a [`kohort_core::Table`] of dictionary codes, or
//! refuses it with the place of the first fault. No message shows a cell.

mod builder;
mod columnar;
mod csv;
mod encoding;
mod error;
mod folder;
mod json_lines;
mod lines;
mod notes;
mod signature;
mod source;
mod text;
mod write;

pub use encoding::Encoding;
pub use error::{At, Error, Kind};
pub use folder::create_folder;
pub use source::{Options, Read, read_table};
pub use text::read_text;
pub use write::write_atomically;

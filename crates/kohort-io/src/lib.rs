//! Tables in and out: CSV, Parquet, JSON Lines and Arrow; records inside records: JSON and XML. The
//! only opener of files.
//!
//! A reader judges nothing: it turns a source into a [`kohort_core::Table`] of dictionary codes, or
//! refuses it with the place of the first fault. No message shows a cell. A writer publishes the texts of
//! a table byte for byte, in a file that appears whole or not at all.

mod at;
mod batches;
mod builder;
mod columnar;
mod csv;
mod distinct;
mod encoding;
mod error;
mod files;
mod folder;
mod format;
mod hint;
mod json_lines;
mod lines;
mod nested;
mod notes;
mod parts;
mod signature;
mod source;
mod staged;
mod staged_folder;
mod text;
mod together;
mod unpack;
mod write_table;

pub use at::At;
pub use batches::{RecordBatches, batches_of, table_of_batches};
pub use encoding::Encoding;
pub use error::{Error, Kind};
pub use files::{
    is_file_there, is_same_file, is_there, open_if_there, put_in_place, read_secret, remove_file,
};
pub use folder::{Writers, create_folder, create_private_folder, other_writers};
pub use format::{Compression, Format};
pub use nested::{
    NestedFormat, NestedOptions, ReadNested, Related, is_xml_path, looks_nested, read_nested,
    read_nested_json, relate, tables_of, write_nested,
};
pub use parts::{parts_of, would_be_part};
pub use source::{Options, Read, read_table};
pub use staged::{
    Removed, Staged, Uninterrupted, commit_all, remove_temporaries, uninterrupted,
    write_atomically, write_privately,
};
pub use staged_folder::StagedFolder;
pub use text::read_text;
pub use together::{Reading, commit_together, settle};
pub use write_table::{escaped_columns, write_parquet_rows, write_table};

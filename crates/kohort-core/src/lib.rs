//! The values every step of kohort works on: tables as dictionary codes, roles, taxonomies, and the
//! equivalence classes that rows fall into.
//!
//! This crate opens no file, reads no clock and draws no random number: everything above it can be
//! tested in memory.

mod buckets;
mod cancel;
mod cell;
mod cells;
mod codes;
mod ctx;
mod dataset;
pub mod date;
mod dictionary;
mod domain;
mod error;
mod forest;
mod grid;
mod grouping;
mod history;
mod masked;
mod message;
mod nearest;
mod nested;
mod public;
mod ratio;
mod setting;
mod spec;
mod table;
mod taxonomy;
mod values;
mod written;

pub use buckets::Buckets;
pub use cancel::{Cancel, Cancelled, alive, alive_at, is_cancelled, to_the_end, until_cancelled};
pub use cell::Cell;
pub use cells::{CellColumn, Cells};
pub use codes::Codes;
pub use ctx::Ctx;
pub use dataset::{Attribute, Dataset, Role};
pub use dictionary::{BadText, Dictionary};
pub use domain::Domain;
pub use error::{Error, Kind, Private};
pub use forest::{Forest, NO_VALUE, VertexKind};
pub use grouping::{Grouping, group, number};
pub use history::{ABSENT, History, ReleasedClass, SeriesRelease};
pub use masked::{Masked, MissingAs};
pub use message::{Ask, Message, Surface};
pub use nearest::nearest;
pub use nested::{Branch, Elements, Empty, Inside, Layout, Nested, Scalar};
pub use public::{Public, PublicColumn};
pub use ratio::Ratio;
pub use setting::{Command, Setting, ValueForm};
pub use spec::{Parameter, Spec};
pub use table::{Column, Missing, Place, Table, looks_like_data};
pub use taxonomy::{Labels, Level, Node, Split, Taxonomy, Tree};
pub use values::{DAY, DateFormat, ValueType, Values, parse_date, visible};
pub use written::{Told, Writing, Written};

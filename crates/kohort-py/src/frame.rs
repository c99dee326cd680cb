//! Tables across the border: the C stream of Arrow's PyCapsule interface, both ways.
//!
//! # Safety
//! The only `unsafe` of the project is here. A capsule is taken for a stream only under the name that the
//! interface gives it; the stream is moved out of the capsule, as the interface asks of a consumer, so that its
//! producer's destructor finds it released.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{RecordBatchIterator, RecordBatchReader};
use arrow_schema::SchemaRef;
use kohort::{Message, Missing, RecordBatches, Surface, batches_of, table_of_batches};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::failure::data_error;
use crate::job;
use crate::ranges::with_structs;

const STREAM: &CStr = c"arrow_array_stream";

/// A table that was read from a frame, or that a release shows.
#[pyclass(frozen, module = "kohort._kohort")]
#[expect(clippy::struct_field_names, reason = "it is the library's table, and more")]
pub(crate) struct Table {
    pub(crate) table: Arc<kohort::Table>,
    /// The types of the original's columns, where they are to come back.
    pub(crate) like: Option<SchemaRef>,
    pub(crate) notes: Vec<Message>,
    /// The columns whose ranges go out as structs of bounds.
    pub(crate) ranges: Vec<String>,
}

impl Table {
    /// A table on its way out; its columns have the types that they have in `like`.
    pub(crate) fn out(table: kohort::Table, like: Option<SchemaRef>) -> Self {
        Self { table: Arc::new(table), like, notes: Vec::new(), ranges: Vec::new() }
    }
}

#[pymethods]
impl Table {
    /// Reads whatever has `__arrow_c_stream__`. `missing` are texts that mean a missing value.
    #[new]
    #[pyo3(signature = (frame, name, missing=None))]
    fn new(
        py: Python<'_>,
        frame: &Bound<'_, PyAny>,
        name: &str,
        missing: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let capsule = frame.call_method0("__arrow_c_stream__")?;
        let reader = stream(&capsule.cast_into::<PyCapsule>()?)?;
        let missing = missing.map_or_else(Missing::default, Missing::new);
        let (schema, name) = (reader.schema(), name.to_owned());
        let types = Arc::clone(&schema);
        let read = job::run(py, None, move |_| {
            Ok(table_of_batches(&name, &types, reader, missing).map_err(kohort::Error::from)?)
        })?;
        Ok(Self {
            table: Arc::new(read.table),
            like: Some(schema),
            notes: read.notes,
            ranges: Vec::new(),
        })
    }

    #[getter]
    fn n_rows(&self) -> usize {
        self.table.n_rows()
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.table.columns().iter().map(|column| column.name().to_owned()).collect()
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.iter().map(|note| note.on(Surface::Python)).collect()
    }

    /// The same table, where ranges in these columns go out as structs of bounds.
    fn with_ranges(&self, columns: Vec<String>) -> Self {
        let (table, like, notes) = (Arc::clone(&self.table), self.like.clone(), self.notes.clone());
        Self { table, like, notes, ranges: columns }
    }

    /// The rows as a stream. Columns have the type of the original where every cell comes back from it.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows a producer to answer with its own types.
        drop(requested_schema);
        let (table, like) = (Arc::clone(&self.table), self.like.clone());
        let ranges = self.ranges.clone();
        let RecordBatches { schema, batches } = job::run(py, None, move |_| {
            let batches = batches_of(&table, like.as_deref()).map_err(kohort::Error::from)?;
            Ok(with_structs(&table, &ranges, like.as_deref(), batches)?)
        })?;
        let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, STREAM)
    }
}

/// The batches behind a capsule.
#[expect(unsafe_code, reason = "the C stream interface is made of pointers")]
fn stream(capsule: &Bound<'_, PyCapsule>) -> PyResult<ArrowArrayStreamReader> {
    let pointer = capsule.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name holds an `ArrowArrayStream`. It is moved out, and what is left is released.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(pointer.as_ptr().cast()) };
    reader.map_err(|_| data_error(capsule.py(), "the frame's Arrow stream cannot be read", None))
}

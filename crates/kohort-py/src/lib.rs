//! kohort for Python: the native half of the package, thin on purpose.
//!
//! Every function takes tables that were read from frames and a plan as JSON, works without the interpreter's
//! lock, and answers with JSON, a text and a page. The Python half (`python/kohort`) makes objects of them.

mod databases;
mod failure;
mod frame;
mod job;
mod listed;
mod nested;
mod planned;
mod questions;
mod ranges;
mod releases;
mod series;
mod taxonomies;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// The native half of kohort.
#[pymodule]
fn _kohort(module: &Bound<'_, PyModule>) -> PyResult<()> {
    refuse_subinterpreters()?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<frame::Table>()?;
    module.add_class::<releases::Release>()?;
    module.add_function(wrap_pyfunction!(databases::read_sql, module)?)?;
    module.add_function(wrap_pyfunction!(listed::registry, module)?)?;
    module.add_function(wrap_pyfunction!(listed::schema, module)?)?;
    module.add_function(wrap_pyfunction!(listed::demo, module)?)?;
    module.add_function(wrap_pyfunction!(listed::demo_series, module)?)?;
    module.add_function(wrap_pyfunction!(job::set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(planned::plan, module)?)?;
    module.add_function(wrap_pyfunction!(planned::plan_toml, module)?)?;
    module.add_function(wrap_pyfunction!(planned::plan_load, module)?)?;
    module.add_function(wrap_pyfunction!(planned::plan_read, module)?)?;
    module.add_function(wrap_pyfunction!(questions::inspect, module)?)?;
    module.add_function(wrap_pyfunction!(questions::diagnose, module)?)?;
    module.add_function(wrap_pyfunction!(questions::sql, module)?)?;
    module.add_function(wrap_pyfunction!(questions::attack, module)?)?;
    module.add_function(wrap_pyfunction!(questions::compare, module)?)?;
    module.add_function(wrap_pyfunction!(nested::nested_anonymize, module)?)?;
    module.add_function(wrap_pyfunction!(nested::nested_verify, module)?)?;
    module.add_function(wrap_pyfunction!(nested::nested_attack, module)?)?;
    module.add_function(wrap_pyfunction!(nested::nested_diagnose, module)?)?;
    module.add_function(wrap_pyfunction!(nested::nested_inspect, module)?)?;
    module.add_function(wrap_pyfunction!(nested::nested_compare, module)?)?;
    module.add_function(wrap_pyfunction!(releases::anonymize, module)?)?;
    module.add_function(wrap_pyfunction!(releases::verify, module)?)?;
    module.add_function(wrap_pyfunction!(series::publish, module)?)?;
    module.add_function(wrap_pyfunction!(series::ledger, module)?)?;
    module.add_function(wrap_pyfunction!(series::verify_series, module)?)?;
    module.add_function(wrap_pyfunction!(taxonomies::taxonomy_build, module)?)?;
    module.add_function(wrap_pyfunction!(taxonomies::taxonomy_check, module)?)?;
    module.add_function(wrap_pyfunction!(taxonomies::taxonomy_show, module)?)?;
    module.add_function(wrap_pyfunction!(taxonomies::taxonomy_of_column, module)?)?;
    Ok(())
}

/// Threads of the library belong to the process: in an interpreter beside the main one it is not imported.
#[expect(unsafe_code, reason = "the interpreter says who it is by its C interface alone")]
fn refuse_subinterpreters() -> PyResult<()> {
    // SAFETY: called while the module is imported, with the interpreter's lock.
    let id = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    if id == 0 {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "kohort does not work in a subinterpreter: import it in the main one, or use a process",
    ))
}

//! What went wrong, as an exception of `kohort._errors`, in the words of Python.

use kohort::release::{No, WithinReach};
use kohort::{Error, Kind, Message, Ratio, Stop, Surface};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// An exception of the package, with the way on where there is one.
fn raised(py: Python<'_>, class: &str, message: &str, hint: Option<&str>) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let class = py.import("kohort._errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call1((message, hint))?))
    };
    made().unwrap_or_else(|error| error)
}

/// A frame that is not as it must be.
pub(crate) fn data_error(py: Python<'_>, message: &str, hint: Option<&str>) -> PyErr {
    raised(py, "DataError", message, hint)
}

/// A plan that does not say what a plan may say.
pub(crate) fn plan_error(py: Python<'_>, message: &str, hint: Option<&str>) -> PyErr {
    raised(py, "PlanError", message, hint)
}

/// An error of the library.
pub(crate) fn failed(py: Python<'_>, error: &Error) -> PyErr {
    let told = || (error.to_string(), error.hint().as_ref().map(Message::to_string));
    let (message, hint) = Surface::Python.speak(told);
    match error.kind() {
        // A plan that a program wrote has no lines to point at.
        Kind::Plan { problem, nearest, .. } => {
            let meant = nearest.as_ref().map(|name| format!("did you mean `{name}`?"));
            plan_error(py, problem, meant.as_deref())
        }
        Kind::NothingAsked | Kind::Refused { .. } => plan_error(py, &message, hint.as_deref()),
        _ => data_error(py, &message, hint.as_deref()),
    }
}

/// Why there is no answer.
pub(crate) fn stopped(py: Python<'_>, stop: &Stop) -> PyErr {
    match stop {
        Stop::No(no) => refused(py, no),
        Stop::Cancelled => PyKeyboardInterrupt::new_err(()),
        Stop::Error(error) => failed(py, error),
    }
}

/// The answer no.
fn refused(py: Python<'_>, no: &No) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let value = Surface::Python.speak(|| serde_json::to_string(no));
        let value = value.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let goals = no.nearest_goals.iter().flat_map(|nearest| &nearest.0);
        let nearest: Value =
            goals.map(|goal| goal.iter().map(spelled).collect::<Value>()).collect();
        let class = py.import("kohort._errors")?.getattr("refused")?;
        Ok(PyErr::from_value(class.call1((value, nearest.to_string()))?))
    };
    made().unwrap_or_else(|error| error)
}

/// A promise: its model, the attribute it is about, and its numbers by name.
fn spelled(promise: &WithinReach) -> Value {
    let number = |number: Ratio| match number.den() {
        1 => Value::from(number.num()),
        _ => Value::from(number.value()),
    };
    let numbers = promise.numbers.iter().map(|(name, found)| ((*name).to_owned(), number(*found)));
    let numbers: serde_json::Map<String, Value> = numbers.collect();
    json!({ "model": promise.model, "attribute": promise.attribute, "numbers": numbers })
}

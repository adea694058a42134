//! Exceptions, and the conversion of the errors of the crates.
//!
//! All are subclasses of `GranumError`. Those of wrong input carry the field that is wrong.

use granum_engine::WorldError;
use granum_reference::query::QueryError;
use granum_scene as scene;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyUserWarning};
use pyo3::prelude::*;

create_exception!(granum, GranumError, PyException, "Base class of all exceptions of granum.");
create_exception!(
    granum,
    InputError,
    GranumError,
    "Wrong input. `field` names the field, or is None; `reason` is the message without the field."
);
create_exception!(
    granum,
    SceneError,
    InputError,
    "A scene is wrong. `field` is the key, such as `grains[0].sphere.radius`; `file`, `line` and `column` are its place."
);
create_exception!(granum, ContactError, InputError, "A contact query is wrong, or has no answer.");
create_exception!(granum, ReadError, GranumError, "A file of a run cannot be read.");
create_exception!(
    granum,
    GuardError,
    GranumError,
    "A guard of the scene has stopped the simulation. `guard` is its name, `step` and `time` say when."
);
create_exception!(
    granum,
    BusyError,
    GranumError,
    "The simulation is being stepped, by another thread or by the caller of a force function."
);
create_exception!(granum, GranumWarning, PyUserWarning, "A warning of a scene or of a guard.");

/// Adds the exceptions to the module.
pub fn add(py: Python<'_>, module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("GranumError", py.get_type::<GranumError>())?;
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("SceneError", py.get_type::<SceneError>())?;
    module.add("ContactError", py.get_type::<ContactError>())?;
    module.add("ReadError", py.get_type::<ReadError>())?;
    module.add("GuardError", py.get_type::<GuardError>())?;
    module.add("BusyError", py.get_type::<BusyError>())?;
    module.add("GranumWarning", py.get_type::<GranumWarning>())
}

/// Returns the exception of a wrong scene. `has_text` says whether the user has written the text to
/// which line and column refer.
pub fn scene_error(py: Python<'_>, error: &scene::SceneError, has_text: bool) -> PyErr {
    let mut error = error.clone();
    if !has_text {
        (error.line, error.column) = (None, None);
    }
    let message = error.report();
    let exception = SceneError::new_err(message);
    with_attributes(py, exception, |value| {
        value.setattr("field", error.field.as_deref())?;
        value.setattr("reason", &error.reason)?;
        value.setattr("file", error.file.display().to_string())?;
        value.setattr("line", error.line)?;
        value.setattr("column", error.column)
    })
}

/// Returns the exception of wrong input of a function.
pub fn input_error(py: Python<'_>, field: &str, reason: &str) -> PyErr {
    with_field(py, InputError::new_err(format!("{field} {reason}")), Some(field), reason)
}

/// Returns the exception of a change that the world refuses.
pub fn world_error(py: Python<'_>, error: &WorldError) -> PyErr {
    let message = error.to_string();
    with_field(py, InputError::new_err(message.clone()), None, &message)
}

/// Returns the exception of a contact query.
pub fn query_error(py: Python<'_>, error: &QueryError) -> PyErr {
    let (field, reason) = match error {
        QueryError::Field { field, reason } => (Some(field.as_str()), reason),
        QueryError::Form { path, reason } | QueryError::Syntax { path, reason } => {
            (Some(path.as_str()).filter(|path| !path.is_empty()), reason)
        }
        QueryError::NoContact(reason) => (None, reason),
    };
    contact_error(py, error.to_string(), field, reason)
}

/// Returns the exception of a contact with its message and the wrong field.
pub fn contact_error(py: Python<'_>, message: String, field: Option<&str>, reason: &str) -> PyErr {
    with_field(py, ContactError::new_err(message), field, reason)
}

/// Returns the exception of a guard that stops a simulation.
pub fn guard_error(py: Python<'_>, guard: &str, step: u64, time: f64, message: String) -> PyErr {
    with_attributes(py, GuardError::new_err(message), |value| {
        value.setattr("guard", guard)?;
        value.setattr("step", step)?;
        value.setattr("time", time)
    })
}

fn with_field(py: Python<'_>, exception: PyErr, field: Option<&str>, reason: &str) -> PyErr {
    with_attributes(py, exception, |value| {
        value.setattr("field", field)?;
        value.setattr("reason", reason)
    })
}

/// Returns an exception with further attributes, or the error of setting them.
fn with_attributes<'py>(
    py: Python<'py>,
    exception: PyErr,
    set: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<()>,
) -> PyErr {
    match set(exception.value(py).as_any()) {
        Ok(()) => exception,
        Err(error) => error,
    }
}

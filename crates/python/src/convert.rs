//! Python values as values of TOML, the format of scenes.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toml::{Table, Value};

/// Deepest nesting of a value: a list that contains itself has no end.
const DEEPEST: usize = 32;

/// Returns a dictionary as a table. Keys whose value is `None` are left out. `field` is the name of
/// the table in messages.
pub fn table(values: &Bound<'_, PyDict>, field: &str) -> PyResult<Table> {
    table_at(values, field, 0)
}

/// Returns a value of a scene: a number, a text, a truth value, a list, a dictionary or an array.
pub fn value(object: &Bound<'_, PyAny>, field: &str) -> PyResult<Value> {
    value_at(object, field, 0)
}

fn table_at(values: &Bound<'_, PyDict>, field: &str, depth: usize) -> PyResult<Table> {
    let mut table = Table::new();
    for (key, object) in values.iter() {
        let Ok(key) = key.cast::<PyString>() else {
            return Err(PyTypeError::new_err(format!("{field}: keys must be strings, not {key}")));
        };
        let key = key.to_str()?;
        if !object.is_none() {
            let path = if field.is_empty() { key.to_owned() } else { format!("{field}.{key}") };
            table.insert(key.to_owned(), value_at(&object, &path, depth + 1)?);
        }
    }
    Ok(table)
}

fn value_at(object: &Bound<'_, PyAny>, field: &str, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        return Err(PyTypeError::new_err(format!("{field}: is nested too deeply")));
    }
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(Value::Boolean(flag.is_true()));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_owned()));
    }
    if object.is_instance_of::<PyInt>() {
        return object
            .extract()
            .map(Value::Integer)
            .map_err(|_| PyTypeError::new_err(format!("{field}: must be an integer of 64 bits, not {object}")));
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    if let Ok(values) = object.cast::<PyDict>() {
        return table_at(values, field, depth).map(Value::Table);
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let items = object.try_iter()?.enumerate();
        let item = |(index, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            value_at(&item?, &format!("{field}[{index}]"), depth + 1)
        };
        return items.map(item).collect::<PyResult<Vec<_>>>().map(Value::Array);
    }
    // Scalars and arrays of numpy, and paths.
    for method in ["tolist", "__fspath__"] {
        if object.hasattr(method)? {
            return value_at(&object.call_method0(method)?, field, depth + 1);
        }
    }
    let kind = object.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "{field}: must be a number, a text, a list, a dictionary or an array, not {kind}"
    )))
}

/// Returns a value of TOML as a Python object.
pub fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => number.into_pyobject(py)?.into_any(),
        Value::Boolean(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Datetime(time) => time.to_string().into_pyobject(py)?.into_any(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| object(py, item)).collect::<PyResult<_>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Table(table) => {
            let values = PyDict::new(py);
            for (key, value) in table {
                values.set_item(key, object(py, value)?)?;
            }
            values.into_any()
        }
    })
}

//! Results of runs: tables, frames, measurements, charts and pictures.

pub mod frame;
pub mod picture;
pub mod run;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use serde_json::Value;

use crate::errors::GranumError;

/// Returns rows with named numbers and texts as columns.
fn columns<'py, T: Serialize>(py: Python<'py>, written: &[T]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let failed = |error: serde_json::Error| GranumError::new_err(error.to_string());
    let rows: Vec<Value> = written.iter().map(serde_json::to_value).collect::<Result<_, _>>().map_err(failed)?;
    let Some(Value::Object(first)) = rows.first() else { return Ok(columns) };
    // The map is sorted by name, the text has the order of the fields.
    let text = serde_json::to_string(&written[0]).map_err(failed)?;
    let mut fields: Vec<_> = first.iter().collect();
    fields.sort_by_key(|(name, _)| text.find(&format!("\"{name}\":")));
    for (name, value) in fields {
        if value.is_string() {
            let texts: Vec<&str> = rows.iter().map(|row| row[name].as_str().unwrap_or_default()).collect();
            columns.set_item(name, texts)?;
        } else {
            let whole: Option<Vec<i64>> = rows.iter().map(|row| row[name].as_i64()).collect();
            match whole {
                Some(numbers) => columns.set_item(name, numpy::PyArray1::from_vec(py, numbers))?,
                None => {
                    // JSON has no number for infinity and NaN.
                    let number = |row: &Value| row[name].as_f64().unwrap_or(f64::NAN);
                    let numbers: Vec<f64> = rows.iter().map(number).collect();
                    columns.set_item(name, numpy::PyArray1::from_vec(py, numbers))?;
                }
            }
        }
    }
    Ok(columns)
}

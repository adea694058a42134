//! The contact of two bodies, and of many pairs at once.

pub mod pairs;
pub mod shape;

use granum_reference::methods;
use granum_reference::query;
use pyo3::prelude::*;

use crate::errors::{self, GranumError};

/// Answers a contact query in JSON, as `granum contact` does.
#[pyfunction]
pub fn answer(py: Python<'_>, query: &str) -> PyResult<String> {
    let answer = py.detach(|| query::parse_query(query).and_then(|query| query::answer(&query)));
    let answer = answer.map_err(|error| errors::query_error(py, &error))?;
    serde_json::to_string(&answer).map_err(|error| GranumError::new_err(error.to_string()))
}

/// Return the names of all contact methods with a description, `auto` first.
#[pyfunction]
pub fn contact_methods() -> Vec<(&'static str, &'static str)> {
    let auto = ("auto", "the best routine for the two shapes");
    std::iter::once(auto).chain(methods::ALL.iter().map(|method| (method.name, method.about))).collect()
}

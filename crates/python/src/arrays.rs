//! Arrays of numpy: checks of those from Python, and arrays that follow a simulation.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::errors;

/// Returns the number of rows of an array that must have this number of columns.
pub fn rows(py: Python<'_>, array: &PyReadonlyArray2<'_, f64>, columns: usize, name: &str) -> PyResult<usize> {
    let [rows, found] = [array.shape()[0], array.shape()[1]];
    if found == columns {
        Ok(rows)
    } else {
        Err(errors::input_error(py, name, &format!("must have {columns} columns, not {found}")))
    }
}

/// An array with a row for each body, which is filled again when it is read after a change of the
/// simulation. It is read-only for users.
///
/// If nothing but this cache refers to the array, its memory is used again. Otherwise the user keeps
/// the old array with its numbers, and a new one is made.
#[derive(Default)]
pub struct Cached {
    array: Option<Py<PyArray2<f64>>>,
    /// The state of the simulation to which the numbers belong.
    version: u64,
}

impl Cached {
    /// Returns the array; `fill` writes its numbers.
    pub fn get<'py>(
        &mut self,
        py: Python<'py>,
        version: u64,
        [rows, columns]: [usize; 2],
        fill: impl FnOnce(&mut [f64]),
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        if let Some(array) = &self.array
            && self.version == version
        {
            return Ok(array.bind(py).clone());
        }
        let array = match self.array.take() {
            Some(array) => {
                let array = array.into_bound(py);
                let is_same_size = array.shape() == [rows, columns];
                if is_same_size && is_unshared(&array)? { array } else { new(py, [rows, columns]) }
            }
            None => new(py, [rows, columns]),
        };
        write(&array, fill)?;
        (self.array, self.version) = (Some(array.clone().unbind()), version);
        Ok(array)
    }
}

fn new(py: Python<'_>, shape: [usize; 2]) -> Bound<'_, PyArray2<f64>> {
    PyArray2::zeros(py, shape, false)
}

fn write(array: &Bound<'_, PyArray2<f64>>, fill: impl FnOnce(&mut [f64])) -> PyResult<()> {
    array.call_method1(pyo3::intern!(array.py(), "setflags"), (true,))?;
    let mut numbers = array.try_readwrite().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    fill(numbers.as_slice_mut()?);
    numbers.make_nonwriteable();
    Ok(())
}

/// References to an array that only this function and its caller hold: the variable of the caller
/// and the argument of `sys.getrefcount`.
const OWN_REFERENCES: usize = 2;

/// Returns whether no other Python object refers to an array, directly or as a view.
fn is_unshared(array: &Bound<'_, PyArray2<f64>>) -> PyResult<bool> {
    static COUNT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = array.py();
    let count = COUNT.get_or_try_init(py, || py.import("sys")?.getattr("getrefcount").map(Bound::unbind))?;
    let found: usize = count.bind(py).call1((array,))?.extract()?;
    Ok(found <= OWN_REFERENCES)
}

/// Returns a read-only array.
pub fn read_only<'py, T: numpy::Element>(py: Python<'py>, values: Vec<T>) -> Bound<'py, PyArray1<T>> {
    let array = PyArray1::from_vec(py, values);
    array.readwrite().make_nonwriteable();
    array
}

/// Returns an object as a contiguous array of `f64` with two dimensions. Numbers that are not real,
/// and text, are refused; integers are converted.
pub fn floats<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let py = object.py();
    let numpy = py.import(pyo3::intern!(py, "numpy"))?;
    let wrong = |reason: &str| errors::input_error(py, name, reason);
    let array = numpy.call_method1("asarray", (object,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !["f", "i", "u"].contains(&kind.as_str()) {
        let dtype = array.getattr("dtype")?;
        return Err(wrong(&format!("must be an array of real numbers, not of {dtype}")));
    }
    let array = numpy.call_method1("ascontiguousarray", (array, numpy::dtype::<f64>(py)))?;
    array.cast_into::<PyArray2<f64>>().map_err(|_| wrong("must have two dimensions"))
}

/// Returns an object as a contiguous array of ids with one dimension.
pub fn ids<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Vec<u32>> {
    let py = object.py();
    let numpy = py.import(pyo3::intern!(py, "numpy"))?;
    let array = numpy.call_method1("atleast_1d", (object,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    let wrong = |reason: String| errors::input_error(py, name, &reason);
    if !["i", "u"].contains(&kind.as_str()) && !is_empty {
        let dtype = array.getattr("dtype")?;
        return Err(wrong(format!("must be an array of whole numbers, not of {dtype}")));
    }
    let array = numpy.call_method1("ascontiguousarray", (array, numpy::dtype::<i64>(py)))?;
    let array = array.cast_into::<PyArray1<i64>>().map_err(|_| wrong("must have one dimension".into()))?;
    let readonly = array.readonly();
    let id = |&id: &i64| u32::try_from(id).map_err(|_| wrong(format!("must be ids of bodies, not {id}")));
    readonly.as_slice()?.iter().map(id).collect()
}

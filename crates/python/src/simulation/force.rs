//! Forces of the user on the bodies: an array, or a function of Python.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use glam::DVec3;
use granum_engine::{World, Wrench};
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors;

/// What a force function of Python sees: the state at one evaluation of the forces.
///
/// The arrays have a row for each body and are copies. Velocities and spins are those that are
/// predicted for this instant.
#[pyclass(module = "granum", frozen, get_all)]
pub struct ForceInput {
    /// Time, s.
    time: f64,
    /// Centres, m.
    positions: Py<PyArray2<f64>>,
    /// Quaternions [w, x, y, z] from body axes to world axes.
    orientations: Py<PyArray2<f64>>,
    /// Velocities of the centres, m/s.
    velocities: Py<PyArray2<f64>>,
    /// Angular velocities in world axes, rad/s.
    spins: Py<PyArray2<f64>>,
}

impl ForceInput {
    fn of(py: Python<'_>, world: &World) -> PyResult<Self> {
        let count = world.body_count();
        let array = |columns: usize, numbers: Vec<f64>| {
            numpy::PyArray1::from_vec(py, numbers).reshape([count, columns]).map(Bound::unbind)
        };
        let positions = world.positions().flat_map(|position| position.to_array()).collect();
        let orientations = world.orientations().flat_map(|q| [q.w, q.x, q.y, q.z]).collect();
        let velocities = world.twists().flat_map(|twist| twist.velocity.to_array()).collect();
        let spins = world.twists().flat_map(|twist| twist.spin.to_array()).collect();
        Ok(Self {
            time: world.time(),
            positions: array(3, positions)?,
            orientations: array(4, orientations)?,
            velocities: array(3, velocities)?,
            spins: array(3, spins)?,
        })
    }
}

/// A force of the user.
pub struct PyForce {
    /// The function; `None` for constant forces, or after the garbage collector has cleared it.
    function: Mutex<Option<Py<PyAny>>>,
    is_function: bool,
    /// Constant forces by id.
    constant: Vec<Wrench>,
    /// The exception of the function, until it is raised.
    failure: Mutex<Option<PyErr>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PyForce {
    /// Returns constant forces, or those of a function.
    pub fn new(
        py: Python<'_>,
        force: &Bound<'_, PyAny>,
        torque: Option<&Bound<'_, PyAny>>,
        bodies: usize,
    ) -> PyResult<Arc<Self>> {
        let mut new = Self {
            function: Mutex::default(),
            is_function: force.is_callable(),
            constant: Vec::new(),
            failure: Mutex::default(),
        };
        if new.is_function {
            if torque.is_some() {
                return Err(PyTypeError::new_err("torque: a force function returns its torques itself"));
            }
            new.function = Mutex::new(Some(force.clone().unbind()));
        } else {
            new.constant = vec![Wrench::default(); bodies];
            set(py, &mut new.constant, "force", force, |wrench, value| wrench.force = value)?;
            if let Some(torque) = torque {
                set(py, &mut new.constant, "torque", torque, |wrench, value| wrench.torque = value)?;
            }
        }
        Ok(Arc::new(new))
    }

    pub fn is_function(&self) -> bool {
        self.is_function
    }

    pub fn has_failed(&self) -> bool {
        self.is_function && locked(&self.failure).is_some()
    }

    /// Returns the exception of the function, once.
    pub fn take_failure(&self) -> Option<PyErr> {
        locked(&self.failure).take()
    }

    /// Visits the function for the garbage collector.
    pub fn traverse(&self, visit: &pyo3::PyVisit<'_>) -> Result<(), pyo3::PyTraverseError> {
        match self.function.try_lock() {
            Ok(function) => function.as_ref().map_or(Ok(()), |function| visit.call(function)),
            Err(_) => Ok(()),
        }
    }

    pub fn clear(&self) {
        let function = locked(&self.function).take();
        drop(function);
    }

    /// Sets the forces at an evaluation. Bodies that were added later have no constant force.
    pub fn evaluate(&self, world: &World, wrenches: &mut [Wrench]) {
        if !self.is_function {
            let count = self.constant.len().min(wrenches.len());
            wrenches[..count].copy_from_slice(&self.constant[..count]);
            return;
        }
        if self.has_failed() {
            return;
        }
        Python::attach(|py| {
            if let Err(error) = self.call(py, world, wrenches) {
                wrenches.fill(Wrench::default());
                *locked(&self.failure) = Some(error);
            }
        });
    }

    fn call(&self, py: Python<'_>, world: &World, wrenches: &mut [Wrench]) -> PyResult<()> {
        let Some(function) = locked(&self.function).as_ref().map(|function| function.clone_ref(py)) else {
            return Ok(());
        };
        let input = Py::new(py, ForceInput::of(py, world)?)?;
        let result = function.bind(py).call1((input,))?;
        let set_force = |wrench: &mut Wrench, value| wrench.force = value;
        if let Ok((force, torque)) = result.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()
            && result.is_instance_of::<pyo3::types::PyTuple>()
        {
            set(py, wrenches, "the force that the function returns", &force, set_force)?;
            return set(py, wrenches, "the torque that the function returns", &torque, |wrench, value| {
                wrench.torque = value
            });
        }
        set(py, wrenches, "the force that the function returns", &result, set_force)
    }
}

/// Stores an array with a row for each body.
fn set(
    py: Python<'_>,
    wrenches: &mut [Wrench],
    name: &str,
    array: &Bound<'_, PyAny>,
    store: impl Fn(&mut Wrench, DVec3),
) -> PyResult<()> {
    let array = crate::arrays::floats(array, name)?;
    let array: PyReadonlyArray2<'_, f64> = array.readonly();
    if array.shape() != [wrenches.len(), 3] {
        let reason =
            format!("must have the shape ({}, 3), one row for each body, not {:?}", wrenches.len(), array.shape());
        return Err(errors::input_error(py, name, &reason));
    }
    for (row, (wrench, numbers)) in wrenches.iter_mut().zip(array.as_slice()?.chunks_exact(3)).enumerate() {
        let value = DVec3::new(numbers[0], numbers[1], numbers[2]);
        if !value.is_finite() {
            return Err(errors::input_error(py, name, &format!("must be finite, and row {row} is {value}")));
        }
        store(wrench, value);
    }
    Ok(())
}

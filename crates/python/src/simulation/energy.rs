//! The energy balance as a Python object.

use granum_engine as engine;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::GranumError;

/// Energy balance of a simulation at one instant, J.
#[pyclass(module = "granum", frozen)]
pub struct Energy {
    pub now: engine::Energy,
    /// Balance at the start.
    pub start: engine::Energy,
}

#[pymethods]
impl Energy {
    /// Kinetic energy of translation and rotation.
    #[getter]
    fn kinetic(&self) -> f64 {
        self.now.kinetic_translational + self.now.kinetic_rotational
    }

    /// Kinetic energy of translation.
    #[getter]
    fn kinetic_translational(&self) -> f64 {
        self.now.kinetic_translational
    }

    /// Kinetic energy of rotation.
    #[getter]
    fn kinetic_rotational(&self) -> f64 {
        self.now.kinetic_rotational
    }

    /// Potential energy in gravity; zero at the origin.
    #[getter]
    fn potential(&self) -> f64 {
        self.now.potential
    }

    /// Elastic energy of the contacts.
    #[getter]
    fn elastic(&self) -> f64 {
        self.now.elastic
    }

    /// Energy present: kinetic, potential and elastic.
    #[getter]
    fn total(&self) -> f64 {
        self.now.total()
    }

    /// Energy dissipated by normal damping since the start.
    #[getter]
    fn dissipated_damping(&self) -> f64 {
        self.now.dissipated_damping
    }

    /// Energy dissipated by friction since the start.
    #[getter]
    fn dissipated_friction(&self) -> f64 {
        self.now.dissipated_friction
    }

    /// Energy dissipated since the start.
    #[getter]
    fn dissipated(&self) -> f64 {
        self.now.dissipated()
    }

    /// Work since the start: of walls, of user-defined forces, and of changes between steps.
    #[getter]
    fn work(&self) -> f64 {
        self.now.work
    }

    /// Error of the balance since the start. Zero if all energy is accounted for.
    #[getter]
    fn residual(&self) -> f64 {
        self.now.residual(&self.start)
    }

    /// Return all numbers by name.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let values = PyDict::new(py);
        for (name, value) in [
            ("kinetic_translational", self.now.kinetic_translational),
            ("kinetic_rotational", self.now.kinetic_rotational),
            ("potential", self.now.potential),
            ("elastic", self.now.elastic),
            ("dissipated_damping", self.now.dissipated_damping),
            ("dissipated_friction", self.now.dissipated_friction),
            ("work", self.now.work),
            ("residual", self.residual()),
        ] {
            values.set_item(name, value)?;
        }
        Ok(values)
    }

    /// Create a balance from two balances as JSON: of the instant and of the start.
    #[staticmethod]
    fn _of_json(now: &str, start: &str) -> PyResult<Self> {
        let read = |text| serde_json::from_str(text).map_err(|error| GranumError::new_err(error.to_string()));
        Ok(Self { now: read(now)?, start: read(start)? })
    }

    /// Parallel studies send balances to other processes.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let written = |energy| serde_json::to_string(energy).map_err(|error| GranumError::new_err(error.to_string()));
        Ok((py.get_type::<Self>().getattr("_of_json")?, (written(&self.now)?, written(&self.start)?)))
    }

    fn __repr__(&self) -> String {
        format!(
            "Energy(kinetic={:.6e}, potential={:.6e}, elastic={:.6e}, dissipated={:.6e}, work={:.6e}, residual={:.2e})",
            self.kinetic(),
            self.potential(),
            self.elastic(),
            self.dissipated(),
            self.work(),
            self.residual()
        )
    }
}

//! The Python module `granum._native`: a thin shell over the granum crates. The package in
//! `python/granum` adds what is shorter in Python, such as tables and pictures in notebooks.
//!
//! Input from Python is checked by the crates: a scene becomes TOML and a contact query JSON, so
//! that the messages are those of the program. Only arrays are checked here.

mod arrays;
mod contact;
mod convert;
mod errors;
mod program;
mod results;
mod scene;
mod simulation;

use pyo3::prelude::*;

/// Native part of the package granum.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::add(py, module)?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<simulation::energy::Energy>()?;
    module.add_class::<simulation::force::ForceInput>()?;
    module.add_class::<contact::shape::Shape>()?;
    module.add_class::<results::run::Run>()?;
    module.add_class::<results::frame::Frame>()?;
    module.add_class::<results::picture::Picture>()?;
    module.add_function(wrap_pyfunction!(contact::answer, module)?)?;
    module.add_function(wrap_pyfunction!(contact::pairs::contact_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(contact::contact_methods, module)?)?;
    module.add_function(wrap_pyfunction!(program::run_command_line, module)?)
}

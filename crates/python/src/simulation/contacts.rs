//! Contacts as a structured array, and their sums on walls.

use granum_engine::{BodyId, ContactState, World, Wrench};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Fields of a contact: name, type, number of components.
const FIELDS: [(&str, &str, usize); 7] = [
    ("a", "i8", 1),
    ("b", "i8", 1),
    ("point", "f8", 3),
    ("normal", "f8", 3),
    ("gap", "f8", 1),
    ("force", "f8", 3),
    ("torque", "f8", 3),
];

/// Bytes of a contact.
const BYTES: usize = 8 * 15;

/// Returns the contacts that carry a force, in the order of (a, b).
pub fn loaded(world: &World) -> Vec<ContactState> {
    world.loaded_contacts().iter().map(|contact| contact.state()).collect()
}

/// Returns contacts as a structured array.
pub fn array<'py>(py: Python<'py>, contacts: &[ContactState]) -> PyResult<Bound<'py, PyAny>> {
    let mut bytes = Vec::with_capacity(BYTES * contacts.len());
    for contact in contacts {
        for id in [contact.a, contact.b] {
            bytes.extend(i64::from(id.0).to_ne_bytes());
        }
        let vectors = [contact.point, contact.normal].into_iter().flat_map(|vector| vector.to_array());
        let rest = [contact.force, contact.torque].into_iter().flat_map(|vector| vector.to_array());
        for number in vectors.chain([contact.gap]).chain(rest) {
            bytes.extend(number.to_ne_bytes());
        }
    }
    let bytes = PyArray1::from_vec(py, bytes);
    bytes.readwrite().make_nonwriteable();
    bytes.call_method1("view", (dtype(py)?,))
}

fn dtype(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = || {
        let fields: Vec<_> = FIELDS
            .iter()
            .map(|&(name, kind, count)| {
                let shape: Vec<usize> = if count == 1 { Vec::new() } else { vec![count] };
                Ok((name, kind, pyo3::types::PyTuple::new(py, shape)?))
            })
            .collect::<PyResult<_>>()?;
        py.import("numpy")?.getattr("dtype")?.call1((fields,)).map(Bound::unbind)
    };
    DTYPE.get_or_try_init(py, make).map(|dtype| dtype.bind(py))
}

/// Returns the sum of the contact forces on a body, and their torque about its centre.
pub fn load(world: &World, id: BodyId) -> Wrench {
    let centre = world.position(id);
    let mut load = Wrench::default();
    for contact in world.loaded_contacts_of(id) {
        let sign = if contact.b() == id { 1.0 } else { -1.0 };
        let moment = (contact.point() - centre).cross(contact.force());
        load.force += sign * contact.force();
        load.torque += sign * (moment + contact.torque());
    }
    load
}

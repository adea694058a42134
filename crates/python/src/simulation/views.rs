//! Arrays of the bodies of a simulation, and changes of them.

use std::collections::BTreeSet;

use granum_engine::{BodyId, Twist, World, WorldError};
use granum_geometry::Pose;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::state::State;
use crate::arrays::{self, Cached};
use crate::errors;

/// Arrays that were read, by their names.
#[derive(Default)]
pub struct Views {
    positions: Cached,
    orientations: Cached,
    velocities: Cached,
    spins: Cached,
    masses: OfBodies<f64>,
    shape_ids: OfBodies<i64>,
    grains: OfBodies<i64>,
    /// Ids of removed bodies, and the list of bodies to which they belong.
    removed: (Vec<usize>, u64),
}

/// An array that changes with the list of bodies only.
struct OfBodies<T> {
    array: Option<Py<PyArray1<T>>>,
    version: u64,
}

impl<T> Default for OfBodies<T> {
    fn default() -> Self {
        Self { array: None, version: 0 }
    }
}

impl<T: Element> OfBodies<T> {
    fn get<'py>(&mut self, py: Python<'py>, version: u64, values: impl FnOnce() -> Vec<T>) -> Bound<'py, PyArray1<T>> {
        if let Some(array) = &self.array
            && self.version == version
        {
            return array.bind(py).clone();
        }
        let array = arrays::read_only(py, values());
        (self.array, self.version) = (Some(array.clone().unbind()), version);
        array
    }
}

impl Views {
    pub fn positions<'py>(&mut self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let removed = removed(&mut self.removed, state);
        column(py, &mut self.positions, state, removed, |world, id| world.position(id).to_array())
    }

    pub fn orientations<'py>(&mut self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let removed = removed(&mut self.removed, state);
        column(py, &mut self.orientations, state, removed, |world, id| {
            let q = world.orientation(id);
            [q.w, q.x, q.y, q.z]
        })
    }

    pub fn velocities<'py>(&mut self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let removed = removed(&mut self.removed, state);
        column(py, &mut self.velocities, state, removed, |world, id| world.twist(id).velocity.to_array())
    }

    pub fn spins<'py>(&mut self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let removed = removed(&mut self.removed, state);
        column(py, &mut self.spins, state, removed, |world, id| world.twist(id).spin.to_array())
    }

    pub fn masses<'py>(&mut self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let world = state.world();
        Ok(self.masses.get(py, state.body_version, || {
            let mass = |id: u32| world.body(BodyId(id)).map_or(f64::NAN, |body| body.mass);
            (0..world.body_count() as u32).map(mass).collect()
        }))
    }

    pub fn shape_ids<'py>(&mut self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let world = state.world();
        Ok(self.shape_ids.get(py, state.body_version, || {
            let shape = |id: u32| world.body(BodyId(id)).map_or(-1, |body| i64::from(body.shape.0));
            (0..world.body_count() as u32).map(shape).collect()
        }))
    }

    pub fn grains<'py>(&mut self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let grains = || state.world().grains().map(|grain| i64::from(grain.id.0)).collect();
        Ok(self.grains.get(py, state.body_version, grains))
    }
}

/// Returns the rows of bodies that were removed.
fn removed<'a>((rows, version): &'a mut (Vec<usize>, u64), state: &State) -> &'a [usize] {
    if *version != state.body_version {
        let world = state.world();
        let is_removed = |id: &u32| world.body(BodyId(*id)).is_none();
        *rows = (0..world.body_count() as u32).filter(is_removed).map(|id| id as usize).collect();
        *version = state.body_version;
    }
    rows
}

/// Returns the array of a quantity of all bodies. Rows of removed bodies contain NaN.
fn column<'py, const N: usize>(
    py: Python<'py>,
    cached: &mut Cached,
    state: &State,
    removed: &[usize],
    quantity: impl Fn(&World, BodyId) -> [f64; N] + Sync,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    cached.get(py, state.version, [state.world().body_count(), N], |numbers| {
        let (rows, _) = numbers.as_chunks_mut();
        state.engine.write_rows(rows, quantity);
        for &row in removed {
            rows[row] = [f64::NAN; N];
        }
    })
}

/// Forces, N, and torques about the centres, N m: (n, 3) each.
pub type ForcesAndTorques<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

/// Returns sums of contact forces and torques of grains. Rows of other bodies are zero.
pub fn contact_forces<'py>(py: Python<'py>, state: &State) -> PyResult<ForcesAndTorques<'py>> {
    let world = state.world();
    let count = world.body_count();
    let [mut forces, mut torques] = [vec![0.0; 3 * count], vec![0.0; 3 * count]];
    for grain in world.grains() {
        let (wrench, row) = (world.contact_wrench(grain.id), 3 * grain.id.0 as usize);
        forces[row..][..3].copy_from_slice(&wrench.force.to_array());
        torques[row..][..3].copy_from_slice(&wrench.torque.to_array());
    }
    let array = |numbers| PyArray1::from_vec(py, numbers).reshape([count, 3]);
    Ok((array(forces)?, array(torques)?))
}

/// Numbers for grains.
pub type Rows<const N: usize> = Vec<(BodyId, [f64; N])>;

/// Returns the rows of an array with the grains that they belong to. Without ids there is a row for
/// each body, and the rows of walls and removed bodies are left out.
pub fn rows<const N: usize>(
    py: Python<'_>,
    state: &State,
    name: &str,
    array: &Bound<'_, PyAny>,
    ids: Option<&Bound<'_, PyAny>>,
) -> PyResult<Rows<N>> {
    let array = arrays::floats(array, name)?.readonly();
    let world = state.world();
    let wrong = |reason: String| errors::input_error(py, name, &reason);
    let ids = ids.map(|ids| arrays::ids(ids, "ids")).transpose()?;
    let expected = ids.as_ref().map_or(world.body_count(), Vec::len);
    if array.shape() != [expected, N] {
        let each = if ids.is_some() { "id" } else { "body" };
        return Err(wrong(format!(
            "must have the shape ({expected}, {N}), one row for each {each}, not {:?}",
            array.shape()
        )));
    }
    let is_grain = |id: u32| world.body(BodyId(id)).is_some_and(|body| body.is_grain());
    let mut rows = Vec::with_capacity(expected);
    let mut known = BTreeSet::new();
    for (row, numbers) in array.as_slice()?.chunks_exact(N).enumerate() {
        let id = ids.as_ref().map_or(row as u32, |ids| ids[row]);
        if !is_grain(id) {
            if ids.is_none() {
                continue;
            }
            return Err(errors::input_error(py, "ids", &format!("must be ids of grains, and body {id} is none")));
        }
        if ids.is_some() && !known.insert(id) {
            return Err(errors::input_error(py, "ids", &format!("must differ, and {id} is there twice")));
        }
        let mut values = [0.0; N];
        values.copy_from_slice(numbers);
        if !values.iter().all(|number| number.is_finite()) {
            return Err(wrong(format!("must be finite, and row {row} is {values:?}")));
        }
        rows.push((BodyId(id), values));
    }
    Ok(rows)
}

/// Places grains at other poses.
pub fn place<const N: usize>(
    state: &mut State,
    rows: Rows<N>,
    set: impl Fn(&mut Pose, [f64; N]),
) -> Result<(), WorldError> {
    let world = state.world();
    let placed = |(id, numbers): (BodyId, [f64; N])| {
        let mut pose = Pose { position: world.position(id), orientation: world.orientation(id) };
        set(&mut pose, numbers);
        (id, pose)
    };
    let poses: Vec<(BodyId, Pose)> = rows.into_iter().map(placed).collect();
    state.engine.place(&poses)
}

/// Gives grains other velocities or spins.
pub fn move_with<const N: usize>(
    state: &mut State,
    rows: Rows<N>,
    set: impl Fn(&mut Twist, [f64; N]),
) -> Result<(), WorldError> {
    state.engine.world_mut().change(|world| {
        for (id, numbers) in rows {
            let mut twist = world.twist(id);
            set(&mut twist, numbers);
            world.set_velocity(id, twist.velocity, twist.spin)?;
        }
        Ok(())
    })
}

//! The class `Simulation`.

mod checkpoint;
pub mod contacts;
pub mod energy;
pub mod force;
mod motion;
mod state;
mod views;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, TryLockError};

use glam::DVec3;
use granum_engine::{BodyId, BodyState, Motion, World, WorldError};
use granum_output::state_hash;
use granum_picture::Subject;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::{PyOSError, PyOverflowError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pyo3::{PyTraverseError, PyVisit};

use crate::errors::{self, BusyError, GranumError, GranumWarning};
use crate::results::picture::{self, Picture};
use crate::scene::{self, Scene};
use checkpoint::Saved;
use force::PyForce;
use state::{Problem, State, Stop};
use views::{ForcesAndTorques, Views};

/// A simulation of a scene.
///
/// Arrays of bodies have one row for each body; the row is the id of the body, which never changes.
/// `grains` contains the ids of the grains. The mass of a wall is infinite. Rows of bodies that were
/// removed contain NaN.
///
/// `threads` is the largest number of threads; 0 means one for each core. It does not change the
/// results.
///
/// >>> import granum
/// >>> simulation = granum.Simulation(granum.examples.bouncing_ball())
/// >>> simulation.step(100)
/// >>> simulation.positions.shape
/// (2, 3)
/// >>> simulation.energy.kinetic > 0
/// True
#[pyclass(module = "granum", frozen, subclass, weakref)]
pub struct Simulation {
    inner: Mutex<Inner>,
}

struct Inner {
    state: State,
    views: Views,
}

impl Simulation {
    fn new_from(py: Python<'_>, state: Result<State, Problem>, scene: Option<&Scene>) -> PyResult<Self> {
        let state = state.map_err(|problem| match (problem, scene) {
            (Problem::Scene(error), Some(scene)) => scene.error(py, &error),
            (Problem::Scene(error), None) => errors::scene_error(py, &error, false),
            (Problem::World(error), _) => errors::world_error(py, &error),
            (Problem::Text(reason), _) => GranumError::new_err(reason),
        })?;
        Ok(Self { inner: Mutex::new(Inner { state, views: Views::default() }) })
    }

    /// Locks the simulation without waiting: a thread that waits could keep a force function from
    /// running.
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::WouldBlock) => Err(BusyError::new_err(
                "the simulation is being stepped, by another thread or by the caller of this force function",
            )),
            Err(TryLockError::Poisoned(_)) => {
                Err(PyRuntimeError::new_err("an earlier error has left the simulation in an undefined state"))
            }
        }
    }

    /// Runs up to a step, in slices between which signals are handled. Without a target it runs to
    /// the end of the scene.
    fn advance(&self, py: Python<'_>, target: Target, report: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let state = &mut inner.state;
        let (target, ends_with_run) = match target {
            Target::Steps(steps) => (state.world().steps().saturating_add(steps), false),
            Target::End => (u64::MAX, true),
        };
        while state.world().steps() < target {
            let result = py.detach(|| state.advance(target, ends_with_run));
            for warning in std::mem::take(&mut state.warnings) {
                PyErr::warn(py, &py.get_type::<GranumWarning>(), &scene::c_text(&warning), 1)?;
            }
            if let Some(failure) = state.force.as_ref().and_then(|force| force.take_failure()) {
                return Err(failure);
            }
            match result {
                Ok(()) => {}
                Err(Stop::Over) => return Ok(()),
                Err(Stop::Guard(name, message)) => {
                    return Err(errors::guard_error(py, name, state.world().steps(), state.world().time(), message));
                }
            }
            if let Some(report) = report {
                report.call1((state.world().steps(), state.program.schedule.last_step, state.world().time()))?;
            }
            if state.world().steps() < target {
                py.check_signals()?;
            }
        }
        Ok(())
    }

    /// Changes the world; `change` is called at most once.
    fn change(&self, py: Python<'_>, change: impl FnOnce(&mut State) -> Result<(), WorldError> + Send) -> PyResult<()> {
        let mut inner = self.lock()?;
        let state = &mut inner.state;
        let result = py.detach(|| change(state));
        state.touch();
        result.map_err(|error| errors::world_error(py, &error))
    }
}

/// Returns a body, or the exception of an id without one.
fn body(py: Python<'_>, world: &World, id: u32) -> PyResult<BodyState> {
    world.body(BodyId(id)).ok_or_else(|| {
        errors::input_error(py, "id", &format!("must be the id of a body that was not removed, not {id}"))
    })
}

/// Force, N, and torque, N m: (3,) each.
type ForceAndTorque<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// The end of an advance.
enum Target {
    /// After a number of steps.
    Steps(u64),
    /// At the end of the run of the scene.
    End,
}

#[pymethods]
impl Simulation {
    /// The hidden argument is a saved state: a file of `save`, a run folder, or bytes of `_state`.
    #[new]
    #[pyo3(signature = (scene = None, threads = 0, *, _saved = None))]
    fn new(py: Python<'_>, scene: Option<&Bound<'_, Scene>>, threads: usize, _saved: Option<Saved>) -> PyResult<Self> {
        if let Some(saved) = _saved {
            let state = py.detach(|| State::restore(&saved, threads));
            return Self::new_from(py, state, None);
        }
        let scene = scene.ok_or_else(|| PyTypeError::new_err("Simulation: the scene is missing"))?.get();
        let (checked, origin) = (scene.checked(py)?, scene.file().display().to_string());
        let state = py.detach(|| State::new(checked.as_ref().clone(), &origin, threads));
        Self::new_from(py, state, Some(scene))
    }

    /// Save the complete state. A path that ends with `.granum` is a file; any other is a run
    /// folder, which `granum run --resume` continues with the same bits.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let inner = self.lock()?;
        let state = &inner.state;
        let saved = py.detach(|| state.save(&path));
        saved.map_err(|error| PyOSError::new_err(format!("cannot save {}: {error}", path.display())))
    }

    /// Return the complete state as the bytes of a checkpoint.
    fn _state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        let state = &inner.state;
        let bytes = py.detach(|| state.to_bytes());
        Ok(PyBytes::new(py, &bytes.map_err(|error| GranumError::new_err(format!("cannot copy the state: {error}")))?))
    }

    /// Advance by a number of time steps. Stages, inlets, outlets and guards of the scene act. After
    /// the end of the scene's run the simulation goes on.
    #[pyo3(signature = (steps = 1))]
    fn step(&self, py: Python<'_>, steps: i64) -> PyResult<()> {
        let steps = u64::try_from(steps)
            .map_err(|_| errors::input_error(py, "steps", &format!("must not be negative, not {steps}")))?;
        self.advance(py, Target::Steps(steps), None)
    }

    /// Run to a time, or to the end of the scene. `report` is called with the step, the last step
    /// and the time about thirty times a second.
    #[pyo3(signature = (until = None, report = None))]
    fn _run(&self, py: Python<'_>, until: Option<f64>, report: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(until) = until else { return self.advance(py, Target::End, report) };
        let (steps, last) = {
            let inner = self.lock()?;
            (inner.state.world().steps(), until / inner.state.world().time_step())
        };
        if !until.is_finite() || last < 0.0 {
            return Err(errors::input_error(py, "until", &format!("must be a time in seconds, not {until}")));
        }
        if last > u64::MAX as f64 {
            return Err(PyOverflowError::new_err("until: the number of steps is too large"));
        }
        self.advance(py, Target::Steps((last.round() as u64).saturating_sub(steps)), report)
    }

    /// Whether the run of the scene is over.
    #[getter]
    fn is_over(&self) -> PyResult<bool> {
        let inner = self.lock()?;
        let state = &inner.state;
        Ok(state.program.is_over(&state.progress, state.world().steps()))
    }

    /// Time since the start, s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.lock()?.state.world().time())
    }

    /// Number of steps done.
    #[getter]
    fn steps(&self) -> PyResult<u64> {
        Ok(self.lock()?.state.world().steps())
    }

    /// Time step, s.
    #[getter]
    fn time_step(&self) -> PyResult<f64> {
        Ok(self.lock()?.state.world().time_step())
    }

    /// Last step of the run of the scene.
    #[getter]
    fn last_step(&self) -> PyResult<u64> {
        Ok(self.lock()?.state.program.schedule.last_step)
    }

    /// Largest number of threads.
    #[getter]
    fn threads(&self) -> PyResult<usize> {
        Ok(self.lock()?.state.engine.threads())
    }

    /// Energy balance at this instant.
    #[getter]
    fn energy(&self) -> PyResult<energy::Energy> {
        let inner = self.lock()?;
        Ok(energy::Energy { now: inner.state.engine.energy(), start: inner.state.start })
    }

    /// Hash of the whole state, the same as in `summary.json` of a run with the same bits.
    #[getter]
    fn state_hash(&self) -> PyResult<String> {
        Ok(state_hash(self.lock()?.state.world()))
    }

    /// Messages of stages and inlets so far.
    #[getter]
    fn messages(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.state.messages.clone())
    }

    /// The scene with all defaults, as TOML.
    #[getter]
    fn scene_toml(&self) -> PyResult<String> {
        Ok(self.lock()?.state.text.clone())
    }

    /// Acceleration of gravity, m/s².
    #[getter]
    fn gravity(&self) -> PyResult<(f64, f64, f64)> {
        Ok(self.lock()?.state.world().gravity().into())
    }

    /// Set the acceleration of gravity. The change of potential energy is booked as work.
    fn set_gravity(&self, py: Python<'_>, gravity: [f64; 3]) -> PyResult<()> {
        self.change(py, |state| state.engine.world_mut().set_gravity(gravity.into()))
    }

    /// Number of bodies: grains, walls and those that were removed.
    fn __len__(&self) -> PyResult<usize> {
        Ok(self.lock()?.state.world().body_count())
    }

    /// Centres of all bodies, m: (n, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let Inner { state, views } = &mut *self.lock()?;
        views.positions(py, state)
    }

    /// Rotations from body axes to world axes as quaternions [w, x, y, z]: (n, 4).
    #[getter]
    fn orientations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let Inner { state, views } = &mut *self.lock()?;
        views.orientations(py, state)
    }

    /// Velocities of the centres, m/s: (n, 3).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let Inner { state, views } = &mut *self.lock()?;
        views.velocities(py, state)
    }

    /// Angular velocities in world axes, rad/s: (n, 3).
    #[getter]
    fn spins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let Inner { state, views } = &mut *self.lock()?;
        views.spins(py, state)
    }

    /// Masses, kg: (n,). Infinite for walls.
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let Inner { state, views } = &mut *self.lock()?;
        views.masses(py, state)
    }

    /// Numbers of the shapes: (n,). -1 for bodies that were removed.
    #[getter]
    fn shape_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let Inner { state, views } = &mut *self.lock()?;
        views.shape_ids(py, state)
    }

    /// Ids of the grains in rising order.
    #[getter]
    fn grains<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let Inner { state, views } = &mut *self.lock()?;
        views.grains(py, state)
    }

    /// Names of the groups of bodies, in the order of the scene.
    #[getter]
    fn groups(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.state.world().groups().iter().map(|group| group.name.clone()).collect())
    }

    /// Return the ids of the bodies of a name that were not removed.
    fn ids<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let inner = self.lock()?;
        let world = inner.state.world();
        if world.groups().iter().all(|group| group.name != name) {
            let names: Vec<&str> = world.groups().iter().map(|group| group.name.as_str()).collect();
            return Err(errors::input_error(py, "name", &format!("must be one of {}, not {name}", names.join(", "))));
        }
        let there = world.bodies_named(name).filter(|&id| world.body(id).is_some());
        Ok(PyArray1::from_vec(py, there.map(|id| i64::from(id.0)).collect()))
    }

    /// Contacts that carry a force, as a structured array with the fields a, b, point, normal, gap,
    /// force and torque. The force and the torque act on b.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock()?;
        let state = &inner.state;
        let found = py.detach(|| contacts::loaded(state.world()));
        contacts::array(py, &found)
    }

    /// Sums of contact forces, N, and torques about the centres, N m, of grains: two (n, 3) arrays.
    #[getter]
    fn contact_forces<'py>(&self, py: Python<'py>) -> PyResult<ForcesAndTorques<'py>> {
        views::contact_forces(py, &self.lock()?.state)
    }

    /// Set positions of grains. `ids` names the bodies of the rows; without it there is a row for
    /// each body, and those of walls are ignored.
    #[pyo3(signature = (positions, ids = None))]
    fn set_positions(
        &self,
        py: Python<'_>,
        positions: &Bound<'_, PyAny>,
        ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let rows = views::rows::<3>(py, &self.lock()?.state, "positions", positions, ids)?;
        self.change(py, move |state| views::place(state, rows, |pose, position| pose.position = position.into()))
    }

    /// Set orientations of grains by quaternions [w, x, y, z]. The spins stay.
    #[pyo3(signature = (orientations, ids = None))]
    fn set_orientations(
        &self,
        py: Python<'_>,
        orientations: &Bound<'_, PyAny>,
        ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let rows = views::rows::<4>(py, &self.lock()?.state, "orientations", orientations, ids)?;
        self.change(py, move |state| {
            views::place(state, rows, |pose, [w, x, y, z]| pose.orientation = glam::DQuat::from_xyzw(x, y, z, w))
        })
    }

    /// Set velocities of grains, m/s. The change of kinetic energy is booked as work.
    #[pyo3(signature = (velocities, ids = None))]
    fn set_velocities(
        &self,
        py: Python<'_>,
        velocities: &Bound<'_, PyAny>,
        ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let rows = views::rows::<3>(py, &self.lock()?.state, "velocities", velocities, ids)?;
        self.change(py, move |state| views::move_with(state, rows, |twist, velocity| twist.velocity = velocity.into()))
    }

    /// Set angular velocities of grains in world axes, rad/s.
    #[pyo3(signature = (spins, ids = None))]
    fn set_spins(&self, py: Python<'_>, spins: &Bound<'_, PyAny>, ids: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let rows = views::rows::<3>(py, &self.lock()?.state, "spins", spins, ids)?;
        self.change(py, move |state| views::move_with(state, rows, |twist, spin| twist.spin = spin.into()))
    }

    /// Set a force on the bodies: an (n, 3) array with an optional array of torques, a function of a
    /// `ForceInput` that returns forces or a tuple of forces and torques, or None.
    ///
    /// Forces act on grains only, from the next evaluation on. An exception of the function ends the
    /// step, in which the force is zero then, and is raised. The force is not part of a saved state.
    #[pyo3(signature = (force, torque = None))]
    fn set_force(
        &self,
        py: Python<'_>,
        force: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let state = &mut inner.state;
        state.force = force.map(|force| PyForce::new(py, force, torque, state.world().body_count())).transpose()?;
        let force = state.force.clone();
        py.detach(|| match force {
            Some(force) => state.engine.set_forces(move |world, wrenches| force.evaluate(world, wrenches)),
            None => state.engine.remove_force(),
        });
        state.touch();
        // The forces of the start are computed again with the new one.
        let Some(failure) = state.force.as_ref().and_then(|force| force.take_failure()) else { return Ok(()) };
        state.force = None;
        py.detach(|| state.engine.remove_force());
        Err(failure)
    }

    /// Return the sum of the contact forces on a body, and their torque about its centre.
    fn _load<'py>(&self, py: Python<'py>, id: u32) -> PyResult<ForceAndTorque<'py>> {
        let inner = self.lock()?;
        let world = inner.state.world();
        body(py, world, id)?;
        let load = py.detach(|| contacts::load(world, BodyId(id)));
        let array = |vector: DVec3| PyArray1::from_vec(py, vector.to_array().to_vec());
        Ok((array(load.force), array(load.torque)))
    }

    /// Return position, orientation, velocity and spin of a body.
    fn _body<'py>(&self, py: Python<'py>, id: u32) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let body = body(py, inner.state.world(), id)?;
        let values = PyDict::new(py);
        for (name, vector) in [("position", body.position), ("velocity", body.velocity), ("spin", body.spin)] {
            values.set_item(name, PyArray1::from_vec(py, vector.to_array().to_vec()))?;
        }
        let q = body.orientation;
        values.set_item("orientation", PyArray1::from_vec(py, vec![q.w, q.x, q.y, q.z]))?;
        Ok(values)
    }

    /// Give a wall another motion, as in `motion` of a scene; None stops it.
    fn _set_motion(&self, py: Python<'_>, id: u32, motion: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let planar = self.lock()?.state.world().is_planar();
        let motion = match motion {
            Some(values) => Motion::Driven(motion::parse(py, values, planar)?),
            None => Motion::Fixed,
        };
        self.change(py, move |state| {
            state.touch_bodies();
            state.engine.world_mut().set_motion(BodyId(id), motion)
        })
    }

    /// Remove a wall.
    fn _remove_wall(&self, py: Python<'_>, id: u32) -> PyResult<()> {
        self.change(py, move |state| {
            state.touch_bodies();
            state.engine.world_mut().remove_wall(BodyId(id))
        })
    }

    /// Remove grains. Their energy is booked as work.
    fn remove_grains(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<()> {
        let ids: Vec<BodyId> = crate::arrays::ids(ids, "ids")?.into_iter().map(BodyId).collect();
        self.change(py, move |state| {
            state.touch_bodies();
            state.engine.world_mut().remove_grains(&ids)
        })
    }

    /// Draw a picture of the present state. The options are those of `granum render`: size, camera,
    /// look_at, zoom, orthographic, cut, colour, colours, range, legend, walls and others.
    #[pyo3(signature = (**options))]
    fn picture(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Picture> {
        let inner = self.lock()?;
        let world = inner.state.world();
        let engine = &inner.state.engine;
        let snapshot = py.detach(|| engine.snapshot());
        let materials: Vec<String> = world.materials().iter().map(|material| material.name.clone()).collect();
        let subject = Subject {
            time: snapshot.time,
            bodies: &snapshot.bodies,
            contacts: &snapshot.contacts,
            wear: &snapshot.wear,
            shapes: world.shapes(),
            materials: &materials,
        };
        picture::draw(py, &subject, options)
    }

    fn __repr__(&self) -> String {
        match self.inner.try_lock() {
            Ok(inner) => {
                let world = inner.state.world();
                format!("Simulation({} grains, step {}, t = {:.6} s)", world.grain_count(), world.steps(), world.time())
            }
            Err(_) => "Simulation(busy)".into(),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // The force function may refer to the simulation. A simulation that is being stepped is in
        // use and needs no visit.
        match self.inner.try_lock() {
            Ok(inner) => inner.state.force.as_ref().map_or(Ok(()), |force| force.traverse(&visit)),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let force = self.inner.try_lock().ok().and_then(|inner| inner.state.force.clone());
        if let Some(force) = force {
            force.clear();
        }
    }
}

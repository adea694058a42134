//! Flow planes: they count the grains that pass a plane, and an outlet also removes them.
//!
//! Grains are counted between two steps, in the order of their ids, so that the result has the same
//! bits for any number of threads. A grain that crosses a plane and returns before it is looked at
//! again is not counted.

use std::collections::BTreeSet;

use glam::DVec3;
use granum_geometry::Shape;
use serde::{Deserialize, Serialize};

use super::body_spec::is_in_plane;
use super::{BodyId, World, WorldError};

/// A plane, or a disc of it, through which grains flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowPlane {
    /// Name in outputs.
    pub name: String,
    /// Centre of the disc, or any point of the plane, m.
    pub centre: DVec3,
    /// Direction of the flow that is counted as forward. It need not be a unit vector.
    pub normal: DVec3,
    /// Radius of the disc, m. `None` is the whole plane. Grains are counted by their centres.
    pub radius: Option<f64>,
    /// True if the plane is an outlet, which removes every grain that lies wholly beyond it.
    pub removes: bool,
}

/// A number of grains and their mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowCount {
    /// Number of grains.
    pub grains: u64,
    /// Mass, kg.
    pub mass: f64,
}

/// The counts of a flow plane since it was added.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowState {
    /// Name of the plane.
    pub name: String,
    /// Grains that passed in the direction of the normal, or left through an outlet.
    pub forward: FlowCount,
    /// Grains that passed against the normal. None pass an outlet in this direction.
    pub backward: FlowCount,
}

/// A flow plane with its counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FlowMeter {
    plane: FlowPlane,
    forward: FlowCount,
    backward: FlowCount,
    /// By id, whether the centre of a body was beyond the plane when it was looked at last. Empty
    /// for an outlet.
    beyond: Vec<bool>,
}

impl FlowCount {
    fn add(&mut self, mass: f64) {
        self.grains += 1;
        self.mass += mass;
    }
}

impl FlowPlane {
    /// Returns the distance of a point beyond the plane, m.
    fn distance(&self, point: DVec3) -> f64 {
        (point - self.centre).dot(self.normal)
    }

    /// Returns whether a point lies in the cylinder over the disc.
    fn holds(&self, point: DVec3) -> bool {
        let across = (point - self.centre).reject_from_normalized(self.normal);
        self.radius.is_none_or(|radius| across.length_squared() <= radius * radius)
    }

    fn checked(mut self, planar: bool) -> Result<Self, WorldError> {
        let wrong = |reason: &str| Err(WorldError::Value(format!("the flow plane `{}` {reason}", self.name)));
        let Some(normal) = self.normal.try_normalize() else { return wrong("needs a normal that is not zero") };
        if !self.centre.is_finite() || self.radius.is_some_and(|radius| !(radius.is_finite() && radius > 0.0)) {
            return wrong("needs a finite centre and a positive radius");
        }
        if planar && !(is_in_plane(self.centre) && is_in_plane(normal)) {
            return wrong("must be normal to the plane z = 0 of a planar world");
        }
        self.normal = normal;
        Ok(self)
    }
}

impl World {
    /// Adds a flow plane. It counts the grains that [`count_flow`](Self::count_flow) finds to have
    /// passed since; grains that are beyond it already are not counted, but an outlet removes them.
    pub fn add_flow_plane(&mut self, plane: FlowPlane) -> Result<(), WorldError> {
        let plane = plane.checked(self.planar)?;
        let mut meter =
            FlowMeter { plane, forward: FlowCount::default(), backward: FlowCount::default(), beyond: Vec::new() };
        meter.look_at_all(self);
        self.flow_meters.push(meter);
        Ok(())
    }

    /// Returns the counts of all flow planes, in the order in which they were added.
    pub fn flow_states(&self) -> impl Iterator<Item = FlowState> + '_ {
        self.flow_meters.iter().map(|meter| FlowState {
            name: meter.plane.name.clone(),
            forward: meter.forward,
            backward: meter.backward,
        })
    }

    /// Counts the grains that have passed each flow plane since the last call, and removes those
    /// that lie wholly beyond an outlet. The energy that leaves with them is booked as (negative)
    /// work.
    pub fn count_flow(&mut self) {
        let mut meters = std::mem::take(&mut self.flow_meters);
        for meter in meters.iter_mut().filter(|meter| !meter.plane.removes) {
            meter.count_crossings(self);
        }
        let mut leaving = BTreeSet::new();
        for meter in meters.iter_mut().filter(|meter| meter.plane.removes) {
            meter.count_leaving(self, &mut leaving);
        }
        self.flow_meters = meters;
        if !leaving.is_empty() {
            let leaving: Vec<BodyId> = leaving.into_iter().collect();
            let removed = self.remove_grains(&leaving);
            debug_assert_eq!(removed, Ok(()));
        }
    }

    /// Sets the position of a new body in the flow planes.
    pub(super) fn add_to_flow_meters(&mut self, id: BodyId) {
        let centre = self.position(id);
        for meter in self.flow_meters.iter_mut().filter(|meter| !meter.plane.removes) {
            meter.beyond.push(meter.plane.distance(centre) > 0.0);
        }
    }

    /// Sets the positions of displaced bodies in the flow planes, so that the displacement is not
    /// counted as a flow.
    pub(super) fn reset_flow_meters(&mut self) {
        let mut meters = std::mem::take(&mut self.flow_meters);
        meters.iter_mut().for_each(|meter| meter.look_at_all(self));
        self.flow_meters = meters;
    }

    /// Returns whether the flow planes of a world that was read from a file belong to its bodies.
    pub(super) fn has_valid_flow_meters(&self) -> bool {
        let is_valid = |meter: &FlowMeter| {
            let known = if meter.plane.removes { 0 } else { self.bodies.len() };
            meter.beyond.len() == known && meter.plane.clone().checked(self.planar).is_ok()
        };
        self.flow_meters.iter().all(is_valid)
    }
}

impl FlowMeter {
    fn look_at_all(&mut self, world: &World) {
        if self.plane.removes {
            return;
        }
        let spheres = world.bodies.index.iter().map(|&index| &world.bodies.sphere[index as usize]);
        self.beyond = spheres.map(|sphere| self.plane.distance(sphere.centre) > 0.0).collect();
    }

    fn count_crossings(&mut self, world: &World) {
        let bodies = &world.bodies;
        for (before, &index) in self.beyond.iter_mut().zip(&bodies.index) {
            let k = index as usize;
            if !bodies.kinetic[k].tag.is_dynamic() {
                continue;
            }
            let (centre, velocity) = (bodies.sphere[k].centre, bodies.kinetic[k].twist.velocity);
            let distance = self.plane.distance(centre);
            let is_beyond = distance > 0.0;
            if std::mem::replace(before, is_beyond) == is_beyond {
                continue;
            }
            // The point of the crossing follows from the velocity. A grain that has turned back
            // since has crossed near its present place.
            let since = distance / velocity.dot(self.plane.normal);
            let crossing = if since.is_finite() && since > 0.0 { centre - since * velocity } else { centre };
            if self.plane.holds(crossing) {
                let count = if is_beyond { &mut self.forward } else { &mut self.backward };
                count.add(1.0 / bodies.kinetic[k].inverse_mass);
            }
        }
    }

    /// Counts the grains that lie wholly beyond the plane and are not in the list yet, and adds
    /// them to it.
    fn count_leaving(&mut self, world: &World, leaving: &mut BTreeSet<BodyId>) {
        let bodies = &world.bodies;
        for (id, &index) in bodies.index.iter().enumerate() {
            let (k, id) = (index as usize, BodyId(id as u32));
            let centre = bodies.sphere[k].centre;
            let distance = self.plane.distance(centre);
            // A position that is not a number is left to the guards.
            if distance.is_nan() || distance <= 0.0 || !bodies.kinetic[k].tag.is_dynamic() || !self.plane.holds(centre)
            {
                continue;
            }
            let shape: &Shape = &world.shapes[bodies.kinetic[k].tag.shape.0 as usize];
            let inward = bodies.orientation[k].inverse() * -self.plane.normal;
            let extent = shape.as_convex().support(inward).dot(inward);
            // A grain beyond two outlets leaves through the first of them.
            if distance > extent && leaving.insert(id) {
                self.forward.add(1.0 / bodies.kinetic[k].inverse_mass);
            }
        }
    }
}

//! Mean stress: forces times branch vectors divided by volume (Love-Weber formula), and the kinetic
//! stress.
//!
//! A branch vector connects two centres, or the centre of a grain and its contact point with a
//! wall. If it leaves the box, only the part inside counts. Compression is positive.

use glam::{DMat3, DVec3};
use granum_engine::ContactState;
use granum_geometry::Aabb;

use super::order::outer;
use super::{body, dimensions, grains, part_inside};
use crate::run_folder::Frame;

/// The mean stress in a box, Pa.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stress {
    /// Contact stress: component (i, j) is the force along i times the branch vector along j.
    pub contacts: DMat3,
    /// Kinetic stress: mass times the product of velocity fluctuations.
    pub motion: DMat3,
    /// Number of dimensions of the run, which divides a trace to give a pressure.
    dimensions: f64,
}

impl Stress {
    /// Computes the stress in a box. `room` is its volume without walls, m³.
    pub fn of(frame: &Frame, bounds: &Aabb, room: f64) -> Self {
        let mut contacts = DMat3::ZERO;
        for contact in &frame.contacts {
            if let Some((from, to)) = branch(frame, contact) {
                contacts += outer(contact.force, to - from) * part_inside(from, to, bounds);
            }
        }
        let motion = motion(frame, bounds) * (1.0 / room);
        Self { contacts: contacts * (1.0 / room), motion, dimensions: dimensions(frame) }
    }

    /// Returns the pressure, a third of the trace (half of it in the plane), Pa.
    pub fn pressure(&self) -> f64 {
        trace(&(self.contacts + self.motion)) / self.dimensions
    }

    /// Returns the part of the pressure from the velocity fluctuations, Pa.
    pub fn pressure_of_motion(&self) -> f64 {
        trace(&self.motion) / self.dimensions
    }
}

/// Returns the sum of the diagonal components.
pub(super) fn trace(tensor: &DMat3) -> f64 {
    tensor.x_axis.x + tensor.y_axis.y + tensor.z_axis.z
}

/// Returns the ends of the branch vector of a contact, or `None` between two walls.
pub(super) fn branch(frame: &Frame, contact: &ContactState) -> Option<(DVec3, DVec3)> {
    let end = |id| body(frame, id).map(|body| body.mass.is_finite().then_some(body.position));
    match (end(contact.a)?, end(contact.b)?) {
        (None, None) => None,
        (a, b) => Some((a.unwrap_or(contact.point), b.unwrap_or(contact.point))),
    }
}

fn motion(frame: &Frame, bounds: &Aabb) -> DMat3 {
    let inside = || grains(frame).filter(|body| bounds.contains(body.position));
    let mass: f64 = inside().map(|body| body.mass).sum();
    let mean = inside().map(|body| body.mass * body.velocity).sum::<DVec3>() / mass;
    inside().fold(DMat3::ZERO, |sum, body| {
        let away = body.velocity - mean;
        sum + outer(away, away) * body.mass
    })
}

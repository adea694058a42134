//! Stress: forces times branch vectors over volume (Love and Weber), and what the motion carries.
//!
//! A branch goes from centre to centre, or from the centre of a grain to the point where it touches a wall; of a branch that
//! leaves the box counts the part inside. Compression is positive.

use glam::{DMat3, DVec3};
use granum_engine::ContactState;
use granum_geometry::Aabb;

use super::order::outer;
use super::{body, grains, part_inside};
use crate::run_folder::Frame;

/// The mean stress in a box, Pa.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stress {
    /// What contacts carry: row i, column j is the force along i times the branch along j.
    pub contacts: DMat3,
    /// What moving grains carry: mass times velocity against the mean, times the same.
    pub motion: DMat3,
}

impl Stress {
    /// The stress in a box of which `room` (m³) is not wall.
    pub fn of(frame: &Frame, bounds: &Aabb, room: f64) -> Self {
        let mut contacts = DMat3::ZERO;
        for contact in &frame.contacts {
            if let Some((from, to)) = branch(frame, contact) {
                contacts += outer(contact.force, to - from) * part_inside(from, to, bounds);
            }
        }
        Self { contacts: contacts * (1.0 / room), motion: motion(frame, bounds) * (1.0 / room) }
    }

    /// A third of the trace, Pa.
    pub fn pressure(&self) -> f64 {
        let all = self.contacts + self.motion;
        (all.x_axis.x + all.y_axis.y + all.z_axis.z) / 3.0
    }
}

/// The ends of the branch of a contact; none between two walls.
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

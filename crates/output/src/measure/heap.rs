//! Height and radius of a heap, and its largest overlap.

use std::collections::BTreeSet;

use glam::DVec3;
use granum_geometry::Aabb;

use super::grains;
use crate::run_folder::Frame;

/// Fraction of the mass of a heap within its radius. It is less than 1 because a few grains roll
/// far away.
const MOST: f64 = 0.9;

/// The heap of the grains whose centres lie in a box. Grains without contacts do not belong to it.
/// Its values are NaN if there are no such grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heap {
    /// Distance from its lowest to its highest point, m.
    pub height: f64,
    /// Radius of the vertical cylinder about its centre of mass that contains nine tenths of the
    /// mass, m.
    pub radius: f64,
    /// Deepest overlap of any contact, m.
    pub overlap: f64,
}

impl Heap {
    /// Measures a heap. `gravity` points down; if it is zero, z points up.
    pub fn of(frame: &Frame, bounds: &Aabb, gravity: DVec3) -> Self {
        let up = -gravity.try_normalize().unwrap_or(DVec3::NEG_Z);
        let touching: BTreeSet<u32> = frame.contacts.iter().flat_map(|contact| [contact.a.0, contact.b.0]).collect();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut mass, mut moment, mut places) = (0.0, DVec3::ZERO, Vec::new());
        for body in grains(frame).filter(|body| bounds.contains(body.position) && touching.contains(&body.id.0)) {
            let shape = frame.shapes[body.shape.0 as usize].as_convex();
            let reach = |direction: DVec3| {
                let own = body.orientation.inverse() * direction;
                body.position.dot(direction) + shape.support(own).dot(own)
            };
            low = low.min(-reach(-up));
            high = high.max(reach(up));
            mass += body.mass;
            moment += body.mass * body.position;
            places.push((body.position, body.mass));
        }
        let middle = moment / mass;
        let mut far: Vec<(f64, f64)> =
            places.iter().map(|&(place, mass)| ((place - middle).reject_from(up).length(), mass)).collect();
        far.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut within = 0.0;
        let edge = far.iter().find(|(_, own)| {
            within += own;
            within >= MOST * mass
        });
        let overlap = frame.contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max);
        let height = if high >= low { high - low } else { f64::NAN };
        Self { height, radius: edge.map_or(f64::NAN, |edge| edge.0), overlap }
    }
}

//! Measured quantities of the grains in a box, one file per quantity.
//!
//! [`Measurement`] processes the frames of a run one by one. It returns a row for each frame and
//! averages over all of them.

mod coordination;
mod drum;
mod grid;
mod heap;
mod measurement;
mod order;
mod profile;
mod sampling;
mod stress;
mod symmetric;
mod tables;

use granum_engine::{BodyId, BodyState};
use granum_geometry::{Aabb, Realm};

pub use coordination::Coordination;
pub use drum::{Drum, DrumRow, FlowRow, Turning, spread};
pub use grid::Grid;
pub use heap::Heap;
pub use measurement::{MeasureRow, Measurement, Options};
pub use order::{Order, own_axis};
pub use profile::{Profile, ProfileRow};
pub use sampling::{Packing, Sampling};
pub use stress::Stress;
pub use tables::write_tables;

use crate::run_folder::Frame;

/// Returns the grains of a frame: bounded bodies that are moved by forces.
fn grains(frame: &Frame) -> impl Iterator<Item = &BodyState> {
    frame.bodies.iter().filter(|body| body.mass.is_finite() && body.position.is_finite())
}

/// Returns the body with an id.
fn body(frame: &Frame, id: BodyId) -> Option<&BodyState> {
    let index = frame.bodies.binary_search_by_key(&id, |body| body.id).ok()?;
    Some(&frame.bodies[index])
}

/// Returns whether the run is planar, so that sizes are per metre of thickness.
pub fn is_planar(frame: &Frame) -> bool {
    frame.shapes.iter().any(|shape| shape.as_convex().realm() == Realm::Plane)
}

/// Returns the number of dimensions in which the grains move.
fn dimensions(frame: &Frame) -> f64 {
    if is_planar(frame) { 2.0 } else { 3.0 }
}

/// Returns the bounding box of all grains, or `None` without grains. It is a metre thick for a
/// planar frame.
pub fn around_grains(frame: &Frame) -> Option<Aabb> {
    let radius = |body: &BodyState| frame.shapes[body.shape.0 as usize].as_convex().bounding_radius();
    let mut bounds = grains(frame).fold(Aabb::EMPTY, |bounds, body| bounds.including(body.position, radius(body)));
    if is_planar(frame) {
        (bounds.min.z, bounds.max.z) = (-0.5, 0.5);
    }
    bounds.min.cmplt(bounds.max).all().then_some(bounds)
}

/// Returns the volume of a box, m³.
fn volume(bounds: &Aabb) -> f64 {
    (bounds.max - bounds.min).element_product()
}

/// Returns the fraction of the segment from `from` to `to` that lies in a box, 0 to 1.
fn part_inside(from: glam::DVec3, to: glam::DVec3, bounds: &Aabb) -> f64 {
    let (mut enters, mut leaves) = (0f64, 1f64);
    let along = to - from;
    for axis in 0..3 {
        let (low, high) = (bounds.min[axis] - from[axis], bounds.max[axis] - from[axis]);
        if along[axis] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return 0.0;
            }
            continue;
        }
        let (a, b) = (low / along[axis], high / along[axis]);
        enters = enters.max(a.min(b));
        leaves = leaves.min(a.max(b));
    }
    (leaves - enters).max(0.0)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn a_segment_is_cut_by_the_faces_of_a_box() {
        let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        let part = |from: [f64; 3], to: [f64; 3]| part_inside(from.into(), to.into(), &unit);
        assert_eq!(part([0.2, 0.2, 0.2], [0.4, 0.9, 0.3]), 1.0);
        assert_eq!(part([-1.0, 0.5, 0.5], [1.0, 0.5, 0.5]), 0.5);
        assert_eq!(part([-1.0, 0.5, 0.5], [3.0, 0.5, 0.5]), 0.25);
        assert_eq!(part([-1.0, 2.0, 0.5], [3.0, 2.0, 0.5]), 0.0);
        assert_eq!(part([-1.0, 0.0, 0.5], [0.0, -1.0, 0.5]), 0.0);
    }
}

//! Orientation order: the nematic tensor of the axes that tell how grains lie.

use glam::{DMat3, DVec3};
use granum_engine::BodyState;
use granum_geometry::{Aabb, Shape};

use super::symmetric::eigen;
use super::{grains, is_planar};
use crate::run_folder::Frame;

/// Axes whose lengths differ by less than this part are equally long.
const EQUAL: f64 = 1e-9;

/// The order of the grains whose centres lie in a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// Grains that have an own axis `u`.
    pub grains: usize,
    /// Mean of `(3 u u' - 1)/2`; in the plane of `2 u u' - 1`.
    pub tensor: DMat3,
    /// Its largest eigenvalue: 0 for axes that point anywhere, 1 for axes along one line.
    pub order: f64,
    /// The line along which most axes point; its sign has no meaning.
    pub director: DVec3,
}

impl Order {
    /// The order in a frame.
    pub fn of(frame: &Frame, bounds: &Aabb) -> Self {
        let axes: Vec<Option<DVec3>> = frame.shapes.iter().map(own_axis).collect();
        let inside = grains(frame).filter(|body| bounds.contains(body.position));
        let turned = |body: &BodyState| Some(body.orientation * axes[body.shape.0 as usize]?);
        let (mut sum, mut count) = (DMat3::ZERO, 0);
        for axis in inside.filter_map(turned) {
            sum += outer(axis, axis);
            count += 1;
        }
        let mean = sum * (1.0 / f64::from(count));
        let tensor = match is_planar(frame) {
            true => mean * 2.0 - DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0)),
            false => mean * 1.5 - DMat3::IDENTITY * 0.5,
        };
        let (order, director) = if count > 0 { eigen(tensor)[0] } else { (f64::NAN, DVec3::NAN) };
        Self { grains: count as usize, tensor, order, director }
    }
}

/// `a b'`.
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The body axis that tells how a grain lies: its longest one or, where two are equally long and the third is shorter, that one, as
/// of a coin; none if all three are equally long.
pub fn own_axis(shape: &Shape) -> Option<DVec3> {
    let convex = shape.as_convex();
    if !convex.bounding_radius().is_finite() {
        return None;
    }
    let length = |axis: DVec3| convex.support(axis).dot(axis) + convex.support(-axis).dot(-axis);
    let mut axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (length(axis), axis));
    axes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let [long, middle, short] = axes;
    let is_longer = |a: (f64, DVec3), b: (f64, DVec3)| a.0 > b.0 * (1.0 + EQUAL);
    // A planar shape has no third length.
    match short.0 > 0.0 && !is_longer(long, middle) {
        true => is_longer(middle, short).then_some(short.1),
        false => is_longer(long, middle).then_some(long.1),
    }
}

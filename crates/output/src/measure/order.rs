//! Orientational order: the nematic tensor of the symmetry axes of grains.

use glam::{DMat3, DVec3};
use granum_engine::BodyState;
use granum_geometry::{Aabb, Shape};

use super::symmetric::eigen;
use super::{grains, is_planar};
use crate::run_folder::Frame;

/// Relative difference below which two axes count as equally long.
const EQUAL: f64 = 1e-9;

/// The order of the grains whose centres lie in a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// Number of grains with a distinguished axis `u`.
    pub grains: usize,
    /// Mean of `(3 u u' - 1)/2`, or of `2 u u' - 1` in the plane.
    pub tensor: DMat3,
    /// Its largest eigenvalue: 0 for isotropic axes, 1 for parallel axes.
    pub order: f64,
    /// The director: the mean direction of the axes. Its sign has no meaning.
    pub director: DVec3,
}

impl Order {
    /// Computes the order in a frame.
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

/// Returns the outer product `a b'`.
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Returns the distinguished body axis of a grain: the longest one or, for a flat grain such as a
/// coin, the shortest one. It returns `None` if all axes are equally long.
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
    // A planar shape has two lengths only.
    match short.0 > 0.0 && !is_longer(long, middle) {
        true => is_longer(middle, short).then_some(short.1),
        false => is_longer(long, middle).then_some(long.1),
    }
}

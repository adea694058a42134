//! Boxes about slim grains. The bounding balls of needles in a heap all meet; their boxes do not.
//!
//! A pair whose boxes are farther apart than the skin is left out of the candidates. Unlike balls, boxes sweep space as they turn: such
//! a list is right as long as no point of any body has moved more than half the skin.

use glam::{DMat3, DVec3};
use granum_geometry::{Pose, Shape};

use crate::world::World;

/// Part of its bounding ball's volume that the box of a slim body fills at most. Others gain nothing by their boxes.
const SLIM: f64 = 0.25;

/// Square of the sine of the angle of two edges below which their common perpendicular is no axis to try: the faces' normals do.
const PARALLEL: f64 = 1e-12;

/// The boxes of all bodies, by storage index.
pub struct Boxes(Vec<OrientedBox>);

/// A box about a body.
#[derive(Clone, Copy)]
struct OrientedBox {
    centre: DVec3,
    /// Its axes, as columns.
    axes: DMat3,
    half: DVec3,
    is_slim: bool,
}

/// Centre and half sizes of a shape's box, body axes, and whether the shape is slim.
fn box_of(shape: &Shape) -> (DVec3, DVec3, bool) {
    let convex = shape.as_convex();
    let radius = convex.bounding_radius();
    if !radius.is_finite() {
        return (DVec3::ZERO, DVec3::INFINITY, false);
    }
    let bounds = convex.aabb(&Pose::IDENTITY);
    let half = 0.5 * (bounds.max - bounds.min);
    let ball = std::f64::consts::PI / 6.0 * (2.0 * radius).powi(3);
    let volume = 8.0 * half.element_product();
    // Of planar grains all boxes are flat.
    (0.5 * (bounds.min + bounds.max), half, volume > 0.0 && volume < SLIM * ball)
}

impl Boxes {
    /// The boxes of a world's bodies; none if no body is slim.
    pub fn of(world: &World) -> Option<Self> {
        let shapes: Vec<_> = world.shapes.iter().map(box_of).collect();
        if !shapes.iter().any(|shape| shape.2) {
            return None;
        }
        let bodies = &world.bodies;
        let placed = |k: usize| {
            let (centre, half, is_slim) = shapes[bodies.kinetic[k].tag.shape.0 as usize];
            let axes = DMat3::from_quat(bodies.orientation[k]);
            OrientedBox { centre: bodies.place[k].centre + axes * centre, axes, half, is_slim }
        };
        Some(Self((0..bodies.len()).map(placed).collect()))
    }

    /// Whether two bodies, one of them slim, are surely farther apart than the skin.
    pub fn are_apart(&self, a: u32, b: u32, skin: f64) -> bool {
        let (a, b) = (&self.0[a as usize], &self.0[b as usize]);
        (a.is_slim || b.is_slim) && a.is_apart_from(b, skin)
    }
}

impl OrientedBox {
    /// The separating axes of two boxes (Gottschalk, Lin and Manocha, 1996), with a distance.
    fn is_apart_from(&self, other: &Self, skin: f64) -> bool {
        let turn = self.axes.transpose() * other.axes;
        let offset = self.axes.transpose() * (other.centre - self.centre);
        let size = |i: usize, j: usize| turn.col(j)[i];
        let (p, q) = (self.half, other.half);
        let faces = |i: usize| {
            let reach = q.x * size(i, 0).abs() + q.y * size(i, 1).abs() + q.z * size(i, 2).abs();
            offset[i].abs() > p[i] + reach + skin
        };
        let other_faces = |j: usize| {
            let axis = turn.col(j);
            offset.dot(axis).abs() > q[j] + p.dot(axis.abs()) + skin
        };
        let edges = |i: usize, j: usize| {
            let ([k, l], [m, n]) = ([(i + 1) % 3, (i + 2) % 3], [(j + 1) % 3, (j + 2) % 3]);
            let sine_squared = 1.0 - size(i, j) * size(i, j);
            if sine_squared < PARALLEL {
                return false;
            }
            let along = (offset[l] * size(k, j) - offset[k] * size(l, j)).abs();
            let reach =
                p[k] * size(l, j).abs() + p[l] * size(k, j).abs() + q[m] * size(i, n).abs() + q[n] * size(i, m).abs();
            along > reach + skin * sine_squared.sqrt()
        };
        (0..3).any(faces) || (0..3).any(other_faces) || (0..3).any(|i| (0..3).any(|j| edges(i, j)))
    }
}

//! Bounding boxes of slender bodies.
//!
//! The bounding spheres of needles in a heap overlap many others; their boxes do not. A pair whose
//! boxes are farther apart than the skin is omitted from the candidates. Unlike a sphere, a box
//! sweeps space when it turns: such a list is valid until a point of a body has moved by half the
//! skin.

use glam::{DMat3, DVec3};
use granum_geometry::{Pose, Shape};

use crate::state::World;

/// Greatest volume of the box of a slender body, relative to its bounding sphere. For other bodies
/// the test of the boxes costs more than the pairs that it omits.
const SLENDER: f64 = 0.25;

/// Squared sine of the angle of two edges below which their cross product is not used as a
/// separating axis: rounding dominates it, and the normals of the faces cover this case.
const PARALLEL: f64 = 1e-12;

/// The boxes of all bodies.
#[derive(Default)]
pub struct Boxes {
    /// Box of each shape.
    shapes: Vec<ShapeBox>,
    /// Box of each body, by storage index.
    placed: Vec<PlacedBox>,
}

/// Box of a shape, in body axes.
#[derive(Clone, Copy)]
struct ShapeBox {
    centre: DVec3,
    half: DVec3,
    is_slender: bool,
}

impl ShapeBox {
    fn of(shape: &Shape) -> Self {
        let convex = shape.as_convex();
        let radius = convex.bounding_radius();
        if !radius.is_finite() {
            return Self { centre: DVec3::ZERO, half: DVec3::INFINITY, is_slender: false };
        }
        let bounds = convex.aabb(&Pose::IDENTITY);
        let half = 0.5 * (bounds.max - bounds.min);
        let ball = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let volume = 8.0 * half.element_product();
        // The box of a planar grain has no volume, and is not used.
        Self { centre: 0.5 * (bounds.min + bounds.max), half, is_slender: volume > 0.0 && volume < SLENDER * ball }
    }
}

/// Box of a body, in world axes.
#[derive(Clone, Copy)]
struct PlacedBox {
    centre: DVec3,
    /// Axes of the box, as columns.
    axes: DMat3,
    half: DVec3,
    is_slender: bool,
}

impl Boxes {
    /// Computes the boxes at the present poses. Returns whether any shape is slender; otherwise the
    /// boxes are of no use and are not computed.
    pub fn update(&mut self, world: &World) -> bool {
        // The list of shapes only grows.
        let new = world.shapes[self.shapes.len()..].iter().map(ShapeBox::of);
        self.shapes.extend(new);
        let bodies = &world.bodies;
        self.placed.clear();
        if !self.shapes.iter().any(|shape| shape.is_slender) {
            return false;
        }
        self.placed.extend((0..bodies.len()).map(|k| {
            let ShapeBox { centre, half, is_slender } = self.shapes[bodies.kinetic[k].tag.shape.0 as usize];
            let axes = DMat3::from_quat(bodies.orientation[k]);
            PlacedBox { centre: bodies.sphere[k].centre + axes * centre, axes, half, is_slender }
        }));
        true
    }

    /// Returns whether two bodies, at least one of them slender, are farther apart than the skin,
    /// m.
    pub fn are_apart(&self, a: u32, b: u32, skin: f64) -> bool {
        let (a, b) = (&self.placed[a as usize], &self.placed[b as usize]);
        (a.is_slender || b.is_slender) && a.is_apart_from(b, skin)
    }
}

impl PlacedBox {
    /// Tests the 15 separating axes of two boxes \[Gottschalk1996\], with a distance.
    fn is_apart_from(&self, other: &Self, skin: f64) -> bool {
        let turn = self.axes.transpose() * other.axes;
        let offset = self.axes.transpose() * (other.centre - self.centre);
        let size = |i: usize, j: usize| turn.col(j)[i];
        let (p, q) = (self.half, other.half);
        let faces = |i: usize| {
            let extent = q.x * size(i, 0).abs() + q.y * size(i, 1).abs() + q.z * size(i, 2).abs();
            offset[i].abs() > p[i] + extent + skin
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
            let extent =
                p[k] * size(l, j).abs() + p[l] * size(k, j).abs() + q[m] * size(i, n).abs() + q[n] * size(i, m).abs();
            // The cross product of two unit edges has the length of the sine of their angle, so
            // that all other terms contain this factor.
            along > extent + skin * sine_squared.sqrt()
        };
        (0..3).any(faces) || (0..3).any(other_faces) || (0..3).any(|i| (0..3).any(|j| edges(i, j)))
    }
}

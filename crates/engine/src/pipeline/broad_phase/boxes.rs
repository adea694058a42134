//! Boxes about slim grains. The bounding balls of needles in a heap all meet; their boxes do not.
//!
//! A pair whose boxes are farther apart than the skin is left out of the candidates. Unlike balls, boxes sweep space as they turn: such
//! a list is right as long as no point of any body has moved more than half the skin.

use glam::{DMat3, DVec3};
use granum_geometry::{Pose, Shape};

use crate::state::World;

/// Part of its bounding ball's volume that the box of a slim body fills at most. Others gain nothing by their boxes.
const SLIM: f64 = 0.25;

/// Square of the sine of the angle of two edges below which their common perpendicular is no axis to try: the faces' normals do.
const PARALLEL: f64 = 1e-12;

/// The boxes of all bodies.
#[derive(Default)]
pub struct Boxes {
    /// Those of the shapes, which are looked at once.
    shapes: Vec<ShapeBox>,
    /// By storage index.
    placed: Vec<PlacedBox>,
}

/// A box about a shape, in its axes.
#[derive(Clone, Copy)]
struct ShapeBox {
    centre: DVec3,
    half: DVec3,
    is_slim: bool,
}

impl ShapeBox {
    fn of(shape: &Shape) -> Self {
        let convex = shape.as_convex();
        let radius = convex.bounding_radius();
        if !radius.is_finite() {
            return Self { centre: DVec3::ZERO, half: DVec3::INFINITY, is_slim: false };
        }
        let bounds = convex.aabb(&Pose::IDENTITY);
        let half = 0.5 * (bounds.max - bounds.min);
        let ball = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let volume = 8.0 * half.element_product();
        // Of planar grains all boxes are flat.
        Self { centre: 0.5 * (bounds.min + bounds.max), half, is_slim: volume > 0.0 && volume < SLIM * ball }
    }
}

/// A box about a body.
#[derive(Clone, Copy)]
struct PlacedBox {
    centre: DVec3,
    /// Its axes, as columns.
    axes: DMat3,
    half: DVec3,
    is_slim: bool,
}

impl Boxes {
    /// Puts boxes about a world's bodies as they stand now; whether any body is slim, without which they are of no use. A world's
    /// shapes are only ever added to.
    pub fn place(&mut self, world: &World) -> bool {
        let new = world.shapes[self.shapes.len()..].iter().map(ShapeBox::of);
        self.shapes.extend(new);
        let bodies = &world.bodies;
        self.placed.clear();
        if !self.shapes.iter().any(|shape| shape.is_slim) {
            return false;
        }
        self.placed.extend((0..bodies.len()).map(|k| {
            let ShapeBox { centre, half, is_slim } = self.shapes[bodies.kinetic[k].tag.shape.0 as usize];
            let axes = DMat3::from_quat(bodies.orientation[k]);
            PlacedBox { centre: bodies.place[k].centre + axes * centre, axes, half, is_slim }
        }));
        true
    }

    /// Whether two bodies, one of them slim, are surely farther apart than the skin.
    pub fn are_apart(&self, a: u32, b: u32, skin: f64) -> bool {
        let (a, b) = (&self.placed[a as usize], &self.placed[b as usize]);
        (a.is_slim || b.is_slim) && a.is_apart_from(b, skin)
    }
}

impl PlacedBox {
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

//! Test whether a point lies inside a closed surface.

use std::cell::Cell;

use glam::DVec3;

use super::TriangleMesh;
use super::corners::enters;
use super::predicates::{Crossing, crossing};
use super::report::is_degenerate;
use super::tree::BoxTree;
use crate::random::Random;
use crate::{Aabb, Convex, Pose};

/// Number of rays after which a point is taken to lie on the surface. A random ray hits an edge
/// exactly with a probability near the rounding error, so that a second ray is rare.
const MOST_RAYS: usize = 16;

/// Position of a point relative to a closed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// Outside the surface.
    Outside,
    /// Inside the surface.
    Inside,
    /// On the surface, to the last bit.
    On,
}

/// A test whether points lie inside a mesh, for many points.
///
/// A ray from the point crosses the surface; the crossings are counted exactly. A ray that touches
/// an edge or a corner is replaced by one with another direction. Directions are random numbers of
/// a fixed seed, so that the result depends on the mesh and the point only.
#[derive(Clone, Debug)]
pub struct Inside<'a> {
    mesh: &'a TriangleMesh,
    tree: BoxTree,
    bounds: Aabb,
    /// True for triangles without area, which no ray crosses.
    is_left_out: Vec<bool>,
}

/// Numbers of crossings of a ray with the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// All crossings.
    pub(super) all: usize,
    /// Crossings from inside to outside, minus those from outside to inside.
    outward: i64,
}

impl<'a> Inside<'a> {
    /// Prepares a mesh.
    pub fn new(mesh: &'a TriangleMesh) -> Self {
        let count = mesh.triangles().len();
        let tree = BoxTree::new(count, |triangle| mesh.triangle_bounds(triangle));
        let is_left_out = (0..count).map(|triangle| is_degenerate(mesh, triangle)).collect();
        Self { mesh, tree, bounds: mesh.bounds(), is_left_out }
    }

    /// Returns where a point lies by the parity of the crossings of a ray. The orientation of the
    /// triangles does not matter; the surface must be closed and must not intersect itself.
    pub fn locate(&self, point: DVec3) -> Location {
        match self.count(point, |_| true) {
            Some(count) if count.all % 2 == 1 => Location::Inside,
            Some(_) => Location::Outside,
            None => Location::On,
        }
    }

    /// Returns how often the surface surrounds a point, with normals outward counted as positive;
    /// `None` for a point on the surface. Parts of a closed surface may intersect each other.
    pub fn winding_number(&self, point: DVec3) -> Option<i64> {
        self.count(point, |_| true).map(|count| count.outward)
    }

    /// Returns false only if no triangle enters a box, so that all its points lie on one side of the
    /// surface.
    pub fn may_enter(&self, around: &Aabb) -> bool {
        let found = Cell::new(false);
        self.tree.visit(
            |bounds| !found.get() && bounds.overlaps(around),
            |triangle| found.set(found.get() || self.mesh.triangle_bounds(triangle).overlaps(around)),
        );
        found.get()
    }

    /// Returns the same as [`Inside::locate`] for some of the triangles.
    pub(super) fn locate_in(&self, point: DVec3, counts: impl Fn(usize) -> bool) -> Location {
        match self.count(point, counts) {
            Some(count) if count.all % 2 == 1 => Location::Inside,
            Some(_) => Location::Outside,
            None => Location::On,
        }
    }

    /// Counts the crossings of a ray with those triangles that count.
    fn count(&self, point: DVec3, counts: impl Fn(usize) -> bool) -> Option<Count> {
        if !self.bounds.contains(point) {
            return Some(Count::default());
        }
        // Twice the diagonal reaches beyond the bounds from any point in them.
        let size = 2.0 * (self.bounds.max - self.bounds.min).length();
        let mut random = Random::keyed(&point.to_array().map(f64::to_bits));
        for _ in 0..MOST_RAYS {
            let found = self.crossings(point, point + size * random.direction(), &counts);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Counts the crossings of a segment with those triangles that count; `None` if it touches the
    /// border of one of them, or has an end on it.
    pub(super) fn crossings(&self, from: DVec3, to: DVec3, counts: impl Fn(usize) -> bool) -> Option<Count> {
        let mut found = Count::default();
        let mut touches = false;
        let segment = Segment::new(from, to);
        self.tree.visit(
            |bounds| segment.may_meet(bounds),
            |triangle| {
                if self.is_left_out[triangle] || !counts(triangle) {
                    return;
                }
                match crossing(from, to, &self.mesh.corners(triangle)) {
                    Crossing::None => {}
                    Crossing::Touching => touches = true,
                    Crossing::Proper { is_inward } => {
                        found.all += 1;
                        found.outward += if is_inward { -1 } else { 1 };
                    }
                }
            },
        );
        (!touches).then_some(found)
    }

    /// Returns the surface.
    pub(super) fn mesh(&self) -> &'a TriangleMesh {
        self.mesh
    }

    /// Returns whether a triangle enters a body, whose box is `around`.
    pub(super) fn enters(&self, body: &dyn Convex, pose: &Pose, around: &Aabb) -> bool {
        let mut found = false;
        self.tree.visit(
            |bounds| bounds.overlaps(around),
            |triangle| {
                found = found
                    || self.mesh.triangle_bounds(triangle).overlaps(around)
                        && enters(self.mesh.corners(triangle), body, pose);
            },
        );
        found
    }
}

/// A segment and the inverse of its direction.
struct Segment {
    start: DVec3,
    inverse: DVec3,
}

impl Segment {
    fn new(start: DVec3, end: DVec3) -> Self {
        Self { start, inverse: (end - start).recip() }
    }

    /// Returns false only if the segment does not pass the box.
    fn may_meet(&self, bounds: &Aabb) -> bool {
        // Wider than the rounding errors of the six products.
        const SLACK: f64 = 1e-9;
        let (low, high) = ((bounds.min - self.start) * self.inverse, (bounds.max - self.start) * self.inverse);
        // `min` and `max` skip a NaN, which arises from 0 times infinity on the border of a box that
        // is parallel to the segment.
        let enter = low.min(high).max_element().max(0.0);
        let leave = low.max(high).min_element().min(1.0);
        enter <= leave + SLACK
    }
}

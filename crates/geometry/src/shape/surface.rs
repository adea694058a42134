//! A triangulated surface as a wall.

use std::sync::Arc;

use glam::{DVec2, DVec3, Vec3Swizzles};
use serde::{Deserialize, Serialize};

use super::{Convex, InvalidShape};
use crate::surface::features::Features;
use crate::surface::topology::{Edges, Orientation};
use crate::surface::tree::BoxTree;
use crate::surface::{InvalidMesh, TriangleMesh, closest_point};
use crate::{Aabb, MassProperties, Mesh, Pose};

/// A triangulated surface: terrain or a part of a machine.
///
/// It is a wall: forces do not move it. A one-sided surface acts on grains whose centre is in front
/// of it, on the side to which the normals point; a two-sided one on grains on either side. Copies
/// share their data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Surface(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    mesh: TriangleMesh,
    is_two_sided: bool,
    features: Features,
    tree: BoxTree,
    /// Distance of the farthest vertex from the origin, m.
    farthest: f64,
    /// True if the surface is the border of a solid: one-sided, closed, with normals outward.
    is_solid: bool,
}

/// A surface in a checkpoint: everything else follows from this.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    mesh: TriangleMesh,
    is_two_sided: bool,
}

impl Surface {
    /// Creates the surface of a mesh. Its vertices must be joined already.
    ///
    /// Normals of neighbouring triangles that disagree are reversed, so that each connected part
    /// has one front: that of the larger area.
    pub fn new(mesh: TriangleMesh, is_two_sided: bool) -> Result<Self, InvalidMesh> {
        let edges = Edges::new(&mesh);
        let neighbours = edges.neighbours(&mesh);
        let orientation = Orientation::new(&mesh, &neighbours);
        let (vertices, mut triangles) = mesh.into_parts();
        for (triangle, _) in triangles.iter_mut().zip(&orientation.is_flipped).filter(|(_, flipped)| **flipped) {
            triangle.swap(1, 2);
        }
        let mesh = TriangleMesh::new(vertices, triangles)?;
        let edges = if orientation.is_flipped.contains(&true) { Edges::new(&mesh) } else { edges };
        let is_solid = !is_two_sided && edges.are_closed(&mesh) && mesh.signed_volume() > 0.0;
        drop(edges);
        let features = Features::new(&mesh, is_two_sided);
        let tree = BoxTree::new(mesh.triangles().len(), |triangle| mesh.triangle_bounds(triangle));
        let farthest = mesh.vertices().iter().map(|vertex| vertex.length_squared()).fold(0.0, f64::max).sqrt();
        Ok(Self(Arc::new(Parts { mesh, is_two_sided, features, tree, farthest, is_solid })))
    }

    /// Returns vertices and triangles in body axes.
    pub fn mesh(&self) -> &TriangleMesh {
        &self.0.mesh
    }

    /// Returns whether grains meet both sides.
    pub fn is_two_sided(&self) -> bool {
        self.0.is_two_sided
    }

    /// Returns the memory of the surface, bytes. Copies share it.
    pub fn memory(&self) -> usize {
        let mesh = size_of_val(self.mesh().vertices()) + size_of_val(self.mesh().triangles());
        mesh + self.0.features.memory() + self.0.tree.memory()
    }

    pub(crate) fn features(&self) -> &Features {
        &self.0.features
    }

    pub(crate) fn tree(&self) -> &BoxTree {
        &self.0.tree
    }

    /// Returns the unit normal of the first triangle that a point crosses on a straight path, on the
    /// side from which it comes; `None` if it crosses none. A one-sided surface can be crossed from
    /// the front only.
    pub fn crossing(&self, from: DVec3, to: DVec3) -> Option<DVec3> {
        let path = Aabb { min: from.min(to), max: from.max(to) };
        let mut first: Option<(f64, DVec3)> = None;
        self.0.tree.visit(
            |bounds| bounds.overlaps(&path),
            |triangle| {
                let [a, b, c] = self.0.mesh.corners(triangle);
                let area = (b - a).cross(c - a);
                let [start, end] = [from, to].map(|point| area.dot(point - a));
                let is_crossed = (start > 0.0 && end <= 0.0) || (self.0.is_two_sided && start < 0.0 && end >= 0.0);
                if !is_crossed {
                    return;
                }
                let part = start / (start - end);
                let at = from + part * (to - from);
                let is_inside = [(a, b), (b, c), (c, a)].iter().all(|&(p, q)| (q - p).cross(at - p).dot(area) >= 0.0);
                if is_inside && first.is_none_or(|(known, _)| part < known) {
                    first = Some((part, (area * start.signum()).normalize_or_zero()));
                }
            },
        );
        first.map(|(_, normal)| normal)
    }

    /// Returns whether a point is in the solid behind a closed surface with one side and normals outward,
    /// where it would meet nothing.
    pub fn is_in_solid(&self, point: DVec3) -> bool {
        if !self.0.is_solid {
            return false;
        }
        let ray = Aabb { min: point, max: point.with_x(f64::INFINITY) };
        let mut crossings = 0;
        self.0.tree.visit(
            |bounds| bounds.overlaps(&ray),
            |triangle| {
                let corners = self.0.mesh.corners(triangle);
                let area = self.0.mesh.vector_area(triangle);
                if area.dot(corners[0] - point) * area.x > 0.0 && covers_along_x(corners, point) {
                    crossings += if area.x > 0.0 { 1 } else { -1 };
                }
            },
        );
        crossings > 0
    }

    /// Returns the distance of a point from the nearest triangle, m.
    pub fn distance(&self, point: DVec3) -> f64 {
        let nearest = std::cell::Cell::new(f64::INFINITY);
        self.0.tree.visit(
            |bounds| square_distance(bounds, point) < nearest.get(),
            |triangle| {
                let square = (closest_point(self.0.mesh.corners(triangle), point) - point).length_squared();
                nearest.set(nearest.get().min(square));
            },
        );
        nearest.get().sqrt()
    }
}

/// Returns whether a triangle covers a point, seen along x. A point on an edge that two triangles share
/// is covered by one of them.
fn covers_along_x(corners: [DVec3; 3], point: DVec3) -> bool {
    let [a, b, c] = corners.map(|corner| corner.yz());
    let DVec2 { x, y } = point.yz();
    let is_left_of = |&(p, q): &(DVec2, DVec2)| {
        // In the same order for both triangles of an edge.
        let (low, high) = if p.y <= q.y { (p, q) } else { (q, p) };
        low.y <= y && y < high.y && x < low.x + (y - low.y) * ((high.x - low.x) / (high.y - low.y))
    };
    [(a, b), (b, c), (c, a)].iter().filter(|side| is_left_of(side)).count() == 1
}

/// Returns the square of the distance of a point from a box, m².
fn square_distance(bounds: &Aabb, point: DVec3) -> f64 {
    (bounds.min - point).max(point - bounds.max).max(DVec3::ZERO).length_squared()
}

impl PartialEq for Surface {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.mesh == other.0.mesh && self.0.is_two_sided == other.0.is_two_sided)
    }
}

impl From<Surface> for Stored {
    fn from(surface: Surface) -> Self {
        Self { mesh: surface.0.mesh.clone(), is_two_sided: surface.0.is_two_sided }
    }
}

impl TryFrom<Stored> for Surface {
    type Error = InvalidMesh;

    fn try_from(stored: Stored) -> Result<Self, InvalidMesh> {
        Self::new(stored.mesh, stored.is_two_sided)
    }
}

impl Convex for Surface {
    /// Returns a point at infinity: as a wall, the surface is unbounded.
    fn support(&self, direction: DVec3) -> DVec3 {
        direction * f64::INFINITY
    }

    /// Returns the distance from the nearest triangle. A surface need not have an inside.
    fn inside_outside(&self, point: DVec3) -> f64 {
        self.distance(point)
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        Ok(())
    }

    fn bounding_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn clearance(&self, centre: DVec3, radius: f64) -> f64 {
        self.distance(centre) - radius
    }

    fn is_near(&self, centre: DVec3, radius: f64, distance: f64) -> bool {
        // A bound on the distance prunes the tree from the start.
        let limit = (radius + distance) * (radius + distance);
        let is_found = std::cell::Cell::new(false);
        self.0.tree.visit(
            |bounds| !is_found.get() && square_distance(bounds, centre) <= limit,
            |triangle| {
                let square = || (closest_point(self.0.mesh.corners(triangle), centre) - centre).length_squared();
                if !is_found.get() && square() <= limit {
                    is_found.set(true);
                }
            },
        );
        is_found.get()
    }

    fn drawn_radius(&self) -> f64 {
        self.0.farthest
    }

    fn aabb(&self, pose: &Pose) -> Aabb {
        let Aabb { min, max } = self.0.mesh.bounds();
        let corner = |k: u32| {
            let upper = |axis: u32| k >> axis & 1 == 1;
            DVec3::select(glam::BVec3::new(upper(0), upper(1), upper(2)), max, min)
        };
        (0..8).fold(Aabb::EMPTY, |bounds, k| bounds.including(pose.point(corner(k)), 0.0))
    }

    fn mass_properties(&self) -> MassProperties {
        MassProperties::unbounded()
    }

    fn curvature(&self, _normal: DVec3) -> f64 {
        0.0
    }

    fn surface(&self, _level: u32, _extent: f64) -> Mesh {
        Mesh::of_triangles(&self.0.mesh)
    }
}

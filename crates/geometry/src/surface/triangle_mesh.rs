//! Vertices and triangles of a surface.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use crate::shape::{LENGTHS, are_coordinates};
use crate::{Aabb, Pose};

/// The reason why vertices and triangles form no mesh.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)]
pub enum InvalidMesh {
    #[error("a surface must have at least one triangle")]
    Empty,
    #[error("a surface must have at most {most} vertices and triangles, not {0}", most = TriangleMesh::MOST)]
    TooMany(usize),
    #[error("the coordinates of vertex {0} must be finite numbers")]
    NotFinite(usize),
    #[error("the coordinates of vertex {0} must be at most {most} m", most = LENGTHS.end())]
    TooLarge(usize),
    #[error("triangle {0} has the vertex {1}, but the largest index is {2}")]
    NoVertex(usize, u32, usize),
    #[error("the scale factors of a surface must be finite and not zero: {0}")]
    Scale(DVec3),
}

/// A triangulated surface.
///
/// The corners of a triangle are anticlockwise as seen from the side to which its normal points.
/// Every index is valid and every coordinate is finite; nothing else is assumed. In particular, a
/// triangle may be degenerate, and an edge may have any number of triangles: see
/// the module `topology`. Triangles are neighbours only if they share the indices of two vertices.
///
/// A large mesh takes 24 bytes per triangle: it has half as many vertices as triangles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct TriangleMesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// Vertices and triangles that have not been checked, as in a checkpoint.
#[derive(Deserialize)]
struct Parts {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl TryFrom<Parts> for TriangleMesh {
    type Error = InvalidMesh;

    fn try_from(parts: Parts) -> Result<Self, InvalidMesh> {
        Self::new(parts.vertices, parts.triangles)
    }
}

impl TriangleMesh {
    /// Largest number of vertices and largest number of triangles. With three half-edges per triangle,
    /// half-edges can then be numbered by 32 bits.
    pub const MOST: usize = 1 << 30;

    /// Creates a mesh of vertices, m, and of triangles as indices of three vertices each.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, InvalidMesh> {
        if triangles.is_empty() {
            return Err(InvalidMesh::Empty);
        }
        if let Some(&count) = [vertices.len(), triangles.len()].iter().find(|&&count| count > Self::MOST) {
            return Err(InvalidMesh::TooMany(count));
        }
        check_vertices(&vertices)?;
        for (t, triangle) in triangles.iter().enumerate() {
            if let Some(&index) = triangle.iter().find(|&&index| index as usize >= vertices.len()) {
                return Err(InvalidMesh::NoVertex(t, index, vertices.len().saturating_sub(1)));
            }
        }
        Ok(Self { vertices, triangles })
    }

    /// Returns the vertices, m.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Returns the indices of the vertices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the vertices and the triangles without a copy.
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        (self.vertices, self.triangles)
    }

    /// Returns the corners of a triangle, m.
    #[inline]
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|index| self.vertices[index as usize])
    }

    /// Returns the vector area of a triangle, m²: its normal times its area.
    #[inline]
    pub fn vector_area(&self, triangle: usize) -> DVec3 {
        let [a, b, c] = self.corners(triangle);
        0.5 * (b - a).cross(c - a)
    }

    /// Returns the unit normal of a triangle, or `None` if its area is zero.
    pub fn normal(&self, triangle: usize) -> Option<DVec3> {
        let [a, b, c] = self.corners(triangle);
        let (along, across) = (b - a, c - a);
        // Dividing by the longest side first keeps the square of the area of tiny triangles from
        // vanishing.
        let size = along.abs().max_element().max(across.abs().max_element());
        let normal = (along / size).cross(across / size);
        // Division, since a product with the inverse length is not exact even along an axis.
        let length = normal.length();
        (length > 0.0).then(|| normal / length)
    }

    /// Returns the area, m².
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|triangle| self.vector_area(triangle).length()).sum()
    }

    /// Returns the smallest box around all triangles.
    pub fn bounds(&self) -> Aabb {
        (0..self.triangles.len()).fold(Aabb::EMPTY, |bounds, triangle| {
            let of = self.triangle_bounds(triangle);
            Aabb { min: bounds.min.min(of.min), max: bounds.max.max(of.max) }
        })
    }

    /// Returns the smallest box around a triangle.
    #[inline]
    pub fn triangle_bounds(&self, triangle: usize) -> Aabb {
        let [a, b, c] = self.corners(triangle);
        Aabb { min: a.min(b).min(c), max: a.max(b).max(c) }
    }

    /// Returns the sum of the signed volumes of the pyramids from the middle of the bounds to all
    /// triangles, m³.
    ///
    /// If the surface is closed, this is the volume inside, positive if the normals point outward.
    /// It has no meaning otherwise.
    pub fn signed_volume(&self) -> f64 {
        let bounds = self.bounds();
        // A near apex avoids cancellation for a small surface far from the origin.
        let apex = bounds.min.midpoint(bounds.max);
        let six_fold = (0..self.triangles.len()).map(|triangle| {
            let [a, b, c] = self.corners(triangle).map(|corner| corner - apex);
            a.dot(b.cross(c))
        });
        six_fold.sum::<f64>() / 6.0
    }

    /// Returns the mesh with each coordinate multiplied by a factor. A reflection reverses the
    /// triangles, so that normals stay on the same side of the surface.
    pub fn scaled(mut self, factors: DVec3) -> Result<Self, InvalidMesh> {
        if !factors.is_finite() || factors.to_array().contains(&0.0) {
            return Err(InvalidMesh::Scale(factors));
        }
        self.vertices.iter_mut().for_each(|vertex| *vertex *= factors);
        check_vertices(&self.vertices)?;
        // Signs, since the product of the factors could underflow.
        let is_reflected = factors.to_array().iter().filter(|factor| **factor < 0.0).count() % 2 == 1;
        Ok(if is_reflected { self.reversed() } else { self })
    }

    /// Returns the mesh rotated about the origin.
    pub fn rotated(mut self, rotation: DQuat) -> Result<Self, InvalidMesh> {
        self.vertices.iter_mut().for_each(|vertex| *vertex = rotation * *vertex);
        check_vertices(&self.vertices)?;
        Ok(self)
    }

    /// Returns the mesh displaced by a vector, m.
    pub fn translated(mut self, by: DVec3) -> Result<Self, InvalidMesh> {
        self.vertices.iter_mut().for_each(|vertex| *vertex += by);
        check_vertices(&self.vertices)?;
        Ok(self)
    }

    /// Returns the mesh transformed from body axes to world axes.
    pub fn placed(self, pose: &Pose) -> Result<Self, InvalidMesh> {
        self.rotated(pose.orientation)?.translated(pose.position)
    }

    /// Returns the mesh with all normals reversed.
    pub fn reversed(mut self) -> Self {
        self.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        self
    }

    /// Returns the mesh with the normals of some triangles reversed.
    pub(super) fn with_reversed(mut self, is_reversed: &[bool]) -> Self {
        let those = self.triangles.iter_mut().zip(is_reversed).filter(|(_, is_reversed)| **is_reversed);
        those.for_each(|(triangle, _)| triangle.swap(1, 2));
        self
    }

    /// Returns this mesh and another one as a single mesh. Vertices are not joined.
    pub fn with(mut self, other: &Self) -> Result<Self, InvalidMesh> {
        let count = (self.vertices.len() + other.vertices.len()).max(self.triangles.len() + other.triangles.len());
        if count > Self::MOST {
            return Err(InvalidMesh::TooMany(count));
        }
        let first = self.vertices.len() as u32;
        self.vertices.extend(&other.vertices);
        self.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|index| first + index)));
        Ok(self)
    }
}

fn check_vertices(vertices: &[DVec3]) -> Result<(), InvalidMesh> {
    match vertices.iter().position(|vertex| !are_coordinates(&vertex.to_array())) {
        None => Ok(()),
        Some(k) if vertices[k].is_finite() => Err(InvalidMesh::TooLarge(k)),
        Some(k) => Err(InvalidMesh::NotFinite(k)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron with normals outward and the volume 1/6.
    fn tetrahedron() -> TriangleMesh {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        TriangleMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).expect("a mesh")
    }

    #[test]
    fn area_volume_bounds_and_normals_of_a_tetrahedron_are_exact() {
        let mesh = tetrahedron();
        assert!((mesh.area() - (1.5 + 0.75f64.sqrt())).abs() < 1e-15, "{}", mesh.area());
        assert!((mesh.signed_volume() - 1.0 / 6.0).abs() < 1e-16);
        assert_eq!(mesh.bounds(), Aabb { min: DVec3::ZERO, max: DVec3::ONE });
        assert_eq!(mesh.normal(0), Some(DVec3::NEG_Z));
        let tiny = mesh.scaled(DVec3::splat(1e-45)).expect("small");
        assert_eq!(tiny.normal(0), Some(DVec3::NEG_Z));
    }

    #[test]
    fn a_reflection_keeps_normals_outward() {
        let mirrored = tetrahedron().scaled(DVec3::new(-2.0, 1.0, 1.0)).expect("finite");
        assert!((mirrored.signed_volume() - 1.0 / 3.0).abs() < 1e-15);
        assert!((mirrored.reversed().signed_volume() + 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn a_rigid_motion_keeps_volume_and_area() {
        let pose = Pose { position: DVec3::new(4.0, -5.0, 6.0), orientation: DQuat::from_rotation_x(0.7) };
        let moved = tetrahedron().placed(&pose).expect("finite");
        assert!((moved.signed_volume() - 1.0 / 6.0).abs() < 1e-14);
        assert!((moved.area() - tetrahedron().area()).abs() < 1e-14);
        assert!((moved.vertices()[3] - pose.point(DVec3::Z)).length() < 1e-15);
    }

    #[test]
    fn invalid_indices_and_coordinates_are_refused() {
        let mesh = |vertices: &[DVec3], triangle| TriangleMesh::new(vertices.to_vec(), vec![triangle]);
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert_eq!(mesh(&corners, [0, 1, 3]), Err(InvalidMesh::NoVertex(0, 3, 2)));
        assert_eq!(mesh(&[], [0, 0, 0]), Err(InvalidMesh::NoVertex(0, 0, 0)));
        assert_eq!(mesh(&[DVec3::ZERO, DVec3::NAN], [0, 0, 0]), Err(InvalidMesh::NotFinite(1)));
        assert_eq!(mesh(&[DVec3::splat(1e60)], [0, 0, 0]), Err(InvalidMesh::TooLarge(0)));
        assert_eq!(TriangleMesh::new(corners.to_vec(), Vec::new()), Err(InvalidMesh::Empty));
        let whole = mesh(&corners, [0, 1, 2]).expect("valid");
        assert!(whole.clone().scaled(DVec3::new(1.0, 0.0, 1.0)).is_err());
        assert_eq!(whole.translated(DVec3::splat(f64::INFINITY)), Err(InvalidMesh::NotFinite(0)));
    }

    #[test]
    fn a_mesh_from_a_file_is_checked() {
        let text = serde_json::to_string(&tetrahedron()).expect("finite");
        assert_eq!(serde_json::from_str::<TriangleMesh>(&text).expect("the same"), tetrahedron());
        let broken = text.replace("[2,0,3]", "[2,0,9]");
        assert!(
            serde_json::from_str::<TriangleMesh>(&broken).is_err_and(|error| error.to_string().contains("vertex 9"))
        );
    }
}

//! The triangle of a surface to which a contact point belongs.

use glam::DVec3;

use super::closest_point;
use crate::Aabb;
use crate::shape::Surface;

/// Factor by which the search grows until it finds a triangle.
const GROWTH: f64 = 8.0;

/// Largest number of searches: from the smallest to the largest distances that are supported.
const MOST_SEARCHES: usize = 80;

impl Surface {
    /// Returns the triangle that is nearest to a point, in body axes. Triangles whose normal is
    /// within a right angle of `normal` come first: a point inside a thin sheet is near both of its
    /// faces. Of equally near triangles the first one is returned.
    ///
    /// `reach` is the distance within which the search begins, m. `None` is returned if the
    /// surface has no triangle with an area.
    pub fn triangle_at(&self, point: DVec3, normal: DVec3, reach: f64) -> Option<usize> {
        let mut reach = reach.max(f64::MIN_POSITIVE);
        for _ in 0..MOST_SEARCHES {
            let found = self.nearest_within(point, normal, reach);
            if found.is_some() {
                return found;
            }
            reach *= GROWTH;
        }
        None
    }

    /// Returns the nearest triangle, if one is within a distance.
    fn nearest_within(&self, point: DVec3, normal: DVec3, reach: f64) -> Option<usize> {
        let bounds = Aabb::EMPTY.including(point, reach);
        let mut nearest: Option<(bool, f64, usize)> = None;
        self.tree().visit(
            |of_node| of_node.overlaps(&bounds),
            |triangle| {
                if !self.mesh().triangle_bounds(triangle).overlaps(&bounds) {
                    return;
                }
                let area = self.mesh().vector_area(triangle);
                if area == DVec3::ZERO {
                    return;
                }
                let distance = (closest_point(self.mesh().corners(triangle), point) - point).length();
                let faces_away = area.dot(normal) < 0.0 && !self.is_two_sided();
                let key = (faces_away, distance, triangle);
                if distance <= reach && nearest.is_none_or(|known| key < known) {
                    nearest = Some(key);
                }
            },
        );
        nearest.map(|(.., triangle)| triangle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::surface::TriangleMesh;
    use crate::surface::generate::Terrain;

    #[test]
    fn the_triangle_at_a_point_is_the_nearest_of_all() {
        let terrain = Terrain { size: [1.0, 1.0], cells: [12; 2], hills: 9, height: 0.2, radius: 0.2, seed: 4 };
        let surface = Surface::new(terrain.mesh().expect("hills"), true).expect("a surface");
        let mut random = Random::new(8);
        for k in 0..500 {
            let point = random.in_cube() * DVec3::new(0.6, 0.6, 0.3);
            let reach = [1e-6, 1e-3, 0.2][k % 3];
            let found = surface.triangle_at(point, DVec3::Z, reach).expect("a triangle");
            let distance = |triangle: usize| (closest_point(surface.mesh().corners(triangle), point) - point).length();
            let least = (0..surface.mesh().triangles().len()).map(distance).fold(f64::INFINITY, f64::min);
            assert_eq!(distance(found), least, "at {point}");
        }
    }

    #[test]
    fn a_point_inside_a_thin_plate_belongs_to_the_face_that_the_normal_selects() {
        // Two faces of a plate that is thinner than twice the depth of the point.
        let corners = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]].map(DVec3::from_array);
        let vertices = [corners(0.0), corners(-1e-4)].concat();
        let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2], [3, 5, 4]]).expect("a plate");
        let surface = Surface::new(mesh, false).expect("a surface");
        let point = DVec3::new(0.2, 0.2, -8e-5);
        assert_eq!(surface.triangle_at(point, DVec3::Z, 1e-3), Some(0));
        assert_eq!(surface.triangle_at(point, DVec3::NEG_Z, 1e-3), Some(1));
    }
}

//! A box as a polytope. Its corners, edges and faces are constant tables.
//!
//! Bit k of a corner number is set if the corner lies on the positive side of axis k. The faces are
//! +x, -x, +y, -y, +z, -z.

use glam::{DMat3, DVec3};

use super::outline::Exit;
use super::{Corners, Polytope};
use crate::hull::Edge;

/// A box with the given half edge lengths, m.
#[derive(Clone, Copy)]
pub(crate) struct Cuboid(pub DVec3);

/// Corners of each face, anticlockwise as seen from outside.
const RINGS: [[u16; 4]; 6] = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];

/// Edge from each corner of a face to the next.
const RING_EDGES: [[u16; 4]; 6] =
    [[5, 11, 6, 9], [8, 7, 10, 4], [10, 2, 11, 1], [0, 9, 3, 8], [3, 6, 2, 7], [4, 1, 5, 0]];

/// Ends of each edge, then the faces on its left and on its right. There are four edges along each
/// axis.
const EDGES: [([u16; 2], [u16; 2]); 12] = [
    ([0, 1], [3, 5]),
    ([2, 3], [5, 2]),
    ([6, 7], [2, 4]),
    ([4, 5], [4, 3]),
    ([0, 2], [5, 1]),
    ([1, 3], [0, 5]),
    ([5, 7], [4, 0]),
    ([4, 6], [1, 4]),
    ([0, 4], [1, 3]),
    ([1, 5], [3, 0]),
    ([2, 6], [2, 1]),
    ([3, 7], [0, 2]),
];

/// Edges at each corner, along x, y and z.
const EDGES_AT: [[u16; 3]; 8] = {
    let mut at = [[0; 3]; 8];
    let mut edge = 0;
    while edge < EDGES.len() {
        let [from, to] = EDGES[edge].0;
        at[from as usize][edge / 4] = edge as u16;
        at[to as usize][edge / 4] = edge as u16;
        edge += 1;
    }
    at
};

/// Face beyond each edge of a face.
const NEXT_FACES: [[u16; 4]; 6] = {
    let mut next = [[0; 4]; 6];
    let mut face = 0;
    while face < 6 {
        let mut k = 0;
        while k < 4 {
            let [left, right] = EDGES[RING_EDGES[face][k] as usize].1;
            next[face][k] = if left == face as u16 { right } else { left };
            k += 1;
        }
        face += 1;
    }
    next
};

/// The two axes in the plane of the faces that are normal to each axis.
const ACROSS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

/// Index of the side of a face that borders another face.
const SIDE_TO_FACE: [[usize; 6]; 6] = {
    let mut sides = [[0; 6]; 6];
    let mut face = 0;
    while face < 6 {
        let mut k = 0;
        while k < 4 {
            sides[face][NEXT_FACES[face][k] as usize] = k;
            k += 1;
        }
        face += 1;
    }
    sides
};

/// Returns the edge along an axis that ends in a corner.
#[inline]
pub(super) fn edge_along(axis: usize, corner: usize) -> usize {
    EDGES_AT[corner][axis] as usize
}

impl Corners for Cuboid {
    #[inline]
    fn corner_count(&self) -> usize {
        8
    }

    #[inline]
    fn corner(&self, corner: usize) -> DVec3 {
        let sign = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
        self.0 * DVec3::new(sign(0), sign(1), sign(2))
    }

    #[inline]
    fn radius(&self) -> f64 {
        self.0.length()
    }
}

impl Polytope for Cuboid {
    #[inline]
    fn face_count(&self) -> usize {
        6
    }

    #[inline]
    fn plane(&self, face: usize) -> (DVec3, f64) {
        // Faces are numbered +x, -x, +y, -y, +z, -z.
        let axis = face / 2;
        let sign = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
        (DVec3::AXES[axis] * sign, self.0[axis])
    }

    #[inline]
    fn ring(&self, face: usize) -> &[u16] {
        &RINGS[face]
    }

    #[inline]
    fn ring_edges(&self, face: usize) -> &[u16] {
        &RING_EDGES[face]
    }

    #[inline]
    fn face_along(&self, corner: usize, direction: DVec3) -> usize {
        let sign = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
        // The signs reflect the direction into the octant of the corner, so that the face with the
        // largest component is closest.
        let along = DVec3::new(sign(0), sign(1), sign(2)) * direction;
        let axis = if along.x >= along.y && along.x >= along.z {
            0
        } else if along.y >= along.z {
            1
        } else {
            2
        };
        2 * axis + usize::from(corner >> axis & 1 == 0)
    }

    #[inline]
    fn edges_at(&self, corner: usize) -> &[u16] {
        &EDGES_AT[corner]
    }

    /// Faces meet at right angles, so that the distance inside a side is the depth below the
    /// neighbouring face.
    #[inline]
    fn inset(&self, face: usize, point: DVec3, skipped: u16) -> (f64, usize) {
        let (half, point) = (self.0.to_array(), point.to_array());
        let (mut least, mut side) = (f64::INFINITY, 0);
        for (k, (&next, &edge)) in NEXT_FACES[face].iter().zip(&RING_EDGES[face]).enumerate() {
            let axis = next as usize / 2;
            let along = if next.is_multiple_of(2) { point[axis] } else { -point[axis] };
            // Only the two axes in the plane of the face occur, each with both signs.
            let inside = half[axis] - along;
            if inside < least && edge != skipped {
                (least, side) = (inside, k);
            }
        }
        (least, side)
    }

    /// Along each of the two axes in the plane of the face a displacement can leave over one side
    /// only.
    #[inline]
    fn exit(&self, face: usize, point: DVec3, run: DVec3, skipped: u16) -> Exit {
        let (half, point, run) = (self.0.to_array(), point.to_array(), run.to_array());
        let (mut part, mut side) = (1f64, None);
        for axis in ACROSS[face / 2] {
            let inside = half[axis] - point[axis] * 1f64.copysign(run[axis]);
            let change = run[axis].abs();
            // The products are compared, so that only a side that is crossed costs a division.
            if inside < part * change {
                let k = SIDE_TO_FACE[face][2 * axis + usize::from(run[axis] < 0.0)];
                if RING_EDGES[face][k] != skipped {
                    // Rounding can put the start slightly outside.
                    (part, side) = ((inside / change).max(0.0), Some(k));
                }
            }
        }
        Exit { part, side }
    }

    #[inline]
    fn edge_in(&self, edge: usize, axes: &DMat3) -> DVec3 {
        // Edges are numbered by axis, four along each.
        axes.col(edge / 4)
    }

    #[inline]
    fn normal_in(&self, face: usize, axes: &DMat3) -> DVec3 {
        let normal = axes.col(face / 2);
        if face.is_multiple_of(2) { normal } else { -normal }
    }

    #[inline]
    fn most_perpendicular_edge(&self, corner: usize, direction: DVec3) -> usize {
        // The edges at a corner are along the axes, so that the smallest component decides.
        let along = direction.abs();
        let axis = if along.x <= along.y && along.x <= along.z {
            0
        } else if along.y <= along.z {
            1
        } else {
            2
        };
        edge_along(axis, corner)
    }

    #[inline]
    fn edge_count(&self) -> usize {
        12
    }

    #[inline]
    fn edge(&self, edge: usize) -> Edge {
        let (ends, faces) = EDGES[edge];
        Edge { ends, faces, along: DVec3::AXES[edge / 4], secant: std::f64::consts::SQRT_2 }
    }

    #[inline]
    fn farthest(&self, direction: DVec3) -> usize {
        let bit = |axis: usize| usize::from(direction[axis] > 0.0) << axis;
        bit(0) | bit(1) | bit(2)
    }

    #[inline]
    fn climb(&self, _corner: usize, direction: DVec3) -> usize {
        self.farthest(direction)
    }

    #[inline]
    fn inradius(&self) -> f64 {
        self.0.min_element()
    }

    fn largest_projected_area(&self) -> f64 {
        let DVec3 { x, y, z } = self.0;
        4.0 * (x * y).max(y * z).max(z * x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_fit_each_other() {
        let brick = Cuboid(DVec3::new(1.0, 2.0, 3.0));
        for face in 0..6 {
            let (normal, offset) = brick.plane(face);
            let ring = brick.ring(face).iter().map(|&k| brick.corner(k as usize)).collect::<Vec<_>>();
            assert!(ring.iter().all(|corner| normal.dot(*corner) == offset));
            assert!((ring[1] - ring[0]).cross(ring[2] - ring[1]).dot(normal) > 0.0, "anticlockwise");
            for (k, &edge) in brick.ring_edges(face).iter().enumerate() {
                let here = [brick.ring(face)[k], brick.ring(face)[(k + 1) % 4]];
                let Edge { ends, faces, along, .. } = brick.edge(edge as usize);
                let side = if here == ends { 0 } else { 1 };
                assert_eq!(if side == 0 { ends } else { [ends[1], ends[0]] }, here);
                assert_eq!(faces[side] as usize, face);
                let run = brick.corner(ends[1] as usize) - brick.corner(ends[0] as usize);
                assert!((run.normalize() - along).length() < 1e-15);
                assert!(brick.plane(faces[0] as usize).0.cross(brick.plane(faces[1] as usize).0).dot(along) > 0.0);
            }
        }
    }
}

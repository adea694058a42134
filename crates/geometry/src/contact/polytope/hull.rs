//! A polyhedron as a polytope.

use glam::DVec3;

use super::outline::Exit;
use super::{Corners, Polytope};
use crate::hull::{Edge, Hull};

impl Corners for Hull {
    fn corner_count(&self) -> usize {
        self.corners().len()
    }

    #[inline]
    fn corner(&self, corner: usize) -> DVec3 {
        self.corners()[corner]
    }

    fn radius(&self) -> f64 {
        Hull::radius(self)
    }
}

impl Polytope for Hull {
    fn face_count(&self) -> usize {
        self.faces().len()
    }

    #[inline]
    fn plane(&self, face: usize) -> (DVec3, f64) {
        let face = &self.faces()[face];
        (face.normal, face.offset)
    }

    #[inline]
    fn ring(&self, face: usize) -> &[u16] {
        Hull::ring(self, face)
    }

    #[inline]
    fn ring_edges(&self, face: usize) -> &[u16] {
        Hull::ring_edges(self, face)
    }

    fn face_along(&self, corner: usize, direction: DVec3) -> usize {
        // A corner of a polyhedron has few faces, so that all are compared.
        let (mut best, mut cosine) = (0, f64::NEG_INFINITY);
        for &face in self.faces_at(corner) {
            let here = self.faces()[face as usize].normal.dot(direction);
            if here > cosine {
                (best, cosine) = (face as usize, here);
            }
        }
        best
    }

    #[inline]
    fn edges_at(&self, corner: usize) -> &[u16] {
        Hull::edges_at(self, corner)
    }

    #[inline]
    fn inset(&self, face: usize, point: DVec3, skipped: u16) -> (f64, usize) {
        let (mut least, mut nearest) = (f64::INFINITY, 0);
        for (k, (side, &edge)) in self.sides(face).iter().zip(Hull::ring_edges(self, face)).enumerate() {
            // The edge on which the point was found has the inset zero and would always win.
            let inside = side.inward.dot(point) - side.offset;
            if inside < least && edge != skipped {
                (least, nearest) = (inside, k);
            }
        }
        (least, nearest)
    }

    fn exit(&self, face: usize, point: DVec3, run: DVec3, skipped: u16) -> Exit {
        let (mut part, mut exit) = (1f64, None);
        for (k, (side, &edge)) in self.sides(face).iter().zip(Hull::ring_edges(self, face)).enumerate() {
            let (inside, change) = (side.inward.dot(point) - side.offset, side.inward.dot(run));
            // Only a side that is crossed before the present exit costs a division.
            if inside + part * change < 0.0 && edge != skipped {
                // Rounding can put the start slightly outside.
                (part, exit) = ((-inside / change).max(0.0), Some(k));
            }
        }
        Exit { part, side: exit }
    }

    fn most_perpendicular_edge(&self, corner: usize, direction: DVec3) -> usize {
        let (mut best, mut least) = (0, f64::INFINITY);
        for &edge in Hull::edges_at(self, corner) {
            let along = self.edges()[edge as usize].along.dot(direction).abs();
            if along < least {
                (best, least) = (edge as usize, along);
            }
        }
        best
    }

    fn edge_count(&self) -> usize {
        self.edges().len()
    }

    #[inline]
    fn edge(&self, edge: usize) -> Edge {
        self.edges()[edge]
    }

    #[inline]
    fn farthest(&self, direction: DVec3) -> usize {
        Hull::farthest(self, direction)
    }

    #[inline]
    fn climb(&self, corner: usize, direction: DVec3) -> usize {
        Hull::climb(self, corner, direction)
    }

    fn inradius(&self) -> f64 {
        Hull::inradius(self)
    }

    fn largest_projected_area(&self) -> f64 {
        Hull::largest_projected_area(self)
    }
}

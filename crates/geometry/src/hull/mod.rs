//! Convex polyhedra as corners, edges and flat faces, in their principal axes.
//!
//! [`Hull::new`] takes points in any axes. It transforms the corners of their hull to the principal
//! axes about the centre of mass. [`Hull::frame`] returns the pose of these axes in the axes of the
//! points.

mod exact;
mod faces;
mod principal;
mod triangles;

use std::collections::HashMap;

use glam::{DMat3, DQuat, DVec3};

use crate::Pose;
use crate::shape::are_coordinates;
pub(crate) use exact::side;
use principal::Integrals;
pub(crate) use principal::principal_axes;

/// Largest number of edges: a contact feature stores the indices of two edges.
pub const MAX_EDGES: usize = 1 << 15;

/// Number of corners up to which the support point is found by trying all. Hill climbing along
/// edges is faster for more corners.
const SCAN: usize = 40;

/// The reason why points do not span a polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Degenerate {
    #[error("must be at least 4 points, not {0}")]
    TooFew(usize),
    #[error("must be finite numbers: point {0} is not")]
    NotFinite(usize),
    #[error("must have coordinates up to 1e50 m: those of point {0} are larger")]
    TooLarge(usize),
    #[error("must span at least 1e-50 m, not {0} m")]
    TooSmall(f64),
    #[error("must not lie all in one point: a solid has a volume")]
    OnePoint,
    #[error("must not lie all on one line: a solid has a volume")]
    Line,
    #[error("must not be flat: they lie all in one plane, and a solid has a volume")]
    Flat,
    #[error("must not span a face too thin to be resolved")]
    Sliver,
    #[error("must span a hull of at most 32768 edges, not {0}")]
    TooMany(usize),
}

/// A face: a plane and its corners.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// Outward unit normal.
    pub normal: DVec3,
    /// Distance of the plane from the centre, m.
    pub offset: f64,
    first: u32,
    len: u32,
}

/// An edge between two faces.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Its ends. The edge runs anticlockwise about the left face.
    pub ends: [u16; 2],
    /// The face on its left, as seen from outside, and the face on its right.
    pub faces: [u16; 2],
    /// Unit vector along it.
    pub along: DVec3,
    /// Inverse of the cosine of half the angle between the normals of the two faces.
    pub secant: f64,
}

/// The line of an edge in the plane of a face. A point `x` of the face has the distance
/// `inward . x - offset` from it.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Unit vector in the plane of the face, from the edge into the face.
    pub inward: DVec3,
    /// Value of `inward.x` on the edge, m.
    pub offset: f64,
}

/// A convex polyhedron in its principal axes.
#[derive(Clone, Debug)]
pub struct Hull {
    corners: Vec<DVec3>,
    faces: Vec<Face>,
    edges: Vec<Edge>,
    /// Corners of the faces, face by face, and the edge from each corner to the next.
    loops: Vec<u16>,
    loop_edges: Vec<u16>,
    /// The line of the edge from each corner of a face to the next.
    sides: Vec<Side>,
    /// Neighbours of corner `k` along edges, the edges to them, and the faces at the corner are
    /// stored from `starts[k]` to `starts[k + 1]`.
    starts: Vec<u32>,
    neighbours: Vec<u16>,
    edges_at: Vec<u16>,
    faces_at: Vec<u16>,
    frame: Pose,
    volume: f64,
    moments: DVec3,
    radius: f64,
    inradius: f64,
    largest_projected_area: f64,
}

impl Hull {
    /// Creates the convex hull of points, m. The error gives the reason if they span no volume.
    pub fn new(points: &[DVec3]) -> Result<Self, Degenerate> {
        if let Some(k) = points.iter().position(|point| !point.is_finite()) {
            return Err(Degenerate::NotFinite(k));
        }
        if let Some(k) = points.iter().position(|point| !are_coordinates(&point.to_array())) {
            return Err(Degenerate::TooLarge(k));
        }
        let triangles = triangles::triangulate(points)?;
        let used: Vec<DVec3> = triangles.iter().map(|t| points[t[0] as usize]).collect();
        let middle = used.iter().sum::<DVec3>() / used.len() as f64;
        let size = used.iter().map(|point| (*point - middle).length()).fold(0.0, f64::max);
        let loops = faces::merge(points, &triangles, size)?;
        // Integrals about a point inside lose no digits if the points are far from the origin.
        let solid = Integrals::of(triangles.iter().map(|t| t.map(|k| points[k as usize])), middle);
        let (moments, axes) = principal_axes(solid.inertia);
        let frame = Pose { position: solid.centre, orientation: DQuat::from_mat3(&axes).normalize() };
        let into = DMat3::from_quat(frame.orientation).transpose();
        let place = |point: DVec3| into * (point - solid.centre);
        let mut hull = Self::connect(points, &loops, place)?;
        (hull.frame, hull.volume, hull.moments) = (frame, solid.volume, moments);
        Ok(hull)
    }

    /// Builds corners, faces and edges from the face outlines, with every corner transformed by
    /// `place`.
    fn connect(points: &[DVec3], loops: &[faces::Loop], place: impl Fn(DVec3) -> DVec3) -> Result<Self, Degenerate> {
        let mut kept: Vec<u32> = loops.iter().flatten().copied().collect();
        kept.sort_unstable();
        kept.dedup();
        // By Euler's formula a convex polyhedron has fewer corners than edges.
        let edge_count = loops.iter().map(Vec::len).sum::<usize>() / 2;
        if edge_count > MAX_EDGES {
            return Err(Degenerate::TooMany(edge_count));
        }
        let number: HashMap<u32, u16> = kept.iter().enumerate().map(|(k, &point)| (point, k as u16)).collect();
        let corners: Vec<DVec3> = kept.iter().map(|&point| place(points[point as usize])).collect();
        let mut hull = Self {
            faces: Vec::with_capacity(loops.len()),
            edges: Vec::with_capacity(edge_count),
            loops: Vec::with_capacity(2 * edge_count),
            loop_edges: Vec::with_capacity(2 * edge_count),
            sides: Vec::with_capacity(2 * edge_count),
            starts: Vec::with_capacity(corners.len() + 1),
            neighbours: Vec::with_capacity(2 * edge_count),
            edges_at: Vec::with_capacity(2 * edge_count),
            faces_at: Vec::with_capacity(2 * edge_count),
            frame: Pose::IDENTITY,
            volume: 0.0,
            moments: DVec3::ZERO,
            radius: corners.iter().map(|corner| corner.length()).fold(0.0, f64::max),
            inradius: f64::INFINITY,
            largest_projected_area: 0.0,
            corners,
        };
        let mut known: HashMap<[u16; 2], u16> = HashMap::new();
        for (f, points) in loops.iter().enumerate() {
            let first = hull.loops.len() as u32;
            hull.loops.extend(points.iter().map(|point| number[point]));
            let len = points.len() as u32;
            let ring: Vec<u16> = hull.loops[first as usize..].to_vec();
            let face = hull.face(&ring, first, len);
            hull.faces.push(face);
            for (k, &from) in ring.iter().enumerate() {
                let to = ring[(k + 1) % ring.len()];
                // The neighbouring face runs along the same edge in the opposite direction.
                let edge = match known.get(&[to, from]) {
                    Some(&edge) => {
                        hull.edges[edge as usize].faces[1] = f as u16;
                        edge
                    }
                    None => {
                        let along = (hull.corners[to as usize] - hull.corners[from as usize]).normalize();
                        hull.edges.push(Edge { ends: [from, to], faces: [f as u16; 2], along, secant: 0.0 });
                        known.insert([from, to], hull.edges.len() as u16 - 1);
                        hull.edges.len() as u16 - 1
                    }
                };
                hull.loop_edges.push(edge);
                let start = hull.corners[from as usize];
                let inward = face.normal.cross(hull.corners[to as usize] - start).normalize();
                hull.sides.push(Side { inward, offset: inward.dot(start) });
            }
        }
        // A closed surface has every edge in exactly two faces.
        if 2 * hull.edges.len() != hull.loops.len() {
            return Err(Degenerate::Sliver);
        }
        for edge in &mut hull.edges {
            let [left, right] = edge.faces.map(|face| hull.faces[face as usize].normal);
            // 1/cos(angle/2) from the cosine of the angle; the bound avoids a division by zero for
            // faces that are back to back.
            edge.secant = 1.0 / (0.5 * (1.0 + left.dot(right))).max(f64::MIN_POSITIVE).sqrt();
        }
        hull.inradius = hull.faces.iter().map(|face| face.offset).fold(f64::INFINITY, f64::min);
        // The faces towards one side have the same projected area as those towards the other side.
        let seen: DVec3 = (0..hull.faces.len()).map(|face| hull.area(face).abs()).sum();
        hull.largest_projected_area = 0.5 * seen.max_element();
        hull.link();
        Ok(hull)
    }

    /// Returns the plane of a face, shifted outward so that no corner of the hull lies beyond it.
    fn face(&self, ring: &[u16], first: u32, len: u32) -> Face {
        let corner = |k: usize| self.corners[ring[k % ring.len()] as usize];
        let origin = corner(0);
        // The sum over a fan of triangles (Newell's normal) is accurate for faces whose corners are
        // coplanar only to rounding.
        let newell: DVec3 = (1..ring.len() - 1).map(|k| (corner(k) - origin).cross(corner(k + 1) - origin)).sum();
        let normal = newell.normalize();
        let offset = self.corners.iter().map(|corner| normal.dot(*corner)).fold(f64::NEG_INFINITY, f64::max);
        Face { normal, offset, first, len }
    }

    /// Builds the lists of the neighbours and of the faces of every corner.
    fn link(&mut self) {
        let mut neighbours = vec![Vec::new(); self.corners.len()];
        let mut edges_at = vec![Vec::new(); self.corners.len()];
        let mut faces_at = vec![Vec::new(); self.corners.len()];
        for (f, face) in self.faces.iter().enumerate() {
            let places = face.first as usize..(face.first + face.len) as usize;
            let (ring, edges) = (&self.loops[places.clone()], &self.loop_edges[places]);
            for (k, (&corner, &edge)) in ring.iter().zip(edges).enumerate() {
                faces_at[corner as usize].push(f as u16);
                neighbours[corner as usize].push(ring[(k + 1) % ring.len()]);
                edges_at[corner as usize].push(edge);
            }
        }
        self.starts.push(0);
        for ((neighbours, edges_at), faces_at) in neighbours.into_iter().zip(edges_at).zip(faces_at) {
            self.neighbours.extend(neighbours);
            self.edges_at.extend(edges_at);
            self.faces_at.extend(faces_at);
            self.starts.push(self.neighbours.len() as u32);
        }
    }

    /// Returns the corners relative to the centre of mass in principal axes, m.
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// Returns the faces.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Returns the edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the corners of a face, anticlockwise as seen from outside.
    #[inline]
    pub fn ring(&self, face: usize) -> &[u16] {
        let Face { first, len, .. } = self.faces[face];
        &self.loops[first as usize..(first + len) as usize]
    }

    /// Returns the edges of a face, from each corner to the next.
    #[inline]
    pub fn ring_edges(&self, face: usize) -> &[u16] {
        let Face { first, len, .. } = self.faces[face];
        &self.loop_edges[first as usize..(first + len) as usize]
    }

    /// Returns the edge lines of a face, from each corner to the next.
    #[inline]
    pub fn sides(&self, face: usize) -> &[Side] {
        let Face { first, len, .. } = self.faces[face];
        &self.sides[first as usize..(first + len) as usize]
    }

    /// Returns the edges that meet in a corner.
    #[inline]
    pub fn edges_at(&self, corner: usize) -> &[u16] {
        &self.edges_at[self.starts[corner] as usize..self.starts[corner + 1] as usize]
    }

    /// Returns the faces that meet in a corner.
    #[inline]
    pub fn faces_at(&self, corner: usize) -> &[u16] {
        &self.faces_at[self.starts[corner] as usize..self.starts[corner + 1] as usize]
    }

    /// Returns the pose of the principal axes in the axes of the points.
    pub fn frame(&self) -> Pose {
        self.frame
    }

    /// Returns the volume, m³.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Returns the principal moments of inertia for density 1, m⁵.
    pub fn moments(&self) -> DVec3 {
        self.moments
    }

    /// Returns the distance of the farthest corner from the centre, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns the distance of the nearest face from the centre, m.
    pub fn inradius(&self) -> f64 {
        self.inradius
    }

    /// Returns the largest of the three projected areas along the principal axes, m².
    pub fn largest_projected_area(&self) -> f64 {
        self.largest_projected_area
    }

    /// Returns the vector area of a face, m².
    fn area(&self, face: usize) -> DVec3 {
        let ring = self.ring(face);
        let corner = |k: usize| self.corners[ring[k] as usize];
        (2..ring.len()).map(|k| 0.5 * (corner(k - 1) - corner(0)).cross(corner(k) - corner(0))).sum()
    }

    /// Returns the corner that lies farthest along a direction of any length.
    #[inline]
    pub fn farthest(&self, direction: DVec3) -> usize {
        if self.corners.len() <= SCAN { self.scan(direction) } else { self.walk(direction) }
    }

    fn scan(&self, direction: DVec3) -> usize {
        let (mut best, mut height) = (0, f64::NEG_INFINITY);
        for (k, corner) in self.corners.iter().enumerate() {
            let here = corner.dot(direction);
            if here > height {
                (best, height) = (k, here);
            }
        }
        best
    }

    /// Climbs along edges. On a convex body a corner without a higher neighbour is the highest.
    fn walk(&self, direction: DVec3) -> usize {
        // The corners are not sorted, so that the first few are a fair sample for a start.
        const SAMPLES: usize = 12;
        let stride = self.corners.len() / SAMPLES;
        let height = |k: usize| self.corners[k].dot(direction);
        let mut best = 0;
        let mut top = height(0);
        for k in (stride..self.corners.len()).step_by(stride) {
            if height(k) > top {
                (best, top) = (k, height(k));
            }
        }
        self.climb(best, direction)
    }

    /// Returns the highest corner along a direction, by climbing along edges from a corner.
    pub fn climb(&self, start: usize, direction: DVec3) -> usize {
        let height = |k: usize| self.corners[k].dot(direction);
        let (mut best, mut top) = (start, height(start));
        loop {
            let here = best;
            for &k in &self.neighbours[self.starts[here] as usize..self.starts[here + 1] as usize] {
                if height(k as usize) > top {
                    (best, top) = (k as usize, height(k as usize));
                }
            }
            if best == here {
                return best;
            }
        }
    }
}

//! Contact of boxes and polyhedra by their vertices and edges [Leon2016, section 3.3.2 and eq.
//! 3.133].
//!
//! A vertex lies in a body if it is below the planes of all its faces. Of an edge `p(t) = from + t
//! (to - from)`, the part below all planes is an interval of t [Leon2016, eq. 3.133]. [Leon2016,
//! Algorithm 12] tests the vertices and edges of one body only, and edges only if no vertex was
//! found: a rod through a plate is missed if the plate is the first body. Here both bodies and both
//! tests are executed, and the details give the number of points of each. The method returns no
//! distance of separated bodies.

use glam::{DQuat, DVec3};
use granum_geometry::contact::PolytopeFeatures;
use granum_geometry::{ContactPoint, Pair, Shape};

use super::{Detail, Method, Outcome};

/// The method.
pub const METHOD: Method = Method {
    name: "vertex-edge",
    about: "corners in faces and edges through bodies, both ways round; no distance of bodies apart",
    pairs: "boxes and polyhedra",
    serves: |pair| [pair.a, pair.b].into_iter().all(|shape| matches!(shape, Shape::Box(_) | Shape::Polyhedron(_))),
    solve,
};

/// A polytope in world axes, relative to the centre of a.
struct PlacedPolytope {
    vertices: Vec<DVec3>,
    edges: Vec<[DVec3; 2]>,
    /// Outward unit normal n of each face, and n.x of the points x of its plane, m.
    planes: Vec<(DVec3, f64)>,
}

impl PlacedPolytope {
    fn new(shape: &Shape, orientation: DQuat, centre: DVec3) -> Self {
        let PolytopeFeatures { vertices, edges, faces } = PolytopeFeatures::of(shape).unwrap_or_default();
        let vertices: Vec<DVec3> = vertices.into_iter().map(|vertex| centre + orientation * vertex).collect();
        let edges = edges.into_iter().map(|ends| ends.map(|end| vertices[end])).collect();
        let plane = |(normal, offset): (DVec3, f64)| {
            let normal = orientation * normal;
            (normal, offset + normal.dot(centre))
        };
        Self { edges, planes: faces.into_iter().map(plane).collect(), vertices }
    }

    /// Returns the face nearest to a point inside: its normal, and the signed height of the point
    /// above it, m. `None` for a point outside.
    fn nearest_face(&self, point: DVec3) -> Option<(DVec3, f64)> {
        let heights = self.planes.iter().map(|&(normal, offset)| (normal, normal.dot(point) - offset));
        let nearest = heights.max_by(|p, q| p.1.total_cmp(&q.1))?;
        (nearest.1 <= 0.0).then_some(nearest)
    }

    /// Returns the middle of the part of an edge that lies inside [Leon2016, eq. 3.133].
    fn middle_inside(&self, [from, to]: [DVec3; 2]) -> Option<DVec3> {
        let (mut low, mut high) = (0f64, 1f64);
        for &(normal, offset) in &self.planes {
            let (height, rise) = (normal.dot(from) - offset, normal.dot(to - from));
            if rise == 0.0 && height > 0.0 {
                return None;
            } else if rise > 0.0 {
                high = high.min(-height / rise);
            } else if rise < 0.0 {
                low = low.max(-height / rise);
            }
        }
        (low <= high).then(|| from + 0.5 * (low + high) * (to - from))
    }
}

fn solve(pair: &Pair) -> Outcome {
    let a = PlacedPolytope::new(pair.a, pair.orientation_a, DVec3::ZERO);
    let b = PlacedPolytope::new(pair.b, pair.orientation_b, pair.offset);
    let mut contacts: Vec<ContactPoint> = Vec::new();
    let mut details = Vec::new();
    let mut tests = 0;
    // The normal points from a to b: outward from a, inward into b.
    for (host, guest, sign, names) in
        [(&a, &b, 1.0, ["corners_b_in_a", "edges_b_in_a"]), (&b, &a, -1.0, ["corners_a_in_b", "edges_a_in_b"])]
    {
        let mut push = |point: DVec3| {
            let Some((normal, height)) = host.nearest_face(point) else { return false };
            let (normal, arm) = (sign * normal, point - 0.5 * height * normal);
            let feature = contacts.len() as u32;
            contacts.push(ContactPoint { arm, normal, gap: height, feature, ..ContactPoint::default() });
            true
        };
        let corners = guest.vertices.iter().filter(|&&corner| push(corner)).count();
        let through = guest.edges.iter().filter_map(|&edge| host.middle_inside(edge));
        let edges = through.filter(|&middle| push(middle)).count();
        details.extend([(names[0], Detail::Number(corners as f64)), (names[1], Detail::Number(edges as f64))]);
        tests += guest.vertices.len() + guest.edges.len();
    }
    let deepest = contacts.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)).copied();
    Outcome {
        touching: deepest.is_some(),
        gap: deepest.map(|point| point.gap),
        normal: deepest.map(|point| point.normal),
        points: deepest.map(|point| [point.on_a(), point.on_b()]),
        contacts,
        details,
        iterations: tests as u32,
        ..Outcome::default()
    }
}

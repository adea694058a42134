//! The tests of paper 004 for solids with flat faces: corners of one body in the other, then edges through it.
//!
//! A corner lies in a body if it is below all its faces (section 3.3.2); of an edge the part below all faces is an interval
//! (3.133). The paper asks the corners and edges of the later body only and looks at edges only where no corner is found;
//! so a rod through a plate is missed when the plate comes first. Here both bodies are asked, and both questions, with what
//! each has found in the details. Bodies that do not touch are told so, without a distance.

use glam::{DQuat, DVec3};

use super::{Detail, Method, Outcome};
use crate::contact::polytope::{Cuboid, Solid};
use crate::{ManifoldPoint, Pair, Shape};

/// The method.
pub const METHOD: Method = Method {
    name: "vertex-edge",
    about: "corners in faces and edges through bodies, both ways round; no distance of bodies apart",
    pairs: "boxes and polyhedra",
    serves: |pair| [pair.a, pair.b].into_iter().all(|shape| matches!(shape, Shape::Box(_) | Shape::Polyhedron(_))),
    solve,
};

/// A solid in world axes, from the centre of a.
#[derive(Default)]
struct Outline {
    corners: Vec<DVec3>,
    edges: Vec<[DVec3; 2]>,
    /// Outward normal and `normal.x` of the points on it.
    planes: Vec<(DVec3, f64)>,
}

impl Outline {
    fn of(shape: &Shape, turn: DQuat, centre: DVec3) -> Self {
        match shape {
            Shape::Box(shape) => Self::placed(&Cuboid(shape.half_sizes), turn, centre),
            Shape::Polyhedron(shape) => Self::placed(shape.hull(), turn, centre),
            _ => Self::default(),
        }
    }

    fn placed(solid: &impl Solid, turn: DQuat, centre: DVec3) -> Self {
        let corners: Vec<DVec3> = (0..solid.corner_count()).map(|k| centre + turn * solid.corner(k)).collect();
        let edges = (0..solid.edge_count()).map(|k| solid.edge(k).ends.map(|end| corners[end as usize])).collect();
        let plane = |k: usize| {
            let (normal, offset) = solid.plane(k);
            let normal = turn * normal;
            (normal, offset + normal.dot(centre))
        };
        let planes = (0..solid.face_count()).map(plane).collect();
        Self { corners, edges, planes }
    }

    /// The face nearest to a point inside: its normal, and the point's height over it; none outside.
    fn nearest_face(&self, point: DVec3) -> Option<(DVec3, f64)> {
        let heights = self.planes.iter().map(|&(normal, offset)| (normal, normal.dot(point) - offset));
        let nearest = heights.max_by(|p, q| p.1.total_cmp(&q.1))?;
        (nearest.1 <= 0.0).then_some(nearest)
    }

    /// The middle of the part of an edge that lies inside, if a part does (3.133).
    fn middle_inside(&self, [from, to]: [DVec3; 2]) -> Option<DVec3> {
        let (mut low, mut high) = (0f64, 1f64);
        for &(normal, offset) in &self.planes {
            let (h, rise) = (normal.dot(from) - offset, normal.dot(to - from));
            if rise == 0.0 && h > 0.0 {
                return None;
            } else if rise > 0.0 {
                high = high.min(-h / rise);
            } else if rise < 0.0 {
                low = low.max(-h / rise);
            }
        }
        (low <= high).then(|| from + 0.5 * (low + high) * (to - from))
    }
}

fn solve(pair: &Pair) -> Outcome {
    let a = Outline::of(pair.a, pair.orientation_a, DVec3::ZERO);
    let b = Outline::of(pair.b, pair.orientation_b, pair.offset);
    let mut contacts: Vec<ManifoldPoint> = Vec::new();
    let mut details = Vec::new();
    let mut tests = 0;
    // The normal leads from a to b: outward of a, inward of b.
    for (host, guest, sign, names) in
        [(&a, &b, 1.0, ["corners_b_in_a", "edges_b_in_a"]), (&b, &a, -1.0, ["corners_a_in_b", "edges_a_in_b"])]
    {
        let mut push = |point: DVec3| {
            let Some((normal, height)) = host.nearest_face(point) else { return false };
            let (normal, arm) = (sign * normal, point - 0.5 * height * normal);
            let feature = contacts.len() as u32;
            contacts.push(ManifoldPoint { arm, normal, gap: height, feature, ..ManifoldPoint::default() });
            true
        };
        let corners = guest.corners.iter().filter(|&&corner| push(corner)).count();
        let through = guest.edges.iter().filter_map(|&edge| host.middle_inside(edge));
        let edges = through.filter(|&middle| push(middle)).count();
        details.extend([(names[0], Detail::Number(corners as f64)), (names[1], Detail::Number(edges as f64))]);
        tests += guest.corners.len() + guest.edges.len();
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

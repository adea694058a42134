//! The lowest face of a grain as a polygon, and its intersection with triangles and edges.

use std::f64::consts::TAU;

use glam::DVec3;

use super::grain::Grain;
use crate::Shape;
use crate::contact::half_space::resting_features::{Part, Rest};
use crate::contact::polytope::{Cuboid, Polytope};
use crate::contact::smooth::straight_line::FlatPart;

/// Number of corners of the polygon in the place of a circular base. It is inscribed in the circle
/// and misses 0.5 % of the radius at most.
const RIM: usize = 32;

/// Least sine of the angle between two lines that cross. Lines that are closer to parallel meet in
/// a segment.
const PARALLEL: f64 = 5e-3;

/// A face, a straight line or a single point of a grain, in the axes of the surface.
pub(super) struct Face {
    /// Corners in order around the face.
    pub corners: Vec<DVec3>,
    /// Outward unit normal, or the direction of the search for a line or a point.
    pub normal: DVec3,
}

/// A corner of a clipped face.
pub(super) struct Corner {
    pub at: DVec3,
    /// Number of the corner of the face, or of the corner or crossing of the triangle.
    pub number: u32,
    /// True for a corner of the face.
    pub is_of_face: bool,
}

impl Face {
    /// Returns the part of the surface of a grain whose normal is nearest to `direction`.
    pub fn along(grain: &Grain, direction: DVec3) -> Self {
        let own = grain.orientation.inverse() * direction;
        let (corners, normal) = match grain.shape {
            Shape::Box(body) => of_polytope(&Cuboid(body.half_sizes), own),
            Shape::Polyhedron(body) => of_polytope(body.hull(), own),
            Shape::Superellipsoid(body) => {
                let mut outer = Vec::new();
                if let Some(part) = FlatPart::of(body, own) {
                    part.for_each_outer_point(|_, point, _| outer.push(point));
                }
                (outer, own)
            }
            shape => match Rest::along(shape, own).map(|rest| rest.part) {
                Some(Part::Base { z, radius, .. }) => {
                    let corner = |k: usize| {
                        let (sin, cos) = libm::sincos(TAU * k as f64 / RIM as f64);
                        DVec3::new(radius * cos, radius * sin, z)
                    };
                    ((0..RIM).map(corner).collect(), DVec3::Z * z.signum())
                }
                Some(Part::Line(ends)) => {
                    let along = (ends[1] - ends[0]).normalize_or_zero();
                    (ends.to_vec(), (own - own.dot(along) * along).normalize_or(own))
                }
                None => (Vec::new(), own),
            },
        };
        let placed = |point: DVec3| grain.centre + grain.orientation * point;
        let mut corners: Vec<DVec3> = corners.into_iter().map(placed).collect();
        if corners.is_empty() {
            corners.push(grain.support(direction));
        }
        Self { corners, normal: grain.orientation * normal }
    }
}

fn of_polytope(body: &impl Polytope, direction: DVec3) -> (Vec<DVec3>, DVec3) {
    let face = body.face_along(body.farthest(direction), direction);
    (body.ring(face).iter().map(|&corner| body.corner(corner as usize)).collect(), body.plane(face).0)
}

/// Returns the corners of the part of a face above a triangle, seen along `normal`. The corners of
/// the triangle are anticlockwise seen against the normal. Points lie on the face.
pub(super) fn clip(face: &Face, triangle: [DVec3; 3], normal: DVec3) -> Vec<Corner> {
    let mut polygon: Vec<Corner> =
        (0..).zip(&face.corners).map(|(number, &at)| Corner { at, number, is_of_face: true }).collect();
    for side in 0..3u32 {
        let (from, to) = (triangle[side as usize], triangle[(side as usize + 1) % 3]);
        let inward = normal.cross(to - from);
        let inside = |corner: &Corner| inward.dot(corner.at - from);
        let count = polygon.len();
        let mut kept = Vec::with_capacity(count + 1);
        for k in 0..count {
            let (one, next) = (&polygon[k], &polygon[(k + 1) % count]);
            let (of_one, of_next) = (inside(one), inside(next));
            if of_one >= 0.0 {
                kept.push(Corner { ..*one });
            }
            // A line is not a closed ring: its second end does not lead back to the first.
            let is_side = count > 2 || k + 1 < count;
            if is_side && (of_one >= 0.0) != (of_next >= 0.0) {
                let part = of_one / (of_one - of_next);
                let number = 4 * one.number.min(next.number) + side;
                kept.push(Corner { at: one.at + part * (next.at - one.at), number, is_of_face: false });
            }
        }
        polygon = kept;
    }
    polygon
}

/// Returns the parameters, m, and the heights along `normal`, m, at both ends of the part of the
/// line `from + t along` that lies below a face. `None` if no part of the line does.
pub(super) fn above_line(face: &Face, from: DVec3, along: DVec3, normal: DVec3) -> Option<[(f64, f64); 2]> {
    let across = normal.cross(along);
    let place = |x: DVec3| (along.dot(x - from), across.dot(x - from), normal.dot(x - from));
    match face.corners[..] {
        [] => None,
        [only] => {
            let (t, _, height) = place(only);
            Some([(t, height); 2])
        }
        [one, other] => {
            let (one, other) = (place(one), place(other));
            let (run, aside) = (other.0 - one.0, other.1 - one.1);
            if aside.abs() <= PARALLEL * run.abs() {
                return Some([(one.0, one.2), (other.0, other.2)]);
            }
            let part = one.1 / (one.1 - other.1);
            let crossing = (one.0 + part * run, one.2 + part * (other.2 - one.2));
            (0.0..=1.0).contains(&part).then_some([crossing; 2])
        }
        _ => {
            let mut ends: Option<[(f64, f64); 2]> = None;
            let mut add = |t: f64, height: f64| {
                let [low, high] = ends.unwrap_or([(t, height); 2]);
                ends = Some([if t < low.0 { (t, height) } else { low }, if t > high.0 { (t, height) } else { high }]);
            };
            let count = face.corners.len();
            for k in 0..count {
                let (one, next) = (place(face.corners[k]), place(face.corners[(k + 1) % count]));
                if one.1 == 0.0 {
                    add(one.0, one.2);
                }
                if (one.1 < 0.0) != (next.1 < 0.0) {
                    let part = one.1 / (one.1 - next.1);
                    add(one.0 + part * (next.0 - one.0), one.2 + part * (next.2 - one.2));
                }
            }
            ends
        }
    }
}

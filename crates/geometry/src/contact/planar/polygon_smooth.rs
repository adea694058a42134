//! Contact of a polygon with an ellipse or a superellipse: its edges in closed form, its corners by
//! the common normal.
//!
//! The gap is the maximum over all directions of the separation along them. Within the normal cone
//! of a corner, between the normals of its two edges, it is the separation from the corner alone.
//! Thus the maximum is along the normal of an edge, or along the common normal of a corner and the
//! curve.

use glam::DVec2;

use crate::contact::planar::{Contact, Frame, Profile, common_normal};
use crate::numeric::math::bisect;
use crate::shape::{Disc, Polygon};
use crate::{ContactPoint, Manifold, Pair, Shape, Status};

/// A corner as a disc of radius zero.
const POINT: Disc = Disc { radius: 0.0 };

/// First feature number of edges. Smaller numbers are corners.
const EDGES: u32 = 1 << 16;

/// Sine of the angle by which rounding may move a normal out of the normal cone of a corner.
const ROUNDING: f64 = 1e-13;

/// Number of parts of the normal cone of a corner deep inside the curve. Each is searched for a
/// maximum.
const PARTS: u32 = 64;

/// Half the width of the interval that is searched around a flat part of the curve, rad.
const NARROW: f64 = 1e-3;

/// Finds the contact. Body `a` is the polygon.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let Shape::Polygon(a) = pair.a else { unreachable!("the pair table puts the polygon first") };
    match pair.b {
        Shape::Ellipse(b) => Problem::new(a, b, pair).solve(pair, manifold),
        Shape::Superellipse(b) => Problem::new(a, b, pair).solve(pair, manifold),
        _ => unreachable!("the pair table pairs a polygon with smooth curves"),
    }
}

/// A polygon and a curve in the axes of the polygon.
struct Problem<'a, B> {
    polygon: &'a Polygon,
    curve: &'a B,
    /// Axes of the polygon relative to the world, and of the curve relative to the polygon.
    frame_a: Frame,
    frame: Frame,
    offset: DVec2,
}

/// A direction with its gap and its features.
#[derive(Clone, Copy)]
struct Candidate {
    normal: DVec2,
    gap: f64,
    /// The middle between the two surface points, m.
    middle: DVec2,
    feature: u32,
}

impl<'a, B: Profile> Problem<'a, B> {
    fn new(polygon: &'a Polygon, curve: &'a B, pair: &Pair) -> Self {
        let frame_a = Frame::of(pair.orientation_a);
        let frame = Frame::of(pair.orientation_b).relative_to(frame_a);
        Self { polygon, curve, frame_a, frame, offset: frame_a.to_body(pair.offset.truncate()) }
    }

    /// Returns the point of the curve nearest to the polygon along `normal`.
    fn lowest(&self, normal: DVec2) -> DVec2 {
        self.offset + self.frame.to_world(self.curve.extreme(self.frame.to_body(-normal)).point)
    }

    fn along_edge(&self, edge: usize) -> Candidate {
        let normal = self.polygon.normals()[edge];
        let on_b = self.lowest(normal);
        let gap = normal.dot(on_b - self.polygon.corners()[edge]);
        Candidate { normal, gap, middle: on_b - 0.5 * gap * normal, feature: EDGES | edge as u32 }
    }

    fn at_corner(&self, corner: usize, normal: DVec2, gap: f64) -> Candidate {
        let middle = self.polygon.corners()[corner] + 0.5 * gap * normal;
        Candidate { normal, gap, middle, feature: corner as u32 }
    }

    /// Returns the two normals that bound the normal cone of a corner, anticlockwise.
    fn cone(&self, corner: usize) -> [DVec2; 2] {
        let normals = self.polygon.normals();
        [normals[(corner + normals.len() - 1) % normals.len()], normals[corner]]
    }

    fn solve(&self, pair: &Pair, manifold: &mut Manifold) {
        let edges = (0..self.polygon.normals().len()).map(|edge| self.along_edge(edge));
        // Edges have closed forms; the best of them bounds the gap from below.
        let mut best = edges.reduce(|best, edge| if edge.gap > best.gap { edge } else { best }).expect("edges");
        let apart = |normal: DVec2| Some(self.frame_a.to_world(normal).extend(0.0));
        if best.gap > pair.margin {
            manifold.apart = apart(best.normal);
            return;
        }
        for corner in 0..self.polygon.corners().len() {
            for candidate in self.of_corner(corner, best.gap, pair, manifold) {
                if candidate.gap > best.gap {
                    best = candidate;
                }
            }
        }
        if best.gap > pair.margin {
            manifold.apart = apart(best.normal);
            return;
        }
        let Candidate { normal, gap, middle, feature } = best;
        let arm = self.frame_a.to_world(middle).extend(0.0);
        // The feature of the polygon adds its own curvature, which is that of its size.
        let curvature = 1.0 / self.curve.extreme(self.frame.to_body(-normal)).radius;
        let normal = self.frame_a.to_world(normal).extend(0.0);
        let curvature = curvature + pair.a.as_convex().curvature(normal);
        manifold.push(ContactPoint { arm, normal, gap, curvature, feature, overlap: None });
    }

    /// Returns the common normals of a corner and the curve whose gap may exceed `known`.
    fn of_corner(&self, corner: usize, known: f64, pair: &Pair, manifold: &mut Manifold) -> Vec<Candidate> {
        let cone = self.cone(corner);
        let at = self.polygon.corners()[corner];
        let is_within = |n: DVec2| cone[0].perp_dot(n) >= -ROUNDING && n.perp_dot(cone[1]) >= -ROUNDING;
        let warm = pair.warm.map(|normal| self.frame_a.to_body(normal.truncate())).filter(|&n| is_within(n));
        // A corner is a curve of zero size, so that the routine for two curves serves it.
        let nearest = common_normal(&POINT, self.curve, self.offset - at, self.frame, f64::INFINITY, warm);
        let Some(Contact { normal, gap, iterations, status, .. }) = nearest else {
            return Vec::new();
        };
        manifold.iterations += iterations;
        // No direction in the cone of the corner has a larger gap.
        if gap <= known {
            return Vec::new();
        }
        if status != Status::Converged {
            manifold.status = status;
        }
        if is_within(normal) {
            return vec![self.at_corner(corner, normal, gap)];
        }
        // Gaps above minus the least radius of curvature are distances to an inner parallel curve,
        // which is convex. Their directions form one arc with one maximum.
        if known >= -self.curve.least_radius() { Vec::new() } else { self.other_normals(corner, cone) }
    }

    /// Returns the maxima of the gap within the normal cone of a corner, where its derivative
    /// changes sign.
    fn other_normals(&self, corner: usize, [from, to]: [DVec2; 2]) -> Vec<Candidate> {
        let at = self.polygon.corners()[corner];
        let slope = |normal: DVec2| normal.perp().dot(self.lowest(normal) - at);
        let width = from.angle_to(to);
        let direction = |angle: f64| from.rotate(DVec2::from_angle(angle));
        // The curve can be flat at its seams only, where the gap has narrow maxima.
        let seams = self.curve.seams().map(|seam| from.angle_to(-self.frame.to_world(seam.normal)));
        let mut angles: Vec<f64> = (0..=PARTS).map(|part| width * f64::from(part) / f64::from(PARTS)).collect();
        angles.extend(seams.filter(|angle| (0.0..width).contains(angle)).flat_map(|at| [at - NARROW, at, at + NARROW]));
        angles.sort_by(f64::total_cmp);
        let mut found = Vec::new();
        for part in angles.windows(2) {
            let [low, high] = [part[0], part[1]];
            if !(slope(direction(low)) > 0.0 && slope(direction(high)) <= 0.0) {
                continue;
            }
            let [low, _] = bisect(low, high, |angle| slope(direction(angle)) <= 0.0);
            let normal = direction(low);
            found.push(self.at_corner(corner, normal, normal.dot(self.lowest(normal) - at)));
        }
        found
    }
}

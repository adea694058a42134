//! A polygon against an ellipse or a superellipse: its edges in closed form, its corners by the common normal.
//!
//! The gap is the largest over all directions of the distance along them. Within the directions of a corner, between the
//! normals of its two edges, it is that of the corner alone; so the largest is along the normal of an edge, or the common
//! normal of a corner and the curve.

use glam::DVec2;

use crate::contact::planar::{Contact, Frame, Profile, common_normal};
use crate::shape::{Disc, Polygon};
use crate::{ContactPoint, Manifold, Pair, Shape, Status};

/// A corner: a disc without size.
const POINT: Disc = Disc { radius: 0.0 };

/// In a feature: below it are corners, from it on edges.
const EDGES: u32 = 1 << 16;

/// Sine of the angle by which a normal may leave the directions of a corner by rounding.
const ROUNDING: f64 = 1e-13;

/// Parts of the directions of a corner of a body that lies deep in the curve, in each of which a maximum is looked for.
const PARTS: u32 = 64;

/// Half the width of what is looked at about a flat place, rad.
const NARROW: f64 = 1e-3;

/// `a` is the polygon.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let Shape::Polygon(a) = pair.a else { unreachable!("the dispatch table puts the polygon first") };
    match pair.b {
        Shape::Ellipse(b) => Problem::new(a, b, pair).solve(pair, manifold),
        Shape::Superellipse(b) => Problem::new(a, b, pair).solve(pair, manifold),
        _ => unreachable!("the dispatch table pairs a polygon with smooth curves"),
    }
}

/// A polygon in its own axes and a curve beside it.
struct Problem<'a, B> {
    polygon: &'a Polygon,
    curve: &'a B,
    /// Axes of the polygon, in the world's, and of the curve in the polygon's.
    frame_a: Frame,
    frame: Frame,
    offset: DVec2,
}

/// A direction and what lies along it.
#[derive(Clone, Copy)]
struct Candidate {
    normal: DVec2,
    gap: f64,
    /// The middle between the surfaces.
    middle: DVec2,
    feature: u32,
}

impl<'a, B: Profile> Problem<'a, B> {
    fn new(polygon: &'a Polygon, curve: &'a B, pair: &Pair) -> Self {
        let frame_a = Frame::of(pair.orientation_a);
        let frame = Frame::of(pair.orientation_b).relative_to(frame_a);
        Self { polygon, curve, frame_a, frame, offset: frame_a.to_body(pair.offset.truncate()) }
    }

    /// The curve's point nearest to the polygon along `normal`.
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

    /// The normals between which the directions of a corner lie, anticlockwise.
    fn cone(&self, corner: usize) -> [DVec2; 2] {
        let normals = self.polygon.normals();
        [normals[(corner + normals.len() - 1) % normals.len()], normals[corner]]
    }

    fn solve(&self, pair: &Pair, manifold: &mut Manifold) {
        let edges = (0..self.polygon.normals().len()).map(|edge| self.along_edge(edge));
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
        let curvature = 1.0 / self.curve.extreme(self.frame.to_body(-normal)).radius;
        let normal = self.frame_a.to_world(normal).extend(0.0);
        let curvature = curvature + pair.a.as_convex().curvature(normal);
        manifold.push(ContactPoint { arm, normal, gap, curvature, feature });
    }

    /// The common normals of a corner and the curve that may have a larger gap than `known`.
    fn of_corner(&self, corner: usize, known: f64, pair: &Pair, manifold: &mut Manifold) -> Vec<Candidate> {
        let cone = self.cone(corner);
        let at = self.polygon.corners()[corner];
        let is_within = |n: DVec2| cone[0].perp_dot(n) >= -ROUNDING && n.perp_dot(cone[1]) >= -ROUNDING;
        let warm = pair.warm.map(|normal| self.frame_a.to_body(normal.truncate())).filter(|&n| is_within(n));
        let nearest = common_normal(&POINT, self.curve, self.offset - at, self.frame, f64::INFINITY, warm);
        let Some(Contact { normal, gap, iterations, status, .. }) = nearest else {
            return Vec::new();
        };
        manifold.iterations += iterations;
        // No direction of the corner has a larger gap.
        if gap <= known {
            return Vec::new();
        }
        if status != Status::Converged {
            manifold.status = status;
        }
        if is_within(normal) {
            return vec![self.at_corner(corner, normal, gap)];
        }
        // Gaps above minus the least radius of curvature are those to the curve's inner parallel, which is convex: the directions
        // that have them are one arc, on which the gap has one maximum.
        if known >= -self.curve.least_radius() { Vec::new() } else { self.other_normals(corner, cone) }
    }

    /// The maxima of the gap within the directions of a corner: where the slope changes its sign.
    fn other_normals(&self, corner: usize, [from, to]: [DVec2; 2]) -> Vec<Candidate> {
        let at = self.polygon.corners()[corner];
        let slope = |normal: DVec2| normal.perp().dot(self.lowest(normal) - at);
        let width = from.angle_to(to);
        let direction = |angle: f64| from.rotate(DVec2::from_angle(angle));
        // The curve is flat at its seams, if anywhere: there the gap has narrow peaks.
        let seams = self.curve.seams().map(|seam| from.angle_to(-self.frame.to_world(seam.normal)));
        let mut angles: Vec<f64> = (0..=PARTS).map(|part| width * f64::from(part) / f64::from(PARTS)).collect();
        angles.extend(seams.filter(|angle| (0.0..width).contains(angle)).flat_map(|at| [at - NARROW, at, at + NARROW]));
        angles.sort_by(f64::total_cmp);
        let mut found = Vec::new();
        for part in angles.windows(2) {
            let [mut low, mut high] = [part[0], part[1]];
            if !(slope(direction(low)) > 0.0 && slope(direction(high)) <= 0.0) {
                continue;
            }
            loop {
                let middle = 0.5 * (low + high);
                if middle <= low || middle >= high {
                    break;
                }
                if slope(direction(middle)) > 0.0 { low = middle } else { high = middle }
            }
            let normal = direction(low);
            found.push(self.at_corner(corner, normal, normal.dot(self.lowest(normal) - at)));
        }
        found
    }
}

//! Contact of a polygon with a polygon, a segment or a disc: separating edges and clipping, or
//! nearest corners.
//!
//! Each body is the set of points within a radius of the convex hull of its corners. A disc has one
//! corner and a segment has two. If the hulls overlap, the least penetration is along the normal of
//! an edge. If they are separated, the nearest points are a corner and an edge, or two corners.
//! Edges that face each other touch in two points, the ends of their common part. Each is a corner
//! of one body, which identifies the contact from step to step.

use glam::DVec2;

use crate::contact::planar::Frame;
use crate::contact::polytope::report_limit;
use crate::shape::{Disc, Polygon, Segment};
use crate::{ContactPoint, Manifold, Pair, Shape};

/// Bit of a feature number that marks a corner of b.
const OF_B: u32 = 1 << 16;

/// Distance, relative to the size of the pair, below which the direction between two points is lost
/// to rounding. A point this close beyond the end of an edge counts as the end.
const TOUCHING: f64 = 1e-13;

/// Finds the contacts. Body `a` is the polygon.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let Shape::Polygon(a) = pair.a else { unreachable!("the pair table puts the polygon first") };
    let a = Outline { corners: a.corners(), normals: a.normals(), radius: 0.0 };
    match pair.b {
        Shape::Polygon(b) => solve(&a, &of_polygon(b), pair, manifold),
        Shape::Disc(Disc { radius }) => {
            solve(&a, &Outline { corners: &[DVec2::ZERO], normals: &[], radius: *radius }, pair, manifold);
        }
        Shape::Segment(Segment { from, to, radius }) => {
            let across = (*to - *from).perp().normalize();
            let b = Outline { corners: &[*from, *to], normals: &[-across, across], radius: *radius };
            solve(&a, &b, pair, manifold);
        }
        _ => unreachable!("the pair table pairs a polygon with straight bodies and discs"),
    }
}

fn of_polygon(shape: &Polygon) -> Outline<'_> {
    Outline { corners: shape.corners(), normals: shape.normals(), radius: 0.0 }
}

/// A body in its own axes. Edge k connects corner k and the next one.
struct Outline<'a> {
    corners: &'a [DVec2],
    /// Outward normals of the edges; empty for a single corner.
    normals: &'a [DVec2],
    radius: f64,
}

/// An outline in world axes, relative to the centre of a.
struct PlacedOutline<'a> {
    outline: &'a Outline<'a>,
    frame: Frame,
    offset: DVec2,
}

/// An edge of one body, and the corner of the other that is nearest to its line.
#[derive(Clone, Copy)]
struct Facing {
    edge: usize,
    corner: usize,
    /// Outward normal of the edge.
    normal: DVec2,
    /// Signed distance of the corner from the line.
    gap: f64,
}

impl PlacedOutline<'_> {
    fn len(&self) -> usize {
        self.outline.corners.len()
    }

    fn corner(&self, k: usize) -> DVec2 {
        self.offset + self.frame.to_world(self.outline.corners[k % self.len()])
    }

    fn normal(&self, k: usize) -> DVec2 {
        self.frame.to_world(self.outline.normals[k])
    }

    /// Returns the corner that lies farthest along a direction, and its distance.
    fn farthest(&self, direction: DVec2) -> (usize, f64) {
        let own = self.frame.to_body(direction);
        let mut best = (0, f64::NEG_INFINITY);
        // A polygon has few corners, so that a scan is faster than a search.
        for (k, corner) in self.outline.corners.iter().enumerate() {
            let along = own.dot(*corner);
            if along > best.1 {
                best = (k, along);
            }
        }
        (best.0, best.1 + direction.dot(self.offset))
    }

    /// Returns the edge with the largest separation from `other`, or `None` for a single corner.
    fn separating_edge(&self, other: &PlacedOutline) -> Option<Facing> {
        let mut best: Option<Facing> = None;
        for edge in 0..self.outline.normals.len() {
            let normal = self.normal(edge);
            let (corner, support_value) = other.farthest(-normal);
            // The largest separation over all edges of both bodies is the gap of the two hulls, or
            // a lower bound of it if they are separated.
            let gap = -support_value - normal.dot(self.corner(edge));
            if best.is_none_or(|best| gap > best.gap) {
                best = Some(Facing { edge, corner, normal, gap });
            }
        }
        best
    }

    /// Returns the point of edge `k`, or the only corner, that is nearest to `point`.
    fn nearest_on(&self, k: usize, point: DVec2) -> DVec2 {
        let from = self.corner(k);
        let along = self.corner(k + 1) - from;
        let square = along.length_squared();
        if square == 0.0 { from } else { from + (along.dot(point - from) / square).clamp(0.0, 1.0) * along }
    }

    /// Returns the nearest points of the edges of this body and of the corners of another, and that
    /// corner.
    fn nearest(&self, other: &PlacedOutline) -> (DVec2, DVec2, usize) {
        let mut best = (DVec2::ZERO, DVec2::ZERO, 0);
        let mut least = f64::INFINITY;
        for corner in 0..other.len() {
            let point = other.corner(corner);
            for edge in 0..self.len() {
                let foot = self.nearest_on(edge, point);
                let square = foot.distance_squared(point);
                if square < least {
                    (best, least) = ((foot, point, corner), square);
                }
            }
        }
        best
    }
}

fn solve(a: &Outline, b: &Outline, pair: &Pair, manifold: &mut Manifold) {
    let a = PlacedOutline { outline: a, frame: Frame::of(pair.orientation_a), offset: DVec2::ZERO };
    let b = PlacedOutline { outline: b, frame: Frame::of(pair.orientation_b), offset: pair.offset.truncate() };
    let radii = a.outline.radius + b.outline.radius;
    let size = [pair.a, pair.b].map(|shape| shape.as_convex().bounding_radius()).iter().sum::<f64>();
    let by_a = a.separating_edge(&b).expect("a polygon has edges");
    // An edge of b must be better than that of a, so that equal gaps give the same result in both
    // orders of the bodies.
    let by_b = b.separating_edge(&a).filter(|by_b| by_b.gap > by_a.gap);
    let (facing, sign) = by_b.map_or((by_a, 1.0), |by_b| (by_b, -1.0));
    if facing.gap - radii > pair.margin {
        manifold.apart = Some((sign * facing.normal).extend(0.0));
        return;
    }
    let curvature = [pair.a, pair.b].map(|shape| match shape {
        // The end of a segment is a corner, so that the curvature of the other body counts.
        Shape::Segment(_) => 0.0,
        _ => shape.as_convex().curvature(facing.normal.extend(0.0)),
    });
    let curvature = curvature[0] + curvature[1];
    let (first, second) = if by_b.is_some() { (&b, &a) } else { (&a, &b) };
    let corner = second.corner(facing.corner);
    // Foot of the corner on the line of the edge. If it lies beyond the end of the edge, the
    // nearest features are two corners, or a corner and another edge.
    let foot = corner - facing.gap * facing.normal;
    let is_over_edge = (first.nearest_on(facing.edge, corner) - foot).length() <= TOUCHING * size;
    if facing.gap > TOUCHING * size && !is_over_edge {
        let (on_a, on_b, feature) = {
            let (on_b, on_a, of_a) = b.nearest(&a);
            let (foot, corner, of_b) = a.nearest(&b);
            match foot.distance_squared(corner) <= on_a.distance_squared(on_b) {
                true => (foot, corner, of_b as u32 | OF_B),
                false => (on_a, on_b, of_a as u32),
            }
        };
        let between = on_b - on_a;
        let distance = between.length();
        let (normal, gap) = ((between / distance).extend(0.0), distance - radii);
        if gap > pair.margin {
            manifold.apart = Some(normal);
            return;
        }
        let arm = on_a.extend(0.0) + (a.outline.radius + 0.5 * gap) * normal;
        return manifold.push(ContactPoint { arm, normal, gap, curvature, feature, overlap: None });
    }
    // Parallel edges touch at both ends of their common part.
    let limit = report_limit(pair.margin, facing.gap - radii, size);
    let [features_of_first, features_of_second] = if by_b.is_some() { [OF_B, 0] } else { [0, OF_B] };
    let mut push = |point: DVec2, feature: u32| {
        let gap = facing.normal.dot(point - first.corner(facing.edge)) - radii;
        if gap <= limit {
            let arm = point - (second.outline.radius + 0.5 * gap) * facing.normal;
            let normal = (sign * facing.normal).extend(0.0);
            manifold.push(ContactPoint { arm: arm.extend(0.0), normal, gap, curvature, feature, overlap: None });
        }
    };
    // A disc has no edge: one point.
    if second.outline.normals.is_empty() {
        return push(corner, features_of_second | facing.corner as u32);
    }
    // The edge at the nearest corner that faces the first body.
    let count = second.len();
    let before = (facing.corner + count - 1) % count;
    let is_before = second.normal(before).dot(facing.normal) < second.normal(facing.corner).dot(facing.normal);
    let edge = if is_before { before } else { facing.corner };
    let ends = [edge, (edge + 1) % count];
    let [low, high] = [facing.edge, (facing.edge + 1) % first.len()].map(|k| (k as u32, first.corner(k)));
    let along = (high.1 - low.1).normalize();
    let position = |point: DVec2| along.dot(point - low.1);
    let length = position(high.1);
    let points = ends.map(|k| second.corner(k));
    let positions = points.map(position);
    let slack = TOUCHING * size;
    // Clip the facing edge of the second body to the extent of the first body's edge.
    for k in 0..2 {
        let cut = if positions[k] < -slack {
            Some((0.0, low.0))
        } else if positions[k] > length + slack {
            Some((length, high.0))
        } else {
            None
        };
        match cut {
            None => push(points[k], features_of_second | ends[k] as u32),
            Some((at, corner)) => {
                let run = positions[1 - k] - positions[k];
                // The other end lies on the same side, so that clipping leaves nothing of the edge.
                if (at - positions[k]) / run <= 1.0 {
                    let point = points[k] + (at - positions[k]) / run * (points[1 - k] - points[k]);
                    push(point, features_of_first | corner);
                }
            }
        }
    }
}

//! The points of a contact patch with gaps below a limit, found by following its outline from the
//! nearest point.
//!
//! The gap is linear over the patch, so that the points within the limit are consecutive on the
//! outline. From the nearest point the sides of the two faces are followed in both directions until
//! the gap exceeds the limit. Usually these are one or two sides, and each is clipped once. If it
//! is uncertain which side comes next, no result is returned, and [`Patch::cut`] intersects the
//! whole faces.

use glam::DVec3;

use super::facet_walk::Foot;
use super::patch::{CORNER_A, CORNER_B, FLUSH, ON_EDGE, Patch, Point, crossing, faces};
use super::separating_axis::{Axis, Meeting};
use super::{NO_EDGE, Polytope, PolytopePair};
use crate::contact::manifold::MAX_POINTS;

/// Sine of the angle between two sides, projected along the normal, below which it is uncertain
/// which of them lies within the other face.
const CLEARLY_CROSS: f64 = 1e-3;

/// The point where a displacement from a point within a face leaves the face.
#[derive(Clone, Copy)]
pub(crate) struct Exit {
    /// Fraction of the displacement within the face.
    pub part: f64,
    /// Index of the side over which it leaves, or `None` if it ends inside.
    pub side: Option<usize>,
}

/// A side of the outline: a side of the face of a or of b, by its index.
#[derive(Clone, Copy)]
enum Side {
    A(usize),
    B(usize),
}

/// A point of the outline and the side on which it continues.
#[derive(Clone, Copy)]
struct Here {
    /// Position on the face of a, in axes of a, m.
    low: DVec3,
    gap: f64,
    side: Side,
    /// The edge of the other face on which the point lies, or [`NO_EDGE`].
    skipped: u16,
    /// Lower bound of its distance from the sides of the other face, m.
    inset: f64,
}

/// The result of following a side.
enum Next {
    /// The gap exceeds the limit.
    Beyond,
    /// The next point of the outline.
    Point(Here, u32),
    /// The next point is uncertain.
    Unclear,
}

/// Two faces that meet along an axis.
struct Outline<'p, 's, A, B> {
    pair_in_a: &'p PolytopePair<'s, A, B>,
    n: DVec3,
    face_a: usize,
    face_b: usize,
    /// Normals of the faces divided by their cosines with the axis, in axes of a. Their product
    /// with a displacement is the decrease of the height of the plane.
    slope_a: DVec3,
    slope_b: DVec3,
    limit: f64,
    flush: f64,
}

impl<A: Polytope, B: Polytope> PolytopePair<'_, A, B> {
    /// Collects the points of the patch with gaps up to `limit`, the nearest first, in the order of
    /// the outline. It returns `false` if a point is uncertain or if there are too many.
    pub(super) fn outline(&self, axis: &Axis, foot: &Foot, limit: f64, patch: &mut Patch) -> bool {
        let flush = FLUSH * self.size();
        // Close to a side of the facet, rounding would decide which feature the nearest point has.
        if foot.inset <= flush {
            return false;
        }
        let n = axis.n;
        let (face_a, face_b) = faces(self, axis);
        let (normal_a, normal_b) = (self.a.plane(face_a).0, self.b.normal_in(face_b, &self.turn));
        let (cosine_a, cosine_b) = (normal_a.dot(n), normal_b.dot(n));
        if cosine_a.abs().min(cosine_b.abs()) <= ON_EDGE {
            return false;
        }
        let (slope_a, slope_b) = (normal_a / cosine_a, normal_b / cosine_b);
        let outline = Outline { pair_in_a: self, n, face_a, face_b, slope_a, slope_b, limit, flush };
        let first = self.meeting_point(axis, foot);
        let low = first.at - 0.5 * axis.gap * n;
        let Some(sides) = outline.sides(axis) else { return false };
        // A crossing of two edges lies on a side of both faces.
        let inset = if matches!(axis.meeting, Meeting::Edges { .. }) { 0.0 } else { foot.inset };
        let start = |side: Side| {
            let skipped = match (axis.meeting, side) {
                (Meeting::Edges { b, .. }, Side::A(_)) => b as u16,
                (Meeting::Edges { a, .. }, Side::B(_)) => a as u16,
                _ => NO_EDGE,
            };
            Here { low, gap: axis.gap, side, skipped, inset }
        };
        let points = patch.points_mut();
        points.clear();
        points.push(first);
        match outline.follow(start(sides[0]), true, points) {
            None => return false,
            // The outline is closed, so that the other direction would find the same points.
            Some(true) => return true,
            Some(false) => {}
        }
        let ahead = points.len();
        let all = outline.follow(start(sides[1]), false, points);
        // The points of the second direction were found clockwise. Reversed, they complete the
        // anticlockwise order that ends at the first point.
        points[ahead..].reverse();
        all == Some(false)
    }

    /// Returns the deepest point, from the features that define the axis.
    pub(super) fn meeting_point(&self, axis: &Axis, foot: &Foot) -> Point {
        let half = 0.5 * axis.gap * axis.n;
        let (at, feature) = match axis.meeting {
            Meeting::FaceOfA { corner_b, .. } => (self.corner_b(corner_b) - half, CORNER_B | corner_b as u32),
            Meeting::FaceOfB { corner_a, .. } => (self.a.corner(corner_a) + half, CORNER_A | corner_a as u32),
            Meeting::Edges { a, b } => {
                let edge = self.a.edge(a);
                let on_a = self.a.corner(edge.ends[0] as usize) + foot.along * edge.along;
                (on_a + half, crossing(a as u16, b as u16))
            }
        };
        Point { at, gap: axis.gap, feature }
    }
}

impl<A: Polytope, B: Polytope> Outline<'_, '_, A, B> {
    /// Returns the sides on which the outline leaves the nearest point, anticlockwise and clockwise
    /// about the normal, or `None` if they are uncertain.
    fn sides(&self, axis: &Axis) -> Option<[Side; 2]> {
        let PolytopePair { a, b, turn, .. } = self.pair_in_a;
        let (ring_a, ring_b) = (a.ring(self.face_a), b.ring(self.face_b));
        match axis.meeting {
            // As seen along the normal, the face of b is clockwise.
            Meeting::FaceOfA { corner_b, .. } => {
                let k = index_of(ring_b, corner_b)?;
                Some([Side::B(before(k, ring_b.len())), Side::B(k)])
            }
            Meeting::FaceOfB { corner_a, .. } => {
                let k = index_of(ring_a, corner_a)?;
                Some([Side::A(k), Side::A(before(k, ring_a.len()))])
            }
            Meeting::Edges { a: edge_of_a, b: edge_of_b } => {
                let i = index_of(a.ring_edges(self.face_a), edge_of_a)?;
                let j = index_of(b.ring_edges(self.face_b), edge_of_b)?;
                // Both sides are taken anticlockwise, which is backwards for b.
                let (edge_a, edge_b) = (a.edge(edge_of_a), b.edge(edge_of_b));
                let is_left_a = usize::from(edge_a.faces[0]) == self.face_a;
                let is_left_b = usize::from(edge_b.faces[0]) == self.face_b;
                let sine = self.n.dot(b.edge_in(edge_of_b, turn).cross(edge_a.along));
                // An edge runs anticlockwise around the face on its left and clockwise around the
                // other.
                let sine = if is_left_a == is_left_b { -sine } else { sine };
                let (ahead, back) = if sine > 0.0 { (Side::A(i), Side::B(j)) } else { (Side::B(j), Side::A(i)) };
                (sine.abs() > CLEARLY_CROSS).then_some([ahead, back])
            }
        }
    }

    /// Follows the outline in one direction and adds its points up to the limit. It returns whether
    /// the outline is closed, or `None` if a point is uncertain.
    fn follow(&self, mut here: Here, anticlockwise: bool, points: &mut Vec<Point>) -> Option<bool> {
        let first = points[0].feature;
        loop {
            match self.next(&here, anticlockwise) {
                Next::Beyond => return Some(false),
                Next::Unclear => return None,
                Next::Point(_, feature) if feature == first => return Some(true),
                Next::Point(next, feature) => {
                    if points.len() == MAX_POINTS {
                        return None;
                    }
                    points.push(Point { at: next.low + 0.5 * next.gap * self.n, gap: next.gap, feature });
                    here = next;
                }
            }
        }
    }

    /// Follows one side to its end, or to the point where it leaves the other face.
    #[inline]
    fn next(&self, here: &Here, anticlockwise: bool) -> Next {
        let Self { pair_in_a, n, face_a, face_b, .. } = *self;
        let PolytopePair { a, b, .. } = *pair_in_a;
        match here.side {
            Side::A(k) => {
                let ring = a.ring(face_a);
                let after = after(k, ring.len());
                let corner = ring[if anticlockwise { after } else { k }];
                let run = a.corner(corner as usize) - here.low;
                // On the face of a the gap grows by the change of height of the plane of b.
                let rise = -self.slope_b.dot(run);
                let on_b = run + rise * n;
                if self.is_beyond(here, rise, on_b) {
                    return Next::Beyond;
                }
                // This bound did not exclude the point, so that the exit from the face of b is
                // computed.
                let (from, run_b) =
                    (pair_in_a.back * (here.low + here.gap * n - pair_in_a.offset), pair_in_a.back * on_b);
                let Exit { part, side } = b.exit(face_b, from, run_b, here.skipped);
                let next = here.moved(part, run, rise);
                if next.gap > self.limit {
                    return Next::Beyond;
                }
                let edge = side.map_or(NO_EDGE, |j| b.ring_edges(face_b)[j]);
                // Near a corner of the other face two features are possible. The clipped patch
                // chooses between them consistently.
                if !self.is_clear(part, edge, run, b.inset(face_b, from + part * run_b, edge).0) {
                    return Next::Unclear;
                }
                match side {
                    None => {
                        let side = Side::A(if anticlockwise { after } else { before(k, ring.len()) });
                        Next::Point(Here { side, ..next }, CORNER_A | u32::from(corner))
                    }
                    Some(j) => {
                        let own = a.ring_edges(face_a)[k];
                        Next::Point(Here { side: Side::B(j), skipped: own, ..next }, crossing(own, edge))
                    }
                }
            }
            Side::B(j) => {
                let ring = b.ring(face_b);
                let after = after(j, ring.len());
                let corner = ring[if anticlockwise { j } else { after }];
                let run = pair_in_a.corner_b(corner as usize) - (here.low + here.gap * n);
                // On the face of b the gap grows by the height of b above the plane of a.
                let rise = self.slope_a.dot(run);
                let on_a = run - rise * n;
                if self.is_beyond(here, rise, on_a) {
                    return Next::Beyond;
                }
                let Exit { part, side } = a.exit(face_a, here.low, on_a, here.skipped);
                let next = here.moved(part, on_a, rise);
                if next.gap > self.limit {
                    return Next::Beyond;
                }
                let edge = side.map_or(NO_EDGE, |k| a.ring_edges(face_a)[k]);
                if !self.is_clear(part, edge, run, a.inset(face_a, next.low, edge).0) {
                    return Next::Unclear;
                }
                match side {
                    None => {
                        let side = Side::B(if anticlockwise { before(j, ring.len()) } else { after });
                        Next::Point(Here { side, ..next }, CORNER_B | u32::from(corner))
                    }
                    Some(k) => {
                        let own = b.ring_edges(face_b)[j];
                        Next::Point(Here { side: Side::A(k), skipped: own, ..next }, crossing(edge, own))
                    }
                }
            }
        }
    }

    /// Returns whether the gap exceeds the limit before the displacement can leave the other face.
    #[inline]
    fn is_beyond(&self, here: &Here, rise: f64, run: DVec3) -> bool {
        let need = self.limit - here.gap;
        let within = rise * here.inset;
        // The gap grows by `rise * inset / |run|` within the inset. The comparison of squares
        // avoids the root.
        rise > need && within > 0.0 && within * within > need * need * run.length_squared()
    }

    /// Returns whether the point at the fraction `part` of a displacement is clearly away from both
    /// ends of its side and, by `inset`, from the other sides of the other face. It may lie on the
    /// edge `edge` of that face.
    #[inline]
    fn is_clear(&self, part: f64, edge: u16, run: DVec3, inset: f64) -> bool {
        // Without an exit the point is the end of its own side, which is a corner with a feature of
        // its own.
        let far = if edge == NO_EDGE { 1.0 } else { part.min(1.0 - part) };
        inset > self.flush && far * far * run.length_squared() > self.flush * self.flush
    }
}

impl Here {
    /// Returns the point at the fraction `part` of a displacement on the face of a, over which the
    /// gap grows by `rise`.
    #[inline]
    fn moved(&self, part: f64, run: DVec3, rise: f64) -> Self {
        let (low, gap) = (self.low + part * run, self.gap + part * rise);
        Self { low, gap, side: self.side, skipped: NO_EDGE, inset: 0.0 }
    }
}

#[inline]
fn index_of(ring: &[u16], number: usize) -> Option<usize> {
    ring.iter().position(|&k| usize::from(k) == number)
}

#[inline]
fn after(index: usize, len: usize) -> usize {
    if index + 1 == len { 0 } else { index + 1 }
}

#[inline]
fn before(index: usize, len: usize) -> usize {
    if index == 0 { len - 1 } else { index - 1 }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::super::{Cuboid, report_limit, separating_axis};
    use super::*;
    use crate::hull::Hull;
    use crate::random::Random;
    use crate::shape::{Sphere, rock};
    use crate::{Pair, Shape};

    /// Compares the outline of near pairs with the clipped patch. It returns the number of pairs
    /// and of points.
    fn compare<A: Polytope, B: Polytope>(a: &A, b: &B, count: usize, random: &mut Random) -> [usize; 2] {
        let ball: Shape = Sphere { radius: 1.0 }.into();
        let (mut seen, mut found_points) = (0, 0);
        for _ in 0..count {
            let [orientation_a, orientation_b] = [0; 2].map(|_| DQuat::from_scaled_axis(3.0 * random.in_cube()));
            let mut pair = Pair {
                a: &ball,
                b: &ball,
                offset: DVec3::ZERO,
                orientation_a,
                orientation_b,
                margin: f64::INFINITY,
                warm: None,
            };
            // The bodies move along the axis to a gap between a small overlap and a small distance.
            pair.offset = orientation_a * (2.0 * (a.radius() + b.radius()) * random.in_cube().normalize());
            let target = 0.1 * random.range(-1.0, 1.0) * a.radius();
            let best = |pair: &Pair| separating_axis::best(&PolytopePair::new(a, b, pair), f64::INFINITY, None);
            for _ in 0..5 {
                let axis = best(&pair);
                pair.offset -= (axis.gap - target) * (orientation_a * axis.n);
            }
            let (pair_in_a, best) = (PolytopePair::new(a, b, &pair), best(&pair));
            let foot = pair_in_a.foot(&best);
            let limit = report_limit(0.2 * (1.0 + random.range(-1.0, 1.0)), best.gap, pair_in_a.size());
            if best.gap > limit {
                continue;
            }
            let (mut quick, mut slow) = (Patch::default(), Patch::default());
            if !pair_in_a.outline(&best, &foot, limit, &mut quick) {
                continue;
            }
            slow.cut(&pair_in_a, &best, limit);
            let sorted = |patch: &Patch| {
                let mut points = patch.points().to_vec();
                points.sort_by_key(|point| point.feature);
                points
            };
            let (quick, slow) = (sorted(&quick), sorted(&slow));
            assert_eq!(quick.len(), slow.len(), "{quick:?} {slow:?}");
            for (p, q) in quick.iter().zip(&slow) {
                assert_eq!(p.feature, q.feature);
                assert!((p.gap - q.gap).abs() < 1e-12 && (p.at - q.at).length() < 1e-11, "{p:?} {q:?}");
            }
            (seen, found_points) = (seen + 1, found_points + quick.len());
        }
        [seen, found_points]
    }

    #[test]
    fn the_outline_agrees_with_the_clipped_patch() {
        let mut random = Random::new(5);
        let brick = |random: &mut Random| Cuboid(DVec3::splat(1.2) + random.in_cube());
        let random_rock = |random: &mut Random| {
            let corners = (20.0 + 12.0 * random.range(-1.0, 1.0)).floor();
            Hull::new(&rock([2.0, 1.7, 1.2], corners, random.range(-1.0, 1.0)).expect("a rock")).expect("a polytope")
        };
        let (mut seen, mut points) = (0, 0);
        for _ in 0..40 {
            let (a, b) = (brick(&mut random), brick(&mut random));
            let (c, d) = (random_rock(&mut random), random_rock(&mut random));
            for [compared, found] in
                [compare(&a, &b, 50, &mut random), compare(&c, &d, 50, &mut random), compare(&a, &c, 50, &mut random)]
            {
                (seen, points) = (seen + compared, points + found);
            }
        }
        // Nearly all pairs that touch with a face or an edge are certain. If they are separated,
        // corners may be nearest.
        assert!(seen > 3000 && points > 2 * seen, "{points} points of {seen} of 6000 pairs");
    }
}

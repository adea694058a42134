//! The contact patch of two faces: the intersection of their projections along the contact normal.
//!
//! A corner of this polygon is a corner of either face or the crossing of two edges, which is its
//! feature. Its gap is the distance of the two faces there.

use std::cell::RefCell;

use glam::{DVec2, DVec3};

use super::separating_axis::{Axis, Meeting};
use super::{Polytope, PolytopePair};
use crate::contact::manifold::MAX_POINTS;
use crate::numeric::math::tangent_frame;

/// Distance, relative to the size of the pair, within which a point takes the feature of a corner.
/// For two blocks that lie flush, rounding would otherwise switch between a corner and a crossing
/// from step to step.
pub(super) const FLUSH: f64 = 1e-6;

/// Cosine of the angle between a face normal and the contact normal below which the face is
/// parallel to the normal and has no defined height.
pub(super) const ON_EDGE: f64 = 1e-9;

/// Feature kind of a corner of b.
pub(super) const CORNER_B: u32 = 1 << 30;

/// Feature kind of a corner of a.
pub(super) const CORNER_A: u32 = 2 << 30;

/// Feature kind of two crossing edges.
const EDGES: u32 = 3 << 30;

/// Returns the feature number of two crossing edges.
pub(super) fn crossing(a: u16, b: u16) -> u32 {
    EDGES | u32::from(a) << 15 | u32::from(b)
}

/// A point of a contact, in axes of a.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    /// The middle of the two surface points, relative to the centre of a, m.
    pub at: DVec3,
    pub gap: f64,
    pub feature: u32,
}

/// A corner of a projected face.
#[derive(Clone, Copy)]
struct Corner {
    at: DVec2,
    height: f64,
    number: u16,
    /// The edge to the next corner.
    edge: u16,
}

/// The origin of a corner of the intersection, with indices of corners or sides of the faces.
#[derive(Clone, Copy)]
enum Origin {
    A(usize),
    B(usize),
    Crossing(usize, usize),
    /// Two sides of a that do not meet in a corner, which rounding errors cause on a sliver.
    None,
}

/// The face side on which the side to the next corner lies.
#[derive(Clone, Copy)]
enum Side {
    A(usize),
    B(usize),
}

#[derive(Clone, Copy)]
struct Shared {
    at: DVec2,
    origin: Origin,
    side: Side,
}

/// The intersection polygon and scratch memory, which is reused from pair to pair.
#[derive(Default)]
pub(super) struct Patch {
    ring_a: Vec<Corner>,
    ring_b: Vec<Corner>,
    shared: Vec<Shared>,
    cut: Vec<Shared>,
    heights: Vec<f64>,
    points: Vec<Point>,
    least_gap: f64,
}

thread_local! {
    static PATCH: RefCell<Patch> = RefCell::default();
}

impl Patch {
    /// Runs `work` with the scratch memory of this thread.
    pub fn with<T>(work: impl FnOnce(&mut Patch) -> T) -> T {
        PATCH.with_borrow_mut(work)
    }

    /// Intersects the faces that meet along the axis and keeps the points with gaps up to `limit`,
    /// at most eight.
    pub fn cut<A: Polytope, B: Polytope>(&mut self, pair_in_a: &PolytopePair<A, B>, axis: &Axis, limit: f64) {
        let n = axis.n;
        let (face_a, face_b) = faces(pair_in_a, axis);
        let (t, u) = tangent_frame(n);
        let corner = |p: DVec3, number: u16, edge: u16| Corner {
            at: DVec2::new(t.dot(p), u.dot(p)),
            height: n.dot(p),
            number,
            edge,
        };
        let (ring, edges) = (pair_in_a.a.ring(face_a), pair_in_a.a.ring_edges(face_a));
        self.ring_a.clear();
        self.ring_a.extend(ring.iter().zip(edges).map(|(&k, &edge)| corner(pair_in_a.a.corner(k as usize), k, edge)));
        // As seen along the normal, the face of b is clockwise. It is reversed, so that each corner
        // gets the edge that follows in this order.
        let (ring, edges) = (pair_in_a.b.ring(face_b), pair_in_a.b.ring_edges(face_b));
        let before = edges.iter().rev().skip(1).chain(edges.last());
        self.ring_b.clear();
        self.ring_b
            .extend(ring.iter().rev().zip(before).map(|(&k, &edge)| corner(pair_in_a.corner_b(k as usize), k, edge)));
        self.intersect();
        let (normal_a, offset_a) = pair_in_a.a.plane(face_a);
        let (normal_b, offset_b) = pair_in_a.b.plane(face_b);
        let normal_b = pair_in_a.turn * normal_b;
        let plane = |m: DVec3, offset: f64| Plane { slope: DVec2::new(m.dot(t), m.dot(u)), cosine: m.dot(n), offset };
        let (plane_a, plane_b) =
            (plane(normal_a, offset_a), plane(normal_b, offset_b + normal_b.dot(pair_in_a.offset)));
        self.points.clear();
        self.least_gap = f64::INFINITY;
        let flush = FLUSH * pair_in_a.size();
        for shared in &self.shared {
            let (low, high) = match shared.origin {
                Origin::A(k) => (Some(self.ring_a[k].height), plane_b.height(shared.at)),
                Origin::B(k) => (plane_a.height(shared.at), Some(self.ring_b[k].height)),
                Origin::Crossing(i, j) => {
                    (Some(along(&self.ring_a, i, shared.at)), Some(along(&self.ring_b, j, shared.at)))
                }
                Origin::None => (plane_a.height(shared.at), plane_b.height(shared.at)),
            };
            let (Some(low), Some(high)) = (low, high) else { continue };
            let gap = high - low;
            self.least_gap = self.least_gap.min(gap);
            if gap > limit {
                continue;
            }
            let at = shared.at.x * t + shared.at.y * u + 0.5 * (low + high) * n;
            let point = Point { at, gap, feature: self.feature(shared, flush) };
            // Points within the flush distance of a corner share its feature. The nearest of them
            // is kept.
            match self.points.iter_mut().find(|other| other.feature == point.feature) {
                Some(other) if point.gap < other.gap => *other = point,
                Some(_) => {}
                None => self.points.push(point),
            }
        }
        // Points on a straight side go first, because the reduction below would count them as part
        // of the shape.
        self.drop_straight(flush);
        while self.points.len() > MAX_POINTS {
            self.drop_one();
        }
    }

    /// Returns whether a point lies on the line between its neighbours and is not nearer than both.
    fn is_straight(&self, k: usize, flush: f64) -> bool {
        let count = self.points.len();
        let (last, first) = (if k == 0 { count - 1 } else { k - 1 }, if k + 1 == count { 0 } else { k + 1 });
        let [before, here, after] = [last, k, first].map(|k| self.points[k]);
        let side = after.at - before.at;
        let off = side.cross(here.at - before.at).length_squared();
        off <= flush * flush * side.length_squared() && here.gap >= before.gap.min(after.gap)
    }

    /// Removes crossings on a straight side. They belong to two edges that are parallel except for
    /// rounding errors.
    pub fn drop_straight(&mut self, flush: f64) {
        let mut k = 0;
        while k < self.points.len() && self.points.len() > 2 {
            if self.points[k].feature >= EDGES && self.is_straight(k, flush) {
                self.points.remove(k);
            } else {
                k += 1;
            }
        }
    }

    /// Intersects the two faces (Sutherland-Hodgman clipping).
    fn intersect(&mut self) {
        let Self { ring_a, ring_b, shared, cut, heights, .. } = self;
        shared.clear();
        shared.extend(ring_b.iter().enumerate().map(|(k, corner)| Shared {
            at: corner.at,
            origin: Origin::B(k),
            side: Side::B(k),
        }));
        for i in 0..ring_a.len() {
            let from = ring_a[i].at;
            let along = ring_a[if i + 1 == ring_a.len() { 0 } else { i + 1 }].at - from;
            heights.clear();
            let mut lowest = 0f64;
            for p in shared.iter() {
                let height = along.perp_dot(p.at - from);
                lowest = lowest.min(height);
                heights.push(height);
            }
            // The polygon lies inside this side, as for most sides of a small face on a large one.
            if lowest >= 0.0 {
                continue;
            }
            let (Some(&last), Some(&last_h)) = (shared.last(), heights.last()) else { return };
            cut.clear();
            let (mut here, mut h) = (last, last_h);
            for (&next, &next_h) in shared.iter().zip(heights.iter()) {
                if (h >= 0.0) != (next_h >= 0.0) {
                    let origin = meeting(here.side, i, ring_a.len());
                    let at = match origin {
                        // The stored corner is more accurate than the intersection of two nearly
                        // parallel sides.
                        Origin::A(k) => ring_a[k].at,
                        _ => here.at + (next.at - here.at) * (h / (h - next_h)),
                    };
                    // A polygon that leaves the half-plane continues along this side of a; one that
                    // enters continues along its own side.
                    let side = if h >= 0.0 { Side::A(i) } else { here.side };
                    cut.push(Shared { at, origin, side });
                }
                if next_h >= 0.0 {
                    cut.push(next);
                }
                (here, h) = (next, next_h);
            }
            std::mem::swap(shared, cut);
        }
    }

    /// Returns the feature of a point: a nearby corner of either face, else two edges.
    fn feature(&self, shared: &Shared, flush: f64) -> u32 {
        let is_near = |corner: &&Corner| corner.at.distance_squared(shared.at) <= flush * flush;
        let (near_a, near_b, own) = match shared.origin {
            // A corner of b precedes a near corner of a, so that two flush corners always have the
            // same feature.
            Origin::B(k) => return CORNER_B | u32::from(self.ring_b[k].number),
            Origin::A(k) => (None, self.ring_b.iter().find(is_near), CORNER_A | u32::from(self.ring_a[k].number)),
            // Only the ends of its two sides can be near a crossing.
            Origin::Crossing(i, j) => (
                ends(&self.ring_a, i).into_iter().find(is_near),
                ends(&self.ring_b, j).into_iter().find(is_near),
                crossing(self.ring_a[i].edge, self.ring_b[j].edge),
            ),
            Origin::None => (self.ring_a.iter().find(is_near), self.ring_b.iter().find(is_near), EDGES),
        };
        match (near_b, near_a) {
            (Some(corner), _) => CORNER_B | u32::from(corner.number),
            (None, Some(corner)) => CORNER_A | u32::from(corner.number),
            (None, None) => own,
        }
    }

    /// Returns the gap of the nearest point, whether it is within the limit or not, m.
    pub fn least_gap(&self) -> f64 {
        self.least_gap
    }

    /// Returns the points in the order of the outline.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the same points for writing.
    pub fn points_mut(&mut self) -> &mut Vec<Point> {
        &mut self.points
    }

    /// Removes the point that contributes least to the area of the patch, but never the nearest
    /// one.
    fn drop_one(&mut self) {
        let least_gap = self.points.iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
        let count = self.points.len();
        let (mut least, mut area) = (0, f64::INFINITY);
        for k in 0..count {
            let [before, here, after] = [k + count - 1, k, k + 1].map(|k| self.points[k % count].at);
            // This is the square of twice the area that the patch loses without the point.
            let own = (here - before).cross(after - here).length_squared();
            if own < area && self.points[k].gap > least_gap {
                (least, area) = (k, own);
            }
        }
        if area == f64::INFINITY {
            // All points are equally near: remove any but the first.
            least = count - 1;
        }
        self.points.remove(least);
    }
}

/// The plane of a face as a height above the contact plane.
struct Plane {
    slope: DVec2,
    cosine: f64,
    offset: f64,
}

impl Plane {
    fn height(&self, at: DVec2) -> Option<f64> {
        (self.cosine.abs() > ON_EDGE).then(|| (self.offset - self.slope.dot(at)) / self.cosine)
    }
}

/// Returns the corners at the ends of a side.
fn ends(ring: &[Corner], k: usize) -> [&Corner; 2] {
    [&ring[k], &ring[if k + 1 == ring.len() { 0 } else { k + 1 }]]
}

/// Returns the height of a side of a face at the projection of a point.
fn along(ring: &[Corner], k: usize, at: DVec2) -> f64 {
    let [from, to] = ends(ring, k);
    let run = to.at - from.at;
    // Rounding can place the point beyond an end. On a steep side the height would then be far off.
    let part = (run.dot(at - from.at) / run.length_squared()).clamp(0.0, 1.0);
    from.height + part * (to.height - from.height)
}

/// Returns the origin of the point where a side of the intersection meets side `i` of the face of
/// a, which has `len` corners.
fn meeting(side: Side, i: usize, len: usize) -> Origin {
    match side {
        Side::B(j) => Origin::Crossing(i, j),
        Side::A(k) if (k + 1) % len == i => Origin::A(i),
        Side::A(k) if (i + 1) % len == k => Origin::A(k),
        Side::A(_) => Origin::None,
    }
}

/// Returns the faces that meet along an axis: of the faces at its features those closest to the
/// axis.
pub(super) fn faces<A: Polytope, B: Polytope>(pair_in_a: &PolytopePair<A, B>, axis: &Axis) -> (usize, usize) {
    let n_b = pair_in_a.back * -axis.n;
    match axis.meeting {
        Meeting::FaceOfA { face, corner_b } => (face, pair_in_a.b.face_along(corner_b, n_b)),
        Meeting::FaceOfB { face, corner_a } => (pair_in_a.a.face_along(corner_a, axis.n), face),
        Meeting::Edges { a, b } => (steepest(pair_in_a.a, a, axis.n), steepest(pair_in_a.b, b, n_b)),
    }
}

/// Returns the face at an edge whose normal is closest to `n`.
fn steepest(polytope: &impl Polytope, edge: usize, n: DVec3) -> usize {
    let [left, right] = polytope.edge(edge).faces.map(usize::from);
    if polytope.plane(left).0.dot(n) >= polytope.plane(right).0.dot(n) { left } else { right }
}

//! Contact of a polytope with a round body: a face, an edge or a corner against the support points
//! of the round body.
//!
//! Above a face the normal is that of the face. Along an edge it is the direction, between the
//! normals of the two faces, whose support point lies above the edge. At a corner it points to the
//! nearest point of the round surface. The search walks from feature to feature while the gap
//! grows. The two nearest points of separated bodies prove the result. An overlap of depth `d` is
//! the least one if a ball of radius d fits into the round body at the contact, or by the bound of
//! `facet_walk` on a face. Without a proof `general` is used.

use glam::{DMat3, DVec3};

use super::facet_walk::is_sheltered;
use super::resting_patch::rest_on_face;
use super::{NO_EDGE, Polytope};
use crate::contact::collide;
use crate::contact::general::general;
use crate::shape::{Convex, Sphere};
use crate::{ContactPoint, Manifold, Measure, Pair, Shape, Status};

/// Largest number of features visited. A start along the centres needs two or three.
const MAX_STEPS: usize = 12;

/// Distance of a support point from the plane above an edge, relative to the size of the pair, at
/// which the search along the edge ends.
const ON_PLANE: f64 = 1e-15;

/// Largest number of steps of the search along an edge. Smooth bodies need eight; a jump from rim
/// to rim needs one bisection per bit.
const MAX_TRIES: usize = 80;

/// Number of these steps by false position: twice as many as smooth bodies need.
const SMOOTH_TRIES: usize = 20;

/// Sine by which a normal may point out of the normal cone of a corner: a rounding error.
const IN_CONE: f64 = 1e-14;

/// Decrease of the gap from feature to feature, relative to the size of the pair, that is a
/// rounding error.
const ROUNDING: f64 = 1e-14;

/// A corner as a body: a ball of radius zero.
static CORNER: Shape = Shape::Sphere(Sphere { radius: 0.0 });

/// The contact on a round body, in its own axes.
pub(crate) struct RoundContact {
    /// Surface point relative to its centre, m.
    pub point: DVec3,
    /// Outward normal.
    pub normal: DVec3,
    /// The touching edge: its direction, and the distance of the contact from the nearer end of the
    /// edge, m.
    pub edge: Option<(DVec3, f64)>,
}

/// Finds the contacts of a polytope, body a, with a round body. `inner_ball` returns the radius of
/// a ball that fits at the contact into the round body, or into the volume that the body sweeps
/// along the touching edge. `manifold` must be clear.
pub(crate) fn collide_round<S: Polytope>(
    polytope: &S,
    inner_ball: impl Fn(&RoundContact) -> f64,
    pair: &Pair,
    manifold: &mut Manifold,
) {
    let round = pair.b.as_convex();
    // The bounding balls exclude most pairs without a search.
    let far = polytope.radius() + round.bounding_radius() + pair.margin;
    if pair.offset.length_squared() > far * far {
        return;
    }
    let to_a = pair.orientation_a.inverse();
    let turn = DMat3::from_quat(to_a * pair.orientation_b);
    let search = Search { polytope, round, pair, turn, back: turn.transpose(), offset: to_a * pair.offset };
    // The previous normal may lead to no result, or only to a local minimum of the overlap. The
    // line of centres is then tried.
    for direction in pair.warm.into_iter().chain([pair.offset]) {
        match search.walk((to_a * direction).try_normalize().unwrap_or(DVec3::X)) {
            Walk::Apart(n) => return manifold.apart = Some(pair.orientation_a * n),
            Walk::Arrived(touch) if search.is_least(&touch, &inner_ball) => {
                if !rest_on_face(&search, &touch, manifold) {
                    manifold.push(search.point(&touch));
                }
                return;
            }
            Walk::Arrived(_) | Walk::Lost => {}
        }
    }
    general(pair, manifold);
}

/// A contact in axes of the polytope.
pub(super) struct Touch {
    pub n: DVec3,
    pub gap: f64,
    /// Surface point of the round body relative to the centre of the polytope, m.
    pub on_b: DVec3,
    over: Over,
}

/// The touching feature of the polytope.
#[derive(Clone, Copy)]
enum Over {
    /// A face, with the distance from its sides, m.
    Face(f64),
    /// An edge, with its direction and the distance from its nearer end, m.
    Edge(DVec3, f64),
    Corner,
}

enum Walk {
    /// The gap along this direction exceeds the margin.
    Apart(DVec3),
    Arrived(Touch),
    Lost,
}

#[derive(Clone, Copy)]
enum Feature {
    Face(usize),
    Edge(usize),
    Corner(usize),
}

enum Step {
    Done(Walk),
    /// The search continues on another feature. The gap on this one is given if it is a lower
    /// bound.
    Go(Feature, Option<f64>),
}

/// The two bodies, in axes of the polytope.
pub(super) struct Search<'p, S> {
    pub polytope: &'p S,
    pub round: &'p dyn Convex,
    pub pair: &'p Pair<'p>,
    /// Rotations from axes of the round body to axes of the polytope, and back.
    pub turn: DMat3,
    pub back: DMat3,
    pub offset: DVec3,
}

impl<S: Polytope> Search<'_, S> {
    /// Returns the lowest point of the round body along `n`.
    fn low(&self, n: DVec3) -> DVec3 {
        self.offset + self.turn * self.round.support(self.back * -n)
    }

    fn walk(&self, start: DVec3) -> Walk {
        // The walk starts on the face at the corner that lies farthest along the direction.
        let corner = self.polytope.farthest(start);
        let mut feature = Feature::Face(self.polytope.face_along(corner, start));
        let mut best = f64::NEG_INFINITY;
        let slack = ROUNDING * (self.polytope.radius() + self.round.bounding_radius());
        for _ in 0..MAX_STEPS {
            let step = match feature {
                Feature::Face(face) => self.on_face(face),
                Feature::Edge(edge) => self.on_edge(edge),
                Feature::Corner(corner) => self.on_corner(corner),
            };
            match step {
                Step::Done(walk) => return walk,
                // The gaps of the visited features are lower bounds that must grow. A decrease
                // means that the walk would run in a circle.
                Step::Go(_, Some(gap)) if gap < best - slack => return Walk::Lost,
                Step::Go(next, gap) => (feature, best) = (next, gap.unwrap_or(best)),
            }
        }
        Walk::Lost
    }

    fn done(&self, n: DVec3, gap: f64, on_b: DVec3, over: Over) -> Step {
        let is_apart = gap > self.pair.margin;
        Step::Done(if is_apart { Walk::Apart(n) } else { Walk::Arrived(Touch { n, gap, on_b, over }) })
    }

    fn on_face(&self, face: usize) -> Step {
        let (n, offset) = self.polytope.plane(face);
        let low = self.low(n);
        let gap = n.dot(low) - offset;
        let (inset, side) = self.polytope.inset(face, low, NO_EDGE);
        // A gap along any direction is a lower bound, so that it may exclude the pair before the
        // right feature is found.
        if gap > self.pair.margin || inset >= 0.0 {
            return self.done(n, gap, low, Over::Face(inset));
        }
        Step::Go(Feature::Edge(self.polytope.ring_edges(face)[side] as usize), Some(gap))
    }

    fn on_edge(&self, number: usize) -> Step {
        let edge = self.polytope.edge(number);
        let [first, last] = edge.ends.map(|end| self.polytope.corner(end as usize));
        let [left, right] = edge.faces.map(usize::from);
        // Signed distance of the lowest point from the plane above the edge, positive to the right.
        let try_along = |n: DVec3| {
            let low = self.low(n);
            Try { n, low, beyond: edge.along.cross(n).dot(low - first) }
        };
        let (mut from, mut to) = (try_along(self.polytope.plane(left).0), try_along(self.polytope.plane(right).0));
        // The lowest point for the normal of a face lies over this face already. No direction
        // between the two normals can then have its lowest point over the edge.
        if from.beyond <= 0.0 {
            return Step::Go(Feature::Face(left), Some(from.n.dot(from.low - first)));
        }
        if to.beyond >= 0.0 {
            return Step::Go(Feature::Face(right), Some(to.n.dot(to.low - first)));
        }
        let enough = ON_PLANE * (self.polytope.radius() + self.round.bounding_radius());
        let found = between(&mut from, &mut to, enough, try_along);
        let gap = found.n.dot(found.low - first);
        let along = edge.along.dot(found.low - first);
        // The lowest point lies beyond an end of the edge if this is negative.
        let from_ends = along.min(edge.along.dot(last - first) - along);
        if gap > self.pair.margin || from_ends >= 0.0 {
            return self.done(found.n, gap, found.low, Over::Edge(edge.along, from_ends));
        }
        Step::Go(Feature::Corner(edge.ends[usize::from(along > 0.0)] as usize), Some(gap))
    }

    fn on_corner(&self, corner: usize) -> Step {
        let at = self.polytope.corner(corner);
        let offset = self.pair.offset - self.pair.orientation_a * at;
        // The distance of a corner from the round body is the gap of a ball of radius zero.
        let query = Pair { a: &CORNER, offset, margin: f64::INFINITY, ..*self.pair };
        let mut nearest = Manifold::default();
        collide(Measure::Depth, &query, &mut nearest);
        let Some(point) = nearest.deepest().filter(|_| nearest.status == Status::Converged) else {
            return Step::Done(Walk::Lost);
        };
        let n = self.pair.orientation_a.inverse() * point.normal;
        // An edge that rises along the normal leads to points nearer to the round body than the
        // corner.
        let (mut steepest, mut sine) = (None, IN_CONE);
        for &k in self.polytope.edges_at(corner) {
            let edge = self.polytope.edge(k as usize);
            let rise = if edge.ends[0] as usize == corner { edge.along.dot(n) } else { -edge.along.dot(n) };
            if rise > sine {
                (steepest, sine) = (Some(k as usize), rise);
            }
        }
        match steepest {
            None => self.done(n, point.gap, at + point.gap * n, Over::Corner),
            // Outside the normal cone of the corner its gap is no lower bound, and the walk must
            // not compare it.
            Some(edge) => Step::Go(Feature::Edge(edge), None),
        }
    }

    /// Returns the contact point in world axes.
    pub fn point(&self, &Touch { n, gap, on_b, .. }: &Touch) -> ContactPoint {
        let to_world = self.pair.orientation_a;
        let curvature = self.pair.a.as_convex().curvature(n) + self.round.curvature(self.back * -n);
        ContactPoint {
            arm: to_world * (on_b - 0.5 * gap * n),
            normal: to_world * n,
            gap,
            curvature,
            feature: 0,
            overlap: None,
        }
    }

    /// Returns whether certainly no other direction has a larger gap.
    fn is_least(&self, touch: &Touch, inner_ball: impl Fn(&RoundContact) -> f64) -> bool {
        let Touch { n, gap, on_b, over } = *touch;
        // Two surface points whose distance equals the gap along the normal are the nearest points.
        if gap > 0.0 {
            return true;
        }
        // A face that contains the contact with enough room needs no inscribed ball.
        if let Over::Face(inset) = over {
            let m = n.dot(self.offset);
            let l = (self.offset.length_squared() - m * m).max(0.0).sqrt();
            if is_sheltered(-gap, inset, m, l, self.polytope.inradius()) {
                return true;
            }
        }
        let edge = match over {
            Over::Edge(along, to_end) => Some((self.back * along, to_end)),
            _ => None,
        };
        let contact = RoundContact { point: self.back * (on_b - self.offset), normal: self.back * -n, edge };
        inner_ball(&contact) >= -gap
    }
}

/// A trial direction between the normals of two faces.
#[derive(Clone, Copy)]
struct Try {
    n: DVec3,
    low: DVec3,
    beyond: f64,
}

/// Returns the direction between two others whose lowest point lies above the edge. If the point
/// jumps across a flat part of the surface, it returns the position between the two.
fn between(from: &mut Try, to: &mut Try, enough: f64, try_along: impl Fn(DVec3) -> Try) -> Try {
    // False position (Illinois variant): the weight of an end that stays twice is halved, so that
    // both ends converge.
    let (mut before, mut after) = (from.beyond, to.beyond);
    let mut last = 0.0;
    for k in 0..MAX_TRIES {
        // At a jump of the lowest point only bisection converges.
        let part = if k < SMOOTH_TRIES { before / (before - after) } else { 0.5 };
        let n = (from.n + part * (to.n - from.n)).normalize();
        if n == from.n || n == to.n {
            break;
        }
        let here = try_along(n);
        if here.beyond.abs() <= enough {
            return here;
        }
        if here.beyond > 0.0 {
            (*from, before) = (here, here.beyond);
            after *= if last > 0.0 { 0.5 } else { 1.0 };
        } else {
            (*to, after) = (here, here.beyond);
            before *= if last < 0.0 { 0.5 } else { 1.0 };
        }
        last = here.beyond;
    }
    // The interval is at its resolution: interpolate the point between both ends.
    let part = from.beyond / (from.beyond - to.beyond);
    let n = (from.n + part * (to.n - from.n)).normalize();
    Try { n, low: from.low + part * (to.low - from.low), beyond: 0.0 }
}

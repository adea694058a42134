//! A solid and a body that is round: a face, an edge or a corner of the solid against the support points of the other.
//!
//! Over a face the normal is the face's. Along an edge it is the one, between those of the two faces, whose support point
//! lies over the edge. At a corner it points to the nearest place of the other's surface. The search walks from feature to
//! feature while the gap grows. Bodies that are apart prove the answer by their two points. An overlap of depth `d` is the
//! least one if a ball of radius d fits into the round body where it touches, or by the proof of `facet` on a face; what has
//! no proof is left to `general`.

use glam::{DMat3, DVec3};

use super::facet::is_sheltered;
use super::rest::rest_on_face;
use super::{NO_EDGE, Solid};
use crate::contact::general::general;
use crate::contact::routine;
use crate::shape::{Convex, Sphere};
use crate::{ContactPoint, Manifold, Pair, Shape, Status};

/// Most features visited; a start along the centres takes two or three.
const MAX_STEPS: usize = 12;

/// Distance of a support point from the plane over an edge, in sizes of the pair, at which the normal is found.
const ON_PLANE: f64 = 1e-15;

/// Most steps of the search along an edge; smooth bodies take eight, a jump from rim to rim as many as there are bits.
const MOST_TRIES: usize = 80;

/// Of these, tries by false position: twice as many as smooth bodies take.
const SMOOTH_TRIES: usize = 20;

/// Sine up to which a normal may point out of the cone of a corner: rounding.
const IN_CONE: f64 = 1e-14;

/// By how much the gap may shrink from feature to feature, in sizes of the pair: rounding.
const ROUNDING: f64 = 1e-14;

/// A corner as a body: a ball without a radius.
static CORNER: Shape = Shape::Sphere(Sphere { radius: 0.0 });

/// Where a round body is touched, in its axes.
pub(crate) struct Place {
    /// The point of its surface, from its centre.
    pub point: DVec3,
    /// Outward normal.
    pub normal: DVec3,
    /// The edge that touches it: its direction, and how far it goes on both ways.
    pub edge: Option<(DVec3, f64)>,
}

/// Finds the contact of a solid, the pair's a, with a round body. `inner_ball` tells the radius of a ball that fits, where the
/// body is touched, into the body or into what the touching edge sweeps of it. `manifold` must be clear.
pub(crate) fn collide_round<S: Solid>(
    solid: &S,
    inner_ball: impl Fn(&Place) -> f64,
    pair: &Pair,
    manifold: &mut Manifold,
) {
    let round = pair.b.as_convex();
    let far = solid.radius() + round.bounding_radius() + pair.margin;
    if pair.offset.length_squared() > far * far {
        return;
    }
    let to_a = pair.orientation_a.inverse();
    let turn = DMat3::from_quat(to_a * pair.orientation_b);
    let search = Search { solid, round, pair, turn, back: turn.transpose(), offset: to_a * pair.offset };
    // A hint may lead nowhere, or to where the bodies overlap least nearby but not of all.
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

/// A contact, in axes of the solid.
pub(super) struct Touch {
    pub n: DVec3,
    pub gap: f64,
    /// The point of the round body, from the solid's centre.
    pub on_b: DVec3,
    over: Over,
}

/// What of the solid touches.
#[derive(Clone, Copy)]
enum Over {
    /// A face, so far inside its sides.
    Face(f64),
    /// An edge along this direction, so far from its ends.
    Edge(DVec3, f64),
    Corner,
}

enum Walk {
    /// Along this direction the gap is larger than the margin.
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
    /// To another feature; the gap on this one, if it says something of the bodies.
    Go(Feature, Option<f64>),
}

/// The two bodies, in axes of the solid.
pub(super) struct Search<'p, S> {
    pub solid: &'p S,
    pub round: &'p dyn Convex,
    pub pair: &'p Pair<'p>,
    /// Axes of the round body to those of the solid, and back.
    pub turn: DMat3,
    pub back: DMat3,
    pub offset: DVec3,
}

impl<S: Solid> Search<'_, S> {
    /// The point of the round body that is lowest along `n`.
    fn low(&self, n: DVec3) -> DVec3 {
        self.offset + self.turn * self.round.support(self.back * -n)
    }

    fn walk(&self, start: DVec3) -> Walk {
        let corner = self.solid.farthest(start);
        let mut feature = Feature::Face(self.solid.face_along(corner, start));
        let mut best = f64::NEG_INFINITY;
        let slack = ROUNDING * (self.solid.radius() + self.round.bounding_radius());
        for _ in 0..MAX_STEPS {
            let step = match feature {
                Feature::Face(face) => self.on_face(face),
                Feature::Edge(edge) => self.on_edge(edge),
                Feature::Corner(corner) => self.on_corner(corner),
            };
            match step {
                Step::Done(walk) => return walk,
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
        let (n, offset) = self.solid.plane(face);
        let low = self.low(n);
        let gap = n.dot(low) - offset;
        let (inset, side) = self.solid.inset(face, low, NO_EDGE);
        if gap > self.pair.margin || inset >= 0.0 {
            return self.done(n, gap, low, Over::Face(inset));
        }
        Step::Go(Feature::Edge(self.solid.ring_edges(face)[side] as usize), Some(gap))
    }

    fn on_edge(&self, number: usize) -> Step {
        let edge = self.solid.edge(number);
        let [first, last] = edge.ends.map(|end| self.solid.corner(end as usize));
        let [left, right] = edge.faces.map(usize::from);
        // How far the lowest point lies beyond the plane over the edge, towards the right.
        let try_along = |n: DVec3| {
            let low = self.low(n);
            Try { n, low, beyond: edge.along.cross(n).dot(low - first) }
        };
        let (mut from, mut to) = (try_along(self.solid.plane(left).0), try_along(self.solid.plane(right).0));
        if from.beyond <= 0.0 {
            return Step::Go(Feature::Face(left), Some(from.n.dot(from.low - first)));
        }
        if to.beyond >= 0.0 {
            return Step::Go(Feature::Face(right), Some(to.n.dot(to.low - first)));
        }
        let enough = ON_PLANE * (self.solid.radius() + self.round.bounding_radius());
        let found = between(&mut from, &mut to, enough, try_along);
        let gap = found.n.dot(found.low - first);
        let along = edge.along.dot(found.low - first);
        let from_ends = along.min(edge.along.dot(last - first) - along);
        if gap > self.pair.margin || from_ends >= 0.0 {
            return self.done(found.n, gap, found.low, Over::Edge(edge.along, from_ends));
        }
        Step::Go(Feature::Corner(edge.ends[usize::from(along > 0.0)] as usize), Some(gap))
    }

    fn on_corner(&self, corner: usize) -> Step {
        let at = self.solid.corner(corner);
        let offset = self.pair.offset - self.pair.orientation_a * at;
        let question = Pair { a: &CORNER, offset, margin: f64::INFINITY, ..*self.pair };
        let mut nearest = Manifold::default();
        (routine(CORNER.kind(), self.pair.b.kind()).collide)(&question, &mut nearest);
        let Some(point) = nearest.deepest().filter(|_| nearest.status == Status::Converged) else {
            return Step::Done(Walk::Lost);
        };
        let n = self.pair.orientation_a.inverse() * point.normal;
        let (mut steepest, mut sine) = (None, IN_CONE);
        for &k in self.solid.edges_at(corner) {
            let edge = self.solid.edge(k as usize);
            let rise = if edge.ends[0] as usize == corner { edge.along.dot(n) } else { -edge.along.dot(n) };
            if rise > sine {
                (steepest, sine) = (Some(k as usize), rise);
            }
        }
        match steepest {
            None => self.done(n, point.gap, at + point.gap * n, Over::Corner),
            Some(edge) => Step::Go(Feature::Edge(edge), None),
        }
    }

    /// The contact in world axes.
    pub fn point(&self, &Touch { n, gap, on_b, .. }: &Touch) -> ContactPoint {
        let to_world = self.pair.orientation_a;
        let curvature = self.pair.a.as_convex().curvature(n) + self.round.curvature(self.back * -n);
        ContactPoint { arm: to_world * (on_b - 0.5 * gap * n), normal: to_world * n, gap, curvature, feature: 0 }
    }

    /// Whether no other direction has a larger gap.
    fn is_least(&self, touch: &Touch, inner_ball: impl Fn(&Place) -> f64) -> bool {
        let Touch { n, gap, on_b, over } = *touch;
        if gap > 0.0 {
            return true;
        }
        if let Over::Face(inset) = over {
            let m = n.dot(self.offset);
            let l = (self.offset.length_squared() - m * m).max(0.0).sqrt();
            if is_sheltered(-gap, inset, m, l, self.solid.inradius()) {
                return true;
            }
        }
        let edge = match over {
            Over::Edge(along, reach) => Some((self.back * along, reach)),
            _ => None,
        };
        let place = Place { point: self.back * (on_b - self.offset), normal: self.back * -n, edge };
        inner_ball(&place) >= -gap
    }
}

/// A direction between the normals of two faces.
#[derive(Clone, Copy)]
struct Try {
    n: DVec3,
    low: DVec3,
    beyond: f64,
}

/// The direction between two whose lowest point is over the edge; where the point jumps, on a flat part of the surface, the
/// place between the two.
fn between(from: &mut Try, to: &mut Try, enough: f64, try_along: impl Fn(DVec3) -> Try) -> Try {
    // False position; the weight of an end that stays twice is halved, so that both come near.
    let (mut before, mut after) = (from.beyond, to.beyond);
    let mut last = 0.0;
    for k in 0..MOST_TRIES {
        // At a jump of the lowest point only halves come near.
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
    let part = from.beyond / (from.beyond - to.beyond);
    let n = (from.n + part * (to.n - from.n)).normalize();
    Try { n, low: from.low + part * (to.low - from.low), beyond: 0.0 }
}

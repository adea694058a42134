//! The smooth overlap of a capsule with another body: a mean of the depths along its axis.
//!
//! A capsule is the sum of a segment, its axis, and a ball. A point p of the axis has the depth
//! `f = R - dist(p, body)`, with R the radius. By depth alone the contact is at the deepest point.
//! It jumps from end to end as the axis becomes parallel to a face, and energy is lost. The smooth
//! overlap is
//!
//! ```text
//! D = (7/6) (integral of f^3) / (integral of f^2)    over the part of the axis where f > 0
//! ```
//!
//! as for a rim on the side wall of a hollow cylinder. The distance from a convex body is a convex
//! function with a continuous gradient, the outward normal n at the nearest point. Therefore D has
//! a continuous gradient too:
//!
//! ```text
//! dD = integral of q df,   q = (7/6) f (3 f - 2 m)/(integral of f^2),   m = D / (7/6),   df = -n.dp
//! ```
//!
//! D is the depth where f is a parabola (crossed axes), 7/8 of the depth where f is linear (an end,
//! or a slight tilt), and 7/6 of the depth where f is constant (parallel to a face). For two
//! capsules the integrals are sums over both axes, so that none of the two is preferred.

use std::sync::LazyLock;

use glam::{DMat3, DVec3};

use super::{MeasureGradient, SmoothOverlap};
use crate::ContactPatch;
use crate::contact::polytope::{NearestFeature, Polytope, nearest_feature};
use crate::contact::revolution::Hull;
use crate::numeric::math::gauss_legendre;

/// Gauss points per piece of the axis between two points where f is not smooth. For small depths
/// f^3 is nearly a polynomial of degree 6.
const NODES: usize = 8;

static RULE: LazyLock<[(f64, f64); NODES]> =
    LazyLock::new(|| gauss_legendre(NODES).try_into().expect("the rule has the number of points requested"));

/// Makes D the depth for a parabolic f: the mean of f^3 over that of f^2 is 6/7 of the maximum.
pub(super) const PARABOLA: f64 = 7.0 / 6.0;

/// Largest number of steps to a zero or to the maximum of f, of which 3 to 8 are usual.
const ROOT_STEPS: u32 = 100;

/// Value of f at which a zero is found, relative to R: the integrals are of second order there.
pub(super) const AT_ZERO: f64 = 1e-13;

/// The axis of a capsule: its points are `middle + t along` with `|t| <= half`, in any axes.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub middle: DVec3,
    pub along: DVec3,
    pub half: f64,
}

impl Axis {
    fn at(&self, t: f64) -> DVec3 {
        self.middle + t * self.along
    }
}

/// A body whose distance from a point of an axis is known.
pub(super) trait Neighbour {
    /// The feature that is nearest to all points of a piece of the axis.
    type Feature;
    /// Calls `add` with the positions on the axis where the nearest feature changes. Others do no
    /// harm.
    fn for_each_change(&self, axis: &Axis, add: impl FnMut(f64));
    /// Returns the feature nearest to a point.
    fn feature(&self, point: DVec3) -> Self::Feature;
    /// Returns the distance of a point from the feature and the unit vector towards the point;
    /// `None` if the point lies in the body.
    fn distance(&self, feature: &Self::Feature, point: DVec3) -> Option<(f64, DVec3)>;
}

/// A segment, the axis of the other capsule.
pub(super) struct Segment(pub Axis);

impl Neighbour for Segment {
    type Feature = ();

    fn for_each_change(&self, axis: &Axis, mut add: impl FnMut(f64)) {
        let Self(own) = self;
        // The nearest feature changes at the planes through the two ends across the segment.
        let (start, rate) = ((axis.middle - own.middle).dot(own.along), axis.along.dot(own.along));
        for end in [-own.half, own.half] {
            add((end - start) / rate);
        }
    }

    fn feature(&self, _point: DVec3) {}

    fn distance(&self, (): &(), point: DVec3) -> Option<(f64, DVec3)> {
        let from = point - self.0.middle;
        unit(from - from.dot(self.0.along).clamp(-self.0.half, self.0.half) * self.0.along)
    }
}

/// A box or polyhedron, in its own axes.
pub(super) struct Solid<'s, P>(pub &'s P);

impl<P: Polytope> Neighbour for Solid<'_, P> {
    type Feature = NearestFeature;

    /// The nearest feature changes where the axis crosses a plane through an edge, perpendicular to
    /// one of its two faces, or a plane through a corner, perpendicular to one of its edges.
    fn for_each_change(&self, axis: &Axis, mut add: impl FnMut(f64)) {
        let Self(body) = self;
        for k in 0..body.edge_count() {
            let edge = body.edge(k);
            let ends = edge.ends.map(|end| body.corner(end as usize));
            let length = edge.along.dot(ends[1] - ends[0]);
            let from = axis.middle - ends[0];
            let [left, right] = edge.faces.map(|face| body.plane(face as usize).0);
            // From the edge into each of its two faces.
            let inward = [left.cross(edge.along), edge.along.cross(right)];
            for (into, face) in inward.into_iter().zip([left, right]) {
                let t = -into.dot(from) / into.dot(axis.along);
                let point = from + t * axis.along;
                if face.dot(point) > 0.0 && (0.0..=length).contains(&edge.along.dot(point)) {
                    add(t);
                }
            }
            for height in [0.0, length] {
                let t = (height - edge.along.dot(from)) / edge.along.dot(axis.along);
                let point = from + t * axis.along;
                if inward[0].dot(point) <= 0.0 && inward[1].dot(point) <= 0.0 {
                    add(t);
                }
            }
        }
    }

    fn feature(&self, point: DVec3) -> NearestFeature {
        nearest_feature(self.0, point)
    }

    fn distance(&self, feature: &NearestFeature, point: DVec3) -> Option<(f64, DVec3)> {
        match *feature {
            NearestFeature::Inside => None,
            NearestFeature::Face { normal, offset } => {
                let height = normal.dot(point) - offset;
                (height > 0.0).then_some((height, normal))
            }
            NearestFeature::Edge { at, along } => {
                let from = point - at;
                unit(from - from.dot(along) * along)
            }
            NearestFeature::Corner(at) => unit(point - at),
        }
    }
}

/// A cylinder or a truncated cone about the origin.
impl Neighbour for Hull {
    type Feature = ();

    /// In the plane through its axis and the point, the body is a trapezium. The nearest feature
    /// changes on the lines through its corners perpendicular to its edges. With the distance rho
    /// from the body's axis, which is the root of a quadratic function of t, such a line is
    /// `rho = r` or `rho = r + slope (z - h)`. Both are squared.
    fn for_each_change(&self, axis: &Axis, mut add: impl FnMut(f64)) {
        let (z, rate) = (axis.middle.dot(self.axis), axis.along.dot(self.axis));
        let (from, run) = (axis.middle - z * self.axis, axis.along - rate * self.axis);
        let square = [from.length_squared(), 2.0 * from.dot(run), run.length_squared()];
        let [cos, sin] = self.side;
        for (radius, height) in self.radii.into_iter().zip(self.heights) {
            roots([square[0] - radius * radius, square[1], square[2]], &mut add);
            // The side of a cylinder is parallel to the axis, so that the lines across it are at
            // the heights of the bases.
            if sin == 0.0 {
                add((height - z) / rate);
                continue;
            }
            // rho sin = radius sin + (z - height) cos.
            let (start, slope) = (radius * sin + (z - height) * cos, rate * cos);
            let scaled = square.map(|part| part * sin * sin);
            roots([scaled[0] - start * start, scaled[1] - 2.0 * start * slope, scaled[2] - slope * slope], &mut add);
        }
    }

    fn feature(&self, _point: DVec3) {}

    fn distance(&self, (): &(), point: DVec3) -> Option<(f64, DVec3)> {
        self.foot(point, self.axis).map(|foot| (foot.distance, foot.normal))
    }
}

/// Calls `add` with the real roots of `c0 + c1 t + c2 t^2`, without cancellation.
fn roots([c0, c1, c2]: [f64; 3], add: &mut impl FnMut(f64)) {
    let discriminant = c1 * c1 - 4.0 * c0 * c2;
    if discriminant >= 0.0 {
        let q = -0.5 * (c1 + discriminant.sqrt().copysign(c1));
        add(q / c2);
        add(c0 / q);
    }
}

fn unit(vector: DVec3) -> Option<(f64, DVec3)> {
    let length = vector.length();
    (length > 0.0).then(|| (length, vector / length))
}

/// Integrals over one or two axes. Positions are from the centre of body a, in world axes.
pub(super) struct AxisSum {
    square: f64,
    cube: f64,
    /// Integrals of `f n` and `f^2 n`, with n from a to b, and of their moments.
    force: [DVec3; 2],
    moment: [DVec3; 2],
    /// First and second moments of the contact points, with the weight f^2.
    first: DVec3,
    second: DMat3,
    evaluations: usize,
}

/// One of the bodies of a pair, seen from the other one's axis.
pub(super) struct Placed {
    /// Sum of the radii, R, m.
    pub reach: f64,
    /// Radius of the capsule with the axis, m.
    pub radius: f64,
    /// Rotation to world axes, and the origin from the centre of body a, m.
    pub axes: DMat3,
    pub origin: DVec3,
    /// True if the axis is that of body a.
    pub is_of_a: bool,
}

impl AxisSum {
    /// The sum over no axis.
    pub const ZERO: Self = Self {
        square: 0.0,
        cube: 0.0,
        force: [DVec3::ZERO; 2],
        moment: [DVec3::ZERO; 2],
        first: DVec3::ZERO,
        second: DMat3::ZERO,
        evaluations: 0,
    };

    /// Adds the integrals over an axis; `None` if it intersects the other body, where the depth is
    /// not defined.
    pub fn add<N: Neighbour>(&mut self, axis: &Axis, body: &N, placed: &Placed) -> Option<()> {
        // An axis parallel to a feature gives infinite or undefined positions, which fail both
        // comparisons.
        let mut changes = vec![-axis.half, axis.half];
        body.for_each_change(axis, |t| {
            if t > -axis.half && t < axis.half {
                changes.push(t);
            }
        });
        changes.sort_by(f64::total_cmp);
        for piece in changes.windows(2) {
            // Within a piece the nearest feature is the same, so that it is searched once.
            let feature = body.feature(axis.at(0.5 * (piece[0] + piece[1])));
            let depth = |t: f64| {
                let (distance, n) = body.distance(&feature, axis.at(t))?;
                Some((placed.reach - distance, -n.dot(axis.along)))
            };
            // The depth is a concave function along the axis: it is positive on one interval.
            let Some([from, to]) = positive_part(depth, [piece[0], piece[1]], AT_ZERO * placed.reach)? else {
                continue;
            };
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            for &(x, weight) in RULE.iter() {
                let point = axis.at(middle + half * x);
                let (distance, n) = body.distance(&feature, point)?;
                let depth = (placed.reach - distance).max(0.0);
                let (point, n) = (placed.origin + placed.axes * point, placed.axes * n);
                // In the middle between the two surfaces.
                let contact = point - (placed.radius - 0.5 * depth) * n;
                let normal = if placed.is_of_a { -n } else { n };
                self.add_point(half * weight * depth, depth, contact, normal);
            }
        }
        Some(())
    }

    /// Adds a point with the weight f dt.
    fn add_point(&mut self, weight: f64, depth: f64, at: DVec3, normal: DVec3) {
        let square = weight * depth;
        self.square += square;
        self.cube += square * depth;
        let turn = at.cross(normal);
        for (k, weight) in [weight, square].into_iter().enumerate() {
            self.force[k] += weight * normal;
            self.moment[k] += weight * turn;
        }
        self.first += square * at;
        self.second += DMat3::from_cols(square * at.x * at, square * at.y * at, square * at.z * at);
        self.evaluations += 1;
    }

    /// Returns the smooth overlap; `None` without a depth.
    pub fn smooth_overlap(&self) -> Option<SmoothOverlap> {
        if self.square <= 0.0 {
            return None;
        }
        // q is the sum of a term in f and one in f^2, whose integrals with df are known.
        let mean = self.cube / self.square;
        let combined =
            |[by_depth, by_square]: [DVec3; 2]| PARABOLA / self.square * (3.0 * by_square - 2.0 * mean * by_depth);
        let gradient = MeasureGradient { translation: combined(self.force), rotation: combined(self.moment) };
        let centroid = self.first / self.square;
        let c = centroid;
        let spread = self.second * (1.0 / self.square) - DMat3::from_cols(c.x * c, c.y * c, c.z * c);
        let patch = ContactPatch::of(spread, gradient.normal());
        let length = PARABOLA * mean;
        Some(SmoothOverlap { length, centroid, gradient, patch, evaluations: self.evaluations })
    }
}

/// Returns the part of an interval where a concave function is positive; the inner `None` if it is
/// positive nowhere, the outer one if the function is undefined. The function returns its value and
/// derivative. A zero is accurate to a value of `zero`.
pub(super) fn positive_part(
    function: impl Fn(f64) -> Option<(f64, f64)>,
    [from, to]: [f64; 2],
    zero: f64,
) -> Option<Option<[f64; 2]>> {
    let (start, end) = (function(from)?, function(to)?);
    let top = match (start.0 > 0.0, end.0 > 0.0) {
        (true, true) => return Some(Some([from, to])),
        (true, false) => from,
        (false, true) => to,
        // The tangents at both ends bound the function. It may be positive between them.
        (false, false) if start.1 <= 0.0 || end.1 >= 0.0 => return Some(None),
        (false, false) => {
            let (mut low, mut high) = ((from, start), (to, end));
            let mut found = None;
            for _ in 0..ROOT_STEPS {
                let (s, t) = (low.0, high.0);
                // The tangents meet here; the value there bounds the function.
                let crossing = (high.1.0 - low.1.0 + low.1.1 * s - high.1.1 * t) / (low.1.1 - high.1.1);
                if low.1.0 + low.1.1 * (crossing - s) <= 0.0 || !(crossing > s && crossing < t) {
                    break;
                }
                let value = function(crossing)?;
                if value.0 > 0.0 {
                    found = Some(crossing);
                    break;
                }
                if value.1 > 0.0 { low = (crossing, value) } else { high = (crossing, value) }
            }
            match found {
                Some(top) => top,
                None => return Some(None),
            }
        }
    };
    let bound = |outside: f64| -> Option<f64> {
        let (mut inside, mut beyond) = (top, outside);
        // Newton's method from outside converges monotonically for a concave function.
        let mut t = outside;
        for _ in 0..ROOT_STEPS {
            let (value, slope) = function(t)?;
            if value.abs() <= zero {
                break;
            }
            if value > 0.0 {
                inside = t
            } else {
                beyond = t
            }
            let newton = t - value / slope;
            let is_between = (newton - inside) * (newton - beyond) < 0.0;
            t = if is_between { newton } else { 0.5 * (inside + beyond) };
        }
        Some(t)
    };
    let first = if start.0 > 0.0 { from } else { bound(from)? };
    let last = if end.0 > 0.0 { to } else { bound(to)? };
    Some(Some([first, last]))
}

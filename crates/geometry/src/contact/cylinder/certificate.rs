//! Proofs that a direction has the largest gap, and tests of local maxima. See the README of this
//! folder for the derivations.

use glam::{DVec2, DVec3};

use super::separation::{Class, Direction};
use super::{CylinderPair, ON_EDGE, OUTWARD, sign_or_zero};

/// Least sine of the angle between two axes for which the intersection of their projections is well
/// conditioned.
const CROSSING: f64 = 1e-6;

/// Difference between the distance of the two surface points and the gap, relative to the least
/// size of the two bodies, up to which the direction counts as a maximum.
const CLOSED: f64 = 1e-9;

impl CylinderPair {
    /// Returns whether no direction has a larger gap. For separated bodies this holds for every
    /// maximum.
    pub(super) fn is_proven(&self, best: Direction) -> bool {
        let Direction { n, gap, class } = best;
        match class {
            Class::Face(i) => self.is_proven_face(i, gap),
            Class::Side(i) => self.is_proven_side(i, self.distance_from_middle(i, n), gap),
            Class::Line => self.is_proven_line(gap),
            Class::Rims => -gap <= self.proven_rims(n),
        }
    }

    /// Returns whether the face of body `i` is proven to have the largest gap: the ball about the
    /// deepest point of the other body, with the depth as its radius, is in body `i`.
    #[inline(always)]
    pub(super) fn is_proven_face(&self, i: usize, gap: f64) -> bool {
        let depth = (-gap).max(0.0);
        // `&` instead of `&&`: a second comparison costs less than a branch that the processor
        // cannot predict.
        let room = self.r[i] * (1.0 + ON_EDGE) - depth;
        (self.square_from_axis(i) <= room * room) & (depth <= self.r[i].min(self.h[i]))
    }

    /// Returns the same for the side of body `i`. The deepest point is at `from_middle` from the
    /// middle of the body along its axis, m.
    #[inline(always)]
    pub(super) fn is_proven_side(&self, i: usize, from_middle: f64, gap: f64) -> bool {
        let depth = (-gap).max(0.0);
        let room = self.h[i] * (1.0 + ON_EDGE) - from_middle;
        (depth <= room) & (depth <= self.r[i])
    }

    /// Returns whether the line is proven to have the largest gap: the flat part of the Minkowski
    /// difference extends farther around the projection of the origin than the depth, and the
    /// opposite flat part is deep enough.
    #[inline(always)]
    pub(super) fn is_proven_line(&self, gap: f64) -> bool {
        let (depth, room) = ((-gap).max(0.0), self.margin_of_line());
        if room < depth {
            return false;
        }
        let (tan, thickness) = (depth / room, self.r[0] + self.r[1]);
        depth == 0.0 || (2.0 * thickness - depth) * (1.0 - tan * tan) >= depth * (1.0 + tan * tan)
    }

    /// Returns the distance of the crossing of the axes from the nearest end of either, times the
    /// sine of their angle, m; negative if the crossing is beyond an end, or ill-conditioned.
    #[inline(always)]
    fn margin_of_line(&self) -> f64 {
        let sin = self.angle().0.abs();
        let margins = [self.h[0] * sin - self.in_second(self.offset).x.abs(), self.h[1] * sin - self.offset.y.abs()];
        if sin > CROSSING { margins[0].min(margins[1]) } else { f64::NEG_INFINITY }
    }

    /// Returns the square of the distance from the axis of body `i` of the point that touches its
    /// face: the lowest point of the other's rim, m².
    #[inline(always)]
    fn square_from_axis(&self, i: usize) -> f64 {
        let ((sin, cos), j) = (self.angle(), 1 - i);
        // Of a face parallel to this one, or of a side, the middle touches: the sign is then zero.
        let lowest = cos * self.r[j] * sign_or_zero(sin) - sin * self.h[j] * sign_or_zero(cos);
        let DVec2 { x: across, y: along } = self.in_body(i, self.offset);
        let y = across + OUTWARD[i].copysign(OUTWARD[i] * along) * lowest;
        self.offset.x * self.offset.x + y * y
    }

    /// Returns the distance from the middle of body `i`, along its axis, of the point that touches
    /// its side along `n`, m.
    fn distance_from_middle(&self, i: usize, n: DVec3) -> f64 {
        let DVec2 { x: across, y: along } = self.in_body(1 - i, n);
        let out = self.r[1 - i] * across / (n.x * n.x + across * across).sqrt();
        self.rim_point_from_middle(i, [across, along], out)
    }

    /// Returns the same for a normal with the components `[across, along]` across the other's axis
    /// and along it, whose rim point has the coordinate `out` across that axis.
    #[inline(always)]
    pub(super) fn rim_point_from_middle(&self, i: usize, [across, along]: [f64; 2], out: f64) -> f64 {
        let ((sin, cos), j) = (self.angle(), 1 - i);
        // A normal along the other's axis touches the middle of its face.
        let out = if across.abs() <= ON_EDGE { 0.0 } else { out };
        let height = self.in_body(i, self.offset).y;
        (height - cos * self.h[j] * sign_or_zero(along) + OUTWARD[i] * sin * out).abs()
    }

    /// Returns whether the direction of a line, a face or a side is a local maximum: the point that
    /// touches the feature lies within it.
    pub(super) fn is_local_maximum(&self, from: Direction) -> bool {
        match from.class {
            Class::Line => self.margin_of_line() >= 0.0,
            _ => self.ascent_direction(from).is_none(),
        }
    }

    /// Returns whether the distance of the two surface points equals the gap. Then the direction is
    /// a maximum, and for separated bodies the only one.
    pub(super) fn is_closed(&self, best: Direction) -> bool {
        let distance = match best.class {
            Class::Rims => (self.other_point(0, best.n) - self.point(0, best.n)).length(),
            _ => return self.ascent_direction(best).is_none(),
        };
        distance - best.gap.abs() <= CLOSED * self.least_size()
    }

    /// Returns the tangent direction in which the gap grows from the maximum of a class; `None` if
    /// it is a local maximum over all directions.
    ///
    /// The gap grows if the point that touches the feature lies beyond its edge, in the direction
    /// of that point.
    #[inline]
    pub(super) fn ascent_direction(&self, from: Direction) -> Option<DVec3> {
        let n = from.n;
        let (beyond, edge) = match from.class {
            Class::Rims => return None,
            // Crossing axes have their maxima on the circles; parallel axes may miss each other
            // endways.
            Class::Line => (self.offset.dot(self.axes[0]) * self.axes[0], self.h[0] + self.h[1]),
            Class::Face(i) => {
                let point = self.other_point(i, n);
                let across = point - point.dot(self.axes[i]) * self.axes[i];
                (across, self.r[i])
            }
            Class::Side(i) => (self.other_point(i, n).dot(self.axes[i]) * self.axes[i], self.h[i]),
        };
        // A point on the edge itself, as of two flush bodies, is within the feature.
        let edge = edge * (1.0 + ON_EDGE);
        (beyond.length_squared() > edge * edge).then(|| {
            let away = match from.class {
                Class::Face(i) | Class::Side(i) => OUTWARD[i] * beyond,
                Class::Line | Class::Rims => beyond,
            };
            away.normalize()
        })
    }
}

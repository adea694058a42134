//! Contact patches of bodies with faces and straight lines that are nearly parallel.
//!
//! A patch has points on given features, each with the distance of the two surfaces there along the
//! common normal. The nearest point defines the gap, but it is ill-conditioned: between nearly
//! parallel features a tilt by a rounding error moves it across the patch. The middle of the patch
//! then acts in its place. Every acting point has the gap of the surfaces at that point. If the
//! depth of the nearest point acted in the middle of the patch, the force would have no potential,
//! and stacks would keep swinging.

use glam::DVec3;

use crate::{ContactPoint, Manifold};

/// Angle between two features, rad, up to which they make a patch.
pub(crate) const TILT: f64 = 0.02;

/// Angle, rad, up to which the middle of the patch acts in place of the nearest point.
const HELD: f64 = 1e-3;

/// Angle, rad, from which the nearest point itself acts. Between the two angles the acting point
/// moves continuously.
const FREE: f64 = 5e-3;

/// Width of a patch, relative to the smaller body, from which its points act with their full
/// overlap.
const WIDE: f64 = 0.2;

/// Angle, rad, up to which two features count as exactly parallel.
const LEVEL: f64 = 1e-12;

/// Largest number of points of a patch.
const CORNERS: usize = 4;

/// Points of a patch, relative to the first centre. They are not yet projected on the surfaces.
pub(crate) struct Patch {
    points: [(u32, DVec3); CORNERS],
    len: usize,
    /// Largest angle between the features, rad.
    tilt: f64,
    /// Length over which the features overlap, m.
    width: f64,
    /// Its middle, not yet projected on the surfaces.
    middle: DVec3,
}

impl Patch {
    /// Creates a patch.
    pub fn of(tilt: f64, width: f64, middle: DVec3, points: &[(u32, DVec3)]) -> Self {
        let mut all = [(0, DVec3::ZERO); CORNERS];
        all[..points.len()].copy_from_slice(points);
        Self { points: all, len: points.len(), tilt, width, middle }
    }

    fn points(&self) -> &[(u32, DVec3)] {
        &self.points[..self.len]
    }

    /// Returns the fraction of their overlap with which the points act. It changes continuously,
    /// because a body that rocks about the limit could not come to rest on a patch that appears and
    /// vanishes at once.
    fn share(&self, least_size: f64) -> f64 {
        let level = ((TILT - self.tilt) / (TILT - FREE)).clamp(0.0, 1.0);
        let wide = (self.width / (WIDE * least_size)).clamp(0.0, 1.0);
        level * level * (3.0 - 2.0 * level) * wide * wide * (3.0 - 2.0 * wide)
    }

    /// Adds the points of the patch, and its middle or the nearest point. `surfaces` returns the
    /// heights of both surfaces along the normal at a point. `world` transforms a vector to world
    /// axes.
    pub fn report(
        &self,
        nearest: &ContactPoint,
        least_size: f64,
        surfaces: impl Fn(DVec3) -> [f64; 2],
        world: impl Fn(DVec3) -> DVec3,
        margin: f64,
        manifold: &mut Manifold,
    ) {
        let normal = world(nearest.normal);
        let in_world = |point: ContactPoint| ContactPoint { arm: world(point.arm), normal, ..point };
        let push = |point: ContactPoint, manifold: &mut Manifold| {
            if point.gap <= margin {
                manifold.push(in_world(point));
            }
        };
        let between = |point: DVec3, feature: u32| between(point, feature, surfaces(point), nearest);
        if self.tilt < FREE {
            let share = ((self.tilt - HELD) / (FREE - HELD)).max(0.0);
            let acting = between(self.middle + share * (nearest.arm - self.middle), 0);
            // All points between parallel faces are equally near.
            let arm = if self.tilt <= LEVEL { acting.arm } else { nearest.arm };
            manifold.set_nearest(in_world(ContactPoint { arm, ..*nearest }));
            push(acting, manifold);
        } else {
            push(*nearest, manifold);
        }
        let share = self.share(least_size);
        for &(feature, point) in self.points() {
            let point = between(point, feature);
            push(ContactPoint { gap: if point.gap < 0.0 { share * point.gap } else { point.gap }, ..point }, manifold);
        }
    }
}

/// Largest number of Newton steps for the middle. It needs 3 to 6.
const MIDDLE_STEPS: u32 = 30;

/// Returns a middle of the common part of the intervals `[-a, a]` and `[c - b, c + b]`: the point
/// where the product of the distances to all four ends is largest. Unlike the midpoint, it is a
/// smooth function of the intervals.
pub(crate) fn middle(a: f64, b: f64, c: f64) -> f64 {
    let (mut low, mut high) = ((-a).max(c - b), a.min(c + b));
    let mut t = 0.5 * (low + high);
    for _ in 0..MIDDLE_STEPS {
        let u = t - c;
        let (p, q) = ((a - t) * (a + t), (b - u) * (b + u));
        // Half the derivative of the logarithm times both products, and the derivative of that.
        let slope = -t * q - u * p;
        if slope > 0.0 {
            low = t
        } else {
            high = t
        }
        let second_derivative = 4.0 * t * u - p - q;
        let newton = t - slope / second_derivative;
        let next = if second_derivative < 0.0 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if next == t || slope == 0.0 {
            break;
        }
        t = next;
    }
    t
}

/// Returns the contact point midway between the surfaces above and below `point`.
fn between(point: DVec3, feature: u32, [low, high]: [f64; 2], nearest: &ContactPoint) -> ContactPoint {
    let n = nearest.normal;
    // No point is deeper than the supporting planes. A patch may extend beyond its features by a
    // rounding error.
    let gap = (high - low).max(nearest.gap);
    ContactPoint { arm: point + (0.5 * (low + high) - point.dot(n)) * n, gap, feature, ..*nearest }
}

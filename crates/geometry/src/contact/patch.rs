//! The contact points of two bodies with faces and straight lines: the nearest points, and more of them where such features are nearly
//! parallel.
//!
//! A patch has points that name their features, each with the distance of the two surfaces there along the common normal.
//! The nearest point tells the gap, but wanders with a tilt of a rounding: between features that are more parallel than that
//! the middle of the patch acts in its place. Every point that acts has the gap that the surfaces have there. The depth of the
//! nearest point in the middle of a patch would be a force that no energy belongs to, and keeps stacks swinging.

use glam::DVec3;

use crate::{ContactPoint, Manifold};

/// Angle between two features, rad, up to which they make a patch.
pub(crate) const TILT: f64 = 0.02;

/// Angles, rad, between which the nearest point moves from the middle of the patch to where it is.
const HELD: f64 = 1e-3;
const FREE: f64 = 5e-3;

/// Width of a patch, in the least size of the two, from which its points act in full.
const WIDE: f64 = 0.2;

/// Angle, rad, up to which two features are parallel.
const LEVEL: f64 = 1e-12;

/// Most points of a patch.
const CORNERS: usize = 4;

/// Points of a patch, from the first centre, on neither surface yet.
pub(crate) struct Patch {
    points: [(u32, DVec3); CORNERS],
    len: usize,
    /// Largest angle between the features, rad.
    tilt: f64,
    /// How far they lie on each other, m.
    width: f64,
    /// Its middle, on neither surface yet.
    middle: DVec3,
}

impl Patch {
    pub fn of(tilt: f64, width: f64, middle: DVec3, points: &[(u32, DVec3)]) -> Self {
        let mut all = [(0, DVec3::ZERO); CORNERS];
        all[..points.len()].copy_from_slice(points);
        Self { points: all, len: points.len(), tilt, width, middle }
    }

    fn points(&self) -> &[(u32, DVec3)] {
        &self.points[..self.len]
    }

    /// Part of their overlap with which the points act. A patch that came or went at once would leave a body that rocks about the limit
    /// no place to rest.
    fn share(&self, least_size: f64) -> f64 {
        let level = ((TILT - self.tilt) / (TILT - FREE)).clamp(0.0, 1.0);
        let wide = (self.width / (WIDE * least_size)).clamp(0.0, 1.0);
        level * level * (3.0 - 2.0 * level) * wide * wide * (3.0 - 2.0 * wide)
    }

    /// Adds its points, and its middle or the nearest point, in any axes. `surfaces` are the heights along the normal of both bodies'
    /// surfaces over and under a point; `world` turns a vector into world axes.
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
            // Between parallel faces all points are as near.
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

/// Steps of Newton's method for the middle: it takes 3 to 6.
const MIDDLE_STEPS: u32 = 30;

/// Middle of the part that `[-a, a]` and `[c - b, c + b]` share: where the product of the distances to all four ends is
/// largest. Half way between the ends of the part it would jump where one end takes over from another.
pub(crate) fn middle(a: f64, b: f64, c: f64) -> f64 {
    let (mut low, mut high) = ((-a).max(c - b), a.min(c + b));
    let mut t = 0.5 * (low + high);
    for _ in 0..MIDDLE_STEPS {
        let u = t - c;
        let (p, q) = ((a - t) * (a + t), (b - u) * (b + u));
        // Half the logarithm's derivative times both products, and the derivative of that.
        let slope = -t * q - u * p;
        if slope > 0.0 {
            low = t
        } else {
            high = t
        }
        let bend = 4.0 * t * u - p - q;
        let newton = t - slope / bend;
        let next = if bend < 0.0 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if next == t || slope == 0.0 {
            break;
        }
        t = next;
    }
    t
}

/// The point between the surfaces over and under `point`.
fn between(point: DVec3, feature: u32, [low, high]: [f64; 2], nearest: &ContactPoint) -> ContactPoint {
    let n = nearest.normal;
    // No point is deeper than the supporting planes: a patch may reach a rounding beyond its features.
    let gap = (high - low).max(nearest.gap);
    ContactPoint { arm: point + (0.5 * (low + high) - point.dot(n)) * n, gap, feature, ..*nearest }
}

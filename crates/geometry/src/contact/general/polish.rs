//! Newton's method for the minimum of the support function `h(n)` on the unit sphere, from support points alone.
//!
//! The gradient of `h` on the sphere is the part `z_t` of the support point that is not along `n`. Its Hessian is
//! `A - h`, where `A = dz/dn`, the sum of the two surfaces' curvature radii, comes from two support points beside
//! `n`. A trust region guards the step; where the surface has edges or corners the iteration gives up.

use glam::{DMat2, DVec2, DVec3};

use super::Contact;
use super::difference::{Difference, Vertex};
use crate::numeric::math::tangent_frame;

/// Step of the difference that gives the Hessian, rad: its error only slows the convergence.
const DIFFERENCE_STEP: f64 = 1e-6;

/// Curvature radius above which a difference has jumped over an edge, units: an ellipsoid of aspect 50 has 2,500.
pub(super) const LARGEST_RADIUS: f64 = 1e4;

/// Largest and first step, rad.
const FIRST_RADIUS: f64 = 0.3;

/// A trust region that had to shrink to this, rad, met an edge: smooth bodies of aspect 100 turn over 1e-4.
const LAST_RADIUS: f64 = 1e-7;

/// Most steps: from a fair start a smooth pair takes 3 to 8.
const MAX_STEPS: usize = 40;

/// Newton step at which the direction is found, rad: a few roundings of a unit vector, times the condition of the
/// Hessian that the size of the step already contains.
const FOUND: f64 = 1e-13;

/// Tangential part of `z` that is rounding of a sum of terms of size 1, units.
const ROUNDING: f64 = 1e-15;

/// Rounding of the Hessian, units: that of the support points over the step of the difference, tenfold. Below it a
/// surface is as round as the sphere about the origin, as for concentric balls, and every direction is as good.
const CURVATURE_NOISE: f64 = 1e-9;

/// Roundings of the slope at which a refused step means that nothing better can be had.
const LAST_DIGITS: f64 = 100.0;

/// A step that decreases `h` by less than this part of the prediction is refused; one above the second is trusted.
const REFUSED: f64 = 0.1;
const TRUSTED: f64 = 0.7;

/// How the iteration ended.
pub(super) enum Polished {
    /// `h` fell below the caller's floor: the pair is beyond the margin.
    Below,
    /// A local minimum, to rounding.
    Minimum(Contact),
    /// The surfaces are not smooth here.
    Rough,
    /// A corner on a corner: the bodies are polytopes here, which GJK and EPA solve exactly.
    Corner,
}

/// A direction with its support point and its tangential part in the frame (t, u).
struct At {
    n: DVec3,
    vertex: Vertex,
    h: f64,
    t: DVec3,
    u: DVec3,
    slope: DVec2,
}

impl At {
    fn new(difference: &Difference, n: DVec3) -> Self {
        let vertex = difference.support(n);
        let (t, u) = tangent_frame(n);
        Self { n, vertex, h: n.dot(vertex.z), t, u, slope: DVec2::new(t.dot(vertex.z), u.dot(vertex.z)) }
    }

    /// `dz/dn` on the tangent plane, for body a alone and for both.
    fn radii(&self, difference: &Difference) -> (DMat2, DMat2) {
        let along = |axis: DVec3| {
            let beside = difference.support(self.n + DIFFERENCE_STEP * axis);
            let flat = |d: DVec3| DVec2::new(self.t.dot(d), self.u.dot(d)) / DIFFERENCE_STEP;
            (flat(beside.a - self.vertex.a), flat(beside.z - self.vertex.z))
        };
        let (at, zt) = along(self.t);
        let (au, zu) = along(self.u);
        (symmetric(at, au), symmetric(zt, zu))
    }
}

fn symmetric(x: DVec2, y: DVec2) -> DMat2 {
    let off = 0.5 * (x.y + y.x);
    DMat2::from_cols(DVec2::new(x.x, off), DVec2::new(off, y.y))
}

/// Descends from `start`, and stops early once `h` is below `floor` (units).
pub(super) fn polish(difference: &Difference, start: DVec3, floor: f64, iterations: &mut u32) -> Polished {
    let mut at = At::new(difference, start);
    let mut radius = FIRST_RADIUS;
    for _ in 0..MAX_STEPS {
        *iterations += 1;
        let (radii_a, radii) = at.radii(difference);
        if radii == DMat2::ZERO {
            return Polished::Corner;
        }
        if radii.x_axis.length().max(radii.y_axis.length()) > LARGEST_RADIUS {
            return Polished::Rough;
        }
        if at.h < floor {
            return Polished::Below;
        }
        let hessian = radii - DMat2::from_diagonal(DVec2::splat(at.h));
        loop {
            let (step, convex) = bounded_step(hessian, at.slope, radius);
            let found = step.length() <= FOUND || at.slope.length() <= ROUNDING;
            if convex && found {
                let step = if step.length() <= FOUND { step } else { DVec2::ZERO };
                return Polished::Minimum(contact(&at, step, radii_a, radii));
            }
            let n = (at.n + step.x * at.t + step.y * at.u).normalize();
            let next = At::new(difference, n);
            let predicted = -at.slope.dot(step) - 0.5 * step.dot(hessian * step);
            let gain = at.h - next.h;
            let rounding = ROUNDING * at.h.abs().max(1.0);
            let gradual = gain.abs() <= rounding && next.slope.length() < 0.5 * at.slope.length();
            if gain >= REFUSED * predicted && gain > 0.0 || gradual {
                if gain >= TRUSTED * predicted {
                    radius = FIRST_RADIUS.min(2.0 * radius);
                }
                at = next;
                break;
            }
            // At the last digits the slope can no longer shrink: what is left of it is the rounding of `n`.
            let last_digits =
                at.slope.length() <= LAST_DIGITS * rounding * (1.0 + radii.col(0).length() + radii.col(1).length());
            if convex && last_digits {
                let step = if step.length() <= FOUND.sqrt() { step } else { DVec2::ZERO };
                return Polished::Minimum(contact(&at, step, radii_a, radii));
            }
            radius = 0.25 * radius.min(step.length());
            if radius < LAST_RADIUS {
                return Polished::Rough;
            }
        }
    }
    Polished::Rough
}

/// Newton's step of length at most `radius`, downhill also where the Hessian is not positive; and whether it is.
pub(super) fn bounded_step(hessian: DMat2, slope: DVec2, radius: f64) -> (DVec2, bool) {
    let (p, q, r) = (hessian.x_axis.x, hessian.x_axis.y, hessian.y_axis.y);
    let angle = 0.5 * (2.0 * q).atan2(p - r);
    let (sin, cos) = angle.sin_cos();
    let axes = [DVec2::new(cos, sin), DVec2::new(-sin, cos)];
    let mut convex = true;
    let mut step = DVec2::ZERO;
    for axis in axes {
        let curvature = axis.dot(hessian * axis);
        let along = axis.dot(slope);
        // Along a flat or falling axis go to the edge of the region, downhill.
        if curvature < -CURVATURE_NOISE {
            convex = false;
            step -= axis * radius.copysign(along);
        } else if along != 0.0 {
            step -= axis * (along / curvature.max(CURVATURE_NOISE).max(along.abs() / radius));
        }
    }
    (step.clamp_length_max(radius), convex)
}

/// The contact at a minimum, after the last step: too small for another support point, it still moves the surface
/// points by the curvature radii, which may be large, so that they come to share the normal.
fn contact(at: &At, step: DVec2, radii_a: DMat2, radii: DMat2) -> Contact {
    let world = |v: DVec2| v.x * at.t + v.y * at.u;
    let normal = (at.n + world(step)).normalize();
    let a = at.vertex.a + world(radii_a * step);
    let left = at.slope + radii * step - at.h * step;
    Contact { normal, depth: at.h, middle: a - 0.5 * at.h * normal, residual: left.length(), slack: 0.0 }
}

//! Newton's method for a minimum of the support function `h(n)` on the unit sphere, from support
//! points alone.
//!
//! The gradient of `h` on the sphere is the component `z_t` of the support point perpendicular to
//! `n`. The Hessian is `A - h`, where `A = dz/dn` is the sum of the matrices of radii of curvature
//! of both surfaces. It is computed from two support points near `n`. A trust region limits the
//! step. The iteration stops where the surface has edges or corners.

use glam::{DMat2, DVec2, DVec3};

use super::Contact;
use super::difference::{Difference, Vertex};
use crate::numeric::math::tangent_frame;

/// Step of the finite difference for the Hessian, rad. Its error only slows the convergence.
const DIFFERENCE_STEP: f64 = 1e-6;

/// Radius of curvature, in units, above which a finite difference has crossed an edge. An ellipsoid
/// of aspect ratio 50 has 2,500.
pub(super) const LARGEST_RADIUS: f64 = 1e4;

/// Initial and largest radius of the trust region, rad.
const FIRST_RADIUS: f64 = 0.3;

/// Radius of the trust region, rad, that indicates an edge. The normal of smooth bodies of aspect
/// ratio 100 varies over 1e-4 rad.
const LAST_RADIUS: f64 = 1e-7;

/// Largest number of steps. A smooth pair with a fair start needs 3 to 8.
const MAX_STEPS: usize = 40;

/// Length of the Newton step, rad, at which the search ends. It corresponds to a few rounding
/// errors of a unit vector; the length of the step already contains the condition number of the
/// Hessian.
const FOUND: f64 = 1e-13;

/// Tangential component of `z`, in units, that is the rounding error of a sum of terms of order 1.
const ROUNDING: f64 = 1e-15;

/// Error of the Hessian, in units: ten times the rounding error of the support points divided by
/// the step of the finite difference. A smaller Hessian counts as zero, as for concentric balls,
/// and all directions are equivalent.
const CURVATURE_NOISE: f64 = 1e-9;

/// Gradient, in rounding errors, below which a rejected step means that no better direction exists.
const LAST_DIGITS: f64 = 100.0;

/// Fraction of the predicted decrease below which a step is rejected.
const REFUSED: f64 = 0.1;

/// Fraction of the predicted decrease above which the trust region grows.
const TRUSTED: f64 = 0.7;

/// The result of the iteration.
pub(super) enum Polished {
    /// `h` is below the bound of the caller: the gap exceeds the margin.
    Below,
    /// A local minimum with rounding accuracy.
    Minimum(Contact),
    /// The surfaces are not smooth here.
    Rough,
    /// A corner meets a corner. The bodies are polytopes here, which GJK and EPA solve exactly.
    Corner,
}

/// A direction with its support point, whose tangential component is given in the frame (t, u).
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

    /// Returns `dz/dn` on the tangent plane, for body a alone and for both bodies.
    fn radii(&self, difference: &Difference) -> (DMat2, DMat2) {
        let along = |axis: DVec3| {
            // The support point does not depend on the length of its direction, so that this sum
            // needs no normalisation.
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

/// Minimises from `start`. The search stops early once `h` is less than `floor` (units).
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
        // The term `-h` is the curvature of the unit sphere on which `n` moves.
        let hessian = radii - DMat2::from_diagonal(DVec2::splat(at.h));
        loop {
            let (step, convex) = bounded_step(hessian, at.slope, radius);
            // Either criterion suffices: where the Hessian nearly vanishes, the step is long
            // although the gradient is already a rounding error.
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
            // Close to the minimum the decrease of `h` is below rounding, while the gradient still
            // decreases.
            let gradual = gain.abs() <= rounding && next.slope.length() < 0.5 * at.slope.length();
            if gain >= REFUSED * predicted && gain > 0.0 || gradual {
                if gain >= TRUSTED * predicted {
                    radius = FIRST_RADIUS.min(2.0 * radius);
                }
                at = next;
                break;
            }
            // The remaining gradient is the rounding error of `n` and cannot decrease further.
            let last_digits =
                at.slope.length() <= LAST_DIGITS * rounding * (1.0 + radii.col(0).length() + radii.col(1).length());
            if convex && last_digits {
                // A longer step comes from an inaccurate Hessian and would worsen the points.
                let step = if step.length() <= FOUND.sqrt() { step } else { DVec2::ZERO };
                return Polished::Minimum(contact(&at, step, radii_a, radii));
            }
            // The step can be much shorter than the region, so that shrinking the region alone
            // would repeat it.
            radius = 0.25 * radius.min(step.length());
            if radius < LAST_RADIUS {
                return Polished::Rough;
            }
        }
    }
    Polished::Rough
}

/// Returns a descent step of length at most `radius`, and whether the Hessian is positive definite.
/// The step is Newton's step if it fits.
pub(super) fn bounded_step(hessian: DMat2, slope: DVec2, radius: f64) -> (DVec2, bool) {
    let (p, q, r) = (hessian.x_axis.x, hessian.x_axis.y, hessian.y_axis.y);
    let angle = 0.5 * (2.0 * q).atan2(p - r);
    // The Hessian is diagonal in these axes, so that each axis can be treated by the sign of its
    // own curvature.
    let (sin, cos) = angle.sin_cos();
    let axes = [DVec2::new(cos, sin), DVec2::new(-sin, cos)];
    let mut convex = true;
    let mut step = DVec2::ZERO;
    for axis in axes {
        let curvature = axis.dot(hessian * axis);
        let along = axis.dot(slope);
        // Along an axis without positive curvature go downhill to the boundary of the region.
        if curvature < -CURVATURE_NOISE {
            convex = false;
            step -= axis * radius.copysign(along);
        } else if along != 0.0 {
            step -= axis * (along / curvature.max(CURVATURE_NOISE).max(along.abs() / radius));
        }
    }
    (step.clamp_length_max(radius), convex)
}

/// Returns the contact at a minimum after the final step. The step is too small for another support
/// point, but it moves the surface points by the radii of curvature, which may be large.
fn contact(at: &At, step: DVec2, radii_a: DMat2, radii: DMat2) -> Contact {
    let world = |v: DVec2| v.x * at.t + v.y * at.u;
    let normal = (at.n + world(step)).normalize();
    let a = at.vertex.a + world(radii_a * step);
    let left = at.slope + radii * step - at.h * step;
    Contact { normal, depth: at.h, middle: a - 0.5 * at.h * normal, residual: left.length(), slack: 0.0 }
}

//! Newton's method with a trust region on the sphere of directions.
//!
//! It minimises first the growth factor `H(n) / (n.s)`, which has no false minima, and then the
//! depth `H(n) - n.s`. Here `H` is the sum of the support functions and `s` the vector between the
//! centres.

use glam::{DVec2, DVec3};

use super::{PairSupport, SmoothPair, Symmetric2};
use crate::numeric::math::{tangent_frame, to_unit_length};

/// Initial radius of the trust region, rad.
const FIRST_RADIUS: f64 = 0.5;

/// Largest radius of the trust region, rad: the quadratic model has no meaning beyond.
const LARGEST_RADIUS: f64 = 1.0;

/// Radius of the trust region, rad, below which only rounding errors are left to resolve.
const LEAST_RADIUS: f64 = 1e-16;

/// Largest number of steps. Smooth pairs need 3 to 5, the worst of a million about 30.
const MAX_STEPS: u32 = 60;

/// Predicted decrease of `H - psi n.s`, relative to H, at which the search switches from the growth
/// factor `psi` to the depth.
const GROWN: f64 = 1e-4;

/// Predicted decrease of the depth, relative to H, at which the search ends. It is a tenth of the
/// rounding error of the depth.
const FOUND: f64 = 1e-14;

/// Length of a final step that is applied to first order, rad. Its square is a rounding error.
const LAST_STEP: f64 = 3e-8;

/// Longest step, rad, after which the radii of curvature are used once more (chord method). Warm
/// starts are closer than this.
const CHORD_STEP: f64 = 1e-4;

/// Admissible error of a direction that the chord method finds, rad. Points move by this error
/// times the radius of curvature, so that it is a hundred times smaller than the decrease accuracy.
const CHORD_ERROR: f64 = 1e-14;

/// Predicted decrease, relative to H, below which two depths cannot be compared because of
/// rounding. The residuals are compared instead.
const NOISE: f64 = 1e-13;

/// Residual, relative to H, that is a rounding error.
const ROUNDING: f64 = 1e-15;

/// Fraction of the predicted decrease below which the surface normals are tried as directions as
/// well.
const POOR: f64 = 0.3;

/// Fraction of the predicted decrease below which a step is rejected.
const REFUSED: f64 = 1e-4;

/// Fraction of the predicted decrease below which the trust region shrinks.
const SHRINK: f64 = 0.2;

/// Fraction of the predicted decrease above which the trust region grows.
const GROW: f64 = 0.7;

/// Predicted decrease, relative to H, at which a search that cannot proceed still counts as
/// converged.
const STALLED: f64 = 1e-12;

/// The function that is minimised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The factor by which both bodies must grow until they touch. It has no false minima.
    Growth,
    /// The penetration depth, which is minus the gap.
    Gap,
}

/// A direction that is normal to both surfaces, with its contact.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub normal: DVec3,
    /// Minus the gap, m.
    pub depth: f64,
    /// Vector from the centre of a to the middle of the two surface points, m.
    pub arm: DVec3,
    pub curvature: f64,
    /// The smaller eigenvalue of the sum of the matrices of radii of curvature, m.
    pub least_radius: f64,
}

/// The result of a search.
#[derive(Clone, Copy)]
pub(crate) enum Outcome {
    /// The gap exceeds the margin. This direction proves it.
    Beyond(DVec3),
    Found(Found),
    /// The search did not converge.
    Lost,
}

/// The support of both bodies along one direction.
#[derive(Clone, Copy)]
struct At<T> {
    n: DVec3,
    supports: PairSupport<T>,
}

impl<T> At<T> {
    /// Returns the sum of the support functions, m.
    #[inline]
    fn h(&self) -> f64 {
        self.supports.h
    }

    /// Returns the sum of the support points, m.
    #[inline]
    fn sum(&self) -> DVec3 {
        self.supports.on_a + self.supports.on_b
    }
}

/// A basis of the tangent plane of one direction.
#[derive(Clone, Copy)]
struct Plane {
    t: DVec3,
    u: DVec3,
}

impl Plane {
    #[inline]
    fn new(n: DVec3) -> Self {
        let (t, u) = tangent_frame(n);
        Self { t, u }
    }

    #[inline]
    fn project(&self, v: DVec3) -> DVec2 {
        DVec2::new(self.t.dot(v), self.u.dot(v))
    }

    #[inline]
    fn lift(&self, v: DVec2) -> DVec3 {
        v.x * self.t + v.y * self.u
    }
}

/// The radii of curvature in the tangent plane of one direction, m.
struct Tangents {
    plane: Plane,
    each: [Symmetric2; 2],
    radii: Symmetric2,
}

impl Tangents {
    #[inline]
    fn new<T: SmoothPair>(two: &T, at: &At<T::Trace>, plane: Plane) -> Self {
        let each = two.radii(&at.supports, plane.t, plane.u);
        Self { plane, each, radii: each[0].plus(each[1]) }
    }

    /// Returns the contact after a small final step from `at`, to first order.
    #[inline]
    fn contact_after<T: SmoothPair>(&self, at: &At<T::Trace>, depth: f64, step: DVec2, curvature: f64) -> Outcome {
        let normal = to_unit(at.n + self.plane.lift(step));
        let on_a = at.supports.on_a + self.plane.lift(self.each[0].times(step));
        // It is used for bodies with edges only.
        let least_radius = if T::HAVE_EDGES { self.radii.least_eigenvalue() } else { f64::INFINITY };
        Outcome::Found(Found { normal, depth, arm: on_a - 0.5 * depth * normal, curvature, least_radius })
    }
}

/// Minimises from the unit vector `start`. In the growth phase `start` must point from a to b. Gaps
/// beyond `margin` (m) end the search.
pub(crate) fn minimise<T: SmoothPair>(
    two: &T,
    offset: DVec3,
    start: DVec3,
    mut phase: Phase,
    margin: f64,
    iterations: &mut u32,
) -> Outcome {
    let evaluate = |n: DVec3| At { n, supports: two.evaluate(n) };
    let mut at = evaluate(start);
    let mut radius = FIRST_RADIUS;
    for _ in 0..MAX_STEPS {
        let along = at.n.dot(offset);
        // n.s - H(n) is a lower bound of the gap, so that this direction proves the separation.
        if along - at.h() > margin {
            return Outcome::Beyond(at.n);
        }
        // The bodies are separated along n. The gap of separated bodies has no false minima.
        if along > at.h() {
            phase = Phase::Gap;
        }
        let plane = Plane::new(at.n);
        // Tangential distance of the two surface points: zero at a common normal.
        let rest = plane.project(at.sum() - offset);
        let is_exact = rest.length_squared() <= (ROUNDING * at.h()) * (ROUNDING * at.h());
        // A body with edges needs the radii of curvature also here, to judge other minima.
        if is_exact && phase == Phase::Gap && !T::HAVE_EDGES {
            return contact_here(two, &at, at.h() - along);
        }
        let here = Tangents::new(two, &at, plane);
        // Gradient and Hessian in the tangent plane. On the unit sphere the Hessian of the depth is
        // that in the plane minus the depth itself.
        let model = |phase: Phase| match phase {
            Phase::Growth => (plane.project(at.sum() - at.h() / along * offset), here.radii),
            Phase::Gap => (rest, here.radii.shifted(along - at.h())),
        };
        let (mut slope, mut hessian) = model(phase);
        let mut newton = hessian.newton_step(slope);
        let predicted_decrease =
            |slope: DVec2, step: Option<DVec2>| step.map_or(f64::INFINITY, |step| -0.5 * slope.dot(step));
        // The growth factor has its minimum in another direction than the depth. Once its predicted
        // decrease is small, the minimum of the depth is near.
        if phase == Phase::Growth && predicted_decrease(slope, newton) < GROWN * at.h() {
            phase = Phase::Gap;
            (slope, hessian) = model(phase);
            newton = hessian.newton_step(slope);
        }
        let decrease = predicted_decrease(slope, newton);
        // The last step is applied to first order. Its decrease is below rounding, except on a flat
        // part.
        let found = |step: DVec2| {
            let depth = at.h() - along - decrease.min(FOUND * at.h());
            here.contact_after::<T>(&at, depth, step, two.curvature(here.each))
        };
        if let Some(step) = newton
            && phase == Phase::Gap
        {
            let is_last = step.length_squared() <= LAST_STEP * LAST_STEP;
            if is_last && decrease <= FOUND * at.h() {
                return found(step);
            }
            // The residual is a rounding error although the step is long: the surface is flat here.
            if is_exact {
                return found(DVec2::ZERO);
            }
        }
        *iterations += 1;
        // The function that decreases in the present phase.
        let merit = |at: &At<T::Trace>| {
            let along = at.n.dot(offset);
            match phase {
                Phase::Gap => at.h() - along,
                Phase::Growth if along > 0.0 => at.h() / along,
                Phase::Growth => f64::INFINITY,
            }
        };
        let now = merit(&at);
        // Converts a change of the growth factor to a length, so that both phases use the same
        // bounds.
        let unit = if phase == Phase::Growth { along } else { 1.0 };
        loop {
            // Newton's step if it fits into the trust region, else the minimum of the model on its
            // boundary.
            let step = match newton {
                Some(step) if step.length_squared() <= radius * radius => step,
                _ => hessian.bounded_step(slope, radius),
            };
            let length = step.length();
            let predicted = -slope.dot(step) - 0.5 * step.dot(hessian.times(step));
            let mut next = evaluate(to_unit(at.n + plane.lift(step)));
            if phase == Phase::Gap && length <= CHORD_STEP && newton == Some(step) {
                // Chord step with the radii of the previous direction. Its relative error is the
                // length of the previous step.
                let depth = next.h() - next.n.dot(offset);
                let rest = plane.project(next.sum() - offset - depth * next.n);
                let second = hessian.newton_step(rest).unwrap_or(step);
                // On a flat surface every step is short, so that the decrease must be
                // small, too.
                let decrease = -0.5 * rest.dot(second);
                if second.length_squared() <= CHORD_ERROR * length && decrease <= FOUND * next.h() {
                    let curvature = two.curvature_at(&next.supports, next.n);
                    return here.contact_after::<T>(&next, depth - decrease, second, curvature);
                }
            }
            let mut gain = (now - merit(&next)) * unit;
            // Rounding hides the decrease: accept the step if it halves the residual.
            if predicted.abs() <= NOISE * at.h() {
                let rest = next.sum() - offset;
                let rest = rest - next.n.dot(rest) * next.n;
                if phase == Phase::Gap && rest.length_squared() < 0.25 * slope.length_squared() {
                    at = next;
                    break;
                }
                return if newton.is_some() { found(step.clamp_length_max(LAST_STEP)) } else { Outcome::Lost };
            }
            // Near an edge the quadratic model is poor. The normals at the predicted surface points
            // are then better directions.
            if gain < POOR * predicted {
                let shift = |radii: Symmetric2, point: DVec3| point + plane.lift(radii.times(step));
                let [radii_a, radii_b] = here.each;
                let normals = two.normals_at([shift(radii_a, at.supports.on_a), shift(radii_b, at.supports.on_b)]);
                for n in normals.into_iter().flatten() {
                    let other = evaluate(n);
                    let its_gain = (now - merit(&other)) * unit;
                    if its_gain > gain {
                        (next, gain) = (other, its_gain);
                    }
                }
            }
            // Accepted. The region follows the quality of the quadratic model.
            if gain > REFUSED * predicted && gain > 0.0 {
                if gain > GROW * predicted {
                    radius = (2.0 * radius).max(2.0 * length).min(LARGEST_RADIUS);
                } else if gain < SHRINK * predicted {
                    radius = 0.5 * radius.min(length);
                }
                at = next;
                break;
            }
            // Rejected: try a shorter step from the same direction.
            radius = 0.3 * radius.min(length);
            if radius < LEAST_RADIUS {
                // The growth factor cannot decrease further. Its minimum is a start for the depth.
                if phase == Phase::Growth {
                    phase = Phase::Gap;
                    radius = FIRST_RADIUS;
                    break;
                }
                let is_near = decrease <= STALLED * at.h();
                return if is_near { found(DVec2::ZERO) } else { Outcome::Lost };
            }
        }
    }
    Outcome::Lost
}

/// Returns the contact at a direction whose residual is a rounding error, for bodies without edges.
#[inline]
fn contact_here<T: SmoothPair>(two: &T, at: &At<T::Trace>, depth: f64) -> Outcome {
    let arm = at.supports.on_a - 0.5 * depth * at.n;
    let curvature = two.curvature_at(&at.supports, at.n);
    Outcome::Found(Found { normal: at.n, depth, arm, curvature, least_radius: f64::INFINITY })
}

#[inline]
fn to_unit(v: DVec3) -> DVec3 {
    v * to_unit_length(v.length_squared())
}

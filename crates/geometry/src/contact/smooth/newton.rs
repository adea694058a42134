//! Newton's method with a trust region on the sphere of directions, first for the growth factor, then for the gap.

use glam::{DVec2, DVec3};

use super::{Reaches, Symmetric2, Two};
use crate::numeric::math::{tangent_frame, to_unit_length};

/// First radius of the trust region, rad, and the largest.
const FIRST_RADIUS: f64 = 0.5;
const LARGEST_RADIUS: f64 = 1.0;

/// A region smaller than this, rad, has met rounding.
const LEAST_RADIUS: f64 = 1e-16;

/// Most steps: smooth pairs take 3 to 5, the worst of a million about 30.
const MAX_STEPS: u32 = 60;

/// Predicted decrease of `H - psi n.s`, in units of H, at which the minimum of the growth factor is near enough.
const GROWN: f64 = 1e-4;

/// Predicted decrease of the depth at which the depth is found, in units of H: a tenth of its rounding.
const FOUND: f64 = 1e-14;

/// Step with which a found direction may be corrected to first order, rad: its square is rounding.
const LAST_STEP: f64 = 3e-8;

/// Longest step after which the curvature radii of the step before may serve once more, rad: warm starts are nearer.
const CHORD_STEP: f64 = 1e-4;

/// Error of a direction found with the curvature radii of the step before, rad. Points move by the curvature radius times that:
/// a hundredth of what is promised leaves room for flat places.
const CHORD_ERROR: f64 = 1e-14;

/// Predicted decrease below which a comparison of depths says nothing, in units of H: the residuals are compared.
const NOISE: f64 = 1e-13;

/// Residual that is rounding, in units of H: a step from it would be noise.
const ROUNDING: f64 = 1e-15;

/// Part of the promised decrease below which the normals of the surfaces are tried too.
const POOR: f64 = 0.3;

/// Parts of the promised decrease: below the first a step is refused, below the second the region shrinks, above the
/// third it grows.
const REFUSED: f64 = 1e-4;
const SHRINK: f64 = 0.2;
const GROW: f64 = 0.7;

/// Predicted decrease with which a search that cannot go on still counts as ended, in units of H.
const STALLED: f64 = 1e-12;

/// What is minimised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The factor by which both bodies must grow to touch: no false minima.
    Growth,
    /// The depth.
    Gap,
}

/// A common normal.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub normal: DVec3,
    /// Minus the gap, m.
    pub depth: f64,
    /// From the centre of a to the middle of the surface points, m.
    pub arm: DVec3,
    pub curvature: f64,
    /// The smaller of the two curvature radii of the bodies together, m.
    pub least_radius: f64,
}

/// How a search ended.
#[derive(Clone, Copy)]
pub(crate) enum Outcome {
    /// The gap is larger than the margin, along this direction already.
    Beyond(DVec3),
    Found(Found),
    /// Neither.
    Lost,
}

/// Both bodies along one direction.
#[derive(Clone, Copy)]
struct At<T> {
    n: DVec3,
    reaches: Reaches<T>,
}

impl<T> At<T> {
    /// Sum of the support functions, m.
    #[inline]
    fn h(&self) -> f64 {
        self.reaches.h
    }

    /// Sum of the support points, m.
    #[inline]
    fn sum(&self) -> DVec3 {
        self.reaches.on_a + self.reaches.on_b
    }
}

/// The tangent plane along one direction.
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
    fn flat(&self, v: DVec3) -> DVec2 {
        DVec2::new(self.t.dot(v), self.u.dot(v))
    }

    #[inline]
    fn lift(&self, v: DVec2) -> DVec3 {
        v.x * self.t + v.y * self.u
    }
}

/// The curvature radii in the tangent plane along one direction, m.
struct Tangents {
    plane: Plane,
    each: [Symmetric2; 2],
    radii: Symmetric2,
}

impl Tangents {
    #[inline]
    fn new<T: Two>(two: &T, at: &At<T::Trace>, plane: Plane) -> Self {
        let each = two.radii(&at.reaches, plane.t, plane.u);
        Self { plane, each, radii: each[0].plus(each[1]) }
    }

    /// The common normal a small step from `at`, to first order.
    #[inline]
    fn land<T: Two>(&self, at: &At<T::Trace>, depth: f64, step: DVec2, curvature: f64) -> Outcome {
        let normal = to_unit(at.n + self.plane.lift(step));
        let on_a = at.reaches.on_a + self.plane.lift(self.each[0].times(step));
        // Nobody asks for it where there are no edges.
        let least_radius = if T::HAVE_EDGES { self.radii.least_eigenvalue() } else { f64::INFINITY };
        Outcome::Found(Found { normal, depth, arm: on_a - 0.5 * depth * normal, curvature, least_radius })
    }
}

/// Descends from the unit vector `start`. In the phase of growth, `start` must point from a to b.
pub(crate) fn minimise<T: Two>(
    two: &T,
    offset: DVec3,
    start: DVec3,
    mut phase: Phase,
    margin: f64,
    iterations: &mut u32,
) -> Outcome {
    let reach = |n: DVec3| At { n, reaches: two.reach(n) };
    let mut at = reach(start);
    let mut radius = FIRST_RADIUS;
    for _ in 0..MAX_STEPS {
        let along = at.n.dot(offset);
        if along - at.h() > margin {
            return Outcome::Beyond(at.n);
        }
        if along > at.h() {
            phase = Phase::Gap;
        }
        let plane = Plane::new(at.n);
        let rest = plane.flat(at.sum() - offset);
        let is_exact = rest.length_squared() <= (ROUNDING * at.h()) * (ROUNDING * at.h());
        if is_exact && phase == Phase::Gap && !T::HAVE_EDGES {
            return stay(two, &at, at.h() - along);
        }
        let here = Tangents::new(two, &at, plane);
        let model = |phase: Phase| match phase {
            Phase::Growth => (plane.flat(at.sum() - at.h() / along * offset), here.radii),
            Phase::Gap => (rest, here.radii.shifted(along - at.h())),
        };
        let (mut slope, mut hessian) = model(phase);
        let mut newton = hessian.newton_step(slope);
        let promise = |slope: DVec2, step: Option<DVec2>| step.map_or(f64::INFINITY, |step| -0.5 * slope.dot(step));
        if phase == Phase::Growth && promise(slope, newton) < GROWN * at.h() {
            phase = Phase::Gap;
            (slope, hessian) = model(phase);
            newton = hessian.newton_step(slope);
        }
        let promised = promise(slope, newton);
        let found = |step: DVec2| {
            let depth = at.h() - along - promised.min(FOUND * at.h());
            here.land::<T>(&at, depth, step, two.curvature(here.each))
        };
        if let Some(step) = newton
            && phase == Phase::Gap
        {
            let is_last = step.length_squared() <= LAST_STEP * LAST_STEP;
            if is_last && promised <= FOUND * at.h() {
                return found(step);
            }
            if is_exact {
                return found(DVec2::ZERO);
            }
        }
        *iterations += 1;
        let merit = |at: &At<T::Trace>| {
            let along = at.n.dot(offset);
            match phase {
                Phase::Gap => at.h() - along,
                Phase::Growth if along > 0.0 => at.h() / along,
                Phase::Growth => f64::INFINITY,
            }
        };
        let now = merit(&at);
        let unit = if phase == Phase::Growth { along } else { 1.0 };
        loop {
            let step = match newton {
                Some(step) if step.length_squared() <= radius * radius => step,
                _ => hessian.bounded_step(slope, radius),
            };
            let length = step.length();
            let predicted = -slope.dot(step) - 0.5 * step.dot(hessian.times(step));
            let mut next = reach(to_unit(at.n + plane.lift(step)));
            if phase == Phase::Gap && length <= CHORD_STEP && newton == Some(step) {
                // Newton's step with the radii of the place before. Its error is to it as it is to the step before.
                let depth = next.h() - next.n.dot(offset);
                let rest = plane.flat(next.sum() - offset - depth * next.n);
                let second = hessian.newton_step(rest).unwrap_or(step);
                // On a flat place every step is short: the decrease must be, too.
                let promised = -0.5 * rest.dot(second);
                if second.length_squared() <= CHORD_ERROR * length && promised <= FOUND * next.h() {
                    let curvature = two.curvature_at(&next.reaches, next.n);
                    return here.land::<T>(&next, depth - promised, second, curvature);
                }
            }
            let mut gain = (now - merit(&next)) * unit;
            if predicted.abs() <= NOISE * at.h() {
                let rest = next.sum() - offset;
                let rest = rest - next.n.dot(rest) * next.n;
                if phase == Phase::Gap && rest.length_squared() < 0.25 * slope.length_squared() {
                    at = next;
                    break;
                }
                return if newton.is_some() { found(step.clamp_length_max(LAST_STEP)) } else { Outcome::Lost };
            }
            if gain < POOR * predicted {
                let shift = |radii: Symmetric2, point: DVec3| point + plane.lift(radii.times(step));
                let [radii_a, radii_b] = here.each;
                let normals = two.normals_at([shift(radii_a, at.reaches.on_a), shift(radii_b, at.reaches.on_b)]);
                for n in normals.into_iter().flatten() {
                    let other = reach(n);
                    let its_gain = (now - merit(&other)) * unit;
                    if its_gain > gain {
                        (next, gain) = (other, its_gain);
                    }
                }
            }
            if gain > REFUSED * predicted && gain > 0.0 {
                if gain > GROW * predicted {
                    radius = (2.0 * radius).max(2.0 * length).min(LARGEST_RADIUS);
                } else if gain < SHRINK * predicted {
                    radius = 0.5 * radius.min(length);
                }
                at = next;
                break;
            }
            radius = 0.3 * radius.min(length);
            if radius < LEAST_RADIUS {
                if phase == Phase::Growth {
                    phase = Phase::Gap;
                    radius = FIRST_RADIUS;
                    break;
                }
                let is_near = promised <= STALLED * at.h();
                return if is_near { found(DVec2::ZERO) } else { Outcome::Lost };
            }
        }
    }
    Outcome::Lost
}

/// The common normal at a place that is exact, of bodies without edges.
#[inline]
fn stay<T: Two>(two: &T, at: &At<T::Trace>, depth: f64) -> Outcome {
    let arm = at.reaches.on_a - 0.5 * depth * at.n;
    let curvature = two.curvature_at(&at.reaches, at.n);
    Outcome::Found(Found { normal: at.n, depth, arm, curvature, least_radius: f64::INFINITY })
}

#[inline]
fn to_unit(v: DVec3) -> DVec3 {
    v * to_unit_length(v.length_squared())
}

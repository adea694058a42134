//! Contact of a grain with the wall of a container around it.
//!
//! Let `K` be the space inside the container, `B` the grain and `s` its centre. The distance
//! between their tangent planes with the normal `n` is `D(n) = h_K(n) - n.s - h_B(n)`. Each local
//! minimum of `D` over the unit vectors is a contact: the two surface points share the normal `n`,
//! and their distance is `D`. A small round grain has one contact. A grain that is long, or flat
//! against the wall, may have several.

pub(super) mod capsule_ends;
pub(super) mod cylinder_rims;
pub(super) mod cylinder_side;
pub(super) mod inside_convex;
pub(super) mod inside_cylinder_cylinder;
pub(super) mod wall_wall;

use glam::{DQuat, DVec2, DVec3};

use crate::contact::manifold::MAX_POINTS;
use crate::contact::smooth::{Smooth, Support, Symmetric2};
use crate::numeric::math::tangent_frame;
use crate::{ContactPoint, Manifold, Pair, Status};

/// Initial radius of the trust region, rad.
const FIRST_RADIUS: f64 = 0.5;

/// Radius of the trust region, rad, below which only rounding errors are left to resolve.
const LEAST_RADIUS: f64 = 1e-16;

/// Length of a Newton step, rad, below which it is the last one and is applied to first order. Its
/// square is below rounding.
const LAST_STEP: f64 = 3e-8;

/// Residual, relative to the size of the container, that is a rounding error.
const ROUNDING: f64 = 4e-16;

/// Second derivative, relative to the size of the container, that is a rounding error. All
/// directions are then equivalent, as for concentric balls.
const FLAT: f64 = 1e-12;

/// Length of the step away from a saddle point, rad.
const KICK: f64 = 0.05;

/// Largest number of steps. A grain near the wall needs 2 to 4.
const MAX_STEPS: u32 = 60;

/// Decrease of `D`, relative to the size of the container, that is indistinguishable from rounding.
const NOISE: f64 = 1e-13;

/// Angle between two normals, rad, below which they belong to the same contact.
const SAME_NORMAL: f64 = 1e-6;

/// Lower bound of the relative curvature, as a fraction of the curvature of the grain.
pub(crate) const LEAST_CURVATURE: f64 = 1e-2;

/// Least cosine of the angle between a warm start and the normal of the wall near the grain. A warm
/// start beyond it is not used.
const WARM: f64 = 0.9;

/// Gap, relative to the radius of curvature of the wall, up to which a warm start is trusted.
/// Farther from the wall there may be several minima.
pub(crate) const NEAR: f64 = 0.1;

/// First feature number of contacts that are numbered by the octant of the grain in which they lie.
const FIRST_OCTANT: u32 = 1;

/// A contact with the wall: a local minimum of `D`.
#[derive(Clone, Copy)]
pub(crate) struct Touch {
    /// Outward normal of the space inside.
    pub n: DVec3,
    /// Signed distance, m.
    pub gap: f64,
    /// Surface point of the grain relative to its centre, m.
    pub point: DVec3,
    /// Curvature of the grain minus that of the wall, 1/m.
    pub curvature: f64,
}

impl Touch {
    /// Returns the contact point, which lies midway between wall and grain.
    pub fn between(&self, feature: u32, pair: &Pair) -> ContactPoint {
        let Self { n, gap, point, curvature } = *self;
        ContactPoint { arm: pair.offset + point + 0.5 * gap * n, normal: -n, gap, curvature, feature, overlap: None }
    }
}

/// Support data of the container and of the grain along one direction.
struct At<K, B> {
    n: DVec3,
    room: Support<K>,
    grain: Support<B>,
    d: f64,
}

/// Minimises `D` from `start` by Newton's method in a trust region. The error is the residual, m.
pub(crate) fn minimise<K: Smooth, B: Smooth>(
    room: &K,
    grain: &B,
    centre: DVec3,
    start: DVec3,
    iterations: &mut u32,
) -> Result<Touch, f64> {
    let evaluate = |n: DVec3| {
        let (room, grain) = (room.evaluate(n), grain.evaluate(n));
        At { n, d: room.h - grain.h - n.dot(centre), room, grain }
    };
    let mut at = evaluate(start);
    let mut radius = FIRST_RADIUS;
    for _ in 0..MAX_STEPS {
        // The gradient of D in the tangent plane is the tangential distance of the surface points.
        // The Hessian is the difference of the matrices of radii of curvature, less D.
        let (t, u) = tangent_frame(at.n);
        let radii_room = room.radii(&at.room, t, u);
        let radii_grain = grain.radii(&at.grain, t, u);
        let apart = at.room.point - at.grain.point - centre;
        let slope = DVec2::new(t.dot(apart), u.dot(apart));
        let hessian = Symmetric2 {
            xx: radii_room.xx - radii_grain.xx - at.d,
            xy: radii_room.xy - radii_grain.xy,
            yy: radii_room.yy - radii_grain.yy - at.d,
        };
        let newton = hessian.newton_step(slope);
        let touch = |step: DVec2| {
            let shift = radii_grain.times(step);
            let point = at.grain.point + shift.x * t + shift.y * u;
            let wall_curvature = room.curvature(radii_room);
            // The relative curvature vanishes if the wall is as round as the grain, but a Hertz law
            // needs a positive one.
            let own = grain.curvature(radii_grain);
            let curvature = (own - wall_curvature).max(LEAST_CURVATURE * own);
            Touch { n: (at.n + step.x * t + step.y * u).normalize(), gap: at.d, point, curvature }
        };
        let residual = slope.length();
        if residual <= ROUNDING * at.room.h {
            if hessian.least_eigenvalue() >= -FLAT * at.room.h {
                return Ok(touch(DVec2::ZERO));
            }
            // A saddle or a maximum is stationary, too: leave it by a short step.
            at = evaluate((at.n + KICK * (t + u)).normalize());
            continue;
        }
        if let Some(step) = newton
            && step.length() <= LAST_STEP
        {
            return Ok(touch(step));
        }
        *iterations += 1;
        loop {
            let step = match newton {
                Some(step) if step.length() <= radius => step,
                _ => hessian.bounded_step(slope, radius),
            };
            let next = evaluate((at.n + step.x * t + step.y * u).normalize());
            let predicted = -slope.dot(step) - 0.5 * step.dot(hessian.times(step));
            let gain = at.d - next.d;
            if predicted.abs() <= NOISE * at.room.h {
                // The values of D no longer differ by more than rounding; compare the residuals
                // instead.
                let rest = next.room.point - next.grain.point - centre;
                if (rest - next.n.dot(rest) * next.n).length() < 0.5 * residual {
                    at = next;
                    break;
                }
                return if newton.is_some() { Ok(touch(step.clamp_length_max(LAST_STEP))) } else { Err(residual) };
            }
            // Usual rule of a trust region: accept a step with a tenth of the predicted decrease,
            // and enlarge the region after a good prediction.
            if gain > 0.1 * predicted {
                if gain > 0.7 * predicted {
                    radius = (2.0 * radius).min(1.0);
                }
                at = next;
                break;
            }
            radius = 0.3 * radius.min(step.length());
            if radius < LEAST_RADIUS || radius.is_nan() {
                return Err(residual);
            }
        }
    }
    let apart = at.room.point - at.grain.point - centre;
    Err((apart - at.n.dot(apart) * at.n).length())
}

/// Finds all contacts of a grain in a container. `outward` is the outward normal of the space
/// inside, near the grain.
pub(crate) fn inside<K: Smooth, B: Smooth>(room: &K, grain: &B, outward: DVec3, pair: &Pair, manifold: &mut Manifold) {
    if grain.largest_radius() < room.least_radius() {
        let warm = pair.warm.map(|normal| -normal).filter(|n| n.dot(outward) > WARM);
        let iterations = &mut manifold.iterations;
        let near = warm.and_then(|start| minimise(room, grain, pair.offset, start, iterations).ok());
        let near = near.filter(|touch| touch.gap < NEAR * room.least_radius());
        match near.map_or_else(|| minimise(room, grain, pair.offset, outward, iterations), Ok) {
            Ok(touch) if touch.gap <= pair.margin => push(&touch, 0, pair, manifold),
            Ok(_) => {}
            Err(residual) => manifold.status = Status::NotConverged { residual },
        }
        return;
    }
    let mut touches = Touches::default();
    let mut failure = None;
    let spread = (grain.bounding_radius() / room.least_radius()).min(1.0);
    for start in std::iter::once(outward).chain(around(outward, spread, pair.orientation_a)) {
        match minimise(room, grain, pair.offset, start, &mut manifold.iterations) {
            Ok(touch) => touches.add(touch, pair),
            Err(residual) => failure = Some(residual),
        }
    }
    match failure {
        Some(residual) if touches.is_empty() => manifold.status = Status::NotConverged { residual },
        _ => touches.report(pair, manifold),
    }
}

/// Number of octants.
const OCTANTS: usize = 8;

/// The nearest contact in each octant of a grain. The octant identifies the contact from step to
/// step.
#[derive(Default)]
pub(crate) struct Touches([Option<Touch>; OCTANTS]);

impl Touches {
    /// Adds a contact if it is the nearest in its octant.
    pub fn add(&mut self, touch: Touch, pair: &Pair) {
        let p = pair.orientation_b.inverse() * touch.point;
        let octant = [p.x, p.y, p.z].iter().enumerate().map(|(k, x)| usize::from(*x < 0.0) << k).sum::<usize>();
        let is_known = self.0.iter().flatten().any(|other| (other.n - touch.n).length() <= SAME_NORMAL);
        let nearest = &mut self.0[octant];
        if !is_known && nearest.is_none_or(|other| touch.gap < other.gap) {
            *nearest = Some(touch);
        }
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Reports the contacts within the margin.
    pub fn report(&self, pair: &Pair, manifold: &mut Manifold) {
        for (octant, touch) in self.0.iter().enumerate() {
            if let Some(touch) = touch.filter(|touch| touch.gap <= pair.margin) {
                push(&touch, FIRST_OCTANT + octant as u32, pair, manifold);
            }
        }
    }
}

/// Adds a contact with the wall to the manifold, if it has room.
pub(crate) fn push(touch: &Touch, feature: u32, pair: &Pair, manifold: &mut Manifold) {
    push_point(touch.between(feature, pair), manifold);
}

/// Adds a contact point to the manifold, if it has room.
pub(crate) fn push_point(point: ContactPoint, manifold: &mut Manifold) {
    if manifold.points().len() < MAX_POINTS {
        manifold.push(point);
    }
}

/// Returns starting directions on two rings about `n`. The tangent of the larger angle is `spread`;
/// the normals of all contacts of a grain near the wall lie within it.
///
/// The directions are fixed to the container, whose orientation is `orientation`, so that the
/// result does not depend on the world axes.
fn around(n: DVec3, spread: f64, orientation: DQuat) -> impl Iterator<Item = DVec3> {
    const OCTAGON: [[f64; 2]; 8] = [
        [1.0, 0.0],
        [DIAGONAL, DIAGONAL],
        [0.0, 1.0],
        [-DIAGONAL, DIAGONAL],
        [-1.0, 0.0],
        [-DIAGONAL, -DIAGONAL],
        [0.0, -1.0],
        [DIAGONAL, -DIAGONAL],
    ];
    const DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;
    let (t, u) = tangent_frame(orientation.inverse() * n);
    let (t, u) = (orientation * t, orientation * u);
    [0.5 * spread, spread]
        .into_iter()
        .flat_map(move |tangent| OCTAGON.map(|[c, s]| (n + tangent * (c * t + s * u)).normalize()))
}

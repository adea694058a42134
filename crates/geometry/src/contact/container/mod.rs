//! A grain in a hollow container: where the wall is nearest, or the grain sticks out farthest.
//!
//! With `K` the room inside and `s` the grain's centre, `D(n) = h_K(n) - n.s - h_B(n)` is the distance between the two
//! tangent planes along `n`. Each minimum of `D` over the directions is a contact: the two surface points share the normal
//! `n` and are `D` apart. A small round grain has one; one that is long or flat against the wall may have several.

pub(super) mod cylinder_rims;
pub(super) mod cylinder_side;
pub(super) mod inside_convex;
pub(super) mod inside_cylinder_cylinder;
pub(super) mod wall_wall;

use glam::{DQuat, DVec2, DVec3};

use crate::contact::manifold::MAX_POINTS;
use crate::contact::smooth::{Reach, Smooth, Symmetric2};
use crate::numeric::math::tangent_frame;
use crate::{Manifold, ManifoldPoint, Pair, Status};

/// First radius of the trust region, rad.
const FIRST_RADIUS: f64 = 0.5;

/// A region smaller than this, rad, has met rounding.
const LEAST_RADIUS: f64 = 1e-16;

/// A step that small is made to first order, and is the last, rad.
const LAST_STEP: f64 = 3e-8;

/// Residual that is rounding, in sizes of the container.
const ROUNDING: f64 = 4e-16;

/// Second derivative that is rounding, in sizes of the container: all directions are as good, as for concentric balls.
const FLAT: f64 = 1e-12;

/// How far to go from a saddle, rad.
const KICK: f64 = 0.05;

/// Most steps: near the wall it takes 2 to 4.
const MAX_STEPS: u32 = 60;

/// Decrease that a comparison cannot tell from rounding, in sizes of the container.
const NOISE: f64 = 1e-13;

/// Normals closer than this, rad, are the same contact.
const SAME_NORMAL: f64 = 1e-6;

/// First feature of contacts that are told apart by the octant of the grain they are in.
const FIRST_OCTANT: u32 = 1;

/// A minimum of `D`.
#[derive(Clone, Copy)]
pub(crate) struct Touch {
    /// Outward normal of the room.
    pub n: DVec3,
    /// Signed distance, m.
    pub gap: f64,
    /// Surface point of the grain, from its centre.
    pub point: DVec3,
    /// Curvature of the grain less that of the room, 1/m.
    pub curvature: f64,
}

impl Touch {
    /// The point of contact: between wall and grain.
    pub fn between(&self, feature: u32, pair: &Pair) -> ManifoldPoint {
        let Self { n, gap, point, curvature } = *self;
        ManifoldPoint { arm: pair.offset + point + 0.5 * gap * n, normal: -n, gap, curvature, feature }
    }
}

/// The wall and the grain along one direction.
struct At<K, B> {
    n: DVec3,
    room: Reach<K>,
    grain: Reach<B>,
    d: f64,
}

/// Descends from `start` to a minimum of `D`, or ends where the residual says that it failed.
pub(crate) fn minimise<K: Smooth, B: Smooth>(
    room: &K,
    grain: &B,
    centre: DVec3,
    start: DVec3,
    iterations: &mut u32,
) -> Result<Touch, f64> {
    let reach = |n: DVec3| {
        let (room, grain) = (room.reach(n), grain.reach(n));
        At { n, d: room.h - grain.h - n.dot(centre), room, grain }
    };
    let mut at = reach(start);
    let mut radius = FIRST_RADIUS;
    for _ in 0..MAX_STEPS {
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
            let bend = room.curvature(radii_room);
            // A wall that is as round as the grain leaves no curvature; a law needs some.
            let own = grain.curvature(radii_grain);
            let curvature = (own - bend).max(LEAST_CURVATURE * own);
            Touch { n: (at.n + step.x * t + step.y * u).normalize(), gap: at.d, point, curvature }
        };
        let residual = slope.length();
        if residual <= ROUNDING * at.room.h {
            if hessian.least_eigenvalue() >= -FLAT * at.room.h {
                return Ok(touch(DVec2::ZERO));
            }
            // A saddle or a maximum: off it, to either side.
            at = reach((at.n + KICK * (t + u)).normalize());
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
            let next = reach((at.n + step.x * t + step.y * u).normalize());
            let predicted = -slope.dot(step) - 0.5 * step.dot(hessian.times(step));
            let gain = at.d - next.d;
            if predicted.abs() <= NOISE * at.room.h {
                // Only the residual can tell here.
                let rest = next.room.point - next.grain.point - centre;
                if (rest - next.n.dot(rest) * next.n).length() < 0.5 * residual {
                    at = next;
                    break;
                }
                return if newton.is_some() { Ok(touch(step.clamp_length_max(LAST_STEP))) } else { Err(residual) };
            }
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

/// Least part of the grain's curvature that is left against a wall.
pub(crate) const LEAST_CURVATURE: f64 = 1e-2;

/// Cosine of the angle between a warm start and the room's normal near the grain up to which it is trusted.
const WARM: f64 = 0.9;

/// Gap, in curvature radii of the room, up to which a warm answer stands: farther inside there may be several minima.
pub(crate) const NEAR: f64 = 0.1;

/// Finds all contacts of a grain with a room; `outward` is the room's normal near the grain.
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
    let reach = (grain.bounding_radius() / room.least_radius()).min(1.0);
    for start in std::iter::once(outward).chain(around(outward, reach, pair.orientation_a)) {
        match minimise(room, grain, pair.offset, start, &mut manifold.iterations) {
            Ok(touch) => touches.see(touch, pair),
            Err(residual) => failure = Some(residual),
        }
    }
    match failure {
        Some(residual) if touches.is_empty() => manifold.status = Status::NotConverged { residual },
        _ => touches.report(pair, manifold),
    }
}

/// Octants of a grain.
const OCTANTS: usize = 8;

/// The nearest contact in each octant of a grain: the octant tells which corner it is, from step to step.
#[derive(Default)]
pub(crate) struct Touches([Option<Touch>; OCTANTS]);

impl Touches {
    /// Keeps a contact if it is the nearest of its octant.
    pub fn see(&mut self, touch: Touch, pair: &Pair) {
        let p = pair.orientation_b.inverse() * touch.point;
        let octant = [p.x, p.y, p.z].iter().enumerate().map(|(k, x)| usize::from(*x < 0.0) << k).sum::<usize>();
        let is_known = self.0.iter().flatten().any(|other| (other.n - touch.n).length() <= SAME_NORMAL);
        let place = &mut self.0[octant];
        if !is_known && place.is_none_or(|other| touch.gap < other.gap) {
            *place = Some(touch);
        }
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Adds the contacts within the margin.
    pub fn report(&self, pair: &Pair, manifold: &mut Manifold) {
        for (octant, touch) in self.0.iter().enumerate() {
            if let Some(touch) = touch.filter(|touch| touch.gap <= pair.margin) {
                push(&touch, FIRST_OCTANT + octant as u32, pair, manifold);
            }
        }
    }
}

/// Adds a contact with the wall.
pub(crate) fn push(touch: &Touch, feature: u32, pair: &Pair, manifold: &mut Manifold) {
    if manifold.points().len() < MAX_POINTS {
        manifold.push(touch.between(feature, pair));
    }
}

/// Directions around `n`, up to the angle whose tangent is `reach`: a grain near the wall touches it within these.
///
/// They are fixed to the container, whose axes `turn` gives: what is found does not depend on the world's axes.
fn around(n: DVec3, reach: f64, turn: DQuat) -> impl Iterator<Item = DVec3> {
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
    let (t, u) = tangent_frame(turn.inverse() * n);
    let (t, u) = (turn * t, turn * u);
    [0.5 * reach, reach]
        .into_iter()
        .flat_map(move |tangent| OCTAGON.map(|[c, s]| (n + tangent * (c * t + s * u)).normalize()))
}

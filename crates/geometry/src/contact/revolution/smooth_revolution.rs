//! Contact of an ellipsoid or a superellipsoid with a cylinder, a capsule or a truncated cone.
//!
//! The second body is the convex hull of two round ends, discs or balls. Its outward normal at the
//! contact is the normal of a flat end, lies on the circle of normals of the side, or belongs to
//! one end alone (a rim or a cap). Each case is a small smooth problem. Its solution is valid if it
//! lies in the part that was assumed. Separated bodies have one valid solution. A shallow overlap
//! has few, and the least deep one is taken, unless a direction around it is less deep. In that
//! case, and for deep overlaps, `general` is used.

use glam::DVec3;

use crate::contact::general::general;
use crate::contact::revolution::Hull;
use crate::contact::smooth::{
    Ball, Disc, GenericPair, OrientedEllipsoid, OrientedSuperellipsoid, Outcome, Phase, Smooth, Support, minimise,
};
use crate::numeric::math::{around, tangent_frame};
use crate::{ContactPoint, Manifold, Pair, Shape};

/// Largest overlap, relative to the smaller body, that counts as shallow.
const SHALLOW: f64 = 0.1;

/// Difference of depths, relative to the size, that exceeds rounding errors.
const LESS_DEEP: f64 = 1e-12;

/// Step on the circle of normals of the side at which the search ends, rad.
const FOUND: f64 = 1e-14;

/// Predicted decrease of the depth, relative to the support function of the smooth body, at which
/// the search ends.
const PROMISED: f64 = 1e-20;

/// Largest number of steps on the circle.
const MAX_STEPS: usize = 30;

/// Largest step along the circle, rad.
const LARGEST_STEP: f64 = 0.5;

/// Largest rotation of the bodies since the last normal was found, rad, for which its part is tried
/// first.
const BESIDE: f64 = 0.02;

/// Least angle between the axis and the starting direction of a search on a rim, rad. The support
/// function of a rim is not smooth along the axis.
const AWAY: f64 = 0.05;

/// Angle from the axis, rad, within which results of a search on a rim are not valid.
const PEAK: f64 = 1e-6;

/// Rounding error of the comparison of the two ends, relative to the height.
const ROUNDING: f64 = 1e-14;

/// A direction that is normal to both surfaces, outward from the hull.
#[derive(Clone, Copy)]
struct Touch {
    normal: DVec3,
    depth: f64,
    /// Vector from the centre of the hull to the middle of the two surface points, m.
    middle: DVec3,
}

/// Finds the contact. Body `a` is the smooth one.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let found = match pair.a {
        Shape::Ellipsoid(shape) => touch(&OrientedEllipsoid::new(shape, pair.orientation_a), pair, manifold),
        Shape::Superellipsoid(shape) => touch(&OrientedSuperellipsoid::new(shape, pair.orientation_a), pair, manifold),
        _ => unreachable!("the pair table puts the smooth body first"),
    };
    let Some(Touch { normal, depth, middle }) = found else { return general(pair, manifold) };
    // The search uses the outward normal of the hull, body b; contact normals point from a to b.
    let normal = -normal;
    if -depth > pair.margin {
        manifold.apart = Some(normal);
        return;
    }
    let curvature = pair.a.as_convex().curvature(pair.orientation_a.inverse() * normal)
        + pair.b.as_convex().curvature(pair.orientation_b.inverse() * -normal);
    manifold.push(ContactPoint {
        arm: pair.offset + middle,
        normal,
        gap: -depth,
        curvature,
        feature: 0,
        overlap: None,
    });
}

/// Returns the contact if the bodies are separated, or if the overlap is shallow and no direction
/// around the normal is less deep; `None` otherwise.
fn touch<S: Smooth>(smooth: &S, pair: &Pair, manifold: &mut Manifold) -> Option<Touch> {
    let hull = Hull::of(pair.b, pair.orientation_b * DVec3::Z);
    let search = Search { hull: &hull, smooth, centre: -pair.offset };
    let size = smooth.bounding_radius().min(hull.size());
    // A separating direction is a proof. A shallow overlap is accepted if no direction around its
    // normal is less deep.
    let is_sure = |touch: &Touch| {
        let undercut = |m: DVec3| search.depth(m) < touch.depth - LESS_DEEP * size;
        touch.depth <= 0.0 || touch.depth <= SHALLOW * size && !around(touch.normal).any(undercut)
    };
    if let Some(warm) = pair.warm
        && let Some(touch) = search.near(-warm, &mut manifold.iterations).filter(is_sure)
    {
        return Some(touch);
    }
    search.anywhere(&mut manifold.iterations).filter(is_sure)
}

/// A hull about the origin and a smooth body about `centre`.
struct Search<'a, S> {
    hull: &'a Hull,
    smooth: &'a S,
    centre: DVec3,
}

impl<S: Smooth> Search<'_, S> {
    /// Returns the penetration depth along the outward normal `m` of the hull, m.
    fn depth(&self, m: DVec3) -> f64 {
        let [low, high] = self.hull.support_values(m);
        low.max(high) + self.smooth.evaluate(m).h - m.dot(self.centre)
    }

    /// Returns the contact at the support point of the smooth body.
    fn touch(&self, normal: DVec3, depth: f64, support: &Support<S::Trace>) -> Touch {
        Touch { normal, depth, middle: self.centre - support.point + 0.5 * depth * normal }
    }

    /// Returns the solution in the part of the hull to which the normal `m` belongs, or in a
    /// neighbouring part.
    fn near(&self, m: DVec3, iterations: &mut u32) -> Option<Touch> {
        // The normals of the side have the axial component `side`; those of a base are along the
        // axis.
        let (along, side) = (m.dot(self.hull.axis), self.hull.side[1]);
        let is_flat = !self.hull.has_balls && 1.0 - along.abs() < 0.5 * BESIDE * BESIDE;
        let across = is_flat.then(|| self.across_end(usize::from(along > 0.0)));
        let touch = across.flatten().or_else(|| {
            let is_side = (along - side).abs() < BESIDE;
            is_side.then(|| self.on_side(m, iterations)).flatten()
        });
        touch.or_else(|| self.at_end(usize::from(along > side), m, Phase::Gap, iterations))
    }

    /// Returns the least deep of the solutions of all parts.
    fn anywhere(&self, iterations: &mut u32) -> Option<Touch> {
        let Hull { axis, heights, .. } = *self.hull;
        // Start from the direction of the centre, seen from the nearest point of the axis.
        let height = self.centre.dot(axis).clamp(heights[0], heights[1]);
        let towards = (self.centre - height * axis).try_normalize().unwrap_or_else(|| tangent_frame(axis).0);
        let mut best: Option<Touch> = None;
        let mut take = |touch: Option<Touch>| {
            if let Some(touch) = touch
                && best.is_none_or(|best| touch.depth < best.depth)
            {
                best = Some(touch);
            }
        };
        take(self.on_side(towards, iterations));
        for end in [0, 1] {
            if !self.hull.has_balls {
                take(self.across_end(end));
            }
            let start = (self.centre - self.hull.centre(end)).try_normalize().unwrap_or(towards);
            take(self.at_end(end, start, Phase::Growth, iterations));
        }
        best
    }

    /// Returns the solution on a flat end, if it is valid.
    fn across_end(&self, end: usize) -> Option<Touch> {
        let normal = if end == 1 { self.hull.axis } else { -self.hull.axis };
        // All points of a base have the same normal, so that the contact is at the support point of
        // the smooth body, if that lies over the base.
        let support = self.smooth.evaluate(normal);
        let depth = normal.dot(self.hull.centre(end) - self.centre) + support.h;
        let from = self.centre - support.point - self.hull.centre(end);
        let across = from - from.dot(normal) * normal;
        let is_inside = across.length_squared() <= self.hull.radii[end] * self.hull.radii[end];
        is_inside.then(|| self.touch(normal, depth, &support))
    }

    /// Returns the solution on one end alone, a cap or a rim, if it is valid.
    fn at_end(&self, end: usize, start: DVec3, phase: Phase, iterations: &mut u32) -> Option<Touch> {
        let (hull, radius) = (self.hull, self.hull.radii[end]);
        let offset = self.centre - hull.centre(end);
        let mut downhill = |start: DVec3, phase: Phase| {
            // The growth factor is only defined in front of the end.
            let phase = if start.dot(offset) > 0.0 { phase } else { Phase::Gap };
            let outcome = if hull.has_balls {
                minimise(&GenericPair(&Ball(radius), self.smooth), offset, start, phase, f64::INFINITY, iterations)
            } else {
                let disc = Disc { axis: hull.axis, radius };
                minimise(&GenericPair(&disc, self.smooth), offset, start, phase, f64::INFINITY, iterations)
            };
            if let Outcome::Found(found) = outcome { Some(found) } else { None }
        };
        let mut found = downhill(if hull.has_balls { start } else { self.beside_axis(offset, start) }, phase)?;
        let across = if hull.has_balls { 1.0 } else { found.normal.cross(hull.axis).length() };
        if across < PEAK {
            return None;
        }
        if across < AWAY {
            // The radii of curvature vary so fast here that the last step was not exact yet.
            found = downhill(found.normal, Phase::Gap)?;
        }
        // The solution is valid if this end supports the direction, and not the other one.
        let supports = hull.support_values(found.normal);
        let is_outer = supports[end] >= supports[1 - end] - ROUNDING * (hull.heights[1] - hull.heights[0]);
        // Near the axis the support point of a rim is ill-conditioned, and that of the smooth body
        // is more accurate.
        let is_steady = radius / across <= self.smooth.largest_radius();
        is_outer.then(|| match is_steady {
            true => Touch { normal: found.normal, depth: found.depth, middle: hull.centre(end) + found.arm },
            false => self.touch(found.normal, found.depth, &self.smooth.evaluate(found.normal)),
        })
    }

    /// Returns a direction close to `start` but away from the axis, where the support function of a
    /// rim is not smooth. It is tilted towards the support point of the smooth body.
    fn beside_axis(&self, offset: DVec3, start: DVec3) -> DVec3 {
        let axis = self.hull.axis;
        let across = |v: DVec3| v - v.dot(axis) * axis;
        if across(start).length_squared() >= AWAY * AWAY {
            return start;
        }
        let out = across(offset - self.smooth.evaluate(start).point).try_normalize();
        out.map_or(start, |out| (start.dot(axis).signum() * axis + AWAY * out).normalize())
    }

    /// Returns the solution on the side between the two ends, if it is valid.
    fn on_side(&self, start: DVec3, iterations: &mut u32) -> Option<Touch> {
        let Hull { axis, side: [cos, sin], .. } = *self.hull;
        let mut out = (start - start.dot(axis) * axis).try_normalize()?;
        // Newton's method for the angle around the axis. The derivative of the depth is the
        // component along the circle of the vector between the two surface points.
        for _ in 0..MAX_STEPS {
            *iterations += 1;
            let (normal, along) = (cos * out + sin * axis, axis.cross(out));
            let support = self.smooth.evaluate(normal);
            let from = support.point - self.centre;
            let slope = cos * along.dot(from);
            let up = normal.cross(along);
            let radii = self.smooth.radii(&support, along, up);
            let curvature = cos * (cos * radii.xx - out.dot(from));
            let is_minimum = curvature > 0.0;
            // If the depth is not convex here, go downhill by the longest step.
            let step = if is_minimum { -slope / curvature } else { -LARGEST_STEP.copysign(slope) };
            if is_minimum && (step.abs() <= FOUND || step * slope >= -PROMISED * support.h) {
                // The last step is applied to first order: on a flat part the point moves farther
                // than a direction can resolve.
                let point = support.point + cos * step * (radii.xx * along + radii.xy * up);
                let out = (out + step * along).normalize();
                let normal = cos * out + sin * axis;
                return self.between_ends(out, normal, &Support { h: normal.dot(point), point, ..support });
            }
            out = (out + step.clamp(-LARGEST_STEP, LARGEST_STEP) * along).normalize();
        }
        None
    }

    /// Returns the contact on the side if it lies between the ends.
    fn between_ends(&self, out: DVec3, normal: DVec3, support: &Support<S::Trace>) -> Option<Touch> {
        let Hull { axis, radii, has_balls, side: [cos, sin], .. } = *self.hull;
        let up = cos * axis - sin * out;
        let [low, high] = [0, 1].map(|end| {
            // Derivative of the depth towards this end.
            let point = self.hull.centre(end) + radii[end] * if has_balls { normal } else { out };
            up.dot(point + support.point - self.centre)
        });
        // The depth must decrease from both ends towards the side.
        let is_between = low <= 0.0 && high >= 0.0 && high > low;
        is_between.then(|| {
            self.touch(normal, self.hull.support_values(normal)[0] + support.h - normal.dot(self.centre), support)
        })
    }
}

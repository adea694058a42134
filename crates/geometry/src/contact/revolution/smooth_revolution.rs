//! An ellipsoid or superellipsoid and a cylinder, a capsule or a truncated cone.
//!
//! The second body is the hull of two round ends, discs or balls. Its outward normal at the contact
//! is across an end, on the circle of normals of its side, or belongs to one end alone: to a rim or
//! a cap. Each of the three is a small smooth problem, and its answer is a common normal of the two
//! bodies if it lies in its own part. Bodies that are apart have one. A shallow overlap has few, of
//! which the least is taken unless a direction around it is less deep; then, and where it is deep,
//! `general` is asked.

use glam::DVec3;

use crate::contact::general::general;
use crate::contact::revolution::Hull;
use crate::contact::smooth::{
    Ball, Disc, GenericPair, OrientedEllipsoid, OrientedSuperellipsoid, Outcome, Phase, Smooth, Support, minimise,
};
use crate::numeric::math::{around, tangent_frame};
use crate::{ContactPoint, Manifold, Pair, Shape};

/// Overlap that is shallow, in sizes of the smaller body.
const SHALLOW: f64 = 0.1;

/// Depth by which a direction must be less deep than an answer to count, in sizes: rounding, and
/// then some.
const LESS_DEEP: f64 = 1e-12;

/// Step at which a direction on the circle of the side is found, rad, or what it promises, in the
/// smooth body's support function; and most steps to it.
const FOUND: f64 = 1e-14;
const PROMISED: f64 = 1e-20;
const MOST_STEPS: usize = 30;

/// Largest step along the circle, rad.
const LARGEST_STEP: f64 = 0.5;

/// Angle by which bodies may have turned since a normal was found, rad.
const BESIDE: f64 = 0.02;

/// Angle from the axis at which the search for a contact of a rim begins at least, and within which
/// its answers are not to be trusted, rad.
const AWAY: f64 = 0.05;
const PEAK: f64 = 1e-6;

/// Part of the size by which an end may be behind the other and still count: rounding.
const ROUNDING: f64 = 1e-14;

/// A common normal, outward from the hull.
#[derive(Clone, Copy)]
struct Touch {
    normal: DVec3,
    depth: f64,
    /// From the hull's centre to the middle of the two surface points, m.
    middle: DVec3,
}

/// A smooth body and a body of revolution.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let found = match pair.a {
        Shape::Ellipsoid(shape) => touch(&OrientedEllipsoid::new(shape, pair.orientation_a), pair, manifold),
        Shape::Superellipsoid(shape) => touch(&OrientedSuperellipsoid::new(shape, pair.orientation_a), pair, manifold),
        _ => unreachable!("the dispatch table puts the smooth body first"),
    };
    let Some(Touch { normal, depth, middle }) = found else { return general(pair, manifold) };
    let normal = -normal;
    if -depth > pair.margin {
        manifold.apart = Some(normal);
        return;
    }
    let curvature = pair.a.as_convex().curvature(pair.orientation_a.inverse() * normal)
        + pair.b.as_convex().curvature(pair.orientation_b.inverse() * -normal);
    manifold.push(ContactPoint { arm: pair.offset + middle, normal, gap: -depth, curvature, feature: 0 });
}

/// The contact, if it is sure to be the one.
fn touch<S: Smooth>(smooth: &S, pair: &Pair, manifold: &mut Manifold) -> Option<Touch> {
    let hull = Hull::of(pair.b, pair.orientation_b * DVec3::Z);
    let search = Search { hull: &hull, smooth, centre: -pair.offset };
    let size = smooth.bounding_radius().min(hull.size());
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
    /// How deep the bodies overlap along the outward normal `m` of the hull.
    fn depth(&self, m: DVec3) -> f64 {
        let [low, high] = self.hull.reaches(m);
        low.max(high) + self.smooth.evaluate(m).h - m.dot(self.centre)
    }

    /// The contact at the smooth body's point.
    fn touch(&self, normal: DVec3, depth: f64, support: &Support<S::Trace>) -> Touch {
        Touch { normal, depth, middle: self.centre - support.point + 0.5 * depth * normal }
    }

    /// The common normal in the part of the hull to which `m` belongs, or in one beside it.
    fn near(&self, m: DVec3, iterations: &mut u32) -> Option<Touch> {
        let (along, side) = (m.dot(self.hull.axis), self.hull.side[1]);
        let is_flat = !self.hull.has_balls && 1.0 - along.abs() < 0.5 * BESIDE * BESIDE;
        let across = is_flat.then(|| self.across_end(usize::from(along > 0.0)));
        let touch = across.flatten().or_else(|| {
            let is_side = (along - side).abs() < BESIDE;
            is_side.then(|| self.on_side(m, iterations)).flatten()
        });
        touch.or_else(|| self.at_end(usize::from(along > side), m, Phase::Gap, iterations))
    }

    /// The least deep of all common normals found.
    fn anywhere(&self, iterations: &mut u32) -> Option<Touch> {
        let Hull { axis, heights, .. } = *self.hull;
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

    /// Across a flat end.
    fn across_end(&self, end: usize) -> Option<Touch> {
        let normal = if end == 1 { self.hull.axis } else { -self.hull.axis };
        let support = self.smooth.evaluate(normal);
        let depth = normal.dot(self.hull.centre(end) - self.centre) + support.h;
        let from = self.centre - support.point - self.hull.centre(end);
        let across = from - from.dot(normal) * normal;
        let is_inside = across.length_squared() <= self.hull.radii[end] * self.hull.radii[end];
        is_inside.then(|| self.touch(normal, depth, &support))
    }

    /// On one end alone: a cap or a rim.
    fn at_end(&self, end: usize, start: DVec3, phase: Phase, iterations: &mut u32) -> Option<Touch> {
        let (hull, radius) = (self.hull, self.hull.radii[end]);
        let offset = self.centre - hull.centre(end);
        let mut downhill = |start: DVec3, phase: Phase| {
            // The growth factor has a meaning in front of the end only.
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
            // Curvature radii change so fast there that the last step is not yet exact.
            found = downhill(found.normal, Phase::Gap)?;
        }
        let supports = hull.reaches(found.normal);
        let is_outer = supports[end] >= supports[1 - end] - ROUNDING * (hull.heights[1] - hull.heights[0]);
        // Points of a rim turn fast beside the axis: then those of the smooth body tell better
        // where the contact is.
        let is_steady = radius / across <= self.smooth.largest_radius();
        is_outer.then(|| match is_steady {
            true => Touch { normal: found.normal, depth: found.depth, middle: hull.centre(end) + found.arm },
            false => self.touch(found.normal, found.depth, &self.smooth.evaluate(found.normal)),
        })
    }

    /// A direction near `start` that is away from the axis, where the rim's support function has a
    /// peak: towards the smooth body's point that is farthest across the disc.
    fn beside_axis(&self, offset: DVec3, start: DVec3) -> DVec3 {
        let axis = self.hull.axis;
        let across = |v: DVec3| v - v.dot(axis) * axis;
        if across(start).length_squared() >= AWAY * AWAY {
            return start;
        }
        let out = across(offset - self.smooth.evaluate(start).point).try_normalize();
        out.map_or(start, |out| (start.dot(axis).signum() * axis + AWAY * out).normalize())
    }

    /// On the side: between the two ends.
    fn on_side(&self, start: DVec3, iterations: &mut u32) -> Option<Touch> {
        let Hull { axis, side: [cos, sin], .. } = *self.hull;
        let mut out = (start - start.dot(axis) * axis).try_normalize()?;
        for _ in 0..MOST_STEPS {
            *iterations += 1;
            let (normal, along) = (cos * out + sin * axis, axis.cross(out));
            let support = self.smooth.evaluate(normal);
            let from = support.point - self.centre;
            let slope = cos * along.dot(from);
            let up = normal.cross(along);
            let radii = self.smooth.radii(&support, along, up);
            let curvature = cos * (cos * radii.xx - out.dot(from));
            let is_minimum = curvature > 0.0;
            let step = if is_minimum { -slope / curvature } else { -LARGEST_STEP.copysign(slope) };
            if is_minimum && (step.abs() <= FOUND || step * slope >= -PROMISED * support.h) {
                // The last step is made to first order: points on flat places move more than a
                // direction can tell.
                let point = support.point + cos * step * (radii.xx * along + radii.xy * up);
                let out = (out + step * along).normalize();
                let normal = cos * out + sin * axis;
                return self.between_ends(out, normal, &Support { h: normal.dot(point), point, ..support });
            }
            out = (out + step.clamp(-LARGEST_STEP, LARGEST_STEP) * along).normalize();
        }
        None
    }

    /// The answer on the side, if it is between the ends.
    fn between_ends(&self, out: DVec3, normal: DVec3, support: &Support<S::Trace>) -> Option<Touch> {
        let Hull { axis, radii, has_balls, side: [cos, sin], .. } = *self.hull;
        let up = cos * axis - sin * out;
        let [low, high] = [0, 1].map(|end| {
            // How the depth rises towards this end.
            let point = self.hull.centre(end) + radii[end] * if has_balls { normal } else { out };
            up.dot(point + support.point - self.centre)
        });
        let is_between = low <= 0.0 && high >= 0.0 && high > low;
        is_between
            .then(|| self.touch(normal, self.hull.reaches(normal)[0] + support.h - normal.dot(self.centre), support))
    }
}

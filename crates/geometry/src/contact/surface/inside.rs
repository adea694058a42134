//! Planes and lines of features that go on inside the solid.
//!
//! Beyond a concave edge the plane of a region goes on inside the solid, and so does the line of a
//! convex edge beyond a vertex in which the surface rises. A grain that overlaps the surface there
//! has its contact with this continuation. A point of it counts if it is behind the surface as seen
//! from the centre of the grain, and if nothing of the surface lies between it and the feature.

use glam::DVec3;

use super::borders::Border;
use super::fan::fan;
use super::near::{Near, NearRegion};
use super::{Search, region_tilt};
use crate::surface::closest_point;
use crate::surface::features::{NONE, Plane};

/// Part of the way from a feature to the point of its continuation that is not tested: the triangles
/// that meet in the feature begin there.
const START: f64 = 1e-6;

/// Difference of distances that counts as zero, relative to the bounding radius: rounding.
const ROUNDING: f64 = 1e-12;

impl Search<'_> {
    /// Returns whether the foot of the grain on the plane of a region lies on the region, or on its
    /// continuation inside the solid.
    pub(super) fn is_above(&self, near: &Near, region: &NearRegion, lowest: DVec3) -> bool {
        // Relative to the centre, which keeps the digits of the height.
        let to_lowest = lowest - self.grain.centre;
        let foot = self.grain.centre + to_lowest - (region.normal.dot(to_lowest) + region.height) * region.normal;
        if near.covers(region, foot) {
            return true;
        }
        let mesh = near.surface.mesh();
        let nearest = near
            .triangles_of(region)
            .iter()
            .map(|&triangle| closest_point(mesh.corners(triangle as usize), foot))
            .min_by(|p, q| (*p - foot).length_squared().total_cmp(&(*q - foot).length_squared()));
        let Some(nearest) = nearest else { return false };
        !self.is_limited(near, region, nearest, foot)
            && self.goes_on_inside(near, nearest, foot, |other| other == region.region)
    }

    /// Returns whether a convex or open edge beside `nearest`, the point at which the plane of a region
    /// goes on inside the solid, limits the contact at `foot`. Only the edges that end at those which
    /// contain `nearest` count: the lines of others may cut a region that is not convex.
    fn is_limited(&self, near: &Near, region: &NearRegion, nearest: DVec3, foot: DVec3) -> bool {
        let (features, mesh) = (near.surface.features(), near.surface.mesh());
        let tolerance = ROUNDING * self.grain.radius;
        // The line of the edge goes on inside the solid, too. A grain beyond it, or one that is less
        // deep in the solid along another normal of the edge, has its contact with the edge.
        let limits = |limit: &Border, end: DVec3| {
            limit.outward.dot(foot - end) > tolerance
                || fan(near.surface, limit.edge).is_some_and(|fan| {
                    self.grain.farthest(end, &fan, self.margin).is_none_or(|found| {
                        found.normal.dot(region.normal) < region_tilt(&self.grain) && found.gap > region.gap + tolerance
                    })
                })
        };
        near.has_border_through(region, nearest, tolerance, &self.grain, |edge, is_limit| {
            let ends = features.edges[edge as usize].ends;
            is_limit
                || ends.into_iter().zip([ends[1], ends[0]]).any(|(vertex, other)| {
                    let [end, other] = [vertex, other].map(|number| mesh.vertices()[number as usize]);
                    near.has_limit_at(region, vertex, &self.grain, |limit| {
                        limit.outward.dot(other - end) < 0.0 && limits(limit, end)
                    })
                })
        })
    }

    /// Returns whether the straight way from a point of a feature to a point of its continuation lies
    /// inside the solid. The way lies in the planes of regions that `is_own` accepts.
    pub(super) fn goes_on_inside(&self, near: &Near, from: DVec3, to: DVec3, is_own: impl Fn(u32) -> bool) -> bool {
        // The bounds of the grain contain the first way, and all triangles that it can cross are near.
        near.crossings(self.grain.centre, to, &is_own) % 2 == 1
            && near.crossings(from + START * (to - from), to, &is_own) == 0
    }
}

impl Near<'_> {
    /// Returns how many triangles near the grain a straight way crosses, except those of regions that
    /// `is_own` accepts.
    pub fn crossings(&self, from: DVec3, to: DVec3, is_own: impl Fn(u32) -> bool) -> usize {
        let (features, mesh) = (self.surface.features(), self.surface.mesh());
        let way = to - from;
        let crosses = |triangle: &&u32| {
            let numbers = mesh.triangles()[**triangle as usize];
            let [a, b, c] = numbers.map(|number| mesh.vertices()[number as usize] - from);
            let area = (b - a).cross(c - a);
            let height = area.dot(a);
            if (height > 0.0) == (height > area.dot(way)) {
                return false;
            }
            // On which side of the way each side runs. Both triangles of an edge get the same answer,
            // so that a way through the edge crosses one of them.
            let side = |k: usize| {
                let (one, next) = (numbers[k], numbers[(k + 1) % 3]);
                let [p, q] = [one.min(next), one.max(next)].map(|number| mesh.vertices()[number as usize] - from);
                (p.cross(q).dot(way) >= 0.0) == (one < next)
            };
            side(0) == side(1) && side(1) == side(2)
        };
        // All vertices of a region are near its plane. Most ways stay on one side of it.
        let is_passed = |region: u32| {
            if region == NONE {
                return true;
            }
            let Plane { normal, height } = features.regions[region as usize];
            let [start, end] = [from, to].map(|point| normal.dot(point) - height);
            start.min(end) <= features.thickness && start.max(end) >= -features.thickness
        };
        let groups = self.groups().filter(|(group, _)| !is_own(group.region) && is_passed(group.region));
        groups.map(|(_, triangles)| triangles.iter().filter(crosses).count()).sum()
    }
}

//! Contacts with plane regions.

use super::borders::Border;
use super::edge::LEVEL;
use super::face::{Face, clip};
use super::fan::Fan;
use super::near::{Near, NearRegion};
use super::wedge::{Candidates, Limits};
use super::{Feature, Search, note};
use crate::contact::table::PairTable;
use crate::shape::HalfSpace;
use crate::{ContactPoint, Kind, Manifold, Pair, Shape};
use glam::DVec3;

/// Depth that counts as zero, relative to the bounding radius of the grain.
const NOTHING: f64 = 1e-9;

impl Search<'_> {
    /// Adds the contacts with the regions near the grain: those with whole planes to `on_planes`,
    /// those with clipped faces to `clipped`.
    pub(super) fn region_contacts(
        &self,
        near: &mut Near,
        limits: &Limits,
        manifold: &mut Manifold,
        on_planes: &mut Vec<ContactPoint>,
        clipped: &mut Candidates,
    ) {
        let mut borders = Vec::new();
        for k in 0..near.regions().len() {
            let region = &near.regions()[k];
            let lowest = self.grain.support(-region.normal);
            let is_above = self.is_above(near, region, lowest);
            if !self.grain.has_flat_parts {
                let contact = is_above.then(|| self.as_half_space(region, manifold, on_planes)).flatten();
                near.set_contact(k, contact);
                continue;
            }
            // A tilted face that hangs over an edge touches the edge and not the region.
            let face = (!is_above).then(|| Face::along(&self.grain, -region.normal));
            if face.as_ref().is_some_and(|face| face.normal.dot(region.normal) > -LEVEL) {
                continue;
            }
            near.find_limits(region, &self.grain, &mut borders);
            if !borders.is_empty() && is_above && self.is_beside(near, region, lowest) {
                continue;
            }
            let is_clipped = borders.iter().any(|border| self.hangs_over(region, border));
            let contact = if is_clipped {
                let face = face.unwrap_or_else(|| Face::along(&self.grain, -region.normal));
                let points = self.clipped_face(near, region, &face, is_above);
                let mesh = near.surface.mesh();
                // Edges that only end at the region limit it, too: it is one of three faces at a corner.
                let is_corner = |vertex: &u32| {
                    near.triangles_of(region).iter().any(|&t| mesh.triangles()[t as usize].contains(vertex))
                };
                let of_face = (points, region.normal);
                let contact = self.add_bounded(of_face, (near, limits), None, is_corner, manifold, clipped);
                if is_above && (contact.is_some() || region.gap >= 0.0) {
                    manifold.set_nearest(self.lowest_point(region, lowest));
                }
                contact
            } else {
                is_above.then(|| self.as_half_space(region, manifold, on_planes)).flatten()
            };
            near.set_contact(k, contact);
        }
    }

    /// Adds the contacts with the half-space below the plane of a region.
    pub(super) fn as_half_space(
        &self,
        region: &NearRegion,
        manifold: &mut Manifold,
        points: &mut Vec<ContactPoint>,
    ) -> Option<f64> {
        let half_space = Shape::HalfSpace(HalfSpace::new(region.normal));
        let to_world = self.pair.orientation_a;
        // The origin of the half-space is the foot of the centre of the grain, which keeps all digits
        // of the height.
        let foot = to_world * (self.grain.centre - region.height * region.normal);
        let pair = Pair { a: &half_space, offset: self.pair.offset - foot, margin: self.margin, ..*self.pair };
        let routine = PairTable::standard().routine(self.measure, Kind::HalfSpace, self.pair.b.kind());
        let mut found = Manifold::default();
        routine.evaluate(&pair, &mut found);
        note(manifold, found.status);
        manifold.iterations += found.iterations;
        let feature = Feature::Region(region.region, region.side);
        let placed = |point: &ContactPoint| ContactPoint {
            arm: point.arm + foot,
            feature: self.number(feature, point.feature),
            ..*point
        };
        points.extend(found.points().iter().map(placed));
        if let Some(nearest) = found.deepest() {
            manifold.set_nearest(placed(nearest));
        }
        (!found.points().is_empty()).then_some(region.gap)
    }

    /// Returns whether the foot of the grain lies on a region although the grain does not overlap it: it
    /// crosses the plane beyond a corner of the region.
    fn is_beside(&self, near: &Near, region: &NearRegion, lowest: DVec3) -> bool {
        let foot = lowest - region.gap * region.normal;
        region.gap < -NOTHING * self.grain.radius
            && !self.grain.contains(foot)
            && near.covers(region, foot)
            && !near
                .triangles_of(region)
                .iter()
                .any(|&triangle| self.overlaps(near.surface.mesh().corners(triangle as usize)))
    }

    /// Returns whether a part of the grain below the plane of a region, raised by the margin, lies
    /// beyond a border.
    fn hangs_over(&self, region: &NearRegion, border: &Border) -> bool {
        let length = border.along.dot(border.to - border.from);
        let start = border.along.dot(self.grain.centre - border.from);
        // The ball around the grain does not reach the border, or the grain passes the end of the edge.
        if border.outward.dot(border.from - self.grain.centre) > self.grain.radius
            || start - self.grain.radius > length
            || start + self.grain.radius < 0.0
        {
            return false;
        }
        if start - self.grain.extent(-border.along) > length || start + self.grain.extent(border.along) < 0.0 {
            return false;
        }
        let point = border.from + self.margin * region.normal;
        // A direction from the normal of the region to the inward one that separates the grain from
        // the quarter of space below the plane and beyond the edge.
        let fan = Fan { u: region.normal, w: -border.outward, low: 0.0, high: std::f64::consts::FRAC_PI_2 };
        self.grain.farthest(point, &fan, 0.0).is_some()
    }

    /// Returns the corners of the lowest face of the grain, clipped by the triangles of a region.
    fn clipped_face(&self, near: &Near, region: &NearRegion, face: &Face, is_above: bool) -> Vec<ContactPoint> {
        let mut points = Vec::new();
        let height = region.height - region.normal.dot(self.grain.centre);
        let feature = Feature::Region(region.region, region.side);
        for &triangle in near.triangles_of(region) {
            let mut corners = near.surface.mesh().corners(triangle as usize);
            if region.side == 1 {
                corners.swap(1, 2);
            }
            for corner in clip(face, corners, region.normal) {
                let gap = region.normal.dot(corner.at) + height;
                if gap <= self.margin {
                    let local = corner.number.wrapping_add(if corner.is_of_face { 0 } else { 16 * triangle + 64 });
                    let at = corner.at - gap * region.normal;
                    points.push(self.point(feature, local, at, region.normal, gap));
                }
            }
        }
        // The face of a body that is wider there may lie below a part of the region beside the body.
        if !points.is_empty() && points.iter().all(|point| point.gap < 0.0) {
            let to_surface = self.pair.orientation_a.inverse();
            let foot = |point: &ContactPoint| to_surface * point.arm - 0.5 * point.gap * region.normal;
            let middle = points.iter().map(foot).sum::<DVec3>() / points.len() as f64;
            if !self.grain.contains(middle) {
                return Vec::new();
            }
        }
        if is_above && points.is_empty() {
            // The lowest point lies beside the flat part, or rounding has lost it.
            let lowest = self.grain.support(-region.normal);
            if region.gap >= 0.0 || self.grain.contains(lowest - region.gap * region.normal) {
                points.push(self.lowest_point(region, lowest));
            }
        }
        points
    }

    /// Returns the contact of the lowest point of the grain.
    fn lowest_point(&self, region: &NearRegion, lowest: DVec3) -> ContactPoint {
        let feature = Feature::Region(region.region, region.side);
        self.point(feature, 0, lowest - region.gap * region.normal, region.normal, region.gap)
    }
}

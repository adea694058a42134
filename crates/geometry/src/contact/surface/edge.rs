//! Contacts with convex and open edges.

use super::face::{Face, above_line};
use super::near::Near;
use super::region_tilt;
use super::wedge::{Candidates, Limits, Wedge};
use super::{Feature, Search};
use crate::contact::smooth::flat_face::TILT;
use crate::surface::features::NONE;
use crate::{ContactPoint, Manifold};
use glam::DVec3;

/// Length of a straight contact below which one point is enough, relative to the bounding radius of
/// the grain.
const SHORT: f64 = 2e-3;

/// Part of the depth at an edge below which a face does not explain it.
const PART_OF_DEPTH: f64 = 0.5;

/// Difference of gaps that counts as zero, relative to the bounding radius of the grain.
const SAME_GAP: f64 = 1e-10;

/// Cosine of the largest tilt of a face that rests on a region.
pub(super) const LEVEL: f64 = 1.0 - 0.5 * TILT * TILT;

impl Search<'_> {
    /// Adds the contacts with the edges near the grain.
    pub(super) fn edge_contacts(
        &self,
        near: &Near,
        limits: &mut Limits,
        manifold: &mut Manifold,
        points: &mut Candidates,
    ) {
        for place in 0..limits.wedges.len() {
            let of_edge = self.edge_contact(near, &limits.wedges[place], manifold);
            let Wedge { edge, ends, .. } = limits.wedges[place];
            let is_end = |vertex: &u32| ends.contains(vertex);
            let contact = self.add_bounded(of_edge, (near, limits), Some(edge), is_end, manifold, points);
            limits.wedges[place].has_contact = contact.is_some();
        }
    }

    /// Returns the contacts with an edge, and their normal in the axes of the surface.
    fn edge_contact(&self, near: &Near, wedge: &Wedge, manifold: &mut Manifold) -> (Vec<ContactPoint>, DVec3) {
        let mut points = Vec::new();
        let Wedge { edge, from, along, length, .. } = *wedge;
        let Some(found) = wedge.found else { return (points, DVec3::ZERO) };
        // At the ends of its fan the edge belongs to a region. The centre of the grain must be in
        // front of the edge, or the direction is that of the far side.
        if !found.is_inside || found.normal.dot(self.grain.centre - from) <= 0.0 {
            return (points, found.normal);
        }
        let is_taken = |number: u32| {
            let of_region = near.regions().iter().find(|region| region.region == number);
            let Some((region, gap)) = of_region.and_then(|region| Some((region, region.contact?))) else {
                return false;
            };
            let cosine = region.normal.dot(found.normal);
            let is_level = cosine > region_tilt(&self.grain);
            // A face that rests on the region is as deep there as at the edge. Where the curvature is
            // zero, rounding turns the normal.
            is_level && (found.gap >= 0.0 || gap <= LEVEL * found.gap)
                || gap <= found.gap + SAME_GAP * self.grain.radius
        };
        let nearest = along.dot(found.support - from);
        let (begin, end) = (nearest.min(0.0), nearest.max(length));
        let has_nearest = (begin == 0.0 && end == length)
            || self.goes_on_inside(near, from + nearest.clamp(0.0, length) * along, from + nearest * along, |region| {
                wedge.has_region(self.surface, region)
            });
        // The line goes on inside the solid as far as the nearest point.
        let (begin, end) = if has_nearest { (begin, end) } else { (0.0, length) };
        // The line may overlap the grain beyond the ends of the edge only.
        if has_nearest
            && found.gap < 0.0
            && !self.grain.contains(from + nearest * along)
            && !self.overlaps_line([from + begin * along, from + end * along])
        {
            return (points, found.normal);
        }
        let point =
            |t: f64, gap: f64, local: u32| self.point(Feature::Edge(edge), local, from + t * along, found.normal, gap);
        if has_nearest && found.gap >= 0.0 {
            manifold.set_nearest(point(nearest, found.gap, 0));
        }
        if wedge.regions(self.surface).filter(|&region| region != NONE).any(is_taken) {
            return (points, found.normal);
        }
        if !self.grain.has_flat_parts {
            points.extend(has_nearest.then(|| point(nearest, found.gap, 0)));
            return (points, found.normal);
        }
        let face = Face::along(&self.grain, -found.normal);
        let of_face = above_line(&face, from, along, found.normal).map(|[one, other]| match one.0 <= other.0 {
            true => [one, other],
            false => [other, one],
        });
        // The nearest point need not lie on the flat part: it may be on the curved surface beside it.
        let [low, high] = match of_face {
            Some([low, high]) if face.corners.len() > 1 && low.0 <= end && high.0 >= begin => [low, high],
            _ if has_nearest => [(nearest, found.gap); 2],
            _ => return (points, found.normal),
        };
        let height_at = |t: f64| match high.0 - low.0 {
            run if run > 0.0 => low.1 + (high.1 - low.1) * (t - low.0) / run,
            _ => low.1,
        };
        let (first, last) = (low.0.max(begin), high.0.min(end));
        let (of_first, of_last) = (height_at(first), height_at(last));
        // A tilted face may lie below a part of the edge that is outside the grain: beyond another face.
        let is_below = of_first + of_last >= 0.0 || self.grain.contains(from + 0.5 * (first + last) * along);
        if of_first <= self.margin && is_below {
            points.push(point(first, of_first, 0));
        }
        // A point that coincides with the first would double the stiffness.
        if of_last <= self.margin && is_below && last - first > SHORT * self.grain.radius {
            points.push(point(last, of_last, 1));
        }
        // The polygon in the place of the flat part may be too high: the grain touches beside it.
        if has_nearest && points.iter().all(|of_face| of_face.gap > PART_OF_DEPTH * found.gap) {
            points = vec![point(nearest, found.gap, 0)];
        }
        (points, found.normal)
    }
}

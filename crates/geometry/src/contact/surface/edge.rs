//! Contacts with convex and open edges.

use super::face::{Face, above_line};
use super::near::Near;
use super::region_tilt;
use super::{Feature, Search};
use crate::surface::features::NONE;
use crate::{ContactPoint, Manifold};

/// Length of a straight contact below which one point is enough, relative to the bounding radius of
/// the grain.
const SHORT: f64 = 2e-3;

impl Search<'_> {
    /// Adds the contacts with the edges near the grain.
    pub(super) fn edge_contacts(&self, near: &Near, manifold: &mut Manifold, points: &mut Vec<ContactPoint>) {
        for edge in near.edges() {
            self.edge_contact(near, edge, manifold, points);
        }
    }

    fn edge_contact(&self, near: &Near, edge: u32, manifold: &mut Manifold, points: &mut Vec<ContactPoint>) {
        let (features, mesh) = (near.surface.features(), near.surface.mesh());
        let [from, to] = features.edges[edge as usize].ends.map(|vertex| mesh.vertices()[vertex as usize]);
        let length = (to - from).length();
        let along = (to - from) / length;
        // The ball around the grain does not reach the edge.
        let nearest = from + along * along.dot(self.grain.centre - from).clamp(0.0, length);
        if (nearest - self.grain.centre).length() > self.grain.radius + self.margin {
            return;
        }
        let Some(fan) = near.fan(edge) else { return };
        let Some(found) = self.grain.farthest(from, &fan, self.margin) else { return };
        // At the ends of its fan the edge belongs to a region. The centre of the grain must be in
        // front of the edge, or the direction is that of the far side.
        if !found.is_inside || found.normal.dot(self.grain.centre - from) <= 0.0 {
            return;
        }
        let triangles = features.triangles_of(edge);
        let regions = triangles.iter().map(|&triangle| features.region_of[triangle as usize]);
        let is_taken = |number: u32| {
            let of_region = near.regions.iter().find(|region| region.region == number && region.has_contact);
            of_region.is_some_and(|region| region.normal.dot(found.normal) > region_tilt(&self.grain))
        };
        let point =
            |t: f64, gap: f64, local: u32| self.point(Feature::Edge(edge), local, from + t * along, found.normal, gap);
        let nearest = along.dot(found.support - from);
        let has_nearest = (0.0..=length).contains(&nearest);
        if has_nearest {
            manifold.set_nearest(point(nearest, found.gap, 0));
        }
        if regions.filter(|&region| region != NONE).any(is_taken) {
            return;
        }
        if !self.grain.has_flat_parts {
            points.extend(has_nearest.then(|| point(nearest, found.gap, 0)));
            return;
        }
        let face = Face::along(&self.grain, -found.normal);
        let of_face = above_line(&face, from, along, found.normal).map(|[one, other]| match one.0 <= other.0 {
            true => [one, other],
            false => [other, one],
        });
        // The nearest point need not lie on the flat part: it may be on the curved surface beside it.
        let [low, high] = match of_face {
            Some([low, high]) if face.corners.len() > 1 && low.0 <= length && high.0 >= 0.0 => [low, high],
            _ if has_nearest => [(nearest, found.gap); 2],
            _ => return,
        };
        let height_at = |t: f64| match high.0 - low.0 {
            run if run > 0.0 => low.1 + (high.1 - low.1) * (t - low.0) / run,
            _ => low.1,
        };
        let (first, last) = (low.0.max(0.0), high.0.min(length));
        let (of_first, of_last) = (height_at(first), height_at(last));
        if of_first <= self.margin {
            points.push(point(first, of_first, 0));
        }
        // A point that coincides with the first would double the stiffness.
        if of_last <= self.margin && last - first > SHORT * self.grain.radius {
            points.push(point(last, of_last, 1));
        }
    }
}

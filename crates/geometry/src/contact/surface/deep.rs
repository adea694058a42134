//! Deep overlaps, in which no feature has a normal that separates the bodies.
//!
//! The features of the other modules are exact while the overlap is small in comparison with the
//! grain and with the triangles. A grain that was thrown into a surface, or one that is larger than
//! a part of it, may overlap a triangle without any of them. The plane of the triangle then pushes
//! it to the side on which its centre is. The gap is not deeper than the largest overlap with a single
//! triangle, so that a fallback begins at depth zero if the overlap does.

use glam::{DQuat, DVec3};

use super::near::{Near, seen_from};
use super::{Feature, Search};
use crate::contact::general::{Placed, convex_convex, overlap};
use crate::surface::closest_point;
use crate::{ContactPoint, Convex, InvalidShape, Manifold};

/// A triangle about its centre.
struct Triangle([DVec3; 3]);

impl Convex for Triangle {
    fn support(&self, direction: DVec3) -> DVec3 {
        let [a, b, c] = self.0;
        let [of_a, of_b, of_c] = self.0.map(|corner| corner.dot(direction));
        if of_a >= of_b.max(of_c) {
            a
        } else if of_b >= of_c {
            b
        } else {
            c
        }
    }

    fn inside_outside(&self, _point: DVec3) -> f64 {
        f64::INFINITY
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        Ok(())
    }

    fn bounding_radius(&self) -> f64 {
        self.0.iter().map(|corner| corner.length()).fold(0.0, f64::max)
    }
}

impl Search<'_> {
    /// Returns the contact with the plane of a triangle that the grain overlaps, along which it is
    /// least deep.
    pub(super) fn deep_contact(&self, near: &Near) -> Option<ContactPoint> {
        let mesh = near.surface.mesh();
        let mut best: Option<(ContactPoint, u32)> = None;
        let mut most = 0f64;
        for (group, triangles) in near.groups().filter(|(group, _)| group.is_reached) {
            let Some(gap) = group.gap.filter(|gap| *gap < 0.0) else { continue };
            // Points fixed to a flat part of a grain may lie above the plane although its lowest point
            // does not.
            if near.regions().iter().any(|known| known.region == group.region && known.contact.is_some()) {
                continue;
            }
            let Some((side, plane)) = seen_from(near.surface, group.region, self.grain.centre) else { continue };
            for &triangle in triangles {
                let corners = mesh.corners(triangle as usize);
                if !self.overlaps(corners) {
                    continue;
                }
                most = most.max(self.depth(corners));
                // The first one of equally deep triangles.
                if best.is_none_or(|(best, of_best)| best.gap < gap || (best.gap == gap && triangle < of_best)) {
                    let at = closest_point(corners, self.grain.support(-plane.normal) - gap * plane.normal);
                    let feature = Feature::Region(group.region, side);
                    best = Some((self.point(feature, 0, at, plane.normal, gap), triangle));
                }
            }
        }
        best.map(|(best, _)| ContactPoint { gap: best.gap.max(-most), ..best }).filter(|best| best.gap < 0.0)
    }

    /// Returns the least translation that separates the grain from a triangle, m.
    fn depth(&self, corners: [DVec3; 3]) -> f64 {
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        let triangle = Triangle(corners.map(|corner| corner - centre));
        let mut found = Manifold::default();
        convex_convex(&self.placed(&triangle, centre), 0.0, None, &mut found);
        found.deepest().map_or(0.0, |point| -point.gap)
    }

    /// Returns whether the grain overlaps the straight line between two points.
    pub(super) fn overlaps_line(&self, ends: [DVec3; 2]) -> bool {
        let centre = ends[0].midpoint(ends[1]);
        let [from, to] = ends.map(|end| end - centre);
        self.is_overlapped_by(&Triangle([from, to, to]), centre)
    }

    /// Returns whether the grain overlaps a triangle.
    pub(super) fn overlaps(&self, corners: [DVec3; 3]) -> bool {
        // The direction from the closest point of the triangle separates most pairs that are apart.
        let closest = closest_point(corners, self.grain.centre);
        let to_grain = self.grain.centre - closest;
        if to_grain != DVec3::ZERO && self.grain.gap_above(closest, to_grain.normalize()) > 0.0 {
            return false;
        }
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        self.is_overlapped_by(&Triangle(corners.map(|corner| corner - centre)), centre)
    }

    fn is_overlapped_by(&self, triangle: &Triangle, centre: DVec3) -> bool {
        overlap(&self.placed(triangle, centre))
    }

    fn placed<'a>(&'a self, triangle: &'a Triangle, centre: DVec3) -> Placed<'a> {
        Placed {
            a: triangle,
            b: self.grain.shape.as_convex(),
            offset: self.grain.centre - centre,
            orientation_a: DQuat::IDENTITY,
            orientation_b: self.grain.orientation,
        }
    }
}

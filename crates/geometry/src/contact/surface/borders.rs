//! Borders of plane regions near a grain.

use glam::DVec3;

use super::grain::Grain;
use super::near::{Near, NearRegion};
use crate::surface::features::{Fold, NONE};

/// An edge at which a region ends and over which the grain may hang, as seen from the region.
#[derive(Clone, Copy)]
pub(super) struct Border {
    pub from: DVec3,
    pub to: DVec3,
    /// Unit vector along the edge.
    pub along: DVec3,
    /// Unit vector in the plane of the region that points out of it.
    pub outward: DVec3,
    /// Number of the edge.
    pub edge: u32,
}

impl Near<'_> {
    /// Finds the borders of a region near the grain over which the grain may hang.
    pub fn find_limits(&self, region: &NearRegion, grain: &Grain, limits: &mut Vec<Border>) {
        limits.clear();
        for &triangle in self.triangles_of(region) {
            limits.extend((0..3).filter_map(|side| self.limit(region, triangle, side, grain)));
        }
    }

    /// Returns whether an edge at which a region ends, and which passes a point up to a tolerance, has a
    /// property: of its number, and of whether the grain may hang over it.
    pub fn has_border_through(
        &self,
        region: &NearRegion,
        point: DVec3,
        tolerance: f64,
        grain: &Grain,
        is_wanted: impl Fn(u32, bool) -> bool,
    ) -> bool {
        self.triangles_of(region).iter().any(|&triangle| {
            let corners = self.surface.mesh().corners(triangle as usize);
            let passes = |side: usize| {
                let (from, to) = (corners[side], corners[(side + 1) % 3]);
                let way = to - from;
                // Most sides are far from the point, which this shows without a root.
                if way.cross(point - from).length_squared() > 4.0 * tolerance * tolerance * way.length_squared() {
                    return false;
                }
                let direction = way.normalize_or_zero();
                let along = direction.dot(point - from).clamp(0.0, direction.dot(way));
                (from + along * direction - point).length() <= tolerance
            };
            (0..3).any(|side| {
                passes(side)
                    && self
                        .border(region, triangle, side, grain)
                        .is_some_and(|(edge, is_limit)| is_wanted(edge, is_limit))
            })
        })
    }

    /// Returns whether a border of a region that ends at a vertex, and over which the grain may hang, has
    /// a property.
    pub fn has_limit_at(
        &self,
        region: &NearRegion,
        vertex: u32,
        grain: &Grain,
        is_wanted: impl Fn(&Border) -> bool,
    ) -> bool {
        let features = self.surface.features();
        features.star(vertex).iter().any(|&edge| {
            features.triangles_of(edge).iter().any(|&triangle| {
                let side = features.edges_of[triangle as usize].iter().position(|&own| own == edge);
                features.region_of[triangle as usize] == region.region
                    && side.and_then(|side| self.limit(region, triangle, side, grain)).is_some_and(|it| is_wanted(&it))
            })
        })
    }

    /// Returns the edge at a side of a triangle, and whether the grain may hang over it, if the region of
    /// the triangle ends there.
    fn border(&self, region: &NearRegion, triangle: u32, side: usize, grain: &Grain) -> Option<(u32, bool)> {
        let features = self.surface.features();
        let number = features.edges_of[triangle as usize][side];
        if number == NONE {
            return None;
        }
        let edge = &features.edges[number as usize];
        let other = match edge.triangles {
            [a, b] if a == triangle => b,
            [a, _] => a,
        };
        // An edge of one triangle, or of more than two, has no neighbour.
        let neighbour = if edge.triangles[1] == NONE { NONE } else { features.region_of[other as usize] };
        if neighbour == region.region {
            return None;
        }
        let fold = match (edge.fold, region.side) {
            (Fold::Convex, 1) => Fold::Concave,
            (Fold::Concave, 1) => Fold::Convex,
            (fold, _) => fold,
        };
        // Beyond a concave edge the plane lies inside the solid, if the grain is in front of the
        // neighbour, too.
        let is_limit = match fold {
            Fold::Convex | Fold::Open => true,
            Fold::Flat => false,
            Fold::Concave => {
                let plane = features.regions[neighbour as usize];
                let height = plane.normal.dot(grain.centre) - plane.height;
                if region.side == 0 { height <= 0.0 } else { height >= 0.0 }
            }
        };
        Some((number, is_limit))
    }

    /// Returns the side of a triangle as a border of its region, if the grain may hang over it.
    fn limit(&self, region: &NearRegion, triangle: u32, side: usize, grain: &Grain) -> Option<Border> {
        let (edge, _) = self.border(region, triangle, side, grain).filter(|(_, is_limit)| *is_limit)?;
        let corners = self.surface.mesh().corners(triangle as usize);
        let (from, to, opposite) = (corners[side], corners[(side + 1) % 3], corners[(side + 2) % 3]);
        let along = (to - from).normalize_or_zero();
        let across = opposite - from;
        let outward = -(across - across.dot(along) * along).normalize_or_zero();
        Some(Border { from, to, along, outward, edge })
    }
}

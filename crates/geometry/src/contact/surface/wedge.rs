//! Largest possible depth of a grain in the solid beside an edge.
//!
//! Beside a convex or open edge the solid lies below every plane through the edge whose normal is in
//! the fan of the edge. The direction of the fan with the largest gap therefore leads out of the
//! solid. A contact of another feature there that is deeper is not with the nearest surface: a box
//! that has slid beyond the edge of a table by half its length overlaps the plane of the side of the
//! table by this half.

use glam::DVec3;

use super::corner::Tip;
use super::fan::{Fan, fan};
use super::grain::Farthest;
use super::near::{Near, NearRegion};
use super::{Search, region_tilt};
use crate::shape::Surface;
use crate::surface::features::Fold;
use crate::{ContactPoint, Manifold};

/// Relative difference of depths that counts as zero.
const ROUNDING: f64 = 1e-6;

/// Distance that counts as zero, relative to the bounding radius of the grain.
const NOTHING: f64 = 1e-10;

/// An edge near the grain that limits the depth of contacts.
pub(super) struct Wedge {
    pub edge: u32,
    pub ends: [u32; 2],
    /// One end of the edge, unit vector to the other, and length, m.
    pub from: DVec3,
    pub along: DVec3,
    pub length: f64,
    pub fan: Fan,
    /// The direction of the fan with the largest gap; `None` if the grain is farther than the margin.
    pub found: Option<Farthest>,
    /// True if the edge has a contact that is not too deep.
    pub has_contact: bool,
}

/// The edges and corners that limit the depth of contacts beside them.
pub(super) struct Limits {
    pub wedges: Vec<Wedge>,
    pub tips: Vec<Tip>,
}

/// Contacts that are as deep as the solid allows, and those that are deeper.
#[derive(Default)]
pub(super) struct Candidates {
    pub points: Vec<ContactPoint>,
    /// Points that are too deep for an edge, with the largest depth, m, and the wedge (place in the
    /// list) that limits it.
    too_deep: Vec<(ContactPoint, f64, usize)>,
    /// Points that were dropped.
    dropped: Vec<ContactPoint>,
}

impl Search<'_> {
    /// Returns the edges and corners near the grain which limit depths.
    pub(super) fn limits(&self, near: &Near, manifold: &mut Manifold) -> Limits {
        let wedges = near.edges().iter().filter_map(|&edge| self.wedge(edge)).collect();
        Limits { wedges, tips: self.tips(near, manifold) }
    }

    /// Returns an edge if the ball around the grain reaches it.
    fn wedge(&self, edge: u32) -> Option<Wedge> {
        let (features, mesh) = (self.surface.features(), self.surface.mesh());
        let ends = features.edges[edge as usize].ends;
        let [from, to] = ends.map(|vertex| mesh.vertices()[vertex as usize]);
        let length = (to - from).length();
        let along = (to - from) / length;
        let nearest = from + along * along.dot(self.grain.centre - from).clamp(0.0, length);
        if (nearest - self.grain.centre).length() > self.grain.radius + self.margin {
            return None;
        }
        let fan = fan(self.surface, edge)?;
        let mut found = self.grain.farthest(from, &fan, self.margin);
        if found.is_some_and(|found| !found.is_inside) && features.edges[edge as usize].fold == Fold::Open {
            // A grain that hangs over the rim of a sheet with one side meets it from behind, too: the
            // normal turns on without a jump until the grain crosses the sheet.
            let around = Fan { high: std::f64::consts::PI, ..fan };
            found = self.grain.farthest(from, &around, self.margin).filter(|found| found.is_inside).or(found);
        }
        Some(Wedge { edge, ends, from, along, length, fan, found, has_contact: false })
    }

    /// Adds the contacts with one feature, compared with the edges and corners at the vertices that are
    /// accepted. Returns the least gap of those that are not too deep, m. `normal` is theirs, in the
    /// axes of the surface.
    pub(super) fn add_bounded(
        &self,
        (points, normal): (Vec<ContactPoint>, DVec3),
        (near, limits): (&Near, &Limits),
        own_edge: Option<u32>,
        is_beside: impl Fn(&u32) -> bool,
        manifold: &mut Manifold,
        candidates: &mut Candidates,
    ) -> Option<f64> {
        let to_surface = self.pair.orientation_a.inverse();
        let mut least: Option<f64> = None;
        'points: for point in points {
            let at = to_surface * point.arm - 0.5 * point.gap * normal;
            let mut depth = -point.gap * (1.0 - ROUNDING) - NOTHING * self.grain.radius;
            let mut limit = None;
            let tolerance = NOTHING * self.grain.radius;
            // A corner lies above all that meets in it. It has a contact of its own.
            let is_too_deep = |tip: &Tip| {
                -tip.gap < depth
                    && is_beside(&tip.vertex)
                    && tip.normal.dot(at - tip.at) <= tolerance
                    && !self.is_level(tip.normal, normal)
            };
            if point.gap < 0.0 && limits.tips.iter().any(is_too_deep) {
                candidates.dropped.push(point);
                continue;
            }
            // A point in the solid beside an edge that the grain does not reach is not in the grain.
            let is_beyond = |edge: u32| {
                self.surface.features().edges[edge as usize].ends.iter().any(&is_beside)
                    && fan(self.surface, edge)
                        .is_some_and(|fan| is_below_fan(&fan, at - self.start_of(edge), tolerance))
                    && self.wedge(edge).is_some_and(|wedge| wedge.found.is_none())
            };
            if point.gap < 0.0 && near.has_edge_out_of_reach(is_beyond) {
                candidates.dropped.push(point);
                continue;
            }
            for (place, wedge) in limits.wedges.iter().enumerate() {
                // Gaps of separate bodies are those of the nearest points.
                let is_other = Some(wedge.edge) != own_edge && wedge.ends.iter().any(&is_beside);
                if point.gap >= 0.0 || !is_other {
                    continue;
                }
                // Along nearly the same direction, both are depths of the same point of the grain.
                let along_fan = wedge.found.map(|found| {
                    let cosine = found.normal.dot(normal);
                    if self.is_level(found.normal, normal) { -found.gap / cosine } else { -found.gap }
                });
                if along_fan.is_some_and(|along_fan| along_fan >= depth) || !wedge.contains(at, tolerance) {
                    continue;
                }
                let Some(along_fan) = along_fan else {
                    candidates.dropped.push(point);
                    continue 'points;
                };
                depth = along_fan;
                limit = Some(place);
            }
            if let Some(place) = limit {
                candidates.too_deep.push((point, depth, place));
            } else {
                manifold.set_nearest(point);
                least = Some(least.map_or(point.gap, |known| known.min(point.gap)));
                candidates.points.push(point);
            }
        }
        least
    }

    /// Returns the first end of an edge.
    fn start_of(&self, edge: u32) -> DVec3 {
        self.surface.mesh().vertices()[self.surface.features().edges[edge as usize].ends[0] as usize]
    }

    /// Returns whether two normals differ by less than the tilt of a face that rests on a region.
    fn is_level(&self, one: DVec3, other: DVec3) -> bool {
        one.dot(other) > region_tilt(&self.grain)
    }

    /// Returns the contacts, and the one of least depth among those that were dropped. A contact that
    /// is too deep is dropped if the limiting edge or a region at this edge has a contact, and is
    /// reduced to the limit otherwise.
    pub(super) fn accepted(
        &self,
        candidates: Candidates,
        near: &Near,
        wedges: &[Wedge],
        manifold: &mut Manifold,
    ) -> (Vec<ContactPoint>, Option<ContactPoint>) {
        let Candidates { mut points, too_deep, mut dropped } = candidates;
        for (point, depth, place) in too_deep {
            let wedge = &wedges[place];
            let has_contact =
                |known: &NearRegion| known.contact.is_some() && wedge.has_region(self.surface, known.region);
            if wedge.has_contact || near.regions().iter().any(has_contact) {
                dropped.push(point);
                continue;
            }
            let point =
                ContactPoint { gap: -depth, arm: point.arm - 0.5 * (point.gap + depth) * point.normal, ..point };
            manifold.set_nearest(point);
            points.push(point);
        }
        (points, dropped.into_iter().max_by(|p, q| p.gap.total_cmp(&q.gap)))
    }
}

impl Wedge {
    /// Returns the regions that meet in the edge.
    pub fn regions(&self, surface: &Surface) -> impl Iterator<Item = u32> {
        let features = surface.features();
        features.triangles_of(self.edge).iter().map(|&triangle| features.region_of[triangle as usize])
    }

    /// Returns whether the edge belongs to a region.
    pub fn has_region(&self, surface: &Surface, region: u32) -> bool {
        self.regions(surface).any(|own| own == region)
    }

    /// Returns whether a point lies in the solid beside the edge, or within a tolerance of it. A point
    /// of the same region on the far side of a hole does not.
    fn contains(&self, point: DVec3, tolerance: f64) -> bool {
        is_below_fan(&self.fan, point - self.from, tolerance)
    }
}

/// Returns whether a point, given relative to an edge, lies in the solid beside it, or within a
/// tolerance of it.
fn is_below_fan(fan: &Fan, point: DVec3, tolerance: f64) -> bool {
    let is_below = |angle: f64| fan.normal(angle).dot(point) <= tolerance;
    is_below(fan.low) && is_below(0.5 * (fan.low + fan.high)) && is_below(fan.high)
}

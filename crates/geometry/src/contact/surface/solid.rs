//! Contacts of boxes and polyhedra with the solid behind a one-sided surface, by moments.
//!
//! The patches of the surface inside the grain are divided at concave edges into parts. The solid of
//! a part is the intersection of the half-spaces below its patches. The overlap of the grain and
//! this solid is that of two polytopes, so that the force is the gradient of one function of the
//! pose. See `docs/theory/surfaces.md`.

use glam::DVec3;

use super::near::Near;
use super::parts::{Part, parts, with_hollows};
use super::patches::{FlatGrain, HalfSpaceBelow, Patch, patches};
use super::shares::Overlap;
use super::{Feature, LOCAL_BITS, Search};
use crate::contact::point::GAP_NOT_COMPUTED;
use crate::contact::region::contact::point_of_solid;
use crate::contact::region::cut_polytope::CutScratch;
use crate::{ContactPoint, Manifold};

/// Difference of distances that counts as zero, relative to the bounding radius of the grain: some
/// thousand rounding errors.
const ROUNDING: f64 = 1e-12;

/// Overlap that counts as none if the grain overlaps no triangle, relative to its bounding radius.
const TOUCHING: f64 = 1e-10;

/// Largest number of regions and edges of a surface whose feature numbers contain them unchanged,
/// with as many corners.
const LARGEST_NUMBER: u32 = 1 << (31 - LOCAL_BITS);

/// Largest number of patches among which overlaps are shared out. The cost grows with the square.
const MOST_PATCHES: usize = 40;

/// The contacts of a grain with the solid behind a surface.
pub(super) struct SolidContacts {
    pub points: Vec<ContactPoint>,
    /// Regions that the grain overlaps, in ascending order.
    regions: Vec<u32>,
}

impl SolidContacts {
    /// Returns whether no other feature of the surface is near the grain.
    pub fn are_all(&self, near: &Near) -> bool {
        near.groups()
            .filter(|(group, _)| group.is_reached)
            .all(|(group, _)| self.regions.binary_search(&group.region).is_ok())
    }
}

/// What the contacts with the solid are found from.
struct Finding<'a> {
    near: &'a Near<'a>,
    patches: &'a [Patch],
    body: &'a FlatGrain,
    manifold: &'a mut Manifold,
    scratch: CutScratch,
}

impl Finding<'_> {
    /// Returns the share of some patches in an overlap, if there is one; `None` if there are too many
    /// patches.
    fn share(&mut self, whole: Option<Overlap>, own: &[&Patch]) -> Option<Option<Overlap>> {
        if self.patches.len() > MOST_PATCHES {
            return None;
        }
        Some(whole.and_then(|whole| whole.share_of(own, self.patches, &mut self.scratch)))
    }
}

impl Search<'_> {
    /// Returns the contacts with the solid behind the surface; `None` if the grain or the surface
    /// has none, or if the overlap is too deep.
    pub(super) fn solid_contacts(&self, near: &Near, manifold: &mut Manifold) -> Option<SolidContacts> {
        // On a plane region alone the routine of the half-space gives the same.
        if self.surface.is_two_sided() || !FlatGrain::exists(&self.grain) || near.edges().is_empty() {
            return None;
        }
        let (patches, body) = patches(near, &self.grain)?;
        let mut points = Vec::new();
        let mut finding = Finding { near, patches: &patches, body: &body, manifold, scratch: CutScratch::default() };
        for part in parts(&patches, ROUNDING * self.grain.radius) {
            // Otherwise the grain is behind the surface.
            if part.is_in_front() {
                self.add_part(&part, &mut finding, &mut points)?;
            }
        }
        self.add_hidden_regions(&mut finding, &mut points)?;
        let mut found = SolidContacts { points, regions: patches.iter().map(|patch| patch.region).collect() };
        // The depth of the bodies is that of the only overlap. On a half-space it is known.
        let is_half_space = patches.len() == 1 && patches[0].rims.is_empty();
        if let ([ContactPoint { gap, overlap: Some(_), .. }], false) = (&mut found.points[..], is_half_space) {
            *gap = GAP_NOT_COMPUTED;
        }
        Some(found)
    }

    /// Drops points that overlap: all overlaps are those with the solid. Gives the others the feature
    /// numbers that their contacts have while they overlap, because the law ends a contact at its
    /// distance, and drops those that then have the number of another.
    pub(super) fn keep_separated(&self, points: &mut Vec<ContactPoint>, solid: &SolidContacts) {
        let touching = TOUCHING * self.grain.radius;
        points.sort_by(|p, q| p.gap.total_cmp(&q.gap).then(p.feature.cmp(&q.feature)));
        let mut known: Vec<u32> = solid.points.iter().map(|point| point.feature).collect();
        points.retain_mut(|point| {
            if point.gap < -touching {
                return false;
            }
            let feature = self.number_in_solid(point.feature);
            *point = ContactPoint { gap: point.gap.max(0.0), feature, overlap: None, ..*point };
            let is_new = !known.contains(&feature);
            known.push(feature);
            is_new
        });
    }

    /// Returns the number of the contact with the solid at a feature: that of its lowest region.
    fn number_in_solid(&self, number: u32) -> u32 {
        let features = self.surface.features();
        let (regions, edges) = (2 * features.regions.len() as u32, features.edges.len() as u32);
        let lowest_of =
            |edge: u32| features.triangles_of(edge).iter().map(|&triangle| features.region_of[triangle as usize]).min();
        // The numbers of larger surfaces cannot be read back.
        let of_surface = number >> LOCAL_BITS;
        let lowest = match of_surface {
            _ if regions + edges > LARGEST_NUMBER => None,
            region if region < regions => Some(region / 2),
            edge if edge < regions + edges => lowest_of(edge - regions),
            corner => features.star(corner - regions - edges).iter().filter_map(|&edge| lowest_of(edge)).min(),
        };
        lowest.map_or(number, |region| self.number(Feature::Region(region, 0), 0))
    }

    fn add_part(&self, part: &Part, of: &mut Finding, found: &mut Vec<ContactPoint>) -> Option<()> {
        let label = self.number(Feature::Region(part.patches[0].region, 0), 0);
        let around = with_hollows(&part.patches, of.patches);
        if let ([patch], []) = (&part.patches[..], &part.rims[..])
            && around.len() == of.patches.len()
        {
            let region = of.near.regions().iter().find(|region| region.region == patch.region && region.side == 0)?;
            self.as_half_space(region, of.manifold, found);
            return Some(());
        }
        let (before, least) = (found.len(), ROUNDING * self.grain.radius);
        let least_deep = part.patches.iter().max_by(|p, q| p.gap.total_cmp(&q.gap))?;
        let planes: Vec<Vec<HalfSpaceBelow>> =
            part.patches.iter().map(|patch| part.planes_above(patch, least)).collect();
        let of_all = part.patches.len() + part.rims.len();
        if planes.iter().all(|above| above.len() == of_all) {
            let whole = Overlap::below(&of.body.solid, &planes[0], least_deep.plane.0, least, &mut of.scratch);
            let overlap = if around.len() == of.patches.len() { whole } else { of.share(whole, &around)? };
            match overlap {
                Some(overlap) => found.push(self.point_of_overlap(&overlap, label)?),
                None => found.push(self.touching(least_deep, label)),
            }
            return Some(());
        }
        for (patch, above) in part.patches.iter().zip(&planes) {
            let label = self.number(Feature::Region(patch.region, 0), 0);
            let whole = Overlap::below(&of.body.solid, above, patch.plane.0, least, &mut of.scratch);
            if let Some(overlap) = of.share(whole, &with_hollows(&[patch], of.patches))? {
                found.push(self.point_of_overlap(&overlap, label)?);
            }
        }
        if found.len() == before {
            found.push(self.touching(least_deep, label));
        }
        Some(())
    }

    /// Adds the contacts with regions that the grain does not overlap, but whose planes it overlaps
    /// inside the solid, below a patch across a concave edge.
    fn add_hidden_regions(&self, of: &mut Finding, found: &mut Vec<ContactPoint>) -> Option<()> {
        for region in of.near.regions() {
            if region.gap >= 0.0 || of.patches.iter().any(|patch| patch.region == region.region) {
                continue;
            }
            let own: Vec<&Patch> = of.patches.iter().filter(|patch| patch.is_across_from(region.region)).collect();
            if own.is_empty() {
                continue;
            }
            // Without a patch of the region, this part of the grain is below the others, too.
            let least = ROUNDING * self.grain.radius;
            let mut planes = vec![(region.normal, -region.height)];
            planes.extend(own.iter().map(|patch| patch.plane));
            let whole = Overlap::below(&of.body.solid, &planes, region.normal, least, &mut of.scratch);
            let overlap = whole.and_then(|whole| whole.hidden_share(region.region, &own, &mut of.scratch));
            if let Some(overlap) = overlap {
                let label = self.number(Feature::Region(region.region, 0), 0);
                found.push(self.point_of_overlap(&overlap, label)?);
            }
        }
        Some(())
    }

    /// Returns the contact of an overlap; `None` if no force separates the bodies.
    fn point_of_overlap(&self, overlap: &Overlap, feature: u32) -> Option<ContactPoint> {
        let normal = overlap.smooth.gradient.translation.try_normalize()?;
        let gap = -overlap.region.width(normal);
        Some(point_of_solid(overlap.smooth, gap, self.grain.curvature(-normal), feature, self.pair))
    }

    /// Returns the contact of a grain whose overlap is as small as rounding.
    fn touching(&self, patch: &Patch, feature: u32) -> ContactPoint {
        let middle = patch.outline.iter().sum::<DVec3>() / patch.outline.len() as f64;
        let point = self.point(Feature::Region(patch.region, 0), 0, self.grain.centre + middle, patch.plane.0, 0.0);
        ContactPoint { feature, ..point }
    }
}

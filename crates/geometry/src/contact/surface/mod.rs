//! Contact of a convex grain with a triangulated surface.
//!
//! 1. `near` collects the triangles near the grain, and from them regions, edges and corners; `borders`
//!    knows where regions end, and `fan` which normals an edge has.
//! 2. `region` lets a region act as a half-space, or clips the face of the grain by its triangles.
//! 3. `edge` and `corner` find the contacts at convex and open edges and corners.
//! 4. `wedge` finds the contacts that are deeper than the solid beside an edge.
//! 5. `inside` finds where the planes and lines of features continue inside the solid.
//! 6. `deep` serves deep overlaps that no feature explains.
//! 7. `reduce` limits the number of points.
//!
//! Boxes and polyhedra by moments overlap the solid behind a one-sided surface instead: `patches`
//! finds the parts of the surface inside the grain, `parts` the convex solids behind them, `shares`
//! the overlaps, and `solid` makes contacts of them.
//!
//! Everything is computed in the body axes of the surface. See `docs/theory/surfaces.md`.

mod borders;
mod corner;
mod deep;
mod edge;
mod face;
mod fan;
mod grain;
mod inside;
mod near;
mod parts;
mod patches;
mod reduce;
mod region;
mod shares;
mod solid;
mod wedge;

use glam::DVec3;

use super::manifold::MAX_POINTS_ON_SURFACE;
use super::smooth::flat_face::TILT;
use crate::shape::Surface;
use crate::{ContactPoint, Manifold, Measure, Pair, Shape, Status};
use grain::Grain;
use near::Near;
use wedge::Candidates;

/// Gap up to which an unlimited search reports contacts first, relative to the bounding radius of
/// the grain. A loaded contact whose grain has just left the surface is nearer.
const FIRST_MARGIN: f64 = 2e-3;

/// Distance from a surface, relative to the bounding radius, for which a grain is tested. A longer
/// one is free less often, and a shorter one is soon travelled.
const FREE: f64 = 0.03;

/// Factor by which an unlimited search grows until it finds something.
const GROWTH: f64 = 8.0;

/// Largest number of such searches: from 0.002 radii to the largest distances that are supported.
const MOST_SEARCHES: usize = 120;

/// Angle between the normals of a region and of an edge, rad, that counts as zero for a round grain.
const SAME_DIRECTION: f64 = 1e-7;

/// Number of bits of a feature number that count the points of one feature of the surface.
const LOCAL_BITS: u32 = 9;

/// Finds the contacts by depth. Body a is the surface.
pub(in crate::contact) fn by_depth(pair: &Pair, manifold: &mut Manifold) {
    collide(Measure::Depth, pair, manifold);
}

/// Finds the contacts by moments where the grain meets the plane of a region, and by depth at edges
/// and corners. Body a is the surface.
pub(in crate::contact) fn by_moments(pair: &Pair, manifold: &mut Manifold) {
    collide(Measure::Moments, pair, manifold);
}

fn collide(measure: Measure, pair: &Pair, manifold: &mut Manifold) {
    let Shape::Surface(surface) = pair.a else { unreachable!("the pair table puts the surface first") };
    let grain = Grain::new(pair);
    if pair.margin.is_finite() {
        return Search { measure, pair, surface, grain, margin: pair.margin.max(0.0) }.run(manifold);
    }
    // An unlimited search serves loaded contacts, which are near, and queries, for which the nearest
    // feature is enough.
    let mut margin = FIRST_MARGIN * grain.radius;
    Search { measure, pair, surface, grain, margin }.run(manifold);
    if !manifold.points().is_empty() {
        return;
    }
    let distance = surface.distance(grain.centre);
    // A feature that is farther than the nearest point cannot be the nearest one.
    let last = GROWTH * (distance + grain.radius);
    margin = (GROWTH * margin).max(distance - grain.radius);
    for _ in 0..MOST_SEARCHES {
        Search { measure, pair, surface, grain, margin }.run(manifold);
        if !manifold.points().is_empty() || margin > last {
            return;
        }
        margin *= GROWTH;
    }
}

/// Returns a distance by which a grain and a surface are at least apart, m; zero if none is known.
/// Body a is the surface. It is quicker than a search for contacts.
pub fn free_distance(pair: &Pair) -> f64 {
    let Shape::Surface(surface) = pair.a else { return 0.0 };
    let grain = Grain::new(pair);
    let margin = FREE * grain.radius;
    if Near::new(surface, &grain, margin).is_out_of_reach() { margin } else { 0.0 }
}

/// One search with a finite margin.
struct Search<'p> {
    measure: Measure,
    pair: &'p Pair<'p>,
    surface: &'p Surface,
    grain: Grain<'p>,
    /// Gap up to which contacts are reported, m.
    margin: f64,
}

/// A feature of the surface to which a contact belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Feature {
    /// A region and its side: 0 is the front.
    Region(u32, u32),
    Edge(u32),
    Corner(u32),
}

impl Search<'_> {
    fn run(&self, manifold: &mut Manifold) {
        manifold.clear();
        let mut near = Near::new(self.surface, &self.grain, self.margin);
        if near.is_out_of_reach() {
            return;
        }
        near.find_features(&self.grain, self.margin);
        let solid = if self.measure == Measure::Moments { self.solid_contacts(&near, manifold) } else { None };
        let Some(solid) = solid else {
            for point in self.by_features(&mut near, manifold) {
                manifold.push(point);
            }
            return;
        };
        let mut points = Vec::new();
        // Without a margin only overlaps count.
        if self.margin > 0.0 && !solid.are_all(&near) {
            points = self.by_features(&mut near, manifold);
            self.keep_separated(&mut points, &solid);
        }
        points.extend(solid.points);
        for point in reduce::deepest(points, MAX_POINTS_ON_SURFACE) {
            manifold.push(point);
        }
    }

    /// Returns the contacts with the features of the surface.
    fn by_features(&self, near: &mut Near, manifold: &mut Manifold) -> Vec<ContactPoint> {
        let (mut on_planes, mut candidates) = (Vec::new(), Candidates::default());
        let mut limits = self.limits(near, manifold);
        self.region_contacts(near, &limits, manifold, &mut on_planes, &mut candidates);
        self.edge_contacts(near, &mut limits, manifold, &mut candidates);
        let (mut clipped, dropped) = self.accepted(candidates, near, &limits.wedges, manifold);
        self.corner_contacts(near, &limits.tips, manifold, &mut clipped);
        if on_planes.iter().chain(&clipped).all(|point| point.law_overlap() <= 0.0) {
            // The least deep contact has changed the least since a feature was in contact.
            let deep = self.deep_contact(near).map(|deep| {
                let others = dropped.into_iter().chain(self.corner_inside(near));
                others.fold(deep, |best, other| if other.gap > best.gap { other } else { best })
            });
            clipped.extend(deep);
        }
        // The points on planes are those of the half-space.
        on_planes.extend(reduce::without_superfluous(clipped, self.grain.radius));
        reduce::deepest(on_planes, MAX_POINTS_ON_SURFACE)
    }

    /// Returns the number of a feature of the pair. `local` counts the points of a feature of the
    /// surface.
    fn number(&self, feature: Feature, local: u32) -> u32 {
        let features = self.surface.features();
        let (regions, edges) = (2 * features.regions.len() as u32, features.edges.len() as u32);
        let of_surface = match feature {
            Feature::Region(region, side) => 2 * region + side,
            Feature::Edge(edge) => regions + edge,
            Feature::Corner(corner) => regions + edges + corner,
        };
        of_surface.wrapping_shl(LOCAL_BITS) ^ (local & ((1 << LOCAL_BITS) - 1)) ^ (of_surface >> (32 - LOCAL_BITS))
    }

    /// Returns a contact point at `at`, a point of the surface in its axes. `normal` points to the
    /// grain.
    fn point(&self, feature: Feature, local: u32, at: DVec3, normal: DVec3, gap: f64) -> ContactPoint {
        let to_world = self.pair.orientation_a;
        debug_assert!(normal.is_normalized() && gap.is_finite(), "{feature:?}: {normal}, {gap}");
        ContactPoint {
            arm: to_world * (at + 0.5 * gap * normal),
            normal: to_world * normal,
            gap,
            curvature: self.grain.curvature(-normal),
            feature: self.number(feature, local),
            overlap: None,
        }
    }
}

/// Keeps the worse of two results.
fn note(manifold: &mut Manifold, status: Status) {
    if manifold.status == Status::Converged {
        manifold.status = status;
    }
}

/// Returns the cosine of the angle to the normal of a region with contacts, within which its edges
/// and corners have none.
fn region_tilt(grain: &Grain) -> f64 {
    let tilt = if grain.has_flat_parts { TILT } else { SAME_DIRECTION };
    1.0 - 0.5 * tilt * tilt
}

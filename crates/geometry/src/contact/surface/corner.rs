//! Contacts with corners of the surface: a corner is a ball of radius zero.

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};

use super::edge::LEVEL;
use super::fan::Fan;
use super::grain::Farthest;
use super::near::Near;
use super::region_tilt;
use super::{Feature, Search, note};
use crate::contact::table::PairTable;
use crate::shape::Sphere;
use crate::{ContactPoint, Kind, Manifold, Measure, Pair, Shape};

/// Radius of the ball in the place of a corner, relative to the bounding radius of the grain. It is
/// subtracted exactly: the pair routines of a ball add its radius to the distance of its centre.
const BALL: f64 = 1e-6;

/// Tolerance of the test whether a normal lies in the normal cone of a corner.
const IN_CONE: f64 = 1e-9;

/// Largest number of great circles along which the maximum of the gap within a cone is sought.
const MOST_ARCS: usize = 20;

/// Difference of gaps at which this search ends, relative to the bounding radius of the grain.
const SAME_GAP: f64 = 1e-10;

/// A corner near the grain whose contact normal lies in its normal cone.
pub(super) struct Tip {
    pub vertex: u32,
    pub at: DVec3,
    /// Unit normal to the grain.
    pub normal: DVec3,
    /// Gap along the normal, m.
    pub gap: f64,
}

impl Search<'_> {
    /// Returns the corners near the grain at which it can have contacts.
    pub(super) fn tips(&self, near: &Near, manifold: &mut Manifold) -> Vec<Tip> {
        near.corners().iter().filter_map(|&vertex| self.tip(near, vertex, manifold)).collect()
    }

    fn tip(&self, near: &Near, vertex: u32, manifold: &mut Manifold) -> Option<Tip> {
        let at = near.surface.mesh().vertices()[vertex as usize];
        let to_grain = self.grain.centre - at;
        let distance = to_grain.length();
        if distance > self.grain.radius + self.margin || distance == 0.0 {
            return None;
        }
        // Every gap along a direction is a lower bound of the gap.
        if self.grain.gap_above(at, to_grain / distance) > self.margin {
            return None;
        }
        let (normal, gap) = self.ball_contact(at, manifold)?;
        let is_contact = gap <= self.margin
            && normal.dot(to_grain) > 0.0
            && is_in_cone(&near.star_directions(vertex), normal)
            && self.is_in_front(near, vertex, normal);
        is_contact.then_some(Tip { vertex, at, normal, gap })
    }

    /// Returns the least deep contact with a corner inside the grain whose nearest point of the grain
    /// lies outside of its cone.
    pub(super) fn corner_inside(&self, near: &Near) -> Option<ContactPoint> {
        let mut best: Option<ContactPoint> = None;
        for &vertex in near.corners() {
            let at = near.surface.mesh().vertices()[vertex as usize];
            if !self.grain.contains(at) {
                continue;
            }
            let Some((normal, gap)) = self.exit_within_cone(at, &near.star_directions(vertex)) else { continue };
            let is_contact = normal.dot(self.grain.centre - at) > 0.0 && self.is_in_front(near, vertex, normal);
            if is_contact && best.is_none_or(|best| gap > best.gap) {
                best = Some(self.point(Feature::Corner(vertex), 0, at, normal, gap));
            }
        }
        best
    }

    /// Finds the normal in the cone of a corner inside the grain along which the gap has a maximum.
    ///
    /// The nearest point of the surface of the grain may lie in another direction, for example beyond
    /// the flat base of a cylinder that a corner of a block enters through its curved side.
    fn exit_within_cone(&self, at: DVec3, star: &[DVec3]) -> Option<(DVec3, f64)> {
        let mut best: Option<Farthest> = None;
        // The cone is bounded by the fans of its edges. A maximum within it is uphill from one of them.
        for &edge in star {
            let across = |other: &DVec3| (*other - other.dot(edge) * edge).try_normalize();
            let Some(u) = self.grain_side(at, edge) else { continue };
            let Some(fan) = arc_within_cone(u, edge.cross(u), star.iter().filter_map(across)) else { continue };
            let found = self.grain.farthest(at, &fan, 0.0)?;
            let is_uphill = edge.dot(found.support - at) < 0.0;
            if is_uphill && is_in_cone(star, found.normal) && best.is_none_or(|best| found.gap > best.gap) {
                best = Some(found);
            }
        }
        let mut best = best?;
        for _ in 0..MOST_ARCS {
            let to_support = best.support - at;
            let across = to_support - to_support.dot(best.normal) * best.normal;
            if across.length() <= SAME_GAP * self.grain.radius {
                break;
            }
            // Once more: the first difference may have lost its digits.
            let across = across.normalize();
            let uphill = (across - across.dot(best.normal) * best.normal).normalize();
            let Some(fan) = arc_within_cone(best.normal, uphill, star.iter().copied()) else { break };
            if fan.high <= IN_CONE {
                break;
            }
            let found = self.grain.farthest(at, &Fan { low: 0.0, ..fan }, 0.0)?;
            if found.gap <= best.gap + SAME_GAP * self.grain.radius {
                break;
            }
            best = Farthest { normal: found.normal.normalize(), ..found };
        }
        // Uphill beyond the boundary of the cone lies a contact of another feature.
        let leads_out = |along: &DVec3| {
            along.dot(best.normal) > -IN_CONE && along.dot(best.support - at) > SAME_GAP * self.grain.radius
        };
        (!star.iter().any(leads_out)).then(|| (best.normal.normalize(), best.gap))
    }

    /// Returns the unit vector perpendicular to a line through a point that points to the centre of
    /// the grain.
    fn grain_side(&self, at: DVec3, along: DVec3) -> Option<DVec3> {
        let to_grain = self.grain.centre - at;
        (to_grain - to_grain.dot(along) * along).try_normalize()
    }

    /// Adds the contacts with the corners near the grain.
    pub(super) fn corner_contacts(
        &self,
        near: &Near,
        tips: &[Tip],
        manifold: &mut Manifold,
        points: &mut Vec<ContactPoint>,
    ) {
        for tip in tips {
            let is_taken = near.regions().iter().any(|region| {
                let of_region = || {
                    near.triangles_of(region)
                        .iter()
                        .any(|&t| near.surface.mesh().triangles()[t as usize].contains(&tip.vertex))
                };
                region.contact.is_some_and(|gap| tip.gap >= 0.0 || gap <= LEVEL * tip.gap)
                    && region.normal.dot(tip.normal) > region_tilt(&self.grain)
                    && of_region()
            });
            let point = self.point(Feature::Corner(tip.vertex), 0, tip.at, tip.normal, tip.gap);
            if is_taken {
                manifold.set_nearest(point);
            } else {
                points.push(point);
            }
        }
    }

    /// Returns the unit normal from a point to the grain and their gap, m.
    fn ball_contact(&self, at: DVec3, manifold: &mut Manifold) -> Option<(DVec3, f64)> {
        let radius = BALL * self.grain.radius;
        let ball = Shape::Sphere(Sphere { radius });
        let pair = Pair {
            a: &ball,
            b: self.grain.shape,
            offset: self.grain.centre - at,
            orientation_a: DQuat::IDENTITY,
            orientation_b: self.grain.orientation,
            margin: f64::INFINITY,
            warm: None,
        };
        let mut found = Manifold::default();
        let routine = PairTable::standard().routine(Measure::Depth, Kind::Sphere, self.grain.shape.kind());
        routine.evaluate(&pair, &mut found);
        note(manifold, found.status);
        manifold.iterations += found.iterations;
        found.deepest().map(|point| (point.normal, point.gap + radius))
    }

    /// Returns whether a normal at a vertex points to a side on which the surface acts. The back of a
    /// one-sided surface has no contacts.
    fn is_in_front(&self, near: &Near, vertex: u32, normal: DVec3) -> bool {
        let features = near.surface.features();
        let is_in_front = |edge: &u32| {
            features.triangles_of(*edge).iter().any(|&triangle| {
                features.regions[features.region_of[triangle as usize] as usize].normal.dot(normal) > 0.0
            })
        };
        near.surface.is_two_sided() || features.star(vertex).iter().any(is_in_front)
    }
}

impl Near<'_> {
    /// Returns the unit vectors along the edges that meet in a vertex.
    fn star_directions(&self, vertex: u32) -> Vec<DVec3> {
        let (features, mesh) = (self.surface.features(), self.surface.mesh());
        let at = mesh.vertices()[vertex as usize];
        let away = |edge: &u32| {
            let [a, b] = features.edges[*edge as usize].ends;
            (mesh.vertices()[if a == vertex { b } else { a } as usize] - at).try_normalize()
        };
        features.star(vertex).iter().filter_map(away).collect()
    }
}

/// Returns whether `normal.d <= 0` for every direction in which the surface leaves a vertex.
fn is_in_cone(star: &[DVec3], normal: DVec3) -> bool {
    star.iter().all(|along| normal.dot(*along) <= IN_CONE)
}

/// Returns the arc of the unit vectors `cos(t) u + sin(t) w`, within a right angle of u, that have no
/// positive component along any of the directions. `None` if there is none.
fn arc_within_cone(u: DVec3, w: DVec3, star: impl Iterator<Item = DVec3>) -> Option<Fan> {
    let mut fan = Fan { u, w, low: -FRAC_PI_2, high: FRAC_PI_2 };
    for along in star {
        let (of_u, of_w) = (along.dot(u), along.dot(w));
        if of_u.abs().max(of_w.abs()) <= IN_CONE {
            continue;
        }
        // The component is proportional to cos(t - peak) and not positive beyond a right angle from it.
        let peak = libm::atan2(of_w, of_u);
        if peak >= 0.0 {
            fan.high = fan.high.min(peak - FRAC_PI_2);
            fan.low = fan.low.max(peak - 3.0 * FRAC_PI_2);
        } else {
            fan.low = fan.low.max(peak + FRAC_PI_2);
            fan.high = fan.high.min(peak + 3.0 * FRAC_PI_2);
        }
    }
    (fan.low < fan.high).then_some(fan)
}

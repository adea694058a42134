//! Contacts with corners of the surface: a corner is a ball of radius zero.

use glam::{DQuat, DVec3};

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
        near.corners().into_iter().filter_map(|vertex| self.tip(near, vertex, manifold)).collect()
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
        let is_contact = gap <= self.margin && normal.dot(to_grain) > 0.0 && self.is_in_cone(near, vertex, normal);
        is_contact.then_some(Tip { vertex, at, normal, gap })
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
            let is_taken = near.regions.iter().any(|region| {
                region.contact.is_some()
                    && region.normal.dot(tip.normal) > region_tilt(&self.grain)
                    && region
                        .triangles
                        .iter()
                        .any(|&t| near.surface.mesh().triangles()[t as usize].contains(&tip.vertex))
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

    /// Returns whether `normal.d <= 0` for every direction in which the surface leaves a vertex.
    fn is_in_cone(&self, near: &Near, vertex: u32, normal: DVec3) -> bool {
        let (features, mesh) = (near.surface.features(), near.surface.mesh());
        let at = mesh.vertices()[vertex as usize];
        let falls_away = |edge: &u32| {
            let [a, b] = features.edges[*edge as usize].ends;
            let along = mesh.vertices()[if a == vertex { b } else { a } as usize] - at;
            normal.dot(along) <= IN_CONE * along.length()
        };
        // The back of a one-sided surface has no contacts.
        let is_in_front = |edge: &u32| {
            features.triangles_of(*edge).iter().any(|&triangle| {
                features.regions[features.region_of[triangle as usize] as usize].normal.dot(normal) > 0.0
            })
        };
        let star = features.star(vertex);
        star.iter().all(falls_away) && (near.surface.is_two_sided() || star.iter().any(is_in_front))
    }
}

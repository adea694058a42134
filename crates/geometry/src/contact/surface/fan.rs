//! Fans: the contact normals of edges.

use glam::DVec3;

use crate::shape::Surface;
use crate::surface::features::Fold;

/// An arc of unit vectors: `cos(t) u + sin(t) w` for t from `low` to `high`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fan {
    pub u: DVec3,
    pub w: DVec3,
    pub low: f64,
    pub high: f64,
}

impl Fan {
    pub fn normal(&self, angle: f64) -> DVec3 {
        let (sin, cos) = libm::sincos(angle);
        cos * self.u + sin * self.w
    }

    /// Returns the normal at an angle, and its derivative.
    pub fn normal_and_slope(&self, angle: f64) -> (DVec3, DVec3) {
        let (sin, cos) = libm::sincos(angle);
        (cos * self.u + sin * self.w, cos * self.w - sin * self.u)
    }

    /// Returns the angle within the fan that is closest to a direction.
    pub fn angle_towards(&self, direction: DVec3) -> f64 {
        let angle = libm::atan2(direction.dot(self.w), direction.dot(self.u));
        // The arc is at most a half circle: an angle beyond the far end may have wrapped.
        let middle = 0.5 * (self.low + self.high);
        let offset = (angle - middle + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        middle + offset.clamp(self.low - middle, self.high - middle)
    }
}

/// Returns the fan of normals of an edge: the unit vectors perpendicular to it with `n.d <= 0`
/// for the direction d of each of its triangles. `None` if there is no such vector, or if the
/// grain is not on a side on which the surface acts.
pub(super) fn fan(surface: &Surface, number: u32) -> Option<Fan> {
    use std::f64::consts::{FRAC_PI_2, PI};
    let (features, mesh) = (surface.features(), surface.mesh());
    let edge = &features.edges[number as usize];
    let is_two_sided = surface.is_two_sided();
    if edge.fold == Fold::Flat || (edge.fold == Fold::Concave && !is_two_sided) {
        return None;
    }
    let from = mesh.vertices()[edge.ends[0] as usize];
    let along = (mesh.vertices()[edge.ends[1] as usize] - from).try_normalize()?;
    let into = |triangle: u32| {
        let corners = mesh.triangles()[triangle as usize];
        let opposite = corners.into_iter().find(|corner| !edge.ends.contains(corner))?;
        let across = mesh.vertices()[opposite as usize] - from;
        (across - across.dot(along) * along).try_normalize()
    };
    let triangles = features.triangles_of(number);
    let first = *triangles.first()?;
    let normal = features.regions[features.region_of[first as usize] as usize].normal;
    // The normal of a region may differ from that of its triangle by rounding of the file.
    let u = (normal - normal.dot(along) * along).try_normalize()?;
    let w = -into(first)?;
    let w = (w - w.dot(u) * u).try_normalize()?;
    let mut fan = Fan { u, w, low: 0.0, high: if is_two_sided { PI } else { FRAC_PI_2 } };
    if edge.fold == Fold::Convex || edge.fold == Fold::Concave {
        fan.high = PI;
    }
    for &other in &triangles[1..] {
        let d = into(other)?;
        // cos(t - angle of d) <= 0
        let angle = libm::atan2(d.dot(w), d.dot(u));
        if angle > FRAC_PI_2 {
            fan.high = fan.high.min(angle - FRAC_PI_2);
        } else if angle >= -FRAC_PI_2 {
            fan.low = fan.low.max(angle + FRAC_PI_2);
        } else {
            fan.high = fan.high.min(angle + 3.0 * FRAC_PI_2);
        }
    }
    (fan.low < fan.high).then_some(fan)
}

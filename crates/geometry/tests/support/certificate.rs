//! Verification of a contact from the bodies alone, independent of the routine that computed it.

use glam::{DQuat, DVec3};
use granum_geometry::contact::general::{Placed, convex_convex};
use granum_geometry::numeric::math::tangent_frame;
use granum_geometry::{ContactPoint, Convex, Manifold, Status};

use super::bodies::Body;
use super::spread;

/// Two test bodies with their relative position and orientations.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub a: Body,
    pub b: Body,
    pub offset: DVec3,
    pub orientation_a: DQuat,
    pub orientation_b: DQuat,
}

/// Errors of a contact. Lengths are relative to the size of the larger body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// Largest distance of a surface point from its surface.
    pub surface: f64,
    /// Largest distance of a surface point from the tangent plane of its body with the contact
    /// normal.
    pub plane: f64,
    /// Largest distance of a surface point from the support point along the normal. Only round
    /// bodies have a unique support point.
    pub point: f64,
    /// Amount by which another direction has a smaller depth.
    pub depth: f64,
}

impl Errors {
    pub fn worst(self, other: Self) -> Self {
        Self {
            surface: self.surface.max(other.surface),
            plane: self.plane.max(other.plane),
            point: self.point.max(other.point),
            depth: self.depth.max(other.depth),
        }
    }
}

impl Case {
    pub fn placed(&self) -> Placed<'_> {
        Placed {
            a: &self.a,
            b: &self.b,
            offset: self.offset,
            orientation_a: self.orientation_a,
            orientation_b: self.orientation_b,
        }
    }

    /// Returns the contact without a margin, its status and the number of iterations.
    pub fn solve(&self) -> (ContactPoint, Status, u32) {
        let mut manifold = Manifold::default();
        convex_convex(&self.placed(), f64::INFINITY, None, &mut manifold);
        (manifold.points()[0], manifold.status, manifold.iterations)
    }

    pub fn size(&self) -> f64 {
        self.a.bounding_radius().max(self.b.bounding_radius())
    }

    /// Returns the support points of a along `n` and of b along `-n`, relative to the centre of a,
    /// m.
    pub fn supports(&self, n: DVec3) -> (DVec3, DVec3) {
        let a = self.orientation_a * self.a.support(self.orientation_a.inverse() * n);
        let b = self.orientation_b * self.b.support(self.orientation_b.inverse() * -n);
        (a, b + self.offset)
    }

    /// Returns `n.offset - h_A(n) - h_B(-n)`, the gap along one direction, m. It is a lower bound
    /// of the gap.
    pub fn gap_along(&self, n: DVec3) -> f64 {
        let (a, b) = self.supports(n);
        n.dot(b - a)
    }

    /// Returns the errors of a contact. `samples` directions are tried for a smaller depth.
    pub fn errors(&self, point: &ContactPoint, samples: usize) -> Errors {
        let n = point.normal;
        let (on_a, on_b) = (point.on_a(), point.on_b());
        let (support_a, support_b) = self.supports(n);
        let in_a = self.orientation_a.inverse() * on_a;
        let in_b = self.orientation_b.inverse() * (on_b - self.offset);
        let size = self.size();
        let mut errors = Errors {
            surface: self.a.distance(in_a).abs().max(self.b.distance(in_b).abs()) / size,
            plane: n.dot(on_a - support_a).abs().max(n.dot(on_b - support_b).abs()) / size,
            ..Errors::default()
        };
        errors.plane = errors.plane.max((n.length() - 1.0).abs());
        if self.a.is_round() && self.b.is_round() {
            errors.point = (on_a - support_a).length().max((on_b - support_b).length()) / size;
        }
        // The distance along the normal is a lower bound, and the surface points attain it. Only
        // the minimum over directions of a depth needs more proof.
        if point.gap < 0.0 && samples > 0 {
            errors.depth = ((self.best_gap(samples) - point.gap) / size).max(0.0);
        }
        errors
    }

    /// Returns the largest gap along any direction, m, by sampling and a pattern search from the
    /// best samples.
    fn best_gap(&self, samples: usize) -> f64 {
        const STARTS: usize = 3;
        let mut tried: Vec<(f64, DVec3)> = spread(samples).map(|n| (self.gap_along(n), n)).collect();
        tried.sort_by(|p, q| q.0.total_cmp(&p.0));
        tried.iter().take(STARTS).map(|&(gap, n)| self.climb(gap, n)).fold(f64::MIN, f64::max)
    }

    fn climb(&self, mut gap: f64, mut n: DVec3) -> f64 {
        const MOST_STEPS: usize = 100;
        let mut step = 0.1;
        for _ in 0..MOST_STEPS {
            let (t, u) = tangent_frame(n);
            let around = [t, -t, u, -u, t + u, t - u, -t + u, -t - u].map(|d| (n + step * d).normalize());
            let best =
                around.map(|m| (self.gap_along(m), m)).into_iter().fold((gap, n), |p, q| if q.0 > p.0 { q } else { p });
            if best.0 > gap {
                (gap, n) = best;
            } else {
                step *= 0.4;
            }
        }
        gap
    }
}

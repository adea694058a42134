//! Convex bodies of the tests, which are not in the list of shapes. The general routine must handle
//! any convex body.

use glam::DVec3;
use granum_geometry::{Convex, InvalidShape};

use super::Rng;

/// A test body.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    Ball(f64),
    Ellipsoid(DVec3),
    Cuboid(DVec3),
    /// Half length along z and radius, m.
    Capsule(f64, f64),
    /// Half height along z and radius, m.
    Cylinder(f64, f64),
    /// The regular tetrahedron on four corners of a cube with this half side, m.
    Tetrahedron(f64),
}

const TETRAHEDRON: [DVec3; 4] =
    [DVec3::new(1.0, 1.0, 1.0), DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, 1.0, -1.0), DVec3::new(-1.0, -1.0, 1.0)];

impl Body {
    /// Returns the signed distance from the surface, m, exact to first order near the surface.
    pub fn distance(&self, p: DVec3) -> f64 {
        match *self {
            Body::Ball(r) => p.length() - r,
            Body::Ellipsoid(axes) => {
                let q = p / axes;
                let gradient = (q / axes).length() / q.length();
                (q.length() - 1.0) / gradient
            }
            Body::Cuboid(half) => {
                let d = p.abs() - half;
                d.max(DVec3::ZERO).length() + d.max_element().min(0.0)
            }
            Body::Capsule(half, r) => (p - DVec3::Z * p.z.clamp(-half, half)).length() - r,
            Body::Cylinder(half, r) => {
                let (x, z) = (p.x.hypot(p.y) - r, p.z.abs() - half);
                x.max(0.0).hypot(z.max(0.0)) + x.max(z).min(0.0)
            }
            Body::Tetrahedron(s) => {
                // The face opposite a vertex v has the outward normal -v / sqrt 3 and the distance
                // s / sqrt 3 from the centre.
                TETRAHEDRON.iter().map(|v| -v.dot(p)).fold(f64::MIN, f64::max) / 3f64.sqrt() - s / 3f64.sqrt()
            }
        }
    }

    /// Returns whether each normal has only one support point.
    pub fn is_round(&self) -> bool {
        matches!(self, Body::Ball(_) | Body::Ellipsoid(_))
    }

    /// Returns a random body with the largest half length `size`, m, and an aspect ratio of at most
    /// `aspect`.
    pub fn random(rng: &mut Rng, kind: usize, size: f64, aspect: f64) -> Self {
        let axes = |rng: &mut Rng| {
            let mut axes = [size, size / rng.log_range(1.0, aspect), size / rng.log_range(1.0, aspect)];
            axes.rotate_left(rng.index(3));
            DVec3::from_array(axes)
        };
        match kind {
            0 => Body::Ball(size),
            1 => Body::Ellipsoid(axes(rng)),
            2 => Body::Cuboid(axes(rng)),
            3 => Body::Capsule(size, size / rng.log_range(1.0, aspect)),
            4 if rng.index(2) == 0 => Body::Cylinder(size, size / rng.log_range(1.0, aspect)),
            4 => Body::Cylinder(size / rng.log_range(1.0, aspect), size),
            _ => Body::Tetrahedron(size),
        }
    }
}

/// Number of kinds of [`Body::random`].
pub const KINDS: usize = 6;

impl Convex for Body {
    fn support(&self, n: DVec3) -> DVec3 {
        let sign = |n: DVec3| DVec3::new(1f64.copysign(n.x), 1f64.copysign(n.y), 1f64.copysign(n.z));
        match *self {
            Body::Ball(r) => r * n.normalize(),
            Body::Ellipsoid(axes) => axes * (axes * n).normalize(),
            Body::Cuboid(half) => half * sign(n),
            Body::Capsule(half, r) => r * n.normalize() + DVec3::Z * half.copysign(n.z),
            Body::Cylinder(half, r) => {
                let ring = n.with_z(0.0).normalize_or_zero();
                r * ring + DVec3::Z * half.copysign(n.z)
            }
            Body::Tetrahedron(s) => {
                let far = |v: DVec3, w: DVec3| if w.dot(n) > v.dot(n) { w } else { v };
                s * TETRAHEDRON.into_iter().reduce(far).expect("the list has four corners")
            }
        }
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        self.distance(point)
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        Ok(())
    }
}

//! The gap of two planar bodies in one direction, with its derivatives.

use glam::DVec2;

use super::{Extreme, Frame, Profile};

/// Two planar bodies, relative to the centre of a and in its axes.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a, A, B> {
    /// First body.
    pub a: &'a A,
    /// Second body.
    pub b: &'a B,
    /// Centre of b minus centre of a, m.
    pub offset: DVec2,
    /// Axes of b relative to a.
    pub frame: Frame,
    /// Size of the pair, m. Tolerances are relative to it.
    pub size: f64,
}

/// The gap function and its derivatives at one direction.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The direction, a unit vector from a to b.
    pub normal: DVec2,
    /// `F`, m: the distance of the two tangents that are normal to the direction.
    pub gap: f64,
    /// `F'`, m: the tangential distance of the two support points.
    pub slope: f64,
    /// Radii of curvature of the two bodies, m.
    pub radii: [f64; 2],
    /// Support point of a, m.
    pub point: DVec2,
}

impl Sample {
    /// Returns the sum of the radii of curvature, m. The second derivative is `F'' = -(gap +
    /// radius)`.
    #[inline]
    pub fn radius(&self) -> f64 {
        self.radii[0] + self.radii[1]
    }
}

impl<'a, A: Profile, B: Profile> Problem<'a, A, B> {
    /// Creates the problem of two bodies.
    #[inline]
    pub fn new(a: &'a A, b: &'a B, offset: DVec2, frame: Frame) -> Self {
        let size = a.half_widths().max_element() + b.half_widths().max_element();
        Self { a, b, offset, frame, size }
    }

    /// Evaluates the gap in one direction.
    #[inline]
    pub fn sample(&self, normal: DVec2) -> Sample {
        let of_a = self.a.extreme(normal);
        let of_b = self.b.extreme(self.frame.to_body(normal));
        self.between(normal, &of_a, &of_b)
    }

    /// Evaluates the gap in one direction, and the derivatives of the two radii of curvature,
    /// m/rad.
    #[inline]
    pub fn sample_with_changes(&self, normal: DVec2) -> (Sample, [f64; 2]) {
        let normal_b = self.frame.to_body(normal);
        let (of_a, of_b) = (self.a.extreme(normal), self.b.extreme(normal_b));
        let changes = [self.a.radius_change(normal, &of_a), self.b.radius_change(normal_b, &of_b)];
        (self.between(normal, &of_a, &of_b), changes)
    }

    #[inline]
    fn between(&self, normal: DVec2, of_a: &Extreme, of_b: &Extreme) -> Sample {
        // Body b is symmetric, so that its support point opposite to the normal is minus the one
        // along it.
        let apart = self.offset - of_a.point - self.frame.to_world(of_b.point);
        Sample {
            normal,
            gap: normal.dot(apart),
            slope: normal.perp_dot(apart),
            radii: [of_a.radius, of_b.radius],
            point: of_a.point,
        }
    }

    /// Returns the starting direction without a hint, `(S_A + S_B)^-1 offset`. It is the contact
    /// normal of two ellipses of equal shape and orientation.
    #[inline]
    pub fn guess(&self) -> DVec2 {
        let (wide_a, wide_b) = (self.a.half_widths(), self.b.half_widths());
        let (wide_a, wide_b) = (wide_a * wide_a, wide_b * wide_b);
        let x = self.frame.to_world(DVec2::X);
        let spread = wide_b.x - wide_b.y;
        let xx = wide_a.x + wide_b.y + spread * x.x * x.x;
        let yy = wide_a.y + wide_b.y + spread * x.y * x.y;
        let xy = spread * x.x * x.y;
        let d = self.offset;
        let direction = DVec2::new(yy * d.x - xy * d.y, xx * d.y - xy * d.x);
        // Scale first, so that powers of lengths stay in the range of f64.
        let largest = direction.abs().max_element();
        if largest > 0.0 {
            (direction / largest).normalize()
        } else if wide_a.x < wide_a.y {
            DVec2::X
        } else {
            DVec2::Y
        }
    }

    /// Returns bounds of the radius of curvature between two normals less than a quarter turn
    /// apart, m.
    pub fn radius_range(&self, from: DVec2, to: DVec2) -> (f64, f64) {
        let (a_low, a_high) = self.a.radius_range(from, to);
        let (b_low, b_high) = self.b.radius_range(self.frame.to_body(from), self.frame.to_body(to));
        (a_low + b_low, a_high + b_high)
    }

    /// Returns a lower bound of the sum of the radii of curvature, m.
    #[inline]
    pub fn least_radius(&self) -> f64 {
        self.a.least_radius() + self.b.least_radius()
    }
}

//! Ellipses and superellipses in the form of \[Martinez2003\]: a boundary with a parameter, and an
//! inside-outside function.

use glam::DVec2;

use granum_geometry::Shape;
use granum_geometry::contact::planar::Profile;
use granum_geometry::shape::{Ellipse, Superellipse};

/// The curve `|x/a|^n + |y/b|^n = 1` in body axes. It is an ellipse if n = 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oval {
    /// Semi-axes a and b, m.
    pub axes: DVec2,
    /// Exponent n.
    pub n: f64,
}

impl Oval {
    /// Returns the curve of a disc, an ellipse or a superellipse; `None` for other shapes.
    pub fn of(shape: &Shape) -> Option<Self> {
        match shape {
            Shape::Disc(disc) => Some(Self { axes: DVec2::splat(disc.radius), n: 2.0 }),
            Shape::Ellipse(ellipse) => Some(Self { axes: ellipse.semi_axes, n: 2.0 }),
            Shape::Superellipse(body) => Some(Self { axes: body.semi_axes, n: body.n }),
            _ => None,
        }
    }

    /// Returns the boundary point with the parameter `theta`, m [Martinez2003, eq. 2.4]:
    /// `x = a cos |cos|^(2/n - 1)`, and y with the sine.
    pub fn point(&self, theta: f64) -> DVec2 {
        let (sin, cos) = libm::sincos(theta);
        self.axes * DVec2::new(signed_power(cos, 2.0 / self.n), signed_power(sin, 2.0 / self.n))
    }

    /// Returns the outward unit normal at that point [Martinez2003, eq. 3.10].
    pub fn normal(&self, theta: f64) -> DVec2 {
        let (sin, cos) = libm::sincos(theta);
        let power = 2.0 * (self.n - 1.0) / self.n;
        (DVec2::new(signed_power(cos, power), signed_power(sin, power)) / self.axes).normalize()
    }

    /// Returns the radius of curvature at that point, m [Martinez2003, eqs. 3.9 and C.3].
    ///
    /// It is computed as a function of the normal, because eq. C.3 is 0/0 on the axes.
    pub fn radius(&self, theta: f64) -> f64 {
        let normal = self.normal(theta);
        if self.n == 2.0 {
            Ellipse { semi_axes: self.axes }.extreme(normal).radius
        } else {
            Superellipse { semi_axes: self.axes, n: self.n }.extreme(normal).radius
        }
    }

    /// Returns the inside-outside function: negative inside, 0 on the boundary
    /// [Martinez2003, eqs. 3.1 and C.1].
    pub fn inside_outside(&self, point: DVec2) -> f64 {
        let ratio = point / self.axes;
        if self.n == 2.0 {
            ratio.length_squared() - 1.0
        } else {
            libm::pow(ratio.x.abs(), self.n) + libm::pow(ratio.y.abs(), self.n) - 1.0
        }
    }
}

fn signed_power(base: f64, exponent: f64) -> f64 {
    if exponent == 1.0 { base } else { libm::pow(base.abs(), exponent).copysign(base) }
}

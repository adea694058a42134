//! The curved wall of a hollow sphere, ellipsoid or cylinder, `p' A p = 1` in the axes of the
//! container. `A = diag(1/a^2, 1/b^2, 1/c^2)` with the semi-axes, and zero along the axis of a
//! hollow cylinder.

use glam::DVec3;

use crate::contact::container::{Touch, minimise};
use crate::contact::smooth::{Ball, OrientedEllipsoid};
use crate::shape::Ellipsoid;
use crate::{Pair, Shape};

/// The wall in the axes of the container.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuadricWall {
    /// Diagonal of A, 1/m².
    inverse_squares: DVec3,
    /// Radius of a sphere or cylinder, m, and the directions across its wall: 1, or 0 along the
    /// axis of a cylinder. `None` for an ellipsoid.
    round: Option<(f64, DVec3)>,
}

impl QuadricWall {
    /// The wall of a container; `None` for other shapes.
    pub fn of(container: &Shape) -> Option<Self> {
        let across = |radius: f64, across: DVec3| Self {
            inverse_squares: across / (radius * radius),
            round: Some((radius, across)),
        };
        match container {
            Shape::InsideSphere(shape) => Some(across(shape.radius, DVec3::ONE)),
            Shape::InsideCylinder(shape) => Some(across(shape.radius, DVec3::new(1.0, 1.0, 0.0))),
            Shape::InsideEllipsoid(shape) => {
                Some(Self { inverse_squares: 1.0 / (shape.semi_axes * shape.semi_axes), round: None })
            }
            _ => None,
        }
    }

    /// Returns the diagonal of A, 1/m².
    pub fn inverse_squares(&self) -> DVec3 {
        self.inverse_squares
    }

    /// Returns how far a point is beyond the wall, m, and the gradient of this distance. For an
    /// ellipsoid it is the distance to first order, `(p' A p - 1) / 2 |A p|`: a closed form whose
    /// error is its square over the radius of curvature.
    pub fn beyond(&self, p: DVec3) -> (f64, DVec3) {
        if let Some((radius, across)) = self.round {
            let out = across * p;
            let distance = out.length();
            return (distance - radius, out / distance.max(f64::MIN_POSITIVE));
        }
        // The centre of the container has no direction to the wall. The smallest positive divisor
        // avoids NaN there.
        let slope = self.inverse_squares * p;
        let inverse = 1.0 / slope.length().max(f64::MIN_POSITIVE);
        // f is the residual of the equation of the wall over the length of its gradient.
        let f = 0.5 * (slope.dot(p) - 1.0) * inverse;
        let n = slope * inverse;
        (f, n - f * inverse * (self.inverse_squares * n))
    }

    /// Returns the contact of a point with the wall of body a, in world axes. The point is relative
    /// to the centre of body b. The error is the residual of the search for the nearest point of an
    /// ellipsoid, m.
    pub fn touch(&self, point: DVec3, curvature: f64, pair: &Pair) -> Result<Touch, f64> {
        let to_wall = pair.orientation_a.inverse();
        let at = pair.offset + point;
        let (beyond, gradient) = self.beyond(to_wall * at);
        let n = (pair.orientation_a * gradient).normalize_or(pair.orientation_a * DVec3::X);
        // For a sphere or a cylinder the distance is exact. For an ellipsoid the first-order normal
        // is a good start of the search.
        let Shape::InsideEllipsoid(shape) = pair.a else {
            return Ok(Touch { n, gap: -beyond, point, curvature });
        };
        let wall = OrientedEllipsoid::new(&Ellipsoid { semi_axes: shape.semi_axes }, pair.orientation_a);
        let touch = minimise(&wall, &Ball(0.0), at, n, &mut 0)?;
        Ok(Touch { point, curvature, ..touch })
    }
}

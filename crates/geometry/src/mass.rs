//! Mass, centre and inertia of a body.

use glam::{DMat3, DVec2, DVec3};

use crate::numeric::math::{bisect, gauss_legendre};
use crate::shape::Convex;

/// Volume integrals of a body, for density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume, m³. It is infinite for an unbounded shape. For a planar shape it is the area, m²,
    /// which is the volume per metre of thickness.
    pub volume: f64,
    /// Centre of mass in body axes, m.
    pub centre: DVec3,
    /// Inertia tensor about the centre of mass for density 1, m⁵.
    pub inertia: DMat3,
}

impl MassProperties {
    /// Creates the properties of a body whose axes are its principal axes. `moments` are for
    /// density 1, m⁵.
    pub fn principal(volume: f64, moments: DVec3) -> Self {
        Self { volume, centre: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
    }

    /// Creates the properties of a planar body per metre of thickness. `moments` about x and y are
    /// for density 1.
    pub fn lamina(area: f64, moments: DVec2) -> Self {
        Self::principal(area, moments.extend(moments.x + moments.y))
    }

    /// Returns the properties of an unbounded body, which forces cannot move.
    pub fn unbounded() -> Self {
        Self::principal(f64::INFINITY, DVec3::INFINITY)
    }

    /// Returns the principal moments, m⁵, if the body axes are the principal axes (to `1e-12` of
    /// the largest).
    pub fn principal_moments(&self) -> Option<DVec3> {
        // Products of inertia, relative to the largest moment, that are rounding errors.
        const OFF_DIAGONAL: f64 = 1e-12;
        let m = &self.inertia;
        let diagonal = DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z);
        if diagonal.x.is_infinite() {
            return Some(diagonal);
        }
        let off = m.x_axis.y.abs().max(m.x_axis.z.abs()).max(m.y_axis.z.abs());
        (off <= OFF_DIAGONAL * diagonal.max_element()).then_some(diagonal)
    }

    /// Computes the integrals by quadrature over directions, with `order` Gauss points from pole to
    /// pole. The radius along a direction is the root of the inside-outside function. The body must
    /// contain its origin.
    pub fn by_quadrature(body: &(impl Convex + ?Sized), order: usize) -> Self {
        let mut volume = 0.0;
        let mut first = DVec3::ZERO;
        let mut second = DMat3::ZERO;
        let around = 2 * order;
        for (z, weight) in gauss_legendre(order) {
            let ring = (1.0 - z * z).sqrt();
            for k in 0..around {
                let (sin, cos) = libm::sincos(std::f64::consts::TAU * (k as f64 + 0.5) / around as f64);
                let u = DVec3::new(ring * cos, ring * sin, z);
                let solid_angle = weight * std::f64::consts::TAU / around as f64;
                let r = radius_along(body, u);
                volume += solid_angle * r.powi(3) / 3.0;
                first += solid_angle * r.powi(4) / 4.0 * u;
                second += DMat3::from_cols(u * u.x, u * u.y, u * u.z) * (solid_angle * r.powi(5) / 5.0);
            }
        }
        let centre = first / volume;
        let about_origin = inertia_of(second);
        let shift = inertia_of(DMat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z) * volume);
        Self { volume, centre, inertia: about_origin - shift }
    }
}

/// Returns the inertia tensor from the integral of `x xᵀ`.
fn inertia_of(second: DMat3) -> DMat3 {
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    DMat3::from_diagonal(DVec3::splat(trace)) - second
}

/// Returns the distance from the origin to the surface along the unit vector `u`, by bisection to
/// the last bit.
fn radius_along(body: &(impl Convex + ?Sized), u: DVec3) -> f64 {
    // A point slightly beyond the bounding radius is outside in spite of rounding.
    let outside = body.bounding_radius() * (1.0 + 1e-12);
    let [inside, outside] = bisect(0.0, outside, |radius| body.inside_outside(u * radius) >= 0.0);
    0.5 * (inside + outside)
}

//! The superellipse, whose form ranges from a diamond to a rectangle.

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::{Convex, InvalidShape, Realm, check_length};
use crate::MassProperties;
use crate::contact::planar::{Extreme, Profile, Seam, component_range};

/// Admissible exponents. Corners are too sharp for f64 below this range; above it the shape is
/// practically a rectangle.
const EXPONENTS: std::ops::RangeInclusive<f64> = 1.2..=20.0;

/// The superellipse `|x/a|^n + |y/b|^n <= 1`, per metre of thickness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Superellipse {
    /// a and b, m.
    pub semi_axes: DVec2,
    /// The exponent, 1.2 to 20. The value 2 gives an ellipse.
    pub n: f64,
}

impl Superellipse {
    /// Returns the exponent of the support function, n/(n - 1).
    fn dual(&self) -> f64 {
        self.n / (self.n - 1.0)
    }

    /// Returns the support function for `|v|` = (vx, vy), m.
    fn norm(&self, vx: f64, vy: f64) -> f64 {
        let (small, large) = (vx.min(vy), vx.max(vy));
        if large == 0.0 {
            return 0.0;
        }
        let q = self.dual();
        large * libm::pow(1.0 + libm::pow(small / large, q), 1.0 / q)
    }

    /// Returns the distance of the farthest boundary point, m. It lies where the distance is
    /// stationary, or on an axis.
    fn farthest(&self) -> f64 {
        let DVec2 { x: a, y: b } = self.semi_axes;
        let n = self.n;
        if n <= 2.0 {
            return a.max(b);
        }
        // On |x/a|^n + |y/b|^n = 1 the distance is greatest where (x/a)^(n-2)/a^-2 =
        // (y/b)^(n-2)/b^-2.
        let (small, large) = (a.min(b), a.max(b));
        let ratio = libm::pow(small / large, 2.0 / (n - 2.0));
        let u = libm::pow(1.0 + libm::pow(ratio, n), -1.0 / n);
        (large * u).hypot(small * ratio * u)
    }
}

impl Profile for Superellipse {
    #[inline]
    fn extreme(&self, n: DVec2) -> Extreme {
        let q = self.dual();
        let DVec2 { x: a, y: b } = self.semi_axes;
        let (vx, vy) = ((a * n.x).abs(), (b * n.y).abs());
        let x_is_larger = vx >= vy;
        let (small, large) = if x_is_larger { (vy, vx) } else { (vx, vy) };
        let ratio = small / large;
        let power = libm::pow(ratio, q - 1.0);
        let sum = 1.0 + ratio * power;
        let root = libm::pow(sum, 1.0 / q);
        let h = large * root;
        let of_large = root / sum;
        let of_small = power * of_large;
        let (px, py) = if x_is_larger { (of_large, of_small) } else { (of_small, of_large) };
        let point = DVec2::new((a * px).copysign(n.x), (b * py).copysign(n.y));
        // (vx vy)^(q-2)/h^(2q-1) with vx vy = ratio large², h = large root and root^q = sum.
        let ab = a * b / h;
        let flatness = if small > 0.0 { power / ratio } else { libm::pow(0.0, q - 2.0) };
        let roundness = root * root / sum;
        let radius = (q - 1.0) * ab * ab / h * flatness * roundness * roundness;
        Extreme { point, radius }
    }

    /// The result is infinite or not a number on the axes, where the radius is zero or infinite.
    #[inline]
    fn radius_change(&self, n: DVec2, at: &Extreme) -> f64 {
        let q = self.dual();
        let along_axes = (q - 2.0) * (n.x / n.y - n.y / n.x);
        at.radius * (along_axes - (2.0 * q - 1.0) * (n.perp_dot(at.point) / n.dot(at.point)))
    }

    fn half_widths(&self) -> DVec2 {
        self.semi_axes
    }

    /// For n < 2 the radius vanishes on the axes. For n > 2, `|vx vy| <= h²`, and `h` is at most
    /// half the diagonal of the bounding box. The bound needs no powers, which pays because every
    /// overlapping pair evaluates it.
    #[inline]
    fn least_radius(&self) -> f64 {
        let q = self.dual();
        if q > 2.0 {
            return 0.0;
        }
        let extent = self.semi_axes.length();
        let ab = self.semi_axes.x * self.semi_axes.y / extent;
        (q - 1.0) * ab * ab / extent
    }

    fn radius_range(&self, from: DVec2, to: DVec2) -> (f64, f64) {
        // Lengths are scaled by the longer axis, so that their powers stay in the range of f64.
        let unit = self.semi_axes.max_element();
        let DVec2 { x: a, y: b } = self.semi_axes / unit;
        let (x_low, x_high) = component_range(from.x, to.x, from.y, to.y);
        let (y_low, y_high) = component_range(from.y, to.y, from.x, to.x);
        // The body contains the diamond of its four vertices, whose inscribed circle touches its
        // sides.
        let least_h = a * b / a.hypot(b);
        let (h_low, h_high) = (self.norm(a * x_low, b * y_low).max(least_h), self.norm(a * x_high, b * y_high));
        let q = self.dual();
        let radius = |nx: f64, ny: f64, h: f64| {
            (q - 1.0) * (a * b).powi(2) * libm::pow(a * nx * b * ny, q - 2.0) / libm::pow(h, 2.0 * q - 1.0)
        };
        let (low, high) = if q < 2.0 {
            (radius(x_high, y_high, h_high), radius(x_low, y_low, h_low))
        } else {
            (radius(x_low, y_low, h_high), radius(x_high, y_high, h_low))
        };
        (low * unit, high * unit)
    }

    /// A box-like shape is flattest on its axes, a diamond-like shape between them.
    fn part(&self, n: DVec2) -> u32 {
        if self.n >= 2.0 {
            return u32::from(n.x < 0.0) + 2 * u32::from(n.y < 0.0);
        }
        let v = self.semi_axes * n;
        if v.x.abs() >= v.y.abs() { u32::from(v.x < 0.0) } else { 2 + u32::from(v.y < 0.0) }
    }

    /// Near an axis `rho = (q-1) c² (c theta)^(q-2)`, with lengths in units of the semi-axis and
    /// `c` the other one.
    fn flat_angle(&self, axis: usize, radius: f64) -> Option<f64> {
        let q = self.dual();
        if q >= 2.0 {
            return None;
        }
        let along = self.semi_axes[axis];
        let c = self.semi_axes[1 - axis] / along;
        Some(libm::pow(radius / (along * (q - 1.0) * c * c), 1.0 / (q - 2.0)) / c)
    }

    fn seams(&self) -> impl Iterator<Item = Seam> {
        let is_box = self.n >= 2.0;
        let corner = (DVec2::ONE / self.semi_axes).normalize();
        (0..4).map(move |k| {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            match (is_box, k / 2) {
                (true, 0) => Seam { normal: sign * DVec2::X, parts: [k, k + 2] },
                (true, _) => Seam { normal: sign * DVec2::Y, parts: [2 * (k - 2), 2 * (k - 2) + 1] },
                (false, up) => {
                    let normal = corner * DVec2::new(sign, if up == 0 { 1.0 } else { -1.0 });
                    Seam { normal, parts: [k % 2, 2 + up] }
                }
            }
        })
    }
}

impl Convex for Superellipse {
    fn support(&self, direction: DVec3) -> DVec3 {
        let n = direction.truncate().normalize_or(DVec2::X);
        self.extreme(n).point.extend(0.0)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        let ratio = (point.truncate() / self.semi_axes).abs();
        libm::pow(ratio.x, self.n) + libm::pow(ratio.y, self.n) - 1.0
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("semi_axes", self.semi_axes.x)?;
        check_length("semi_axes", self.semi_axes.y)?;
        if EXPONENTS.contains(&self.n) {
            return Ok(());
        }
        let reason = format!("must lie between {} and {}, not {}", EXPONENTS.start(), EXPONENTS.end(), self.n);
        Err(InvalidShape { field: "n", reason })
    }

    fn bounding_radius(&self) -> f64 {
        self.farthest()
    }

    /// Dirichlet's integrals: over a quadrant of the unit curve, that of `u^(i-1) v^(j-1)` is
    /// `gamma(i/n) gamma(j/n) / (n² gamma(1 + (i+j)/n))`.
    fn mass_properties(&self) -> MassProperties {
        let DVec2 { x: a, y: b } = self.semi_axes;
        let n = self.n;
        let integral = |i: f64, j: f64| {
            4.0 * libm::tgamma(i / n) * libm::tgamma(j / n) / (n * n * libm::tgamma(1.0 + (i + j) / n))
        };
        let (area, second) = (a * b * integral(1.0, 1.0), a * b * integral(3.0, 1.0));
        MassProperties::lamina(area, DVec2::new(second * b * b, second * a * a))
    }

    fn curvature(&self, normal: DVec3) -> f64 {
        1.0 / self.extreme(normal.truncate()).radius
    }

    fn realm(&self) -> Realm {
        Realm::Plane
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::math::gauss_legendre;
    use crate::shape::Ellipse;

    const SIZES: DVec2 = DVec2::new(0.7, 1.9);

    fn normals() -> impl Iterator<Item = DVec2> {
        (0..97).map(|k| DVec2::from_angle(0.065 * f64::from(k)))
    }

    #[test]
    fn with_exponent_two_it_is_an_ellipse() {
        let (ours, ellipse) = (Superellipse { semi_axes: SIZES, n: 2.0 }, Ellipse { semi_axes: SIZES });
        for n in normals() {
            let (p, q) = (ours.extreme(n), ellipse.extreme(n));
            assert!((p.point - q.point).length() < 1e-14 && (p.radius / q.radius - 1.0).abs() < 1e-13);
        }
        let (p, q) = (ours.mass_properties(), ellipse.mass_properties());
        assert!((p.volume / q.volume - 1.0).abs() < 1e-14);
        assert!((p.inertia.z_axis.z / q.inertia.z_axis.z - 1.0).abs() < 1e-14);
    }

    #[test]
    fn support_points_lie_on_the_curve_and_turn_by_the_radius() {
        for n in [1.2, 1.7, 3.0, 8.0, 20.0] {
            let body = Superellipse { semi_axes: SIZES, n };
            for normal in normals() {
                let here = body.extreme(normal);
                assert!(body.inside_outside(here.point.extend(0.0)).abs() < 1e-13);
                const STEP: f64 = 1e-5;
                let ahead = body.extreme((normal + STEP * normal.perp()).normalize()).point;
                let behind = body.extreme((normal - STEP * normal.perp()).normalize()).point;
                let radius = (ahead - behind).dot(normal.perp()) / (2.0 * STEP);
                // The finite difference averages the radius over 2e-5 rad, but near the axes the
                // radius varies faster.
                if normal.x.abs().min(normal.y.abs()) > 0.05 {
                    assert!((radius / here.radius - 1.0).abs() < 1e-5, "{n} {normal}: {radius} {}", here.radius);
                }
            }
        }
    }

    #[test]
    fn radii_stay_in_their_bounds() {
        for n in [1.2, 1.9, 2.0, 2.5, 20.0] {
            let body = Superellipse { semi_axes: SIZES, n };
            for start in normals() {
                let end = start.rotate(DVec2::from_angle(0.6));
                let (low, high) = body.radius_range(start, end);
                for part in 0..=20 {
                    let normal = start.rotate(DVec2::from_angle(0.03 * f64::from(part)));
                    let radius = body.extreme(normal).radius;
                    assert!(low <= radius * (1.0 + 1e-9) && radius <= high * (1.0 + 1e-9));
                    assert!(body.least_radius() <= radius * (1.0 + 1e-12));
                }
            }
        }
    }

    #[test]
    fn area_and_moments_agree_with_quadrature() {
        for n in [1.5, 2.0, 4.0, 10.0] {
            let body = Superellipse { semi_axes: SIZES, n };
            // With x = a cos^(2/n), y = b sin^(2/n) the strip dx has the height 2 y.
            let (mut area, mut about_x, mut about_y) = (0.0, 0.0, 0.0);
            for (z, weight) in gauss_legendre(200) {
                // x = a (1 - s^4): smooth enough at the vertex for Gauss points.
                let s = 0.5 * (z + 1.0);
                let (x, dx) = (SIZES.x * (1.0 - s.powi(4)), SIZES.x * 4.0 * s.powi(3) * 0.5 * weight);
                let y = SIZES.y * (1.0 - (x / SIZES.x).powf(n)).powf(1.0 / n);
                area += 4.0 * y * dx;
                about_y += 4.0 * x * x * y * dx;
                about_x += 4.0 / 3.0 * y.powi(3) * dx;
            }
            let ours = body.mass_properties();
            assert!((ours.volume / area - 1.0).abs() < 1e-6, "{n}: {} {area}", ours.volume);
            assert!((ours.inertia.x_axis.x / about_x - 1.0).abs() < 1e-6);
            assert!((ours.inertia.y_axis.y / about_y - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn the_bounding_radius_is_the_farthest_point() {
        for n in [1.3, 2.0, 3.0, 12.0] {
            let body = Superellipse { semi_axes: SIZES, n };
            let farthest = (0..100_000)
                .map(|k| body.extreme(DVec2::from_angle(1e-4 * f64::from(k))).point.length())
                .fold(0.0, f64::max);
            assert!(farthest <= body.bounding_radius() * (1.0 + 1e-14));
            assert!(farthest > body.bounding_radius() * (1.0 - 1e-6));
        }
    }

    #[test]
    fn the_exponent_has_bounds() {
        for n in [1.0, 25.0, f64::NAN] {
            let error = Superellipse { semi_axes: SIZES, n }.validate().expect_err("no such exponent");
            assert_eq!(error.field, "n");
        }
    }
}

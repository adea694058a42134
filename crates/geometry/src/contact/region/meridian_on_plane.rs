//! The smooth overlap of a half-space with a tablet or a barrel: a mean of the depths along its
//! meridian. A barrel is a superellipsoid of revolution whose side or ends are nearly flat.
//!
//! The plane through the axis of a body of revolution and the normal of the half-space cuts the body
//! in a closed curve, the meridian. Its lowest point is that of the body. With the depth f of a
//! point of the meridian and its arc length s, the overlap is
//!
//! ```text
//! D = (7/6) (integral of f^3 ds) / (integral of f^2 ds)      over the part where f > 0
//! dD = integral of q df ds,   q = (7/6) f (3 f - 2 m)/(integral of f^2 ds),   m = D / (7/6)
//! ```
//!
//! For a barrel, ds is the length of the projection of the arc on the axis or across it, whichever is
//! larger. D is the depth on a cap, where f is a parabola, 7/6 of the depth on the band, and 7/8 of the depth
//! on an edge. It depends on the height and the tilt of the body alone and has a continuous
//! gradient, so that a body that rocks on its side keeps its energy. The depth of the lowest point
//! has none: this point moves from one end of the side to the other at once.

use std::sync::LazyLock;

use glam::{DMat3, DQuat, DVec2, DVec3};

use super::axis_overlap::{AT_ZERO, PARABOLA, positive_part};
use super::body_on_plane::{along_axis, of_point};
use super::{POINT_EXTENT, SmoothOverlap};
use crate::ContactPatch;
use crate::contact::smooth::flat_face::can_be_flat;
use crate::numeric::math::gauss_legendre;
use crate::shape::{Superellipsoid, Tablet};

/// Gauss points per piece of the meridian. For small depths f^3 is nearly a polynomial of degree 6.
const NODES: usize = 12;

static RULE: LazyLock<[(f64, f64); NODES]> =
    LazyLock::new(|| gauss_legendre(NODES).try_into().expect("the rule has the number of points requested"));

/// Depth, relative to the size of the body, up to which an overlap is a rounding error.
const ROUNDING: f64 = 1e-12;

/// Mean square distance from the lowest point of a ball, with the weight f^2, relative to the product
/// of its diameter and the depth.
const OF_BALL: f64 = 1.0 / 7.0;

/// Ends of the parts in which a side of a barrel is integrated, relative to its half length. It bends
/// ever more towards its ends, and |u|^n is not smooth in the middle.
const PARTS: [f64; 5] = [-1.0, -0.85, 0.0, 0.85, 1.0];

/// The plane in the frame of the meridian: z along the axis of the body, and x across it, downwards.
struct Below {
    /// Unit vector into the half-space.
    down: DVec2,
    /// Height of the centre of the body above the plane, m.
    height: f64,
    /// Horizontal unit vector along the plane.
    along: DVec2,
}

/// Integrals of powers of f over the meridian, and of their products with the position y along the
/// plane: `f`, `f^2` and `f^3`; `f y` and `f^2 y`; `f^2 y^2`.
#[derive(Default)]
struct Sums {
    powers: [f64; 3],
    moments: [f64; 2],
    second: f64,
}

impl Below {
    fn depth(&self, point: DVec2) -> f64 {
        self.down.dot(point) - self.height
    }
}

impl Sums {
    /// Adds a piece of the meridian between two values of a parameter. `at` returns the depth and the
    /// position along the plane, m. `rate` is the arc length per parameter.
    fn add(&mut self, [from, to]: [f64; 2], rate: f64, at: impl Fn(f64) -> [f64; 2]) {
        if from >= to {
            return;
        }
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        for &(node, weight) in RULE.iter() {
            let [depth, y] = at(middle + half * node);
            let mut product = half * rate * weight;
            for (k, sum) in self.powers.iter_mut().enumerate() {
                product *= depth.max(0.0);
                *sum += product;
                if let Some(moment) = self.moments.get_mut(k) {
                    *moment += product * y;
                }
                if k == 1 {
                    self.second += product * y * y;
                }
            }
        }
    }

    /// Adds a straight piece.
    fn add_line(&mut self, below: &Below, [from, to]: [DVec2; 2]) {
        let [start, end] = [from, to].map(|point| below.depth(point));
        let length = (to - from).length();
        if length == 0.0 || start.max(end) <= 0.0 {
            return;
        }
        // The part below the plane, as fractions of the length.
        let zero = start / (start - end);
        let part = [if start < 0.0 { zero } else { 0.0 }, if end < 0.0 { zero } else { 1.0 }];
        let [y, to_y] = [from, to].map(|point| below.along.dot(point));
        self.add(part, length, |t| [start + t * (end - start), y + t * (to_y - y)]);
    }

    /// Adds a side of a superellipse, `(t, w(t/width))` with
    /// `w(u) = (1 - |u|^n)^(1/n)`, between the points where the two terms are equal. `placed` brings
    /// such a point to the frame. `None` if no zero of the depth is found.
    fn add_bulge(&mut self, below: &Below, width: f64, n: f64, placed: impl Fn(DVec2) -> DVec2) -> Option<()> {
        let at = |t: f64| {
            let u = (t / width).abs();
            let rest = 1.0 - libm::pow(u, n);
            let rise = libm::pow(rest, 1.0 / n);
            let slope = -libm::pow(u, n - 1.0) * rise / rest;
            (placed(DVec2::new(t, rise)), placed(DVec2::new(1.0, slope.copysign(-t) / width)))
        };
        let end = width * libm::pow(0.5, 1.0 / n);
        let value = |t: f64| {
            let (point, rate) = at(t);
            Some((below.depth(point), below.down.dot(rate)))
        };
        // The depth is a concave function of t.
        let Some([from, to]) = positive_part(value, [-end, end], AT_ZERO * width)? else { return Some(()) };
        for part in PARTS.windows(2) {
            self.add([(part[0] * end).max(from), (part[1] * end).min(to)], 1.0, |t| {
                let point = at(t).0;
                [below.depth(point), below.along.dot(point)]
            });
        }
        Some(())
    }

    /// Adds an arc of a circle about `centre`, at angles up to `half_angle` from the direction
    /// (0, `side`).
    fn add_arc(&mut self, below: &Below, centre: DVec2, radius: f64, half_angle: f64, side: f64) {
        // Of the whole circle the angles up to `reach` from the lowest point are below the plane.
        let depth = below.depth(centre + radius * below.down);
        if depth <= 0.0 {
            return;
        }
        let reach = 2.0 * libm::asin((depth / (2.0 * radius)).min(1.0).sqrt());
        let lowest = libm::atan2(below.down.x, side * below.down.y);
        let part = [(-half_angle).max(lowest - reach) - lowest, half_angle.min(lowest + reach) - lowest];
        let [y, along] = [below.along.dot(centre), DVec2::new(below.down.y, -below.down.x).dot(below.along)];
        self.add(part, radius, |angle| {
            let half = libm::sin(0.5 * angle);
            // A turn towards larger angles is one from z to x on the upper cap, and back on the other.
            let aside = side * libm::sin(angle) * along;
            let drop = 1.0 - 2.0 * half * half;
            [depth - 2.0 * radius * half * half, y + radius * (aside + drop * below.down.dot(below.along))]
        });
    }
}

/// The position of a body of revolution over a plane.
struct Placed {
    below: Below,
    /// Directions in world axes: along the plane across the axis, along the meridian, and upwards.
    axes: DMat3,
    up: DVec3,
}

impl Placed {
    fn new(up: DVec3, height: f64, orientation: DQuat) -> Self {
        let (axes, [sine, cosine]) = along_axis(up, orientation);
        let below = Below { down: DVec2::new(cosine, -sine), height, along: DVec2::new(sine, cosine) };
        Self { below, axes, up }
    }

    /// Returns the overlap; `None` if it is of the size of rounding. `ball` is the radius of a ball
    /// on which the body rolls, m.
    fn overlap(&self, sums: &Sums, size: f64, ball: f64) -> Option<SmoothOverlap> {
        let Sums { powers: [first, square, cube], moments: [by_depth, by_square], second } = *sums;
        let mean = cube / square;
        // Without a depth the mean is not a number.
        if mean.is_nan() || mean <= ROUNDING * size {
            return None;
        }
        let combined = |by_square: f64, by_depth: f64| PARABOLA / square * (3.0 * by_square - 2.0 * mean * by_depth);
        let rate = combined(square, first);
        let centroid = by_square / square;
        // A ball rolls. Only what exceeds its width resists rocking.
        let spread = second / square - centroid * centroid - OF_BALL * 2.0 * ball * mean;
        let extent = spread.max(0.0).sqrt().max(POINT_EXTENT * size);
        let [across, along] = [self.axes.x_axis, self.axes.y_axis];
        Some(SmoothOverlap {
            length: PARABOLA * mean,
            centroid: centroid * along,
            gradient: of_point(rate, self.up, combined(by_square, by_depth) / rate * along),
            // A flat end is as wide as long.
            patch: ContactPatch([extent * along, if ball > 0.0 { DVec3::ZERO } else { extent * across }]),
            evaluations: NODES,
        })
    }
}

/// Returns the smooth overlap of a half-space, body a, with a tablet whose centre is at `height` over
/// the plane with the outward unit normal `up`. Positions are from the foot of the centre on the
/// plane. `None` if the tablet is above the plane, or if the overlap is of the size of rounding.
pub(super) fn tablet_on_plane(tablet: &Tablet, up: DVec3, height: f64, orientation: DQuat) -> Option<SmoothOverlap> {
    let placed = Placed::new(up, height, orientation);
    let below = &placed.below;
    let Tablet { radius, half_height, .. } = *tablet;
    let cap_radius = tablet.cap_radius();
    let half_angle = libm::asin((radius / cap_radius).min(1.0));
    let mut sums = Sums::default();
    for side in [-1.0, 1.0] {
        let rim = DVec2::new(side * radius, half_height);
        sums.add_line(below, [rim.with_y(-half_height), rim]);
        let centre = DVec2::new(0.0, side * (tablet.apex() - cap_radius));
        sums.add_arc(below, centre, cap_radius, half_angle, side);
    }
    placed.overlap(&sums, tablet.apex().max(radius), cap_radius)
}

/// Returns whether a superellipsoid is a barrel: a body of revolution with nearly flat parts.
pub(in crate::contact) fn is_barrel(shape: &Superellipsoid) -> bool {
    shape.eps[0] == 1.0 && shape.semi_axes.x == shape.semi_axes.y && can_be_flat(shape)
}

/// Returns the smooth overlap of a half-space with a barrel, as [`tablet_on_plane`] does.
pub(super) fn barrel_on_plane(barrel: &Superellipsoid, up: DVec3, height: f64, at: DQuat) -> Option<SmoothOverlap> {
    let placed = Placed::new(up, height, at);
    let below = &placed.below;
    let (radius, half, n) = (barrel.semi_axes.x, barrel.semi_axes.z, 2.0 / barrel.eps[1]);
    let mut sums = Sums::default();
    for side in [-1.0, 1.0] {
        sums.add_bulge(below, half, n, |p| DVec2::new(side * radius * p.y, p.x))?;
        sums.add_bulge(below, radius, n, |p| DVec2::new(p.x, side * half * p.y))?;
    }
    placed.overlap(&sums, radius.max(half), 0.0)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    const TABLET: Tablet = Tablet { radius: 1.0, half_height: 0.3, cap_height: 0.2 };

    /// Returns the overlap, relative to the depth, of a tablet that is tilted by an angle, rad, and
    /// dips by a depth, m.
    fn overlap(angle: f64, depth: f64) -> f64 {
        use crate::shape::Convex;
        let orientation = DQuat::from_rotation_x(angle);
        let lowest = orientation * TABLET.support(orientation.inverse() * -DVec3::Z);
        let found = tablet_on_plane(&TABLET, DVec3::Z, -lowest.z - depth, orientation);
        found.expect("an overlap").length / depth
    }

    #[test]
    fn caps_bands_and_edges_have_their_closed_forms() {
        for angle in [0.0, 0.1, 3.0] {
            assert!((overlap(angle, 1e-6) - 1.0).abs() < 1e-4, "cap: {}", overlap(angle, 1e-6));
        }
        assert!((overlap(FRAC_PI_2, 1e-7) - 7.0 / 6.0).abs() < 1e-3, "band: {}", overlap(FRAC_PI_2, 1e-7));
        assert!((overlap(FRAC_PI_2 - 0.3, 1e-6) - 0.875).abs() < 1e-3, "edge: {}", overlap(FRAC_PI_2 - 0.3, 1e-6));
    }
}

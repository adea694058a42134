//! The geometric potential of an ellipsoid in a hollow ellipsoid: internal contact \[Trabelsi2009\].
//!
//! C is the point of the grain that is farthest outward in the container; its level is that at
//! which the container, scaled, touches the grain from outside. C' is the point of the wall that
//! the grain, scaled, reaches first. "Inside" is monotone in both levels, so bisection applies. The
//! line C-C' is not the normal; as for grains beside each other, the gradients in the middle of C
//! and C' are.

use glam::DVec3;

use super::geometric_potential::BISECTIONS;
use super::quadric::{Ellipsoids, superellipsoid_of};
use super::{Detail, Outcome};
use granum_geometry::shape::{Ellipsoid, InsideEllipsoid, InsideSphere};
use granum_geometry::{ContactPoint, Pair, Shape, Status};

/// A grain in a hollow ellipsoid.
pub(super) struct Hollow {
    /// The interior of the container first, then the grain.
    pub ellipsoids: Ellipsoids,
    /// Index of the container in the pair.
    pub container: usize,
}

impl Hollow {
    /// Returns the grain and the container of a pair; `None` for other pairs.
    pub fn of(pair: &Pair) -> Option<Self> {
        let interior = |shape: &Shape| -> Option<Shape> {
            let semi_axes = match shape {
                Shape::InsideSphere(InsideSphere { radius }) => DVec3::splat(*radius),
                Shape::InsideEllipsoid(InsideEllipsoid { semi_axes }) => *semi_axes,
                _ => return None,
            };
            Some(Ellipsoid { semi_axes }.into())
        };
        let (a, b) = (interior(pair.a), interior(pair.b));
        match (&a, &b) {
            (Some(a), None) => {
                superellipsoid_of(pair.b)?;
                Some(Self { ellipsoids: Ellipsoids::of(&Pair { a, ..*pair })?, container: 0 })
            }
            (None, Some(b)) => {
                superellipsoid_of(pair.a)?;
                Some(Self { ellipsoids: Ellipsoids::of(&Pair { b, ..*pair })?.swapped(), container: 1 })
            }
            _ => None,
        }
    }

    /// Returns the contact by the geometric potential.
    pub fn potential(&self) -> Outcome {
        let pair = &self.ellipsoids;
        let is_inside = |factors: [f64; 2]| pair.scaled(factors).reduced().farthest().1 <= 1.0;
        let root_of = |level: f64| (1.0 + level).max(f64::MIN_POSITIVE).sqrt();
        let bisect = |mut low: f64, mut high: f64, is_past: &dyn Fn(f64) -> bool| {
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (low + high);
                if is_past(middle) { high = middle } else { low = middle }
            }
            0.5 * (low + high)
        };
        let reduced = pair.reduced();
        let (outermost, square) = reduced.farthest();
        // From the level of the centre to that of a container which certainly contains the grain.
        let level_of_container = bisect(-1.0, 2.0 * square, &|level| is_inside([root_of(level), 1.0]));
        let on_grain_by_level = reduced.from_reduced * outermost;
        if pair.function(0, pair.offset).0 >= 0.0 {
            let details = vec![("levels", Detail::Text("the centre of the grain lies outside the container"))];
            let status = Status::NotConverged { residual: (on_grain_by_level - pair.offset).length() };
            return Outcome { touching: true, details, iterations: BISECTIONS, status, ..Outcome::default() };
        }
        // A grain of twice the diameter of the container is never inside.
        let largest = 4.0 / reduced.squares.max_element();
        let level_of_grain = bisect(-1.0, largest, &|level| !is_inside([1.0, root_of(level)]));
        let grown = pair.scaled([1.0, root_of(level_of_grain)]).reduced();
        let on_wall_by_level = grown.from_reduced * grown.farthest().0;

        let middle = 0.5 * (on_grain_by_level + on_wall_by_level);
        let gradient = |which: usize| pair.function(which, middle).1.normalize_or_zero();
        let outward = (gradient(0) + gradient(1)).normalize_or(pair.offset.normalize_or(DVec3::X));
        let ((wall, on_wall), (grain, on_grain)) = (pair.support(0, outward), pair.support(1, outward));
        let gap = wall - outward.dot(pair.offset) - grain;
        // Vectors relative to the centre of a, and the normal from a to b.
        let (points, normal) = if self.container == 0 {
            ([on_wall, on_grain], -outward)
        } else {
            ([on_grain - pair.offset, on_wall - pair.offset], outward)
        };
        let off = libm::acos((on_wall_by_level - on_grain_by_level).normalize_or_zero().dot(outward).abs().min(1.0));
        let arm = 0.5 * (points[0] + points[1]);
        // Of the smallest curvatures, as a contact law needs it.
        let longest = pair.axes.map(|axes| axes.x_axis.length().max(axes.y_axis.length()).max(axes.z_axis.length()));
        let curvature = (1.0 / longest[1] - 1.0 / longest[0]).max(0.0);
        Outcome {
            touching: level_of_container >= 0.0,
            gap: Some(gap),
            normal: Some(normal),
            points: Some(points),
            contacts: vec![ContactPoint { arm, normal, gap, curvature, feature: 0, overlap: None }],
            details: vec![
                ("level_of_container", Detail::Number(level_of_container)),
                ("level_of_grain", Detail::Number(level_of_grain)),
                ("line_off_normal_deg", Detail::Number(off.to_degrees())),
            ],
            iterations: 2 * BISECTIONS,
            ..Outcome::default()
        }
    }
}

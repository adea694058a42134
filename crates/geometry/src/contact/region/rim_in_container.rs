//! The smooth overlap of a rim of a cylinder or truncated cone with a hollow sphere, ellipsoid or
//! cylinder.
//!
//! The inside of the container is convex, and so is its distance function. Therefore only the rims
//! of such a body reach the wall first. As for a hollow cylinder (`rim_on_side_wall`), each rim
//! has the overlap `D = (7/6) (integral of f^3)/(integral of f^2)` over the angles where f > 0, with the
//! distance f of a point beyond the wall (`quadric_wall`). In coordinates in which the wall is a
//! unit sphere a rim is an ellipse, so that the angles where f > 0 are those of
//! `rim_on_side_wall`.

use glam::{DMat3, DVec2, DVec3};

use super::cut_by_plane::outer;
use super::quadric_wall::QuadricWall;
use super::rim_on_side_wall::PARABOLA;
use super::{MeasureGradient, SmoothOverlap};
use crate::ContactPatch;
use crate::contact::container::cylinder_rims::{Rim, farthest};

/// A rim over the wall of a container, in the axes of the container.
pub(super) struct RimInContainer {
    wall: QuadricWall,
    /// Centre of the rim, m.
    centre: DVec3,
    /// Radii of the rim in the directions of the axes of the ellipse, m.
    across: [DVec3; 2],
    /// The ellipse in the coordinates in which the wall is a unit sphere.
    rim: Rim,
    /// Squared radius of the circle in which the plane of the ellipse cuts the unit sphere. It is
    /// negative if they do not meet.
    square: f64,
}

impl RimInContainer {
    /// A rim from its centre and two perpendicular radii.
    pub fn new(wall: QuadricWall, centre: DVec3, [u, v]: [DVec3; 2]) -> Self {
        let product = |p: DVec3, q: DVec3| p.dot(wall.inverse_squares() * q);
        // The metric of the wall distorts the circle to an ellipse. Its principal axes are the
        // rotated radii that are perpendicular to each other in this metric.
        let (uu, uv, vv) = (product(u, u), product(u, v), product(v, v));
        let angle = 0.5 * libm::atan2(uv, 0.5 * (vv - uu));
        let (sin, cos) = libm::sincos(angle);
        let across = [cos * u - sin * v, cos * v + sin * u];
        let lengths = across.map(|axis| product(axis, axis).sqrt());
        // A base of a cone with the radius zero has no axes, and its centre is its only point.
        let along = |k: usize| if lengths[k] > 0.0 { product(across[k], centre) / lengths[k] } else { 0.0 };
        let middle = DVec2::new(along(0), along(1));
        let semi = DVec2::new(lengths[0].min(lengths[1]), lengths[1]);
        let rim = Rim { end: 0.0, centre: middle, semi, farthest: farthest(middle, semi) };
        let square = 1.0 - (product(centre, centre) - middle.length_squared());
        Self { wall, centre, across, rim, square }
    }

    fn point(&self, angle: DVec2) -> DVec3 {
        self.centre + angle.x * self.across[0] + angle.y * self.across[1]
    }

    /// Returns the point of the rim that is farthest beyond the wall, or nearest to it.
    pub fn nearest(&self) -> DVec3 {
        let points = self.rim.farthest.into_iter().flatten().map(|angle| self.point(angle));
        let f = |point: &DVec3| self.wall.beyond(*point).0;
        points.max_by(|p, q| f(p).total_cmp(&f(q))).unwrap_or(self.centre)
    }

    /// Returns the smooth overlap with the container, body a; `None` if the rim is inside. All
    /// vectors are from the centre of the container, in its axes, and the patch is in the tangent
    /// plane of the wall.
    pub fn smooth_overlap(&self) -> Option<SmoothOverlap> {
        let base = self.nearest();
        let (mut sums, mut evaluations) = ([Sums::default(); 2], 0);
        let (mut cube, mut middle, mut spread) = (0.0, DVec3::ZERO, DMat3::ZERO);
        let mut add = |p: DVec3, weight: f64| {
            let (f, gradient) = self.wall.beyond(p);
            if f <= 0.0 {
                return;
            }
            let linear = weight * f;
            let moment = p.cross(gradient);
            sums[0].add(linear, gradient, moment);
            sums[1].add(linear * f, gradient, moment);
            cube += linear * f * f;
            let from_base = p - base;
            middle += linear * f * from_base;
            spread += outer(from_base) * (linear * f);
            evaluations += 1;
        };
        if self.rim.semi.y > 0.0 {
            self.rim.integrate_beyond(self.square, |angle, weight| add(self.point(angle), weight));
        } else {
            // A rim without a radius, the tip of a cone.
            add(self.centre, 1.0);
        }
        let square = sums[1].weight;
        if square <= 0.0 {
            return None;
        }
        let mean = cube / square;
        let combined =
            |part: fn(&Sums) -> DVec3| PARABOLA / square * (3.0 * part(&sums[1]) - 2.0 * mean * part(&sums[0]));
        let (force, moment) = (combined(|sums| sums.force), combined(|sums| sums.moment));
        // D grows as the grain, body b, moves along `force`; the gradient is that of body a.
        let gradient = MeasureGradient { translation: -force, rotation: -moment };
        let middle = middle / square;
        let spread = spread * (1.0 / square) - outer(middle);
        let patch = ContactPatch::of(spread, gradient.normal());
        Some(SmoothOverlap { length: PARABOLA * mean, centroid: base + middle, gradient, patch, evaluations })
    }
}

/// Integrals over a rim of a weight w, of `w grad f` and of `w (x × grad f)`: the magnitude, force
/// and moment of the gradient of D.
#[derive(Clone, Copy, Default)]
struct Sums {
    weight: f64,
    force: DVec3,
    moment: DVec3,
}

impl Sums {
    fn add(&mut self, weight: f64, force: DVec3, moment: DVec3) {
        self.weight += weight;
        self.force += weight * force;
        self.moment += weight * moment;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;
    use crate::random::Random;
    use crate::shape::{InsideCylinder, InsideEllipsoid, InsideSphere};

    fn walls() -> [Shape; 3] {
        [
            InsideSphere { radius: 1.5 }.into(),
            InsideEllipsoid { semi_axes: DVec3::new(1.2, 2.0, 3.0) }.into(),
            InsideCylinder { radius: 1.5, half_height: 10.0 }.into(),
        ]
    }

    /// A rim beyond a wall by a depth: its centre and two radii.
    fn dipped(rng: &mut Random, wall: QuadricWall, depth: f64) -> (DVec3, [DVec3; 2]) {
        let outward = DVec3::new(rng.gauss(), rng.gauss(), 0.3 * rng.gauss()).normalize();
        // One rim in four is nearly parallel to the wall, and one in four has its axis along z.
        let axis = match rng.index(4) {
            0 => (outward + rng.range(-20.0, 0.0).exp() * rng.direction()).normalize(),
            1 => (DVec3::Z + rng.range(-20.0, 0.0).exp() * rng.direction()).normalize(),
            _ => rng.direction(),
        };
        let (t, u) = axis.any_orthonormal_pair();
        let radius = rng.range(0.1, 1.0);
        let radii = [radius * t, radius * u];
        let deepest = |distance: f64| {
            let rim = RimInContainer::new(wall, distance * outward, radii);
            wall.beyond(rim.nearest()).0
        };
        let (mut near, mut far) = (0.0, 1e3);
        for _ in 0..80 {
            let middle = 0.5 * (near + far);
            if deepest(middle) < depth { near = middle } else { far = middle }
        }
        (far * outward, radii)
    }

    #[test]
    fn the_overlap_is_the_mean_over_the_rim() {
        let mut rng = Random::new(91);
        for k in 0..300 {
            let wall = QuadricWall::of(&walls()[k % 3]).expect("a container");
            let depth = rng.log_range(1e-3, 0.3);
            let (centre, [u, v]) = dipped(&mut rng, wall, depth);
            let found = RimInContainer::new(wall, centre, [u, v]).smooth_overlap().expect("an overlap");
            let (mut square, mut cube) = (0.0, 0.0);
            for j in 0..100_000 {
                let (sin, cos) = (f64::from(j) * std::f64::consts::TAU / 1e5).sin_cos();
                let f = wall.beyond(centre + cos * u + sin * v).0.max(0.0);
                square += f * f;
                cube += f * f * f;
            }
            let exact = PARABOLA * cube / square;
            assert!((found.length / exact - 1.0).abs() < 1e-6, "{k}: {} {exact}", found.length);
        }
    }

    #[test]
    fn the_gradient_is_the_derivative() {
        const STEP: f64 = 1e-4;
        let mut rng = Random::new(92);
        let (mut errors, mut rates) = (Vec::new(), (f64::INFINITY, 0f64));
        for k in 0..6_000 {
            let wall = QuadricWall::of(&walls()[k % 3]).expect("a container");
            let depth = rng.log_range(1e-5, 0.1);
            let (centre, radii) = dipped(&mut rng, wall, depth);
            let at =
                |centre, radii| RimInContainer::new(wall, centre, radii).smooth_overlap().map(|overlap| overlap.length);
            let found = RimInContainer::new(wall, centre, radii).smooth_overlap().expect("an overlap");
            let MeasureGradient { translation, rotation } = found.gradient;
            let step = STEP * found.length;
            let mut worst = 0f64;
            for axis in DVec3::AXES {
                let slope = [step, -step].map(|step| at(centre + step * axis, radii).expect("an overlap"));
                worst = worst.max(((slope[0] - slope[1]) / (2.0 * step) + translation.dot(axis)).abs());
                let slope = [step, -step].map(|step| {
                    let turn = glam::DQuat::from_scaled_axis(step * axis);
                    at(turn * centre, radii.map(|radius| turn * radius)).expect("an overlap")
                });
                worst = worst.max(((slope[0] - slope[1]) / (2.0 * step) + rotation.dot(axis)).abs());
            }
            rates = (rates.0.min(translation.length()), rates.1.max(translation.length()));
            errors.push(worst);
        }
        errors.sort_by(f64::total_cmp);
        let [nearly_all, worst] = [errors.len() * 99 / 100, errors.len() - 1].map(|k| errors[k]);
        eprintln!("slopes to {nearly_all:.1e} (99 %), {worst:.1e} (worst), rates {rates:.2?}");
        assert!(nearly_all < 1e-6 && worst < 1e-4, "{nearly_all:e} {worst:e}");
        assert!(rates.1 < 1.3, "{rates:?}");
    }
}

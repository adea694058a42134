//! Wellmann, Lillie and Wriggers' common normal for superellipsoids, with the corrections of `docs/theory/smooth_shapes.md`.
//!
//! The direction `c` has two angles about the line of centres; `f = |p_2 - p_1|^2` of the points with the normals `c` and `-c` is
//! minimised by Newton's method with a Levenberg-Marquardt shift and Armijo's rule. A search that fails starts again from the
//! best of random directions, improved by Nelder and Mead's simplex.

use glam::{DVec2, DVec3};

use super::quadric::superellipsoid_of;
use super::{Detail, Method, Outcome};
use granum_geometry::contact::{SuperellipsoidSurface, Symmetric2};
use granum_geometry::numeric::math::tangent_frame;
use granum_geometry::{ContactPoint, Pair, Status};

/// Gradient of f at which the paper stops.
const GRADIENT: f64 = 1e-6;

/// The paper's limits: steps of a search, and searches.
const STEPS: u32 = 50;
const RESTARTS: u32 = 15;

/// Armijo's part of the promised decrease, and halvings of a step.
const ARMIJO: f64 = 1e-4;
const HALVINGS: u32 = 40;

/// Random directions of a restart, and steps of the simplex.
const RANDOM: usize = 100;
const SIMPLEX: usize = 60;

/// Step of the central difference that takes the Hessian from the exact gradient, rad.
const DIFFERENCE: f64 = 1e-5;

/// Part of `|d|^2` that may be off the normal at a common normal.
const COMMON: f64 = 1e-6;

/// The method.
pub const METHOD: Method = Method {
    name: "common-normal",
    about: "Wellmann's two angles: Newton, Levenberg-Marquardt and Armijo, with random restarts",
    pairs: "spheres, ellipsoids and superellipsoids",
    serves: |pair| superellipsoid_of(pair.a).is_some() && superellipsoid_of(pair.b).is_some(),
    solve,
};

/// The two bodies and the axes of the angles.
struct Search<'a> {
    a: SuperellipsoidSurface<'a>,
    b: SuperellipsoidSurface<'a>,
    offset: DVec3,
    axes: [DVec3; 3],
}

impl Search<'_> {
    fn direction(&self, angles: DVec2) -> DVec3 {
        let (s1, c1) = libm::sincos(angles.x);
        let (s2, c2) = libm::sincos(angles.y);
        c1 * c2 * self.axes[0] + s1 * c2 * self.axes[1] + s2 * self.axes[2]
    }

    /// `p_2 - p_1`.
    fn apart(&self, angles: DVec2) -> DVec3 {
        let c = self.direction(angles);
        self.offset - self.a.point(c) - self.b.point(c)
    }

    fn value(&self, angles: DVec2) -> f64 {
        self.apart(angles).length_squared()
    }

    fn gradient(&self, angles: DVec2) -> DVec2 {
        let c = self.direction(angles);
        let (t, u) = tangent_frame(c);
        let radii = self.a.curvature_radii(c, t, u).plus(self.b.curvature_radii(c, t, u));
        let apart = self.apart(angles);
        let pull = radii.times(DVec2::new(t.dot(apart), u.dot(apart)));
        let pull = pull.x * t + pull.y * u;
        let (s1, c1) = libm::sincos(angles.x);
        let (s2, c2) = libm::sincos(angles.y);
        let by_first = c2 * (c1 * self.axes[1] - s1 * self.axes[0]);
        let by_second = c2 * self.axes[2] - s2 * (c1 * self.axes[0] + s1 * self.axes[1]);
        -2.0 * DVec2::new(by_first.dot(pull), by_second.dot(pull))
    }

    fn hessian(&self, angles: DVec2) -> Symmetric2 {
        let along = |e: DVec2| {
            (self.gradient(angles + DIFFERENCE * e) - self.gradient(angles - DIFFERENCE * e)) / (2.0 * DIFFERENCE)
        };
        let (x, y) = (along(DVec2::X), along(DVec2::Y));
        Symmetric2 { xx: x.x, xy: 0.5 * (x.y + y.x), yy: y.y }
    }

    /// Newton's method; the angles, and whether the gradient is small.
    fn newton(&self, mut angles: DVec2, iterations: &mut u32) -> (DVec2, bool) {
        for _ in 0..STEPS {
            let gradient = self.gradient(angles);
            if gradient.length() < GRADIENT {
                return (angles, true);
            }
            *iterations += 1;
            let hessian = self.hessian(angles);
            let least = hessian.least_eigenvalue();
            let size = hessian.trace().abs().max(least.abs());
            let shifted = if least <= 1e-10 * size { hessian.shifted(1e-3 * size - least) } else { hessian };
            let step = shifted.newton_step(gradient).unwrap_or(-gradient);
            let (now, slope) = (self.value(angles), gradient.dot(step));
            let mut part = 1.0;
            let mut is_better = false;
            for _ in 0..HALVINGS {
                let next = angles + part * step;
                if self.value(next) <= now + ARMIJO * part * slope {
                    (angles, is_better) = (next, true);
                    break;
                }
                part *= 0.5;
            }
            if !is_better {
                return (angles, false);
            }
        }
        (angles, false)
    }

    /// Whether the points share their normal: the gradient also vanishes where curvature radii do.
    fn is_common(&self, angles: DVec2) -> bool {
        let (c, apart) = (self.direction(angles), self.apart(angles));
        let along = c.dot(apart);
        apart.length_squared() - along * along <= COMMON * apart.length_squared()
    }

    /// The best of random directions, improved by Nelder and Mead's simplex.
    fn restart(&self, seed: &mut u64) -> DVec2 {
        let mut random = || {
            *seed ^= *seed << 13;
            *seed ^= *seed >> 7;
            *seed ^= *seed << 17;
            (*seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let half_turn = std::f64::consts::PI;
        let mut tried: Vec<DVec2> = (0..RANDOM).map(|_| half_turn * DVec2::new(random(), random())).collect();
        tried.sort_by(|p, q| self.value(*p).total_cmp(&self.value(*q)));
        let best = tried[0];
        let mut simplex = [best, best + DVec2::new(0.1, 0.0), best + DVec2::new(0.0, 0.1)];
        for _ in 0..SIMPLEX {
            simplex.sort_by(|p, q| self.value(*p).total_cmp(&self.value(*q)));
            let middle = 0.5 * (simplex[0] + simplex[1]);
            let away = middle - simplex[2];
            let moves = [2.0, 1.0, 0.5, -0.5].map(|part| middle + part * away);
            let good = moves.into_iter().min_by(|p, q| self.value(*p).total_cmp(&self.value(*q)));
            match good {
                Some(point) if self.value(point) < self.value(simplex[2]) => simplex[2] = point,
                _ => {
                    simplex[1] = 0.5 * (simplex[0] + simplex[1]);
                    simplex[2] = 0.5 * (simplex[0] + simplex[2]);
                }
            }
        }
        simplex[0]
    }
}

fn solve(pair: &Pair) -> Outcome {
    let (Some(a), Some(b)) = (superellipsoid_of(pair.a), superellipsoid_of(pair.b)) else { return Outcome::default() };
    let first = pair.offset.normalize_or(DVec3::X);
    let (second, third) = tangent_frame(first);
    let search = Search {
        a: SuperellipsoidSurface::new(&a, pair.orientation_a),
        b: SuperellipsoidSurface::new(&b, pair.orientation_b),
        offset: pair.offset,
        axes: [first, second, third],
    };
    let (mut iterations, mut restarts, mut seed) = (0, 0, 0x9e37_79b9_7f4a_7c15);
    let (mut angles, mut is_found) = search.newton(DVec2::ZERO, &mut iterations);
    while !(is_found && search.is_common(angles)) && restarts < RESTARTS {
        restarts += 1;
        let start = search.restart(&mut seed);
        (angles, is_found) = search.newton(start, &mut iterations);
    }
    let (c, apart) = (search.direction(angles), search.apart(angles));
    let gap = c.dot(apart);
    let residual = (apart - gap * c).length();
    let on_a = search.a.point(c);
    let (t, u) = tangent_frame(c);
    let curvature = search.a.curvature(c, t, u) + search.b.curvature(c, t, u);
    let is_converged = is_found && search.is_common(angles);
    Outcome {
        touching: gap <= 0.0,
        gap: Some(gap),
        normal: Some(c),
        points: Some([on_a, on_a + apart]),
        contacts: vec![ContactPoint { arm: on_a + 0.5 * apart, normal: c, gap, curvature, feature: 0 }],
        details: vec![("restarts", Detail::Number(f64::from(restarts)))],
        iterations,
        status: if is_converged { Status::Converged } else { Status::NotConverged { residual } },
    }
}

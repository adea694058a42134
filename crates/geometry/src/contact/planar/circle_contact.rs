//! The points of a planar body that are nearest to a hollow circle around it.
//!
//! The support function of the body about the centre of the circle is `G(phi) = n.c + h(n)`. At a
//! local maximum the boundary point lies on the ray from the centre along n, and no neighbouring
//! point is nearer to the circle.

use glam::DVec2;

use super::Profile;

/// Number of directions at which the derivative of `G` is evaluated, besides those around flat
/// faces. A maximum and a minimum between two of them would be missed. The directions are evenly
/// spaced along the boundary.
const SAMPLES: usize = 32;

/// Cosine and sine of pi/16, the step between two directions.
const SAMPLE_STEP: DVec2 = DVec2::new(0.980_785_280_403_230_4, 0.195_090_322_016_128_27);

/// Cosine and sine of pi/32, the first direction, so that none lies on an axis.
const FIRST_SAMPLE: DVec2 = DVec2::new(0.995_184_726_672_196_9, 0.098_017_140_329_560_6);

/// Largest number of bisections and Newton steps. They give rounding accuracy.
const MAX_STEPS: u32 = 80;

/// Newton step, rad, that is a rounding error of the direction.
const LAST_STEP: f64 = 1e-15;

/// A point of a body with a locally least distance to the circle.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Outward normal of the body there, body axes. It points away from the centre of the circle.
    pub normal: DVec2,
    /// Distance from the centre of the circle, m.
    pub distance: f64,
    /// Radius of curvature of the body there, m.
    pub radius: f64,
}

/// Finds the local maxima of the distance from the centre of a circle of radius `rim`,
/// anticlockwise. `centre` is the vector from the centre of the circle to that of the body, in body
/// axes.
pub fn farthest(body: &impl Profile, centre: DVec2, rim: f64, mut found: impl FnMut(Touch)) {
    let slope = |n: DVec2| {
        let extreme = body.extreme(n);
        let point = centre + extreme.point;
        (n.perp().dot(point), n.dot(point), extreme.radius)
    };
    let wide = body.half_widths();
    // Normals at even steps along the boundary of the ellipse with the same axes.
    let look = |parameter: DVec2| (DVec2::new(wide.y, wide.x) * parameter).normalize();
    let mut parameter = FIRST_SAMPLE;
    let mut before = look(parameter);
    let mut rises = slope(before).0 > 0.0;
    // A maximum lies between two directions if the derivative changes from positive to negative.
    let mut pass = |behind: DVec2| {
        let rises_still = slope(behind).0 > 0.0;
        if rises && !rises_still {
            found(maximum(slope, before, behind));
        }
        (before, rises) = (behind, rises_still);
    };
    let mut axis = DVec2::X;
    for number in 1..=SAMPLES {
        if number % (SAMPLES / 4) == 0 {
            // An axis lies between this direction and the last one. Around a flat face there may be
            // a maximum on either side and a minimum between. They are separated where the face has
            // the curvature of the circle.
            axis = axis.perp();
            let flat = body.flat_angle(usize::from(axis.y != 0.0), rim);
            if let Some(angle) = flat.filter(|&angle| angle < look(parameter).perp_dot(axis)) {
                for aside in [-angle, 0.0, angle] {
                    pass((axis + aside * axis.perp()).normalize());
                }
            }
        }
        parameter = SAMPLE_STEP.rotate(parameter);
        pass(look(parameter));
    }
}

/// Returns the maximum between two directions. `G` increases from the first and decreases from the
/// second. A Newton step that leaves the interval is replaced by a bisection.
fn maximum(slope: impl Fn(DVec2) -> (f64, f64, f64), mut before: DVec2, mut behind: DVec2) -> Touch {
    let mut normal = (before + behind).normalize();
    for _ in 0..MAX_STEPS {
        let (rise, distance, radius) = slope(normal);
        // G'' = rho - G.
        let tan = rise / (distance - radius);
        if distance > radius && tan.abs() <= LAST_STEP {
            break;
        }
        if rise > 0.0 {
            before = normal;
        } else {
            behind = normal;
        }
        let next = (normal + tan * normal.perp()).normalize();
        // Bisect if Newton's step leaves the interval or the function is not concave here.
        let inside = before.perp_dot(next) > 0.0 && next.perp_dot(behind) > 0.0;
        let next = if distance > radius && inside { next } else { (before + behind).normalize() };
        if next == normal {
            break;
        }
        normal = next;
    }
    let (_, distance, radius) = slope(normal);
    Touch { normal, distance, radius }
}

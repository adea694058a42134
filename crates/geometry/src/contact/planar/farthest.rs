//! Where a body inside a hollow circle comes nearest to the rim.
//!
//! About the circle's centre the body has the support function `G(phi) = n.c + h(n)`; at a local maximum the boundary
//! point lies on the line from the centre along n, and no neighbour is nearer to the rim.

use glam::DVec2;

use super::Profile;

/// Directions at which the slope of `G` is looked up, besides those about flat faces. A maximum and a minimum between two of
/// them would be missed; the directions follow the boundary, not the angle.
const LOOKS: usize = 32;

/// Cosine and sine of a step of pi/16 from look to look ...
const NEXT_LOOK: DVec2 = DVec2::new(0.980_785_280_403_230_4, 0.195_090_322_016_128_27);

/// ... and of half of it, so that no look is on an axis.
const FIRST_LOOK: DVec2 = DVec2::new(0.995_184_726_672_196_9, 0.098_017_140_329_560_6);

/// Bisections and Newton steps to rounding.
const MOST_STEPS: u32 = 80;

/// A Newton step that changes nothing more.
const LAST_STEP: f64 = 1e-15;

/// A point of a body that is nearest to the rim.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Outward normal of the body there, body axes: away from the circle's centre.
    pub normal: DVec2,
    /// Distance from the circle's centre, m.
    pub reach: f64,
    /// Radius of curvature of the body there, m.
    pub radius: f64,
}

/// The local maxima of the distance from the centre of a rim of radius `rim`, with `centre` the body's centre as seen from it
/// (body axes), counterclockwise.
pub fn farthest(body: &impl Profile, centre: DVec2, rim: f64, mut found: impl FnMut(Touch)) {
    let slope = |n: DVec2| {
        let extreme = body.extreme(n);
        let point = centre + extreme.point;
        (n.perp().dot(point), n.dot(point), extreme.radius)
    };
    let wide = body.half_widths();
    // Even steps along the boundary of the ellipse with the same axes, seen as normals.
    let look = |parameter: DVec2| (DVec2::new(wide.y, wide.x) * parameter).normalize();
    let mut parameter = FIRST_LOOK;
    let mut before = look(parameter);
    let mut rises = slope(before).0 > 0.0;
    let mut pass = |behind: DVec2| {
        let rises_still = slope(behind).0 > 0.0;
        if rises && !rises_still {
            found(maximum(slope, before, behind));
        }
        (before, rises) = (behind, rises_still);
    };
    let mut axis = DVec2::X;
    for number in 1..=LOOKS {
        if number % (LOOKS / 4) == 0 {
            // An axis lies between this look and the last. About a flat face there may be a maximum on either side and a
            // minimum between: they are told apart where the face is as round as the rim.
            axis = axis.perp();
            let flat = body.flat_angle(usize::from(axis.y != 0.0), rim);
            if let Some(angle) = flat.filter(|&angle| angle < look(parameter).perp_dot(axis)) {
                for aside in [-angle, 0.0, angle] {
                    pass((axis + aside * axis.perp()).normalize());
                }
            }
        }
        parameter = NEXT_LOOK.rotate(parameter);
        pass(look(parameter));
    }
}

/// The maximum between two directions, from which `G` rises and falls: Newton's method, bisected where it leaves them.
fn maximum(slope: impl Fn(DVec2) -> (f64, f64, f64), mut before: DVec2, mut behind: DVec2) -> Touch {
    let mut normal = (before + behind).normalize();
    for _ in 0..MOST_STEPS {
        let (rise, reach, radius) = slope(normal);
        // G'' = rho - G.
        let tan = rise / (reach - radius);
        if reach > radius && tan.abs() <= LAST_STEP {
            break;
        }
        if rise > 0.0 {
            before = normal;
        } else {
            behind = normal;
        }
        let next = (normal + tan * normal.perp()).normalize();
        let inside = before.perp_dot(next) > 0.0 && next.perp_dot(behind) > 0.0;
        let next = if reach > radius && inside { next } else { (before + behind).normalize() };
        if next == normal {
            break;
        }
        normal = next;
    }
    let (_, reach, radius) = slope(normal);
    Touch { normal, reach, radius }
}

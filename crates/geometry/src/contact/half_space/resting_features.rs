//! The parts on which bodies of revolution rest: the bases of cylinders and truncated cones, and
//! the straight lines on their sides and on capsules.
//!
//! The lowest point of a part that is nearly parallel to a plane is ill-conditioned: a tilt of 1e-9
//! rad moves it across the whole part. Forces therefore act at points fixed to the body. The
//! central point moves from the middle of the part to the lowest point as the tilt grows from
//! `HELD` to `FREE`.

use glam::DVec3;

use crate::Shape;
use crate::contact::smooth::flat_face::TILT;
use crate::shape::Capsule;

/// Tilt, rad, up to which the central point stays in the middle of a part. It is far above rounding
/// and far below [`TILT`].
const HELD: f64 = 1e-3;

/// Tilt, rad, from which the central point is the lowest point.
const FREE: f64 = 5e-3;

/// First feature numbers of the points on the upper and on the lower rim.
const RIMS: [u32; 2] = [1, 5];

/// First feature number of the two ends of a line.
pub(crate) const LINE: u32 = 9;

/// A part of a body of revolution that is nearly parallel to the plane, in body axes.
pub(crate) enum Part {
    /// A disc about the axis at height `z`. `rim` is the first feature number of its rim.
    Base { z: f64, radius: f64, rim: u32 },
    /// A straight line on the surface, given by its ends.
    Line([DVec3; 2]),
}

/// The part on which a body rests. `share` is the position of the central point, from 0 (middle of
/// the part) to 1 (lowest point).
pub(crate) struct Rest {
    pub part: Part,
    pub share: f64,
}

impl Rest {
    /// Returns the part that is nearly perpendicular to the unit vector `down` (body axes), which
    /// points into the wall, or `None`.
    pub fn along(shape: &Shape, down: DVec3) -> Option<Self> {
        let (radii, heights) = match shape {
            Shape::Cylinder(shape) => ([shape.radius; 2], [-shape.half_height, shape.half_height]),
            Shape::TruncatedCone(shape) => (shape.radii, shape.heights()),
            Shape::Capsule(shape) => return of_capsule(shape, down),
            _ => return None,
        };
        let upper = usize::from(down.z > 0.0);
        let across = down.truncate().length();
        if across <= TILT && radii[upper] > 0.0 {
            let part = Part::Base { z: heights[upper], radius: radii[upper], rim: RIMS[1 - upper] };
            return Some(Self { part, share: central_share(across) });
        }
        let out = down.truncate().normalize_or_zero();
        let ends = [0, 1].map(|k| (radii[k] * out).extend(heights[k]));
        let rise = (ends[1] - ends[0]).normalize().dot(down).abs();
        (rise <= TILT).then(|| Self { part: Part::Line(ends), share: central_share(rise) })
    }

    /// Returns four fixed points of a rim with their feature numbers.
    pub fn rim_points(z: f64, radius: f64, rim: u32) -> [(u32, DVec3); 4] {
        let at = |k: u32, x: f64, y: f64| (rim + k, DVec3::new(radius * x, radius * y, z));
        [at(0, 1.0, 0.0), at(1, 0.0, 1.0), at(2, -1.0, 0.0), at(3, 0.0, -1.0)]
    }
}

fn of_capsule(shape: &Capsule, down: DVec3) -> Option<Rest> {
    let rise = down.z.abs();
    let ends = [-1.0, 1.0].map(|side| shape.radius * down + side * shape.half_height * DVec3::Z);
    (rise <= TILT).then(|| Rest { part: Part::Line(ends), share: central_share(rise) })
}

fn central_share(tilt: f64) -> f64 {
    ((tilt - HELD) / (FREE - HELD)).clamp(0.0, 1.0)
}

//! What round bodies rest on: the bases of cylinders and truncated cones, and the lines of their sides and of capsules.
//!
//! Where one of these is level with a plane, the lowest point says little: a tilt of 1e-9 moves it across the whole part. So
//! forces act at points that are fixed to the body, and the lowest point is held at the middle until the tilt is plain.

use glam::DVec3;

use crate::Shape;
use crate::contact::smooth::face::TILT;
use crate::shape::Capsule;

/// Angles, rad, between which the lowest point moves from the middle of a part to where it is.
const HELD: f64 = 1e-3;
const FREE: f64 = 5e-3;

/// First features of the points of a part: on the upper rim, on the lower, and the two ends of a line.
const RIMS: [u32; 2] = [1, 5];
pub(crate) const LINE: u32 = 9;

/// A part of a round body that is nearly level, in body axes.
pub(crate) enum Part {
    /// A disc about the axis, with the first of the features of its rim.
    Base { z: f64, radius: f64, rim: u32 },
    /// A straight line on the surface, by its ends.
    Line([DVec3; 2]),
}

/// A part that is nearly level, and how freely the lowest point moves on it: from 0, held at its middle, to 1.
pub(crate) struct Rest {
    pub part: Part,
    pub share: f64,
}

impl Rest {
    /// The part of a body that is nearly level where the unit vector `down` (body axes) points into the ground.
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
            return Some(Self { part, share: freedom(across) });
        }
        let out = down.truncate().normalize_or_zero();
        let ends = [0, 1].map(|k| (radii[k] * out).extend(heights[k]));
        let rise = (ends[1] - ends[0]).normalize().dot(down).abs();
        (rise <= TILT).then(|| Self { part: Part::Line(ends), share: freedom(rise) })
    }

    /// The four points of a rim, with their features.
    pub fn rim_points(z: f64, radius: f64, rim: u32) -> [(u32, DVec3); 4] {
        let at = |k: u32, x: f64, y: f64| (rim + k, DVec3::new(radius * x, radius * y, z));
        [at(0, 1.0, 0.0), at(1, 0.0, 1.0), at(2, -1.0, 0.0), at(3, 0.0, -1.0)]
    }
}

fn of_capsule(shape: &Capsule, down: DVec3) -> Option<Rest> {
    let rise = down.z.abs();
    let ends = [-1.0, 1.0].map(|side| shape.radius * down + side * shape.half_height * DVec3::Z);
    (rise <= TILT).then(|| Rest { part: Part::Line(ends), share: freedom(rise) })
}

fn freedom(tilt: f64) -> f64 {
    ((tilt - HELD) / (FREE - HELD)).clamp(0.0, 1.0)
}

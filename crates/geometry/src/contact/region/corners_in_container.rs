//! The overlap of the corners of a box or polyhedron with the curved wall of a container.
//!
//! The inside of the container is convex, so that corners reach the wall first. The corners in one
//! octant of the body make one contact with the overlap
//!
//! ```text
//! D = (sum of f^4)^(1/4)    over the corners with f > 0
//! ```
//!
//! where f is the distance of a corner beyond the wall. One corner has D = f, and n corners at the
//! same distance have `n^(1/4)` times it, so that the stiffness is that of the square root of n
//! corners. A corner begins and ends without a kink of the force, and the elastic force of any
//! number of corners is the gradient of a function of the pose.

use glam::{DMat3, DVec3};

use super::cut_by_plane::outer;
use super::quadric_wall::QuadricWall;
use super::{MeasureGradient, POINT_EXTENT, SmoothOverlap};
use crate::contact::polytope::Corners;
use crate::numeric::math::tangent_frame;
use crate::{ContactPatch, Pair};

/// Number of octants.
pub(super) const OCTANTS: usize = 8;

/// The corners of one octant of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct CornerGroup {
    /// The corner farthest beyond the wall, or nearest to it, from the centre of the body, world
    /// axes, m.
    pub nearest: DVec3,
    /// Its distance beyond the wall, m.
    pub beyond: f64,
    /// The overlap; `None` if no corner is beyond the wall. Vectors are from the centre of the
    /// container in world axes.
    pub overlap: Option<SmoothOverlap>,
}

/// Returns the groups of corners of body b in the octants of its axes. A sign of minus zero counts
/// as positive.
pub(super) fn corner_groups(
    polytope: &impl Corners,
    wall: &QuadricWall,
    pair: &Pair,
) -> [Option<CornerGroup>; OCTANTS] {
    let to_wall = pair.orientation_a.inverse();
    let mut sums = [Sums::NONE; OCTANTS];
    for corner in 0..polytope.corner_count() {
        let own = polytope.corner(corner);
        let octant = [own.x, own.y, own.z].iter().enumerate().map(|(k, x)| usize::from(*x < 0.0) << k).sum::<usize>();
        let from_centre = pair.orientation_b * own;
        let at = to_wall * (pair.offset + from_centre);
        sums[octant].add(from_centre, at, wall.beyond(at));
    }
    sums.map(|sums| sums.group(pair))
}

/// Sums over the corners of a group.
#[derive(Clone, Copy)]
struct Sums {
    nearest: DVec3,
    beyond: f64,
    /// Number of corners beyond the wall.
    count: u32,
    /// Position of the only corner beyond the wall, in the axes of the container, m.
    at: DVec3,
    /// Sum of f^4, and sums of f^3 times the gradient of f and its moment.
    fourth: f64,
    force: DVec3,
    moment: DVec3,
    /// Sum of f^3, and sums of f^3 times the position from `at` and its square.
    weight: f64,
    middle: DVec3,
    spread: DMat3,
}

impl Sums {
    const NONE: Self = Self {
        nearest: DVec3::ZERO,
        beyond: f64::NEG_INFINITY,
        count: 0,
        at: DVec3::ZERO,
        fourth: 0.0,
        force: DVec3::ZERO,
        moment: DVec3::ZERO,
        weight: 0.0,
        middle: DVec3::ZERO,
        spread: DMat3::ZERO,
    };

    fn add(&mut self, from_centre: DVec3, at: DVec3, (f, gradient): (f64, DVec3)) {
        if f > self.beyond {
            (self.nearest, self.beyond) = (from_centre, f);
        }
        if f <= 0.0 {
            return;
        }
        // Positions relative to the first of these corners: the second moments of close corners
        // would otherwise be small differences of large numbers.
        if self.count == 0 {
            self.at = at;
        }
        self.count += 1;
        let cube = f * f * f;
        self.fourth += cube * f;
        self.force += cube * gradient;
        self.moment += cube * at.cross(gradient);
        self.weight += cube;
        let from_first = at - self.at;
        self.middle += cube * from_first;
        self.spread += outer(from_first) * cube;
    }

    fn group(self, pair: &Pair) -> Option<CornerGroup> {
        (self.beyond > f64::NEG_INFINITY).then(|| CornerGroup {
            nearest: self.nearest,
            beyond: self.beyond,
            overlap: (self.fourth > 0.0).then(|| self.overlap(pair)),
        })
    }

    fn overlap(&self, pair: &Pair) -> SmoothOverlap {
        // dD = D^-3 times the sum of f^3 df.
        let length = self.fourth.sqrt().sqrt();
        let scale = 1.0 / (length * length * length);
        let turn = |v: DVec3| pair.orientation_a * v;
        // D grows as the body, b, moves along `force`; the gradient is that of the container, a.
        let gradient = MeasureGradient { translation: turn(-scale * self.force), rotation: turn(-scale * self.moment) };
        let middle = self.middle / self.weight;
        let patch = if self.count > 1 {
            let axes = DMat3::from_quat(pair.orientation_a);
            let spread = self.spread * (1.0 / self.weight) - outer(middle);
            ContactPatch::of(axes * spread * axes.transpose(), gradient.normal())
        } else {
            let extent = POINT_EXTENT * pair.b.as_convex().bounding_radius();
            ContactPatch([extent * tangent_frame(gradient.normal()).0, DVec3::ZERO])
        };
        SmoothOverlap { length, centroid: turn(self.at + middle), gradient, patch, evaluations: self.count as usize }
    }
}

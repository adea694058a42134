//! Straight lines on superellipsoids that are flat along one direction and round across it, such as
//! the side of a barrel.
//!
//! The lowest point of such a line is ill-conditioned along the line, and well-conditioned across
//! it. The contact therefore has points at fixed places along the line: its middle and two ends.
//! Across the line they follow the lowest point. Points that were fixed to the grain in this
//! direction, too, would hit the ground one after the other as the grain rolls, and brake it.

use glam::DVec3;

use super::flat_face::{FLAT, Face, SAG, TILT, can_be_flat, half_width, leaving};
use crate::contact::patch::{self, Patch};
use crate::shape::Superellipsoid;
use crate::{Convex, Manifold, Pair};

/// First feature number of the ends of lines. It is above those of the corners of faces. Each body
/// axis has two numbers.
const FIRST_END: u32 = 24;

/// Size of the cross-section through a line, relative to the largest one, up to which the ends
/// carry no force. Near a pole a line shrinks to a point, and its ends would stiffen the contact.
const POLE: f64 = 0.25;

/// Relative size of the cross-section from which the ends carry their full force.
const SIDE: f64 = 0.5;

/// A straight line on the surface, in body axes. Its direction is one of them.
pub(in crate::contact) struct Line<'a> {
    shape: &'a Superellipsoid,
    axis: usize,
    /// Middle of the line, where the surface has the normal of the contact but for its component
    /// along the line.
    middle: DVec3,
    /// Half of its length, m.
    half_length: f64,
    /// Fraction of their overlap with which the ends act, from 0 to 1.
    pub share: f64,
}

impl<'a> Line<'a> {
    /// Returns the line whose outward normal is `down` (body axes) up to an angle of [`TILT`] along
    /// the line, if the surface is straight there.
    pub fn of(shape: &'a Superellipsoid, down: DVec3) -> Option<Self> {
        if !can_be_flat(shape) {
            return None;
        }
        // Of the axes x and y only the one closer to the contact plane can be along the line.
        let in_plane = usize::from(down.y.abs() <= down.x.abs());
        let is_near = |axis: usize| down[axis].abs() <= TILT;
        if !is_near(2) && !is_near(in_plane) {
            return None;
        }
        let widths = shape.eps.map(|eps| half_width(SAG, eps));
        // A body that is flat along both exponents has faces, and edges between them.
        let (axis, width) = match widths.map(|width| width >= FLAT) {
            [false, true] => (2, widths[1]),
            [true, false] => (in_plane, widths[0]),
            _ => return None,
        };
        if !is_near(axis) {
            return None;
        }
        let mut across = down;
        across[axis] = 0.0;
        let middle = shape.support(across);
        // The cross-sections along z are all alike in shape, and those at the poles are points.
        let section = if axis == 2 { 1.0 } else { (middle[1 - axis] / shape.semi_axes[1 - axis]).abs() };
        let share = ((section - POLE) / (SIDE - POLE)).clamp(0.0, 1.0);
        let half_length = width * section * shape.semi_axes[axis];
        (share > 0.0).then_some(Self { shape, axis, middle, half_length, share })
    }

    /// Returns the point at which the force acts, and whether it differs from the lowest point. The
    /// middle acts while the lowest point lies on the straight part.
    pub fn acting_point(&self, lowest: DVec3) -> (DVec3, bool) {
        let share = leaving(lowest[self.axis].abs() / self.half_length);
        (self.middle + share * (lowest - self.middle), share < 1.0)
    }

    /// Returns the two ends with their feature numbers.
    pub fn ends(&self) -> [(u32, DVec3); 2] {
        [0, 1].map(|end: u32| {
            let along = if end == 0 { self.half_length } else { -self.half_length };
            let point = self.middle + along * DVec3::AXES[self.axis];
            // The division by the gauge moves the point along its ray onto the surface.
            (self.feature() + end, point / self.shape.gauge(point).0)
        })
    }

    fn feature(&self) -> u32 {
        FIRST_END + 2 * self.axis as u32
    }
}

/// A part of a superellipsoid that is nearly parallel to the contact plane.
pub(in crate::contact) enum FlatPart<'a> {
    Face(Face<'a>),
    Line(Line<'a>),
}

impl<'a> FlatPart<'a> {
    /// Returns the part with an outward normal close to `down` (body axes), if there is one.
    pub fn of(shape: &'a Superellipsoid, down: DVec3) -> Option<Self> {
        Face::of(shape, down).map(Self::Face).or_else(|| Line::of(shape, down).map(Self::Line))
    }

    /// Returns the point at which the force acts, and whether it differs from the lowest point.
    pub fn acting_point(&self, lowest: DVec3) -> (DVec3, bool) {
        match self {
            Self::Face(face) => face.acting_point(lowest),
            Self::Line(line) => line.acting_point(lowest),
        }
    }

    /// Calls `push` with the feature number of each outer point, the point in body axes, and the
    /// fraction of its overlap with which it acts.
    pub fn for_each_outer_point(&self, mut push: impl FnMut(u32, DVec3, f64)) {
        match self {
            Self::Face(face) => face.corners().for_each(|(feature, point)| push(feature, point, 1.0)),
            Self::Line(line) => line.ends().into_iter().for_each(|(feature, point)| push(feature, point, line.share)),
        }
    }
}

/// A straight line in world axes, relative to the centre of body a.
struct LineInWorld {
    middle: DVec3,
    along: DVec3,
    half: f64,
    feature: u32,
}

impl LineInWorld {
    /// Returns the position along the line of the point nearest to `point`, m.
    fn position(&self, point: DVec3) -> f64 {
        (point - self.middle).dot(self.along)
    }

    fn at(&self, position: f64) -> DVec3 {
        self.middle + position * self.along
    }

    /// Returns the height along `n` of the line beside `point`.
    fn height(&self, point: DVec3, n: DVec3) -> f64 {
        self.at(self.position(point)).dot(n)
    }
}

/// Replaces the contact of two superellipsoids at a line by the patch of this line with a face or a
/// parallel line of the other.
pub(super) fn widen(pair: &Pair, parts: [&FlatPart; 2], manifold: &mut Manifold) {
    let [nearest] = *manifold.points() else { return };
    let n = nearest.normal;
    let turns = [pair.orientation_a, pair.orientation_b];
    let centres = [DVec3::ZERO, pair.offset];
    let in_world = |body: usize, line: &Line| LineInWorld {
        middle: centres[body] + turns[body] * line.middle,
        along: turns[body] * DVec3::AXES[line.axis],
        half: line.half_length,
        feature: 1 + line.feature(),
    };
    let with_face = |line: LineInWorld, line_is_a: bool, share: f64, face: &Face, manifold: &mut Manifold| {
        let body = usize::from(line_is_a);
        let (top, edges) = face.rectangle();
        let top = centres[body] + turns[body] * top;
        let normal = turns[body] * face.normal();
        let mut range = [-line.half, line.half];
        for edge in edges {
            let edge = turns[body] * edge;
            // The face extends to +- the vector of each edge from its centre.
            range = clip(range, (line.middle - top).dot(edge), line.along.dot(edge), edge.length_squared());
        }
        let surfaces = |point: DVec3| {
            // Along n the face is where the plane through its centre intersects the line of action.
            let of_face = point.dot(n) + (top - point).dot(normal) / n.dot(normal);
            let of_line = line.height(point, n);
            if line_is_a { [of_line, of_face] } else { [of_face, of_line] }
        };
        let tilt = line.along.dot(normal).abs();
        replace(&line, range, tilt, 2.0 * line.half, share, surfaces, pair.margin, manifold);
    };
    match parts {
        // Two faces are widened by `flat_face`.
        [FlatPart::Face(_), FlatPart::Face(_)] => {}
        [FlatPart::Line(a), FlatPart::Face(face)] => with_face(in_world(0, a), true, a.share, face, manifold),
        [FlatPart::Face(face), FlatPart::Line(b)] => with_face(in_world(1, b), false, b.share, face, manifold),
        [FlatPart::Line(line_a), FlatPart::Line(line_b)] => {
            let (a, b) = (in_world(0, line_a), in_world(1, line_b));
            let tilt = a.along.cross(b.along).length();
            let centre = a.position(b.middle);
            // The lines are parallel to within the tilt, so that b covers an interval of a.
            let range = [(-a.half).max(centre - b.half), a.half.min(centre + b.half)];
            let surfaces = |point: DVec3| [a.height(point, n), b.height(point, n)];
            let size = 2.0 * a.half.min(b.half);
            replace(&a, range, tilt, size, line_a.share.min(line_b.share), surfaces, pair.margin, manifold);
        }
    }
}

/// Replaces the nearest point by the patch over a range of a line.
#[allow(clippy::too_many_arguments)] // All of them belong to one patch.
fn replace(
    line: &LineInWorld,
    range: [f64; 2],
    tilt: f64,
    size: f64,
    share: f64,
    surfaces: impl Fn(DVec3) -> [f64; 2],
    margin: f64,
    manifold: &mut Manifold,
) {
    let width = range[1] - range[0];
    if width <= 0.0 || tilt > patch::TILT {
        return;
    }
    let nearest = manifold.points()[0];
    let points = [0, 1].map(|end| (line.feature + end as u32, line.at(range[1 - end])));
    // The ends act less on a short line near a pole, as on a short common part.
    let middle = line.at(0.5 * (range[0] + range[1]));
    let found = Patch::of(tilt, share * width, middle, &points);
    manifold.drop_points();
    found.report(&nearest, size, surfaces, |v| v, margin, manifold);
}

/// Returns the part of a range along a line within which `start + slope t` is at most `limit` in
/// size.
fn clip([low, high]: [f64; 2], start: f64, slope: f64, limit: f64) -> [f64; 2] {
    if slope == 0.0 {
        return if start.abs() <= limit { [low, high] } else { [0.0, 0.0] };
    }
    let ends = [(-limit - start) / slope, (limit - start) / slope];
    [low.max(ends[0].min(ends[1])), high.min(ends[0].max(ends[1]))]
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use glam::DQuat;

    use super::*;
    use crate::shape::HalfSpace;
    use crate::{Measure, Pose, Shape, collide};

    const OVERLAP: f64 = 1e-4;

    fn barrel() -> Shape {
        Superellipsoid { semi_axes: DVec3::new(1.0, 1.0, 1.5), eps: [1.0, 0.2] }.into()
    }

    /// Returns the contact of body a at the origin with a barrel above it.
    fn contact(a: &Shape, turn_a: DQuat, height: f64, turn_b: DQuat) -> Manifold {
        let pose_a = Pose { position: DVec3::ZERO, orientation: turn_a };
        let pose_b = Pose { position: DVec3::Z * height, orientation: turn_b };
        let barrel = barrel();
        let mut manifold = Manifold::default();
        let pair = Pair { margin: 0.0, ..Pair::new(a, &pose_a, &barrel, &pose_b) };
        collide(Measure::Depth, &pair, &mut manifold);
        let mut swapped = Manifold::default();
        let mirrored = Pair { margin: 0.0, ..Pair::new(&barrel, &pose_b, a, &pose_a) };
        collide(Measure::Depth, &mirrored, &mut swapped);
        assert_eq!(manifold.points().len(), swapped.points().len(), "swapped bodies have the same contact");
        manifold
    }

    fn lying(angle: f64) -> DQuat {
        DQuat::from_rotation_x(FRAC_PI_2) * DQuat::from_rotation_z(angle)
    }

    #[test]
    fn a_barrel_rests_on_the_same_line_of_the_plane_at_any_angle() {
        let floor = HalfSpace::new(DVec3::Z).into();
        for angle in [0.0, 1e-9, 0.05, 0.09, 0.11, 0.5, 0.785, 1.5, 3.0] {
            let manifold = contact(&floor, DQuat::IDENTITY, 1.0 - OVERLAP, lying(angle));
            assert_eq!(manifold.points().len(), 3, "angle {angle}");
            for (point, y) in manifold.points().iter().zip([0.0, -1.0, 1.0]) {
                assert!(point.arm.x.abs() < 1e-12, "angle {angle}: {point:?}");
                let wanted = y * 1.5 * half_width(SAG, 0.2);
                assert!((point.arm.y - wanted).abs() < 1e-5, "angle {angle}: {point:?}");
                assert!((point.gap + OVERLAP).abs() < 1e-6, "angle {angle}: {point:?}");
            }
        }
    }

    #[test]
    fn the_contact_of_a_tilted_barrel_is_continuous() {
        let floor = HalfSpace::new(DVec3::Z).into();
        // Sum of the overlaps and of their moments, which is proportional to force and torque.
        let sums = |tilt: f64| {
            let turn = DQuat::from_rotation_x(tilt) * lying(0.3);
            let down = turn.inverse() * DVec3::NEG_Z;
            let height = down.dot(barrel().as_convex().support(down)) - OVERLAP;
            let manifold = contact(&floor, DQuat::IDENTITY, height, turn);
            manifold.points().iter().fold([0.0; 2], |sum, p| [sum[0] - p.gap, sum[1] - p.gap * p.arm.y])
        };
        let mut last = sums(0.0);
        for k in 1..12_000 {
            let now = sums(1e-5 * f64::from(k));
            let jump = (0..2).map(|i| (now[i] - last[i]).abs()).fold(0.0, f64::max);
            assert!(jump < 2e-5, "jump {jump:e} at {}", 1e-5 * f64::from(k));
            last = now;
        }
    }

    #[test]
    fn parallel_barrels_touch_along_a_line_and_crossed_ones_at_a_point() {
        let barrel = barrel();
        for (turn, points) in [(0.0, 3), (1e-9, 3), (0.5, 1), (FRAC_PI_2, 1)] {
            let turn = DQuat::from_rotation_z(turn) * lying(0.7);
            let manifold = contact(&barrel, lying(0.2), 2.0 - OVERLAP, turn);
            assert_eq!(manifold.points().len(), points);
            assert!(manifold.points().iter().all(|p| (p.gap + OVERLAP).abs() < 1e-6 && p.arm.x.abs() < 1e-6));
        }
    }

    #[test]
    fn a_barrel_rests_on_a_line_on_a_flat_face() {
        let block: Shape = Superellipsoid { semi_axes: DVec3::new(3.0, 2.0, 0.5), eps: [0.1, 0.1] }.into();
        for angle in [0.0, 0.3, 1.0] {
            let manifold = contact(&block, DQuat::IDENTITY, 1.5 - OVERLAP, lying(angle));
            assert_eq!(manifold.points().len(), 3);
            assert!(manifold.points().iter().all(|p| (p.gap + OVERLAP).abs() < 1e-5 && p.arm.x.abs() < 1e-9));
            // The face is narrower than the barrel is long.
            let reach = manifold.points().iter().map(|p| p.arm.y.abs()).fold(0.0, f64::max);
            assert!(reach <= 1.0, "{reach}");
        }
    }
}

//! Walls: unbounded bodies, drawn inside a box around the grains. Walls between the eye and the
//! grains are left out.
//!
//! A wall is drawn from its inside-outside function, so that any shape is exact. The walls of a
//! planar scene are perpendicular to the plane z = 0 and are drawn as their intersection with it.

use glam::DVec3;
use granum_engine::BodyState;
use granum_geometry::shape::Realm;
use granum_geometry::{Aabb, Convex, Pose, Shape};

/// Number of samples along a ray to find the empty space inside a curved wall.
const RAY_SAMPLES: usize = 24;

/// Number of bisections of the interval in which a ray enters a wall. They reduce it to a millionth
/// of its length.
const BISECTIONS: usize = 20;

/// Depth inside another wall up to which a point counts as outside, relative to the size of the
/// scene. It covers rounding errors where two walls meet.
const SLACK: f64 = 1e-6;

/// Largest value of the inside-outside function on the plane of a flat wall, relative to its value
/// at the size of the scene. It covers rounding errors.
const FLATNESS: f64 = 1e-9;

/// Smallest component of a unit normal along an axis to which it counts as parallel.
const ALONG: f64 = 1.0 - 1e-9;

/// Distance by which the box extends beyond a wall, relative to the size of the scene, so that the
/// surface of the wall is inside the box.
const BEYOND_WALL: f64 = 1e-3;

/// Part of an infinite floor that is shown around the grains, relative to the size of the scene.
const MARGIN: f64 = 0.08;

/// Largest distance of a wall to which the box extends, relative to the size of the scene.
const NEARBY: f64 = 1.5;

/// Width of the strip of a wall that a planar scene shows, relative to the size of the scene.
const STRIP: f64 = 0.02;

/// One wall.
struct Wall<'a> {
    shape: &'a Shape,
    pose: Pose,
    /// Outward normal and offset in world axes, if the wall is flat.
    plane: Option<(DVec3, f64)>,
}

/// The walls of a scene.
pub(crate) struct Walls<'a> {
    walls: Vec<Wall<'a>>,
    /// The box in which they are drawn.
    pub room: Aabb,
    /// Depth inside another wall up to which a point counts as outside, m.
    slack: f64,
    /// True if the scene is planar.
    planar: bool,
}

impl<'a> Walls<'a> {
    /// Collects the unbounded bodies around grains with these bounds.
    pub fn new(bodies: &[BodyState], shapes: &'a [Shape], grains: &Aabb) -> Self {
        let size = (grains.max - grains.min).length();
        let walls: Vec<Wall> = bodies
            .iter()
            .filter_map(|body| {
                let shape = &shapes[body.shape.0 as usize];
                let pose = Pose { position: body.position, orientation: body.orientation };
                let is_wall = !shape.as_convex().drawn_radius().is_finite();
                is_wall.then(|| Wall { shape, pose, plane: plane_of(shape.as_convex(), &pose, size) })
            })
            .collect();
        let planar = shapes.iter().any(|shape| shape.as_convex().realm() == Realm::Plane);
        let room = if planar { plane_room(&walls, grains, size) } else { room(&walls, grains, size) };
        Self { walls, room, slack: SLACK * size, planar }
    }

    /// Returns whether there are no walls.
    pub fn is_empty(&self) -> bool {
        self.walls.is_empty()
    }

    /// Returns depth and normal of the first wall that a ray enters from its empty side before
    /// `far`, in world axes.
    pub fn hit(&self, origin: DVec3, direction: DVec3, far: f64) -> Option<(f64, DVec3)> {
        let (enter, leave) = slab(&self.room, origin, direction)?;
        let leave = leave.min(far);
        if self.planar {
            let depth = -origin.z / direction.z;
            let point = (origin + depth * direction).with_z(0.0);
            let is_seen = enter <= depth && depth < leave && self.walls.iter().any(|wall| wall.outside(point) < 0.0);
            return is_seen.then_some((depth, DVec3::Z.copysign(-direction)));
        }
        let mut nearest: Option<(f64, DVec3)> = None;
        for (number, wall) in self.walls.iter().enumerate() {
            let limit = nearest.map_or(leave, |(depth, _)| depth);
            let Some(depth) = wall.entry(origin, direction, enter, limit) else { continue };
            let point = origin + depth * direction;
            let buried = |(other, wall): (usize, &Wall)| other != number && wall.outside(point) < -self.slack;
            if !self.walls.iter().enumerate().any(buried) {
                nearest = Some((depth, wall.normal(point, self.slack)));
            }
        }
        nearest
    }
}

impl Wall<'_> {
    fn outside(&self, point: DVec3) -> f64 {
        match self.plane {
            Some((normal, offset)) => normal.dot(point) - offset,
            None => {
                self.shape.as_convex().inside_outside(self.pose.orientation.inverse() * (point - self.pose.position))
            }
        }
    }

    /// Returns the depth between `from` and `to` at which a ray enters the wall.
    fn entry(&self, origin: DVec3, direction: DVec3, from: f64, to: f64) -> Option<f64> {
        if let Some((normal, offset)) = self.plane {
            let slope = normal.dot(direction);
            let depth = (offset - normal.dot(origin)) / slope;
            return (slope < 0.0 && from <= depth && depth < to).then_some(depth);
        }
        let at = |depth: f64| self.outside(origin + depth * direction);
        let step = (to - from) / RAY_SAMPLES as f64;
        let mut was_empty = None;
        let mut highest = (f64::NEG_INFINITY, from);
        for depth in (0..=RAY_SAMPLES).map(|k| from + k as f64 * step) {
            let value = at(depth);
            if value > 0.0 {
                was_empty = Some(depth);
            } else if let Some(empty) = was_empty {
                return Some(boundary(at, empty, depth));
            } else if value > highest.0 {
                highest = (value, depth);
            }
        }
        // Near its edge a ray may cross the empty space between two samples. The space is convex,
        // so that the function has one maximum along the ray, next to the highest sample.
        let [low, high] = [(highest.1 - step).max(from), (highest.1 + step).min(to)];
        let empty = if was_empty.is_none() { positive_between(at, low, high) } else { None };
        empty.filter(|_| at(high) <= 0.0).map(|empty| boundary(at, empty, high))
    }

    fn normal(&self, point: DVec3, step: f64) -> DVec3 {
        self.plane.map_or_else(|| gradient(|point| self.outside(point), point, step), |(normal, _)| normal)
    }
}

/// Returns the end of the empty space between an empty and a solid depth of a ray.
fn boundary(value: impl Fn(f64) -> f64, mut empty: f64, mut solid: f64) -> f64 {
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (empty + solid);
        if value(middle) > 0.0 { empty = middle } else { solid = middle }
    }
    solid
}

/// Returns a depth at which a function with one maximum in an interval is positive, by golden
/// section search; `None` if the maximum is not positive.
fn positive_between(value: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> Option<f64> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_left, mut at_right) = (value(left), value(right));
    for _ in 0..BISECTIONS {
        if at_left > 0.0 {
            return Some(left);
        }
        if at_right > 0.0 {
            return Some(right);
        }
        if at_left < at_right {
            (low, left, at_left) = (left, right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = value(right);
        } else {
            (high, right, at_right) = (right, left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = value(left);
        }
    }
    None
}

fn gradient(function: impl Fn(DVec3) -> f64, point: DVec3, step: f64) -> DVec3 {
    let slope = |axis: DVec3| function(point + step * axis) - function(point - step * axis);
    DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).normalize_or(DVec3::Z)
}

/// Returns the plane of a wall if it is flat. The support point of a flat wall is finite along its
/// normal only.
fn plane_of(convex: &dyn Convex, pose: &Pose, size: f64) -> Option<(DVec3, f64)> {
    let normal = gradient(|point| convex.inside_outside(point), DVec3::ZERO, size);
    let (t, u) = granum_geometry::numeric::math::tangent_frame(normal);
    let scale = convex.inside_outside(size * normal).abs();
    // The inside-outside function of a flat wall vanishes on the whole plane through the origin,
    // except for rounding errors.
    let flat = [t, -t, u, -u].iter().all(|&axis| convex.inside_outside(size * axis).abs() < FLATNESS * scale);
    let normal_w = pose.orientation * normal;
    flat.then(|| (normal_w, normal_w.dot(pose.position)))
}

/// Returns the box in which walls are drawn. It contains the grains and extends to vertical and
/// horizontal walls nearby.
fn room(walls: &[Wall], grains: &Aabb, size: f64) -> Aabb {
    let mut room = Aabb { min: grains.min - MARGIN * size, max: grains.max + MARGIN * size };
    for (normal, offset) in walls.iter().filter_map(|wall| wall.plane) {
        for axis in 0..3 {
            let position = normal[axis] * offset;
            if normal[axis] > ALONG && grains.min[axis] - position < NEARBY * size && position < grains.max[axis] {
                room.min[axis] = position.min(grains.min[axis]) - BEYOND_WALL * size;
            }
            if normal[axis] < -ALONG && position - grains.max[axis] < NEARBY * size && position > grains.min[axis] {
                room.max[axis] = position.max(grains.max[axis]) + BEYOND_WALL * size;
            }
        }
    }
    room
}

/// Returns the box in which the walls of a planar scene are drawn: a strip of each wall near the
/// grains.
fn plane_room(walls: &[Wall], grains: &Aabb, size: f64) -> Aabb {
    let mut room = room(walls, grains, size);
    for wall in walls.iter().filter(|wall| wall.plane.is_none()) {
        for axis in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y] {
            let edge = wall.pose.point(wall.shape.as_convex().support(wall.pose.orientation.inverse() * axis));
            if edge.is_finite() {
                (room.min, room.max) = (room.min.min(edge), room.max.max(edge));
            }
        }
    }
    let strip = STRIP * size * DVec3::new(1.0, 1.0, 0.0);
    Aabb { min: room.min - strip, max: room.max + strip }
}

/// Returns the interval of a ray inside a box.
fn slab(room: &Aabb, origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
    let (a, b) = ((room.min - origin) / direction, (room.max - origin) / direction);
    let (near, far) = (a.min(b), a.max(b));
    let (enter, leave) = (near.max_element().max(0.0), far.min_element());
    (enter < leave).then_some((enter, leave))
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use granum_geometry::shape::InsideCylinder;

    use super::*;

    #[test]
    fn the_edge_of_a_cut_drum_is_smooth() {
        let shape: Shape = InsideCylinder { radius: 1.0, half_height: 0.4 }.into();
        let pose = Pose { position: DVec3::ZERO, orientation: DQuat::from_rotation_x(0.3) };
        let drum = Wall { shape: &shape, pose, plane: None };
        let direction = DVec3::new(0.3, 0.1, -1.0).normalize();
        // The oracle samples each ray a thousand times as densely.
        let highest = |origin: DVec3, from: f64, to: f64| {
            let at = |k: i32| drum.outside(origin + (from + (to - from) * f64::from(k) / 2e4) * direction);
            (0..=20_000).map(at).fold(f64::NEG_INFINITY, f64::max)
        };
        let (mut grazing, mut hits) = (0, 0);
        for k in 0..2_000 {
            let angle = f64::from(k) * std::f64::consts::TAU / 2e3;
            // Rays through points just inside and outside the rim.
            let rim = pose.orientation * DVec3::new(angle.cos(), angle.sin(), 0.4 * f64::from(k % 3 - 1));
            let origin = rim * (1.0 + 1e-3 * f64::from(k % 7 - 3)) - 3.0 * direction;
            let found = drum.entry(origin, direction, 1.0, 6.0);
            let highest = highest(origin, 1.0, 6.0);
            // A ray that is inside by less than a tenth of a pixel may be missed.
            if highest.abs() > 1e-4 {
                assert_eq!(found.is_some(), highest > 0.0, "ray {k}");
            }
            grazing += usize::from(
                (0..=RAY_SAMPLES)
                    .all(|k| drum.outside(origin + (1.0 + 5.0 * k as f64 / RAY_SAMPLES as f64) * direction) <= 0.0),
            );
            hits += usize::from(found.is_some());
            if let Some(depth) = found {
                assert!(drum.outside(origin + depth * direction).abs() < 1e-4, "ray {k}");
            }
        }
        assert!(grazing > 500 && hits > 500, "{grazing} {hits}");
    }
}

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
const LOOKS: usize = 24;

/// Number of bisections of the interval in which a ray enters a wall: an accuracy of a millionth.
const HALVINGS: usize = 20;

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
    /// Whether the scene is planar.
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
                let is_wall = !shape.as_convex().bounding_radius().is_finite();
                is_wall.then(|| Wall { shape, pose, plane: plane_of(shape.as_convex(), &pose, size) })
            })
            .collect();
        let planar = shapes.iter().any(|shape| shape.as_convex().realm() == Realm::Plane);
        let room = if planar { plane_room(&walls, grains, size) } else { room(&walls, grains, size) };
        Self { walls, room, slack: 1e-6 * size, planar }
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

    /// Returns the depth between two others at which a ray enters the wall.
    fn entry(&self, origin: DVec3, direction: DVec3, from: f64, to: f64) -> Option<f64> {
        if let Some((normal, offset)) = self.plane {
            let slope = normal.dot(direction);
            let depth = (offset - normal.dot(origin)) / slope;
            return (slope < 0.0 && from <= depth && depth < to).then_some(depth);
        }
        let at = |depth: f64| self.outside(origin + depth * direction);
        let looks = (0..=LOOKS).map(|k| from + (to - from) * k as f64 / LOOKS as f64);
        let mut was_empty = None;
        for depth in looks {
            if at(depth) > 0.0 {
                was_empty = Some(depth);
            } else if let Some(mut empty) = was_empty {
                let mut solid = depth;
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (empty + solid);
                    if at(middle) > 0.0 { empty = middle } else { solid = middle }
                }
                return Some(solid);
            }
        }
        None
    }

    fn normal(&self, point: DVec3, step: f64) -> DVec3 {
        self.plane.map_or_else(|| gradient(|point| self.outside(point), point, step), |(normal, _)| normal)
    }
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
    // The function of a flat wall vanishes on the whole plane through the origin, except for
    // rounding.
    let flat = [t, -t, u, -u].iter().all(|&axis| convex.inside_outside(size * axis).abs() < 1e-9 * scale);
    let normal_w = pose.orientation * normal;
    flat.then(|| (normal_w, normal_w.dot(pose.position)))
}

/// Returns the box in which walls are drawn. It contains the grains and extends to vertical and
/// horizontal walls nearby.
fn room(walls: &[Wall], grains: &Aabb, size: f64) -> Aabb {
    // Part of an infinite floor that is shown around the grains, relative to the size of the scene.
    const MARGIN: f64 = 0.08;
    // Largest distance of a wall to which the box extends, relative to the size of the scene.
    const REACH: f64 = 1.5;
    // Tolerance for a wall normal parallel to an axis.
    const ALONG: f64 = 1.0 - 1e-9;
    let mut room = Aabb { min: grains.min - MARGIN * size, max: grains.max + MARGIN * size };
    for (normal, offset) in walls.iter().filter_map(|wall| wall.plane) {
        for axis in 0..3 {
            let place = normal[axis] * offset;
            if normal[axis] > ALONG && grains.min[axis] - place < REACH * size && place < grains.max[axis] {
                room.min[axis] = place.min(grains.min[axis]) - 1e-3 * size;
            }
            if normal[axis] < -ALONG && place - grains.max[axis] < REACH * size && place > grains.min[axis] {
                room.max[axis] = place.max(grains.max[axis]) + 1e-3 * size;
            }
        }
    }
    room
}

/// Returns the box in which the walls of a planar scene are drawn: a strip of each wall near the
/// grains.
fn plane_room(walls: &[Wall], grains: &Aabb, size: f64) -> Aabb {
    // Width of the strip, relative to the size of the scene.
    const STRIP: f64 = 0.02;
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

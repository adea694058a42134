//! Test of a new grain against the walls of a world.

use glam::DVec3;
use granum_engine::{BodyState, World};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};

/// The walls of a world at the present time.
pub struct Walls<'a> {
    walls: Vec<(&'a Shape, Pose)>,
}

impl<'a> Walls<'a> {
    /// Collects all bodies that forces do not move, except those that were removed.
    pub fn of(world: &'a World) -> Self {
        let pose = |wall: &BodyState| Pose { position: wall.position, orientation: wall.orientation };
        Self { walls: world.walls().map(|wall| (world.shape(wall.shape), pose(&wall))).collect() }
    }

    /// Returns whether a grain of this shape and pose touches none of the walls, and is in none.
    pub fn are_clear_of(&self, shape: &Shape, pose: &Pose) -> bool {
        let radius = shape.as_convex().bounding_radius();
        !self.walls.iter().any(|(wall, wall_pose)| {
            is_in_solid(wall, wall_pose, pose.position) || touches(wall, wall_pose, shape, pose, radius)
        })
    }
}

/// Returns whether a point is inside a closed surface, which acts on grains in front of it only.
fn is_in_solid(wall: &Shape, wall_pose: &Pose, point: DVec3) -> bool {
    let in_wall = || wall_pose.orientation.conjugate() * (point - wall_pose.position);
    matches!(wall, Shape::Surface(surface) if surface.is_in_solid(in_wall()))
}

fn touches(wall: &Shape, wall_pose: &Pose, shape: &Shape, pose: &Pose, radius: f64) -> bool {
    let offset = pose.position - wall_pose.position;
    let in_wall = wall_pose.orientation.conjugate() * offset;
    // The bounding ball decides in most cases, without an exact contact test.
    if wall.as_convex().clearance(in_wall, radius) > 0.0 {
        return false;
    }
    let pair = Pair {
        a: wall,
        b: shape,
        offset,
        orientation_a: wall_pose.orientation,
        orientation_b: pose.orientation,
        margin: 0.0,
        warm: None,
    };
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &pair, &mut manifold);
    manifold.deepest().is_some_and(|point| point.gap <= 0.0)
}

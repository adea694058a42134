//! Test of a new grain against the walls of a world.

use granum_engine::World;
use granum_engine::state::bodies::MotionKind;
use granum_geometry::{Manifold, Pair, Pose, Shape, collide};

/// The walls of a world at the present time.
pub struct Walls<'a> {
    world: &'a World,
    /// Storage indices of the walls.
    walls: Vec<usize>,
}

impl<'a> Walls<'a> {
    /// Collects all bodies that forces do not move, except those that were removed.
    pub fn of(world: &'a World) -> Self {
        let is_wall =
            |k: &usize| !matches!(world.bodies.kinetic[*k].tag.motion, MotionKind::Dynamic | MotionKind::Removed);
        Self { world, walls: (0..world.bodies.len()).filter(is_wall).collect() }
    }

    /// Returns whether a grain of this shape and pose touches none of the walls.
    pub fn are_clear_of(&self, shape: &Shape, pose: &Pose) -> bool {
        let radius = shape.as_convex().bounding_radius();
        !self.walls.iter().any(|&wall| self.touches(wall, shape, pose, radius))
    }

    fn touches(&self, wall: usize, shape: &Shape, pose: &Pose, radius: f64) -> bool {
        let bodies = &self.world.bodies;
        let wall_shape = &self.world.shapes[bodies.kinetic[wall].tag.shape.0 as usize];
        let offset = pose.position - bodies.place[wall].centre;
        let in_wall = bodies.orientation[wall].conjugate() * offset;
        // The bounding ball decides in most cases, without an exact contact test.
        if wall_shape.as_convex().clearance(in_wall, radius) > 0.0 {
            return false;
        }
        let pair = Pair {
            a: wall_shape,
            b: shape,
            offset,
            orientation_a: bodies.orientation[wall],
            orientation_b: pose.orientation,
            margin: 0.0,
            warm: None,
        };
        let mut manifold = Manifold::default();
        collide(&pair, &mut manifold);
        manifold.deepest().is_some_and(|point| point.gap <= 0.0)
    }
}

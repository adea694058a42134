//! Identifiers of shapes and bodies, and the description of a body that is to be added.

use glam::DVec3;
use granum_geometry::{Pose, Shape};
use serde::{Deserialize, Serialize};

use super::{MaterialId, WallMotion, WorldError};

/// Number of a shape in the world's list. Bodies may share a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShapeId(pub u32);

/// Number of a body. It never changes and is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BodyId(pub u32);

/// The cause of a body's motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Motion {
    /// Forces and torques.
    Dynamic,
    /// None: the body stays at its pose.
    Fixed,
    /// A motion of a wall: prescribed, by contact forces along an axis, or both.
    Driven(WallMotion),
}

/// Description of a body to be added to a world.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use granum_engine::{BodySpec, Drive, MaterialId, Motion, ShapeId};
///
/// # let (shape, material) = (ShapeId(0), MaterialId(0));
/// // A grain, rotated by 0.5 rad about x, with an initial velocity.
/// let mut grain = BodySpec::at(shape, material, DVec3::new(0.0, 0.0, 0.1));
/// grain.pose.orientation = DQuat::from_rotation_x(0.5);
/// grain.velocity = DVec3::new(0.0, 0.0, -1.0); // m/s
///
/// // A wall that oscillates along z with 2 mm and 50 Hz.
/// let shaker = Drive::oscillation(DVec3::new(0.0, 0.0, 0.002), 50.0, 0.0);
/// let motion = Motion::Driven(shaker.into());
/// let wall = BodySpec { motion, ..BodySpec::fixed(shape, material, DVec3::ZERO) };
/// # assert!(grain.motion == Motion::Dynamic && wall.velocity == DVec3::ZERO);
/// ```
#[derive(Clone, Debug)]
pub struct BodySpec {
    /// Shape, from [`World::add_shape`](super::World::add_shape).
    pub shape: ShapeId,
    /// Material, from [`World::add_material`](super::World::add_material).
    pub material: MaterialId,
    /// Position of the centre, m, and orientation.
    pub pose: Pose,
    /// Velocity of the centre, m/s. A driven body takes it from its drive.
    pub velocity: DVec3,
    /// Angular velocity in world axes, rad/s.
    pub spin: DVec3,
    /// The cause of its motion.
    pub motion: Motion,
    /// Mass, kg, and principal moments of inertia, kg m². `None` computes them from the shape and
    /// the density of the material.
    pub mass: Option<(f64, DVec3)>,
}

impl BodySpec {
    /// Returns a body that is moved by forces and rests at `position`, m.
    pub fn at(shape: ShapeId, material: MaterialId, position: DVec3) -> Self {
        Self {
            shape,
            material,
            pose: Pose::at(position),
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            motion: Motion::Dynamic,
            mass: None,
        }
    }

    /// Returns a body that stays at `position`, m.
    pub fn fixed(shape: ShapeId, material: MaterialId, position: DVec3) -> Self {
        Self { motion: Motion::Fixed, ..Self::at(shape, material, position) }
    }

    /// Checks that every number is finite and, in a planar world, lies in the plane z = 0.
    pub(super) fn check(&self, planar: bool) -> Result<(), WorldError> {
        let is_finite = self.pose.position.is_finite()
            && self.pose.orientation.is_finite()
            && self.velocity.is_finite()
            && self.spin.is_finite();
        if !is_finite {
            return Err(WorldError::Value("position, orientation, velocity and spin must be finite numbers".into()));
        }
        // A quaternion of length zero has no direction to normalise to.
        if self.pose.orientation.length_squared() < f64::MIN_POSITIVE {
            return Err(WorldError::Value("the orientation must be a quaternion that is not zero".into()));
        }
        self.motion.check()?;
        if planar && !self.lies_in_plane() {
            return Err(WorldError::Value("in a planar world a body lies, moves and turns in the plane z = 0".into()));
        }
        Ok(())
    }

    fn lies_in_plane(&self) -> bool {
        let turned = self.pose.orientation.xyz();
        is_in_plane(self.pose.position)
            && is_in_plane(self.velocity)
            && is_about_z(self.spin)
            && is_about_z(turned)
            && self.motion.lies_in_plane()
    }

    /// Returns mass, kg, and principal moments, kg m².
    pub(super) fn mass_properties(&self, shape: &Shape, density: f64) -> (f64, DVec3) {
        self.mass.unwrap_or_else(|| {
            let properties = shape.as_convex().mass_properties();
            let moments = properties.principal_moments().expect("a shape's axes are its principal axes");
            (density * properties.volume, density * moments)
        })
    }
}

impl Motion {
    /// Checks that the numbers of a wall's motion are possible.
    pub(super) fn check(&self) -> Result<(), WorldError> {
        match self {
            Self::Driven(motion) => motion.check(),
            _ => Ok(()),
        }
    }

    /// Returns whether the motion stays in the plane z = 0.
    pub(super) fn lies_in_plane(&self) -> bool {
        match self {
            Self::Dynamic | Self::Fixed => true,
            Self::Driven(motion) => motion.lies_in_plane(),
        }
    }
}

/// Returns whether a vector lies in the plane z = 0.
pub(super) fn is_in_plane(v: DVec3) -> bool {
    v.z == 0.0
}

/// Returns whether a rotation vector is along z.
pub(super) fn is_about_z(v: DVec3) -> bool {
    v.x == 0.0 && v.y == 0.0
}

//! Storage of the bodies, split by the stage that reads the data, so that a loop loads only what it
//! needs.
//!
//! Every vector has one entry for each body, in storage order. The storage order follows space, for
//! the sake of the cache, and changes when the neighbour list is rebuilt. Users identify a body by
//! its id, which never changes.

use glam::{DQuat, DVec3};
use granum_geometry::Kind;
use serde::{Deserialize, Serialize};

use super::{MaterialId, ShapeId};
use crate::rotation::{self, InertiaKind, RotationalState};

/// Bounding sphere of a body: the data of the neighbour search.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct BoundingSphere {
    /// Centre of mass, m.
    pub centre: DVec3,
    /// Radius about the centre, m. Infinite for planes, containers and removed walls.
    pub radius: f64,
}

/// Velocity of a body at the time of its pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Twist {
    /// Velocity of the centre, m/s.
    pub velocity: DVec3,
    /// Angular velocity in world axes, rad/s.
    pub spin: DVec3,
}

/// Force and torque about the centre, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wrench {
    /// Force, N.
    pub force: DVec3,
    /// Torque about the centre, N m.
    pub torque: DVec3,
}

/// Data of a body that a contact reads besides its bounding sphere. It fills one cache line.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Kinetic {
    /// Velocity and spin.
    pub twist: Twist,
    /// Inverse mass, 1/kg. Zero for bodies that forces do not move.
    pub inverse_mass: f64,
    /// Classification.
    pub tag: Tag,
}

/// The cause of a body's motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum MotionKind {
    /// Forces and torques.
    Dynamic,
    /// None: the body stays at its pose.
    Fixed,
    /// A prescribed motion.
    Driven,
    /// None: the body was removed, and nothing touches it.
    Removed,
    /// That of a driven body, and in addition contact forces along an axis.
    Guided,
}

/// Classification of a body.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Tag {
    /// Shape.
    pub shape: ShapeId,
    /// Material.
    pub material: MaterialId,
    /// Kind of the shape.
    pub kind: Kind,
    /// Cause of the motion.
    pub motion: MotionKind,
    /// Symmetry of the inertia tensor.
    pub inertia: InertiaKind,
    /// True if the shape is a ball, which normal forces never turn.
    pub is_ball: bool,
}

impl Tag {
    /// Returns whether forces move the body.
    #[inline]
    pub fn is_dynamic(&self) -> bool {
        self.motion == MotionKind::Dynamic
    }

    /// Returns whether the body is a wall that moves.
    #[inline]
    pub fn is_driven(&self) -> bool {
        matches!(self.motion, MotionKind::Driven | MotionKind::Guided)
    }

    /// Returns whether contact forces move the body along an axis.
    #[inline]
    pub fn is_guided(&self) -> bool {
        self.motion == MotionKind::Guided
    }

    /// Returns whether contact forces enter the motion of the body: it needs their sum.
    #[inline]
    pub fn needs_wrench(&self) -> bool {
        matches!(self.motion, MotionKind::Dynamic | MotionKind::Guided)
    }

    /// Returns whether the body was removed.
    #[inline]
    pub fn is_removed(&self) -> bool {
        self.motion == MotionKind::Removed
    }
}

/// Energy balance of the contacts of one body since the start, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// Lost to normal damping.
    pub damping: f64,
    /// Lost to sliding, rolling and spinning friction and to tangential damping.
    pub friction: f64,
    /// Work of driven bodies on this one; of a guided wall, the work along its axis.
    pub drive: f64,
}

/// All bodies of a world.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Bodies {
    /// Bounding spheres.
    pub sphere: Vec<BoundingSphere>,
    /// Part of the displacement of each centre that rounding has not added to it yet, m.
    pub remainder: Vec<DVec3>,
    /// Rotations from body axes to world axes.
    pub orientation: Vec<DQuat>,
    /// Velocities, inverse masses and classification.
    pub kinetic: Vec<Kinetic>,
    /// Sums of contact forces and torques at the last evaluation, without gravity.
    pub wrench: Vec<Wrench>,
    /// Angular momenta in world axes, kg m²/s. Not kept up to date for spherical inertia tensors
    /// (see `RotationalState`).
    pub angular_momentum: Vec<DVec3>,
    /// Inverse principal moments about the body axes, 1/(kg m²). Zero for bodies that nothing
    /// turns.
    pub inverse_moments: Vec<DVec3>,
    /// Energy accounts.
    pub account: Vec<Account>,
    /// Ids, by storage index.
    pub id: Vec<u32>,
    /// Storage index, by id.
    pub index: Vec<u32>,
}

impl Bodies {
    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Returns the rotational state of the body with storage index `k`.
    pub fn rotation_mut(&mut self, k: usize) -> RotationalState<'_> {
        let Kinetic { twist, tag, .. } = &mut self.kinetic[k];
        RotationalState {
            inertia: tag.inertia,
            orientation: &mut self.orientation[k],
            spin: &mut twist.spin,
            angular_momentum: &mut self.angular_momentum[k],
            inverse_moments: &self.inverse_moments[k],
        }
    }

    /// Returns the angular momentum of the body with storage index `k` about its centre, kg m²/s.
    pub fn angular_momentum_of(&self, k: usize) -> DVec3 {
        let Kinetic { twist, tag, .. } = &self.kinetic[k];
        rotation::angular_momentum(tag.inertia, twist.spin, self.inverse_moments[k], self.angular_momentum[k])
    }

    /// Changes the storage order: entry k of the result is the present entry `order[k]`.
    pub fn reorder(&mut self, order: &[u32]) {
        permute(&mut self.sphere, order);
        permute(&mut self.remainder, order);
        permute(&mut self.orientation, order);
        permute(&mut self.kinetic, order);
        permute(&mut self.wrench, order);
        permute(&mut self.angular_momentum, order);
        permute(&mut self.inverse_moments, order);
        permute(&mut self.account, order);
        permute(&mut self.id, order);
        for (index, &id) in self.id.iter().enumerate() {
            self.index[id as usize] = index as u32;
        }
    }
}

fn permute<T: Copy>(values: &mut Vec<T>, order: &[u32]) {
    debug_assert_eq!(values.len(), order.len());
    let moved = order.iter().map(|&from| values[from as usize]).collect();
    *values = moved;
}

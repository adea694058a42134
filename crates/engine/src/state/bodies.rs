//! The bodies, split by the stage that reads them: what a hot loop does not need it does not load.
//!
//! Every vector has one entry a body, in storage order. Storage order follows space, for the cache's sake, and
//! may change whenever the neighbour list is rebuilt; a body is known to the outside by its id, which never does.

use glam::{DQuat, DVec3};
use granum_geometry::Kind;
use serde::{Deserialize, Serialize};

use super::{MaterialId, ShapeId};
use crate::rotation::InertiaKind;

/// Centre and bounding radius: all that the search for neighbours reads.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Place {
    /// Centre of mass, m.
    pub centre: DVec3,
    /// Radius of the bounding ball about the centre, m; infinite for walls.
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

/// What a contact reads of a body besides its place: one line of the cache.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Kinetic {
    /// Velocity and spin.
    pub twist: Twist,
    /// 1/kg; zero for what contacts cannot move.
    pub inverse_mass: f64,
    /// Small facts.
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
}

/// Small facts about a body, in eight bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Tag {
    /// Its shape.
    pub shape: ShapeId,
    /// Its material.
    pub material: MaterialId,
    /// The kind of its shape.
    pub kind: Kind,
    /// The cause of its motion.
    pub motion: MotionKind,
    /// Symmetry of its inertia tensor.
    pub inertia: InertiaKind,
    /// Whether normal forces never turn it.
    pub is_ball: bool,
}

impl Tag {
    /// Whether contact forces move the body.
    #[inline]
    pub fn is_dynamic(&self) -> bool {
        self.motion == MotionKind::Dynamic
    }
}

/// Energy that a body's contacts have taken from or given to the system since the start, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// Lost to normal damping.
    pub damping: f64,
    /// Lost to sliding, rolling and spinning friction and to tangential damping.
    pub friction: f64,
    /// Work that driven bodies did on this one.
    pub drive: f64,
}

/// All bodies of a world.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Bodies {
    /// Centres and bounding radii.
    pub place: Vec<Place>,
    /// What rounding has kept from the centres, m.
    pub remainder: Vec<DVec3>,
    /// Body axes to world axes.
    pub orientation: Vec<DQuat>,
    /// Velocities, inverse masses and small facts.
    pub kinetic: Vec<Kinetic>,
    /// Contact wrenches at the last evaluation; gravity is not in them.
    pub wrench: Vec<Wrench>,
    /// Angular momenta in world axes, kg m²/s, constant in free rotation to the last bit. Those of balls are not kept
    /// up to date: their spin says as much.
    pub angular_momentum: Vec<DVec3>,
    /// Inverse principal moments about the body axes, 1/(kg m²); zero for what contacts cannot turn.
    pub inverse_moments: Vec<DVec3>,
    /// Energy accounts.
    pub account: Vec<Account>,
    /// Stable ids, by storage index.
    pub id: Vec<u32>,
    /// Storage index, by id.
    pub index: Vec<u32>,
}

impl Bodies {
    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Storage order to `order`: entry k of the result is entry `order[k]` of now. Ids keep their bodies.
    pub fn reorder(&mut self, order: &[u32]) {
        permute(&mut self.place, order);
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

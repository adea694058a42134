//! Servos and free walls with percussions: bodies of the convex program with a single freedom.
//!
//! A wall that moves along an axis a with the speed s is a body of the program that only rotates, with
//! the spin `s e` about a unit vector e perpendicular to a. Its lever arm is `a x e` at every contact,
//! so that it moves there with `s e x (a x e) = s a`. With the inverse inertia `e e'/m` a percussion p
//! on it changes s by `a.p/m`. The solvers therefore need no other kind of body. The equations of the
//! walls are in docs/theory/moving_walls.md.

use glam::{DMat3, DVec3};

use super::island::IslandBody;
use crate::state::{DrivenBody, GuideKind, Twist, World};

/// A guided wall as a body of a program.
#[derive(Clone, Copy, Debug)]
pub struct GuidedWall {
    /// Its place in the list of driven bodies.
    pub number: usize,
    /// Unit vector of the direction in which it moves.
    pub axis: DVec3,
    /// Unit vector e about which its spin stands for the speed.
    pivot: DVec3,
    /// True for a free wall; a servo has no mass.
    has_mass: bool,
}

impl GuidedWall {
    /// Returns the lever arm at all contacts.
    pub fn arm(&self) -> DVec3 {
        self.axis.cross(self.pivot)
    }

    /// Returns the present velocity of the wall along its axis, m/s.
    pub fn velocity(&self, world: &World) -> DVec3 {
        world.driven[self.number].guide.speed * self.axis
    }

    /// Returns the speed along the axis that stands for a spin, m/s.
    fn speed(&self, twist: &Twist) -> f64 {
        self.pivot.dot(twist.spin)
    }

    /// Returns the velocity of the wall along its axis that does the work of a collision, m/s. It is
    /// the mean of those before and after, or that after it for a servo, which has no kinetic energy.
    pub fn mean_velocity(&self, before: &Twist, after: f64) -> DVec3 {
        self.axis * if self.has_mass { 0.5 * (self.speed(before) + after) } else { after }
    }
}

/// Returns the body that stands for a guided wall with the storage index `k`.
pub fn body(world: &World, k: u32) -> Option<IslandBody> {
    let id = world.bodies.id[k as usize];
    let number = world.driven.iter().position(|wall| wall.id.0 == id)?;
    let wall = &world.driven[number];
    let guide = wall.motion.guide?;
    let axis = guide.direction();
    // With z = 0 the inverse inertia has a determinant of exactly zero, by which the solvers know a
    // body that cannot rotate about all axes.
    let pivot = DVec3::new(-axis.y, axis.x, 0.0).try_normalize().unwrap_or(DVec3::X);
    let inverse_mass = 1.0 / inertia(wall, world.time_step());
    let spins = |speed: f64| Twist { velocity: DVec3::ZERO, spin: speed * pivot };
    Some(IslandBody {
        index: k,
        inverse_mass: 0.0,
        inverse_inertia: DMat3::from_cols(pivot.x * pivot, pivot.y * pivot, pivot.z * pivot) * inverse_mass,
        twist: spins(wall.guide.speed),
        external_change: spins(speed_change(world, wall)),
        guided: Some(GuidedWall { number, axis, pivot, has_mass: guide.mass().is_some() }),
    })
}

/// Returns the factor of the square of the speed in the program, kg: the mass of a free wall; for a
/// servo its dashpot times the time step.
fn inertia(wall: &DrivenBody, dt: f64) -> f64 {
    match wall.motion.guide.map(|guide| guide.kind) {
        Some(GuideKind::Free { mass, .. }) => mass,
        Some(GuideKind::Servo { force, max_speed, gain }) => dt * dashpot(force, max_speed, gain),
        None => f64::INFINITY,
    }
}

/// Returns the dashpot of a servo, N s/m. Without a load the force pushes it at the greatest speed,
/// unless a smaller gain is given.
fn dashpot(force: f64, max_speed: f64, gain: Option<f64>) -> f64 {
    gain.map_or(0.0, |gain| 1.0 / gain).max(force / max_speed)
}

/// Returns the change of the speed of a guided wall in a step without contacts, m/s.
fn speed_change(world: &World, wall: &DrivenBody) -> f64 {
    let Some(guide) = wall.motion.guide else { return 0.0 };
    match guide.kind {
        GuideKind::Free { mass, force, .. } => {
            world.time_step() * (force / mass + world.gravity.dot(guide.direction()))
        }
        GuideKind::Servo { force, max_speed, gain } => force / dashpot(force, max_speed, gain) - wall.guide.speed,
    }
}

/// Returns an upper bound of the change of the speed of a wall in a step without contacts, m/s, by
/// its storage index.
pub fn greatest_change(world: &World, k: usize) -> f64 {
    let id = world.bodies.id[k];
    let wall = world.driven.iter().find(|wall| wall.id.0 == id);
    wall.map_or(0.0, |wall| speed_change(world, wall).abs())
}

/// Moves the guided walls along their axes for the time `t`, s.
pub fn fly(world: &mut World, t: f64) {
    for wall in world.driven.iter_mut().filter(|wall| wall.motion.is_guided()) {
        wall.guide.displacement += t * wall.guide.speed;
    }
}

/// Changes the speeds of the guided walls by all but their contacts. Returns the speeds before, m/s.
pub fn apply_external(world: &mut World) -> Vec<f64> {
    let before: Vec<f64> = world.driven.iter().map(|wall| wall.guide.speed).collect();
    let changes: Vec<f64> = world.driven.iter().map(|wall| speed_change(world, wall)).collect();
    for (wall, change) in world.driven.iter_mut().zip(changes) {
        wall.guide.speed += change;
    }
    before
}

/// Changes the speed of a guided wall by the percussions of its contacts, which act on the body that
/// stands for it with an angular impulse, N m s. Books the work of a servo.
pub fn apply_percussions(world: &mut World, body: &IslandBody, wall: &GuidedWall, angular_impulse: DVec3) {
    let guide = &mut world.driven[wall.number].guide;
    guide.speed += wall.pivot.dot(body.inverse_inertia * angular_impulse);
    if !wall.has_mass {
        // The component of the percussion on the wall along its axis, N s.
        let percussion = wall.pivot.dot(angular_impulse);
        world.bodies.account[body.index as usize].drive -= percussion * guide.speed;
    }
}

/// Books the work of the constant forces on free walls. `before` are the speeds before the collision.
pub fn book_work(world: &mut World, before: &[f64]) {
    let half = 0.5 * world.time_step();
    for (wall, before) in world.driven.iter().zip(before) {
        if let Some(GuideKind::Free { force, .. }) = wall.motion.guide.map(|guide| guide.kind) {
            let k = world.bodies.index[wall.id.0 as usize] as usize;
            world.bodies.account[k].drive += half * force * (before + wall.guide.speed);
        }
    }
}

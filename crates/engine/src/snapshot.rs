//! Read-only copies and views of a world, as recorders and users see them.

use glam::{DQuat, DVec3};
use granum_geometry::{Manifold, Measure, Pair, Pose, collide};

use crate::energy::{self, Energy};
use crate::state::{BodyId, Contact, FlowState, MaterialId, Phase, RollingState, ShapeId, SurfaceWear, Twist, World};

/// A body at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Number of the body.
    pub id: BodyId,
    /// Shape.
    pub shape: ShapeId,
    /// Material.
    pub material: MaterialId,
    /// Centre, m.
    pub position: DVec3,
    /// Rotation from body axes to world axes.
    pub orientation: DQuat,
    /// Velocity of the centre, m/s.
    pub velocity: DVec3,
    /// Angular velocity in world axes, rad/s.
    pub spin: DVec3,
    /// Mass, kg. Infinite for walls.
    pub mass: f64,
}

impl BodyState {
    /// Returns whether forces move the body.
    pub fn is_grain(&self) -> bool {
        self.mass.is_finite()
    }

    /// Copies the body with storage index `k`.
    fn of(world: &World, k: usize) -> Self {
        let bodies = &world.bodies;
        Self {
            id: BodyId(bodies.id[k]),
            shape: bodies.kinetic[k].tag.shape,
            material: bodies.kinetic[k].tag.material,
            position: bodies.sphere[k].centre,
            orientation: bodies.orientation[k],
            velocity: bodies.kinetic[k].twist.velocity,
            spin: bodies.kinetic[k].twist.spin,
            mass: 1.0 / bodies.kinetic[k].inverse_mass,
        }
    }
}

/// A contact at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactState {
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// Contact point, m.
    pub point: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Signed distance of the surfaces, m. Negative if they overlap.
    pub gap: f64,
    /// Force on b, N.
    pub force: DVec3,
    /// Torque on b in addition to the moment of the force, N m.
    pub torque: DVec3,
}

/// A view of one contact of a world.
#[derive(Clone, Copy, Debug)]
pub struct ContactView<'w> {
    world: &'w World,
    contact: &'w Contact,
    rolling: RollingState,
}

impl ContactView<'_> {
    /// Returns the first body.
    pub fn a(&self) -> BodyId {
        BodyId(self.world.bodies.id[self.contact.a as usize])
    }

    /// Returns the second body.
    pub fn b(&self) -> BodyId {
        BodyId(self.world.bodies.id[self.contact.b as usize])
    }

    /// Returns the number that distinguishes the contacts of one pair. It is the same from step to
    /// step while the same features of the surfaces touch.
    pub fn feature(&self) -> u32 {
        self.contact.feature
    }

    /// Returns the contact point, m.
    pub fn point(&self) -> DVec3 {
        self.world.bodies.sphere[self.contact.a as usize].centre + self.contact.arm
    }

    /// Returns the unit normal from a to b.
    pub fn normal(&self) -> DVec3 {
        self.contact.normal
    }

    /// Returns the signed distance of the surfaces, m. It is negative if they overlap.
    ///
    /// If the contact law uses a generalised overlap, the distance is computed here by the pair
    /// routine for the depth.
    pub fn gap(&self) -> f64 {
        self.world.gap_of(self.contact, self.rolling.is_generalised)
    }

    /// Returns the force on b, N.
    pub fn force(&self) -> DVec3 {
        self.contact.force
    }

    /// Returns the torque on b in addition to the moment of the force, N m.
    pub fn torque(&self) -> DVec3 {
        self.rolling.torque
    }

    /// Returns whether the contact was loaded at the last evaluation. A loaded contact whose
    /// surfaces have separated since ends in the next step.
    pub fn is_loaded(&self) -> bool {
        self.contact.phase == Phase::Holds
    }

    /// Returns whether the contact exerts a force now.
    pub fn carries_force(&self) -> bool {
        self.world.carries(self.contact)
    }

    /// Returns a copy.
    pub fn state(&self) -> ContactState {
        ContactState {
            a: self.a(),
            b: self.b(),
            point: self.point(),
            normal: self.normal(),
            gap: self.gap(),
            force: self.force(),
            torque: self.torque(),
        }
    }
}

impl World {
    /// Returns the pair of two bodies by storage index, without a margin.
    pub(crate) fn pair_of(&self, a: usize, b: usize) -> Pair<'_> {
        let body = |k: usize| {
            let pose = Pose { position: self.bodies.sphere[k].centre, orientation: self.bodies.orientation[k] };
            (&self.shapes[self.bodies.kinetic[k].tag.shape.0 as usize], pose)
        };
        let ((shape_a, pose_a), (shape_b, pose_b)) = (body(a), body(b));
        Pair::new(shape_a, &pose_a, shape_b, &pose_b)
    }

    /// Returns the signed distance of the surfaces at a contact, m. That of a generalised overlap
    /// is computed at the present poses.
    pub(crate) fn gap_of(&self, contact: &Contact, is_generalised: bool) -> f64 {
        if !is_generalised {
            return -contact.overlap;
        }
        let (a, b) = (contact.a as usize, contact.b as usize);
        let pair = self.pair_of(a, b);
        // A grain may touch several parts of a container; each has its own gap.
        let is_bounded = [a, b].into_iter().all(|k| self.bodies.sphere[k].radius.is_finite());
        let mut manifold = Manifold::default();
        if !is_bounded {
            collide(self.measure, &pair, &mut manifold);
            if let Some(point) = manifold.points().iter().find(|point| point.feature == contact.feature) {
                return point.gap;
            }
        }
        collide(Measure::Depth, &pair, &mut manifold);
        manifold.deepest().map_or(f64::NAN, |point| point.gap)
    }

    /// Returns all bodies that were not removed, in the order of ids.
    pub fn bodies(&self) -> impl Iterator<Item = BodyState> + '_ {
        let indices = self.bodies.index.iter().map(|&index| index as usize);
        indices.filter(|&k| !self.bodies.kinetic[k].tag.is_removed()).map(|k| BodyState::of(self, k))
    }

    /// Returns a body, or `None` if the world has no such body or it was removed.
    pub fn body(&self, id: BodyId) -> Option<BodyState> {
        let index = *self.bodies.index.get(id.0 as usize)? as usize;
        (!self.bodies.kinetic[index].tag.is_removed()).then(|| BodyState::of(self, index))
    }

    /// Returns the centres of all bodies in the order of ids, m. A removed body has the last one.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = DVec3> + '_ {
        self.bodies.index.iter().map(|&k| self.bodies.sphere[k as usize].centre)
    }

    /// Returns the rotations of all bodies from body axes to world axes, in the order of ids.
    pub fn orientations(&self) -> impl ExactSizeIterator<Item = DQuat> + '_ {
        self.bodies.index.iter().map(|&k| self.bodies.orientation[k as usize])
    }

    /// Returns velocity, m/s, and spin, rad/s, of all bodies, in the order of ids.
    pub fn twists(&self) -> impl ExactSizeIterator<Item = Twist> + '_ {
        self.bodies.index.iter().map(|&k| self.bodies.kinetic[k as usize].twist)
    }

    /// Returns the bodies that are moved by forces, in the order of ids.
    pub fn grains(&self) -> impl Iterator<Item = BodyState> + '_ {
        self.bodies().filter(BodyState::is_grain)
    }

    /// Returns the fixed and driven bodies that were not removed, in the order of ids.
    pub fn walls(&self) -> impl Iterator<Item = BodyState> + '_ {
        self.bodies().filter(|body| !body.is_grain())
    }

    /// Returns all contacts, loaded or not, in no particular order.
    pub fn contacts(&self) -> impl Iterator<Item = ContactView<'_>> {
        self.contact_records().map(|(contact, _, rolling)| ContactView { world: self, contact, rolling })
    }

    /// Returns the contacts that carry a force, in the order of (a, b).
    pub fn loaded_contacts(&self) -> Vec<ContactView<'_>> {
        sorted(self.contacts().filter(ContactView::carries_force))
    }

    /// Returns the contacts of a body that carry a force, in the order of (a, b).
    pub fn loaded_contacts_of(&self, id: BodyId) -> Vec<ContactView<'_>> {
        let is_of_body = |contact: &ContactView<'_>| contact.a() == id || contact.b() == id;
        sorted(self.contacts().filter(|contact| is_of_body(contact) && contact.carries_force()))
    }
}

fn sorted<'w>(contacts: impl Iterator<Item = ContactView<'w>>) -> Vec<ContactView<'w>> {
    let mut contacts: Vec<_> = contacts.collect();
    contacts.sort_by_cached_key(|contact| (contact.a(), contact.b(), contact.feature()));
    contacts
}

/// A world at one instant, as recorders receive it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Steps done.
    pub step: u64,
    /// Time, s.
    pub time: f64,
    /// Bodies that were not removed, in the order of ids.
    pub bodies: Vec<BodyState>,
    /// Contacts that carry a force, in the order of (a, b).
    pub contacts: Vec<ContactState>,
    /// Counts of flow planes and outlets, in the order in which they were added.
    pub flows: Vec<FlowState>,
    /// Load and wear of the surfaces on which they are recorded.
    pub wear: Vec<SurfaceWear>,
    /// Energy balance.
    pub energy: Energy,
}

impl Snapshot {
    /// Copies a world.
    pub fn of(world: &World) -> Self {
        Self {
            step: world.steps(),
            time: world.time(),
            bodies: world.bodies().collect(),
            contacts: contact_states(world),
            flows: world.flow_states().collect(),
            wear: world.surface_wear(),
            energy: energy::ledger(world),
        }
    }

    /// Returns the deepest overlap of the contacts, m.
    pub fn max_overlap(&self) -> f64 {
        self.contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max)
    }
}

fn contact_states(world: &World) -> Vec<ContactState> {
    world.loaded_contacts().iter().map(ContactView::state).collect()
}

/// Figures of a world for progress lines. They are quick to compute: sums are in storage order and
/// not reproducible to the last bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldStatus {
    /// Steps done.
    pub step: u64,
    /// Time, s.
    pub time: f64,
    /// Number of contacts that carry a force.
    pub contacts: usize,
    /// Kinetic energy of translation and rotation, J.
    pub kinetic: f64,
}

impl WorldStatus {
    /// Computes the figures of a world.
    pub fn of(world: &World) -> Self {
        let bodies = &world.bodies;
        let moving = (0..bodies.len()).filter(|&k| bodies.kinetic[k].tag.is_dynamic());
        let twice_kinetic: f64 = moving
            .map(|k| {
                let (twist, inverse_mass) = (&bodies.kinetic[k].twist, bodies.kinetic[k].inverse_mass);
                let rotational = twist.spin.dot(bodies.angular_momentum_of(k));
                twist.velocity.length_squared() / inverse_mass + rotational
            })
            .sum();
        let contacts = world.contact_records().filter(|(contact, ..)| world.carries(contact)).count();
        // An empty sum is -0.
        Self { step: world.steps(), time: world.time(), contacts, kinetic: 0.5 * twice_kinetic + 0.0 }
    }
}

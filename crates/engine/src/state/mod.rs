//! The state of a simulation: plain data that can be saved. Scratch lives in the `Workspace`.

pub mod bodies;
mod change;
mod check;
pub mod contact;
mod drive;
mod material;

use glam::{DQuat, DVec3};
use granum_geometry::{Kind, Measure, Pose, Shape};
use serde::{Deserialize, Serialize};

use crate::percussion::{Percussion, PercussionLaw};
use crate::rotation::InertiaKind;
use crate::smooth::{ContactLaw, Rolling};
use bodies::{Account, Bodies, Kinetic, MotionKind, Place, Tag, Twist, Wrench};
pub use change::Group;
use contact::ContactGroup;
pub use contact::{Contact, ContactLosses, Phase, RollingState};
pub use drive::Drive;
pub use material::{Elasticity, LawTable, Material, MaterialId, MaterialPairTable};

/// Number of a shape in the world's list; bodies of one shape share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShapeId(pub u32);

/// A body's number: it never changes and is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BodyId(pub u32);

/// What moves a body, as its maker says it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Motion {
    /// Forces and torques.
    Dynamic,
    /// Nothing: it stays where it is.
    Fixed,
    /// A prescribed motion.
    Driven(Drive),
}

/// A body to be added to a world.
#[derive(Clone, Copy, Debug)]
pub struct BodySpec {
    /// Its shape.
    pub shape: ShapeId,
    /// Its material.
    pub material: MaterialId,
    /// Where it is.
    pub pose: Pose,
    /// Velocity of its centre, m/s; a driven body gets it from its drive.
    pub velocity: DVec3,
    /// Angular velocity in world axes, rad/s.
    pub spin: DVec3,
    /// What moves it.
    pub motion: Motion,
    /// Mass and principal moments, in kg and kg m², where they are not those of the shape and the material.
    pub mass: Option<(f64, DVec3)>,
}

impl BodySpec {
    /// A body moved by forces, at rest at `position`.
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

    /// A body that stays at `position`.
    pub fn fixed(shape: ShapeId, material: MaterialId, position: DVec3) -> Self {
        Self { motion: Motion::Fixed, ..Self::at(shape, material, position) }
    }
}

/// What a world refuses.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// A shape with an impossible size.
    #[error("shape: {0}")]
    Shape(#[from] granum_geometry::InvalidShape),
    /// A shape of space in a planar world, or the reverse.
    #[error(
        "{kind:?} {}", if *planar { "is not a planar shape, and this world is planar" } else { "is a planar shape, and this world is not planar" }
    )]
    Realm {
        /// The shape.
        kind: Kind,
        /// Whether the world is planar.
        planar: bool,
    },
    /// A number that is not finite, or a material that cannot be.
    #[error("{0}")]
    Value(String),
    /// Two materials meet for which no contact law was given.
    #[error("no contact law for the materials `{0}` and `{1}`: give their restitution and friction")]
    NoLaw(String, String),
}

/// A driven body and its motion.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct DrivenBody {
    /// Which body.
    pub id: BodyId,
    /// How it moves.
    pub drive: Drive,
    /// Its pose when the motion began.
    pub start: Pose,
    /// When the motion began, s.
    pub since: f64,
    /// Its velocities now.
    pub twist: Twist,
}

/// The whole state of a simulation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct World {
    /// Whether everything lies in the plane z = 0: a planar world takes planar shapes only, and its bodies turn about z.
    pub planar: bool,
    /// What overlaps are measured by; percussions take the depth.
    pub measure: Measure,
    /// Acceleration of gravity, m/s².
    pub gravity: DVec3,
    /// Time step, s.
    pub time_step: f64,
    /// Steps done; the time is `step * time_step`.
    pub step: u64,
    /// The shapes, shared by bodies.
    pub shapes: Vec<Shape>,
    /// The materials.
    pub materials: Vec<Material>,
    /// The contact law of each pair of materials.
    pub laws: LawTable,
    /// How bodies answer by percussions; nothing where they answer by forces.
    pub percussion: Option<Percussion>,
    /// The bodies.
    pub bodies: Bodies,
    /// Bodies with prescribed motions.
    pub driven: Vec<DrivenBody>,
    /// Bodies by name, in the order in which the names came.
    pub groups: Vec<Group>,
    /// Energy that came in with poured bodies and other changes between steps, J; the ledger counts it as work.
    pub booked_work: f64,
    /// The contacts, in groups whose bounds have no meaning of their own.
    pub contacts: Vec<ContactGroup>,
    /// Whether the contacts and wrenches are those of the present positions.
    pub evaluated: bool,
}

impl World {
    /// An empty world without gravity. The time step is to be set before the first step.
    pub fn new() -> Self {
        Self {
            planar: false,
            measure: Measure::default(),
            gravity: DVec3::ZERO,
            time_step: 0.0,
            step: 0,
            shapes: Vec::new(),
            materials: Vec::new(),
            laws: LawTable::default(),
            percussion: None,
            bodies: Bodies::default(),
            driven: Vec::new(),
            groups: Vec::new(),
            booked_work: 0.0,
            contacts: Vec::new(),
            evaluated: false,
        }
    }

    /// An empty planar world.
    pub fn planar() -> Self {
        Self { planar: true, ..Self::new() }
    }

    /// Time since the start, s.
    pub fn time(&self) -> f64 {
        self.step as f64 * self.time_step
    }

    /// Adds a shape after checking its sizes, and that it belongs in the plane or in space, as the world does.
    pub fn add_shape(&mut self, shape: impl Into<Shape>) -> Result<ShapeId, WorldError> {
        let shape = shape.into().checked()?;
        if !shape.as_convex().realm().admits(self.planar) {
            return Err(WorldError::Realm { kind: shape.kind(), planar: self.planar });
        }
        self.shapes.push(shape);
        Ok(ShapeId(self.shapes.len() as u32 - 1))
    }

    /// Adds a material after checking its constants.
    pub fn add_material(&mut self, material: Material) -> Result<MaterialId, WorldError> {
        material.validate()?;
        self.materials.push(material);
        self.laws.grow(self.materials.len());
        if let Some(percussion) = &mut self.percussion {
            percussion.laws.grow(self.materials.len());
        }
        Ok(MaterialId(self.materials.len() as u16 - 1))
    }

    /// Says how bodies of two materials push each other. The order of the two does not matter.
    pub fn set_law(&mut self, a: MaterialId, b: MaterialId, law: ContactLaw) {
        self.laws.set(a, b, law);
    }

    /// Lets bodies answer by percussions instead of forces. Every pair of materials that can meet then needs a
    /// [`PercussionLaw`].
    pub fn answer_by_percussions(&mut self, mut percussion: Percussion) {
        percussion.laws.grow(self.materials.len());
        self.percussion = Some(percussion);
    }

    /// Says what bodies of two materials do in a collision. The order of the two does not matter; without percussions it says
    /// nothing.
    pub fn set_percussion_law(&mut self, a: MaterialId, b: MaterialId, law: PercussionLaw) {
        if let Some(percussion) = &mut self.percussion {
            percussion.laws.set(a, b, law);
        }
    }

    /// Whether a contact carries a force now.
    pub fn carries(&self, contact: &Contact) -> bool {
        // A smooth contact is kept for one evaluation after its surfaces part; percussions act between bodies that touch.
        contact.phase == Phase::Holds && (contact.gap < 0.0 || self.percussion.is_some())
    }

    /// Adds a body and gives it the next id.
    pub fn add_body(&mut self, spec: BodySpec) -> Result<BodyId, WorldError> {
        let shape = &self.shapes[spec.shape.0 as usize];
        let material = &self.materials[spec.material.0 as usize];
        let finite = spec.pose.position.is_finite()
            && spec.pose.orientation.is_finite()
            && spec.velocity.is_finite()
            && spec.spin.is_finite();
        if !finite {
            return Err(WorldError::Value("position, orientation, velocity and spin must be finite numbers".into()));
        }
        if self.planar && !lies_in_plane(&spec) {
            return Err(WorldError::Value("in a planar world a body lies, moves and turns in the plane z = 0".into()));
        }
        let (mass, moments) = spec.mass.unwrap_or_else(|| mass_of(shape, material.density));
        if spec.motion == Motion::Dynamic && !(mass.is_finite() && mass > 0.0 && moments.min_element() > 0.0) {
            return Err(WorldError::Value(format!("a body moved by forces needs a finite mass, not {mass} kg")));
        }
        let orientation = spec.pose.orientation.normalize();
        // What cannot be turned out of the plane needs no lock.
        let free = if self.planar { DVec3::Z } else { DVec3::ONE };
        let (motion, inverse_mass, inverse_moments) = match spec.motion {
            Motion::Dynamic => (MotionKind::Dynamic, 1.0 / mass, free / moments),
            Motion::Fixed => (MotionKind::Fixed, 0.0, DVec3::ZERO),
            Motion::Driven(_) => (MotionKind::Driven, 0.0, DVec3::ZERO),
        };
        let id = BodyId(self.bodies.len() as u32);
        let start = Pose { position: spec.pose.position, orientation };
        let (pose, twist) = match spec.motion {
            Motion::Dynamic => (start, Twist { velocity: spec.velocity, spin: spec.spin }),
            Motion::Fixed => (start, Twist::default()),
            Motion::Driven(drive) => {
                let (pose, twist) = drive.at(self.time(), &start);
                self.driven.push(DrivenBody { id, drive, start, since: 0.0, twist });
                (pose, twist)
            }
        };
        let angular = match spec.motion {
            Motion::Dynamic => orientation * (moments * (orientation.inverse() * spec.spin)),
            _ => DVec3::ZERO,
        };
        let convex = shape.as_convex();
        let bodies = &mut self.bodies;
        bodies.place.push(Place { centre: pose.position, radius: convex.bounding_radius() });
        bodies.remainder.push(DVec3::ZERO);
        bodies.orientation.push(pose.orientation);
        bodies.wrench.push(Wrench::default());
        bodies.angular_momentum.push(angular);
        bodies.inverse_moments.push(inverse_moments);
        let tag = Tag {
            shape: spec.shape,
            material: spec.material,
            kind: shape.kind(),
            motion,
            inertia: InertiaKind::of(inverse_moments),
            is_ball: convex.is_ball(),
        };
        bodies.kinetic.push(Kinetic { twist, inverse_mass, tag });
        bodies.account.push(Account::default());
        bodies.id.push(id.0);
        bodies.index.push(id.0);
        // Before the first step, forces are to be found with the new body among the rest.
        if self.step == 0 {
            self.evaluated = false;
            self.contacts.clear();
        }
        Ok(id)
    }

    /// Storage index of a body.
    pub fn index_of(&self, id: BodyId) -> usize {
        self.bodies.index[id.0 as usize] as usize
    }

    /// Mass of a body moved by forces, kg; infinite for others.
    pub fn mass(&self, id: BodyId) -> f64 {
        1.0 / self.bodies.kinetic[self.index_of(id)].inverse_mass
    }

    /// Centre of a body, m.
    pub fn position(&self, id: BodyId) -> DVec3 {
        self.bodies.place[self.index_of(id)].centre
    }

    /// Orientation of a body.
    pub fn orientation(&self, id: BodyId) -> DQuat {
        self.bodies.orientation[self.index_of(id)]
    }

    /// Velocity and spin of a body.
    pub fn twist(&self, id: BodyId) -> Twist {
        self.bodies.kinetic[self.index_of(id)].twist
    }

    /// Angular momentum of a body about its centre, kg m²/s.
    pub fn angular_momentum(&self, id: BodyId) -> DVec3 {
        let k = self.index_of(id);
        match self.bodies.kinetic[k].tag.inertia {
            InertiaKind::Spherical if self.bodies.kinetic[k].tag.is_dynamic() => {
                self.bodies.kinetic[k].twist.spin / self.bodies.inverse_moments[k]
            }
            _ => self.bodies.angular_momentum[k],
        }
    }

    /// All contacts, in no particular order.
    pub fn all_contacts(&self) -> impl Iterator<Item = &Contact> {
        self.all_with_history().map(|(contact, ..)| contact)
    }

    /// All contacts with what goes with each, in no particular order.
    pub fn all_with_history(&self) -> impl Iterator<Item = (&Contact, &ContactLosses, RollingState)> {
        self.contacts.iter().flat_map(ContactGroup::iter)
    }

    /// Whether contacts may turn bodies by more than the moment of their force, and need room for it: laws that resist rolling
    /// do, and overlaps that are measured by the region that two bodies share.
    pub fn has_couples(&self) -> bool {
        let kinds = || Kind::ALL.iter().filter(|&&kind| self.shapes.iter().any(|shape| shape.kind() == kind));
        let has_overlap = || kinds().any(|&a| kinds().any(|&b| self.measure.has_overlap(a, b)));
        let resists_rolling = || self.laws.iter().any(|(_, _, law)| law.rolling != Rolling::None);
        self.percussion.is_none() && (resists_rolling() || has_overlap())
    }

    /// Checks that every two materials that can meet have a law.
    pub fn check_laws(&self) -> Result<(), WorldError> {
        self.check_laws_with(&[])
    }

    /// Checks the same for a world to which many bodies of each of these materials will be added.
    pub fn check_laws_with(&self, incoming: &[MaterialId]) -> Result<(), WorldError> {
        const MANY: usize = 2;
        let mut moved = vec![0; self.materials.len()];
        let mut used = vec![0; self.materials.len()];
        for Kinetic { tag, .. } in &self.bodies.kinetic {
            used[tag.material.0 as usize] += 1;
            moved[tag.material.0 as usize] += usize::from(tag.is_dynamic());
        }
        for material in incoming {
            used[material.0 as usize] += MANY;
            moved[material.0 as usize] += MANY;
        }
        for a in 0..self.materials.len() {
            for b in a..self.materials.len() {
                // One body of a material does not meet another of it.
                let meet = match a == b {
                    true => moved[a] > 0 && used[a] > 1,
                    false => (moved[a] > 0 && used[b] > 0) || (moved[b] > 0 && used[a] > 0),
                };
                let (one, other) = (MaterialId(a as u16), MaterialId(b as u16));
                let has_law = match &self.percussion {
                    Some(percussion) => percussion.laws.get(one, other).is_some(),
                    None => self.laws.get(one, other).is_some(),
                };
                if meet && !has_law {
                    return Err(WorldError::NoLaw(self.materials[a].name.clone(), self.materials[b].name.clone()));
                }
            }
        }
        Ok(())
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a body is in the plane z = 0, with its velocities.
fn lies_in_plane(spec: &BodySpec) -> bool {
    let in_plane = |v: DVec3| v.z == 0.0;
    let about_z = |v: DVec3| v.x == 0.0 && v.y == 0.0;
    let drives = match spec.motion {
        Motion::Driven(Drive::Steady { velocity, spin }) => in_plane(velocity) && about_z(spin),
        Motion::Driven(Drive::Oscillating { amplitude, .. }) => in_plane(amplitude),
        _ => true,
    };
    let turned = spec.pose.orientation.xyz();
    in_plane(spec.pose.position) && in_plane(spec.velocity) && about_z(spec.spin) && about_z(turned) && drives
}

/// Mass and principal moments of a shape of uniform density.
fn mass_of(shape: &Shape, density: f64) -> (f64, DVec3) {
    let properties = shape.as_convex().mass_properties();
    let moments = properties.principal_moments().expect("a shape's axes are its principal axes");
    (density * properties.volume, density * moments)
}

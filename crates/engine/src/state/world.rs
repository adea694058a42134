//! The world: all bodies, materials, laws and contacts of a simulation, and the methods that read
//! them. `add.rs` builds a world, `change.rs` changes it between two steps, `check.rs` checks one
//! that was read from a file.

use glam::{DQuat, DVec3};
use granum_geometry::{Kind, Measure, PairTable, Pose, Shape};
use serde::{Deserialize, Serialize};

use super::bodies::{Bodies, Kinetic, MotionKind, Twist, Wrench};
use super::contacts::Contacts;
use super::material::MaterialUse;
use super::{
    BodyId, Clock, Contact, ContactLosses, FlowMeter, Group, GuideState, LawTable, Material, MaterialId, Motion, Phase,
    RollingState, ShapeId, WallMotion, WearRecord,
};
use crate::percussion::Percussion;
use crate::smooth::{ContactLaw, Rolling};

/// A driven body and its motion.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DrivenBody {
    /// Number of the body.
    pub id: BodyId,
    /// Motion.
    pub motion: WallMotion,
    /// Pose at the beginning of the motion.
    pub start: Pose,
    /// Time at which the motion began, s.
    pub since: f64,
    /// Present velocities of the prescribed motion.
    pub twist: Twist,
    /// State of the motion along an axis.
    pub guide: GuideState,
}

impl DrivenBody {
    /// Returns a driven body whose motion begins at a pose and a time, s, with the velocities of its
    /// prescribed motion.
    pub fn new(id: BodyId, motion: WallMotion, (start, since): (Pose, f64), twist: Twist) -> Self {
        let guide = motion.guide.map_or_else(GuideState::default, |guide| guide.start());
        Self { id, motion, start, since, twist, guide }
    }

    /// Adds the motion along the axis of the guide to those of the prescribed motion.
    pub fn add_guide(&self, pose: &mut Pose, twist: &mut Twist) {
        if let Some(guide) = &self.motion.guide {
            let axis = guide.direction();
            pose.position += self.guide.displacement * axis;
            twist.velocity += self.guide.speed * axis;
        }
    }
}

/// State of the contact forces relative to the positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Evaluation {
    /// No simulation has started yet: changes of the world are not booked as work.
    NotBegun,
    /// A simulation has started, but contacts and wrenches do not belong to the present positions.
    Outdated,
    /// A simulation has started, and the contacts belong to the present positions, except for those
    /// of new bodies. The wrenches are not complete.
    Incomplete,
    /// Contacts and wrenches belong to the present positions.
    Current,
}

/// The whole state of a simulation: bodies, shapes, materials, laws, contacts, time and energy
/// balance.
///
/// A world is built with [`add_material`](Self::add_material), [`set_law`](Self::set_law),
/// [`add_shape`](Self::add_shape) and [`add_body`](Self::add_body), and moved by a
/// [`Simulation`](crate::Simulation). Changes between two steps keep the time and book the energy
/// that they add or remove as work, so that the energy balance stays closed.
///
/// ```
/// use glam::DVec3;
/// use granum_engine::{BodySpec, ContactLaw, Material, World, WorldError};
/// use granum_geometry::shape::{HalfSpace, Sphere};
///
/// let mut world = World::new();
/// world.set_gravity(DVec3::new(0.0, 0.0, -9.81))?; // m/s²
/// world.set_time_step(1e-5)?; // s
/// let glass = world.add_material(Material::new("glass", 2500.0))?; // kg/m³
/// world.set_law(glass, glass, ContactLaw::linear(1e4, 0.8, 0.3).expect("a valid law"))?;
/// let floor = world.add_shape(HalfSpace::new(DVec3::Z))?;
/// let bead = world.add_shape(Sphere { radius: 1e-3 })?;
/// world.add_body(BodySpec::fixed(floor, glass, DVec3::ZERO))?;
/// let bead = world.add_body(BodySpec::at(bead, glass, DVec3::new(0.0, 0.0, 0.05)))?;
///
/// assert!((world.mass(bead) - 1.047e-5).abs() < 1e-8); // kg
/// assert!(world.add_shape(Sphere { radius: -1.0 }).is_err());
/// # Ok::<(), WorldError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct World {
    /// True if everything lies in the plane z = 0. A planar world has planar shapes only, and its
    /// bodies turn about z.
    pub(crate) planar: bool,
    /// Measure of the overlap of two bodies. Percussions always use the depth.
    pub(crate) measure: Measure,
    /// Acceleration of gravity, m/s².
    pub(crate) gravity: DVec3,
    /// Time and step length.
    pub(crate) clock: Clock,
    /// Shapes. The list only grows.
    pub(crate) shapes: Vec<Shape>,
    /// Materials. The list only grows.
    pub(crate) materials: Vec<Material>,
    /// Contact law of each pair of materials.
    pub(crate) laws: LawTable,
    /// Settings and laws of the percussion response. `None` selects the smooth response.
    pub(crate) percussion: Option<Percussion>,
    /// Bodies.
    pub(crate) bodies: Bodies,
    /// Walls that move.
    pub(crate) driven: Vec<DrivenBody>,
    /// Named groups of bodies, in the order in which the names were first used.
    pub(crate) groups: Vec<Group>,
    /// Flow planes and outlets with their counts.
    pub(crate) flow_meters: Vec<FlowMeter>,
    /// Load and wear of surfaces, in the order in which their recording began.
    pub(crate) wear: Vec<WearRecord>,
    /// Energy that changes between steps have added so far, J. The energy balance counts it as
    /// work.
    pub(crate) booked_work: f64,
    /// Power of the user-defined force at the last evaluation, W. It gives the work of the first
    /// half of the next step.
    pub(crate) user_power: f64,
    /// Contacts.
    pub(crate) contacts: Contacts,
    /// State of contacts and wrenches relative to the present positions.
    pub(crate) evaluation: Evaluation,
    /// True if [`World::change`] is running and will book the energy of every change in it.
    #[serde(skip)]
    pub(super) is_booking: bool,
    /// Number of bodies of each material. Derived from `bodies`; empty until it is needed.
    #[serde(skip)]
    pub(super) material_use: Vec<MaterialUse>,
    /// The simulation that moves this world.
    #[serde(skip)]
    pub(crate) owner: Owner,
}

/// Number of the simulation that moves a world, zero for none. A clone has no owner, so that a
/// simulation notices if its world was replaced by another one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner(pub u64);

impl Clone for Owner {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// Returns an empty world without gravity. The time step must be set before the first step.
    pub fn new() -> Self {
        Self {
            planar: false,
            measure: Measure::default(),
            gravity: DVec3::ZERO,
            clock: Clock::default(),
            shapes: Vec::new(),
            materials: Vec::new(),
            laws: LawTable::default(),
            percussion: None,
            bodies: Bodies::default(),
            driven: Vec::new(),
            groups: Vec::new(),
            flow_meters: Vec::new(),
            wear: Vec::new(),
            booked_work: 0.0,
            user_power: 0.0,
            contacts: Contacts::default(),
            evaluation: Evaluation::NotBegun,
            is_booking: false,
            material_use: Vec::new(),
            owner: Owner::default(),
        }
    }

    /// Returns an empty planar world: all bodies lie, move and turn in the plane z = 0.
    pub fn planar() -> Self {
        Self { planar: true, ..Self::new() }
    }

    /// Returns whether the world is planar.
    pub fn is_planar(&self) -> bool {
        self.planar
    }

    /// Returns the measure of overlaps.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// Returns the measure by which contacts are found: percussions act at points on both surfaces,
    /// so they use the depth; otherwise it is [`measure`](Self::measure).
    pub fn contact_measure(&self) -> Measure {
        if self.percussion.is_some() { Measure::Depth } else { self.measure }
    }

    /// Returns the acceleration of gravity, m/s².
    pub fn gravity(&self) -> DVec3 {
        self.gravity
    }

    /// Returns the time step, s. It is zero until it is set.
    pub fn time_step(&self) -> f64 {
        self.clock.time_step()
    }

    /// Returns the number of steps done.
    pub fn steps(&self) -> u64 {
        self.clock.steps()
    }

    /// Returns the time since the start, s.
    pub fn time(&self) -> f64 {
        self.clock.time()
    }

    /// Returns all shapes, by [`ShapeId`].
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// Returns a shape.
    ///
    /// # Panics
    /// If the world has no such shape.
    #[track_caller]
    pub fn shape(&self, id: ShapeId) -> &Shape {
        let count = self.shapes.len();
        let shape = self.shapes.get(id.0 as usize);
        shape.unwrap_or_else(|| panic!("shape {} of a world that has {count} shapes", id.0))
    }

    /// Returns all materials, by [`MaterialId`].
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Returns a material.
    ///
    /// # Panics
    /// If the world has no such material.
    #[track_caller]
    pub fn material(&self, id: MaterialId) -> &Material {
        let count = self.materials.len();
        let material = self.materials.get(id.0 as usize);
        material.unwrap_or_else(|| panic!("material {} of a world that has {count} materials", id.0))
    }

    /// Returns the material of a name, if there is one.
    pub fn material_named(&self, name: &str) -> Option<MaterialId> {
        self.materials.iter().position(|material| material.name == name).map(|index| MaterialId(index as u16))
    }

    /// Returns the smooth contact law of two materials, if one was given.
    pub fn law(&self, a: MaterialId, b: MaterialId) -> Option<&ContactLaw> {
        let is_known = |id: MaterialId| (id.0 as usize) < self.materials.len();
        if is_known(a) && is_known(b) { self.laws.get(a, b) } else { None }
    }

    /// Returns the settings, laws and statistics of the percussion response, or `None` if bodies
    /// respond by smooth forces.
    pub fn percussion(&self) -> Option<&Percussion> {
        self.percussion.as_ref()
    }

    /// Returns the number of bodies, removed ones included.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// Returns the number of bodies that are moved by forces.
    pub fn grain_count(&self) -> usize {
        self.bodies.kinetic.iter().filter(|kinetic| kinetic.tag.is_dynamic()).count()
    }

    /// Returns the named groups of bodies, in the order in which the names were first used.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Returns the bodies of a name, in the order of ids. There are none if the name is unknown.
    pub fn bodies_named(&self, name: &str) -> impl Iterator<Item = BodyId> + '_ {
        let group = self.groups.iter().find(|group| group.name == name);
        group.into_iter().flat_map(|group| group.ids.iter().cloned().flatten().map(BodyId))
    }

    /// Returns the index of a body in storage order.
    #[track_caller]
    pub(crate) fn index_of(&self, id: BodyId) -> usize {
        let count = self.bodies.len();
        let index = self.bodies.index.get(id.0 as usize);
        *index.unwrap_or_else(|| panic!("body {} of a world that has {count} bodies", id.0)) as usize
    }

    /// Returns whether forces move a body.
    ///
    /// # Panics
    /// As all methods that read one body, if the world has no such body.
    #[track_caller]
    pub fn is_grain(&self, id: BodyId) -> bool {
        self.bodies.kinetic[self.index_of(id)].tag.is_dynamic()
    }

    /// Returns the cause of a body's motion, or `None` for a body that was removed.
    #[track_caller]
    pub fn motion(&self, id: BodyId) -> Option<Motion> {
        match self.bodies.kinetic[self.index_of(id)].tag.motion {
            MotionKind::Dynamic => Some(Motion::Dynamic),
            MotionKind::Fixed => Some(Motion::Fixed),
            MotionKind::Removed => None,
            MotionKind::Driven | MotionKind::Guided => {
                self.driven.iter().find(|driven| driven.id == id).map(|driven| Motion::Driven(driven.motion.clone()))
            }
        }
    }

    /// Returns whether a driven body rotates at some time about a direction that satisfies a
    /// condition, by storage index.
    pub(crate) fn turns_about(&self, k: usize, condition: impl Fn(DVec3) -> bool) -> bool {
        let Kinetic { tag, twist, .. } = &self.bodies.kinetic[k];
        if !tag.is_driven() {
            return false;
        }
        // A body that rotates now needs no search.
        if twist.spin != DVec3::ZERO && condition(twist.spin) {
            return true;
        }
        let id = BodyId(self.bodies.id[k]);
        self.driven.iter().any(|driven| driven.id == id && driven.motion.axes().any(&condition))
    }

    /// Returns the mass of a grain, kg. It is infinite for other bodies.
    #[track_caller]
    pub fn mass(&self, id: BodyId) -> f64 {
        1.0 / self.bodies.kinetic[self.index_of(id)].inverse_mass
    }

    /// Returns the radius of the bounding sphere about the centre of a body, m. It is infinite for
    /// planes, containers and removed walls.
    #[track_caller]
    pub fn bounding_radius(&self, id: BodyId) -> f64 {
        self.bodies.sphere[self.index_of(id)].radius
    }

    /// Returns the centre of a body, m.
    #[track_caller]
    pub fn position(&self, id: BodyId) -> DVec3 {
        self.bodies.sphere[self.index_of(id)].centre
    }

    /// Returns the rotation from body axes to world axes.
    #[track_caller]
    pub fn orientation(&self, id: BodyId) -> DQuat {
        self.bodies.orientation[self.index_of(id)]
    }

    /// Returns velocity, m/s, and spin, rad/s, of a body.
    #[track_caller]
    pub fn twist(&self, id: BodyId) -> Twist {
        self.bodies.kinetic[self.index_of(id)].twist
    }

    /// Returns the sum of the contact forces and of the user-defined force on a body, N, and of
    /// their torques about its centre, N m, at the last evaluation.
    #[track_caller]
    pub fn contact_wrench(&self, id: BodyId) -> Wrench {
        self.bodies.wrench[self.index_of(id)]
    }

    /// Returns the angular momentum of a body about its centre, kg m²/s.
    #[track_caller]
    pub fn angular_momentum(&self, id: BodyId) -> DVec3 {
        self.bodies.angular_momentum_of(self.index_of(id))
    }

    /// Returns whether a contact carries a force now.
    pub(crate) fn carries(&self, contact: &Contact) -> bool {
        // A smooth contact is kept for one evaluation after its surfaces separate. Percussions act
        // between bodies that touch.
        contact.phase == Phase::Holds && (contact.overlap > 0.0 || self.percussion.is_some())
    }

    /// Returns all contact records in use with their losses and rolling states, in storage order.
    pub(crate) fn contact_records(&self) -> impl Iterator<Item = (&Contact, &ContactLosses, RollingState)> {
        self.contacts.iter()
    }

    /// Returns the kinds of shapes that can collide and whose elastic contacts do not conserve
    /// energy by the measure of this world, each pair once. There are none with percussions, which
    /// have no elastic contacts.
    pub fn pairs_without_conservation(&self, table: &PairTable) -> Vec<[Kind; 2]> {
        let mut pairs = Vec::new();
        if self.percussion.is_some() {
            return pairs;
        }
        // One shape of each kind and rating is enough; grains may be many.
        let conserves = |a: &Shape, b: &Shape| table.conserves_energy(self.measure, a, b);
        let mut samples: Vec<(&Shape, bool)> = Vec::new();
        let mut is_of_wall = vec![false; self.shapes.len()];
        for body in self.bodies.kinetic.iter().filter(|body| !body.tag.is_dynamic()) {
            is_of_wall[body.tag.shape.0 as usize] = true;
        }
        for (shape, is_wall) in self.shapes.iter().zip(is_of_wall) {
            // A shape that no body has yet is that of a grain to come.
            let is_grain = !is_wall;
            let is_known = samples.iter().any(|&(other, moves)| {
                other.kind() == shape.kind() && moves == is_grain && conserves(other, other) == conserves(shape, shape)
            });
            if !is_known {
                samples.push((shape, is_grain));
            }
        }
        for (k, &(a, a_moves)) in samples.iter().enumerate() {
            for &(b, b_moves) in &samples[k..] {
                let mut kinds = [a.kind(), b.kind()];
                kinds.sort_by_key(|&kind| kind as usize);
                if (a_moves || b_moves) && !conserves(a, b) && !pairs.contains(&kinds) {
                    pairs.push(kinds);
                }
            }
        }
        pairs
    }

    /// Returns whether contacts may exert a torque beside the moment of their force, and need to
    /// store it. Laws that resist rolling need it, and generalised overlaps.
    pub(crate) fn has_contact_torques(&self, table: &PairTable) -> bool {
        let resists_rolling = || self.laws.iter().any(|(_, _, law)| law.rolling != Rolling::None);
        self.percussion.is_none() && (resists_rolling() || self.has_generalised_overlaps(table))
    }

    /// Returns whether two shapes of this world have a generalised overlap by its measure.
    pub(crate) fn has_generalised_overlaps(&self, table: &PairTable) -> bool {
        let kinds = || Kind::ALL.iter().filter(|&&kind| self.shapes.iter().any(|shape| shape.kind() == kind));
        let has_overlap = |a: Kind, b: Kind| table.routine(self.measure, a, b).measure() != Measure::Depth;
        kinds().any(|&a| kinds().any(|&b| has_overlap(a, b)))
    }
}

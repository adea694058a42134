//! Building blocks of many cases: worlds with one material, one law, balls and walls.
//!
//! The worlds are valid by construction. An error is a mistake in a case and panics.

use glam::DVec3;
use granum_engine::{
    BodyId, BodySpec, ContactLaw, Damping, EndRule, Material, MaterialId, Motion, Normal, Rolling, ShapeId, Simulation,
    Stiffness, Tangential, World,
};
use granum_geometry::shape::{HalfSpace, Sphere};

use crate::ground::Ground;

/// Acceleration of gravity in the cases, m/s².
pub const GRAVITY: f64 = 9.81;

/// A world of one material.
pub struct Laboratory {
    /// The world, which a case may modify.
    pub world: World,
    material: MaterialId,
}

impl Laboratory {
    /// Creates a world without gravity with the contact law `law`.
    pub fn new(law: ContactLaw) -> Self {
        Self::of(World::new(), law)
    }

    /// Creates a planar world without gravity with the contact law `law`.
    pub fn planar(law: ContactLaw) -> Self {
        Self::of(World::planar(), law)
    }

    fn of(mut world: World, law: ContactLaw) -> Self {
        let material = world.add_material(stuff(1.0)).expect("a valid material");
        world.set_law(material, material, law).expect("a valid value");
        Self { world, material }
    }

    /// Adds gravity along -z.
    pub fn with_gravity(mut self) -> Self {
        self.world.set_gravity(DVec3::NEG_Z * GRAVITY).expect("a valid value");
        self
    }

    /// Returns a uniform ball at rest, which the case may modify before adding it.
    pub fn ball(&mut self, radius: f64, mass: f64, position: DVec3) -> BodySpec {
        let shape = self.world.add_shape(Sphere { radius }).expect("a valid radius");
        let moment = 0.4 * mass * radius * radius;
        BodySpec { mass: Some((mass, DVec3::splat(moment))), ..BodySpec::at(shape, self.material, position) }
    }

    /// Returns a body of a known shape, at rest at the origin, which the case may modify before
    /// adding it.
    pub fn of_shape(&self, shape: ShapeId, mass: f64, moments: DVec3) -> BodySpec {
        BodySpec { mass: Some((mass, moments)), ..BodySpec::at(shape, self.material, DVec3::ZERO) }
    }

    /// Replaces the contact law.
    pub fn change_law(&mut self, change: impl FnOnce(&mut ContactLaw)) {
        let mut law = *self.world.law(self.material, self.material).expect("a law was given at the start");
        change(&mut law);
        self.world.set_law(self.material, self.material, law).expect("a valid value");
    }

    /// Adds a body.
    pub fn add(&mut self, spec: BodySpec) -> BodyId {
        self.world.add_body(spec).expect("a valid body")
    }

    /// Adds a plane wall through `point`, solid on the side away from `normal`.
    pub fn wall(&mut self, normal: DVec3, point: DVec3, motion: Motion) -> BodyId {
        let shape = self.world.add_shape(HalfSpace::new(normal)).expect("a unit normal");
        self.add(BodySpec { motion, ..BodySpec::fixed(shape, self.material, point) })
    }

    /// Adds the plane z = 0 as a fixed wall below the bodies.
    pub fn ground(&mut self, ground: Ground) -> BodyId {
        let shape = self.world.add_shape(ground.shape()).expect("a valid shape");
        self.add(BodySpec::fixed(shape, self.material, DVec3::ZERO))
    }

    /// Adds the walls of a box that is open at the top, from the origin to `size`.
    pub fn open_box(&mut self, size: DVec3, motion: Motion) {
        self.wall(DVec3::Z, DVec3::ZERO, motion.clone());
        for axis in [DVec3::X, DVec3::Y] {
            self.wall(axis, DVec3::ZERO, motion.clone());
            self.wall(-axis, size, motion.clone());
        }
    }

    /// Creates a simulation on one thread.
    pub fn start(self, time_step: f64) -> Simulation {
        self.start_on(1, time_step)
    }

    /// Creates a simulation that uses all of these threads in every step.
    pub fn start_on(mut self, threads: usize, time_step: f64) -> Simulation {
        self.world.set_time_step(time_step).expect("a valid value");
        let mut simulation = Simulation::new(self.world, threads).expect("a valid world");
        simulation.use_all_threads().expect("enough memory for the threads");
        simulation
    }
}

/// Returns the material of the cases, with Young's modulus `young` (Pa) and Poisson's ratio 0. Only
/// Hertz laws use the modulus.
pub fn stuff(young: f64) -> Material {
    Material::new("stuff", 1.0).with_elasticity(young, 0.0)
}

/// Returns a frictionless elastic law with stiffness `k`, N/m.
pub fn spring(k: f64) -> ContactLaw {
    damped_spring(k, Damping::Ratio(0.0), EndRule::NoTension)
}

/// Returns a frictionless law with spring and dashpot.
pub fn damped_spring(k: f64, damping: Damping, end: EndRule) -> ContactLaw {
    let normal = Normal::linear(Stiffness::Constant(k), damping, end).expect("a valid law");
    ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end }
}

/// Returns a frictionless Hertz law between bodies of [`stuff`].
pub fn hertz(young: f64, damping: Damping) -> ContactLaw {
    let (stuff, end) = (stuff(young), EndRule::NoTension);
    let normal = Normal::hertz(&stuff, &stuff, damping, end).expect("a valid law");
    ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end }
}

/// Returns the law of dry grains: restitution 0.7, friction 0.5, tangential stiffness 2/7 of the
/// normal one.
pub fn dry_grains(stiffness: Stiffness) -> ContactLaw {
    let end = EndRule::NoTension;
    ContactLaw {
        normal: Normal::linear(stiffness, Damping::Restitution(0.7), end).expect("a valid law"),
        tangential: Tangential::Linear { friction: 0.5, ratio: 2.0 / 7.0, zeta: 0.1 },
        rolling: Rolling::None,
        end,
    }
}

/// The xorshift generator of the validation cases.
///
/// All other code uses [`granum_geometry::random::Random`]. This generator is kept because the
/// recorded results of the cases, among them packings that take hours, depend on its sequence. New
/// cases should use the other one, as `g3_pairs` does.
pub struct Random(u64);

impl Random {
    /// Creates the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.max(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Returns a number uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a vector with components uniform in [-1, 1).
    pub fn vector(&mut self) -> DVec3 {
        2.0 * DVec3::new(self.unit(), self.unit(), self.unit()) - 1.0
    }
}

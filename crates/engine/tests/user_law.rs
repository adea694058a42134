//! User-defined normal laws: energy, restart and error messages.

mod common;

use common::{shaken_box_of, world_with_grit};
use glam::DVec3;
use granum_engine::TimeStepAdvice;
use granum_engine::smooth::{NormalForce, NormalInput, NormalState};
use granum_engine::{
    BodySpec, ContactLaw, Damping, EndRule, Normal, Rolling, Simulation, Snapshot, Stiffness, Tangential, World,
};
use granum_geometry::shape::Sphere;

/// A hardening spring, `F = k d + k3 d³ + c d'`.
struct Hardening {
    k: f64,
    k3: f64,
    c: f64,
}

impl NormalForce for Hardening {
    fn at(&self, contact: &NormalInput) -> NormalState {
        let d = contact.overlap;
        NormalState {
            elastic: self.k * d + self.k3 * d * d * d,
            damping: self.c,
            stiffness: self.k + 3.0 * self.k3 * d * d,
            energy: 0.5 * self.k * d * d + 0.25 * self.k3 * d.powi(4),
        }
    }
}

/// Hertz's law as a user would write it.
struct OwnHertz {
    modulus: f64,
    alpha: f64,
}

impl NormalForce for OwnHertz {
    fn at(&self, contact: &NormalInput) -> NormalState {
        let root = (contact.overlap / contact.curvature).sqrt();
        let k_root = 4.0 / 3.0 * self.modulus * root;
        NormalState {
            elastic: k_root * contact.overlap,
            damping: self.alpha * (k_root / contact.inverse_mass).sqrt(),
            stiffness: 1.5 * k_root,
            energy: 0.4 * k_root * contact.overlap * contact.overlap,
        }
    }

    fn exponents(&self) -> (f64, f64) {
        (1.5, 0.25)
    }
}

/// Returns two balls that collide at 1 m/s with the given law.
fn colliding_balls(normal: Normal, dt: f64) -> World {
    let (mut world, grit) = world_with_grit();
    let end = EndRule::ZeroOverlap;
    let law = ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end };
    world.set_law(grit, grit, law).unwrap();
    let ball = world.add_shape(Sphere { radius: 0.01 }).unwrap();
    let mut right = BodySpec::at(ball, grit, DVec3::new(0.0201, 0.0, 0.0));
    right.velocity = DVec3::new(-1.0, 0.0, 0.0);
    world.add_body(BodySpec::at(ball, grit, DVec3::ZERO)).unwrap();
    world.add_body(right).unwrap();
    world.set_time_step(dt).unwrap();
    world
}

/// Returns the separation velocity of the two balls after their collision, m/s.
fn separation_velocity(world: World) -> f64 {
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(4000);
    let bodies = Snapshot::of(simulation.world()).bodies;
    bodies[1].velocity.x - bodies[0].velocity.x
}

#[test]
fn an_elastic_user_law_keeps_the_energy_of_a_collision() {
    let normal = Normal::register("elastic", Hardening { k: 1e4, k3: 1e12, c: 0.0 }).unwrap();
    let error = (separation_velocity(colliding_balls(normal, 1e-6)) - 1.0).abs();
    assert!(error < 1e-5, "{error:e}");
}

#[test]
fn a_user_law_equal_to_hertz_gives_the_same_bits() {
    let (world, _) = world_with_grit();
    let end = EndRule::ZeroOverlap;
    let hertz = Normal::hertz(&world.materials()[0], &world.materials()[0], Damping::Restitution(0.7), end).unwrap();
    let Normal::Hertz { modulus, alpha } = hertz else { panic!("not a Hertz law") };
    let own = Normal::register("own hertz", OwnHertz { modulus, alpha }).unwrap();
    assert_eq!(separation_velocity(colliding_balls(own, 1e-6)), separation_velocity(colliding_balls(hertz, 1e-6)));
}

#[test]
fn the_ledger_of_a_shaken_box_closes_with_a_user_law() {
    let mut world = shaken_box_of(60, |random| Sphere { radius: random.range(0.002, 0.0049) }.into());
    let grit = granum_engine::MaterialId(0);
    let normal = Normal::register("hardening", Hardening { k: 2000.0, k3: 1e10, c: 0.05 }).unwrap();
    let law = ContactLaw { normal, ..*world.law(grit, grit).unwrap() };
    world.set_law(grit, grit, law).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    let start = Snapshot::of(simulation.world()).energy;
    simulation.run(6000);
    let energy = Snapshot::of(simulation.world()).energy;
    assert!(energy.dissipated_damping > 1e-6 && energy.dissipated_friction > 1e-6);
    let residual = energy.residual(&start).abs() / start.total();
    assert!(residual < 1e-4, "residual {residual:e}");
}

#[test]
fn a_world_stores_the_name_of_a_user_law() {
    let normal = Normal::register("stored", Hardening { k: 1e4, k3: 0.0, c: 1.0 }).unwrap();
    let mut bytes = postcard::to_allocvec(&colliding_balls(normal, 1e-6)).unwrap();
    let world: World = postcard::from_bytes(&bytes).unwrap();
    assert!(
        world.law(granum_engine::MaterialId(0), granum_engine::MaterialId(0)).map(|law| law.normal)
            == Normal::registered("stored")
    );
    let at = bytes.windows(6).position(|window| window == b"stored").unwrap();
    bytes[at] = b'S';
    assert!(postcard::from_bytes::<World>(&bytes).is_err(), "the law `Stored` was found");
}

#[test]
fn a_name_is_registered_once() {
    assert!(Normal::registered("twice").is_none());
    Normal::register("twice", Hardening { k: 1.0, k3: 0.0, c: 0.0 }).unwrap();
    let error = Normal::register("twice", Hardening { k: 2.0, k3: 0.0, c: 0.0 }).unwrap_err();
    assert_eq!(error.to_string(), "a normal law `twice` is registered already");
}

#[test]
fn the_time_step_of_a_linear_user_law_is_that_of_the_built_in_law() {
    let end = EndRule::ZeroOverlap;
    let built_in = Normal::linear(Stiffness::Constant(1e4), Damping::Ratio(0.0), end).unwrap();
    let own = Normal::register("linear", Hardening { k: 1e4, k3: 0.0, c: 0.0 }).unwrap();
    let advice = |normal| TimeStepAdvice::of(&colliding_balls(normal, 1e-6)).recommended;
    assert!((advice(own) / advice(built_in) - 1.0).abs() < 1e-12);
}

//! Forces that depend on positions, in worlds with the percussion response.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use granum_engine::percussion::{CutVolume, Field, Friction, Percussion, PercussionLaw, Rebound, Slip};
use granum_engine::{BodyId, BodySpec, Material, MaterialId, Simulation, World, Wrench};
use granum_geometry::Convex;
use granum_geometry::shape::{Box as Cuboid, HalfSpace, Sphere};

const G: f64 = 9.81;
const DENSITY: f64 = 1000.0;

fn world(fields: &[Field]) -> (World, MaterialId) {
    let mut world = World::new();
    let material = Material::new("rock", DENSITY);
    let rock = world.add_material(material).unwrap();
    let mut percussion = Percussion::new(Friction::Coulomb);
    percussion.fields = fields.to_vec();
    world.set_percussion(percussion).unwrap();
    let law = PercussionLaw { rebound: Rebound::Restitution(0.0), slip: Slip::Friction(0.5) };
    world.set_percussion_law(rock, rock, law).unwrap();
    world.set_gravity(DVec3::NEG_Z * G).unwrap();
    world.set_time_step(1e-3).unwrap();
    (world, rock)
}

fn add_box(world: &mut World, rock: MaterialId, half_sizes: DVec3, at: DVec3) -> BodyId {
    let shape = world.add_shape(Cuboid { half_sizes }).unwrap();
    world.add_body(BodySpec::at(shape, rock, at)).unwrap()
}

fn height(simulation: &Simulation, id: BodyId) -> f64 {
    simulation.world().position(id).z
}

fn velocity(simulation: &Simulation, id: BodyId) -> DVec3 {
    simulation.world().twist(id).velocity
}

#[test]
fn the_part_of_a_box_beyond_a_plane_is_exact_and_that_of_a_ball_nearly() {
    let surface = Cuboid { half_sizes: DVec3::new(0.5, 1.0, 1.5) }.surface(0, 0.0);
    let top = CutVolume::of(&surface, DVec3::Z, 1.0);
    assert!((top.volume - 1.0).abs() < 1e-14);
    assert!((top.moment - DVec3::new(0.0, 0.0, 1.25)).length() < 1e-14);
    // A wedge along the edge of a cube: a triangle with legs t sqrt(2) for the depth t. Its
    // centroid is at two thirds of the depth.
    let cube = Cuboid { half_sizes: DVec3::splat(0.5) }.surface(0, 0.0);
    let (normal, depth) = (DVec3::new(1.0, 0.0, 1.0).normalize(), 0.1);
    let wedge = CutVolume::of(&cube, normal, 0.5f64.sqrt() - depth);
    assert!((wedge.volume - depth * depth).abs() < 1e-14);
    let centroid = (0.5f64.sqrt() - depth / 3.0 * 2.0) * normal;
    assert!((wedge.moment / wedge.volume - centroid).length() < 1e-12, "{}", wedge.moment / wedge.volume);
    let all = CutVolume::of(&cube, DVec3::X, -2.0);
    assert!((all.volume - 1.0).abs() < 1e-14 && all.moment.length() < 1e-14);
    let cap = CutVolume::of(&Sphere { radius: 1.0 }.surface(3, 0.0), DVec3::Y, 0.5);
    let exact = PI * 0.25 * 2.5 / 3.0;
    assert!((cap.volume / exact - 1.0).abs() < 0.03, "{}", cap.volume / exact);
}

#[test]
fn a_backing_carries_each_grain_by_a_spring_of_its_own() {
    let half = DVec3::new(0.5, 0.4, 0.3);
    let stiffness = 1e6;
    let (mut world, rock) = world(&[Field::Backing { normal: DVec3::Z, offset: 0.0, stiffness }]);
    let depth = DENSITY * 8.0 * half.element_product() * G / stiffness;
    let id = add_box(&mut world, rock, half, DVec3::Z * (half.z - depth));
    // The narrow box has half the mass and a spring of the same stiffness, so it sinks half as
    // deep.
    let narrow = DVec3::new(0.25, 0.4, 0.3);
    let other = add_box(&mut world, rock, narrow, DVec3::new(5.0, 0.0, half.z - 0.5 * depth));
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(1000);
    assert!((height(&simulation, id) - (half.z - depth)).abs() < 1e-12);
    assert!((height(&simulation, other) - (half.z - 0.5 * depth)).abs() < 1e-12);
}

#[test]
fn a_box_rests_on_a_bed_of_springs_at_the_depth_that_carries_it_and_swings_about_it() {
    let half = DVec3::new(0.5, 0.4, 0.3);
    let modulus = 1e5;
    let bed = Field::Bed { normal: DVec3::Z, offset: 0.0, modulus };
    let depth = DENSITY * 2.0 * half.z * G / modulus;
    let (mut at_rest, rock) = world(&[bed]);
    let id = add_box(&mut at_rest, rock, half, DVec3::Z * (half.z - depth));
    let mut simulation = Simulation::new(at_rest, 1).unwrap();
    simulation.run(1000);
    assert!((height(&simulation, id) - (half.z - depth)).abs() < 1e-12);
    // A box that is released at the surface sinks to twice the depth in half a period.
    let (mut falling, rock) = world(&[bed]);
    let id = add_box(&mut falling, rock, half, DVec3::Z * half.z);
    let period = 2.0 * PI * (depth / G).sqrt();
    let mut simulation = Simulation::new(falling, 1).unwrap();
    simulation.run((0.5 * period / 1e-3).round() as u64);
    assert!((height(&simulation, id) - half.z + 2.0 * depth).abs() < 1e-3 * depth);
}

#[test]
fn a_net_sends_a_tilted_box_back_with_its_energy_and_books_the_work() {
    let net = Field::Net { min: DVec3::splat(-1.0), max: DVec3::splat(1.0), modulus: 1e6 };
    let (mut world, rock) = world(&[net]);
    world.set_gravity(DVec3::ZERO).unwrap();
    let shape = world.add_shape(Cuboid { half_sizes: DVec3::new(0.2, 0.15, 0.1) }).unwrap();
    let mut body = BodySpec::at(shape, rock, DVec3::ZERO);
    body.velocity = DVec3::new(3.0, 1.0, 0.5);
    body.pose.orientation = DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, -0.2));
    world.add_body(body).unwrap();
    world.set_time_step(1e-4).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    let kinetic = |simulation: &Simulation| {
        let energy = simulation.energy();
        energy.kinetic_translational + energy.kinetic_rotational
    };
    let first = kinetic(&simulation);
    simulation.run(6000);
    let (last, work) = (kinetic(&simulation), simulation.energy().work);
    assert!((last - first - work).abs() < 1e-12 * first, "the work is not in the ledger");
    assert!(velocity(&simulation, BodyId(0)).x < 0.0, "the box has not come back");
    assert!((last / first - 1.0).abs() < 1e-3, "{last} of {first}");
}

#[test]
fn a_block_that_is_pulled_holds_below_the_limit_of_friction_and_slides_above_it() {
    let half = DVec3::splat(0.1);
    let mass = DENSITY * 0.008;
    for (share, acceleration) in [(0.98, 0.0), (1.5, 0.25 * G)] {
        let pull = Field::Force { force: DVec3::X * share * 0.5 * mass * G };
        let (mut world, rock) = world(&[pull]);
        let plane = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
        world.add_body(BodySpec::fixed(plane, rock, DVec3::ZERO)).unwrap();
        // A flat block does not topple.
        let id = add_box(&mut world, rock, DVec3::new(half.x * 2.0, half.y * 2.0, half.z * 0.25), DVec3::Z * 0.025);
        let mut simulation = Simulation::new(world, 1).unwrap();
        simulation.run(500);
        let found = velocity(&simulation, id);
        assert!((found - DVec3::X * acceleration * 0.5).length() < 1e-6 * G, "{found}");
    }
}

#[test]
fn a_user_defined_force_acts_on_each_body() {
    let (mut world, rock) = world(&[]);
    world.set_gravity(DVec3::ZERO).unwrap();
    let ids = [0.0, 1.0].map(|x| add_box(&mut world, rock, DVec3::splat(0.1), DVec3::X * x));
    let mut simulation = Simulation::new(world, 1).unwrap();
    let mass = DENSITY * 0.008;
    let second = ids[1];
    simulation.set_force(move |_, id| Wrench {
        force: if id == second { DVec3::Y * mass } else { DVec3::ZERO },
        torque: DVec3::ZERO,
    });
    simulation.run(1000);
    assert!((velocity(&simulation, ids[1]) - DVec3::Y).length() < 1e-12);
    assert_eq!(velocity(&simulation, ids[0]), DVec3::ZERO);
}

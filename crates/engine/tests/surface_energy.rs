//! Energy of elastic grains without friction that bounce over convex edges and corners of surfaces,
//! at the automatic time step. `GRANUM_IMPACTS=1000` sets the number of impacts of each flight.

mod common;

use common::Random;
use glam::DVec3;
use granum_engine::{
    BodyId, BodySpec, ContactLaw, Damping, EndRule, Material, Normal, Rolling, Simulation, Stiffness, Tangential,
    TimeStepAdvice, World,
};
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Ellipsoid, HalfSpace, InsideCylinder, Polyhedron, Sphere, Superellipsoid, Surface, rock,
};
use granum_geometry::surface::TriangleMesh;
use granum_geometry::surface::generate::{BoxSurface, CylinderSurface, Plate, Stairs, Terrain};
use granum_geometry::{Pose, Shape};

/// Overlap of an impact at 1 m/s, m. It sets the stiffness.
const OVERLAP: f64 = 5e-5;

/// Half the width of the room, m.
const ROOM: f64 = 0.02;

fn impacts() -> usize {
    std::env::var("GRANUM_IMPACTS").ok().and_then(|n| n.parse().ok()).unwrap_or(4)
}

fn shapes() -> Vec<(&'static str, Shape)> {
    let axes = DVec3::new(0.006, 0.005, 0.004);
    vec![
        ("sphere", Sphere { radius: 0.005 }.into()),
        ("ellipsoid", Ellipsoid { semi_axes: axes }.into()),
        ("superellipsoid", Superellipsoid { semi_axes: axes, eps: [0.7, 0.7] }.into()),
        ("capsule", Capsule { radius: 0.004, half_height: 0.004 }.into()),
        ("cylinder", Cylinder { radius: 0.004, half_height: 0.005 }.into()),
        ("box", Box { half_sizes: axes }.into()),
        ("rock", Polyhedron::new(rock([0.012, 0.010, 0.008], 24.0, 3.0).unwrap()).unwrap().into()),
    ]
}

fn surface(mesh: TriangleMesh, at: DVec3, is_two_sided: bool) -> (Shape, DVec3) {
    (Surface::new(mesh, is_two_sided).unwrap().into(), at)
}

/// Obstacles in a room.
fn obstacles() -> Vec<(&'static str, (Shape, DVec3))> {
    let ridge = || {
        let v = |x: f64, y: f64, z: f64| 0.02 * DVec3::new(x, y, z);
        let vertices = vec![v(-0.2, -2.0, -3.0), v(0.0, -2.0, 0.0), v(0.2, -2.0, -3.0)];
        let mut all = vertices.clone();
        all.extend(vertices.iter().map(|p| *p + v(0.0, 4.0, 0.0)));
        TriangleMesh::new(all, vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]).unwrap()
    };
    let terrain = Terrain { size: [0.06; 2], cells: [20; 2], hills: 60, height: 0.01, radius: 0.003, seed: 4 };
    let stairs = Stairs { steps: 8, rise: 0.006, run: 0.008, width: 0.08 };
    vec![
        ("half-space", (HalfSpace::new(DVec3::new(0.3, 0.2, 1.0).normalize()).into(), DVec3::Z * -0.012)),
        ("box shape", (Box { half_sizes: DVec3::new(0.008, 0.007, 0.006) }.into(), DVec3::Z * -0.015)),
        (
            "box mesh",
            surface(
                BoxSurface { size: [0.016, 0.014, 0.012], lid: true }.mesh().unwrap().reversed(),
                DVec3::Z * -0.021,
                false,
            ),
        ),
        ("ridge", surface(ridge(), DVec3::Z * -0.008, false)),
        ("plate", surface(Plate { size: [0.016, 0.014], cells: [3, 2] }.mesh().unwrap(), DVec3::Z * -0.012, true)),
        ("stairs", surface(stairs.mesh().unwrap(), DVec3::new(-0.03, 0.0, -0.03), false)),
        ("hills", surface(terrain.mesh().unwrap(), DVec3::Z * -0.02, false)),
    ]
}

fn elastic(world: &mut World, stiffness: f64) -> granum_engine::MaterialId {
    let glass = world.add_material(Material::new("glass", 2500.0).with_elasticity(1e9, 0.2)).unwrap();
    let end = EndRule::NoTension;
    let normal = Normal::linear(Stiffness::Constant(stiffness), Damping::Restitution(1.0), end).unwrap();
    let law = ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end };
    world.set_law(glass, glass, law).unwrap();
    glass
}

/// A grain in a room of half-spaces around an obstacle.
fn room(shape: &Shape, obstacle: &(Shape, DVec3), seed: u64) -> (World, BodyId, BodyId) {
    let mut world = World::new();
    let mass = 2500.0 * shape.as_convex().mass_properties().volume;
    let glass = elastic(&mut world, mass / (OVERLAP * OVERLAP));
    for axis in DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
        let wall = world.add_shape(HalfSpace::new(axis)).unwrap();
        world.add_body(BodySpec::fixed(wall, glass, -ROOM * axis)).unwrap();
    }
    let wall = world.add_shape(obstacle.0.clone()).unwrap();
    let wall = world.add_body(BodySpec::fixed(wall, glass, obstacle.1)).unwrap();
    let mut random = Random::new(seed);
    let shape = world.add_shape(shape.clone()).unwrap();
    let pose = Pose { position: DVec3::new(0.004, 0.003, 0.011), orientation: random.rotation() };
    let (velocity, spin) = ((random.in_cube() - DVec3::Z).normalize(), 100.0 * random.in_cube());
    let grain = world.add_body(BodySpec { pose, velocity, spin, ..BodySpec::at(shape, glass, DVec3::ZERO) }).unwrap();
    (world, grain, wall)
}

#[derive(Default, Debug)]
struct Drift {
    impacts: usize,
    /// Sum of the changes of the energy in impacts with the obstacle, of their absolute values, and
    /// the largest, relative to the energy at the start.
    sum: f64,
    absolute: f64,
    worst: f64,
    /// Sum of absolute values of the changes with the other walls.
    of_room: f64,
    passages: usize,
    most_steps_without: u64,
}

fn fly(mut world: World, wall: BodyId, wanted: usize, fine: f64) -> Drift {
    world.set_time_step(TimeStepAdvice::of(&world).recommended / fine).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    let start = simulation.energy().total();
    let mut drift = Drift::default();
    let mut before = start;
    let (mut touches_wall, mut touches_room) = (false, false);
    let mut since = 0;
    while drift.impacts < wanted && since < 2_000_000 {
        simulation.run(1);
        since += 1;
        let mut touches = false;
        for contact in simulation.world().contacts() {
            touches = true;
            if contact.a() == wall || contact.b() == wall {
                touches_wall = true;
            } else {
                touches_room = true;
            }
        }
        if touches || !(touches_wall || touches_room) {
            continue;
        }
        let now = simulation.energy().total();
        let change = (now - before) / start;
        before = now;
        if touches_wall {
            drift.most_steps_without = drift.most_steps_without.max(since);
            since = 0;
            drift.impacts += 1;
            drift.sum += change;
            drift.absolute += change.abs();
            drift.worst = drift.worst.max(change.abs());
        } else {
            drift.of_room += change.abs();
        }
        (touches_wall, touches_room) = (false, false);
        if now > 3.0 * start {
            break;
        }
    }
    drift.passages = simulation.take_passages().count;
    drift
}

#[test]
fn grains_keep_their_energy_over_edges_and_corners_or_do_not_explode() {
    let only = std::env::var("GRANUM_ONLY").unwrap_or_default();
    let fine = std::env::var("GRANUM_FINE").ok().and_then(|n| n.parse().ok()).unwrap_or(1.0);
    for (name, obstacle) in obstacles() {
        for (kind, shape) in shapes() {
            if !format!("{name} {kind}").contains(&only) {
                continue;
            }
            let (world, _, wall) = room(&shape, &obstacle, 7);
            let drift = fly(world, wall, impacts(), fine);
            let per = 1000.0 / drift.impacts.max(1) as f64;
            println!(
                "{name:10} {kind:15} {:5} impacts: drift per 1,000 {:+.1e}, sum of absolute values {:.1e}, worst {:.1e}, room {:.1e}, passages {}",
                drift.impacts,
                drift.sum * per,
                drift.absolute * per,
                drift.worst,
                drift.of_room,
                drift.passages
            );
            // By depth, faces and lines gain or lose energy at edges. Boxes and rocks overlap the
            // solid behind a surface with one side.
            let is_round = ["sphere", "ellipsoid", "superellipsoid"].contains(&kind);
            let meets_solid = ["box", "rock"].contains(&kind) && name != "plate";
            let limit = match name {
                _ if is_round => 1e-4,
                // At a vertex with convex and concave edges the planes that act may change.
                "hills" if meets_solid => 0.2,
                _ if meets_solid => 1e-3,
                _ => 1.0,
            };
            assert!(drift.worst < limit && drift.passages == 0, "{name} {kind}: {drift:?}");
        }
    }
}

#[test]
fn grains_in_a_drum_of_facets_keep_their_energy() {
    let drum = CylinderSurface { radius: 0.02, length: 0.05, facets: 200, divisions: 3, ends: true };
    let exact = InsideCylinder { radius: 0.02, half_height: 0.025 };
    for (name, wall) in
        [("mesh", surface(drum.mesh().unwrap(), DVec3::ZERO, false)), ("exact", (exact.into(), DVec3::ZERO))]
    {
        for (kind, shape) in &shapes()[..] {
            let (world, grain, wall) = room(shape, &wall, 7);
            let mut world = world;
            for id in 0..6 {
                world.remove_wall(BodyId(id)).unwrap();
            }
            let drift = fly(world, wall, 2 * impacts(), 1.0);
            println!("{name} {kind} {grain:?}: {drift:?}");
            assert!(drift.worst < 1e-3 && drift.passages == 0, "{name} {kind}: {drift:?}");
        }
    }
}

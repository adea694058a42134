//! Grains that hit thin plates, sharp ridges and fine or coarse triangles, and a fast paddle: each is
//! stopped, or the passage is reported. `GRANUM_LONG=1` tests more speeds.

mod common;

use common::{Random, world_with_grit};
use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, Drive, Motion, Simulation};
use granum_geometry::Shape;
use granum_geometry::shape::{Box, Capsule, Cylinder, Ellipsoid, Polyhedron, Sphere, Superellipsoid, Surface, rock};
use granum_geometry::surface::TriangleMesh;
use granum_geometry::surface::generate::{Mixer, Plate, Terrain};

/// Shapes of the size 1 m, scaled.
fn shapes(scale: f64) -> Vec<(&'static str, Shape)> {
    let axes = scale * DVec3::new(0.5, 0.4, 0.3);
    let corners = rock([1.0, 0.9, 0.8], 20.0, 5.0).unwrap().into_iter().map(|p| scale * p).collect();
    vec![
        ("sphere", Sphere { radius: 0.4 * scale }.into()),
        ("ellipsoid", Ellipsoid { semi_axes: axes }.into()),
        ("superellipsoid", Superellipsoid { semi_axes: axes, eps: [0.1, 0.1] }.into()),
        ("cylinder", Cylinder { radius: 0.4 * scale, half_height: 0.3 * scale }.into()),
        ("capsule", Capsule { radius: 0.2 * scale, half_height: 0.3 * scale }.into()),
        ("box", Box { half_sizes: axes }.into()),
        ("rock", Polyhedron::new(corners).unwrap().into()),
    ]
}

fn two_sided(mesh: TriangleMesh) -> Shape {
    Surface::new(mesh, true).unwrap().into()
}

/// A ridge along y with a given half width at 1 m below its top, one-sided and open below.
fn ridge(half_width: f64, scale: f64) -> Shape {
    let v = |x: f64, y: f64, z: f64| scale * DVec3::new(x, y, z);
    let mut all = Vec::new();
    for y in [-3.0, 3.0] {
        all.extend([
            v(-3.0, y, -1.0),
            v(-half_width, y, -1.0),
            v(0.0, y, 0.0),
            v(half_width, y, -1.0),
            v(3.0, y, -1.0),
        ]);
    }
    let mut triangles = Vec::new();
    for k in 0..4u32 {
        triangles.extend([[k, k + 1, k + 6], [k, k + 6, k + 5]]);
    }
    Surface::new(TriangleMesh::new(all, triangles).unwrap(), false).unwrap().into()
}

#[test]
fn a_fall_onto_a_plate_a_ridge_or_hills_is_stopped_or_reported() {
    let mut silent = Vec::new();
    let is_long = std::env::var("GRANUM_LONG").is_ok();
    let speeds: &[f64] = if is_long { &[0.3, 3.0, 10.0, 30.0, 100.0, 1000.0] } else { &[10.0, 100.0] };
    let scale = 0.01;
    let plate = |cells: u32| two_sided(Plate { size: [0.06; 2], cells: [cells; 2] }.mesh().unwrap());
    let hills = |cells: u32| {
        let terrain = Terrain { size: [0.06; 2], cells: [cells; 2], hills: 60, height: 0.006, radius: 0.004, seed: 1 };
        two_sided(terrain.mesh().unwrap())
    };
    let walls = [
        ("plate of 2 triangles", plate(1)),
        ("plate of 20,000", plate(100)),
        ("sharp ridge", ridge(0.05, scale)),
        ("sharper ridge", ridge(0.002, scale)),
        ("hills of 50", hills(5)),
        ("hills of 28,800", hills(120)),
    ];
    for (name, wall) in walls {
        for (kind, shape) in shapes(scale) {
            for &speed in speeds {
                let (mut world, grit) = world_with_grit();
                world.set_time_step(1e-5).unwrap();
                let wall = world.add_shape(wall.clone()).unwrap();
                world.add_body(BodySpec::fixed(wall, grit, DVec3::ZERO)).unwrap();
                let mut random = Random::new(3 + speed as u64);
                let shape = world.add_shape(shape.clone()).unwrap();
                let at = DVec3::new(0.002 * random.signed(), 0.002 * random.signed(), 0.03);
                let mut body = BodySpec::at(shape, grit, at);
                body.pose.orientation = random.rotation();
                body.velocity = -speed * DVec3::Z;
                body.spin = 0.1 * speed / scale * random.in_cube();
                let id = world.add_body(body).unwrap();
                let mut simulation = Simulation::new(world, 1).unwrap();
                let steps = (0.06 / speed / 1e-5) as u64 + 50;
                let done = simulation.run_until_passage(steps);
                let is_reported = done < steps || simulation.take_passages().count > 0;
                let at = simulation.world().position(id);
                let lowest = if name.contains("ridge") { -0.01 } else { 0.0 };
                let is_lost = at.z < lowest && at.x.abs() < 0.03 && at.y.abs() < 0.03;
                if is_lost && !is_reported {
                    silent.push((name, kind, speed));
                }
            }
        }
    }
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn a_fast_paddle_hits_resting_balls_or_reports_a_passage() {
    let mixer = Mixer {
        radius: 0.04,
        shaft_radius: 0.008,
        length: 0.03,
        rows: 1,
        paddles: 4,
        width: 0.02,
        thickness: 0.001,
        angle: 0.3,
        facets: 16,
    };
    for spin in [5.0, 50.0, 300.0, 1000.0, 5000.0, 20_000.0] {
        let (mut world, grit) = world_with_grit();
        world.set_time_step(1e-5).unwrap();
        let wall = world.add_shape(Surface::new(mixer.mesh().unwrap(), false).unwrap()).unwrap();
        let motion = Motion::Driven(Drive::steady(DVec3::ZERO, DVec3::Z * spin).into());
        world.add_body(BodySpec { motion, ..BodySpec::fixed(wall, grit, DVec3::ZERO) }).unwrap();
        let ball = world.add_shape(Sphere { radius: 0.002 }).unwrap();
        let ids: Vec<BodyId> = (0..8)
            .map(|k| {
                // Between the paddles.
                let at = DQuat::from_rotation_z(0.785 * f64::from(k / 2 * 2 + 1)) * DVec3::X;
                let at = (if k % 2 == 0 { 0.02 } else { 0.034 }) * at + 0.015 * DVec3::Z;
                world.add_body(BodySpec::at(ball, grit, at)).unwrap()
            })
            .collect();
        let mut simulation = Simulation::new(world, 1).unwrap();
        let start = simulation.energy();
        let turn = (std::f64::consts::TAU / spin / 1e-5) as u64 + 2;
        simulation.run(turn.min(20_000));
        let found = simulation.take_passages().count;
        let energy = simulation.energy();
        let hit = ids.iter().filter(|id| simulation.world().twist(**id).velocity.length() > 1e-6).count();
        let residual = energy.residual(&start) / energy.turned_over(&start).max(1e-300);
        println!("{spin} rad/s: {hit} of 8 hit, {found} passages, residual {residual:.1e}");
        assert!(hit == 8 || found > 0, "{spin}: {hit}");
        assert!(residual.abs() < 0.05 || found > 0, "{spin}: {residual:e}");
    }
}

#[test]
fn a_grain_rests_on_a_thousand_triangles_as_on_few() {
    for (kind, shape) in shapes(0.01) {
        let run = |cells: u32| {
            let (mut world, grit) = world_with_grit();
            world.set_gravity(DVec3::new(0.3, 0.1, -9.81)).unwrap();
            world.set_time_step(1e-5).unwrap();
            let wall = two_sided(Plate { size: [0.05; 2], cells: [cells; 2] }.mesh().unwrap());
            let wall = world.add_shape(wall).unwrap();
            world.add_body(BodySpec::fixed(wall, grit, DVec3::ZERO)).unwrap();
            let shape = world.add_shape(shape.clone()).unwrap();
            let id = world.add_body(BodySpec::at(shape, grit, DVec3::Z * 0.006)).unwrap();
            let mut simulation = Simulation::new(world, 1).unwrap();
            simulation.run(10_000);
            simulation.world().position(id)
        };
        let (few, many) = (run(1), run(200));
        assert!((few - many).length() < 1e-9, "{kind}: {few} {many}");
    }
}

//! Percussions on hills of triangles: the energy of a dropped grain never grows.

use glam::DVec3;
use granum_engine::{BodySpec, Energy, MaterialId};
use granum_geometry::Shape;
use granum_geometry::random::Random;
use granum_geometry::shape::{HalfSpace, Superellipsoid, Surface};
use granum_geometry::surface::generate::Terrain;

use super::percussion_worlds::laboratory;
use crate::laboratory::GRAVITY;
use crate::mixed_shapes::mixed_shapes;
use crate::{Case, Report};

/// The case.
pub const A_HILLS: Case =
    Case { name: "A-hills", tier: 1, about: "percussions on hills of triangles: energy never grows", run };

/// Time step, s, and number of steps: the grain falls, bounces, rolls and comes to rest.
const TIME_STEP: f64 = 1e-3;
const STEPS: u64 = 2000;
/// Length of the grains, m.
const LENGTH: f64 = 0.4;
/// Height from which the grains fall, m. Energies are relative to that of this fall.
const HEIGHT: f64 = 1.0;
/// Largest growth of the energy in a step: this value, or a multiple of the growth on a plane. The
/// percussions of a step act at one instant, so that a grain that rocks gains a little in a step.
const LIMIT: f64 = 1e-5;
const OF_PLANE: f64 = 3.0;

fn run(report: &mut Report) {
    let hills = Terrain { size: [6.0; 2], cells: [60; 2], hills: 90, height: 0.1, radius: 0.4, seed: 5 };
    let hills: Shape =
        Surface::new(hills.mesh().expect("a valid terrain"), false).expect("a surface without faults").into();
    let plane: Shape = HalfSpace::new(DVec3::Z).into();
    let flat = Superellipsoid { semi_axes: 0.5 * LENGTH * DVec3::new(1.0, 0.75, 0.5), eps: [0.1; 2] };
    for (name, shape) in mixed_shapes(LENGTH).into_iter().chain([("flat superellipsoid", flat.into())]) {
        let [on_plane, on_hills] = [&plane, &hills].map(|wall| dropped(wall, &shape));
        report.at_most(
            format!("{name}: largest growth in a step"),
            on_hills.growth,
            LIMIT.max(OF_PLANE * on_plane.growth),
        );
        report.note(format!("{:.1e} on a plane", on_plane.growth));
        report.at_least(format!("{name}: height at the end, m"), on_hills.at.z, 0.0);
        report.note(format!("at x = {:.2} m, y = {:.2} m", on_hills.at.x, on_hills.at.y));
    }
}

/// The motion of a dropped grain.
struct Drop {
    /// Largest growth of the energy in a step, without booked work, relative to that of the fall.
    growth: f64,
    /// Centre at the end, m.
    at: DVec3,
}

fn dropped(wall: &Shape, shape: &Shape) -> Drop {
    let mut lab = laboratory(0.3, 0.5).with_gravity();
    let wall = lab.world.add_shape(wall.clone()).expect("a valid shape");
    lab.add(BodySpec::fixed(wall, MaterialId(0), DVec3::ZERO));
    let shape = lab.world.add_shape(shape.clone()).expect("a valid shape");
    let mut random = Random::new(8);
    let mut body = BodySpec::at(shape, MaterialId(0), DVec3::new(0.03, 0.02, HEIGHT));
    body.pose.orientation = random.rotation();
    body.velocity = 0.3 * random.in_cube().with_z(0.0);
    body.spin = 3.0 * random.in_cube();
    let body = lab.add(body);
    let mut simulation = lab.start(TIME_STEP);
    let scale = simulation.world().mass(body) * GRAVITY * HEIGHT;
    // The work of position corrections against gravity is booked, and is not energy of percussions.
    let without_work = |energy: Energy| energy.total() - energy.work;
    let mut before = without_work(simulation.energy());
    let mut growth = 0f64;
    for _ in 0..STEPS {
        simulation.run(1);
        let now = without_work(simulation.energy());
        growth = growth.max((now - before) / scale);
        before = now;
    }
    Drop { growth, at: simulation.world().position(body) }
}

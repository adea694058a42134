//! A user-defined pair routine: it turns a plane into a parabolic bowl, in which a ball rolls.
//!
//! No convex shape describes a bowl. The period of a ball that rolls is 2 pi sqrt(7/5 (A - R) / g).

use std::f64::consts::TAU;

use granum::glam::DVec3;
use granum::law::ContactLaw;
use granum::shape::{HalfSpace, Sphere};
use granum::{BodySpec, ContactPoint, Kind, Manifold, Material, Measure, Pair, PairTable, Shape, Simulation, World};

const A: f64 = 0.1; // radius of curvature at the bottom, m
const DEPTH: f64 = 0.005; // of the bowl below the plane, m
const R: f64 = 0.01; // radius of the ball, m

/// Contact of the bowl z = s²/(2 A) - depth (body a) and a ball (body b).
fn bowl_and_ball(pair: &Pair, manifold: &mut Manifold) {
    let Shape::Sphere(ball) = pair.b else { return };
    let distance = pair.offset.truncate().length(); // of the ball from the axis, m
    let outward = pair.offset.with_z(0.0).normalize_or_zero();
    // Newton's method for the nearest point of the parabola, at the distance s from the axis.
    let (mut s, height) = (distance, |s: f64| s * s / (2.0 * A) - DEPTH);
    for _ in 0..6 {
        let above = height(s) - pair.offset.z;
        s -= (s - distance + above * s / A) / (1.0 + s * s / (A * A) + above / A);
    }
    let on_bowl = s * outward + height(s) * DVec3::Z;
    let normal = (DVec3::Z - s / A * outward).normalize();
    let gap = normal.dot(pair.offset - on_bowl) - ball.radius;
    if gap <= pair.margin {
        let (arm, curvature) = (on_bowl + 0.5 * gap * normal, 1.0 / ball.radius - 1.0 / A);
        manifold.push(ContactPoint { arm, normal, gap, curvature, feature: 0, overlap: None });
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.set_gravity(-9.81 * DVec3::Z)?;
    world.set_time_step(5e-5)?;
    let steel = world.add_material(Material::new("steel", 7800.0))?;
    world.set_law(steel, steel, ContactLaw::linear(1e5, 0.5, 0.5)?)?; // N/m, restitution, friction
    let (plane, ball) = (world.add_shape(HalfSpace::new(DVec3::Z))?, world.add_shape(Sphere { radius: R })?);
    world.add_body(BodySpec::fixed(plane, steel, DVec3::ZERO))?;
    let ball = world.add_body(BodySpec::at(ball, steel, DVec3::new(0.004, 0.0, R - DEPTH + 1e-4)))?;
    let mut table = PairTable::new();
    table.register(Measure::Depth, Kind::HalfSpace, Kind::Sphere, "bowl_and_ball", bowl_and_ball);
    let mut simulation = Simulation::with_table(world, 1, table)?;
    let mut time_at_bottom = |side: f64| {
        while side * simulation.world().position(ball).x > 0.0 {
            simulation.run(1);
        }
        simulation.world().time()
    };
    let [begin, _, end] = [1.0, -1.0, 1.0].map(&mut time_at_bottom);
    let (period, expected) = (end - begin, TAU * (1.4 * (A - R) / 9.81).sqrt());
    println!("period: {period:.4} s, expected: {expected:.4} s");
    assert!((period / expected - 1.0).abs() < 5e-3);
    Ok(())
}

//! The contact of two bodies without a simulation: gap, normal and contact points.

use std::f64::consts::FRAC_PI_2;

use granum::glam::{DQuat, DVec3};
use granum::shape::{Cylinder, Superellipsoid};
use granum::{Kind, Manifold, Measure, Pair, PairTable, Pose, Shape, collide};

fn main() {
    // Two rods of radius 5 mm that cross at right angles. The distance of their axes is 9 mm.
    let rod: Shape = Cylinder { radius: 0.005, half_height: 0.03 }.into();
    let along_x = Pose { position: DVec3::ZERO, orientation: DQuat::from_rotation_y(FRAC_PI_2) };
    let along_y = Pose { position: DVec3::new(0.0, 0.0, 0.009), orientation: DQuat::from_rotation_x(FRAC_PI_2) };
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &Pair::new(&rod, &along_x, &rod, &along_y), &mut manifold);
    let point = manifold.deepest().expect("a pair without margin has a gap");
    println!("two rods: gap {:.3} mm, normal {:.3}", 1e3 * point.gap, point.normal);
    // A gap is a signed distance, negative where the bodies overlap. A normal points from a to b.
    assert!((point.gap + 0.001).abs() < 1e-12 && (point.normal - DVec3::Z).length() < 1e-9);

    // Two coins, one on the other: the face is represented by several contact points.
    let coin: Shape = Cylinder { radius: 0.01, half_height: 0.001 }.into();
    let below = Pose::IDENTITY;
    let above = Pose { position: DVec3::new(0.004, 0.0, 0.00199), orientation: DQuat::IDENTITY };
    collide(Measure::Depth, &Pair::new(&coin, &below, &coin, &above), &mut manifold);
    println!("two coins: {} contact points", manifold.points().len());
    for point in manifold.points() {
        println!("  at {:.3} mm, gap {:.3} mm", 1e3 * point.arm, 1e3 * point.gap);
        assert!((point.gap + 1e-5).abs() < 1e-12);
    }

    // Any two shapes have a routine; the table holds them by measure and kinds of shape.
    let pebble: Shape = Superellipsoid { semi_axes: DVec3::new(0.01, 0.008, 0.006), eps: [0.6, 0.8] }.into();
    let apart = Pose { position: DVec3::new(0.0, 0.003, 0.02), orientation: DQuat::from_rotation_x(0.4) };
    let pair = Pair::new(&coin, &below, &pebble, &apart);
    collide(Measure::Depth, &pair, &mut manifold);
    let gap = manifold.deepest().expect("a pair without margin has a gap").gap;
    let routine = PairTable::standard().routine(Measure::Depth, Kind::Cylinder, Kind::Superellipsoid);
    println!("coin and pebble: gap {:.3} mm by the routine `{}`", 1e3 * gap, routine.name());
    // The extents of the two bodies along any direction give a lower bound of the gap.
    assert!(gap > 0.0 && gap >= pair.distance_along(DVec3::Z));
}

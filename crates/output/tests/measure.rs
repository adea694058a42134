//! Observables of frames whose answers are known in closed form.

use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};
use granum_engine::{BodyId, BodyState, ContactState, MaterialId, ShapeId};
use granum_geometry::shape::{Cylinder, Ellipsoid, HalfSpace, InsideCylinder, Sphere};
use granum_geometry::{Aabb, Shape};
use granum_output::Frame;
use granum_output::measure::{Coordination, Drum, Heap, Order, Sampling, Stress, Turning};

fn body(id: u32, shape: u32, position: DVec3, mass: f64) -> BodyState {
    BodyState {
        id: BodyId(id),
        shape: ShapeId(shape),
        material: MaterialId(0),
        position,
        orientation: DQuat::IDENTITY,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
        mass,
    }
}

fn frame(shapes: Vec<Shape>, bodies: Vec<BodyState>, contacts: Vec<ContactState>) -> Frame {
    Frame { step: 0, time: 0.0, bodies, contacts, shapes, materials: vec!["stuff".into()] }
}

fn push(a: u32, b: u32, point: DVec3, force: DVec3) -> ContactState {
    let (a, b) = (BodyId(a), BodyId(b));
    ContactState { a, b, point, normal: force.normalize(), gap: -1e-6, force, couple: DVec3::ZERO }
}

const UNIT: Aabb = Aabb { min: DVec3::ZERO, max: DVec3::ONE };

#[test]
fn the_packing_of_a_ball_and_a_floor_is_found_within_its_error() {
    // The lower half of the box is floor; a ball of radius 0.2 is half in the box and clear of the floor.
    let shapes = vec![HalfSpace::new(DVec3::Z).into(), Sphere { radius: 0.2 }.into()];
    let floor = body(0, 0, DVec3::new(0.0, 0.0, 0.5), f64::INFINITY);
    let ball = body(1, 1, DVec3::new(0.0, 0.5, 0.75), 1.0);
    let packing = Sampling::of(&frame(shapes, vec![floor, ball], vec![]), UNIT).packing();
    let wanted = 0.5 * 4.0 / 3.0 * PI * 0.2f64.powi(3) / 0.5;
    assert!((packing.room - 0.5).abs() < 1e-3, "{packing:?}");
    assert!((packing.fraction - wanted).abs() < 3.0 * packing.error, "{packing:?}, and {wanted} is right");
    assert!(packing.error < 1e-3, "{packing:?}");
}

#[test]
fn walls_are_no_room() {
    let shapes = vec![InsideCylinder { radius: 0.5, half_height: 0.5 }.into(), Sphere { radius: 0.1 }.into()];
    let bodies = vec![body(0, 0, DVec3::splat(0.5), f64::INFINITY), body(1, 1, DVec3::splat(0.5), 1.0)];
    let packing = Sampling::of(&frame(shapes, bodies, vec![]), UNIT).packing();
    assert!((packing.room - PI / 4.0).abs() < 3e-3, "{packing:?}");
}

#[test]
fn coordination_counts_bodies_once_and_walls_too() {
    let shapes = vec![HalfSpace::new(DVec3::Z).into(), Sphere { radius: 0.1 }.into()];
    let at = |x: f64| DVec3::new(x, 0.5, 0.1);
    let bodies = vec![
        body(0, 0, DVec3::ZERO, f64::INFINITY),
        body(1, 1, at(0.1), 1.0),
        body(2, 1, at(0.3), 1.0),
        body(3, 1, at(0.9), 1.0),
    ];
    let up = DVec3::Z;
    let contacts =
        vec![push(0, 1, at(0.1), up), push(0, 2, at(0.3), up), push(0, 2, at(0.3), up), push(1, 2, at(0.2), up)];
    let found = Coordination::of(&frame(shapes, bodies, contacts), &UNIT);
    assert_eq!((found.grains, found.carrying), (3, 2.0));
    assert!((found.mean - 4.0 / 3.0).abs() < 1e-15 && (found.rattlers - 1.0 / 3.0).abs() < 1e-15, "{found:?}");
}

#[test]
fn a_heap_is_as_high_and_wide_as_the_grains_that_touch() {
    let shapes = vec![HalfSpace::new(DVec3::Z).into(), Sphere { radius: 0.1 }.into()];
    let at = |x: f64, z: f64| DVec3::new(x, 0.5, z);
    let bodies = vec![
        body(0, 0, DVec3::ZERO, f64::INFINITY),
        body(1, 1, at(0.4, 0.1), 1.0),
        body(2, 1, at(0.6, 0.1), 1.0),
        body(3, 1, at(0.5, 0.25), 1.0),
        // It flies.
        body(4, 1, at(0.5, 0.9), 1.0),
    ];
    let contacts = vec![
        push(0, 1, at(0.4, 0.0), DVec3::Z),
        push(0, 2, at(0.6, 0.0), DVec3::Z),
        push(1, 3, at(0.45, 0.18), DVec3::Z),
    ];
    let found = Heap::of(&frame(shapes, bodies, contacts), &UNIT, DVec3::NEG_Z);
    assert!((found.height - 0.35).abs() < 1e-15 && (found.radius - 0.1).abs() < 1e-15, "{found:?}");
}

#[test]
fn order_is_one_along_a_line_and_a_quarter_in_a_plane() {
    let shapes = vec![Ellipsoid { semi_axes: DVec3::new(0.1, 0.3, 0.1) }.into()];
    let grain = |id: u32, turn: DQuat| BodyState { orientation: turn, ..body(id, 0, DVec3::splat(0.5), 1.0) };
    let tilt = DQuat::from_rotation_x(0.7);
    let alike = vec![grain(0, tilt), grain(1, tilt), grain(2, tilt * DQuat::from_rotation_z(PI))];
    let order = Order::of(&frame(shapes.clone(), alike, vec![]), &UNIT);
    assert!((order.order - 1.0).abs() < 1e-12 && (order.director.dot(tilt * DVec3::Y).abs() - 1.0).abs() < 1e-12);
    // Axes all around in the plane x-y: 3/2 . 1/2 - 1/2 twice, and -1/2 across.
    let around = (0..12).map(|k| grain(k, DQuat::from_rotation_z(PI * f64::from(k) / 12.0)));
    let order = Order::of(&frame(shapes, around.collect(), vec![]), &UNIT);
    let wanted = DMat3::from_diagonal(DVec3::new(0.25, 0.25, -0.5));
    assert!(order.tensor.abs_diff_eq(wanted, 1e-12) && (order.order - 0.25).abs() < 1e-12, "{order:?}");
    // Coins that lie are in order however they are turned about their axes; balls have no order.
    let coin: Shape = Cylinder { radius: 0.3, half_height: 0.05 }.into();
    let lying = (0..12).map(|k| grain(k, DQuat::from_rotation_z(f64::from(k))));
    let order = Order::of(&frame(vec![coin], lying.collect(), vec![]), &UNIT);
    assert!((order.order - 1.0).abs() < 1e-12 && order.director.z.abs() > 1.0 - 1e-12, "{order:?}");
    let ball = Order::of(&frame(vec![Sphere { radius: 0.1 }.into()], vec![grain(0, tilt)], vec![]), &UNIT);
    assert!(ball.grains == 0 && ball.order.is_nan());
}

#[test]
fn a_column_between_plates_carries_the_load_over_the_area() {
    // Two balls between two walls, pressed with 12 N: the box has the area 1 m² and the column goes from face to face.
    let shapes =
        vec![HalfSpace::new(DVec3::Z).into(), HalfSpace::new(DVec3::NEG_Z).into(), Sphere { radius: 0.25 }.into()];
    let at = |z: f64| DVec3::new(0.5, 0.5, z);
    let bodies = vec![
        body(0, 0, DVec3::ZERO, f64::INFINITY),
        body(1, 1, DVec3::Z, f64::INFINITY),
        body(2, 2, at(0.25), 1.0),
        body(3, 2, at(0.75), 1.0),
    ];
    let load = 12.0 * DVec3::Z;
    let contacts = vec![push(0, 2, at(0.0), load), push(1, 3, at(1.0), -load), push(2, 3, at(0.5), load)];
    let frame = frame(shapes, bodies, contacts);
    let wanted = DMat3::from_diagonal(DVec3::new(0.0, 0.0, 12.0));
    let stress = Stress::of(&frame, &UNIT, 1.0);
    assert!(stress.contacts.abs_diff_eq(wanted, 1e-12) && (stress.pressure() - 4.0).abs() < 1e-12, "{stress:?}");
    // A slice carries the same stress.
    let slice = Aabb { min: DVec3::new(0.0, 0.0, 0.4), max: DVec3::new(1.0, 1.0, 0.6) };
    assert!(Stress::of(&frame, &slice, 0.2).contacts.abs_diff_eq(wanted, 1e-12));
}

#[test]
fn a_bed_with_a_known_slope_and_a_known_flow() {
    assert_slope_and_flow(25.0, 0.05);
}

#[test]
fn a_drum_that_is_nearly_full_has_its_surface_beside_the_axis() {
    assert_slope_and_flow(40.0, 0.38);
}

/// A dense lattice of balls below a plane with this slope, degrees, and this distance from the axis of a drum about y, m.
fn assert_slope_and_flow(degrees: f64, height: f64) {
    let (radius, pitch) = (0.5, 0.02);
    let slope = degrees.to_radians();
    let out = DVec3::new(slope.sin(), 0.0, slope.cos());
    let shapes = vec![InsideCylinder { radius, half_height: 0.05 }.into(), Sphere { radius: 0.55 * pitch }.into()];
    let spin = 2.0 * DVec3::Y;
    let drum = BodyState {
        orientation: DQuat::from_rotation_arc(DVec3::Z, DVec3::Y),
        spin,
        ..body(0, 0, DVec3::ZERO, f64::INFINITY)
    };
    let mut bodies = vec![drum];
    let cells = |half: i32| -half..=half;
    for (x, y, z) in cells(25).flat_map(|x| cells(2).flat_map(move |y| cells(25).map(move |z| (x, y, z)))) {
        let centre = pitch * DVec3::new(f64::from(x), f64::from(y), f64::from(z));
        if centre.x.hypot(centre.z) < radius - 0.5 * pitch && centre.dot(out) < height {
            // Everything turns with the drum.
            let id = bodies.len() as u32;
            bodies.push(BodyState { velocity: spin.cross(centre), ..body(id, 1, centre, 1.0) });
        }
    }
    let frame = frame(shapes, bodies, vec![]);
    let gravity = DVec3::NEG_Z;
    let turning = Turning::find(&frame, gravity).unwrap();
    let all = Aabb { min: DVec3::new(-radius, -0.05, -radius), max: DVec3::new(radius, 0.05, radius) };
    let mut drum = Drum::default();
    drum.add(&frame, &turning, &Sampling::of(&frame, all));
    let row = drum.rows()[0];
    assert!((row.surface - degrees).abs() < 1.0 && (row.centre_of_mass - degrees).abs() < 1.0, "{row:?}");
    assert!((row.height - height).abs() < pitch, "{row:?}");
    let flow = drum.flow();
    assert!(flow.len() > 20 && flow.iter().all(|row| (row.velocity - row.rigid).abs() < 1e-12));
    // The distance from the axis is nought where the height is used up, and there a rigid bed stands still.
    let reversal = drum.reversal().unwrap();
    assert!((reversal - row.height).abs() < pitch, "{reversal} {row:?}");
}

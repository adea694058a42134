//! Measured quantities of frames for which the exact result is known.

use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};
use granum_engine::{BodyId, BodyState, ContactState, MaterialId, ShapeId};
use granum_geometry::random::Random;
use granum_geometry::shape::{Cylinder, Disc, Ellipsoid, HalfSpace, InsideCylinder, Sphere, Surface};
use granum_geometry::surface::TriangleMesh;
use granum_geometry::surface::generate::{BoxSurface, CylinderSurface, Plate};
use granum_geometry::{Aabb, Shape};
use granum_output::Frame;
use granum_output::measure::{Coordination, Drum, Grid, Heap, Order, Profile, Sampling, Stress, Turning};

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
    Frame { step: 0, time: 0.0, bodies, contacts, wear: Vec::new(), shapes, materials: vec!["stuff".into()] }
}

fn push(a: u32, b: u32, point: DVec3, force: DVec3) -> ContactState {
    let (a, b) = (BodyId(a), BodyId(b));
    ContactState { a, b, point, normal: force.normalize(), gap: -1e-6, force, torque: DVec3::ZERO }
}

const UNIT: Aabb = Aabb { min: DVec3::ZERO, max: DVec3::ONE };

#[test]
fn the_packing_of_a_ball_and_a_floor_is_found_within_its_error() {
    // The floor fills the lower half of the box. Half of a ball of radius 0.2 m is in the box,
    // above the floor.
    let shapes = vec![HalfSpace::new(DVec3::Z).into(), Sphere { radius: 0.2 }.into()];
    let floor = body(0, 0, DVec3::new(0.0, 0.0, 0.5), f64::INFINITY);
    let ball = body(1, 1, DVec3::new(0.0, 0.5, 0.75), 1.0);
    let packing = Sampling::of(&frame(shapes, vec![floor, ball], vec![]), UNIT).packing();
    let wanted = 0.5 * 4.0 / 3.0 * PI * 0.2f64.powi(3) / 0.5;
    assert!((packing.room - 0.5).abs() < 1e-3, "{packing:?}");
    assert!((packing.fraction - wanted).abs() < 3.0 * packing.error, "{packing:?}, exact: {wanted}");
    assert!(packing.error < 1e-3, "{packing:?}");
}

#[test]
fn walls_do_not_count_as_free_volume() {
    let shapes = vec![InsideCylinder { radius: 0.5, half_height: 0.5 }.into(), Sphere { radius: 0.1 }.into()];
    let bodies = vec![body(0, 0, DVec3::splat(0.5), f64::INFINITY), body(1, 1, DVec3::splat(0.5), 1.0)];
    let packing = Sampling::of(&frame(shapes, bodies, vec![]), UNIT).packing();
    assert!((packing.room - PI / 4.0).abs() < 3e-3, "{packing:?}");
}

#[test]
fn the_volume_behind_closed_surfaces_does_not_count_as_free() {
    // A drum of triangles around a box of triangles; a sheet and an open plate have no volume.
    let drum = CylinderSurface { radius: 0.5, length: 1.0, facets: 400, divisions: 2, ends: true };
    let block = BoxSurface { size: [0.4, 0.3, 0.2], lid: true }.mesh().unwrap().reversed();
    let plate = Plate { size: [0.5, 0.5], cells: [3, 3] }.mesh().unwrap();
    let surface = |mesh: TriangleMesh, two_sided: bool| -> Shape { Surface::new(mesh, two_sided).unwrap().into() };
    let shapes = vec![
        surface(drum.mesh().unwrap(), false),
        surface(block, false),
        surface(plate.clone(), true),
        surface(plate, false),
        Sphere { radius: 0.1 }.into(),
    ];
    let at = |shape: u32, z: f64| body(shape, shape, DVec3::new(0.5, 0.5, z), f64::INFINITY);
    let bodies = vec![at(0, 0.5), at(1, 0.3), at(2, 0.7), at(3, 0.2), body(4, 4, DVec3::splat(0.5), 1.0)];
    let packing = Sampling::of(&frame(shapes, bodies, vec![]), UNIT).packing();
    assert!((packing.room - (PI / 4.0 - 0.4 * 0.3 * 0.2)).abs() < 3e-3, "{packing:?}");
}

#[test]
fn coordination_counts_each_neighbour_once_and_includes_walls() {
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
fn the_height_and_width_of_a_heap_include_only_grains_in_contact() {
    let shapes = vec![HalfSpace::new(DVec3::Z).into(), Sphere { radius: 0.1 }.into()];
    let at = |x: f64, z: f64| DVec3::new(x, 0.5, z);
    let bodies = vec![
        body(0, 0, DVec3::ZERO, f64::INFINITY),
        body(1, 1, at(0.4, 0.1), 1.0),
        body(2, 1, at(0.6, 0.1), 1.0),
        body(3, 1, at(0.5, 0.25), 1.0),
        // This grain has no contact.
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
fn the_order_of_parallel_axes_is_one_and_of_axes_in_a_plane_a_quarter() {
    let shapes = vec![Ellipsoid { semi_axes: DVec3::new(0.1, 0.3, 0.1) }.into()];
    let grain = |id: u32, turn: DQuat| BodyState { orientation: turn, ..body(id, 0, DVec3::splat(0.5), 1.0) };
    let tilt = DQuat::from_rotation_x(0.7);
    let alike = vec![grain(0, tilt), grain(1, tilt), grain(2, tilt * DQuat::from_rotation_z(PI))];
    let order = Order::of(&frame(shapes.clone(), alike, vec![]), &UNIT);
    assert!((order.order - 1.0).abs() < 1e-12 && (order.director.dot(tilt * DVec3::Y).abs() - 1.0).abs() < 1e-12);
    // For axes in all directions of the x-y plane, <n n> = diag(1/2, 1/2, 0), so that the tensor
    // 3/2 <n n> - 1/2 is diag(1/4, 1/4, -1/2).
    let around = (0..12).map(|k| grain(k, DQuat::from_rotation_z(PI * f64::from(k) / 12.0)));
    let order = Order::of(&frame(shapes, around.collect(), vec![]), &UNIT);
    let wanted = DMat3::from_diagonal(DVec3::new(0.25, 0.25, -0.5));
    assert!(order.tensor.abs_diff_eq(wanted, 1e-12) && (order.order - 0.25).abs() < 1e-12, "{order:?}");
    // A rotation of a coin about its axis does not change the order; balls have no axis.
    let coin: Shape = Cylinder { radius: 0.3, half_height: 0.05 }.into();
    let lying = (0..12).map(|k| grain(k, DQuat::from_rotation_z(f64::from(k))));
    let order = Order::of(&frame(vec![coin], lying.collect(), vec![]), &UNIT);
    assert!((order.order - 1.0).abs() < 1e-12 && order.director.z.abs() > 1.0 - 1e-12, "{order:?}");
    let ball = Order::of(&frame(vec![Sphere { radius: 0.1 }.into()], vec![grain(0, tilt)], vec![]), &UNIT);
    assert!(ball.grains == 0 && ball.order.is_nan());
}

#[test]
fn a_column_between_plates_carries_the_load_over_the_area() {
    // Two balls between two walls form a column that carries 12 N through a box of area 1 m^2.
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
    // A slice of the box has the same stress.
    let slice = Aabb { min: DVec3::new(0.0, 0.0, 0.4), max: DVec3::new(1.0, 1.0, 0.6) };
    assert!(Stress::of(&frame, &slice, 0.2).contacts.abs_diff_eq(wanted, 1e-12));
}

#[test]
fn slope_and_flow_of_a_lattice_of_grains_are_measured() {
    assert_slope_and_flow(25.0, 0.05);
}

#[test]
fn slope_and_flow_are_measured_in_a_nearly_full_drum() {
    assert_slope_and_flow(40.0, 0.38);
}

/// Measures a dense lattice of balls below a plane with this slope (degrees) and this distance from
/// the axis of a drum (m). The axis is y.
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
            // All grains rotate rigidly with the drum.
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
    // A bed that rotates rigidly is at rest only on the axis, at a depth below the surface equal to
    // the distance between surface and axis.
    let reversal = drum.reversal().unwrap();
    assert!((reversal - row.height).abs() < pitch, "{reversal} {row:?}");
}

/// Returns frames of moving balls with random contacts in the unit box.
fn random_frames() -> Vec<Frame> {
    let mut random = Random::new(7);
    let shapes: Vec<Shape> = vec![Sphere { radius: 0.02 }.into()];
    let point = |random: &mut Random| DVec3::new(random.unit(), random.unit(), random.unit());
    let one_frame = |random: &mut Random| {
        let grain = |id: u32, random: &mut Random| BodyState {
            velocity: 2.0 * point(random) - DVec3::X,
            ..body(id, 0, point(random), 1.0 + random.unit())
        };
        let bodies: Vec<BodyState> = (0..60).map(|id| grain(id, random)).collect();
        let contacts = (0..40).map(|k| push(k, k + 1 + k % 7, DVec3::ZERO, point(random) - 0.5)).collect();
        frame(shapes.clone(), bodies, contacts)
    };
    (0..3).map(|_| one_frame(&mut random)).collect()
}

#[test]
fn profiles_are_the_sums_of_their_definitions() {
    let frames = random_frames();
    let grid = Grid { bounds: UNIT, counts: [2, 1, 3] };
    let mut profile = Profile::new(grid);
    frames.iter().for_each(|frame| profile.add(frame, &Sampling::of(frame, UNIT)));
    // The volume of a cell is sampled, with the same points in each frame.
    let rooms = Sampling::of(&frames[0], UNIT).packing_in(|point| grid.cell_of(point).unwrap(), grid.len());
    for (index, row) in profile.rows().iter().enumerate() {
        let (cell, volume) = (grid.cell(index), frames.len() as f64 * rooms[index].room);
        assert!((rooms[index].room - 1.0 / 6.0).abs() < 2e-3, "{}", rooms[index].room);
        let inside: Vec<&BodyState> =
            frames.iter().flat_map(|frame| &frame.bodies).filter(|body| cell.contains(body.position)).collect();
        let mass: f64 = inside.iter().map(|body| body.mass).sum();
        let mean = inside.iter().map(|body| body.velocity * body.mass).sum::<DVec3>() / mass;
        let square: f64 = inside.iter().map(|body| body.mass * (body.velocity - mean).length_squared()).sum();
        assert!((row.grains - inside.len() as f64 / 3.0).abs() < 1e-12 && (row.velocity - mean).length() < 1e-12);
        assert!((row.temperature - square / mass / 3.0).abs() < 1e-12, "{row:?}");
        assert!((row.density - mass / volume).abs() < 1e-9 * row.density, "{row:?}");
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            let of_motion: f64 =
                inside.iter().map(|body| body.mass * (body.velocity - mean)[i] * (body.velocity - mean)[j]).sum();
            // The part of a branch vector in the cell is found by stepping along it.
            const STEPS: usize = 4000;
            let of_contact = |(frame, contact): (&Frame, &ContactState)| {
                let ends = [contact.a, contact.b].map(|id| frame.bodies[id.0 as usize].position);
                let at = |k: usize| ends[0].lerp(ends[1], (k as f64 + 0.5) / STEPS as f64);
                let part = (0..STEPS).filter(|&k| cell.contains(at(k))).count() as f64 / STEPS as f64;
                part * contact.force[i] * (ends[1] - ends[0])[j]
            };
            let contacts = frames.iter().flat_map(|frame| frame.contacts.iter().map(move |contact| (frame, contact)));
            let wanted = (contacts.map(of_contact).sum::<f64>() + of_motion) / volume;
            let found = row.stress.col(j)[i];
            assert!((found - wanted).abs() < 2e-2, "cell {index}, component {i} {j}: {found} for {wanted}");
        }
    }
}

#[test]
fn a_bed_at_rest_has_no_granular_temperature_and_an_empty_cell_no_stress() {
    let shapes = vec![Sphere { radius: 0.05 }.into()];
    let bodies = (0..5).map(|id| body(id, 0, DVec3::new(0.1 + 0.2 * f64::from(id), 0.5, 0.1), 0.003)).collect();
    let frame = frame(shapes, bodies, vec![]);
    let mut profile = Profile::new(Grid { bounds: UNIT, counts: [1, 1, 4] });
    profile.add(&frame, &Sampling::of(&frame, UNIT));
    for rows in [profile.rows(), profile.along(2)] {
        assert_eq!((rows[0].grains, rows[0].temperature, rows[0].velocity), (5.0, 0.0, DVec3::ZERO));
        assert!(rows.iter().all(|row| row.stress == DMat3::ZERO), "{rows:?}");
        assert!(rows[1].grains == 0.0 && rows[1].velocity.is_nan() && rows[1].density == 0.0, "{rows:?}");
    }
}

#[test]
fn temperature_and_pressure_of_a_planar_run_divide_by_two_dimensions() {
    let shapes = vec![Disc { radius: 0.05 }.into()];
    let grain = |id: u32, velocity: DVec3| BodyState { velocity, ..body(id, 0, DVec3::new(0.5, 0.5, 0.0), 2.0) };
    let bodies = vec![grain(0, DVec3::X), grain(1, DVec3::NEG_X), grain(2, DVec3::Y), grain(3, DVec3::NEG_Y)];
    let frame = frame(shapes, bodies, vec![]);
    let bounds = Aabb { min: DVec3::new(0.0, 0.0, -0.5), max: DVec3::new(1.0, 1.0, 0.5) };
    let mut profile = Profile::new(Grid { bounds, counts: [1, 1, 1] });
    profile.add(&frame, &Sampling::of(&frame, bounds));
    assert!((profile.rows()[0].temperature - 0.5).abs() < 1e-15);
    // Four grains of 2 kg/m: the sum of m v v' is diag(4, 4) N.
    let stress = Stress::of(&frame, &bounds, 1.0);
    assert!((stress.pressure() - 4.0).abs() < 1e-12 && (stress.pressure_of_motion() - 4.0).abs() < 1e-12);
}

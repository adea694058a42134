//! Convex programs of percussions: optimality, agreement of the solvers, and no gain of energy.

mod common;

use common::Random;
use glam::{DMat3, DQuat, DVec3};
use granum_engine::percussion::program::{
    NormalPotential, OUTSIDE, Program, ProgramBody, ProgramContact, TangentialPotential, Twist,
};
use granum_engine::percussion::solver::block_descent::{self, Limits};
#[cfg(feature = "clarabel")]
use granum_engine::percussion::solver::interior_point;
use granum_engine::percussion::solver::uzawa;

/// Returns a program of up to five bodies with random velocities and contacts, among each other and
/// with bodies outside the program.
fn random_program(
    random: &mut Random,
    laws: &dyn Fn(&mut Random, f64) -> (NormalPotential, TangentialPotential),
) -> Program {
    let count = 1 + (4.0 * random.unit()) as u32;
    let bodies: Vec<ProgramBody> = (0..count)
        .map(|_| {
            let size = DVec3::new(random.range(0.2, 1.0), random.range(0.2, 1.0), random.range(0.2, 1.0));
            let mass = random.range(0.1, 10.0);
            let square = size * size;
            let moments = mass / 3.0 * DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
            let turn = DMat3::from_quat(DQuat::from_scaled_axis(3.0 * random.in_cube()));
            ProgramBody {
                inverse_mass: 1.0 / mass,
                inverse_inertia: turn * DMat3::from_diagonal(moments.recip()) * turn.transpose(),
                free: Twist { velocity: random.in_cube(), spin: 2.0 * random.in_cube() },
            }
        })
        .collect();
    let mut program = Program { bodies, contacts: Vec::new() };
    let contacts = 1 + (8.0 * random.unit()) as u32;
    for _ in 0..contacts {
        let a = (f64::from(count) * random.unit()) as u32;
        let other = (f64::from(count + 1) * random.unit()) as u32;
        let b = if other == count || other == a { OUTSIDE } else { other };
        let mut contact = ProgramContact {
            bodies: if random.unit() < 0.5 { [a, b] } else { [b, a] },
            normal: random.in_cube().normalize(),
            arms: [random.in_cube(), random.in_cube()],
            prescribed_velocity: DVec3::ZERO,
            normal_potential: NormalPotential { min_velocity: 0.0, kappa: 0.0, tensile: false },
            tangential_potential: TangentialPotential::Frictionless,
        };
        let free = program.free_velocities();
        let rate = program.relative_velocity(&contact, &free).dot(contact.normal);
        (contact.normal_potential, contact.tangential_potential) = laws(random, rate);
        program.contacts.push(contact);
    }
    program
}

/// Returns the program with its first body replaced by a wall that moves along an axis only: a body
/// without translation that rotates about one axis, with the same lever arm at all its contacts.
#[cfg(feature = "clarabel")]
fn with_guided_wall(mut program: Program, random: &mut Random) -> Program {
    let axis = random.in_cube().normalize();
    let pivot = DVec3::new(-axis.y, axis.x, 0.0).normalize();
    let body = &mut program.bodies[0];
    let inertia = random.range(0.1, 10.0);
    body.inverse_inertia = DMat3::from_cols(pivot.x * pivot, pivot.y * pivot, pivot.z * pivot) * (1.0 / inertia);
    body.inverse_mass = 0.0;
    body.free = Twist { velocity: DVec3::ZERO, spin: random.signed() * pivot };
    for contact in &mut program.contacts {
        for side in 0..2 {
            if contact.bodies[side] == 0 {
                contact.arms[side] = axis.cross(pivot);
            }
        }
    }
    let free = program.free_velocities();
    for k in 0..program.contacts.len() {
        let rate = program.relative_velocity(&program.contacts[k], &free).dot(program.contacts[k].normal);
        let bound = &mut program.contacts[k].normal_potential.min_velocity;
        *bound = bound.max(0.5 * rate.min(0.0));
    }
    program
}

#[cfg(feature = "clarabel")]
#[test]
fn the_solvers_agree_on_walls_that_move_along_an_axis() {
    let mut random = Random::new(15);
    let mut moved = 0;
    for k in 0..300 {
        let program = random_program(&mut random, if k % 2 == 0 { &rebound } else { &friction });
        let program = with_guided_wall(program, &mut random);
        let own = block_descent::solve(&program, &zero(&program), limits(1e-9));
        assert!(own.certificate.worst() <= 1e-9, "{k}: {:?}", own.certificate);
        let polished = interior_point::solve(&program, 1e-6);
        assert!(polished.certificate.worst() <= 1e-6, "{k}: {:?}", polished.certificate);
        let reference = if k % 2 == 0 { interior_point::unpolished(&program, 1e-6) } else { polished };
        let twists = program.velocities(&own.percussions);
        for (x, y) in twists.iter().zip(program.velocities(&reference.percussions)) {
            let apart = (x.velocity - y.velocity).length().max((x.spin - y.spin).length());
            assert!(apart <= 1e-6 * program.velocity_scale().max(1.0), "{k}: {apart:e}");
        }
        moved += usize::from((twists[0].spin - program.bodies[0].free.spin).length() > 1e-3);
    }
    assert!(moved > 100, "percussions moved {moved} walls");
}

/// Returns random potentials of a collision with restitution, for mean velocities.
fn rebound(random: &mut Random, rate: f64) -> (NormalPotential, TangentialPotential) {
    let kappa = if random.unit() < 0.3 { 0.0 } else { 10f64.powf(random.range(-2.0, 2.0)) };
    let tangential = if random.unit() < 0.5 {
        TangentialPotential::Viscous(10f64.powf(random.range(-2.0, 1.0)))
    } else {
        TangentialPotential::Frictionless
    };
    (NormalPotential { min_velocity: 0.5 * rate.min(0.0), kappa, tensile: false }, tangential)
}

/// Returns random potentials of a contact with a given friction bound.
fn friction(random: &mut Random, _: f64) -> (NormalPotential, TangentialPotential) {
    let min_velocity = if random.unit() < 0.3 { -0.2 * random.unit() } else { 0.0 };
    (NormalPotential { min_velocity, kappa: 0.0, tensile: false }, TangentialPotential::Bounded(random.range(0.0, 2.0)))
}

/// Returns random potentials of a contact whose friction bound follows its normal percussion.
fn coulomb(random: &mut Random, _: f64) -> (NormalPotential, TangentialPotential) {
    let tangential = TangentialPotential::Coulomb { friction: random.range(0.0, 1.0), earlier: 0.0 };
    (NormalPotential { min_velocity: 0.0, kappa: 0.0, tensile: false }, tangential)
}

fn limits(tolerance: f64) -> Limits {
    Limits { tolerance, max_iterations: 200_000 }
}

fn zero(program: &Program) -> Vec<DVec3> {
    vec![DVec3::ZERO; program.contacts.len()]
}

/// Returns the kinetic energy in the masses of the program, J.
fn kinetic(program: &Program, motions: &[Twist]) -> f64 {
    let of = |(body, motion): (&ProgramBody, &Twist)| {
        let rotational = motion.spin.dot(body.inverse_inertia.inverse() * motion.spin);
        0.5 * (motion.velocity.length_squared() / body.inverse_mass + rotational)
    };
    program.bodies.iter().zip(motions).map(of).sum()
}

#[test]
fn ten_thousand_collisions_never_gain_kinetic_energy() {
    let mut random = Random::new(11);
    let mut most = f64::NEG_INFINITY;
    for _ in 0..10_000 {
        let program = random_program(&mut random, &rebound);
        let solution = block_descent::solve(&program, &zero(&program), limits(1e-8));
        assert!(solution.certificate.worst() <= 1e-8, "{:?}", solution.certificate);
        let mean = program.velocities(&solution.percussions);
        let free = program.free_velocities();
        let after: Vec<Twist> = (mean.iter().zip(&free))
            .map(|(x, u)| Twist { velocity: 2.0 * x.velocity - u.velocity, spin: 2.0 * x.spin - u.spin })
            .collect();
        let (before, after) = (kinetic(&program, &free), kinetic(&program, &after));
        most = most.max((after - before) / before);
    }
    assert!(most <= 1e-12, "gained {most:e} of the kinetic energy");
}

#[test]
fn ten_thousand_frictions_never_gain_kinetic_energy() {
    let mut random = Random::new(12);
    for k in 0..10_000 {
        let program = random_program(&mut random, if k % 2 == 0 { &friction } else { &coulomb });
        // Friction bounds that follow may not converge. Then they are fixed, as in a time step.
        let first = block_descent::solve(&program, &zero(&program), Limits { tolerance: 1e-8, max_iterations: 200 });
        let convex = program.with_friction_bounds_of(&first.percussions);
        let solution = block_descent::solve(&convex, &first.percussions, limits(1e-8));
        assert!(solution.certificate.worst() <= 1e-8, "{k}: {:?}", solution.certificate);
        let after = kinetic(&program, &program.velocities(&solution.percussions));
        let before = kinetic(&program, &program.free_velocities());
        assert!(after - before <= 1e-12 * before, "{k}: gained {:e}", (after - before) / before);
        assert!(solution.certificate.dissipated >= -1e-12 * before);
    }
}

#[cfg(feature = "clarabel")]
#[test]
fn the_default_solver_and_the_interior_point_solver_agree() {
    let mut random = Random::new(13);
    for k in 0..300 {
        let program = random_program(&mut random, if k % 2 == 0 { &rebound } else { &friction });
        let own = block_descent::solve(&program, &zero(&program), limits(1e-9));
        let polished = interior_point::solve(&program, 1e-6);
        assert!(polished.certificate.worst() <= 1e-6, "{k}: {:?}", polished.certificate);
        // Near the tip of a friction cone an interior point has only half of the digits.
        let reference = if k % 2 == 0 { interior_point::unpolished(&program, 1e-6) } else { polished };
        let (one, other) = (program.velocities(&own.percussions), program.velocities(&reference.percussions));
        for (x, y) in one.iter().zip(&other) {
            let apart = (x.velocity - y.velocity).length().max((x.spin - y.spin).length());
            assert!(apart <= 1e-6 * program.velocity_scale().max(1.0), "{k}: {apart:e}");
        }
    }
}

#[test]
fn uzawas_method_finds_the_same_velocities() {
    let mut random = Random::new(14);
    for k in 0..100 {
        let program = random_program(&mut random, if k % 2 == 0 { &rebound } else { &friction });
        let own = block_descent::solve(&program, &zero(&program), limits(1e-8));
        let other = uzawa::solve(&program, &zero(&program), limits(1e-6));
        assert!(other.certificate.worst() <= 1e-6, "{k}: {:?} after {}", other.certificate, other.iterations);
        let (one, other) = (program.velocities(&own.percussions), program.velocities(&other.percussions));
        for (x, y) in one.iter().zip(&other) {
            assert!((x.velocity - y.velocity).length() <= 1e-4 * program.velocity_scale(), "{k}");
        }
    }
}

#[test]
fn a_solution_is_optimal_contact_by_contact() {
    // Karush-Kuhn-Tucker conditions, independent of the certificate's code.
    let mut random = Random::new(15);
    for _ in 0..500 {
        let program = random_program(&mut random, &rebound);
        let solution = block_descent::solve(&program, &zero(&program), limits(1e-10));
        let motions = program.velocities(&solution.percussions);
        let small = 1e-8 * program.velocity_scale();
        for (contact, p) in program.contacts.iter().zip(&solution.percussions) {
            let v = program.relative_velocity(contact, &motions);
            let (v_n, p_n) = (v.dot(contact.normal), p.dot(contact.normal));
            let NormalPotential { min_velocity, kappa, .. } = contact.normal_potential;
            assert!(v_n >= min_velocity - small);
            let multiplier = p_n - kappa * (-v_n).max(0.0);
            let scale = 1.0 + kappa;
            assert!(multiplier >= -small * scale, "{multiplier:e}");
            assert!(
                (multiplier * (v_n - min_velocity)).abs() <= 10.0 * small * scale * (1.0 + p_n),
                "{multiplier:e} {v_n:e}"
            );
        }
    }
}

#[test]
fn four_corners_on_a_plane_are_no_harder_than_three() {
    // The points are redundant: the velocities are unique, but the percussions are not.
    let mass = 2.0;
    let half = DVec3::new(0.5, 0.3, 0.2);
    let square = half * half;
    let moments = mass / 3.0 * DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
    let free = Twist { velocity: DVec3::new(0.0, 0.0, -0.2), spin: DVec3::new(2.0, -1.0, 0.0) };
    let body = ProgramBody { inverse_mass: 1.0 / mass, inverse_inertia: DMat3::from_diagonal(moments.recip()), free };
    let corner = |x: f64, y: f64| ProgramContact {
        bodies: [OUTSIDE, 0],
        normal: DVec3::Z,
        arms: [DVec3::ZERO, DVec3::new(x * half.x, y * half.y, -half.z)],
        prescribed_velocity: DVec3::ZERO,
        normal_potential: NormalPotential { min_velocity: 0.0, kappa: 0.0, tensile: false },
        tangential_potential: TangentialPotential::Frictionless,
    };
    let contacts = vec![corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0), corner(-1.0, 1.0)];
    let program = Program { bodies: vec![body], contacts };
    let own = block_descent::solve(&program, &zero(&program), limits(1e-10));
    let motions = program.velocities(&own.percussions);
    assert!(program.contacts.iter().all(|contact| program.relative_velocity(contact, &motions).z >= -1e-9));
    #[cfg(feature = "clarabel")]
    {
        let reference = program.velocities(&interior_point::solve(&program, 1e-8).percussions);
        assert!((motions[0].velocity - reference[0].velocity).length() < 1e-7);
        assert!((motions[0].spin - reference[0].spin).length() < 1e-6);
    }
}

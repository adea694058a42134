//! Collisions of `data/acd2_cases.json`, whose answers were worked out by hand and by another solver.

use glam::{DMat3, DVec3};
use granum_engine::percussion::block_descent::{self, Limits};
use granum_engine::percussion::problem::{Body, Contact, Motion, Normal, OUTSIDE, Program, Tangential};
use serde_json::Value;

/// Largest error of a velocity, m/s or rad/s: the reference has nine digits where it was solved for.
const LIMIT: f64 = 1e-9;
const LIMITS: Limits = Limits { tolerance: 1e-12, sweeps: 100_000 };

/// Bodies of one collision with their velocities before it, external percussions, and contacts.
#[derive(Default)]
struct Collision {
    bodies: Vec<(f64, DVec3, Motion)>,
    external: DVec3,
    contacts: Vec<Contact>,
}

impl Collision {
    fn body(&mut self, mass: f64, moments: DVec3, before: Motion) -> u32 {
        self.bodies.push((mass, moments, before));
        self.bodies.len() as u32 - 1
    }

    fn contact(&mut self, bodies: [u32; 2], normal: DVec3, arm: DVec3, normal_kappa: f64, kappa: f64) {
        let along = Normal { bound: 0.0, stiffness: normal_kappa, pulls: false };
        let across = if kappa > 0.0 { Tangential::Viscous(kappa) } else { Tangential::Smooth };
        self.contacts.push(Contact { bodies, normal, arms: [DVec3::ZERO, arm], drift: DVec3::ZERO, along, across });
    }

    /// Velocities after it: the program in the mean velocities.
    fn after(&self) -> Vec<Motion> {
        let before: Vec<Motion> = self.bodies.iter().map(|body| body.2).collect();
        let bodies = self.bodies.iter().map(|&(mass, moments, before)| Body {
            inverse_mass: 0.5 / mass,
            inverse_inertia: DMat3::from_diagonal(0.5 / moments),
            free: Motion { velocity: before.velocity + 0.5 / mass * self.external, spin: before.spin },
        });
        let mut program = Program { bodies: bodies.collect(), contacts: self.contacts.clone() };
        for contact in &mut program.contacts {
            let rate = Program::default().relative(contact, &before).dot(contact.normal);
            contact.along.bound = 0.5 * rate.min(0.0);
        }
        let solution = block_descent::solve(&program, &vec![DVec3::ZERO; self.contacts.len()], LIMITS);
        assert!(solution.certificate.worst() <= LIMITS.tolerance);
        let mean = program.velocities(&solution.percussions);
        let twice = |(x, u): (&Motion, &Motion)| Motion {
            velocity: 2.0 * x.velocity - u.velocity,
            spin: 2.0 * x.spin - u.spin,
        };
        mean.iter().zip(&before).map(twice).collect()
    }
}

fn number(inputs: &Value, name: &str) -> f64 {
    inputs[name].as_f64().unwrap_or_else(|| panic!("no number {name} in {inputs}"))
}

fn vector(values: &Value) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|k| values[k].as_f64().expect("three numbers")))
}

/// A body's velocities before: three of its centre and its spin.
fn motion(values: &Value) -> Motion {
    let spin = DVec3::from_array([3, 4, 5].map(|k| values[k].as_f64().expect("six numbers")));
    Motion { velocity: vector(values), spin }
}

fn moving(velocity: DVec3) -> Motion {
    Motion { velocity, spin: DVec3::ZERO }
}

fn six(motion: &Motion) -> Vec<f64> {
    motion.velocity.to_array().into_iter().chain(motion.spin.to_array()).collect()
}

/// A box with its contacts with the ground.
fn box_on(inputs: &Value, corners: &[DVec3], kappa: f64) -> Collision {
    let (mass, half) = (number(inputs, "m"), vector(&inputs["half"]));
    let squares = half * half;
    let moments = mass / 3.0 * (DVec3::splat(squares.element_sum()) - squares);
    let mut collision = Collision::default();
    let body = collision.body(mass, moments, motion(&inputs["u_minus"]));
    for corner in corners {
        collision.contact([OUTSIDE, body], DVec3::Z, *corner, number(inputs, "kN"), kappa);
    }
    collision
}

/// A block that slides on some points, for the steps of the case, under a percussion along x each.
fn slides(inputs: &Value, mut velocity: f64, along: f64, steps: usize) -> Vec<f64> {
    let mut speeds = vec![];
    for _ in 0..steps {
        let mut collision = Collision { external: along * DVec3::X, ..Collision::default() };
        let body = collision.body(number(inputs, "m"), DVec3::ONE, moving(velocity * DVec3::X));
        for _ in 0..inputs["n_contacts"].as_u64().expect("a count") {
            collision.contact([OUTSIDE, body], DVec3::Z, DVec3::ZERO, 0.0, number(inputs, "kT"));
        }
        velocity = collision.after()[0].velocity.x;
        speeds.push(velocity);
    }
    speeds
}

fn ball_on_plane(inputs: &Value) -> Vec<f64> {
    let mass = number(inputs, "m");
    let mut collision = Collision::default();
    let ball = collision.body(mass, DVec3::ONE, moving(number(inputs, "u_minus") * DVec3::Z));
    collision.external = -mass * number(inputs, "g") * number(inputs, "dt") * DVec3::Z;
    collision.contact([OUTSIDE, ball], DVec3::Z, DVec3::ZERO, number(inputs, "kN"), 0.0);
    vec![collision.after()[0].velocity.z]
}

/// Balls on a line, each touching the next.
fn balls(masses: &[f64], speeds: &[f64], kappa: f64) -> Vec<f64> {
    let mut collision = Collision::default();
    for (&mass, &speed) in masses.iter().zip(speeds) {
        collision.body(mass, DVec3::ONE, moving(speed * DVec3::X));
    }
    for a in 1..masses.len() as u32 {
        collision.contact([a - 1, a], DVec3::X, DVec3::ZERO, kappa, 0.0);
    }
    collision.after().iter().map(|motion| motion.velocity.x).collect()
}

/// What the project's solver says of a case; nothing for those that are about whole worlds.
fn answer(case: &Value) -> Option<Vec<f64>> {
    let inputs = &case["inputs"];
    let id = case["id"].as_str().expect("a name");
    let gravity = |angle: fn(f64) -> f64| {
        number(inputs, "m") * number(inputs, "g") * number(inputs, "dt") * angle(number(inputs, "angle"))
    };
    let found = match id.split_whitespace().next().expect("a word") {
        "ball_plane" | "ball_plane_gravity" => ball_on_plane(inputs),
        "two_balls" => balls(
            &["m1", "m2"].map(|name| number(inputs, name)),
            &["u1", "u2"].map(|name| number(inputs, name)),
            number(inputs, "kN"),
        ),
        "cradle3" => balls(&[number(inputs, "m"); 3], &[number(inputs, "v"), 0.0, 0.0], number(inputs, "kN")),
        "sliding_block" => {
            let start = number(inputs, "u0");
            [vec![start], slides(inputs, start, 0.0, 5)].concat()
        }
        "slope_creep" => slides(inputs, 0.0, gravity(f64::sin), 6),
        "box_flat_4_corners" => {
            let half = vector(&inputs["half"]);
            let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)];
            let corners = corners.map(|(x, y)| half * DVec3::new(x, y, -1.0));
            six(&box_on(inputs, &corners, number(inputs, "kT")).after()[0])
        }
        "box_corner_impact" => six(&box_on(inputs, &[vector(&inputs["corner"])], 0.0).after()[0]),
        "ball_oblique" => {
            let (mass, radius) = (number(inputs, "m"), number(inputs, "R"));
            let mut collision = Collision::default();
            let ball = collision.body(mass, DVec3::splat(0.4 * mass * radius * radius), motion(&inputs["u_minus"]));
            let arm = DVec3::NEG_Z * radius;
            collision.contact([OUTSIDE, ball], DVec3::Z, arm, number(inputs, "kN"), number(inputs, "kT"));
            six(&collision.after()[0])
        }
        _ => return None,
    };
    Some(found)
}

#[test]
fn collisions_end_as_in_the_reference() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("data/acd2_cases.json")).expect("cases");
    let mut compared = 0;
    for case in &cases {
        let Some(found) = answer(case) else { continue };
        let expected = case["expected"].as_array().expect("a list");
        assert_eq!(found.len(), expected.len(), "{}", case["id"]);
        for (k, (ours, theirs)) in found.iter().zip(expected).enumerate() {
            let theirs = theirs.as_f64().expect("a number");
            assert!((ours - theirs).abs() < LIMIT, "{}: {ours} instead of {theirs} at place {k}", case["id"]);
        }
        compared += 1;
    }
    assert_eq!(compared, cases.len() - 2, "all but the two that sink and slide for a hundred steps");
}

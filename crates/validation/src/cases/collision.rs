//! A single collision of a few bodies.

use glam::{DMat3, DVec3};
use granum_engine::percussion::problem::{Body, Contact, Motion, Normal, OUTSIDE, Program, Tangential};
use granum_engine::percussion::solver::block_descent::{self, Limits};

/// Largest error of a velocity. Programs are solved to a hundredth of it.
pub(super) const LIMIT: f64 = 1e-9;
pub(super) const LIMITS: Limits = Limits { tolerance: 1e-11, sweeps: 100_000 };

/// A collision: bodies with their velocities, external percussions and contacts.
pub(super) struct Collision {
    /// Masses and principal moments.
    pub masses: Vec<(f64, DVec3)>,
    /// Velocities before the collision.
    pub before: Vec<Motion>,
    /// External percussions.
    pub external: Vec<DVec3>,
    /// Contacts.
    pub contacts: Vec<Contact>,
}

impl Collision {
    pub fn new() -> Self {
        Self { masses: Vec::new(), before: Vec::new(), external: Vec::new(), contacts: Vec::new() }
    }

    pub fn body(&mut self, mass: f64, moments: DVec3, velocity: DVec3) -> u32 {
        self.masses.push((mass, moments));
        self.before.push(Motion { velocity, spin: DVec3::ZERO });
        self.external.push(DVec3::ZERO);
        self.masses.len() as u32 - 1
    }

    /// Adds a contact at `arms` with kappa_N and kappa_T.
    pub fn contact(&mut self, bodies: [u32; 2], normal: DVec3, arms: [DVec3; 2], kappa: [f64; 2]) {
        let across = if kappa[1] > 0.0 { Tangential::Viscous(kappa[1]) } else { Tangential::Smooth };
        let along = Normal { bound: 0.0, stiffness: kappa[0], pulls: false };
        self.contacts.push(Contact { bodies, normal, arms, drift: DVec3::ZERO, along, across });
    }

    /// Adds a point mass on the ground, whose normal is z.
    pub fn on_ground(&mut self, body: u32, arm: DVec3, kappa: [f64; 2]) {
        self.contact([OUTSIDE, body], DVec3::Z, [DVec3::ZERO, arm], kappa);
    }

    pub fn program(&self) -> Program {
        let bodies = self.masses.iter().enumerate().map(|(k, &(mass, moments))| Body {
            inverse_mass: 0.5 / mass,
            inverse_inertia: DMat3::from_diagonal(0.5 / moments),
            free: Motion { velocity: self.before[k].velocity + 0.5 / mass * self.external[k], ..self.before[k] },
        });
        let mut program = Program { bodies: bodies.collect(), contacts: self.contacts.clone() };
        for (contact, own) in program.contacts.iter_mut().zip(&self.contacts) {
            let rate = Program::default().relative(own, &self.before).dot(own.normal);
            contact.along.bound = 0.5 * rate.min(0.0);
        }
        program
    }

    /// Returns the velocities after the collision.
    pub fn after(&self) -> Vec<Motion> {
        let program = self.program();
        let start = vec![DVec3::ZERO; program.contacts.len()];
        let solution = block_descent::solve(&program, &start, LIMITS);
        let mean = program.velocities(&solution.percussions);
        let after = mean.iter().zip(&self.before);
        after.map(|(x, u)| Motion { velocity: 2.0 * x.velocity - u.velocity, spin: 2.0 * x.spin - u.spin }).collect()
    }

    pub fn kinetic(&self, motions: &[Motion]) -> f64 {
        let of = |((mass, moments), motion): (&(f64, DVec3), &Motion)| {
            0.5 * mass * motion.velocity.length_squared() + 0.5 * motion.spin.dot(*moments * motion.spin)
        };
        self.masses.iter().zip(motions).map(of).sum()
    }
}

/// Returns the moments of inertia of a uniform box.
pub(super) fn box_moments(mass: f64, half: DVec3) -> DVec3 {
    let squares = half * half;
    mass / 3.0 * (DVec3::splat(squares.element_sum()) - squares)
}

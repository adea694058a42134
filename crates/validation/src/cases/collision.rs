//! A single collision of a few bodies.

use glam::{DMat3, DVec3};
use granum_engine::percussion::program::{
    NormalPotential, OUTSIDE, Program, ProgramBody, ProgramContact, TangentialPotential, Twist,
};
use granum_engine::percussion::solver::block_descent::{self, Limits};

/// Largest error of a velocity, m/s. The programs are solved to a hundredth of it.
pub(super) const LIMIT: f64 = 1e-9;
pub(super) const LIMITS: Limits = Limits { tolerance: 1e-11, max_iterations: 100_000 };

/// A collision: bodies with their velocities, external percussions and contacts.
pub(super) struct Collision {
    /// Masses, kg, and principal moments of inertia, kg m².
    pub masses: Vec<(f64, DVec3)>,
    /// Velocities, m/s, and spins, rad/s, before the collision.
    pub before: Vec<Twist>,
    /// External percussions, N s.
    pub external: Vec<DVec3>,
    /// Contacts.
    pub contacts: Vec<ProgramContact>,
}

impl Collision {
    pub fn new() -> Self {
        Self { masses: Vec::new(), before: Vec::new(), external: Vec::new(), contacts: Vec::new() }
    }

    pub fn body(&mut self, mass: f64, moments: DVec3, velocity: DVec3) -> u32 {
        self.masses.push((mass, moments));
        self.before.push(Twist { velocity, spin: DVec3::ZERO });
        self.external.push(DVec3::ZERO);
        self.masses.len() as u32 - 1
    }

    /// Adds a contact at `arms` with kappa_N and kappa_T.
    pub fn contact(&mut self, bodies: [u32; 2], normal: DVec3, arms: [DVec3; 2], kappa: [f64; 2]) {
        let tangential_potential =
            if kappa[1] > 0.0 { TangentialPotential::Viscous(kappa[1]) } else { TangentialPotential::Frictionless };
        let normal_potential = NormalPotential { min_velocity: 0.0, kappa: kappa[0], tensile: false };
        self.contacts.push(ProgramContact {
            bodies,
            normal,
            arms,
            prescribed_velocity: DVec3::ZERO,
            normal_potential,
            tangential_potential,
        });
    }

    /// Adds a point mass on the ground, whose normal is z.
    pub fn on_ground(&mut self, body: u32, arm: DVec3, kappa: [f64; 2]) {
        self.contact([OUTSIDE, body], DVec3::Z, [DVec3::ZERO, arm], kappa);
    }

    pub fn program(&self) -> Program {
        let bodies = self.masses.iter().enumerate().map(|(k, &(mass, moments))| ProgramBody {
            inverse_mass: 0.5 / mass,
            inverse_inertia: DMat3::from_diagonal(0.5 / moments),
            free: Twist { velocity: self.before[k].velocity + 0.5 / mass * self.external[k], ..self.before[k] },
        });
        let mut program = Program { bodies: bodies.collect(), contacts: self.contacts.clone() };
        for (contact, own) in program.contacts.iter_mut().zip(&self.contacts) {
            let rate = Program::default().relative_velocity(own, &self.before).dot(own.normal);
            contact.normal_potential.min_velocity = 0.5 * rate.min(0.0);
        }
        program
    }

    /// Returns the velocities after the collision.
    pub fn after(&self) -> Vec<Twist> {
        let program = self.program();
        let start = vec![DVec3::ZERO; program.contacts.len()];
        let solution = block_descent::solve(&program, &start, LIMITS);
        let mean = program.velocities(&solution.percussions);
        let after = mean.iter().zip(&self.before);
        after.map(|(x, u)| Twist { velocity: 2.0 * x.velocity - u.velocity, spin: 2.0 * x.spin - u.spin }).collect()
    }

    pub fn kinetic(&self, motions: &[Twist]) -> f64 {
        let of = |((mass, moments), motion): (&(f64, DVec3), &Twist)| {
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

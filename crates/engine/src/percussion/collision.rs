//! The collision of one island: its programs one after the other, each with its certificate.
//!
//! - Viscous: one program with external percussions and kappa_N, kappa_T (the thesis's). Contacts that it has turned towards each
//!   other are stopped by a second one.
//! - Coulomb: if something bounces, a program with kappa_N alone; then one with gravity and friction.
//!
//! Percussions of both add up. What each program loses is never negative: rest is admissible in both.

use glam::DVec3;

use super::builder::Setting;
use super::certificate::Certificate;
use super::island::{Island, Touch};
use super::law::{Friction, Percussion, Record, Slip, Solver};
use super::problem::{Motion, Normal, Program, Tangential};
use super::solver::block_descent::{self, Limits, Solution};
#[cfg(feature = "clarabel")]
use super::solver::interior_point;
use super::solver::uzawa;

/// Most iterations before a program is given to the interior-point solver: of 3,000 boxes 5,000 take two seconds, and the reference minutes.
const MOST_ITERATIONS: u32 = 40_000;
/// Iterations of Uzawa's method.
const MOST_UZAWA: u32 = 200_000;

/// What a collision did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Percussion on b of each contact, N s.
    pub percussions: Vec<DVec3>,
    /// The part of it from which the next step's programs start.
    pub lasting: Vec<DVec3>,
    /// What became of its programs.
    pub record: Record,
}

/// Lets an island collide.
pub fn collide(island: &Island, percussion: &Percussion, setting: &Setting) -> Outcome {
    let mut work = Collision { island, percussion, setting, record: Record::default() };
    let (percussions, lasting) = match percussion.friction {
        Friction::Viscous => work.viscous(),
        Friction::Coulomb => work.coulomb(),
    };
    Outcome { percussions, lasting, record: work.record }
}

struct Collision<'a> {
    island: &'a Island,
    percussion: &'a Percussion,
    setting: &'a Setting,
    record: Record,
}

impl Collision<'_> {
    fn viscous(&mut self) -> (Vec<DVec3>, Vec<DVec3>) {
        let Setting { dt, gravity } = *self.setting;
        let before = self.island.motions();
        let (first, motions) = self.rebound(&before, 1.0, true);
        let violates = |touch: &Touch| {
            let rate = self.island.approach_rate(touch, &motions);
            rate < touch.slowest(dt) - self.percussion.tolerance * rate.abs().max(gravity.length() * dt)
        };
        if !self.island.touches.iter().any(violates) {
            return (first.clone(), first);
        }
        let law = |_: usize, touch: &Touch| (stop(touch.slowest(dt)), Tangential::Smooth);
        let program = self.island.program(1.0, |k| motions[k], law);
        let more = self.solve(&program, &vec![DVec3::ZERO; first.len()]);
        let both = first.iter().zip(&more).map(|(p, q)| *p + *q);
        (both.collect(), first)
    }

    fn coulomb(&mut self) -> (Vec<DVec3>, Vec<DVec3>) {
        let dt = self.setting.dt;
        let before = self.island.motions();
        let touches = &self.island.touches;
        let bounces = self.island.bounces(&before, self.setting);
        let (mut percussions, motions) = match bounces {
            true => self.rebound(&before, 0.0, false),
            false => (vec![DVec3::ZERO; touches.len()], before),
        };
        let free = |k: usize| motions[k].and(1.0, &self.island.members[k].gained);
        let law = |k: usize, touch: &Touch| {
            let across = match touch.law.slip {
                Slip::Friction(friction) if friction > 0.0 => {
                    Tangential::Coulomb { friction, given: percussions[k].dot(touch.normal) }
                }
                _ => Tangential::Smooth,
            };
            (stop(touch.slowest(dt)), across)
        };
        let program = self.island.program(1.0, free, law);
        let start: Vec<DVec3> = touches.iter().map(|touch| touch.start).collect();
        let resting = self.solve(&program, &start);
        for (p, q) in percussions.iter_mut().zip(&resting) {
            *p += *q;
        }
        (percussions, resting)
    }

    /// The program in the mean velocities x, with a `share` of the external percussions: percussions, and velocities `2 x - u` after
    /// them.
    fn rebound(&mut self, before: &[Motion], share: f64, with_slip: bool) -> (Vec<DVec3>, Vec<Motion>) {
        let dt = self.setting.dt;
        let kappas = self.island.kappas(before, dt);
        let free = |k: usize| before[k].and(0.5 * share, &self.island.members[k].gained);
        let law = |k: usize, touch: &Touch| {
            let rate = self.island.approach_rate(touch, before);
            // Bodies that part, or do not meet yet, get no potential; the bound keeps the collision from giving energy.
            let bound = (0.5 * (rate + touch.slowest(dt))).min(0.0);
            let touches = touch.gap <= 0.0 && rate <= 0.0 || touch.is_struck(rate, dt);
            let across = if with_slip && touches { touch.viscous(dt) } else { Tangential::Smooth };
            (Normal { bound, stiffness: kappas[k], pulls: false }, across)
        };
        let program = self.island.program(2.0, free, law);
        let start: Vec<DVec3> = match with_slip {
            true => self.island.touches.iter().map(|touch| touch.start).collect(),
            false => vec![DVec3::ZERO; kappas.len()],
        };
        let percussions = self.solve(&program, &start);
        let mean = program.velocities(&percussions);
        let after = mean
            .iter()
            .zip(before)
            .map(|(x, u)| Motion { velocity: 2.0 * x.velocity - u.velocity, spin: 2.0 * x.spin - u.spin });
        (percussions, after.collect())
    }

    /// Solves a program and adds its outcome to the record.
    ///
    /// If the chosen solver misses the tolerance, the interior-point solver is used as well, where the
    /// crate has it (feature `clarabel`). The better solution is used. One that still misses the
    /// tolerance is counted as missed.
    fn solve(&mut self, program: &Program, start: &[DVec3]) -> Vec<DVec3> {
        let tolerance = self.percussion.tolerance;
        // Without the interior-point solver nothing replaces this solution.
        #[cfg_attr(not(feature = "clarabel"), allow(unused_mut))]
        let mut solution = self.first(program, start);
        self.record.programs += 1;
        self.record.iterations += u64::from(solution.iterations);
        if solution.certificate.worst() > tolerance {
            #[cfg(feature = "clarabel")]
            {
                self.record.fallbacks += 1;
                let convex = program.with_caps_of(&solution.percussions);
                let reference = interior_point::solve(&convex, tolerance);
                if reference.certificate.worst() < solution.certificate.worst() {
                    solution = reference;
                }
            }
            self.record.missed += u64::from(solution.certificate.worst() > tolerance);
        }
        self.note(&solution.certificate, program);
        solution.percussions
    }

    fn first(&self, program: &Program, start: &[DVec3]) -> Solution {
        let tolerance = self.percussion.tolerance;
        let limits = |iterations| Limits { tolerance, sweeps: iterations };
        match self.percussion.solver {
            Solver::BlockDescent => block_descent::solve(program, start, limits(MOST_ITERATIONS)),
            Solver::Uzawa => {
                // Friction has its caps from a program without it, as the reference has.
                uzawa::solve(
                    &capped(program, |smooth| uzawa::solve(smooth, start, limits(MOST_UZAWA))),
                    start,
                    limits(MOST_UZAWA),
                )
            }
            #[cfg(feature = "clarabel")]
            Solver::InteriorPoint => {
                interior_point::solve(&capped(program, |smooth| interior_point::solve(smooth, tolerance)), tolerance)
            }
        }
    }

    fn note(&mut self, certificate: &Certificate, program: &Program) {
        let record = &mut self.record;
        record.worst = record.worst.max(certificate.worst());
        record.primal = record.primal.max(certificate.primal);
        record.dual = record.dual.max(certificate.dual);
        record.complementarity = record.complementarity.max(certificate.complementarity);
        record.gap = record.gap.max(certificate.gap);
        record.dissipated += certificate.dissipated;
        // Work of driven bodies is no loss of the collision.
        let is_driven = program.contacts.iter().any(|contact| contact.drift != DVec3::ZERO);
        let kinetic = program.kinetic();
        if !is_driven && kinetic > 0.0 {
            record.least_dissipated = record.least_dissipated.min(certificate.dissipated / kinetic);
        }
    }
}

/// A contact that stops what would pass through it.
fn stop(slowest: f64) -> Normal {
    Normal { bound: slowest, stiffness: 0.0, pulls: false }
}

/// The program with the caps of friction that its solution without friction gives.
fn capped(program: &Program, solve: impl Fn(&Program) -> Solution) -> Program {
    if !program.follows() {
        return program.clone();
    }
    let mut smooth = program.clone();
    smooth.contacts.iter_mut().for_each(|contact| contact.across = Tangential::Smooth);
    program.with_caps_of(&solve(&smooth).percussions)
}
